"""Board of a table whose light another part may take over for a while."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from lumiban.boards.types import LightFrame
from lumiban.runtime.table_host import HostedBoard, TableHost
from lumiban.service.board_rest import Rest
from lumiban.table.requests import ErrorText, TableRequest
from lumiban.table.view_fields import TableView

if TYPE_CHECKING:
    from lumiban.lobby.idle_screen import IdleScreen


class IdleBoard:
    """Board between a table and its line: the `door`, a state machine without I/O, hears the
    table's views and buttons, asks for games and may take over the light; it is called when it is
    due."""

    door: Rest | IdleScreen

    def __init__(self, board: HostedBoard, table: TableHost, door: Rest | None = None) -> None:
        if door is not None:
            self.door = door
        self._board = board
        self._table = table
        self._frame: LightFrame | None = None
        """The table's picture."""
        self._shown: LightFrame | None = None
        self._loop = asyncio.get_running_loop()
        self._alarm: asyncio.TimerHandle | None = None
        self._asking: set[asyncio.Task[ErrorText | None]] = set()
        self._leave = (table.watch(self._heard), table.watch_buttons(self._pressed))

    @property
    def statistics(self) -> object:
        """Statistics of the board's line."""
        return getattr(self._board, "statistics", None)

    def show(self, frame: LightFrame) -> None:
        """Show the table's picture, unless the light is taken over."""
        self._frame = frame
        self._look()

    def acknowledge(self, next_event: int) -> None:
        """Allow the board to drop the events before this one."""
        self._board.acknowledge(next_event)

    def close(self) -> None:
        """Stop showing and asking."""
        for leave in self._leave:
            leave()
        if self._alarm is not None:
            self._alarm.cancel()
        for task in self._asking:
            task.cancel()

    def _heard(self, view: TableView) -> None:
        self.door.heard(view, self._loop.time())
        self._look()

    def _pressed(self) -> None:
        self.door.touched(self._loop.time())
        self._look()

    def _look(self) -> None:
        now_s = self._loop.time()
        request = self.door.request(now_s)
        if request is not None:
            # Not within a step of the table, which may have called us.
            task = self._loop.create_task(self._ask(request))
            self._asking.add(task)
            task.add_done_callback(self._asking.discard)
        frame = self.door.frame(now_s) or self._own_light()
        if frame is not None and frame != self._shown:
            self._shown = frame
            self._board.show(frame)
        due = self.door.next_due_s(now_s)
        if self._alarm is not None:
            self._alarm.cancel()
            self._alarm = None
        if due is not None:
            self._alarm = self._loop.call_later(max(due - now_s, 0) + 1e-3, self._look)

    def _own_light(self) -> LightFrame | None:
        return self._frame

    async def _ask(self, request: TableRequest) -> ErrorText | None:
        """Send the table a request as its host; returns why it is refused."""
        return await self._table.command(request, "host")

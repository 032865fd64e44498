"""A board as its table has it while somebody else may take its light."""

from __future__ import annotations

import asyncio
from abc import ABC, abstractmethod

from lumiban.boards.types import LightFrame
from lumiban.runtime.table_host import HostedBoard, TableHost
from lumiban.table.requests import TableRequest
from lumiban.table.view_fields import TableView


class LeasedBoard(ABC):
    """Stands between a table and its board: hears the table's views and buttons, and looks again
    when something is due."""

    def __init__(self, board: HostedBoard, table: TableHost) -> None:
        self._board = board
        self._table = table
        self._frame: LightFrame | None = None
        """The table's picture."""
        self._shown: LightFrame | None = None
        self._loop = asyncio.get_running_loop()
        self._alarm: asyncio.TimerHandle | None = None
        self._asking: set[asyncio.Task[None]] = set()
        self._leave = (table.watch(self._heard), table.watch_buttons(self._pressed))

    @property
    def statistics(self) -> object:
        """Those of the board's line."""
        return getattr(self._board, "statistics", None)

    def show(self, frame: LightFrame) -> None:
        """The table's picture; it is shown while nobody else has the light."""
        self._frame = frame
        self._look()

    def acknowledge(self, next_event: int) -> None:
        """Let the board forget the events before this one."""
        self._board.acknowledge(next_event)

    def close(self) -> None:
        """Nothing more is shown or asked."""
        for leave in self._leave:
            leave()
        if self._alarm is not None:
            self._alarm.cancel()
        for task in self._asking:
            task.cancel()

    @abstractmethod
    def _heard(self, view: TableView) -> None: ...

    @abstractmethod
    def _pressed(self) -> None: ...

    @abstractmethod
    def _look(self) -> None: ...

    @abstractmethod
    async def _ask(self, request: TableRequest) -> None: ...

    def _request(self, request: TableRequest) -> None:
        """Ask the table, not within a step of it, which may have called us."""
        task = self._loop.create_task(self._ask(request))
        self._asking.add(task)
        task.add_done_callback(self._asking.discard)

    def _put(self, frame: LightFrame | None) -> None:
        """Show a picture if it is another than the last."""
        if frame is not None and frame != self._shown:
            self._shown = frame
            self._board.show(frame)

    def _look_again(self, wait_s: float | None) -> None:
        """The next look, in place of the one that was to come; None: whenever something happens."""
        if self._alarm is not None:
            self._alarm.cancel()
            self._alarm = None
        if wait_s is not None:
            self._alarm = self._loop.call_later(wait_s + 1e-3, self._look)

"""Board of a table with a lobby: the I/O around `lobby/idle_screen.py`.

The board's news go through the door to the table; light is the lobby's while it is open. What is
chosen becomes a request of the table, a setting that the service keeps, or the end of the machine.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from pathlib import Path

from lumiban.boards.profile import Profile
from lumiban.boards.types import LightFrame, LinkEvent
from lumiban.lobby.choices import offers_of
from lumiban.lobby.idle_screen import IdleScreen
from lumiban.runtime.table_host import HostedBoard, TableHost
from lumiban.service.board_rest import is_night, minutes_now
from lumiban.service.idle_board import IdleBoard
from lumiban.service.settings import TableOrder
from lumiban.table.requests import ErrorText, LobbyRequest, TableRequest
from lumiban.table.setup import TableSetup
from lumiban.table.view_fields import LobbyShown, TableView


class LobbyBoard(IdleBoard):
    """Lobby of a running table. `order` holds the table's settings, `pin` returns the digits with
    which a phone joins and `opens_pin` lets it try them now; `keep` and `power_off` ask the
    service; `records` is the folder of kept games."""

    def __init__(
        self,
        board: HostedBoard,
        table: TableHost,
        profile: Profile,
        *,
        order: TableOrder,
        asks_first: bool,
        pin: Callable[[], str | None],
        opens_pin: Callable[[], None],
        keep: Callable[[str, int | str], None],
        power_off: Callable[[], None],
        records: Path,
    ) -> None:
        self.changed: Callable[[], None] = lambda: None
        """Called when the page needs a new view."""
        self._profile = profile
        self._order = order
        self._asks_first = asks_first
        self._pin = pin
        self._opens_pin = opens_pin
        self._counts_pin = False
        self._keep = keep
        self._power_off = power_off
        self._records = records
        self._said: LobbyShown | None = None
        self._acknowledged = 0
        self._is_open = False
        self._is_closed = False
        super().__init__(board, table)
        table.gate = self._pass_on

    @cached_property
    def door(self) -> IdleScreen:  # type: ignore[override]  # made when it is looked at first
        """Lobby of the table; made from the table's greeting, which says what fits its board."""
        order = self._order
        offers = offers_of(self._table.hello(), can_power_off=order.can_power_off)
        setup = TableSetup(
            offers.games[0].slug if offers.games else "",
            brightness=order.brightness,
            language=order.language,
        )
        return IdleScreen(
            self._profile,
            offers,
            setup,
            rest_after_s=order.rest_after_s,
            attract_after_s=order.attract_after_s,
            is_dark=lambda: is_night(order.night, minutes_now()),
            asks_first=self._asks_first,
            pin=self._pin,
            records=self._records,
        )

    def close(self) -> None:
        """Stop showing and asking."""
        self._is_closed = True
        self._table.gate = None
        super().close()

    # What the page asks.

    def choose(self, request: LobbyRequest) -> ErrorText | None:
        """Make a choice from the page; returns why it is refused, None when done."""
        refused = self.door.choose(request, self._loop.time())
        self._table.heard([])  # what the table has missed, before it is asked for anything
        self._look()
        return refused

    def followed_request(self, request: TableRequest) -> None:
        """Take note that the table followed another request of the page."""
        self.door.followed_request(request, self._loop.time())
        self._table.heard([])
        self._look()

    def dress(self, view: TableView) -> TableView:
        """View as the page receives it."""
        return self.door.dress(view)

    def with_setting(self, name: str, value: int | str) -> None:
        """Apply the new value of a setting."""
        self.door.with_setting(name, value)
        self._look()

    # Inside.

    def _pass_on(self, events: list[LinkEvent]) -> list[LinkEvent]:
        passed = self.door.pass_on(events, self._loop.time())
        if events:
            # Not yet: what is passed on comes to the table before what it is asked for.
            self._loop.call_soon(self._look)
        return passed

    def _look(self) -> None:
        if self._is_closed:
            return
        super()._look()
        door = self.door
        if door.acknowledge > self._acknowledged:
            self._acknowledged = door.acknowledge
            self._board.acknowledge(door.acknowledge)
        if door.counts_pin and not self._counts_pin:
            self._opens_pin()
        self._counts_pin = door.counts_pin
        kept, door.kept = door.kept, []
        for one in kept:
            self._keep(one.name, one.value)
        if door.goes_off:
            door.goes_off = False
            self._power_off()
        if door.is_open != self._is_open:
            self._is_open = door.is_open
            self._table.rest_hands(door.is_open)
        shown = door.in_words() if door.is_open else None
        if shown != self._said:
            self._said = shown
            self.changed()

    def _own_light(self) -> LightFrame | None:
        return None if self._frame is None else self.door.dim(self._frame)

    async def _ask(self, request: TableRequest) -> ErrorText | None:
        refused = await super()._ask(request)
        if refused is not None:
            self.door.refused(refused, self._loop.time())
        self._look()
        return refused

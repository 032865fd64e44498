"""The page's table as a service has it: now one that waits for its board, now one in play.

The page's process outlives them: it is told of another table as of any other change. `AwaitedTable`
is a table without a board; it says what it waits for.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from msgspec.structs import replace

from lumiban import games
from lumiban.boards import profile as profiles
from lumiban.boards.profile import Profile
from lumiban.boards.types import LightFrame
from lumiban.errors import BoardError, GameError, LumibanError
from lumiban.runtime.greeting import greeting
from lumiban.runtime.offers import playable_options
from lumiban.runtime.table_host import TableHost
from lumiban.search.worker import SearchProcess
from lumiban.table.requests import ErrorText, LobbyRequest, TableRequest, UnknownRequest
from lumiban.table.roles import objection
from lumiban.table.session import Session
from lumiban.table.view_fields import TableView, Text

if TYPE_CHECKING:
    from lumiban.run_log import RunLog
    from lumiban.service.lobby_board import LobbyBoard
    from lumiban.web.hello import Hello

NO_BOARD = ErrorText(id="serve.waits.absent", params={})


class NoBoard:
    """A board that shows nothing and takes nothing."""

    def show(self, frame: LightFrame) -> None:
        """Nothing is there to be lit."""

    def acknowledge(self, next_event: int) -> None:
        """Nothing is there to forget."""


class AwaitedTable(TableHost):
    """A table whose board is not there: nobody can play at it, and it says why."""

    def __init__(self, profile_name: str, state: Path, log: RunLog, why: ErrorText) -> None:
        profile = profiles.load(profile_name)
        slug, options = game_for(profile, "control")
        game = games.load(slug, **options)
        session = Session(game, profile, ["human"] * len(game.sides))
        super().__init__(session, journals=state / "journals", log=log, worker=SearchProcess())
        self.why = why
        self.start(NoBoard(), greeting(profile, simulated=False))

    def view(self) -> TableView:
        """The empty table, and what it waits for."""
        return self.with_reason(super().view())

    def with_reason(self, view: TableView) -> TableView:
        """This view as a page reads it."""
        told = Text(self.why["id"], dict(self.why["params"]))
        return replace(view, verdict=replace(view.verdict, text=told))

    async def command(self, request: TableRequest | UnknownRequest, role: str) -> ErrorText | None:
        """Nothing is done without a board."""
        return self.why


def game_for(profile: Profile, wish: str) -> tuple[str, Mapping[str, int | str]]:
    """The game to begin with on a board: the one that is wished where it fits, with the options
    nearest to its usual ones, else the first that does; GameError when none does.

    >>> game_for(profiles.load("hex3"), "control"), game_for(profiles.load("grid9x9"), "doves")
    (('control', {'size': 3}), ('doves', {}))
    """
    for slug in (wish, *games.available()):
        with suppress(GameError, BoardError):
            options, _ = playable_options(slug, profile)
            if options is not None:
                return slug, options
    raise GameError(f"none of the games fits the board {profile.name}")


class ServedTable:
    """The page's `Table`: whichever table is there now."""

    def __init__(self) -> None:
        self.language = ""
        """Language of the page, as it was chosen at the board; "": the browser's."""
        self._now: TableHost | None = None
        self._lobby: LobbyBoard | None = None
        self._views: list[Callable[[TableView], None]] = []
        self._buttons: list[Callable[[], None]] = []
        self._leave: list[Callable[[], None]] = []

    def put(self, table: TableHost, lobby: LobbyBoard | None = None) -> None:
        """This is the table from now on, with its lobby where it has one."""
        for leave in self._leave:
            leave()
        self._now, self._lobby = table, lobby
        if lobby is not None:
            lobby.changed = self.publish
        self._leave = [table.watch(self._published), table.watch_buttons(self._pressed)]
        self._published(table.view())

    def publish(self) -> None:
        """Let the page hear the present view."""
        self._published(self._table.view())

    def _published(self, view: TableView) -> None:
        view = self._dressed(view)
        for callback in tuple(self._views):
            callback(view)

    def _pressed(self) -> None:
        for callback in tuple(self._buttons):
            callback()

    @property
    def _table(self) -> TableHost:
        assert self._now is not None, "a page is served once there is a table"
        return self._now

    @property
    def hands_url(self) -> str | None:
        """Address of the simulator's hands."""
        return self._table.hands_url

    @hands_url.setter
    def hands_url(self, url: str | None) -> None:
        self._table.hands_url = url

    def hello(self) -> Hello:
        """What the page needs to know once."""
        told: Hello = {**self._table.hello(), "service": True}
        return {**told, "language": self.language} if self.language else told

    def view(self) -> TableView:
        """The present view."""
        return self._dressed(self._table.view())

    def _dressed(self, view: TableView) -> TableView:
        """A view with what the session does not know: why there is no table, or the lobby."""
        if isinstance(self._now, AwaitedTable):
            return self._now.with_reason(view)
        return view if self._lobby is None else self._lobby.dress(view)

    def look(self, n: int) -> Mapping[str, Any] | None:
        """The position after `n` moves."""
        return self._table.look(n)

    async def command(self, request: TableRequest, role: str) -> ErrorText | None:
        """Follow a request of the page."""
        lobby = self._lobby
        if isinstance(request, LobbyRequest) and lobby is not None:
            return objection(request, role) or lobby.choose(request)
        try:
            refused = await self._table.command(request, role)
            if refused is None and lobby is not None:
                lobby.followed_request(request)
            return refused
        except AssertionError:  # the table ended while it was asked
            raise LumibanError("the table begins anew; ask again") from None

    def watch(self, callback: Callable[[TableView], None]) -> Callable[[], None]:
        """Call back with each new view, of whichever table."""
        self._views.append(callback)
        return lambda: self._views.remove(callback)

    def watch_buttons(self, callback: Callable[[], None]) -> Callable[[], None]:
        """Call back when a button of the board goes down."""
        self._buttons.append(callback)
        return lambda: self._buttons.remove(callback)

"""Table of a service as its page has it: waiting for a board, or in play.

`AwaitedTable` is a table without a board; it says what it waits for.
"""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec.structs import replace

from lumiban import games
from lumiban.boards import profile as profiles
from lumiban.boards.profile import Profile
from lumiban.boards.types import LightFrame
from lumiban.errors import BoardError, GameError
from lumiban.runtime.page_hello import page_hello
from lumiban.runtime.page_table import PageTable
from lumiban.runtime.playable_games import playable_options
from lumiban.runtime.table_host import TableHost
from lumiban.search.worker import SearchProcess
from lumiban.table.requests import ErrorText, LobbyRequest, TableRequest, UnknownRequest
from lumiban.table.session import Session
from lumiban.table.view_fields import TableView, Text

if TYPE_CHECKING:
    from lumiban.service.lobby_board import LobbyBoard
    from lumiban.system.run_log import RunLog
    from lumiban.web.hello import Hello

NO_BOARD = ErrorText(id="serve.waits.absent", params={})


class NoBoard:
    """Board that shows and takes nothing."""

    def show(self, frame: LightFrame) -> None:
        """Ignore the picture."""

    def acknowledge(self, next_event: int) -> None:
        """Ignore the acknowledgement."""


class AwaitedTable(TableHost):
    """Table whose board is absent: nobody can play at it, and its view says why."""

    def __init__(self, profile_name: str, state: Path, log: RunLog, why: ErrorText) -> None:
        profile = profiles.load(profile_name)
        slug, options = game_for(profile, "control")
        game = games.load(slug, **options)
        session = Session(game, profile, ["human"] * len(game.sides))
        super().__init__(session, journals=state / "journals", log=log, worker=SearchProcess())
        self.why = why
        self.start(NoBoard(), page_hello(profile, simulated=False))

    def view(self) -> TableView:
        """View of the empty table, with what it waits for."""
        return self.with_reason(super().view())

    def with_reason(self, view: TableView) -> TableView:
        """View with the reason why there is no table."""
        reason = Text(self.why["id"], dict(self.why["params"]))
        return replace(view, verdict=replace(view.verdict, text=reason))

    async def command(self, request: TableRequest | UnknownRequest, role: str) -> ErrorText | None:
        """Refuse the request: there is no board."""
        return self.why


def game_for(profile: Profile, wish: str) -> tuple[str, Mapping[str, int | str]]:
    """Game to begin with on a board: the requested one where it fits, with the options nearest to
    its usual ones, else the first that fits; GameError when none does.

    >>> game_for(profiles.load("hex3"), "control"), game_for(profiles.load("grid9x9"), "doves")
    (('control', {'size': 3}), ('doves', {}))
    """
    for listed in (lambda: [wish], games.available):  # to look for packages takes a while
        for slug in listed():
            with suppress(GameError, BoardError):
                options, _ = playable_options(slug, profile)
                if options is not None:
                    return slug, options
    raise GameError(f"none of the games fits the board {profile.name}")


class ServiceTable(PageTable):
    """`Table` of a service's page, with the board's lobby and the page's language."""

    def __init__(self) -> None:
        super().__init__()
        self.language = ""
        """Language of the page, as it was chosen at the board; "": the browser's."""
        self._lobby: LobbyBoard | None = None

    def put(self, table: TableHost, lobby: LobbyBoard | None = None) -> None:
        """Replace the table that is shown, with its lobby where it has one."""
        self._lobby = lobby
        if lobby is not None:
            lobby.changed = self.publish
        super().put(table)

    def hello(self) -> Hello:
        """First message to a page, sent once."""
        greeting: Hello = {**super().hello(), "service": True}
        return {**greeting, "language": self.language} if self.language else greeting

    def _dressed(self, view: TableView) -> TableView:
        """View with the reason why there is no table, or with the lobby."""
        if isinstance(self._now, AwaitedTable):
            return self._now.with_reason(view)
        return view if self._lobby is None else self._lobby.dress(view)

    async def command(self, request: TableRequest, role: str) -> ErrorText | None:
        """Follow a request of the page."""
        lobby = self._lobby
        if isinstance(request, LobbyRequest) and lobby is not None:
            return lobby.choose(request)
        refused = await super().command(request, role)
        if refused is None and lobby is not None:
            lobby.followed_request(request)
        return refused

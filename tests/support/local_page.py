"""A page served in the loop of its table, without a process of its own: for tests."""

from __future__ import annotations

from collections.abc import Callable, Collection

from lumiban.table.requests import ErrorText, Line, TableRequest
from lumiban.table.view_fields import TableView
from lumiban.web import feed
from lumiban.web.app import LOOPBACK, MAX_SOCKETS, Gate, create_app_of
from lumiban.web.feed import Table, ViewText
from lumiban.web.hello import Hello


class LocalFeed:
    """The feed of a table that lives in the loop of the web app."""

    def __init__(self, table: Table) -> None:
        self._table = table
        self._watchers: list[Callable[[ViewText], None]] = []
        self._leave: Callable[[], None] = lambda: None

    @property
    def hands_url(self) -> str | None:
        """Address of the simulator's hands."""
        return self._table.hands_url

    def hello(self) -> Hello:
        """What the page needs to know once."""
        return self._table.hello()

    async def view(self) -> str:
        """The present view."""
        return feed.packed("view", self._table.view())

    def latest(self) -> str:
        """The present view."""
        return feed.packed("view", self._table.view())

    async def look(self, n: int, line: Line | None = None) -> str | None:
        """A past position."""
        past = self._table.look(n, line)
        return None if past is None else feed.packed("past", past)

    async def command(self, request: TableRequest, role: str) -> ErrorText | None:
        """Pass a request on to the table."""
        return await self._table.command(request, role)

    def report(self, text: str) -> None:
        """An error of a page's script goes nowhere: the table has no log here."""

    def watch(self, callback: Callable[[ViewText], None]) -> Callable[[], None]:
        """Call back with the present view and each new one."""
        if not self._watchers:
            self._leave = self._table.watch(self._published)
        self._watchers.append(callback)
        callback(ViewText(self.latest()))

        def leave() -> None:
            self._watchers.remove(callback)
            if not self._watchers:
                self._leave()

        return leave

    def _published(self, view: TableView) -> None:
        packed = ViewText(feed.packed("view", view))
        for callback in tuple(self._watchers):
            callback(packed)


def create_app(
    table: Table,
    *,
    allowed_hosts: Collection[str] = LOOPBACK,
    most_sockets: int = MAX_SOCKETS,
    owner: str = "",
) -> Gate:
    """Return the ASGI application for `table`, for the loop that the table lives in."""
    return create_app_of(
        LocalFeed(table), allowed_hosts=allowed_hosts, most_sockets=most_sockets, owner=owner
    )

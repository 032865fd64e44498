"""The page's table: whichever is there now.

The page's process outlives tables: of another one, on another board, it is told as of any other
change. So links, PIN, cookies and seats outlive them too.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from lumiban.runtime.table_host import TableHost, join
from lumiban.table.requests import ErrorText, Line, TableRequest
from lumiban.table.view_fields import TableView

if TYPE_CHECKING:
    from lumiban.web.hello import Hello


class PageTable:
    """Serves the page with one table after the other (`put`); `web.feed.Table`."""

    def __init__(self) -> None:
        self._now: TableHost | None = None
        self._views: list[Callable[[TableView], None]] = []
        self._buttons: list[Callable[[], None]] = []
        self._leave: list[Callable[[], None]] = []

    def put(self, table: TableHost) -> None:
        """Show this table from now on."""
        for leave in self._leave:
            leave()
        self._now = table
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

    def _dressed(self, view: TableView) -> TableView:
        """A view with what its session does not know."""
        return view

    @property
    def hands_url(self) -> str | None:
        """Address of the simulator's hands."""
        return self._table.hands_url

    def hello(self) -> Hello:
        """First message to a page, sent once."""
        return self._table.hello()

    def view(self) -> TableView:
        """The present view."""
        return self._dressed(self._table.view())

    def look(self, n: int, line: Line | None = None) -> Mapping[str, Any] | None:
        """The position after `n` moves, or to which a line leads from there."""
        return self._table.look(n, line)

    async def command(self, request: TableRequest, role: str) -> ErrorText | None:
        """Follow a request of the page."""
        return await self._table.command(request, role)

    def watch(self, callback: Callable[[TableView], None]) -> Callable[[], None]:
        """Call back with each new view, of whichever table."""
        return join(self._views, callback)

    def watch_buttons(self, callback: Callable[[], None]) -> Callable[[], None]:
        """Call back when a button of the board goes down."""
        return join(self._buttons, callback)

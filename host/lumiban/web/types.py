"""What the page needs of a table: the session's shell fulfils it, tests script one."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Protocol

JSON = dict[str, Any]
"""One JSON object; docs/page.md says which."""

HOST, VIEWER = "host", "viewer"
"""Roles of a tab: the host acts for the table, viewers look on."""


class Table(Protocol):
    """A table in play; all methods are called in its own loop."""

    hands_url: str | None
    """Address of the simulator's `/hands` WebSocket, None when the board is a real one."""

    def hello(self) -> Mapping[str, Any]:
        """The `hello` of docs/page.md, without `type` and `role`."""
        ...

    def view(self) -> Mapping[str, Any]:
        """The present `view` of docs/page.md, without `type`."""
        ...

    def look(self, n: int) -> Mapping[str, Any] | None:
        """The `past` of docs/page.md after `n` moves, without `type`; None when there are not so
        many."""
        ...

    async def command(self, message: JSON, role: str) -> JSON | None:
        """Follow a message of the page: None when done, else `{"id": …, "params": {…}}`."""
        ...

    def watch(self, callback: Callable[[Mapping[str, Any]], None]) -> Callable[[], None]:
        """Call back with each new view, in the loop's thread; the result ends that."""
        ...


class Feed(Protocol):
    """A table as the page's server reads it: its views come as JSON text, packed once for all
    tabs. `web.feed` has one for a table in the same loop and one for a table in another process."""

    @property
    def hands_url(self) -> str | None:
        """As of `Table`."""
        ...

    def hello(self) -> Mapping[str, Any]:
        """As of `Table`."""
        ...

    async def view(self) -> str:
        """The present `view`, with what the board's line has counted."""
        ...

    async def look(self, n: int) -> str | None:
        """The `past` after `n` moves; None when there are not so many."""
        ...

    async def command(self, message: JSON, role: str) -> JSON | None:
        """As of `Table`; LumibanError."""
        ...

    def watch(self, callback: Callable[[str], None]) -> Callable[[], None]:
        """Call back with the present view at once and with each new one; the result ends that."""
        ...

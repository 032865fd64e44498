"""Messages between a table and the process that serves its page, and on to the tabs.

`Table` is what a page needs of one: its host fulfils it, tests script one. Views come as
text, packed once however many tabs show them. Through the pipe between the two processes go framed
messages, both ways: a length, a kind, a number that pairs answers with questions, and a body.
"""

from __future__ import annotations

import asyncio
import itertools
import struct
from collections.abc import Callable, Mapping
from typing import Any, Protocol, cast

import msgspec

from lumiban import i18n
from lumiban.errors import LumibanError
from lumiban.table.requests import ErrorText, Line, TableRequest
from lumiban.table.view_fields import TableView
from lumiban.web.hello import Hello


def packed(kind: str, content: Mapping[str, Any] | TableView) -> str:
    """Message of this type as JSON text; a declared one names its own type.

    >>> packed("view", {"v": 3, "light": {"4": [1, 2]}})
    '{"type":"view","v":3,"light":{"4":[1,2]}}'
    """
    message = {"type": kind, **content} if isinstance(content, Mapping) else content
    return msgspec.json.encode(message).decode()


_fields = msgspec.json.Decoder(dict[str, msgspec.Raw])


def difference(before: str, view: str) -> str:
    """Difference of a view from the one before: its changed fields, the names of removed ones, and
    with `more` what was appended to lists.

    >>> print(difference('{"v":1,"moves":["a1"],"pie":true}', '{"v":2,"moves":["a1","b2"]}'))
    {"type":"view","gone":["pie"],"more":{"moves":["b2"]},"v":2}
    """
    had, has = _fields.decode(before), _fields.decode(view)
    more: dict[str, msgspec.Raw] = {}
    told = {"gone": [name for name in had if name not in has], "more": more}
    changed = {}
    for name, value in has.items():
        was, now = bytes(had.get(name, b"")), bytes(value)
        if was[:1] == b"[" and now.startswith(was[:-1] + b","):
            more[name] = msgspec.Raw(b"[" + now[len(was) :])
        elif was != now:
            changed[name] = value
    return packed("view", told | changed)


class ViewText:
    """View as JSON text: whole, or as a difference, made once for all tabs."""

    def __init__(self, text: str) -> None:
        self.text = text
        self._since = {"": text}

    def since(self, before: str) -> str:
        """Difference from this text of a view; the whole view where there was none."""
        if before not in self._since:
            self._since[before] = difference(before, self.text)
        return self._since[before]


class PipedFeed:
    """Feed of a table at the other end of a pipe (`page_process`).

    `ended` is set when that end has closed.
    """

    def __init__(self) -> None:
        self.hands_url: str | None = None
        self.owner = ""
        """Token of this machine's owner; "": nobody owns the page."""
        self.ended = asyncio.Event()
        self.greeted = asyncio.Event()
        """Set once the table has said who it is and what it shows, or has ended before that."""
        self.line = PipeEnd(self._heard, self._lost)
        self._hello = cast("Hello", {})
        self._view = ViewText("")
        self._watchers: list[Callable[[ViewText], None]] = []
        self._numbers = itertools.count(1)
        self._asked: dict[int, asyncio.Future[bytes]] = {}
        self._looking: asyncio.Future[bytes] | None = None
        self._faults = 0
        self.kept = b""
        """Secrets of the door to a network, "" where there is none."""
        self.restored: Callable[[bytes], None] = lambda kept: None
        """Hears of others that came later."""
        self.pressed: Callable[[], None] = lambda: None
        """Hears of buttons of the board."""
        self.opened: Callable[[], None] = lambda: None
        """Hears that somebody at the board opens the PIN."""
        self.changed: Callable[[], None] = lambda: None
        """Hears that `hello` is another one, as a table has another board."""

    def _lost(self) -> None:
        self.ended.set()
        self.greeted.set()

    def hello(self) -> Hello:
        """First message to a page, sent once."""
        return self._hello

    def latest(self) -> str:
        """View that was published last; the table is not asked."""
        return self._view.text

    async def view(self) -> str:
        """Present view; concurrent callers share one request to the table."""
        if self._looking is None or self._looking.done():
            self._looking = self._ask(PRESENT, b"")
        return (await asyncio.shield(self._looking)).decode()

    async def look(self, n: int, line: Line | None = None) -> str | None:
        """Past position."""
        return (await self._ask(LOOK, msgspec.json.encode([n, line]))).decode() or None

    async def command(self, request: TableRequest, role: str) -> ErrorText | None:
        """Pass a request on to the table; LumibanError as raised there."""
        answer = await self._ask(COMMAND, msgspec.json.encode([request, role]))
        refused, fault = msgspec.json.decode(answer)
        if fault:
            raise LumibanError(fault)
        refusal: ErrorText | None = refused
        return refusal

    def report(self, text: str) -> None:
        """Write an error of a page's script to the host's log."""
        self._faults += 1
        if self._faults <= MAX_FAULTS:
            self.line.send(FAULT, 0, text.encode())

    def watch(self, callback: Callable[[ViewText], None]) -> Callable[[], None]:
        """Call back with the present view and each new one."""
        self._watchers.append(callback)
        callback(self._view)
        return lambda: self._watchers.remove(callback)

    def _ask(self, kind: int, body: bytes) -> asyncio.Future[bytes]:
        number = next(self._numbers)
        answer: asyncio.Future[bytes] = asyncio.get_running_loop().create_future()
        self._asked[number] = answer
        self.line.send(kind, number, body)
        return answer

    def _heard(self, kind: int, number: int, body: bytes) -> None:
        if kind == VIEW:
            self._view = ViewText(body.decode())
            self.greeted.set()
            for callback in tuple(self._watchers):
                callback(self._view)
        elif kind == HELLO:
            announced, before = msgspec.json.decode(body), self._hello
            self.hands_url, self._hello = announced["hands_url"], announced["hello"]
            self.owner = announced["owner"]
            for language, sentences in announced["texts"].items():
                i18n.add(language, sentences)
            if before not in ({}, self._hello):
                self.changed()
        elif kind == ANSWER:
            asked = self._asked.pop(number, None)
            if asked is not None and not asked.done():
                asked.set_result(body)
        elif kind == ACCESS:
            self.kept = body
            self.restored(body)
        elif kind == PRESSED:
            self.pressed()
        elif kind == OPENED:
            self.opened()


JSON = dict[str, Any]
"""One JSON object; docs/page.md says which."""


class Table(Protocol):
    """Table in play; all methods are called in its own loop."""

    @property
    def hands_url(self) -> str | None:
        """Address of the simulator's `/hands` WebSocket, None when the board is a real one."""

    def hello(self) -> Hello:
        """`hello` of docs/page.md, without `type` and `role`."""
        ...

    def view(self) -> TableView:
        """Present `view` of docs/page.md."""
        ...

    def look(self, n: int, line: Line | None = None) -> Mapping[str, Any] | None:
        """`past` of docs/page.md after `n` moves, and a line from there, without `type`; None when
        the game has fewer moves."""
        ...

    async def command(self, request: TableRequest, role: str) -> ErrorText | None:
        """Follow a request of the page: None when done, else `{"id": …, "params": {…}}`."""
        ...

    def watch(self, callback: Callable[[TableView], None]) -> Callable[[], None]:
        """Call back with each new view, in the loop's thread; the returned function
        unsubscribes."""
        ...

    def watch_buttons(self, callback: Callable[[], None]) -> Callable[[], None]:
        """Call back when a button of the board is pressed; the returned function unsubscribes."""
        ...


class Feed(Protocol):
    """Table as the page's server reads it: its views come as JSON text, made once for all tabs.
    This module has one for a table in the same loop and one for a table in another process."""

    @property
    def hands_url(self) -> str | None:
        """As of `Table`."""
        ...

    def hello(self) -> Hello:
        """As of `Table`."""
        ...

    async def view(self) -> str:
        """Present `view`, with the statistics of the board's line."""
        ...

    def latest(self) -> str:
        """View that was published last, without asking the table."""
        ...

    async def look(self, n: int, line: Line | None = None) -> str | None:
        """As of `Table`, as JSON text."""
        ...

    async def command(self, request: TableRequest, role: str) -> ErrorText | None:
        """As of `Table`; LumibanError."""
        ...

    def report(self, text: str) -> None:
        """Log an error of a page's script."""
        ...

    def watch(self, callback: Callable[[ViewText], None]) -> Callable[[], None]:
        """Call back with the present view at once and with each new one; the returned function
        unsubscribes."""
        ...


HELLO, VIEW, ANSWER, ACCESS, PRESSED, OPENED = 1, 2, 3, 4, 5, 6
"""From the table: who it is, with the sentences that its games brought (JSON), a view, the answer
to a question; the secrets of the door to a network (`access.Secrets`), and that a button of the
board went down, or that the PIN is opened there."""
READY, COMMAND, LOOK, PRESENT, KEPT, NAMED, FAULT = 16, 17, 18, 19, 20, 21, 22
"""From the page: it serves; a command with its role (JSON), a past position, the present view; who
has come in over the network, to outlive this process, and by which name that finds the table; an
error of the script in a browser."""
MAX_FAULTS = 50
"""Errors of scripts that one process tells of: a page may come from anybody, and must not fill the
log."""

_HEAD = struct.Struct("<IBI")
MAX_BODY_BYTES = 64 << 20
"""Bytes of a body from the table; a longer one is refused."""
MAX_FROM_PAGE = 1 << 16
"""Bytes of a body from the page, which strangers talk to."""


class PipeEnd(asyncio.Protocol):
    """One end of the pipe: `heard` is called with (kind, number, body), `lost` once at its end.

    While the other end does not read, views replace one another, so what waits here is bounded
    and the one who sends never waits.
    """

    def __init__(
        self,
        heard: Callable[[int, int, bytes], None],
        lost: Callable[[], None],
        *,
        longest: int = MAX_BODY_BYTES,
    ) -> None:
        self._heard = heard
        self._lost = lost
        self._longest = longest
        self._buffer = bytearray()
        self._transport: asyncio.WriteTransport | None = None
        self._is_full = False
        self._view: bytes | None = None

    def send(self, kind: int, number: int = 0, body: bytes = b"") -> None:
        """Send a message; ignored after the end."""
        if self._transport is not None:
            self._transport.write(_HEAD.pack(len(body), kind, number) + body)

    def show(self, view: bytes) -> None:
        """Send a view, or queue it in place of an older one."""
        if self._is_full:
            self._view = view
        else:
            self.send(VIEW, 0, view)

    def close(self) -> None:
        """Close the pipe once all is sent."""
        if self._transport is not None:
            self._transport.close()

    # asyncio.Protocol

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Begin."""
        self._transport = cast(asyncio.WriteTransport, transport)

    def connection_lost(self, exc: Exception | None) -> None:
        """End."""
        self._transport = None
        self._lost()

    def pause_writing(self) -> None:
        """Queue from now on: the peer reads too slowly."""
        self._is_full = True

    def resume_writing(self) -> None:
        """Send the newest queued view: the peer has caught up."""
        self._is_full = False
        view, self._view = self._view, None
        if view is not None:
            self.show(view)

    def data_received(self, data: bytes) -> None:
        """Split the stream into messages."""
        self._buffer += data
        while len(self._buffer) >= _HEAD.size:
            length, kind, number = _HEAD.unpack_from(self._buffer)
            if length > self._longest:
                self.close()
                self._buffer.clear()
                return
            end = _HEAD.size + length
            if len(self._buffer) < end:
                return
            body = bytes(self._buffer[_HEAD.size : end])
            del self._buffer[:end]
            self._heard(kind, number, body)

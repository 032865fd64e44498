"""Connections of the page's server: their number, and how long each may idle.

uvicorn lets a connection that never finishes its headers stay for ever, and one that reads nothing
keep its buffers. Here a connection must get on within `PROGRESS_S`, and while `most` are open one
that has not asked for anything makes way for the next: the oldest of the source that has most.
"""

from __future__ import annotations

import asyncio
import logging
from collections import Counter
from typing import Any

from uvicorn.protocols.http.h11_impl import H11Protocol
from uvicorn.protocols.websockets.websockets_sansio_impl import WebSocketsSansIOProtocol
from websockets.http11 import Response
from websockets.server import ServerProtocol

from lumiban.web.app import SECURITY_HEADERS

PROGRESS_S = 10.0
"""Time after which a connection ends that has neither asked for anything new nor become a
WebSocket."""
FAREWELL_S = 2.0
"""For the last bytes of a WebSocket to leave; a tab that reads nothing would keep them for ever."""


def _answer(status: str, sentence: str) -> bytes:
    """Complete response, for a connection that never reaches the application."""
    body = sentence.encode() + b"\n"
    headers = {
        "content-type": "text/plain; charset=utf-8",
        "content-length": str(len(body)),
        "connection": "close",
        **SECURITY_HEADERS,
    }
    lines = [f"HTTP/1.1 {status}", *(f"{name}: {value}" for name, value in headers.items())]
    return "\r\n".join([*lines, "", ""]).encode() + body


class Crowd:
    """Open connections other than WebSockets, the oldest first."""

    def __init__(self, most: int) -> None:
        self.most = most
        self.lines: dict[HttpLine, None] = {}

    def admit(self, line: HttpLine) -> bool:
        """Admit a connection, in place of an idle one if necessary; False when there is no room."""
        if len(self.lines) >= self.most:
            idle = self._idle()
            if idle is None:
                return False
            del self.lines[idle]
            idle.transport.abort()
        self.lines[line] = None
        return True

    def _idle(self) -> HttpLine | None:
        """Oldest idle connection of the source with the most connections."""
        counts = Counter(line.source for line in self.lines if line.is_idle)
        most = max(counts, key=counts.__getitem__, default=None)
        idle = (line for line in self.lines if line.is_idle and line.source == most)
        return next(idle, None)


class HttpLine(H11Protocol):
    """HTTP connection, until it ends or becomes a WebSocket."""

    crowd: Crowd
    """That of the server; set in a class of its own."""

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]  # as in uvicorn
        """Begin, or refuse."""
        super().connection_made(transport)
        self._progress: asyncio.TimerHandle | None = None
        self._cycle_seen: Any = None
        if not self.crowd.admit(self):
            transport.write(
                _answer(
                    "503 Service Unavailable",
                    "too many connections to this table are open: close some, then try again",
                )
            )
            transport.close()
            return
        self._progress = self.loop.call_later(PROGRESS_S, self._check)

    def connection_lost(self, exc: Exception | None) -> None:
        """End."""
        self._leave()
        super().connection_lost(exc)

    @property
    def source(self) -> str:
        """Address of the peer."""
        return self.client[0] if self.client else ""

    @property
    def is_idle(self) -> bool:
        """True if no request is being answered."""
        return self.cycle is None or self.cycle.response_complete

    def handle_websocket_upgrade(self, event: Any) -> None:
        """Hand the connection over to a WebSocket."""
        self._leave()
        super().handle_websocket_upgrade(event)

    def send_400_response(self, msg: str) -> None:
        """Respond to invalid HTTP."""
        self.transport.write(_answer("400 Bad Request", msg))
        self.transport.close()

    def _leave(self) -> None:
        self.crowd.lines.pop(self, None)
        if self._progress is not None:
            self._progress.cancel()
            self._progress = None

    def _check(self) -> None:
        if self.cycle is self._cycle_seen:
            self.transport.abort()
            return
        self._cycle_seen = self.cycle
        self._progress = self.loop.call_later(PROGRESS_S, self._check)


class _Handshake(ServerProtocol):
    """WebSocket handshake with the headers of every response."""

    def send_response(self, response: Response) -> None:
        """Send the response, whatever its status."""
        for name, value in SECURITY_HEADERS.items():
            response.headers.setdefault(name, value)
        super().send_response(response)


class SocketLine(WebSocketsSansIOProtocol):
    """WebSocket connection; once it is over nothing of it stays in memory.

    Text goes on as bytes: what is no UTF-8 is no JSON, and is answered as such.
    """

    handle_text = WebSocketsSansIOProtocol.handle_bytes

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self.conn = _Handshake(
            max_size=self.config.ws_max_size, logger=logging.getLogger("uvicorn.error")
        )

    def on_task_complete(self, task: asyncio.Task[None]) -> None:
        """Clean up after the application has finished."""
        super().on_task_complete(task)
        self.loop.call_later(FAREWELL_S, self._abort)

    def keepalive_timeout(self) -> None:
        """Drop a peer that is gone, or does not read."""
        super().keepalive_timeout()
        self.loop.call_later(FAREWELL_S, self._abort)

    def _abort(self) -> None:
        if not self.disconnected:
            self.transport.abort()

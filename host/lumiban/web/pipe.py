"""The pipe between a table and the process that serves its page: framed messages, both ways.

A message is a length, a kind, a number that pairs answers with questions, and a body.
"""

from __future__ import annotations

import asyncio
import struct
from collections.abc import Callable
from typing import cast

HELLO, VIEW, ANSWER = 1, 2, 3
"""From the table: who it is, with the sentences that its games brought (JSON), a view as the tabs
get it, the answer to a question."""
READY, COMMAND, LOOK, PRESENT = 16, 17, 18, 19
"""From the page: it serves; a command with its role (JSON), a past position, the present view."""

_HEAD = struct.Struct("<IBI")
LONGEST = 64 << 20
"""Bytes of a body from the table; a longer one is none of ours."""
LONGEST_FROM_PAGE = 1 << 16
"""Bytes of a body from the page, which strangers talk to."""


class Line(asyncio.Protocol):
    """One end of the pipe: `heard` is called with (kind, number, body), `lost` once at its end.

    While the other end does not read, views replace one another, so what waits here is bounded
    and the one who sends never waits.
    """

    def __init__(
        self,
        heard: Callable[[int, int, bytes], None],
        lost: Callable[[], None],
        *,
        longest: int = LONGEST,
    ) -> None:
        self._heard = heard
        self._lost = lost
        self._longest = longest
        self._buffer = bytearray()
        self._transport: asyncio.WriteTransport | None = None
        self._is_full = False
        self._view: bytes | None = None

    def send(self, kind: int, number: int = 0, body: bytes = b"") -> None:
        """Send a message; nothing happens after the end."""
        if self._transport is not None:
            self._transport.write(_HEAD.pack(len(body), kind, number) + body)

    def show(self, view: bytes) -> None:
        """Send a view, or let it wait in place of an older one."""
        if self._is_full:
            self._view = view
        else:
            self.send(VIEW, 0, view)

    def close(self) -> None:
        """End the line once all is sent."""
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
        """The other end reads too slowly."""
        self._is_full = True

    def resume_writing(self) -> None:
        """It has caught up: the newest view goes out."""
        self._is_full = False
        view, self._view = self._view, None
        if view is not None:
            self.show(view)

    def data_received(self, data: bytes) -> None:
        """Take messages apart."""
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

"""Visitors of a page who mean no good, in a process of their own: the load of `bench flood`.

    python -m lumiban_lab.visitors URL COUNT

On stdin a line `on` lets them come and `off` sends them away; after `off` one line of JSON counts
what they did. Of every eight, whatever their number, two send wishes as fast as they are read, and
one each sends messages that are too long, sends garbage, opens a socket and never reads, asks for
the view again and again, never ends its headers, and says nothing at all.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import random
import sys
from collections import Counter
from collections.abc import Awaitable, Callable
from typing import cast
from urllib.parse import urlsplit

NICENESS = 5
"""Real visitors have computers of their own."""
HANDSHAKE = (
    "GET {path} HTTP/1.1",
    "Host: {host}",
    "Upgrade: websocket",
    "Connection: Upgrade",
    "Sec-WebSocket-Version: 13",
    "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==",
    "",
    "",
)
WISHES = (
    '{"do": "claim"}',
    '{"do": "confirm"}',
    '{"do": "look", "n": 3}',
    '{"do": "look", "n": 100000}',
    '{"do": "choose", "text": "x"}',
    '{"do": "hint", "level": "control"}',
)
"""None changes what the board shows: a stone's way ends with the light that answers it."""
AGAIN_S = (0.05, 0.5)
"""Before a visitor whose connection ended comes back."""


def frame(text: bytes, opcode: int = 1) -> bytes:
    """A masked WebSocket frame, with a mask of zeros."""
    size = len(text)
    if size < 126:
        head = bytes([0x80 | opcode, 0x80 | size])
    elif size < 1 << 16:
        head = bytes([0x80 | opcode, 0x80 | 126]) + size.to_bytes(2, "big")
    else:
        head = bytes([0x80 | opcode, 0x80 | 127]) + size.to_bytes(8, "big")
    return head + bytes(4) + text


class Visitors:
    """So many at once, for as long as `stay` is not cancelled."""

    def __init__(self, url: str, count: int) -> None:
        self.count = count
        self.done: Counter[str] = Counter()
        parts = urlsplit(url)
        self._host, self._port = parts.hostname or "", parts.port or 80
        self._name = parts.netloc
        self._chance = random.Random(1)

    async def stay(self) -> None:
        """Come, do harm, and come again."""
        sorts = (
            self._wishes, self._wishes, self._too_long, self._garbage, self._never_reads,
            self._asks, self._endless_headers, self._silent,
        )  # fmt: skip
        await asyncio.gather(*(self._visit(sorts[n % len(sorts)]) for n in range(self.count)))

    async def _visit(
        self, act: Callable[[asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]]
    ) -> None:
        while True:
            with contextlib.suppress(OSError, asyncio.IncompleteReadError):
                reader, writer = await asyncio.open_connection(self._host, self._port)
                self.done["connections"] += 1
                try:
                    await act(reader, writer)
                finally:
                    writer.transport.abort()
            await asyncio.sleep(self._chance.uniform(*AGAIN_S))

    async def _shake(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> bool:
        path = self._chance.choice(("/ws", "/ws?tab=x", "/ws?watch=1"))
        writer.write("\r\n".join(HANDSHAKE).format(path=path, host=self._name).encode())
        answer = await reader.readuntil(b"\r\n\r\n")
        is_open = b" 101 " in answer[:16]
        self.done["sockets" if is_open else "refused"] += 1
        return is_open

    async def _send(self, writer: asyncio.StreamWriter, frames: bytes, count: int) -> None:
        writer.write(frames)
        await writer.drain()
        self.done["messages"] += count

    async def _wishes(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        if await self._shake(reader, writer):
            reading = asyncio.create_task(self._read(reader))
            many = b"".join(frame(wish.encode()) for wish in WISHES)
            try:
                while not reading.done():
                    await self._send(writer, many, len(WISHES))
            finally:
                reading.cancel()

    async def _read(self, reader: asyncio.StreamReader) -> None:
        with contextlib.suppress(OSError):
            while await reader.read(1 << 16):
                pass

    async def _too_long(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        if await self._shake(reader, writer):
            for size in (4097, 65_000, 1 << 20):
                await self._send(writer, frame(b"[" * size), 1)
            await self._read(reader)

    async def _garbage(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        if await self._shake(reader, writer):
            for _ in range(50):
                text = "".join(self._chance.choices('{}[]":,do0 ', k=40))
                await self._send(writer, frame(text.encode()), 1)
            await self._send(writer, self._chance.randbytes(400), 1)
            await self._read(reader)

    async def _never_reads(
        self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> None:
        if await self._shake(reader, writer):
            cast(asyncio.Transport, writer.transport).pause_reading()
            while True:
                await self._send(writer, frame(b"", 9), 1)  # a ping, whose pong waits as well
                await asyncio.sleep(0.02)  # so fast a rude visitor sends

    async def _asks(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        request = f"GET /api/view HTTP/1.1\r\nHost: {self._name}\r\n\r\n".encode()
        while True:
            await self._send(writer, request, 1)
            head = await reader.readuntil(b"\r\n\r\n")
            size = head.lower().partition(b"content-length: ")[2].partition(b"\r\n")[0]
            await reader.readexactly(int(size or 0))

    async def _endless_headers(
        self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> None:
        writer.write(b"GET / HTTP/1.1\r\n")
        while True:
            await self._send(writer, b"X-More: x\r\n", 1)
            await asyncio.sleep(0.1)  # so slow: its request never ends

    async def _silent(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.read()


async def _obey(url: str, count: int) -> None:
    visitors = Visitors(url, count)
    orders = asyncio.StreamReader()
    await asyncio.get_running_loop().connect_read_pipe(
        lambda: asyncio.StreamReaderProtocol(orders), sys.stdin
    )
    staying: asyncio.Task[None] | None = None
    while order := (await orders.readline()).strip():
        if order == b"on":
            visitors.done.clear()
            staying = asyncio.create_task(visitors.stay())
        elif staying is not None:
            staying.cancel()
            await asyncio.gather(staying, return_exceptions=True)
            staying = None
            print(json.dumps(visitors.done), flush=True)


if __name__ == "__main__":
    os.nice(NICENESS)
    asyncio.run(_obey(sys.argv[1], int(sys.argv[2])))

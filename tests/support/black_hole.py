"""A proxy on this machine that can become a black hole: it accepts, reads, and forwards nothing."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager


class BlackHole:
    """Forwards bytes to `port` until `is_dark`; what it took meanwhile never arrives."""

    def __init__(self, port: int) -> None:
        self._port = port
        self.is_dark = False
        self.accepted = 0
        self.port = 0
        self._tasks: set[asyncio.Task[None]] = set()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}/"

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.accepted += 1
        if self.is_dark:  # who came in the dark stays in it
            while await reader.read(1 << 16):
                pass
            return
        inner, outer = await asyncio.open_connection("127.0.0.1", self._port)
        ways = [self._forward(reader, outer), self._forward(inner, writer)]
        with contextlib.suppress(ConnectionError):
            await asyncio.gather(*ways)

    async def _forward(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        was_dark = False
        while data := await reader.read(1 << 16):
            was_dark |= self.is_dark
            if not was_dark:
                writer.write(data)
                await writer.drain()
        if not was_dark:
            writer.close()

    async def __call__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.ensure_future(self._serve(reader, writer))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        try:
            await task
        except (asyncio.CancelledError, ConnectionError):
            pass
        finally:
            writer.close()

    def end(self) -> None:
        for task in tuple(self._tasks):
            task.cancel()


@asynccontextmanager
async def black_hole_to(port: int) -> AsyncIterator[BlackHole]:
    """A proxy to a port of this machine, until the block ends."""
    proxy = BlackHole(port)
    server = await asyncio.start_server(proxy, "127.0.0.1", 0)
    proxy.port = server.sockets[0].getsockname()[1]
    try:
        yield proxy
    finally:
        server.close()
        proxy.end()

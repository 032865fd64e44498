"""Serves the web application from inside a running asyncio loop, on a port that is free."""

from __future__ import annotations

import asyncio
import contextlib
import errno
import socket
import sys
from collections.abc import Iterator
from typing import Any

from lumiban.errors import LumibanError

PORT = 8700
"""The first port that is tried."""
PORTS_TRIED = 32
LONGEST_FRAME = 1 << 16
"""A WebSocket message above this closes the line (1009) before it fills any memory."""


class Served:
    """A page that is being served at `url` until `close`."""

    def __init__(self, url: str, port: int, server: Any, task: asyncio.Task[None]) -> None:
        self.url = url
        self.port = port
        self._server = server
        self._task = task

    async def close(self) -> None:
        """Say goodbye to all tabs and give the port back."""
        self._server.should_exit = True
        await self._task


def free_socket(host: str, port: int, tries: int = PORTS_TRIED) -> socket.socket:
    """A socket bound to the first free port from `port` on (0: any); LumibanError when none is.

    >>> first = free_socket("127.0.0.1", 0)
    >>> taken = first.getsockname()[1]
    >>> second = free_socket("127.0.0.1", taken)
    >>> second.getsockname()[1] > taken
    True
    >>> first.close(); second.close()
    """
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    last = min(port + max(tries, 1), 65536)
    for candidate in range(port, last):
        sock = socket.socket(family, socket.SOCK_STREAM)
        if sys.platform != "win32":  # there it would let two servers share a port
            sock.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            sock.bind((host, candidate))
            sock.listen(128)  # a second bind of an idle port only fails once somebody listens
        except OSError as fault:
            sock.close()
            if fault.errno in (errno.EADDRINUSE, errno.EACCES):
                continue
            raise LumibanError(f"cannot serve on {host}: {fault.strerror}") from None
        sock.setblocking(False)
        return sock
    raise LumibanError(f"ports {port} to {last - 1} on {host} are all taken: choose another port")


async def serve(app: Any, *, host: str = "127.0.0.1", port: int = PORT) -> Served:
    """Serve the ASGI application `app` and return once it answers; LumibanError: no free port.

    It runs as a task of the running loop and leaves signals to the caller.
    """
    import uvicorn

    started = asyncio.Event()

    class Server(uvicorn.Server):
        @contextlib.contextmanager
        def capture_signals(self) -> Iterator[None]:
            yield  # Ctrl-C belongs to the command, which closes us

        async def startup(self, sockets: list[socket.socket] | None = None) -> None:
            await super().startup(sockets)
            started.set()

    sock = free_socket(host, port)
    bound: int = sock.getsockname()[1]
    server = Server(
        uvicorn.Config(
            app,
            log_config=None,
            access_log=False,
            log_level="warning",
            lifespan="off",
            ws="websockets-sansio",
            ws_max_size=LONGEST_FRAME,
            server_header=False,
            timeout_graceful_shutdown=2,
        )
    )
    task = asyncio.create_task(server.serve(sockets=[sock]), name="page")
    await started.wait()
    shown = f"[{host}]" if ":" in host else host
    return Served(f"http://{shown}:{bound}/", bound, server, task)

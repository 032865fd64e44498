"""Server of the web application inside a running asyncio loop, on a free port."""

from __future__ import annotations

import asyncio
import contextlib
import errno
import importlib
import socket
import sys
from collections.abc import Iterator
from types import ModuleType
from typing import Any

from lumiban.errors import LumibanError

PORT = 8700
"""The first port that is tried."""
PORTS_TRIED = 32
MAX_FRAME = 1 << 16
"""A WebSocket message above this closes the line (1009) before it fills any memory."""
RECEIVE_BYTES = 1 << 14
SEND_BYTES = 1 << 16
"""Bytes that the system may hold for one connection, either way: a flood is read in small bites."""
MAX_CONNECTIONS = 128
"""Open at once beside the WebSockets: a browser takes up to six for one page."""
BACKLOG = 64
"""Connections that are taken in at one go."""


class Served:
    """Page that is served at `url` until `close`."""

    def __init__(self, url: str, port: int, server: Any, task: asyncio.Task[None]) -> None:
        self.url = url
        self.port = port
        self._server = server
        self._task = task

    async def close(self) -> None:
        """Release the port, then close all tabs."""
        for listening in self._server.servers:
            listening.close()
        self._server.should_exit = True
        await self._task


def free_socket(host: str, port: int, tries: int = PORTS_TRIED) -> socket.socket:
    """Socket bound to the first free port from `port` on (0: any); LumibanError when none is.

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
        # By name: asyncio sends at once (TCP_NODELAY) only on what is known to be TCP.
        sock = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
        if sys.platform != "win32":  # there it would let two servers share a port
            sock.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        # Connections inherit these.
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, RECEIVE_BYTES)
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, SEND_BYTES)
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


def url_of(sock: socket.socket, *, is_private: bool = False) -> str:
    """Address under which a listening socket is reached; `is_private`: by TLS."""
    host, port = sock.getsockname()[:2]
    scheme = "https" if is_private else "http"
    return f"{scheme}://[{host}]:{port}/" if ":" in host else f"{scheme}://{host}:{port}/"


def _without_command_line() -> None:
    """Import uvicorn without its command line: click and more, 1.5 MB and 30 ms that no page needs.
    All else that its head takes from there is the server's."""

    class Main(ModuleType):
        def __getattr__(self, name: str) -> Any:
            if name.startswith("__"):
                raise AttributeError(name)
            return getattr(importlib.import_module("uvicorn.server"), name, None)

    sys.modules.setdefault("uvicorn.main", Main("uvicorn.main"))


async def serve(app: Any, *, host: str = "127.0.0.1", port: int = PORT) -> Served:
    """Serve the ASGI application `app` and return once it answers; LumibanError: no free port."""
    return await serve_on(free_socket(host, port), app)


async def serve_on(
    sock: socket.socket,
    app: Any,
    *,
    most_connections: int | None = None,
    certificate: str = "",
    key: str = "",
) -> Served:
    """Serve `app` on a listening socket and return once it answers.

    It runs as a task of the running loop and leaves signals to the caller. Beside WebSockets,
    which `app` counts, at most `most_connections` are open. With the files `certificate` and `key`
    by TLS.
    """
    _without_command_line()
    import uvicorn

    from lumiban.web.connections import Crowd, HttpLine, SocketLine

    class CrowdedHttp(HttpLine):
        crowd = Crowd(MAX_CONNECTIONS if most_connections is None else most_connections)

    started = asyncio.Event()

    class Server(uvicorn.Server):
        @contextlib.contextmanager
        def capture_signals(self) -> Iterator[None]:
            yield  # Ctrl-C belongs to the command, which closes us

        async def startup(self, sockets: list[socket.socket] | None = None) -> None:
            await super().startup(sockets)
            started.set()

    server = Server(
        uvicorn.Config(
            app,
            http=CrowdedHttp,
            ws=SocketLine,
            ws_max_size=MAX_FRAME,
            ws_per_message_deflate=False,  # a view is packed once, not once a tab
            log_config=None,
            access_log=False,
            log_level="error",  # what strangers send is answered; it fills no log
            lifespan="off",
            backlog=BACKLOG,
            proxy_headers=False,
            server_header=False,
            timeout_graceful_shutdown=2,
            ssl_certfile=certificate or None,
            ssl_keyfile=key or None,
        )
    )
    task = asyncio.create_task(server.serve(sockets=[sock]), name="page")
    await started.wait()
    url = url_of(sock, is_private=bool(certificate))
    return Served(url, sock.getsockname()[1], server, task)

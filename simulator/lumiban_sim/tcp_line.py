"""The port of a simulated board as a TCP socket of this machine, where there is no pty."""

from __future__ import annotations

import asyncio
import contextlib
import socket
from collections.abc import Callable

from lumiban_sim.pty_line import CHUNK, ROOM


class TcpLine:
    """The board's end of a TCP connection on 127.0.0.1; the transport of a chip, like `PtyLine`.

    `path` is what the host opens (`socket://127.0.0.1:PORT`, a URL of pyserial's), "" while the
    cable is out. One host at a time is served: another one is hung up on. OSError when the port
    is taken.
    """

    def __init__(self, heard: Callable[[], None], port: int = 0) -> None:
        self._heard = heard
        self._in = bytearray()
        self._out = bytearray()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._host: socket.socket | None = None
        self._is_stuck = False
        self._port = port
        self._listen()

    def _listen(self) -> None:
        self._door = socket.create_server(("127.0.0.1", self._port), backlog=1)
        self._door.setblocking(False)
        self._port = self._door.getsockname()[1]
        self.path = f"socket://127.0.0.1:{self._port}"

    def open(self) -> None:
        """Listen from now on."""
        self._loop = asyncio.get_running_loop()
        self._loop.add_reader(self._door, self._knocked)

    def close(self) -> None:
        """Hang up for good."""
        self.unplug()
        self._loop = None

    def unplug(self) -> None:
        """Pull the cable: the host is hung up on, what was under way is lost."""
        if not self.path:
            return
        self._hang_up()
        if self._loop is not None:
            self._loop.remove_reader(self._door)
        self._door.close()
        self.path = ""

    def plug(self) -> None:
        """Put the cable back in, at the same port."""
        if not self.path and self._loop is not None:
            self._listen()
            self._loop.add_reader(self._door, self._knocked)

    def _knocked(self) -> None:
        with contextlib.suppress(BlockingIOError, ConnectionError):
            guest, _ = self._door.accept()
            if self._host is not None or self._loop is None:
                guest.close()
                return
            guest.setblocking(False)
            guest.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            self._host = guest
            self._loop.add_reader(guest, self._readable)

    def _hang_up(self) -> None:
        if self._host is not None:
            if self._loop is not None:
                self._loop.remove_reader(self._host)
                self._loop.remove_writer(self._host)
            self._host.close()
        self._host = None
        self._is_stuck = False
        self._in.clear()
        self._out.clear()

    def _readable(self) -> None:
        assert self._host is not None
        try:
            data = self._host.recv(CHUNK)
        except BlockingIOError:
            return
        except OSError:
            data = b""
        if data:
            self._in += data
            self._heard()
        else:
            self._hang_up()

    def waiting(self) -> bool:
        """Whether bytes from the host are there."""
        return bool(self._in)

    def read(self) -> bytes:
        """Bytes from the host."""
        data = bytes(self._in)
        self._in.clear()
        return data

    def room(self) -> int:
        """How much the board may send now; 0 while no host is there."""
        return ROOM - len(self._out) if self._host is not None else 0

    def write(self, data: bytes) -> None:
        """Send; what the kernel does not take at once follows when it does."""
        if self._host is not None:
            self._out += data
            if not self._is_stuck:
                self._flush()

    def _flush(self) -> None:
        if self._host is None:
            return
        try:
            sent = self._host.send(self._out) if self._out else 0
        except BlockingIOError:
            sent = 0
        except OSError:
            self._hang_up()
            return
        del self._out[:sent]
        is_stuck = bool(self._out)
        if is_stuck != self._is_stuck and self._loop is not None:
            self._is_stuck = is_stuck
            if is_stuck:
                self._loop.add_writer(self._host, self._flush)
            else:
                self._loop.remove_writer(self._host)

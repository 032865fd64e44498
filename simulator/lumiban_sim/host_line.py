"""The line from a simulated board to its host: a pseudo-terminal, or a TCP socket without one."""

from __future__ import annotations

import asyncio
import contextlib
import errno
import os
import socket
import tty
from abc import ABC, abstractmethod
from collections.abc import Callable

ROOM = 2048
"""Bytes that the board may have under way beyond what the kernel holds."""
CHUNK = 4096


class HostLine(ABC):
    """The board's end of a line, never blocking; the transport of a chip.

    `path` is what the host opens, "" while the cable is out. `heard` is called whenever bytes
    came. Call `open` in the running loop. `unplug` hangs up; `plug` is there again.
    """

    path: str

    def __init__(self, heard: Callable[[], None]) -> None:
        self._heard = heard
        self._in = bytearray()
        self._out = bytearray()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._end: int | None = None
        """Descriptor to a host, None where there is none."""
        self._is_stuck = False
        self._make()

    @abstractmethod
    def _make(self) -> None:
        """Make what a host opens, and its `path`."""

    @abstractmethod
    def _listen(self) -> None:
        """Watch it in the loop."""

    @abstractmethod
    def _close_end(self) -> None:
        """Close the descriptor to the host."""

    @abstractmethod
    def _on_lost(self, error: OSError | None) -> None:
        """Nobody is at the other end (any more): by an error, or by an end of its bytes."""

    def open(self) -> None:
        """Listen from now on."""
        self._loop = asyncio.get_running_loop()
        self._listen()

    def close(self) -> None:
        """Hang up for good."""
        self.unplug()
        self._loop = None

    def unplug(self) -> None:
        """Pull the cable: the host is hung up on, what was under way is lost."""
        self._hang_up()
        self.path = ""

    def plug(self) -> None:
        """Put the cable back in."""
        if not self.path and self._loop is not None:
            self._make()
            self._listen()

    def waiting(self) -> bool:
        """True if bytes from the host are there."""
        return bool(self._in)

    def read(self) -> bytes:
        """Bytes from the host."""
        data = bytes(self._in)
        self._in.clear()
        return data

    def room(self) -> int:
        """Number of bytes that the board may send now; 0 while no host reads or the cable is
        out."""
        return ROOM - len(self._out) if self._end is not None else 0

    def write(self, data: bytes) -> None:
        """Send; what the kernel does not take at once follows when it does."""
        if self._end is not None:
            self._out += data
            if not self._is_stuck:
                self._flush()

    def _hang_up(self) -> None:
        if self._end is None:
            return
        if self._loop is not None:
            self._loop.remove_reader(self._end)
            self._loop.remove_writer(self._end)
        self._close_end()
        self._end = None
        self._is_stuck = False
        self._in.clear()
        self._out.clear()

    def _readable(self) -> None:
        assert self._end is not None
        try:
            data = os.read(self._end, CHUNK)
        except BlockingIOError:
            return
        except OSError as error:
            self._on_lost(error)
            return
        if data:
            self._in += data
            self._heard()
        else:
            self._on_lost(None)

    def _flush(self) -> None:
        assert self._end is not None
        sent = 0
        try:
            sent = os.write(self._end, self._out) if self._out else 0
        except BlockingIOError:
            pass
        except OSError as error:
            self._on_lost(error)
        if self._end is None:
            return
        del self._out[:sent]
        is_stuck = bool(self._out)
        if is_stuck != self._is_stuck and self._loop is not None:
            self._is_stuck = is_stuck
            if is_stuck:
                self._loop.add_writer(self._end, self._flush)
            else:
                self._loop.remove_writer(self._end)


class PtyLine(HostLine):
    """A raw pseudo-terminal that a host opens like any serial port.

    A descriptor of the host's end stays open here, so that a host may come and go. After `plug`
    it is another one, as a device comes back under another name.
    """

    def _make(self) -> None:
        self._end, self._slave = os.openpty()
        self.path = os.ttyname(self._slave)
        tty.setraw(self._slave)
        os.set_blocking(self._end, False)

    def _listen(self) -> None:
        assert self._loop is not None
        assert self._end is not None
        self._loop.add_reader(self._end, self._readable)

    def _close_end(self) -> None:
        assert self._end is not None
        os.close(self._end)
        os.close(self._slave)

    def _on_lost(self, error: OSError | None) -> None:
        # Whoever had the other end closed it; our own descriptor makes that rare.
        if error is not None and error.errno != errno.EIO:
            raise error
        self._out.clear()  # lost, as on a pulled plug


class TcpLine(HostLine):
    """A TCP socket on 127.0.0.1, where there is no pty: `socket://127.0.0.1:PORT`, a URL of
    pyserial's.

    One host at a time is served: another one is hung up on. After `plug` it is at the same port.
    OSError when the port is taken.
    """

    def __init__(self, heard: Callable[[], None], port: int = 0) -> None:
        self._port = port
        self._host: socket.socket | None = None
        super().__init__(heard)

    def unplug(self) -> None:
        """Pull the cable: the host is hung up on, and nobody can come."""
        super().unplug()
        if self._loop is not None and self._door.fileno() >= 0:
            self._loop.remove_reader(self._door)
        self._door.close()

    def _make(self) -> None:
        self._door = socket.create_server(("127.0.0.1", self._port), backlog=1)
        self._door.setblocking(False)
        self._port = self._door.getsockname()[1]
        self.path = f"socket://127.0.0.1:{self._port}"

    def _listen(self) -> None:
        assert self._loop is not None
        self._loop.add_reader(self._door, self._knocked)

    def _knocked(self) -> None:
        with contextlib.suppress(BlockingIOError, ConnectionError):
            guest, _ = self._door.accept()
            if self._host is not None or self._loop is None:
                guest.close()
                return
            guest.setblocking(False)
            guest.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            self._host, self._end = guest, guest.fileno()
            self._loop.add_reader(self._end, self._readable)

    def _close_end(self) -> None:
        assert self._host is not None
        self._host.close()
        self._host = None

    def _on_lost(self, error: OSError | None) -> None:
        self._hang_up()

"""The serial port of a simulated board: a pseudo-terminal that a host opens like any other."""

from __future__ import annotations

import asyncio
import errno
import os
import tty
from collections.abc import Callable

ROOM = 2048
"""Bytes that the board may have under way beyond what the kernel holds."""
CHUNK = 4096


class PtyLine:
    """The board's end of a pty, raw and never blocking; the transport of a chip.

    `path` is what the host opens, "" while the cable is out. A descriptor of that end stays open
    here, so that a host may come and go. `heard` is called whenever bytes came. Call `open` in the
    running loop. `unplug` hangs up; `plug` is there again, as another pty.
    """

    def __init__(self, heard: Callable[[], None]) -> None:
        self._heard = heard
        self._in = bytearray()
        self._out = bytearray()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._stuck = False
        self._make()

    def _make(self) -> None:
        self._master, self._slave = os.openpty()
        self.path = os.ttyname(self._slave)
        tty.setraw(self._slave)
        os.set_blocking(self._master, False)

    def open(self) -> None:
        """Listen from now on."""
        self._loop = asyncio.get_running_loop()
        self._loop.add_reader(self._master, self._readable)

    def close(self) -> None:
        """Hang up for good."""
        self.unplug()
        self._loop = None

    def unplug(self) -> None:
        """Pull the cable: the host is hung up on, what was under way is lost."""
        if not self.path:
            return
        if self._loop is not None:
            self._loop.remove_reader(self._master)
            self._loop.remove_writer(self._master)
        os.close(self._master)
        os.close(self._slave)
        self.path = ""
        self._stuck = False
        self._in.clear()
        self._out.clear()

    def plug(self) -> None:
        """Put the cable back in: another pty, as a device comes back under another name."""
        if not self.path and self._loop is not None:
            self._make()
            self._loop.add_reader(self._master, self._readable)

    def _readable(self) -> None:
        try:
            data = os.read(self._master, CHUNK)
        except OSError as error:
            # EIO: whoever had the other end closed it; our own descriptor makes that rare.
            if error.errno in (errno.EIO, errno.EAGAIN):
                return
            raise
        if data:
            self._in += data
            self._heard()

    def waiting(self) -> bool:
        """Whether bytes from the host are there."""
        return bool(self._in)

    def read(self) -> bytes:
        """Bytes from the host."""
        data = bytes(self._in)
        self._in.clear()
        return data

    def room(self) -> int:
        """How much the board may send now; 0 while no host reads or the cable is out."""
        return ROOM - len(self._out) if self.path else 0

    def write(self, data: bytes) -> None:
        """Send; what the kernel does not take at once follows when it does."""
        self._out += data
        if not self._stuck:
            self._flush()

    def _flush(self) -> None:
        try:
            sent = os.write(self._master, self._out) if self._out else 0
        except BlockingIOError:
            sent = 0
        except OSError as error:
            if error.errno != errno.EIO:
                raise
            sent = len(self._out)  # nobody has the other end: lost, as on a pulled plug
        del self._out[:sent]
        stuck = bool(self._out)
        if stuck != self._stuck and self._loop is not None:
            self._stuck = stuck
            if stuck:
                self._loop.add_writer(self._master, self._flush)
            else:
                self._loop.remove_writer(self._master)

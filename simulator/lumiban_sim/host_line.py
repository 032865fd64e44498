"""The line from a simulated board to its host: a pseudo-terminal."""

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
    """A raw pseudo-terminal that a host opens like any serial port; the transport of a chip, never
    blocking.

    `path` is what the host opens, "" while the cable is out. `heard` is called whenever bytes
    came. Call `open` in the running loop. `unplug` hangs up. A descriptor of the host's end stays
    open here, so that a host may come and go. After `plug` it is another one, as a device comes
    back under another name.
    """

    def __init__(self, heard: Callable[[], None]) -> None:
        self._heard = heard
        self._in = bytearray()
        self._out = bytearray()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._end: int | None
        """Descriptor to a host, None while the cable is out."""
        self._is_stuck = False
        self._make()

    def _make(self) -> None:
        self._end, self._slave = os.openpty()
        self.path = os.ttyname(self._slave)
        tty.setraw(self._slave)
        os.set_blocking(self._end, False)

    def _listen(self) -> None:
        assert self._loop is not None
        assert self._end is not None
        self._loop.add_reader(self._end, self._readable)

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
        self.path = ""
        if self._end is None:
            return
        if self._loop is not None:
            self._loop.remove_reader(self._end)
            self._loop.remove_writer(self._end)
        os.close(self._end)
        os.close(self._slave)
        self._end = None
        self._is_stuck = False
        self._in.clear()
        self._out.clear()

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

    def _readable(self) -> None:
        assert self._end is not None
        try:
            data = os.read(self._end, CHUNK)
        except BlockingIOError:
            return
        except OSError as error:
            self._on_lost(error)
            return
        self._in += data
        self._heard()

    def _flush(self) -> None:
        assert self._end is not None
        sent = 0
        try:
            sent = os.write(self._end, self._out) if self._out else 0
        except BlockingIOError:
            pass
        except OSError as error:
            self._on_lost(error)
        del self._out[:sent]
        is_stuck = bool(self._out)
        if is_stuck != self._is_stuck and self._loop is not None:
            self._is_stuck = is_stuck
            if is_stuck:
                self._loop.add_writer(self._end, self._flush)
            else:
                self._loop.remove_writer(self._end)

    def _on_lost(self, error: OSError) -> None:
        # The other end was closed; our own descriptor makes that rare.
        if error.errno != errno.EIO:
            raise error
        self._out.clear()  # lost, as on a pulled plug

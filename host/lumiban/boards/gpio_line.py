"""The serial line of a board on the header: a pseudo-terminal, as a host opens any board's port."""

from __future__ import annotations

import errno
import os
import select
import tty

ROOM = 2048
"""Bytes that may be under way beyond what the system holds."""
CHUNK = 4096


class PtyEnd:
    """The board's end, never blocking; `path` is what the host opens.

    A descriptor of the host's end stays open here, so that hosts may come and go. `wait` sleeps
    until bytes come, or something can be read from `also`.
    """

    def __init__(self, also: int = -1) -> None:
        self._also = also
        self._master, self._slave = os.openpty()
        self.path = os.ttyname(self._slave)
        tty.setraw(self._slave)
        os.set_blocking(self._master, False)
        self._out = bytearray()

    def close(self) -> None:
        """Hang up."""
        os.close(self._master)
        os.close(self._slave)

    def give_to(self, user: int) -> None:
        """Let this user open the port, where we run as root."""
        os.chown(self.path, user, -1)

    def read(self) -> bytes:
        """Bytes from the host; b"" when none came."""
        try:
            return os.read(self._master, CHUNK)
        except OSError as error:
            if error.errno in (errno.EAGAIN, errno.EIO):
                return b""
            raise

    def room(self) -> int:
        """How much may be written now; 0 while no host reads."""
        self._flush()
        return ROOM - len(self._out)

    def write(self, data: bytes) -> None:
        """Send; what the system does not take at once follows when it does."""
        self._out += data
        self._flush()

    def _flush(self) -> None:
        if not self._out:
            return
        try:
            sent = os.write(self._master, self._out)
        except BlockingIOError:
            return
        except OSError as error:
            if error.errno != errno.EIO:
                raise
            sent = len(self._out)  # nobody has the other end: lost, as on a pulled plug
        del self._out[:sent]

    def wait(self, for_us: int) -> bool:
        """Sleep for so long at most; whether `also` is to be looked at."""
        watched = [self._master] if self._also < 0 else [self._master, self._also]
        ready, _, _ = select.select(watched, [], [], max(for_us, 0) / 1e6)
        return self._also in ready

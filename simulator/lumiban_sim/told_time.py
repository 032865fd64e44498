"""A simulated board's own time in a small file, for hosts of a board that is slower than the world.

An emulated chip needs half a minute for a second. Whoever plays on it must count as it does: its
process keeps `Teller` up to date, and its host reads `PublishedTime` in place of a clock.
"""

from __future__ import annotations

import mmap
import os
from contextlib import suppress
from pathlib import Path

BYTES = 8


class Teller:
    """Tells a time by the file `path`, which is there until `close`; OSError.

    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     teller = Teller(Path(folder) / "clock")
    ...     told = PublishedTime(Path(folder) / "clock")
    ...     teller.tell(1_500)
    ...     first = told()
    ...     teller.tell(2_500)
    ...     first, told()
    (1500, 2500)
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        path.unlink(missing_ok=True)
        handle = os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600)
        try:
            os.ftruncate(handle, BYTES)
            self._time = memoryview(mmap.mmap(handle, BYTES)).cast("Q")
        finally:
            os.close(handle)

    def tell(self, now_us: int) -> None:
        """It is so late, µs; never earlier than before."""
        self._time[0] = now_us

    def close(self) -> None:
        """Take the file away; who reads it goes on reading the last time."""
        with suppress(OSError):
            self.path.unlink(missing_ok=True)


class PublishedTime:
    """The time that is told by a file, µs, when called; OSError or ValueError when it is none."""

    def __init__(self, path: Path) -> None:
        handle = os.open(path, os.O_RDONLY)
        try:
            whole = mmap.mmap(handle, BYTES, prot=mmap.PROT_READ)
            self._time = memoryview(whole).cast("Q")
        finally:
            os.close(handle)

    def __call__(self) -> int:
        """The time that was published last, µs."""
        return self._time[0]

"""The small files by which others find a running simulator and read its clock.

An emulated chip needs half a minute for a second. Whoever plays on it must count as it does: its
process keeps `Teller` up to date, and its host reads `PublishedTime` in place of a clock.
"""

from __future__ import annotations

import json
import mmap
import os
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path

from lumiban import process_id

PREFIX = "simulator-"


@dataclass(frozen=True, slots=True)
class Descriptor:
    """A `sim` process: its id, serial port, address for hands (with token), profile, uid, and the
    seed that makes the same board again (−1: unknown); `clock` is the file that tells its time
    (`PublishedTime`), where that is not everybody's. Process ids are given again, after a reboot
    for sure; `born` tells this process from others of its id (`process_id.birth`)."""

    pid: int
    port: str
    hands: str
    token: str
    profile: str
    uid: str
    seed: int = -1
    clock: str = ""
    born: str = ""

    def text(self) -> str:
        """One line of JSON."""
        return json.dumps(asdict(self))

    def write(self, folder: Path) -> Path:
        """Write it whole or not at all, readable by its owner only; OSError."""
        path = folder / f"{PREFIX}{self.pid}.json"
        beside = path.with_suffix(".new")
        beside.unlink(missing_ok=True)
        with os.fdopen(os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as file:
            file.write(self.text() + "\n")
        beside.replace(path)
        return path


def running(folder: Path) -> list[Descriptor]:
    """The simulators that run now, by their files; files of dead ones are removed."""
    found = []
    for path in sorted(folder.glob(f"{PREFIX}*.json")):
        try:
            descriptor = Descriptor(**json.loads(path.read_text("utf-8")))
        except (OSError, ValueError, TypeError):
            continue
        if process_id.still_runs(descriptor.pid, descriptor.born):
            found.append(descriptor)
        else:
            path.unlink(missing_ok=True)
    return found


# The board's own time.

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

"""The small files by which others find a simulator; each is locked as long as that runs."""

from __future__ import annotations

import json
import os
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path

from lumiban.system import size_limits
from lumiban.system.disk import DISK

PREFIX = "simulator-"


@dataclass(frozen=True, slots=True)
class Descriptor:
    """A `sim` process: its id, serial port, address for hands (with token), profile, uid, and the
    seed that makes the same board again (−1: unknown). `parent` is the process that it was started
    for; 0: none."""

    pid: int
    port: str
    hands: str
    token: str
    profile: str
    uid: str
    seed: int = -1
    parent: int = 0

    def text(self) -> str:
        """One line of JSON."""
        return json.dumps(asdict(self))

    def path(self, folder: Path) -> Path:
        """Its file in a state folder."""
        return folder / f"{PREFIX}{self.pid}.json"

    def write(self, folder: Path) -> int:
        """Write it whole or not at all, readable by its owner only; the file, which is locked until
        it is closed. OSError."""
        beside = self.path(folder).with_suffix(".new")
        beside.unlink(missing_ok=True)
        file = os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        DISK.lock(file)  # before anybody can see it
        DISK.write(file, f"{self.text()}\n".encode())
        beside.replace(self.path(folder))
        return file


def running(folder: Path) -> list[Descriptor]:
    """The simulators that run now, by their files; files of dead ones are removed."""
    descriptors = []
    for path in sorted(folder.glob(f"{PREFIX}*.json")):
        with suppress(OSError, ValueError, TypeError), path.open("rb") as file:
            if DISK.lock(file.fileno()):
                path.unlink()
            else:
                descriptors.append(Descriptor(**size_limits.from_json(size_limits.read(path))))
    return descriptors

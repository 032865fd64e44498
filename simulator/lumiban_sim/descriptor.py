"""The small files by which others find a running simulator."""

from __future__ import annotations

import json
import os
from dataclasses import asdict, dataclass
from pathlib import Path

from lumiban.system import processes, size_limits

PREFIX = "simulator-"


@dataclass(frozen=True, slots=True)
class Descriptor:
    """A `sim` process: its id, serial port, address for hands (with token), profile, uid, and the
    seed that makes the same board again (−1: unknown). Process ids are given again, after a reboot
    for sure; `born` tells this process from others of its id (`processes.birth`). `parent` is the
    process that it was started for; 0: none."""

    pid: int
    port: str
    hands: str
    token: str
    profile: str
    uid: str
    seed: int = -1
    born: str = ""
    parent: int = 0

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
    descriptors = []
    for path in sorted(folder.glob(f"{PREFIX}*.json")):
        try:
            document = size_limits.from_json(size_limits.read(path))
            document.pop("clock", None)  # of an older version
            descriptor = Descriptor(**document)
        except (OSError, ValueError, TypeError, AttributeError):
            continue
        if processes.still_runs(descriptor.pid, descriptor.born):
            descriptors.append(descriptor)
        else:
            path.unlink(missing_ok=True)
    return descriptors

"""The small files by which others find a simulator."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from lumiban.system import locked_file

PREFIX = "simulator-"


@dataclass(frozen=True, slots=True)
class Descriptor:
    """A `sim` process: its serial port, address for hands, profile, the board's uid, the process's
    id, and the seed that makes the same board again (−1: unknown). `parent` is the process that it
    was started for; 0: none."""

    port: str
    hands: str
    profile: str
    uid: str
    pid: int = 0
    seed: int = -1
    parent: int = 0

    def path(self, folder: Path) -> Path:
        """Its file in a state folder."""
        return folder / f"{PREFIX}{self.pid}.json"


def running(folder: Path) -> list[Descriptor]:
    """The simulators that run now, by their files."""
    return locked_file.found(folder, PREFIX, Descriptor)

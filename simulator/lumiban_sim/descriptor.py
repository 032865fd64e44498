"""The small files by which others find a simulator."""

from __future__ import annotations

from pathlib import Path

from lumiban.system import processes
from lumiban.system.processes import RunningSimulator

PREFIX = "simulator-"


def path_of(folder: Path, about: RunningSimulator) -> Path:
    """The file of a simulator in a state folder."""
    return folder / f"{PREFIX}{about.pid}-{about.uid}.json"


def running(folder: Path) -> list[RunningSimulator]:
    """The simulators that run now, by their files."""
    return processes.found(folder, PREFIX, RunningSimulator)

"""Other programs of this machine: by their number, and by small files, each locked for as long as
its program runs."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from lumiban.system import size_limits
from lumiban.system.disk import DISK

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class RunningSimulator:
    """A simulated board's process: its serial port, address for hands, profile, the board's uid,
    its number, and the seed that makes the same board again (−1: unknown)."""

    port: str
    hands: str
    profile: str
    uid: str
    pid: int = 0
    seed: int = -1


def runs(pid: int) -> bool:
    """True if a process of this number runs, of any user."""
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True


def text(about: DataclassInstance) -> str:
    """One line of JSON."""
    return json.dumps(asdict(about))


def put(path: Path, about: DataclassInstance) -> int:
    """Write a file whole or not at all, readable by its owner only; the descriptor, which holds its
    lock until it is closed. OSError."""
    beside = path.with_suffix(".new")
    beside.unlink(missing_ok=True)
    file = os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    DISK.lock(file)  # before anybody can see it
    DISK.write(file, f"{text(about)}\n".encode())
    beside.replace(path)
    return file


def found(folder: Path, prefix: str, kind: Callable[..., T]) -> list[T]:
    """What the files of running programs say; those of dead ones are removed, and those that are
    being written, or another version's, are passed over."""
    there = []
    for path in sorted(folder.glob(f"{prefix}*.json")):
        with suppress(OSError, ValueError, TypeError), path.open("rb") as file:
            if DISK.lock(file.fileno()):
                path.unlink()
            else:
                there.append(kind(**size_limits.from_json(size_limits.read(path))))
    return there

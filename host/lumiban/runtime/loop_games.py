"""The games that bots play in a loop for who passes by: the newest are kept, older ones deleted.

A day of them was 20 MB. Their names stand in a file of the state folder; what is not named there is
never touched, and neither is a game in which a person sat or moved.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from lumiban import bounded
from lumiban.disk import DISK, Disk
from lumiban.errors import LumibanError
from lumiban.table import record
from lumiban.table.history import BY_MACHINE
from lumiban.table.journal import SUFFIX
from lumiban.table.types import BOT

NAME = "loop-games.json"
MOST_GAMES = 20
"""Games of a loop that stay: enough to look back at what was just seen."""
MOST_BYTES = 100_000


def is_of_machines(told: Mapping[str, Any]) -> bool:
    """Whether the record of a game tells of no person: none sat there in the end, and none moved.

    >>> told = {"seats": ["bot:easy", "bot:hard"], "moves": [{"by": "machine"}]}
    >>> is_of_machines(told)
    True
    >>> is_of_machines({**told, "moves": [{"by": "hand"}]})
    False
    """
    seats, moves = told.get("seats", ()), told.get("moves", ())
    return all(str(who).startswith(BOT) for who in seats) and all(
        move.get("by") == BY_MACHINE for move in moves
    )


class LoopGames:
    """Those of a state folder; one host at a time plays a loop there. Errors are OSErrors."""

    def __init__(self, folder: Path, disk: Disk = DISK) -> None:
        self._folder = folder
        self._disk = disk

    def finished(self, name: str, told: Mapping[str, Any]) -> list[str]:
        """A game of a loop has ended, and its record is on disk; returns the names of those that
        were deleted for it."""
        if not is_of_machines(told):
            return []
        names = [*(one for one in self._read() if one != name), name]
        old, kept = names[:-MOST_GAMES], names[-MOST_GAMES:]
        gone = [one for one in old if self._deletes(one)]
        self._write(kept)
        return gone

    def _deletes(self, name: str) -> bool:
        """The journal first: of a journal without its record one would be made again."""
        path = self._folder / "records" / (name + record.SUFFIX)
        try:
            if not is_of_machines(record.read(path)):
                return False
        except LumibanError:
            return False  # somebody has removed it, or changed it
        self._disk.remove(self._folder / "journals" / (name + SUFFIX))
        self._disk.remove(path)
        return True

    def _read(self) -> list[str]:
        try:
            told = bounded.from_json(bounded.read(self._folder / NAME, MOST_BYTES))
        except (OSError, ValueError, RecursionError, bounded.TooMuch):
            return []
        names = told if isinstance(told, list) else []
        return [one for one in names if isinstance(one, str) and Path(one).name == one]

    def _write(self, names: list[str]) -> None:
        half = self._folder / f".{NAME}.{os.getpid()}"
        file = self._disk.replace(half)
        try:
            self._disk.write(file, json.dumps(names).encode() + b"\n")
        finally:
            self._disk.close(file)
        self._disk.rename(half, self._folder / NAME)

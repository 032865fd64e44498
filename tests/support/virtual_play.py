"""Short words for play on a virtual table: stones, moves, seats, what comes back from disk."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from lumiban.table.resume import ResumedGame, resume
from virtual_table import VirtualTable

SECOND_US = 1_000_000


def moves(table: VirtualTable) -> list[str]:
    return [str(move) for move in table.session.match.history.moves]


def seats(table: VirtualTable) -> list[str]:
    return [seat["who"] for seat in table.view["seats"]]


def play(table: VirtualTable, *stones: tuple[str, int]) -> None:
    for name, kind in stones:
        table.place(name, kind)


def on_disk(table: VirtualTable, folder: Path) -> ResumedGame:
    table.rest(3 * SECOND_US)
    path = folder / "back.journal"
    path.write_bytes(bytes(table.journals[-1]))
    return resume(path)


def removable(seats: Sequence[str] = ("human", "human"), **more: Any) -> VirtualTable:
    """White, to move, may take the black stone on c3."""
    table = VirtualTable(seats=("human", "human"), **more)
    stones = (("a1", 1), ("c3", 2), ("b2", 1), ("e3", 2), ("c2", 1), ("d4", 2))
    play(table, *stones)
    assert len(moves(table)) == 6
    for side, who in enumerate(seats):
        if who != "human":
            assert table.command("seat", side=side, who=who) is None
    return table

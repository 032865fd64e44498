"""The photo finish: who was first where two hands raced for cells that exclude one another.

A stone is refused, and would have been allowed had another side's stone not come just before it:
then table, page and record say by how much.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from lumiban.games.api import Game, Move, Position
from lumiban.table.order import Timed, tied

CLOSE_US = 1_000_000
"""Stones further apart than this race no more."""
STONES = 3


@dataclass(frozen=True, slots=True)
class Entry:
    """A stone that counts: when it came (µs, half width) and the positions around it."""

    number: int
    t_us: int
    uncertainty_us: int
    side: int
    before: Position
    after: Position


@dataclass(frozen=True, slots=True)
class Race:
    """`winner` (a side) was first, by `by_us` ± `uncertainty_us`; `cell` is what the other wanted.

    `tie`: nobody can say who was first, and the coin decided.
    """

    cell: int
    winner: int
    by_us: int
    uncertainty_us: int
    tie: bool


class Finishes:
    """The stones that counted lately, and the last photo finish, told until `STONES` more stones
    have counted."""

    def __init__(self) -> None:
        self.last: Race | None = None
        self._entries: list[Entry] = []
        self._age = 0

    def forget(self) -> None:
        """Times of before say nothing any more."""
        self._entries.clear()

    def counted(self, entry: Entry) -> None:
        """One more stone."""
        self._entries = [e for e in self._entries if entry.t_us - e.t_us <= CLOSE_US]
        self._entries.append(entry)
        self._age += 1
        if self._age > STONES:
            self.last = None

    def refused(self, game: Game, refused: Timed, move: Move, cell: int) -> Race | None:
        """The race that this move has lost, None when there was none."""
        race = finish(game, self._entries, refused, move, cell)
        if race is not None:
            self.last = race
            self._age = 0
        return race


def finish(
    game: Game, entries: Iterable[Entry], refused: Timed, move: Move, cell: int
) -> Race | None:
    """The race that the refused `move` has lost, None when there was none.

    Of several stones that came before it, it lost to the last one that closed its cell.
    """
    lost_to = None
    for entry in entries:
        if (
            entry.side != move.side
            and refused.t_us - entry.t_us <= CLOSE_US
            and (refused.t_us >= entry.t_us or tied(refused, entry))
            and game.why_not(entry.before, move.side, move) is None
            and game.why_not(entry.after, move.side, move) is not None
        ):
            lost_to = entry
    if lost_to is None:
        return None
    return Race(
        cell,
        lost_to.side,
        abs(refused.t_us - lost_to.t_us),
        refused.uncertainty_us + lost_to.uncertainty_us,
        tied(refused, lost_to),
    )

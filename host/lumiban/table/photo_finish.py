"""The photo finish: who was first where the order of two hands made the difference.

A stone is refused, and would have counted had another side's stone come in the other order: it
lost its cell to that one, or was too early for the cell that it opened. Then table, page and
record say by how much.
"""

from __future__ import annotations

from collections.abc import Iterable

from msgspec import Struct

from lumiban.games.base import Game, Move, Position
from lumiban.table.event_order import TimedInput, half_us, tied
from lumiban.table.journal import RaceRecord

CLOSE_US = 1_000_000
"""Stones further apart than this do not race."""


SHOWN_FOR_STONES = 3
"""Number of stones to come for which a photo finish is shown."""


class CountedStone(Struct, frozen=True):
    """A stone that counts: when it came, and the positions around it."""

    timed: TimedInput
    side: int
    before: Position
    after: Position


class RefusedStone(Struct, frozen=True):
    """A stone that was refused."""

    timed: TimedInput
    move: Move
    cell: int


class PhotoFinishes:
    """Recent stones, and the last photo finish, told until `SHOWN_FOR_STONES` more have counted."""

    def __init__(self) -> None:
        self.last: RaceRecord | None = None
        self._counted: list[CountedStone] = []
        self._refused: list[RefusedStone] = []
        self._age = 0

    def forget(self) -> None:
        """Forget earlier times: the board's clock was reset."""
        self._counted.clear()
        self._refused.clear()

    def counted(self, game: Game, other: CountedStone) -> RaceRecord | None:
        """One more stone; the race in which another one was too early for it, None for none."""
        self._counted = [
            stone for stone in self._counted if other.timed.t_us - stone.timed.t_us <= CLOSE_US
        ]
        self._counted.append(other)
        self._refused = [
            stone for stone in self._refused if other.timed.t_us - stone.timed.t_us <= CLOSE_US
        ]
        self._age += 1
        if self._age > SHOWN_FOR_STONES:
            self.last = None
        race = None
        for stone in self._refused:
            race = too_early(game, stone, other) or race
        return self._remember(race)

    def refused(self, game: Game, refused: TimedInput, move: Move, cell: int) -> RaceRecord | None:
        """The race that this move has lost, None when there was none."""
        self._refused.append(RefusedStone(refused, move, cell))
        return self._remember(lost_race(game, self._counted, refused, move, cell))

    def _remember(self, race: RaceRecord | None) -> RaceRecord | None:
        if race is not None:
            self.last = race
            self._age = 0
        return race


def too_early(game: Game, stone: RefusedStone, other: CountedStone) -> RaceRecord | None:
    """The race that a refused stone lost by coming before the one that opened its cell."""
    side, timed = stone.move.side, stone.timed
    if not _decided(game, stone.move, other.after, other.before, other.side):
        return None
    return _race(timed, other.timed, side, stone.cell, came_early=True)


def lost_race(
    game: Game, counted: Iterable[CountedStone], refused: TimedInput, move: Move, cell: int
) -> RaceRecord | None:
    """The race that the refused `move` has lost, None when there was none.

    Of several stones that came before it, it lost to the last one that closed its cell.
    """
    lost_to = None
    for one in counted:
        behind_us = refused.t_us - one.timed.t_us
        if (
            behind_us <= CLOSE_US
            and (behind_us >= 0 or tied(refused, one.timed))
            and _decided(game, move, one.before, one.after, one.side)
        ):
            lost_to = one
    return None if lost_to is None else _race(refused, lost_to.timed, lost_to.side, cell)


def _decided(game: Game, move: Move, may: Position, may_not: Position, other: int) -> bool:
    """True if another side's stone decided over this move: it may be played on one side of it."""
    side = move.side
    return (
        other != side
        and game.why_not(may, side, move) is None
        and game.why_not(may_not, side, move) is not None
    )


def _race(
    refused: TimedInput, other: TimedInput, winner: int, cell: int, *, came_early: bool = False
) -> RaceRecord:
    by_us = abs(refused.t_us - other.t_us)
    unsure_us = half_us(refused) + half_us(other)
    return RaceRecord(cell, winner, by_us, unsure_us, tied(refused, other), came_early)

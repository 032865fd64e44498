"""Which of two events came first, as far as the board can tell: photo finishes.

Each event carries its time and how uncertain that is; where the two spans touch, nobody can say,
and a recorded coin decides (see `coin`).
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass
from typing import Protocol, TypeVar

from lumiban.boards.types import UNSURE_MOST_US, BoardEvent
from lumiban.games.base import Game, Move, Position

LEAST_SURE_US = UNSURE_MOST_US
"""The largest half width that the wire tells: it means this, or more …"""
UNKNOWN_US = 400_000
"""… and then nothing is known of the order within so much: no board keeps an event back longer."""


class Timed(Protocol):
    """Whatever has a number, a board time and its half width, µs."""

    @property
    def number(self) -> int: ...
    @property
    def t_us(self) -> int: ...
    @property
    def uncertainty_us(self) -> int: ...


class Placed(Timed, Protocol):
    """Timed, at a place: what happens at one place has an order of its own."""

    @property
    def where(self) -> Hashable: ...


P = TypeVar("P", bound=Placed)


def half_us(item: Timed) -> int:
    """How far off an event's time may be, µs.

    >>> from lumiban_sim.races import Arrival
    >>> half_us(Arrival(0, 1, 0, 12_700)), half_us(Arrival(0, 1, 0, 12_750))
    (12700, 400000)
    """
    return item.uncertainty_us if item.uncertainty_us < LEAST_SURE_US else UNKNOWN_US


def tied(one: Timed, other: Timed) -> bool:
    """Whether the spans of two events overlap or touch."""
    return abs(one.t_us - other.t_us) <= half_us(one) + half_us(other)


def coin(seed: int, numbers: Sequence[int]) -> tuple[int, ...]:
    """The numbers of tied events in the order that the coin gives them: a fair shuffle which
    depends on the game's seed and these numbers only, so that a record can be checked.

    >>> sorted(coin(7, (12, 13))), coin(7, (13, 12)) == coin(7, (12, 13))
    ([12, 13], True)
    """
    state = _mix(seed & _MASK)
    left = sorted(numbers)
    for number in left:
        state = _mix(state ^ number & _MASK)
    order = []
    while left:
        state = _mix(state)
        order.append(left.pop(state % len(left)))
    return tuple(order)


@dataclass(frozen=True, slots=True)
class Toss:
    """A coin that was thrown for tied events: their numbers, as it `fell`, and the `order` in
    which they were judged, which differs where some of them had a sure order."""

    numbers: tuple[int, ...]
    fell: tuple[int, ...]
    order: tuple[int, ...]


def batches(items: Iterable[P]) -> list[list[P]]:
    """The items in batches of overlapping spans, earliest first: those of two batches have a sure
    order."""
    found: list[list[P]] = []
    end = 0
    for item in sorted(items, key=lambda i: (i.t_us - half_us(i), i.t_us, i.number)):
        half = half_us(item)
        if found and item.t_us - half <= end:
            found[-1].append(item)
            end = max(end, item.t_us + half)
        else:
            found.append([item])
            end = item.t_us + half
    return found


def end_of(batch: Iterable[Timed]) -> int:
    """The latest time that one of these may truly have, µs."""
    return max(item.t_us + half_us(item) for item in batch)


def ranked(batch: Sequence[P], seed: int) -> tuple[list[P], Toss | None]:
    """The order in which a batch is judged, and the coin that it took, if any.

    Spans may overlap in a chain whose ends do not touch: the coin decides only what is open, and
    never turns a sure order round.
    """
    left = sorted(batch, key=lambda item: (item.t_us, item.number))
    if len({item.where for item in left}) < 2:
        return left, None
    tossed = coin(seed, [item.number for item in left])
    rank = {number: place for place, number in enumerate(tossed)}
    order: list[P] = []
    while left:
        free = [item for item in left if not any(_precedes(other, item) for other in left)]
        order.append(min(free, key=lambda item: rank[item.number]))
        left.remove(order[-1])
    numbers = tuple(item.number for item in order)
    return order, Toss(tuple(sorted(numbers)), tossed, numbers)


def _precedes(one: Placed, other: Placed) -> bool:
    if one.where == other.where:
        return (one.t_us, one.number) < (other.t_us, other.number)
    return one.t_us < other.t_us and not tied(one, other)


_MASK = (1 << 64) - 1


def _mix(word: int) -> int:
    """SplitMix64's next word (Steele, Lea, Flood 2014)."""
    word = (word + 0x9E3779B97F4A7C15) & _MASK
    word = ((word ^ word >> 30) * 0xBF58476D1CE4E5B9) & _MASK
    word = ((word ^ word >> 27) * 0x94D049BB133111EB) & _MASK
    return word ^ word >> 31


# --- What happened and waits to be judged: until no other event can come that ties with it ---
#
# The board releases its events in order of time and says with its watermark how far that is sure.


BEHIND_US = 400_000
"""The board's watermark is never further behind its clock than this."""
LINE_US = 20_000
"""What a frame may take on the line."""


@dataclass(frozen=True, slots=True)
class TimedInput:
    """One thing at one board time (µs, half width): a piece on a game cell (−1: on none of the
    game's), a side's button, or a move told by page or bot."""

    number: int
    t_us: int
    uncertainty_us: int
    where: Hashable
    event: BoardEvent | None = None
    cell: int = -1
    kind: int = 0
    press: int | None = None
    told: Move | None = None
    by: str = ""


def heard(event: BoardEvent, cell: int, press: int | None) -> TimedInput:
    """A board event, as it is to be judged."""
    t_us, unsure_us = event.t_us, event.uncertainty_us
    return TimedInput(
        event.number, t_us, unsure_us, event.cell, event, cell, event.kind, press=press
    )


class EventQueue:
    """Happenings not judged yet."""

    def __init__(self) -> None:
        self.items: list[TimedInput] = []

    def add(self, item: TimedInput) -> None:
        """One more."""
        self.items.append(item)

    @property
    def events(self) -> list[BoardEvent]:
        """The board's events among them."""
        return [item.event for item in self.items if item.event is not None]

    @property
    def board_cells(self) -> frozenset[int]:
        """The board's cells (and buttons) that these are about."""
        return frozenset(event.cell for event in self.events)

    def folded(self, kinds: Sequence[int]) -> tuple[int, ...]:
        """The kinds of all game cells once these are judged, when they are `kinds` now."""
        after = list(kinds)
        for item in sorted(self.items, key=lambda item: item.number):
            if item.cell >= 0:
                after[item.cell] = item.kind
        return tuple(after)

    def take(self, watermark_us: int, now_us: int) -> list[TimedInput]:
        """The next batch of overlapping spans, if nothing can come any more that ties with it.

        By the watermark that is certain; by the clock it is as certain as the board promises, so
        that nobody waits for ever.
        """
        if not self.items:
            return []
        batch = batches(self.items)[0]
        if watermark_us <= _sure(batch) and now_us < _sure(batch) + BEHIND_US + LINE_US:
            return []
        return self._leave(batch)

    def take_anyway(self) -> list[TimedInput]:
        """The next batch, whatever may come."""
        return self._leave(batches(self.items)[0]) if self.items else []

    def due_us(self, watermark_us: int) -> int | None:
        """Board time at which `take` has something at the latest, None when nothing waits."""
        if not self.items:
            return None
        sure = _sure(batches(self.items)[0])
        return sure if watermark_us > sure else sure + BEHIND_US + LINE_US

    def _leave(self, batch: list[TimedInput]) -> list[TimedInput]:
        gone = {id(item) for item in batch}
        self.items = [item for item in self.items if id(item) not in gone]
        return batch


def _sure(batch: list[TimedInput]) -> int:
    """Once the watermark has passed this, no event to come can tie with the batch.

    But for one whose time is not known, which ties with what still waits: to wait for each that
    might be would keep back every stone for 0.4 s.
    """
    return end_of(batch) + LEAST_SURE_US


# --- The photo finish: who was first where the order of two hands made the difference ---
#
# A stone is refused, and would have counted had another side's stone come in the other order: it
# lost its cell to that one, or was too early for the cell that it opened. Then table, page and
# record say by how much.


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
    """`winner` (a side) was first, by `by_us` ± `uncertainty_us`; `cell` is that of the stone which
    was refused for it.

    `tie`: nobody can say who was first, and the coin decided. `early`: who was first is the one
    refused, since the other's stone opened the cell.
    """

    cell: int
    winner: int
    by_us: int
    uncertainty_us: int
    tie: bool
    early: bool = False


@dataclass(frozen=True, slots=True)
class Loser:
    """A stone that was refused."""

    timed: Timed
    move: Move
    cell: int


class PhotoFinishes:
    """The stones that counted lately, and the last photo finish, told until `STONES` more stones
    have counted."""

    def __init__(self) -> None:
        self.last: Race | None = None
        self._entries: list[Entry] = []
        self._losers: list[Loser] = []
        self._age = 0

    def forget(self) -> None:
        """Times of before say nothing any more."""
        self._entries.clear()
        self._losers.clear()

    def counted(self, game: Game, entry: Entry) -> Race | None:
        """One more stone; the race in which another one was too early for it, None for none."""
        self._entries = [e for e in self._entries if entry.t_us - e.t_us <= CLOSE_US]
        self._entries.append(entry)
        self._losers = [
            loser for loser in self._losers if entry.t_us - loser.timed.t_us <= CLOSE_US
        ]
        self._age += 1
        if self._age > STONES:
            self.last = None
        found = None
        for loser in self._losers:
            found = too_early(game, loser, entry) or found
        return self._remember(found)

    def refused(self, game: Game, refused: Timed, move: Move, cell: int) -> Race | None:
        """The race that this move has lost, None when there was none."""
        self._losers.append(Loser(refused, move, cell))
        return self._remember(finish(game, self._entries, refused, move, cell))

    def _remember(self, race: Race | None) -> Race | None:
        if race is not None:
            self.last = race
            self._age = 0
        return race


def too_early(game: Game, loser: Loser, entry: Entry) -> Race | None:
    """The race that a refused stone lost by coming before the one that opened its cell."""
    side, timed = loser.move.side, loser.timed
    if (
        entry.side == side
        or game.why_not(entry.before, side, loser.move) is None
        or game.why_not(entry.after, side, loser.move) is not None
    ):
        return None
    return Race(
        loser.cell,
        side,
        abs(entry.t_us - timed.t_us),
        timed.uncertainty_us + entry.uncertainty_us,
        tied(timed, entry),
        early=True,
    )


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

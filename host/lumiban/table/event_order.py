"""Order of events as far as the board can tell, and when that is sure.

Each event carries its time and how uncertain that is; where two spans touch the order is unknown,
and a recorded coin toss decides (see `coin`). `EventQueue` holds the events not yet judged; an
event leaves once no later arrival can tie with it: the board releases its events in order of time,
and says with its watermark how far that is sure.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from typing import Protocol

from msgspec import Struct

from lumiban.boards.types import UNSURE_MAX_US, BoardEvent
from lumiban.games.base import Move
from lumiban.table.journal import CoinRecord

UNKNOWN_US = 400_000
"""Half width assumed for an event whose own is `UNSURE_MAX_US`, µs, which on the wire means that or
more: no board holds an event back for longer."""


class Timed(Protocol):
    """Whatever has a board time and its half width, µs."""

    @property
    def t_us(self) -> int:
        """Board time."""

    @property
    def uncertainty_us(self) -> int:
        """The half width of its time."""


def half_us(item: Timed) -> int:
    """Return the half width of an event's timestamp: how far off its time may be, µs.

    >>> half_us(TimedInput(1, 0, 12_700, "a1")), half_us(TimedInput(1, 0, 12_750, "a1"))
    (12700, 400000)
    """
    return item.uncertainty_us if item.uncertainty_us < UNSURE_MAX_US else UNKNOWN_US


def tied(one: Timed, other: Timed) -> bool:
    """True if the spans of two events overlap or touch."""
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


def batches(items: Iterable[TimedInput]) -> list[list[TimedInput]]:
    """The items in batches of overlapping spans, earliest first: those of two batches have a sure
    order."""
    grouped: list[list[TimedInput]] = []
    end = 0
    for item in sorted(items, key=lambda i: (i.t_us - half_us(i), i.t_us, i.number)):
        half = half_us(item)
        if grouped and item.t_us - half <= end:
            grouped[-1].append(item)
            end = max(end, item.t_us + half)
        else:
            grouped.append([item])
            end = item.t_us + half
    return grouped


def end_of(batch: Iterable[TimedInput]) -> int:
    """The latest time that one of these may truly have, µs."""
    return max(item.t_us + half_us(item) for item in batch)


def ranked(batch: Sequence[TimedInput], seed: int) -> tuple[list[TimedInput], CoinRecord | None]:
    """The order in which a batch is judged, and the coin that it took, if any.

    Spans may overlap in a chain whose ends do not touch: the coin decides only what is open, and
    never turns a sure order round.
    """
    left = sorted(batch, key=lambda item: (item.t_us, item.number))
    if len({item.where for item in left}) < 2:
        return left, None
    tossed = coin(seed, [item.number for item in left])
    rank = {number: place for place, number in enumerate(tossed)}
    order: list[TimedInput] = []
    while left:
        free = [item for item in left if not any(_precedes(other, item) for other in left)]
        order.append(min(free, key=lambda item: rank[item.number]))
        left.remove(order[-1])
    numbers = tuple(item.number for item in order)
    return order, CoinRecord(tuple(sorted(numbers)), tossed, numbers)


def _precedes(one: TimedInput, other: TimedInput) -> bool:
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


BEHIND_US = 400_000
"""The board's watermark is never further behind its clock than this."""
LINE_US = 20_000
"""Longest time of a frame on the line."""


class TimedInput(Struct, frozen=True):
    """One thing at one board time (µs, half width) and place, where things keep their own order: a
    piece on a game cell (−1: on none of the
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


class EventQueue:
    """Queue of events not judged yet."""

    def __init__(self) -> None:
        self.items: list[TimedInput] = []

    def add(self, item: TimedInput) -> None:
        """One more."""
        self.items.append(item)

    def folded(self, kinds: Sequence[int]) -> tuple[int, ...]:
        """The kinds of all game cells once these are judged, when they are `kinds` now."""
        after = list(kinds)
        for item in sorted(self.items, key=lambda item: item.number):
            if item.cell >= 0:
                after[item.cell] = item.kind
        return tuple(after)

    def take(self, watermark_us: int, now_us: int) -> list[TimedInput]:
        """The next batch of overlapping spans, if nothing can come any more that ties with it.

        By the watermark this is certain; by the clock it is as certain as the board promises, so
        that no event waits for ever.
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

    An event of unknown time is the exception: it ties with what still waits, since waiting for each
    possible one would hold back every stone for 0.4 s.
    """
    return end_of(batch) + UNSURE_MAX_US

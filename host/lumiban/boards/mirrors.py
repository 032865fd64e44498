"""Finding a broken select line of a strip's multiplexer: channels that show each other's pieces.

When line S1 does not reach the multiplexer, channel 2 reads what channel 0 does, 3 what 1, and so
on. No single reading tells: an empty cell is like another. But a piece that is set on one of the
two appears on both within milliseconds, and there is no moment at which the two differ.
"""

from __future__ import annotations

from collections.abc import Sequence
from statistics import median

from lumiban_fw import wire

from lumiban.boards.fields import Reading
from lumiban.boards.profile import Profile
from lumiban.boards.types import BoardEvent

LINES = 4
APART_US = 10_000
"""A piece and its image appear within this time: each is sensed on its own."""
WEAK, STRONG, SURE = 1, 2, 3
"""What an image that appears beside a piece that stands says; one that appears with its piece; and
how much makes a fault. Two hands set like pieces on such a pair at once rather seldom, and never
twice without another move between."""
PAIRS = 3
"""With fewer pairs of readings nothing is said of a line."""
ALIKE, UNLIKE = 1.5, 3.0
"""Counts: means of one sensor differ by less, those of two sensors mostly by more."""

Pair = tuple[int, int]
"""(row, select line)"""


def where(row: int, line: int) -> int:
    """Row and line as FAULT tells them.

    >>> where(2, 1), where(0, 3)
    (9, 3)
    """
    return LINES * row + line


class Mirrors:
    """Hears the events of one board, in order.

    `hear` tells (code, where) of FAULT MIRROR as it is found, or found to be over.
    """

    def __init__(self, profile: Profile) -> None:
        self.profile = profile
        self._rows: dict[int, dict[int, int]] = {}
        for number, cell in enumerate(profile.cells):
            self._rows.setdefault(cell.row, {})[cell.channel] = number
        self._said: dict[Pair, int] = {}
        self._waits: dict[Pair, tuple[int, int]] = {}
        """The cell that must follow an event, and since when."""
        self.found: set[Pair] = set()

    def hear(self, event: BoardEvent, kinds: Sequence[int]) -> list[tuple[int, int]]:
        """An event; `kinds` are those of all cells after it."""
        if event.cell >= len(self.profile.cells):
            return []
        told = []
        cell = self.profile.cells[event.cell]
        for line in range(LINES):
            other = self._rows[cell.row].get(cell.channel ^ 1 << line)
            if other is None:
                continue
            pair = cell.row, line
            before = self.found.copy()
            self._judge(pair, event, other, kinds)
            for gone in before - self.found:
                told.append((wire.FAULT_MIRROR | wire.FAULT_GONE, where(*gone)))
            for new in self.found - before:
                told.append((wire.FAULT_MIRROR, where(*new)))
        return told

    def stands(self) -> list[tuple[int, int]]:
        """(code, where) of what is found and not over."""
        return [(wire.FAULT_MIRROR, where(*pair)) for pair in sorted(self.found)]

    def _judge(self, pair: Pair, event: BoardEvent, other: int, kinds: Sequence[int]) -> None:
        waits = self._waits.pop(pair, None)
        followed = (
            waits is not None
            and waits[0] == event.cell
            and abs(event.t_us - waits[1]) <= APART_US + event.uncertainty_us
        )
        if waits is not None and not followed:
            self._clear(pair)  # the two have differed for some time
        if kinds[other] != event.kind:
            self._waits[pair] = other, event.t_us
        elif not self._alike(pair, kinds):
            self._clear(pair)
        elif event.kind != wire.EMPTY:
            said = self._said.get(pair, 0) + (STRONG if followed else WEAK)
            self._said[pair] = said
            if said >= SURE:
                self.found.add(pair)

    def _clear(self, pair: Pair) -> None:
        self._said.pop(pair, None)
        self.found.discard(pair)

    def _alike(self, pair: Pair, kinds: Sequence[int]) -> bool:
        row, line = pair
        channels = self._rows[row]
        return all(
            kinds[cell] == kinds[channels[channel ^ 1 << line]]
            for channel, cell in channels.items()
            if channel ^ 1 << line in channels
        )


def lines_alike(profile: Profile, readings: Sequence[Reading]) -> list[tuple[int, list[int]]]:
    """Select lines that seem broken by the raw readings of all cells: (line, rows).

    Two sensors differ by some counts; the two channels of a broken line read one sensor. Nothing
    is said of rows whose sensors are all alike, nor of a few pairs.
    """
    rows: dict[int, dict[int, float]] = {}
    for cell, reading in zip(profile.cells, readings, strict=True):
        rows.setdefault(cell.row, {})[cell.channel] = reading.count
    found = []
    for line in range(LINES):
        if _one_sensor(list(rows.values()), line):
            found.append((line, sorted(rows)))
            continue
        broken = [row for row, counts in sorted(rows.items()) if _one_sensor([counts], line)]
        if broken:
            found.append((line, broken))
    return found


def _one_sensor(rows: Sequence[dict[int, float]], line: int) -> bool:
    """Whether the channels of each pair of a line read the same, though others do not."""
    pairs = [apart for counts in rows for apart in _apart(counts, line)]
    others = [
        apart for counts in rows for k in range(LINES) if k != line for apart in _apart(counts, k)
    ]
    if len(pairs) < PAIRS or max(pairs) > ALIKE or not others:
        return False
    return median(others) >= UNLIKE


def _apart(counts: dict[int, float], line: int) -> list[float]:
    """How far the channels of each pair of a line read from each other."""
    return [
        abs(count - counts[channel | 1 << line])
        for channel, count in counts.items()
        if not channel & 1 << line and channel | 1 << line in counts
    ]

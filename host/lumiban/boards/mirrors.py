"""Finding a broken select line of a strip's multiplexer: channels that show each other's pieces.

When line S1 does not reach the multiplexer, channel 2 reads what channel 0 does, 3 what 1, and so
on. No single reading tells: an empty cell is like another. But a piece that is set on one of the
two appears on both at once (`at_once`), what stood when the line broke appears on the other from
one scan to the next, as no hand sets it (`sudden`), and there is no moment at which the two differ.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from statistics import median

from lumiban_fw import wire

from lumiban.boards.fields import Reading
from lumiban.boards.profile import Profile
from lumiban.boards.types import BoardEvent

LINES = 4
APART_US = 10_000
"""A piece and its image appear within this time, however unsure their times are."""
NEVER_SURE_US = wire.UNSURE_MOST_US
"""The largest half width that the wire tells: the time could not be found."""
WEAK, STRONG, SURE = 1, 2, 3
"""What an image that appears beside a piece that stands says; one that appears with its piece; and
how much makes a fault, as do two that come in one scan. Two hands set like pieces on such a pair at
once rather seldom, and hardly twice without another move between."""
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


def at_once(one: BoardEvent, other: BoardEvent, scan_us: int) -> bool:
    """Whether two events may be one piece and its image: the board found both times from one field,
    read at two moments of a scan.

    >>> piece, image = BoardEvent(7, 3, 1, 50_000, 400), BoardEvent(8, 5, 1, 50_900, 450)
    >>> at_once(piece, image, 1_000), at_once(piece, BoardEvent(8, 5, 1, 52_000, 450), 1_000)
    (True, False)
    """
    unsure_us = one.uncertainty_us + other.uncertainty_us + scan_us
    return abs(one.t_us - other.t_us) <= min(unsure_us, APART_US)


def sudden(event: BoardEvent, scan_us: int) -> bool:
    """Whether what came may have been there from one scan to the next: then its time is that of the
    scan, told unsure by just one. No hand is so quick, but in some 3 of 1000 placements the time
    is as unsure as that. Nothing is known of it where no time could be found.

    >>> [sudden(BoardEvent(7, 3, 1, 50_000, unsure), 1_000) for unsure in (450, 1_000, 12_750)]
    [False, True, True]
    """
    return abrupt(event, scan_us) or event.uncertainty_us >= NEVER_SURE_US


def abrupt(event: BoardEvent, scan_us: int) -> bool:
    """Whether what came or went did so from one scan to the next for certain. Of 696 pieces that
    simulated hands lifted none was told so."""
    return event.uncertainty_us == wire.unsure(scan_us) * wire.UNSURE_STEP_US


class Strips:
    """Which cells of a board a broken select line would make alike."""

    def __init__(self, profile: Profile) -> None:
        self.profile = profile
        self.scan_us = 1_000_000 // profile.scan_hz
        self._rows: dict[int, dict[int, int]] = {}
        for number, cell in enumerate(profile.cells):
            self._rows.setdefault(cell.row, {})[cell.channel] = number

    def partners(self, cell: int) -> list[tuple[Pair, int]]:
        """The lines of a board cell's strip, each with the cell that it makes like this one; none
        of a button."""
        if cell >= len(self.profile.cells):
            return []
        row, channel = self.profile.cells[cell].row, self.profile.cells[cell].channel
        found = ((line, self._rows[row].get(channel ^ 1 << line)) for line in range(LINES))
        return [((row, line), other) for line, other in found if other is not None]

    def cells(self, row: int) -> list[int]:
        """The board cells of a strip."""
        return list(self._rows[row].values())

    def alike(self, pair: Pair, kinds: Sequence[int], aside: Collection[int] = ()) -> bool:
        """Whether a line makes no two cells differ now; of those `aside` nothing is asked, nor of
        their partners."""
        row, line = pair
        channels = self._rows[row]
        return all(
            kinds[cell] == kinds[other]
            for channel, cell in channels.items()
            if (other := channels.get(channel ^ 1 << line)) is not None
            and cell not in aside
            and other not in aside
        )


class Mirrors:
    """Hears the events of one board, in order.

    `hear` and `passed` tell (code, where) of FAULT MIRROR as it is found, or found to be over.
    """

    def __init__(self, profile: Profile) -> None:
        self.profile = profile
        self.strips = Strips(profile)
        self._said: dict[Pair, int] = {}
        self._waits: dict[Pair, dict[int, BoardEvent]] = {}
        """Events by the cell that must follow each."""
        self._scan: list[tuple[Pair, BoardEvent, int]] = []
        """Lines of what came or went in one scan, with the other cell …"""
        self._after: Sequence[int] = ()
        """… and the kinds of all cells after it."""
        self.found: set[Pair] = set()

    def hear(self, event: BoardEvent, kinds: Sequence[int]) -> list[tuple[int, int]]:
        """An event; `kinds` are those of all cells after it."""
        told = self.passed(event.t_us)
        before = self.found.copy()
        for pair, other in self.strips.partners(event.cell):
            self._judge(pair, event, other, kinds)
        return told + self._news(before)

    def passed(self, t_us: int) -> list[tuple[int, int]]:
        """No event of before this board time is still to come."""
        before = self.found.copy()
        for pair, waits in list(self._waits.items()):
            if any(t_us - event.t_us > APART_US for event in waits.values()):
                del self._waits[pair]
                self._clear(pair)
        if self._scan and t_us - self._scan[-1][1].t_us > self.strips.scan_us:
            self._judge_scan()
        return self._news(before)

    def stands(self) -> list[tuple[int, int]]:
        """(code, where) of what is found and not over."""
        return [(wire.FAULT_MIRROR, where(*pair)) for pair in sorted(self.found)]

    def _news(self, before: set[Pair]) -> list[tuple[int, int]]:
        gone = wire.FAULT_MIRROR | wire.FAULT_GONE
        return [
            *((gone, where(*pair)) for pair in sorted(before - self.found)),
            *((wire.FAULT_MIRROR, where(*pair)) for pair in sorted(self.found - before)),
        ]

    def _judge(self, pair: Pair, event: BoardEvent, other: int, kinds: Sequence[int]) -> None:
        waits = self._waits.setdefault(pair, {})
        before = waits.pop(event.cell, None)
        scan_us = self.strips.scan_us
        followed = before is not None and at_once(before, event, scan_us)
        if before is not None and not followed:
            self._clear(pair)  # the two have differed for some time
        if kinds[other] != event.kind:
            waits[other] = event
        elif abrupt(event, scan_us) and not followed:
            self._scan.append((pair, event, other))
            self._after = tuple(kinds)
        elif not self.strips.alike(pair, kinds):
            if not self.strips.alike(pair, kinds, waits):
                self._clear(pair)
        elif event.kind != wire.EMPTY and (followed or sudden(event, scan_us)):
            self._say(pair, STRONG if followed else WEAK)

    def _judge_scan(self) -> None:
        """What came and went in one scan: images of what stood, and pieces that are cut off. That
        pieces only went says little, however often."""
        scan, self._scan = self._scan, []
        for pair in dict.fromkeys(pair for pair, _, _ in scan):
            changed = [(event, other) for one, event, other in scan if one == pair]
            if not self.strips.alike(pair, self._after):
                self._clear(pair)
            elif all(event.kind == wire.EMPTY for event, _ in changed):
                self._said.setdefault(pair, WEAK)
            else:
                cells = {frozenset((event.cell, other)) for event, other in changed}
                self._say(pair, SURE if len(cells) > 1 else WEAK)

    def _say(self, pair: Pair, much: int) -> None:
        self._said[pair] = self._said.get(pair, 0) + much
        if self._said[pair] >= SURE:
            self.found.add(pair)

    def _clear(self, pair: Pair) -> None:
        self._said.pop(pair, None)
        self.found.discard(pair)


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

"""Finds a broken select line of a strip's multiplexer: channels that show each other's pieces.

When line S1 does not reach the multiplexer, channel 2 reads what channel 0 does, 3 what 1, and so
on: the addresses of a strip have aliases. No single reading tells, nor does a single event: a
stone may be set beside its like, and the time of one in 300 is unsure. So nothing here holds or
refuses an event, and what is found rests on many: each piece that a hand sets comes on two cells
at once (`simultaneous`), and never on one of the two alone.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from statistics import median
from typing import TYPE_CHECKING

from lumiban_fw import wire

from lumiban.boards.profile import Profile
from lumiban.boards.types import BoardEvent

if TYPE_CHECKING:
    from lumiban.boards.client import Reading

LINES = 4


APART_US = 10_000
"""A piece and its alias appear within this time, however unsure their times are."""


NEVER_SURE_US = wire.UNSURE_MAX_US
"""The largest half width that the wire tells: the time could not be found."""


PLACED = 6
"""So many pieces in a row must come with an alias, and none on the strip without, before a line
counts as broken. Two hands that set two like stones on such a pair within a scan do so once, and
the next stone that is set alone starts the count again; docs/faults.md has the figures."""


PLACES = 2
"""Number of pairs of cells it is tried on, where the strip has them."""


MOVED = 5
"""So many stones of a game must be seen on their alias, at power-on, and the rest of the strip as
the line would show it: of 48 000 boards with the stones of another game none looks so, with three
24 do."""


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


def simultaneous(one: BoardEvent, other: BoardEvent, scan_us: int) -> bool:
    """True if two events may be one piece and its alias: the board found both times from one field,
    read at two moments of a scan.

    >>> piece, alias = BoardEvent(7, 3, 1, 50_000, 400), BoardEvent(8, 5, 1, 50_900, 450)
    >>> later = BoardEvent(8, 5, 1, 52_000, 450)
    >>> simultaneous(piece, alias, 1_000), simultaneous(piece, later, 1_000)
    (True, False)
    """
    unsure_us = one.uncertainty_us + other.uncertainty_us + scan_us
    return abs(one.t_us - other.t_us) <= min(unsure_us, APART_US)


def is_by_hand(event: BoardEvent, scan_us: int) -> bool:
    """True if a piece came as a hand sets it: its field grew over several scans. A plug that makes
    contact brings all pieces of its strip from one scan to the next.

    >>> [is_by_hand(BoardEvent(7, 3, 1, 50_000, unsure), 1_000) for unsure in (450, 1_000, 12_750)]
    [True, False, False]
    """
    from_scan_to_scan = wire.unsure(scan_us) * wire.UNSURE_STEP_US
    return event.kind != wire.EMPTY and event.uncertainty_us not in (
        from_scan_to_scan,
        NEVER_SURE_US,
    )


class AliasDetector:
    """Hears the events of one boot of a board, in order, and its picture at power-on.

    Each method tells (code, where) of FAULT MIRROR as it is found, or found to be over. Two cells
    of a line that differ for 10 ms show it whole.
    """

    def __init__(self, profile: Profile) -> None:
        self.profile = profile
        self.scan_us = 1_000_000 // profile.scan_hz
        self.found: set[Pair] = set()
        self._rows: dict[int, dict[int, int]] = {}
        for number, cell in enumerate(profile.cells):
            self._rows.setdefault(cell.row, {})[cell.channel] = number
        self._placed: dict[Pair, list[frozenset[int]]] = {}
        """The pairs of cells on which pieces came at once, since the line was last seen whole."""
        self._apart: dict[Pair, dict[int, tuple[BoardEvent, bool]]] = {}
        """By the cell that must follow: the event, and whether it was the first on its cell."""

    def hear(self, event: BoardEvent, kinds: Sequence[int], before: int) -> list[tuple[int, int]]:
        """An event on a cell that held `before`; `kinds` are those of all cells after it."""
        faults = self.passed(event.t_us)
        known = self.found.copy()
        for pair, other in self._partners(event.cell):
            self._weigh(pair, event, other, kinds, fresh=before == wire.EMPTY)
        return faults + self._new_reports(known)

    def passed(self, t_us: int) -> list[tuple[int, int]]:
        """No event of before this board time is still to come."""
        known = self.found.copy()
        for pair, waits in list(self._apart.items()):
            if any(t_us - event.t_us > APART_US for event, _ in waits.values()):
                self._whole(pair)
        return self._new_reports(known)

    def powered_on(self, kinds: Sequence[int], should: Sequence[int]) -> list[tuple[int, int]]:
        """The first picture of a boot, and what lies on the board by the game: a strip that shows
        stones only where they should be read by a broken line, is read by one."""
        known = self.found.copy()
        for row in self._rows:
            for line in range(LINES):
                if any(self._aliases(row, line, side, kinds, should) for side in (0, 1)):
                    self.found.add((row, line))
        return self._new_reports(known)

    def stands(self) -> list[tuple[int, int]]:
        """(code, where) of what is found and not over."""
        return [(wire.FAULT_MIRROR, where(*pair)) for pair in sorted(self.found)]

    def cells(self) -> frozenset[int]:
        """The board cells of strips with a broken line."""
        rows = {row for row, _ in self.found}
        return frozenset(cell for row in rows for cell in self._rows[row].values())

    def forget(self) -> list[tuple[int, int]]:
        """Forget the fault, since people say that it is mended; it must be seen again to count."""
        known = self.found.copy()
        self.found.clear()
        self._placed.clear()
        return self._new_reports(known)

    def _partners(self, cell: int) -> Iterator[tuple[Pair, int]]:
        """The lines of a board cell's strip, each with the cell that it makes like this one."""
        if cell < len(self.profile.cells):
            row, channel = self.profile.cells[cell].row, self.profile.cells[cell].channel
            for line in range(LINES):
                other = self._rows[row].get(channel ^ 1 << line)
                if other is not None:
                    yield (row, line), other

    def _weigh(
        self, pair: Pair, event: BoardEvent, other: int, kinds: Sequence[int], *, fresh: bool
    ) -> None:
        waits = self._apart.setdefault(pair, {})
        first, was_fresh = waits.pop(event.cell, (None, False))
        if first is not None and not simultaneous(first, event, self.scan_us):
            self._whole(pair)  # the two have differed for some time
            first = None
        if kinds[other] != event.kind:
            self._apart.setdefault(pair, {})[other] = event, fresh
        elif first is not None and fresh and was_fresh and self._is_set(first, event):
            placed = self._placed.setdefault(pair, [])
            placed.append(frozenset((event.cell, other)))
            if len(placed) >= PLACED and len(set(placed)) >= min(PLACES, self._pairs(pair)):
                self.found.add(pair)

    def _is_set(self, *events: BoardEvent) -> bool:
        return all(is_by_hand(event, self.scan_us) for event in events)

    def _whole(self, pair: Pair) -> None:
        self._placed.pop(pair, None)
        self._apart.pop(pair, None)
        self.found.discard(pair)

    def _pairs(self, pair: Pair) -> int:
        """Number of pairs of cells that this line would make alike."""
        row, line = pair
        channels = self._rows[row]
        return sum(
            not channel & 1 << line and channel | 1 << line in channels for channel in channels
        )

    def _aliases(
        self, row: int, line: int, side: int, kinds: Sequence[int], should: Sequence[int]
    ) -> bool:
        """True if a strip reads as it should with one line held low (`side` 0) or high."""
        channels, bit = self._rows[row], 1 << line
        moved = 0
        for channel, cell in channels.items():
            read = channels.get(channel | bit if side else channel & ~bit)
            if read is None:
                continue
            if kinds[cell] != should[read]:
                return False
            moved += kinds[cell] not in (wire.EMPTY, should[cell])
        return moved >= MOVED

    def _new_reports(self, known: set[Pair]) -> list[tuple[int, int]]:
        gone = wire.FAULT_MIRROR | wire.FAULT_GONE
        return [
            *((gone, where(*pair)) for pair in sorted(known - self.found)),
            *((wire.FAULT_MIRROR, where(*pair)) for pair in sorted(self.found - known)),
        ]


def lines_alike(profile: Profile, readings: Sequence[Reading]) -> list[tuple[int, list[int]]]:
    """Select lines that seem broken by the raw readings of all cells: (line, rows).

    Two sensors differ by some counts; the two channels of a broken line read one sensor. Nothing
    is said of rows whose sensors are all alike, nor of a few pairs.
    """
    rows: dict[int, dict[int, float]] = {}
    for cell, reading in zip(profile.cells, readings, strict=True):
        rows.setdefault(cell.row, {})[cell.channel] = reading.count
    alike = []
    for line in range(LINES):
        if _one_sensor(list(rows.values()), line):
            alike.append((line, sorted(rows)))
            continue
        broken = [row for row, counts in sorted(rows.items()) if _one_sensor([counts], line)]
        if broken:
            alike.append((line, broken))
    return alike


def _one_sensor(rows: Sequence[dict[int, float]], line: int) -> bool:
    """True if the channels of each pair of a line read the same, though others do not."""
    pairs = [apart for counts in rows for apart in _apart(counts, line)]
    others = [
        apart for counts in rows for k in range(LINES) if k != line for apart in _apart(counts, k)
    ]
    if len(pairs) < PAIRS or max(pairs) > ALIKE or not others:
        return False
    return median(others) >= UNLIKE


def _apart(counts: dict[int, float], line: int) -> list[float]:
    """Differences between the readings of each pair of channels of a line."""
    return [
        abs(count - counts[channel | 1 << line])
        for channel, count in counts.items()
        if not channel & 1 << line and channel | 1 << line in counts
    ]

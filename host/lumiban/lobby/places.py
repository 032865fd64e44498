"""Places of the lobby's choices on a board: each screen has a shape that hands remember.

The first screen is a clock's face: what begins a game in the middle, all else around it at hours
that never change. A list lies in lines, to be counted from the left. `back` is always the last
cell of the last row. Cells that cannot be read are left out.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence

from lumiban.boards.profile import Profile
from lumiban.lobby.choices import (
    BACK,
    CARE,
    CLOCK,
    FIRST,
    GAME,
    HOME,
    LESSON,
    REMATCH,
    RESUME,
    SECOND,
    SIZE,
    START,
)

HOURS: Mapping[str, float] = {
    RESUME: 0,
    REMATCH: 0,
    GAME: 1.5,
    SIZE: 3,
    FIRST: 4.5,
    SECOND: 6,
    CLOCK: 7.5,
    LESSON: 9,
    CARE: 10.5,
}
"""The hour at which each choice of the first screen lies; the middle is START's. A game that waits
and one that has ended are never there together."""
REACH = 0.8
"""Distance of the hours from the middle, as a share of the way to the edge."""


MIN_CELLS = 16
"""A board with fewer has no room for the first screen and the list of players."""


def has_room(profile: Profile) -> bool:
    """True if a board is large enough for a lobby.

    >>> from lumiban.boards.profile import load
    >>> has_room(load("hex3")), has_room(load("strip5"))
    (True, False)
    """
    return len(profile.cells) >= MIN_CELLS


class Places:
    """Cells of a board's lobby; `blind` are cells that the board cannot read."""

    def __init__(self, profile: Profile, blind: Collection[int] = ()) -> None:
        self._places = profile.seen_mm
        self._free = [cell for cell in range(len(profile.cells)) if cell not in blind]
        self.rows = _rows(profile)
        """All cells, row by row from the far side, from the left."""
        self._order = {cell: n for n, cell in enumerate(cell for row in self.rows for cell in row)}
        self.back = next(
            cell for row in reversed(self.rows) for cell in reversed(row) if cell in self._free
        )
        self.ring = tuple(self._hour(hour, set()) for hour in range(12))
        """The cells at the twelve hours; on a small board some are the same."""
        self._home = self._of_home()

    def of(self, screen: str, choices: Sequence[str]) -> dict[str, int]:
        """Cell of each choice of a screen, by the choice's id."""
        if screen == HOME:
            return {one: self._home[one] for one in choices}
        listed = [one for one in choices if one != BACK]
        cells = dict(zip(listed, self._lines(len(listed)), strict=True))
        if BACK in choices:
            cells[BACK] = self.back
        return cells

    def side(self, side: int) -> tuple[int, ...]:
        """Row of cells nearest to a player: the first side sits near, the second far."""
        return self.rows[-1 if side == 0 else 0]

    def _of_home(self) -> dict[str, int]:
        middle = min(self._free, key=lambda cell: self._away(cell, 0, 0))
        cells = {START: middle}
        taken = {middle, self.back}
        for one, hour in HOURS.items():
            if one == REMATCH:
                cells[REMATCH] = cells[RESUME]
                continue
            cells[one] = self._hour(hour, taken)
            taken.add(cells[one])
        return cells

    def _hour(self, hour: float, taken: Collection[int]) -> int:
        """Free cell nearest to an hour on the clock's face."""
        angle = math.tau * hour / 12
        wide = REACH * max(abs(x) for x, _ in self._places)
        high = REACH * max(abs(y) for _, y in self._places)
        x, y = wide * math.sin(angle), -high * math.cos(angle)
        free = [cell for cell in self._free if cell not in taken] or self._free
        return min(free, key=lambda cell: self._away(cell, x, y))

    def _away(self, cell: int, x: float, y: float) -> tuple[int, int]:
        """Sort key of a cell by its distance from a place in mm, then by its number in reading
        order: the same on every machine."""
        own_x, own_y = self._places[cell]
        return round(math.hypot(own_x - x, own_y - y) * 10), self._order[cell]

    def _lines(self, count: int) -> list[int]:
        """This number of cells in the fewest lines around the middle row, with a gap of one cell
        where there is room; ValueError where the board has too few."""
        free = set(self._free) - {self.back}
        rows = [[cell for cell in row if cell in free] for row in self.rows]
        middle = (len(rows) - 1) / 2
        nearest = sorted(range(len(rows)), key=lambda n: (abs(n - middle), n))
        for lines in range(1, len(rows) + 1):
            for gap in (2, 1):
                # Lines with a row between them, where their cells have one too.
                apart = [n for n in nearest if gap == 1 or (n - nearest[0]) % 2 == 0]
                used = [rows[n][::gap] for n in sorted(apart[:lines])]
                if sum(map(len, used)) >= count:
                    return _centred(used, count)
        raise ValueError(f"no room for {count} choices on {len(free)} cells")


def _centred(rows: Sequence[Sequence[int]], count: int) -> list[int]:
    """This number of cells from these rows in reading order, in proportion to each row's length and
    from its middle."""
    shares = [0] * len(rows)
    for _ in range(count):
        open_rows = [n for n, row in enumerate(rows) if shares[n] < len(row)]
        shares[min(open_rows, key=lambda n: shares[n])] += 1
    cells: list[int] = []
    for row, share in zip(rows, shares, strict=True):
        left = (len(row) - share) // 2
        cells += row[left : left + share]
    return cells


def _rows(profile: Profile) -> tuple[tuple[int, ...], ...]:
    rows: dict[int, list[int]] = {}
    for number, (_, y) in enumerate(profile.seen_mm):
        rows.setdefault(round(y), []).append(number)
    return tuple(
        tuple(sorted(cells, key=lambda cell: profile.seen_mm[cell][0]))
        for _, cells in sorted(rows.items())
    )

"""Trivia on small squares solved turn by turn, by nothing that the product uses.

Cells are bits; a turn is two own stones and a red one, or what is left where two cells are. What a
side can do is tried whole turn by whole turn: the side that is asked for needs one turn that wins,
against every turn of the other. Positions that symmetries make equal are looked at once.
"""

from __future__ import annotations

from functools import lru_cache
from itertools import combinations


class SmallTrivia:
    """A square of this side; White has one stone on it, and Black is next."""

    def __init__(self, side: int) -> None:
        self.cells = side * side
        self.full = (1 << self.cells) - 1
        self.near = [
            sum(
                1 << (row + up) * side + column + along
                for up, along in ((0, 1), (1, 0), (0, -1), (-1, 0))
                if 0 <= row + up < side and 0 <= column + along < side
            )
            for row in range(side)
            for column in range(side)
        ]
        ways = []
        for turned in range(4):
            for is_flipped in (False, True):
                way = []
                for cell in range(self.cells):
                    row, column = divmod(cell, side)
                    for _ in range(turned):
                        row, column = column, side - 1 - row
                    way.append(row * side + (side - 1 - column if is_flipped else column))
                ways.append(way)
        self.ways = ways
        self.wins = lru_cache(maxsize=None)(self._wins)

    def openings(self) -> list[int]:
        """White's first cells, one of each class."""
        return sorted({min(way[cell] for way in self.ways) for cell in range(self.cells)})

    def groups(self, stones: int) -> list[int]:
        """Sizes of groups, the largest first."""
        found = []
        while stones:
            group = stones & -stones
            edge = group
            while edge:
                cell = (edge & -edge).bit_length() - 1
                edge &= edge - 1
                new = self.near[cell] & stones & ~group
                group |= new
                edge |= new
            found.append(group.bit_count())
            stones &= ~group
        return sorted(found, reverse=True)

    def turned(self, stones: int, way: list[int]) -> int:
        """Stones after a symmetry."""
        found = 0
        while stones:
            found |= 1 << way[(stones & -stones).bit_length() - 1]
            stones &= stones - 1
        return found

    def can_win(self, own: int, other: int, red: int) -> bool:
        """Whether the side to move, with the stones `own`, wins."""
        ways = self.ways if (own | other | red).bit_count() < self.cells // 2 else self.ways[:1]
        return self.wins(
            *min(tuple(self.turned(some, way) for some in (own, other, red)) for way in ways)
        )

    def _wins(self, own: int, other: int, red: int) -> bool:
        empty = self.full & ~(own | other | red)
        if not empty:
            return self.groups(own) > self.groups(other)
        cells = [cell for cell in range(self.cells) if empty >> cell & 1]
        if len(cells) == 2:
            return not self.can_win(other, own | empty, red)
        # Stones beside own ones first: large groups win.
        cells.sort(key=lambda cell: -(self.near[cell] & own).bit_count())
        for one, two in combinations(cells, 2):
            stones = own | 1 << one | 1 << two
            for third in cells:
                if third in (one, two):
                    continue
                if not self.can_win(other, stones, red | 1 << third):
                    return True
        return False

    def winner(self, opening: int) -> str:
        """Who wins after White's first stone."""
        return "black" if self.can_win(0, 1 << opening, 0) else "white"

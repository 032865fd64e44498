"""Cells, neighbours, lines and names: hexagons, rectangles and patches of hex cells.

Hex cells are axial (q, r): E = (+1, 0), NE = (+1, −1), r grows downwards. Rectangles are
(column, row) from the top left. Cell numbers run rows top to bottom, left to right; names are
letter and number, `a1` at the bottom left.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property, lru_cache

from lumiban.errors import GameError

HEX_STEPS = ((1, 0), (1, -1), (0, -1), (-1, 0), (-1, 1), (0, 1))
"""The six directions of hex cells, counter-clockwise from east."""
SQUARE_STEPS = ((1, 0), (0, -1), (-1, 0), (0, 1))
"""The four orthogonal directions of squares, counter-clockwise from east."""

HEXAGON, RECTANGLE, PATCH = "hexagon", "rectangle", "patch"


@dataclass(frozen=True)
class Grid:
    """A set of cells with their geometry; made by `hexagon`, `rectangle` or `patch`.

    >>> grid = hexagon(2)
    >>> len(grid), grid.names[:3], grid.name(grid.at(0, 0))
    (7, ('c1', 'c2', 'b1'), 'b2')
    >>> [grid.names[i] for i in grid.neighbours[grid.cell("c1")]]
    ['c2', 'b1', 'b2']
    """

    shape: str
    size: tuple[int, ...]
    cells: tuple[tuple[int, int], ...]
    """Coordinates of each cell, by cell number."""
    names: tuple[str, ...]
    """Name of each cell, by cell number."""

    def __len__(self) -> int:
        return len(self.cells)

    @property
    def is_hex(self) -> bool:
        """True if cells are hexagons."""
        return self.shape != RECTANGLE

    @property
    def directions(self) -> tuple[tuple[int, int], ...]:
        """The steps to the neighbours, counter-clockwise from east."""
        return HEX_STEPS if self.is_hex else SQUARE_STEPS

    @cached_property
    def _numbers(self) -> dict[tuple[int, int], int]:
        return {cell: i for i, cell in enumerate(self.cells)}

    @cached_property
    def _named(self) -> dict[str, int]:
        return {name: i for i, name in enumerate(self.names)}

    def at(self, q: int, r: int) -> int:
        """Number of the cell at (q, r); KeyError outside the grid."""
        return self._numbers[q, r]

    def find(self, q: int, r: int) -> int:
        """Number of the cell at (q, r), −1 outside the grid."""
        return self._numbers.get((q, r), -1)

    def name(self, cell: int) -> str:
        """Name of a cell number."""
        return self.names[cell]

    def cell(self, name: str) -> int:
        """Number of the cell with this name; GameError names the range when there is none.

        >>> hexagon(5).cell("a7")
        Traceback (most recent call last):
        lumiban.errors.GameError: no cell 'a7' here: a runs from a1 to a5
        """
        try:
            return self._named[name]
        except KeyError:
            raise GameError(f"no cell {name!r} here: {self._range_near(name)}") from None

    def _range_near(self, name: str) -> str:
        """Return the cells of the row (or column) that a wrong name speaks of."""
        letter = name.rstrip("0123456789")
        same = [known for known in self.names if known.rstrip("0123456789") == letter]
        if letter and same:
            numbers = sorted(int(known.removeprefix(letter)) for known in same)
            return f"{letter} runs from {letter}{numbers[0]} to {letter}{numbers[-1]}"
        letters = sorted({known.rstrip("0123456789") for known in self.names}, key=_letter_order)
        return f"letters run from {letters[0]} to {letters[-1]}"

    @cached_property
    def steps(self) -> tuple[tuple[int, ...], ...]:
        """Per cell the neighbour in each direction, −1 where the grid ends."""
        return tuple(
            tuple(self.find(q + dq, r + dr) for dq, dr in self.directions) for q, r in self.cells
        )

    @cached_property
    def neighbours(self) -> tuple[tuple[int, ...], ...]:
        """Per cell its neighbours, in the order of `directions`."""
        return tuple(tuple(n for n in row if n >= 0) for row in self.steps)

    @cached_property
    def rays(self) -> tuple[tuple[tuple[int, ...], ...], ...]:
        """Per cell and direction the cells along that line, nearest first, to the first gap."""
        return tuple(
            tuple(self._ray(cell, d) for d in range(len(self.directions)))
            for cell in range(len(self.cells))
        )

    def _ray(self, cell: int, direction: int) -> tuple[int, ...]:
        out = []
        cell = self.steps[cell][direction]
        while cell >= 0:
            out.append(cell)
            cell = self.steps[cell][direction]
        return tuple(out)

    @cached_property
    def lines(self) -> tuple[tuple[int, ...], ...]:
        """All maximal straight lines of two cells or more, each once."""
        half = len(self.directions) // 2
        return tuple(
            (cell, *self.rays[cell][d])
            for d in range(half)
            for cell in range(len(self.cells))
            if self.steps[cell][d + half] < 0 and self.steps[cell][d] >= 0
        )

    @cached_property
    def perimeter(self) -> tuple[int, ...]:
        """Cells with fewer neighbours than directions."""
        full = len(self.directions)
        return tuple(i for i, near in enumerate(self.neighbours) if len(near) < full)


MAX_HEXAGON, MAX_RECTANGLE = 12, 19
"""Cells along an edge of the largest grids that rules and studies know; boards end where the wire
counts no more cells."""


def _letters(n: int) -> str:
    return chr(ord("a") + n) if n < 26 else chr(ord("a") + n // 26 - 1) + chr(ord("a") + n % 26)


def _letter_order(letters: str) -> tuple[int, str]:
    return len(letters), letters


def _hex_grid(shape: str, size: tuple[int, ...], cells: Iterable[tuple[int, int]]) -> Grid:
    ordered = tuple(sorted(cells, key=lambda c: (c[1], c[0])))
    rows = sorted({r for _, r in ordered}, reverse=True)
    names = []
    for q, r in ordered:
        left = sum(1 for p, s in ordered if s == r and p < q)
        names.append(f"{_letters(rows.index(r))}{left + 1}")
    return Grid(shape, size, ordered, tuple(names))


@lru_cache(maxsize=32)
def hexagon(side: int) -> Grid:
    """The hexagon of hex cells with `side` cells along each edge, 2 to 12; GameError.

    >>> len(hexagon(5)), hexagon(5).names[-1]
    (61, 'a5')
    """
    if not 2 <= side <= MAX_HEXAGON:
        raise GameError(f"a hexagon has 2 to {MAX_HEXAGON} cells a side, not {side}")
    reach = side - 1
    cells = [
        (q, r)
        for r in range(-reach, reach + 1)
        for q in range(-reach, reach + 1)
        if abs(q + r) <= reach
    ]
    return _hex_grid(HEXAGON, (side,), cells)


@lru_cache(maxsize=32)
def rectangle(columns: int, rows: int) -> Grid:
    """The rectangle of squares, 2×2 to 19×19, size always columns × rows; GameError.

    >>> grid = rectangle(3, 2)
    >>> grid.names
    ('a2', 'b2', 'c2', 'a1', 'b1', 'c1')
    """
    if not (2 <= columns <= MAX_RECTANGLE and 2 <= rows <= MAX_RECTANGLE):
        raise GameError(
            f"a rectangle has 2 to {MAX_RECTANGLE} columns and rows, not {columns}×{rows}"
        )
    cells = tuple((c, r) for r in range(rows) for c in range(columns))
    names = tuple(f"{_letters(c)}{rows - r}" for c, r in cells)
    return Grid(RECTANGLE, (columns, rows), cells, names)


def patch(cells: Iterable[tuple[int, int]]) -> Grid:
    """Any non-empty set of hex cells, axial; GameError when empty or a cell comes twice.

    >>> patch([(0, 0), (1, 0), (0, 1)]).names
    ('b1', 'b2', 'a1')
    """
    listed = [(int(q), int(r)) for q, r in cells]
    if not listed:
        raise GameError("a patch needs at least one cell")
    if len(set(listed)) != len(listed):
        twice = next(c for c in listed if listed.count(c) > 1)
        raise GameError(f"the patch names the cell {twice} twice")
    return _hex_grid(PATCH, (len(listed),), listed)

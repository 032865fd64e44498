"""The turns and reflections of a grid that bring it onto itself."""

from __future__ import annotations

from functools import lru_cache

from lumiban.grid import Grid

_HEX = tuple(
    (a, b, c, d)
    for a, b, c, d in (
        (1, 0, 0, 1),
        (0, -1, 1, 1),
        (-1, -1, 1, 0),
        (-1, 0, 0, -1),
        (0, 1, -1, -1),
        (1, 1, -1, 0),
        (0, 1, 1, 0),
        (-1, 0, 1, 1),
        (-1, -1, 0, 1),
        (0, -1, -1, 0),
        (1, 0, -1, -1),
        (1, 1, 0, -1),
    )
)
"""(q, r) goes to (a·q + b·r, c·q + d·r): six turns, then six reflections."""
_SQUARE = tuple(matrix for s in (1, -1) for t in (1, -1) for matrix in ((s, 0, 0, t), (0, s, t, 0)))


@lru_cache(maxsize=32)
def symmetries(grid: Grid) -> tuple[tuple[int, ...], ...]:
    """All of them, each as the cell that every cell goes to; the first leaves all in place.

    >>> from lumiban.grid import hexagon, patch, rectangle
    >>> len(symmetries(hexagon(3))), len(symmetries(rectangle(3, 3)))
    (12, 8)
    >>> len(symmetries(rectangle(3, 2))), len(symmetries(patch([(0, 0), (1, 0), (0, 1)])))
    (4, 6)
    """
    found: dict[tuple[int, ...], None] = {}
    for a, b, c, d in _HEX if grid.is_hex else _SQUARE:
        turned = [(a * q + b * r, c * q + d * r) for q, r in grid.cells]
        # The least row and column go back to where the grid's own are.
        right = min(q for q, _ in grid.cells) - min(q for q, _ in turned)
        down = min(r for _, r in grid.cells) - min(r for _, r in turned)
        cells = tuple(grid.find(q + right, r + down) for q, r in turned)
        if -1 not in cells:
            found[cells] = None
    return tuple(found)

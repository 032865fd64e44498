"""Outlines of boards that a game may ask for, and which of their turns a rule allows."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache

from lumiban.errors import GameError
from lumiban.grid import Grid, hexagon, patch, rectangle

GEOMETRIES = ("hex", "square")
SHAPES = ("hexagon", "rhombus", "triangle", "rectangle", "star")
"""The shapes of boards of hexagons; squares make a rectangle."""


@lru_cache(maxsize=64)
def shaped(geometry: str, shape: str, size: int) -> Grid:
    """The cells of a shape with `size` cells along an edge; GameError lists the shapes.

    A star is a hexagon of that side with six triangles set on its edges.

    >>> [len(shaped("hex", shape, 3)) for shape in SHAPES], len(shaped("square", "", 3))
    ([19, 9, 6, 9, 37], 9)
    """
    if geometry == "square" and shape in ("", "rectangle"):
        return rectangle(size, size)
    if geometry == "hex" and shape in ("", "hexagon"):
        return hexagon(size)
    if geometry != "hex" or shape not in SHAPES:
        known = "rectangle" if geometry == "square" else ", ".join(SHAPES)
        raise GameError(f"there is no shape {shape!r} of {geometry} cells: there is {known}")
    if size < 2:
        raise GameError(f"a {shape} has 2 cells or more along an edge, not {size}")
    return patch(_cells(shape, size))


def _cells(shape: str, size: int) -> Iterable[tuple[int, int]]:
    if shape == "rhombus":
        return [(q, r) for r in range(size) for q in range(size)]
    if shape == "triangle":
        return [(q, r) for r in range(size) for q in range(size - 1 - r, size)]
    if shape == "rectangle":
        return [(q - r // 2, r) for r in range(size) for q in range(size)]
    reach = size - 1
    span = range(-2 * reach, 2 * reach + 1)
    up = [(q, r) for q in span for r in span if min(q, r, -q - r) >= -reach]
    down = [(q, r) for q in span for r in span if max(q, r, -q - r) <= reach]
    return sorted({*up, *down})


SYMMETRY = ("all", "turns", "half-turn", "none")


def turned(
    grid: Grid, found: Sequence[tuple[int, ...]], symmetry: str
) -> Iterator[tuple[int, ...]]:
    """Those of a grid's turns and reflections that a rule's `symmetry` allows; GameError.

    >>> from lumiban.games.kernel import symmetries
    >>> grid = hexagon(2)
    >>> [len(list(turned(grid, symmetries(grid), name))) for name in SYMMETRY]
    [12, 6, 2, 1]
    """
    if symmetry not in SYMMETRY:
        raise GameError(f"symmetry is one of {', '.join(SYMMETRY)}, not {symmetry!r}")
    still = tuple(range(len(grid)))
    for goes in found:
        turn = turn_of(grid, goes)
        if (
            symmetry == "all"
            or goes == still
            or (symmetry == "turns" and turn >= 0)
            or (symmetry == "half-turn" and turn == len(grid.directions) // 2)
        ):
            yield goes


def turn_of(grid: Grid, goes: Sequence[int]) -> int:
    """By how many directions the cells are turned, −1 if they are reflected."""
    ways = len(grid.directions)
    for cell, steps in enumerate(grid.steps):
        for way in range(ways):
            one, next_ = steps[way], steps[(way + 1) % ways]
            if one >= 0 and next_ >= 0:
                to = grid.steps[goes[cell]]
                first, second = to.index(goes[one]), to.index(goes[next_])
                return (first - way) % ways if (second - first) % ways == 1 else -1
    return 0

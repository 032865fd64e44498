"""Bringing doves that have drifted back to the middle of the board: which way, in which order.

The rules are suspended meanwhile: it is no turn, and positions faced mean the same wherever they
lie.
"""

from __future__ import annotations

from collections.abc import Iterable

Place = tuple[int, int]
"""Column and row on the board."""


def middle(first: int, count: int, width: int) -> tuple[int, int]:
    """The lowest and highest line at which a box of `width` lines lies in the middle of `count`.

    >>> middle(0, 9, 4), middle(1, 7, 3)
    ((2, 3), (3, 3))
    """
    spare = count - width
    return first + spare // 2, first + (spare + 1) // 2


def way_back(low: int, width: int, first: int, count: int) -> int:
    """By how many lines a box that begins at `low` goes to lie in the middle.

    >>> way_back(0, 4, 0, 9), way_back(3, 4, 0, 9), way_back(5, 4, 0, 9)
    (2, 0, -2)
    """
    lowest, highest = middle(first, count, width)
    return lowest - low if low < lowest else highest - low if low > highest else 0


def slides(doves: Iterable[Place], way: Place) -> tuple[tuple[Place, Place], ...]:
    """Where each dove comes from and goes to, farthest along the way first.

    A dove's goal is free then: a dove on it would be farther along, and has gone already.

    >>> slides([(0, 0), (1, 0)], (1, 0))
    (((1, 0), (2, 0)), ((0, 0), (1, 0)))
    """
    columns, rows = way
    if way == (0, 0):
        return ()
    ordered = sorted(doves, key=lambda dove: (-(dove[0] * columns + dove[1] * rows), dove))
    return tuple(((c, r), (c + columns, r + rows)) for c, r in ordered)

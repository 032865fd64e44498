"""The coach's moves in light: where the best one acts, and where the next best do."""

from __future__ import annotations

from collections.abc import Sequence

from lumiban.games.api import Mark
from lumiban.scene import types as means

MOST = 3
"""Moves that are marked; more would hide the board."""


def advised(side: int, ranked: Sequence[Sequence[int]]) -> list[Mark]:
    """Marks for moves by rank, each as the cells on which it acts; a cell belongs to the best.

    >>> [(mark.cell, mark.meaning) for mark in advised(0, [(4,), (4, 5)])]
    [(4, 'advice'), (5, 'advice-also')]
    """
    found: dict[int, Mark] = {}
    for rank, cells in enumerate(ranked[:MOST]):
        meaning = means.ADVICE if rank == 0 else means.ADVICE_ALSO
        for cell in cells:
            found.setdefault(cell, Mark(cell, meaning, side))
    return list(found.values())

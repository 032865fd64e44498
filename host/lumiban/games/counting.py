"""The end of a game as people count it: steps of marks on what each side has."""

from __future__ import annotations

from collections.abc import Sequence

from lumiban.games import mark_kinds
from lumiban.games.kernel import groups_of
from lumiban.games.types import Mark


def counted_groups(
    neighbours: Sequence[Sequence[int]], stones: Sequence[int], kinds: tuple[int, int], ranks: int
) -> tuple[tuple[Mark, ...], ...]:
    """The groups of two kinds as a cascade compares them, largest first: a step for each of the
    first `ranks`, with the one group of that rank of either side.

    >>> steps = counted_groups([(1,), (0, 2), (1, 3), (2,)], [1, 1, -1, 0], (1, -1), 1)
    >>> [[(mark.cell, mark.side) for mark in step] for step in steps]
    [[(0, 0), (1, 0), (2, 1)]]
    """
    groups = groups_of(neighbours, stones)
    by_size = [
        sorted((g for g in groups if stones[g[0]] == kind), key=lambda group: (-len(group), group))
        for kind in kinds
    ]
    return tuple(
        tuple(
            Mark(cell, mark_kinds.OWNED, side)
            for side, own in enumerate(by_size)
            for cell in (sorted(own[rank]) if rank < len(own) else ())
        )
        for rank in range(ranks)
    )


def counted_cells(sides: Sequence[Sequence[int]], a_step: int = 5) -> tuple[tuple[Mark, ...], ...]:
    """Cells of each side as hands count them: one side after the other, some more at each step.

    >>> steps = counted_cells([[3, 4, 5], [9]], 2)
    >>> [[(mark.cell, mark.side) for mark in step] for step in steps]
    [[(3, 0), (4, 0)], [(3, 0), (4, 0), (5, 0)], [(3, 0), (4, 0), (5, 0), (9, 1)]]
    """
    steps, lit = [], []
    for side, cells in enumerate(sides):
        for at in range(0, len(cells), a_step):
            lit += [Mark(cell, mark_kinds.OWNED, side) for cell in cells[at : at + a_step]]
            steps.append(tuple(lit))
    return tuple(steps)

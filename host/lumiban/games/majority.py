"""The stones that a cell sees, and which colour has more of them.

A cell sees the stones next to it or, under *sight*, the nearest stone along each of its lines.
Its *lean* is the white minus the black stones among them; the stone on the cell does not count.

The kernels keep the lean up to date stone by stone, on boards of hex cells: `near` is where the
six neighbours of each cell begin in `plan`, in the order of the grid's directions with −1 where
the board ends; `stone` and `lean` are where stones and lean begin in `board`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from lumiban.games.kernel import kernel
from lumiban.grid import Grid


def seen_from(grid: Grid, stones: Sequence[int], cell: int, *, sight: bool) -> tuple[int, ...]:
    """The cells of the stones that a cell sees, in the order of directions.

    >>> from lumiban.grid import hexagon
    >>> grid, stones = hexagon(2), [1, 0, 0, 0, -1, 0, 0]
    >>> seen_from(grid, stones, 2, sight=False), seen_from(grid, stones, 2, sight=True)
    ((0,), (4, 0))
    """
    found = []
    for ray in grid.rays[cell]:
        reach = ray if sight else ray[:1]
        nearest = next((c for c in reach if stones[c] != 0), None)
        if nearest is not None:
            found.append(nearest)
    return tuple(found)


def leaning(plan: Sequence[int], near: int, stones: Sequence[int], *, sight: bool) -> list[int]:
    """The lean of each cell, counted from scratch."""
    lean = [0] * len(stones)
    for cell, stone in enumerate(stones):
        if stone == 0:
            continue
        for k in range(6):
            j = plan[near + 6 * cell + k]
            while j >= 0:
                lean[j] += stone
                if not sight or stones[j] != 0:
                    break
                j = plan[near + 6 * j + k]
    return lean


@kernel
def sway(plan: Any, near: int, board: Any, stone: int, lean: int, c: int, me: int) -> None:
    """Update the lean under sight after a stone came to `c` or went from it, a gain for `me`.

    Along each line, cells up to the next stone saw past `c` to what lies behind it and now see
    the new stone, or the other way round.
    """
    came = board[stone + c] != 0
    for k in range(6):
        back = k + 3 if k < 3 else k - 3
        behind = 0
        j = plan[near + 6 * c + back]
        while j >= 0:
            behind = board[stone + j]
            if behind != 0:
                break
            j = plan[near + 6 * j + back]
        change = me - behind if came else me + behind
        if change != 0:
            j = plan[near + 6 * c + k]
            while j >= 0:
                board[lean + j] += change
                if board[stone + j] != 0:
                    break
                j = plan[near + 6 * j + k]

"""How a State of Control lies in its three arrays, and the constant one, the plan.

The plan tells the rules and the geometry: the number of cells, actions a turn, 1 for sight; then
by cell its six neighbours in the order of directions (−1 where the board ends), 1 where the first
stone may go, the set of its neighbours as a word with one bit a cell (boards up to 61 cells); at
last the keys of each white stone, each black stone, Black's turn and a turn half done.

The board tells the position: mover, actions left in the turn, stones, key, positions faced, how
it is drawn; by cell +1 for White, −1 for Black, 0 when empty; by cell its *lean*, the white minus
the black stones that it sees; under sight the keys of the positions faced.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from lumiban.games.bits import WORD
from lumiban.games.kernel import hash_table
from lumiban.games.majority import leaning
from lumiban.grid import hexagon

# Places in the plan.
CELLS, ACTIONS, SIGHT = 0, 1, 2
NEAR = 3
"""Where the neighbours begin; the rest follows at multiples of the number of cells."""

# Places in the board.
MOVER, LEFT, STONES, KEY, FACED, DRAWN = 0, 1, 2, 3, 4, 5
STONE = 6
"""Where the stones begin; the lean and the positions faced follow."""

REPEATED, FORGOTTEN = 1, 2
"""What `DRAWN` says: a position came again; or there was no room to remember another."""

ROOM = 1024
"""Positions that a State under sight can face beyond those of the game so far."""


@lru_cache(maxsize=32)
def plan_of(side: int, *, perimeter: bool, actions: int, sight: bool) -> list[int]:
    """The plan for a hexagon with `side` cells an edge; shared by all its States, never changed.

    `perimeter` keeps the first stone to the perimeter, `actions` make a turn.
    """
    grid = hexagon(side)
    cells = len(grid)
    first = set(grid.perimeter) if perimeter else set(range(cells))
    return [
        cells,
        actions,
        int(sight),
        *(near for row in grid.steps for near in row),
        *(int(cell in first) for cell in range(cells)),
        *hash_table(2 * cells + 2, 0xC0117801 + side),
        *(
            sum(1 << (near - first) for near in row if 0 <= near - first < WORD)
            for row in grid.neighbours
            for first in range(0, cells, WORD)
        ),
    ]


def board_of(
    plan: Sequence[int],
    stones: Sequence[int],
    mover: int,
    left: int,
    faced: Sequence[int] = (),
) -> list[int]:
    """The board with these stones; `faced` are the keys of the positions before (sight only)."""
    cells = plan[CELLS]
    hashes = plan[NEAR + 7 * cells :]
    key = 0
    for cell, stone in enumerate(stones):
        if stone:
            key ^= hashes[cell if stone > 0 else cells + cell]
    if mover == 1:
        key ^= hashes[2 * cells]
    if left < plan[ACTIONS]:
        key ^= hashes[2 * cells + 1]
    known = [*faced, key] if plan[SIGHT] else []
    return [
        mover,
        left,
        cells - stones.count(0),
        key,
        len(known),
        REPEATED if key in faced else 0,
        *stones,
        *leaning(plan, NEAR, stones, sight=plan[SIGHT] != 0),
        *known,
        *([0] * ROOM if plan[SIGHT] else ()),
    ]

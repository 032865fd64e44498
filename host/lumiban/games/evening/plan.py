"""How a State of Evening lies in its three arrays, and the constant one, the plan.

The plan tells the rules and the geometry: the number of cells, 1 for the turnless form, what a
cell sees, what wins, 1 for ties by odd and even; then by cell its six neighbours in the order of
directions (−1 where the board ends); the keys of each white stone, each black stone, White's
stand and Black's; at last, on boards of up to 61 cells, the set of each cell's neighbours as a
word with one bit a cell.

The board tells the position: who stands (1 White, 2 Black) by word and whether the side that leads
has the turn, stones in all, white minus
black ones, the largest group there has been, key; then by cell +1 for White, −1 for Black, 0 when
empty; its *lean*, what it sees of White minus what it sees of Black (of empty cells only, where a
cell sees groups); root, ring and size of its group (see `groups`); at last, for each size from 0
on, White's groups of that size minus Black's.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from lumiban.games.bits import WORD
from lumiban.games.kernel import hash_table
from lumiban.grid import Grid

SEES = ("groups", "adjacent", "sight")
"""What a cell may see; the plan holds the place in this list."""
WINS = ("cascade", "stones")
TIES = ("even", "odd-even")
GROUPS, ADJACENT, SIGHT = 0, 1, 2

# Places in the plan.
CELLS, TURNLESS, LOOKS, BY_STONES, ODD_EVEN = 0, 1, 2, 3, 4
NEAR = 5
"""Where the neighbours begin; keys and words follow at multiples of the number of cells."""

# Places in the board.
STANDS, STONES, AHEAD, LARGEST, KEY = 0, 1, 2, 3, 4
FIRST = 4
"""Among the stands: for one turn it is the side that leads who places, or leaves it to the other
by a stand that lasts no longer. So a search compares acting now with waiting."""
STONE = 5
"""Where the stones begin; lean, root, ring, size and the table of sizes follow, each by cell."""

# Places in the scratch.
FOUND, STAMP, MARK = 0, 6, 7
"""Roots found next to a cell; the number of the last look around a group; by cell the last look
that came by. Then, for playouts in words, by root what lies around the group; then planes."""
PLANES = 7
"""Bits of a lean between −61 and 61 in two's complement."""


@lru_cache(maxsize=32)
def plan_of(grid: Grid, *, turnless: bool, sees: str, wins: str, tie: str) -> list[int]:
    """The plan for a grid of hex cells; shared by all its States, never changed."""
    cells = len(grid)
    plan = [
        cells,
        int(turnless),
        SEES.index(sees),
        WINS.index(wins),
        TIES.index(tie),
        *(near for row in grid.steps for near in row),
        *hash_table(2 * cells + 2, 0xE7E0176 + cells),
    ]
    if cells <= WORD:
        plan += [sum(1 << near for near in row) for row in grid.neighbours]
    return plan


def board_without_stones(plan: Sequence[int]) -> list[int]:
    """The board before the first stone."""
    cells = plan[CELLS]
    return [0] * (STONE + 6 * cells + 1)


def scratch_for(plan: Sequence[int]) -> list[int]:
    """Scratch for a board of this size."""
    return [0] * (MARK + 2 * plan[CELLS] + PLANES)

"""How a State of Trivia lies in its three arrays, what a turn owes, and how many stones come.

The plan tells the geometry: the number of cells; by cell its four neighbours in the order of
directions (−1 where the board ends); then the keys of each white, each black and each red stone.
Stones alone tell whose turn it is and what it still owes, so that they alone make the key.

The board tells the position: mover, own stones and red stones still owed in the turn, stones in
all, key; whether `moves` keeps to one order of a turn (the search sets it); then by cell what
stands there, as a `Kind`.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from lumiban.games.kernel import hash_table
from lumiban.grid import rectangle

# Places in the plan.
CELLS = 0
NEAR = 1
"""Where the neighbours begin, four a cell; the keys follow."""

# Places in the board.
MOVER, OWN, RED, STONES, KEY, ORDERED = 0, 1, 2, 3, 4, 5
STONE = 6
"""Where the stones begin."""

TURN_OWN, TURN_RED = 2, 1
"""What a turn owes, but for the first and a short last one."""


@lru_cache(maxsize=16)
def plan_of(side: int) -> list[int]:
    """The plan for a board with `side` cells an edge; shared by all its States, never changed."""
    grid = rectangle(side, side)
    cells = len(grid)
    return [
        cells,
        *(near for row in grid.steps for near in row),
        *hash_table(3 * cells, 0x781714 + side),
    ]


def board_of(plan: Sequence[int], stones: Sequence[int], turn: Sequence[int]) -> list[int]:
    """The board with these stones (a kind each); `turn` is (mover, own owed, red owed)."""
    cells = plan[CELLS]
    keys = plan[NEAR + 4 * cells :]
    key = 0
    for cell, kind in enumerate(stones):
        if kind:
            key ^= keys[(kind - 1) * cells + cell]
    return [*turn, cells - stones.count(0), key, 0, *stones]


def turn_after(cells: int, white: int, black: int, red: int) -> tuple[int, int, int] | None:
    """(mover, own owed, red owed) once so many stones lie on a board of `cells`; None where no
    game comes to such counts.

    >>> turn_after(81, 1, 0, 0), turn_after(81, 1, 1, 1), turn_after(81, 2, 0, 0)
    ((1, 2, 1), (1, 1, 0), None)
    >>> turn_after(9, 3, 3, 2), turn_after(9, 3, 4, 2), turn_after(9, 3, 3, 3)
    ((1, 1, 0), (0, 0, 0), None)
    """
    placed = white + black + red
    if placed == 0:
        return 0, 1, 0
    if placed > cells:
        return None
    turns, into = divmod(placed - 1, TURN_OWN + TURN_RED)
    mover = 1 if turns % 2 == 0 else 0
    begun = cells - (placed - into)
    owed_own = min(TURN_OWN, begun)
    owed_red = min(TURN_RED, begun - owed_own)
    own = (white - 1, black)[mover] - TURN_OWN * (turns // 2)
    other = (black, white - 1)[mover] - TURN_OWN * ((turns + 1) // 2)
    left_own, left_red = owed_own - own, owed_red - (red - turns)
    if other or not (0 <= left_own <= owed_own and 0 <= left_red <= owed_red):
        return None
    if into and left_own + left_red == 0:
        # A short last turn is over, and with it the game.
        mover = 1 - mover
    return mover, left_own, left_red


def supply_of(side: int) -> tuple[int, int, int]:
    """How many white, black and red stones a whole game takes: always exactly these.

    >>> supply_of(9), supply_of(2)
    ((27, 28, 26), (1, 2, 1))
    """
    left = side * side - 1
    counts = [1, 0, 0]
    mover = 1
    while left > 0:
        own = min(TURN_OWN, left)
        red = min(TURN_RED, left - own)
        counts[mover] += own
        counts[2] += red
        left -= own + red
        mover = 1 - mover
    return counts[0], counts[1], counts[2]

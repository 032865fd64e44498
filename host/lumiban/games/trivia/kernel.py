"""Trivia's kernel: the State that rules, bots and solvers share.

A State lies in three arrays. The constant one, the plan, tells the geometry: the number of cells,
and of directions, four on squares and six on hexagons; by cell its neighbours in the order of
directions (−1 where the board ends); then the keys of each white, each black and each red stone.
Stones alone tell whose turn it is and what it still owes, so that they alone make the key.

The board tells the position: mover, own stones and red stones still owed in the turn, stones in
all, key; whether `moves` keeps to one order of a turn (the search sets it); then by cell what
stands there, as a `Kind`.

Moves are ints: a cell number puts an own stone there, twice the number of cells plus a cell number
a red one. One move is one placement; the board holds what the turn still owes.

At the end: who leads, and a random game in which stones seek each other.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Any, NamedTuple

from lumiban.games.accelerated import Accelerator
from lumiban.games.grid_view import GridView
from lumiban.games.kernel import (
    copy_words,
    first_difference,
    hash_table,
    inlined,
    kernel,
    randint_below,
)
from lumiban.games.types import Move, SearchHints
from lumiban.grid import Grid

# Places in the plan.
CELLS, WAYS = 0, 1
NEIGHBOURS = 2
"""Index at which the neighbours begin, one for each direction a cell; the keys follow."""

# Places in the board.
MOVER, OWN, RED, STONES, KEY, ORDERED = 0, 1, 2, 3, 4, 5
STONE = 6
"""Index at which the stones begin."""

TURN_OWN, TURN_RED = 2, 1
"""Stones of a full turn; the first turn and a short last one differ."""


HEX_KEYS = 0x100
"""Added to the seed of the keys on hexagons."""


@lru_cache(maxsize=16)
def plan_of(grid: Grid) -> list[int]:
    """The plan for a board; shared by all its States, never changed."""
    cells = len(grid)
    return [
        cells,
        len(grid.directions),
        *(near for row in grid.steps for near in row),
        *hash_table(3 * cells, 0x781714 + grid.size[0] + (HEX_KEYS if grid.is_hex else 0)),
    ]


def board_of(plan: Sequence[int], stones: Sequence[int], turn: Sequence[int]) -> list[int]:
    """The board with these stones (a kind each); `turn` is (mover, own owed, red owed)."""
    cells = plan[CELLS]
    keys = plan[NEIGHBOURS + plan[WAYS] * cells :]
    key = 0
    for cell, kind in enumerate(stones):
        if kind:
            key ^= keys[(kind - 1) * cells + cell]
    return [*turn, cells - stones.count(0), key, 0, *stones]


class TriviaState(NamedTuple):
    """One position of Trivia."""

    plan: Any
    """Constant: the geometry."""
    board: Any
    """The position."""
    scratch: Any
    """Used by `playout` and `outcome`; holds nothing between calls."""

    def assign(self, other: Any) -> None:
        """Become a copy of `other`, a State of the same game."""
        copy_words(self.board, other.board, 0, len(self.board))

    def mover(self) -> int:
        """The side to move."""
        side: int = self.board[MOVER]
        return side

    def moves(self, out: Any) -> int:
        """Write all moves into `out`, own stones before red ones, each by cell number, and
        return how many there are. Where the board is `ORDERED`, red ones only once no own stone is
        owed."""
        board = self.board
        cells = self.plan[CELLS]
        n = 0
        if board[OWN] > 0:
            for c in range(cells):
                if board[STONE + c] == 0:
                    out[n] = c
                    n += 1
        if board[RED] > 0 and (n == 0 or board[ORDERED] == 0):
            for c in range(cells):
                if board[STONE + c] == 0:
                    out[n] = 2 * cells + c
                    n += 1
        return n

    def play(self, move: int) -> None:
        """Make a legal move."""
        plan = self.plan
        board = self.board
        cells = plan[CELLS]
        mover = board[MOVER]
        keys = NEIGHBOURS + plan[WAYS] * cells
        if move < cells:
            board[STONE + move] = mover + 1
            board[OWN] -= 1
            board[KEY] ^= plan[keys + mover * cells + move]
        else:
            board[STONE + move - 2 * cells] = 3
            board[RED] -= 1
            board[KEY] ^= plan[keys + move]
        board[STONES] += 1
        if board[OWN] + board[RED] == 0:
            left = cells - board[STONES]
            board[MOVER] = 1 - mover
            board[OWN] = TURN_OWN if left > TURN_OWN else left
            board[RED] = TURN_RED if left > TURN_OWN else 0

    def outcome(self) -> int:
        """−1 while there are empty cells, then 1 if White has won, 2 if Black has."""
        if self.board[STONES] < self.plan[CELLS]:
            return -1
        code: int = leader(self.plan, self.board, self.scratch)
        return code

    def playout(self, rng: Any, trace: Any) -> int:
        """Play on at random to the end; the moves go to `trace`; returns the outcome's code.

        Each turn is drawn evenly among all turns; its own stones come first in the trace. Where
        the board is `ORDERED`, stones are drawn to each other instead. What the State holds
        afterwards is not defined: `assign` it again.
        """
        tries = TRIES if self.board[ORDERED] != 0 else 1
        code: int = drawn(self.plan, self.board, self.scratch, rng, trace, tries)
        return code

    def key(self) -> int:
        """A 63-bit hash of the stones, which tell whose turn it is."""
        hashed: int = self.board[KEY]
        return hashed


def fresh(plan: list[int], stones: Sequence[int], turn: Sequence[int]) -> TriviaState:
    """A State with these stones (a kind each) on lists of ints; `turn` is (mover, own stones
    owed, red stones owed)."""
    return TriviaState(plan, board_of(plan, stones, turn), [0] * (2 * len(stones) + 1))


class TriviaKernel(Accelerator):
    """The kernel of a game of Trivia."""

    def __init__(self, game: Any) -> None:
        cells = len(game.grid)
        self._plan = plan_of(game.grid)
        self.keys = tuple(self._plan[-3 * cells :])
        self.capacity = 2 * cells, cells
        """An own or a red stone on any cell; as many moves as there are cells."""

    def state(self, board: GridView, history: Sequence[Move]) -> TriviaState:
        """A State of this board."""
        stones = [holds + 1 for holds in board]
        return fresh(self._plan, stones, (board.mover, board.own, board.red))

    def search_state(self, board: GridView, history: Sequence[Move]) -> TriviaState:
        """Own stones before the red one: every turn can be played so."""
        state = self.state(board, history)
        state.board[ORDERED] = 1
        return state

    def hints(self, board: GridView) -> SearchHints:
        """Stones stay where they are, so that GRAVE learns from all of a random game."""
        mover, left, sides = board.mover, board.own + board.red, list[int]()
        for _ in range(self.capacity[1] + 2):
            sides.append(mover)
            left -= 1
            if left == 0:
                mover, left = 1 - mover, TURN_OWN + TURN_RED
        return SearchHints("grave", codes=3 * len(board), sides=sides, commutes=True)


TRIES = 2
"""Cells that a stone has to choose from; in `docs/search.md` others are tried."""


@inlined
def count_beside(plan: Any, scratch: Any, near: int, beside: int, unit: int) -> None:
    """Count a stone at each of its neighbours, whose numbers begin at `near` in the plan."""
    scratch[beside + plan[near]] += unit
    scratch[beside + plan[near + 1]] += unit
    scratch[beside + plan[near + 2]] += unit
    scratch[beside + plan[near + 3]] += unit
    if plan[WAYS] == 6:
        scratch[beside + plan[near + 4]] += unit
        scratch[beside + plan[near + 5]] += unit


@kernel
def drawn(plan: Any, board: Any, scratch: Any, rng: Any, trace: Any, tries: int) -> int:
    """A random game to the end in which each stone takes the best of a number of random cells.

    An own stone goes where more of its own are next to it, a red one where more of the enemy's
    are. Returns the outcome's code; the moves go to `trace`, own stones of a turn first.
    """
    cells, ways = plan[CELLS], plan[WAYS]
    mover, own, red = board[MOVER], board[OWN], board[RED]
    # By cell, in front of it one for all that lies outside: white neighbours, and 8 for each black.
    beside = cells + 1
    for i in range(cells, 2 * cells + 1):
        scratch[i] = 0
    left = 0
    for c in range(cells):
        kind = board[STONE + c]
        if kind == 0:
            scratch[left] = c
            left += 1
        elif kind < 3 and tries > 1:
            near = NEIGHBOURS + ways * c
            unit = 1 if kind == 1 else 8
            count_beside(plan, scratch, near, beside, unit)
    n = trace[0]
    while left > 0:
        sought = 3 * mover if own > 0 else 3 - 3 * mover
        k = randint_below(rng, left)
        most = (scratch[beside + scratch[k]] >> sought) & 7
        for _ in range(tries - 1):
            j = randint_below(rng, left)
            here = (scratch[beside + scratch[j]] >> sought) & 7
            if here > most:
                most = here
                k = j
        left -= 1
        c = scratch[k]
        scratch[k] = scratch[left]
        n += 1
        if own > 0:
            own -= 1
            board[STONE + c] = mover + 1
            trace[n] = c
            if tries > 1:
                near = NEIGHBOURS + ways * c
                unit = 1 + 7 * mover
                count_beside(plan, scratch, near, beside, unit)
        else:
            red -= 1
            board[STONE + c] = 3
            trace[n] = 2 * cells + c
        if own + red == 0:
            mover = 1 - mover
            own = TURN_OWN
            red = TURN_RED if left > TURN_OWN else 0
    trace[0] = n
    code: int = leader(plan, board, scratch)
    return code


@kernel
def leader(plan: Any, board: Any, scratch: Any) -> int:
    """Leader of the cascade of groups: 1 White, 2 Black, 0 nobody.

    In `scratch`, two ints a cell and one more: the cells of a group, then by size how many more
    white than black groups have it. The largest size of which there are not equally many decides.
    """
    cells, ways = plan[CELLS], plan[WAYS]
    for i in range(cells, 2 * cells + 1):
        scratch[i] = 0
    for c in range(cells):
        kind = board[STONE + c]
        if kind == 1 or kind == 2:
            # A cell already counted holds its kind with the sign turned.
            board[STONE + c] = -kind
            scratch[0] = c
            size = 1
            at = 0
            while at < size:
                first = NEIGHBOURS + ways * scratch[at]
                at += 1
                for k in range(first, first + ways):
                    j = plan[k]
                    if j >= 0 and board[STONE + j] == kind:
                        board[STONE + j] = -kind
                        scratch[size] = j
                        size += 1
            scratch[cells + size] += 3 - 2 * kind
    for c in range(cells):
        if board[STONE + c] < 0:
            board[STONE + c] = -board[STONE + c]
    more = first_difference(scratch, cells, cells)
    return 0 if more == 0 else 1 if more > 0 else 2

"""Trivia's kernel: the State that rules, bots and solvers share.

Moves are ints: a cell number puts an own stone there, the number of cells plus a cell number a
red one. One move is one placement; the board holds what the turn still owes. `plan` says where
everything lies.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from lumiban.games.groups import first_difference
from lumiban.games.kernel import below, kernel
from lumiban.games.trivia.plan import (
    CELLS,
    KEY,
    MOVER,
    NEAR,
    ORDERED,
    OWN,
    RED,
    STONE,
    STONES,
    TURN_OWN,
    TURN_RED,
    board_of,
    plan_of,
)


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
        self.board[:] = other.board[:]

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
                    out[n] = cells + c
                    n += 1
        return n

    def play(self, move: int) -> None:
        """Make a legal move."""
        plan = self.plan
        board = self.board
        cells = plan[CELLS]
        mover = board[MOVER]
        keys = NEAR + 4 * cells
        if move < cells:
            board[STONE + move] = mover + 1
            board[OWN] -= 1
            board[KEY] ^= plan[keys + mover * cells + move]
        else:
            board[STONE + move - cells] = 3
            board[RED] -= 1
            board[KEY] ^= plan[keys + cells + move]
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

        Each turn is drawn evenly among all turns; its own stones come first in the trace. What
        the State holds afterwards is not defined: `assign` it anew.
        """
        board = self.board
        empty = self.scratch
        cells = self.plan[CELLS]
        mover, own, red = board[MOVER], board[OWN], board[RED]
        left = 0
        for c in range(cells):
            if board[STONE + c] == 0:
                empty[left] = c
                left += 1
        n = trace[0]
        while left > 0:
            k = below(rng, left)
            left -= 1
            c = empty[k]
            empty[k] = empty[left]
            n += 1
            if own > 0:
                own -= 1
                board[STONE + c] = mover + 1
                trace[n] = c
            else:
                red -= 1
                board[STONE + c] = 3
                trace[n] = cells + c
            if own + red == 0:
                mover = 1 - mover
                own = TURN_OWN
                red = TURN_RED if left > TURN_OWN else 0
        trace[0] = n
        code: int = leader(self.plan, board, self.scratch)
        return code

    def key(self) -> int:
        """A 63-bit hash of the stones, which tell whose turn it is."""
        hashed: int = self.board[KEY]
        return hashed


@kernel
def leader(plan: Any, board: Any, scratch: Any) -> int:
    """Who leads the cascade of groups: 1 White, 2 Black, 0 nobody.

    In `scratch`, two ints a cell and one more: the cells of a group, then by size how many more
    white than black groups have it. The largest size of which there are not equally many decides.
    """
    cells = plan[CELLS]
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
                first = NEAR + 4 * scratch[at]
                at += 1
                for k in range(first, first + 4):
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


def fresh(side: int, stones: Sequence[int], turn: Sequence[int]) -> TriviaState:
    """A State with these stones (a kind each) on lists of ints; `turn` is (mover, own stones
    owed, red stones owed)."""
    plan = plan_of(side)
    return TriviaState(plan, board_of(plan, stones, turn), [0] * (2 * len(stones) + 1))

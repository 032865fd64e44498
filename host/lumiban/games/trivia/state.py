"""Trivia's kernel: the State that rules, bots and solvers share.

Moves are ints: a cell number puts an own stone there, the number of cells plus a cell number a
red one. One move is one placement; the board holds what the turn still owes. `plan` says where
everything lies.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from lumiban.games.kernel import below
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
from lumiban.games.trivia.playouts import drawn_together, leader


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

        Each turn is drawn evenly among all turns; its own stones come first in the trace. Where
        the board is `ORDERED`, stones are drawn to each other instead. What the State holds
        afterwards is not defined: `assign` it anew.
        """
        board = self.board
        code: int
        if board[ORDERED] != 0:
            code = drawn_together(self.plan, board, self.scratch, rng, trace)
            return code
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
        code = leader(self.plan, board, self.scratch)
        return code

    def key(self) -> int:
        """A 63-bit hash of the stones, which tell whose turn it is."""
        hashed: int = self.board[KEY]
        return hashed


def fresh(side: int, stones: Sequence[int], turn: Sequence[int]) -> TriviaState:
    """A State with these stones (a kind each) on lists of ints; `turn` is (mover, own stones
    owed, red stones owed)."""
    plan = plan_of(side)
    return TriviaState(plan, board_of(plan, stones, turn), [0] * (2 * len(stones) + 1))

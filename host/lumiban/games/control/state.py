"""Control's kernel: the rules on flat int arrays, one text for CPython and for the compiler.

A move is a cell number for a placement, the number of cells plus the cell for a removal. Either
way the mover gains one: a stone more of their own or one less of the enemy's, so that every cell
that sees it leans one towards them. `plan` says where everything lies.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from lumiban.games.bits import WORD
from lumiban.games.control.plan import (
    ACTIONS,
    CELLS,
    DRAWN,
    FACED,
    FORGOTTEN,
    KEY,
    LEFT,
    MOVER,
    NEAR,
    REPEATED,
    SIGHT,
    STONE,
    STONES,
    board_of,
    plan_of,
)
from lumiban.games.control.playouts import RECORD, in_one_word, in_words
from lumiban.games.kernel import below, kernel
from lumiban.games.majority import sway


class ControlState(NamedTuple):
    """One position of Control. Few arrays, since compiled calls pay for each of them."""

    plan: Any
    """Constant: rules and geometry."""
    board: Any
    """The position."""
    scratch: Any
    """Used by `playout`; holds nothing between calls."""

    def assign(self, other: Any) -> None:
        """Become a copy of `other`, a State of the same game."""
        used = STONE + 2 * self.plan[CELLS] + other.board[FACED]
        self.board[:used] = other.board[:used]

    def mover(self) -> int:
        """The side to move."""
        side: int = self.board[MOVER]
        return side

    def moves(self, out: Any) -> int:
        """Write all moves into `out`, by cell number, and return how many there are."""
        board = self.board
        cells = self.plan[CELLS]
        n = 0
        if board[DRAWN] != 0:
            return 0
        if board[STONES] == 0:
            first = NEAR + 6 * cells
            for c in range(cells):
                if self.plan[first + c] != 0:
                    out[n] = c
                    n += 1
            return n
        me = 1 - 2 * board[MOVER]
        lean = STONE + cells
        for c in range(cells):
            own = board[STONE + c] * me
            if own == 0:
                if board[lean + c] * me >= 0:
                    out[n] = c
                    n += 1
            elif own < 0 and board[lean + c] * me > 0:
                out[n] = cells + c
                n += 1
        return n

    def play(self, move: int) -> None:
        """Make a legal move."""
        plan = self.plan
        board = self.board
        cells = plan[CELLS]
        mover = board[MOVER]
        me = 1 - 2 * mover
        hashes = NEAR + 7 * cells
        if move < cells:
            c = move
            board[STONE + c] = me
            board[STONES] += 1
            key = board[KEY] ^ plan[hashes + cells * mover + c]
        else:
            c = move - cells
            board[STONE + c] = 0
            board[STONES] -= 1
            key = board[KEY] ^ plan[hashes + cells * (1 - mover) + c]
        if plan[SIGHT] != 0:
            sway(plan, NEAR, board, STONE, STONE + cells, c, me)
        else:
            lean = STONE + cells
            for k in range(NEAR + 6 * c, NEAR + 6 * c + 6):
                j = plan[k]
                if j >= 0:
                    board[lean + j] += me
        left = board[LEFT] - 1
        if plan[ACTIONS] != 1:
            # A turn half done has a key of its own: it goes in with the first action of two.
            key ^= plan[hashes + 2 * cells + 1]
        if left == 0:
            left = plan[ACTIONS]
            board[MOVER] = 1 - mover
            key ^= plan[hashes + 2 * cells]
        board[LEFT] = left
        board[KEY] = key
        if plan[SIGHT] != 0:
            face(plan, board)

    def outcome(self) -> int:
        """−1 while the game runs, 0 draw, 1 White has won, 2 Black; −2: no room to remember."""
        board = self.board
        if board[DRAWN] == REPEATED:
            return 0
        if board[DRAWN] == FORGOTTEN:
            return -2
        if board[STONES] == 0:
            return -1
        me = 1 - 2 * board[MOVER]
        cells = self.plan[CELLS]
        lean = STONE + cells
        for c in range(cells):
            own = board[STONE + c] * me
            if own == 0:
                if board[lean + c] * me >= 0:
                    return -1
            elif own < 0 and board[lean + c] * me > 0:
                return -1
        code: int = 2 - board[MOVER]
        return code

    def playout(self, rng: Any, trace: Any) -> int:
        """Play on at random to the end; the moves go to `trace`; returns the outcome's code.

        What the State holds afterwards is not defined: `assign` it anew.
        """
        sight = self.plan[SIGHT] != 0
        code: int
        while sight or self.board[STONES] == 0:
            n = self.moves(self.scratch)
            if n == 0:
                code = self.outcome()
                return code
            move = self.scratch[below(rng, n)]
            trace[0] += 1
            trace[trace[0]] = move
            self.play(move)
        if self.plan[CELLS] <= WORD:
            code = in_one_word(self.plan, self.board, rng, trace)
        else:
            code = in_words(self.plan, self.board, self.scratch, rng, trace)
        return code

    def key(self) -> int:
        """A 63-bit hash of stones, mover and actions left."""
        hashed: int = self.board[KEY]
        return hashed


@kernel
def face(plan: Any, board: Any) -> None:
    """Remember the position just reached; a repetition ends the game, so does want of room."""
    first = STONE + 2 * plan[CELLS]
    end = first + board[FACED]
    key = board[KEY]
    for i in range(first, end):
        if board[i] == key:
            board[DRAWN] = REPEATED
            return
    if end == len(board):
        board[DRAWN] = FORGOTTEN
        return
    board[end] = key
    board[FACED] += 1


def fresh(
    side: int,
    stones: Sequence[int],
    mover: int,
    left: int,
    *,
    perimeter: bool = False,
    actions: int = 1,
    sight: bool = False,
    faced: Sequence[int] = (),
) -> ControlState:
    """A State with these stones (+1, −1, 0 a cell) on lists of ints.

    `left` of `actions` are still to do in the mover's turn; `perimeter` keeps the first stone to
    the perimeter; `faced` are the keys of the positions faced before this one (sight only).
    """
    plan = plan_of(side, perimeter=perimeter, actions=actions, sight=sight)
    board = board_of(plan, stones, mover, left, faced)
    return ControlState(plan, board, [0] * max(3 * RECORD, len(stones)))

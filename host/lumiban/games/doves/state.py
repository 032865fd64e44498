"""Tokyo Doves' kernel: the rules on flat int arrays, one text for CPython and for the compiler.

An action is a number: kind · 36 + cell puts a dove of the mover's, 216 more moves it there, 432
+ kind removes it. Cells count through the frame of 6×6 that moves with the doves; `plan` says
where everything lies, `keys` how a position is remembered.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from lumiban.games.doves.actions import act, generate, settle
from lumiban.games.doves.keys import key_of
from lumiban.games.doves.plan import (
    BARRED,
    BOTH,
    ENDED,
    FACED,
    FACES,
    FORGOTTEN,
    GREEN_SURROUNDED,
    LOSES,
    MOST,
    MOVER,
    NO_INITIAL,
    NORMAL,
    PLIES,
    RED_SURROUNDED,
    REMOVE,
    REPEAT,
    ROOM,
    STRONG,
    WINS,
    board_of,
    plan_of,
)
from lumiban.games.kernel import below


class DovesState(NamedTuple):
    """One position of Tokyo Doves. Few arrays, since compiled calls pay for each of them."""

    plan: Any
    """Constant: rules and tables."""
    board: Any
    """The position."""
    scratch: Any
    """Room for actions; holds nothing between calls."""

    def assign(self, other: Any) -> None:
        """Become a copy of `other`, a State of the same game."""
        used = FACES + other.board[FACED]
        self.board[:used] = other.board[:used]

    def mover(self) -> int:
        """The side to move."""
        side: int = self.board[MOVER]
        return side

    def moves(self, out: Any) -> int:
        """Write all actions into `out` (puts, moves by dove, removals); return how many."""
        n: int = generate(self.plan, self.board, out, MOST)
        return n

    def play(self, move: int) -> None:
        """Do a legal action: the frame moves along and both bosses are looked at."""
        board = self.board
        mover = board[MOVER]
        act(self.plan, board, move)
        repeat = self.plan[REPEAT]
        if repeat >= NORMAL:
            end = FACES + board[FACED]
            if end == len(board):
                board[ENDED] |= FORGOTTEN
            else:
                board[end] = key_of(board, -1, -1, 1 - mover, repeat == STRONG)
                board[FACED] += 1

    def outcome(self) -> int:
        """−1 while the game runs, 0 draw, 1 Red has won, 2 Green; −2: no room to remember."""
        plan = self.plan
        board = self.board
        mover = board[MOVER]
        ended = board[ENDED]
        code: int
        if ended == RED_SURROUNDED:
            return 2
        if ended == GREEN_SURROUNDED:
            return 1
        if ended == RED_SURROUNDED + GREEN_SURROUNDED:
            # The mover is already the other one.
            code = 0
            if plan[BOTH] == LOSES:
                code = 1 + mover
            elif plan[BOTH] == WINS:
                code = 2 - mover
            return code
        if ended != 0:
            return -2
        free = plan[REPEAT] < NORMAL and plan[REMOVE] != 0 and board[BARRED] == 0
        free = free and plan[NO_INITIAL] == 0
        if not free and generate(plan, board, self.scratch, 1) == 0:
            code = 2 - mover
            return code
        if plan[REPEAT] < NORMAL and board[PLIES] >= ROOM:
            return 0
        return -1

    def playout(self, rng: Any, trace: Any) -> int:
        """Play on at random to the end; the actions go to `trace`; returns the outcome's code.

        Without a rule on repetition a game that is still going after 1024 plies is a draw.
        """
        board = self.board
        code: int
        endless = self.plan[REPEAT] < NORMAL
        while board[ENDED] == 0 and not (endless and board[PLIES] >= ROOM):
            n = generate(self.plan, board, self.scratch, MOST)
            if n == 0:
                break
            move = self.scratch[below(rng, n)]
            trace[0] += 1
            trace[trace[0]] = move
            self.play(move)
        code = self.outcome()
        return code

    def key(self) -> int:
        """The position itself as a number below 2⁶¹, the same wherever it lies; no history."""
        whole: int = key_of(self.board, -1, -1, self.board[MOVER], False)
        return whole


def fresh(
    doves: Sequence[int],
    mover: int,
    *,
    repeat: int,
    no_initial: bool = True,
    remove: bool = True,
    both: int = LOSES,
    faced: Sequence[int] = (),
    barred: Sequence[int] = (),
) -> DovesState:
    """A State with these doves (places of bits, −1 in hand; 2·kind + side) on lists of ints.

    `faced` are the keys of the positions faced, this one included; `barred` actions that a claim
    has undone in this turn.
    """
    plan = plan_of(repeat=repeat, no_initial=no_initial, remove=remove, both=both)
    board = board_of(plan, doves, mover, faced, barred)
    settle(plan, board)
    return DovesState(plan, board, [0] * MOST)

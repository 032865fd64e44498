"""Rengi's kernel: the rules on flat int arrays, one text for CPython and for the compiler.

A move is a hand's code or `PASS`; `plan` says where everything lies. After each move everything
happens that comes before somebody acts again, so that a State always stands at a hand or an end.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from lumiban.games.rengi.duel import act
from lumiban.games.rengi.hands import face, generate
from lumiban.games.rengi.keys import key_of
from lumiban.games.rengi.plan import ENDED, FACED, FACES, MOVER
from lumiban.games.rengi.playouts import play_out


class RengiState(NamedTuple):
    """One position of Rengi. Few arrays, since compiled calls pay for each of them."""

    plan: Any
    """Constant: rules, hand table, supply."""
    board: Any
    """The position."""
    room: Any
    """Room for what kernels hand on, and for the log of a move."""
    scratch: Any
    """Room for moves; holds nothing between calls."""

    def assign(self, other: Any) -> None:
        """Become a copy of `other`, a State of the same game and supply."""
        used = FACES + other.board[FACED]
        self.board[:used] = other.board[:used]

    def mover(self) -> int:
        """The side to act."""
        side: int = self.board[MOVER]
        return side

    def moves(self, out: Any) -> int:
        """Write all hands into `out`, by pair and placement, then a pass; return how many."""
        n: int = generate(self.plan, self.board, self.room, out)
        return n

    def play(self, move: int) -> None:
        """Make a legal hand or pass; let happen what follows; remember the position."""
        plan, board, room = self.plan, self.board, self.room
        act(plan, board, room, move)
        if board[ENDED] == 0:
            face(plan, board)

    def outcome(self) -> int:
        """−1 while the game runs, 0 draw, 1 the first side has won, 2 the second; −2: no room to
        remember."""
        ended = self.board[ENDED]
        code: int = ended - 1
        return code

    def playout(self, rng: Any, trace: Any) -> int:
        """Play on to the end, or for so long that it is called a draw; moves go to `trace`."""
        plan, board, room = self.plan, self.board, self.room
        code: int = play_out(plan, board, room, self.scratch, rng, trace)
        return code

    def key(self) -> int:
        """A 63-bit hash of the position without its history."""
        hashed: int = key_of(self.plan, self.board)
        return hashed

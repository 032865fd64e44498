"""The State of a game in plain Python: one list of ints, played by the rule's own methods."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from lumiban.games.faults import telling
from lumiban.games.kernel import below
from lumiban.games.simple_board import EMPTY, MOVER, Board

if TYPE_CHECKING:
    from lumiban.games.simple import SimpleGame


class SimpleState:
    """One position: by cell what stands there, then the mover, the moves made, the last of them.

    It has the methods that every State has. The search runs it as it is and compiles nothing.
    """

    __slots__ = ("board", "game", "values")

    def __init__(self, game: SimpleGame, values: list[int]) -> None:
        self.game = game
        self.values = values
        self.board = Board(game.grid, values)

    def __iter__(self) -> Iterator[list[int]]:
        return iter((self.values,))

    def assign(self, other: SimpleState) -> None:
        """Become a copy of `other`."""
        self.values[:] = other.values

    def mover(self) -> int:
        """The side to move."""
        return self.values[len(self.game.grid) + MOVER]

    def moves(self, out: Any) -> int:
        """Write all moves into `out` and return how many there are; none once it is over."""
        with telling(self.game, self.board):
            if self.game.verdict(self.board) is not None:
                return 0
            n = 0
            for code in self.game.codes(self.board):
                out[n] = code
                n += 1
            return n

    def play(self, move: int) -> None:
        """Make a legal move."""
        with telling(self.game, self.board):
            self.game.apply(self.values, move)

    def outcome(self) -> int:
        """−1 while the game runs, 0 for a draw, 1 when White has won, 2 when Black has."""
        with telling(self.game, self.board):
            over = self.game.ending(self.board)
        if over is None:
            return -1
        return 0 if over.winner is None else over.winner + 1

    def playout(self, rng: Any, trace: Any) -> int:
        """Play on at random, evenly among the moves, to the end; returns the outcome's code."""
        game, board = self.game, self.board
        with telling(game, board):
            while (over := game.verdict(board)) is None:
                code = self._any_code(rng)
                if code < 0:
                    over = game.stuck(board)
                    break
                trace[0] += 1
                trace[trace[0]] = code
                game.apply(self.values, code)
        return 0 if over.winner is None else over.winner + 1

    def _any_code(self, rng: Any) -> int:
        """One of the mover's acts, each as likely as another, −1 when there is none."""
        game, board = self.game, self.board
        if not game.only_places:
            codes = list(game.codes(board))
            return codes[below(rng, len(codes))] if codes else -1
        side, empty = board.mover, board.of(EMPTY)
        while empty:
            at = below(rng, len(empty))
            cell, empty[at] = empty[at], empty[-1]
            empty.pop()
            if game.may_place(board, side, cell) is True:
                return cell
        return -1

    def key(self) -> int:
        """A 61-bit hash of the whole list."""
        return hash(tuple(self.values)) & 0x7FFFFFFFFFFFFFFF

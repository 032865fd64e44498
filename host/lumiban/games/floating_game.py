"""A game on part of a board: its own cells move about there, and its pieces have names.

The rules never see where on the board they are played. A FloatingGame adds that: an offset in
each Position, the board's cells in pictures and marks, and the way back to the middle when the
pieces have drifted to the board's edge.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from lumiban.games.base import Game, Move, MoveEffect, Position

Shift = tuple[int, int]
"""By how many columns to the right and rows down something goes."""


class FloatingGame(Game):
    """A game as one board plays it; `inner` is the game that knows the rules."""

    inner: Game

    @property
    def trays(self) -> tuple[tuple[int, ...], ...]:
        """The cells that hold the pieces in hand, by side; () where they lie beside the board."""
        return ()

    def unlaid(self, position: Position) -> Position:
        """The same position of the inner game: what a bot thinks about."""
        raise NotImplementedError

    def on_board(self, position: Position, cell: int) -> int:
        """The board's cell of a cell of the inner game's grid, −1 where the field ends."""
        raise NotImplementedError

    def explain(self, position: Position, move: Move) -> tuple[MoveEffect, ...]:
        """The inner game's words, on the board's cells."""
        return self.laid_words(position, self.inner.explain(self.unlaid(position), move))

    def laid_words(self, position: Position, words: Sequence[MoveEffect]) -> tuple[MoveEffect, ...]:
        """Words about the inner game's cells, on those of the board; what lies beside it goes."""
        return tuple(
            replace(effect, cells=tuple(c for c in cells if c >= 0))
            for effect in words
            for cells in [[self.on_board(position, cell) for cell in effect.cells]]
        )

    def drift(self, position: Position) -> Shift:
        """The way that brings all pieces to the middle of the board; (0, 0) when they are there."""
        raise NotImplementedError

    def corner(self, position: Position) -> Shift:
        """The column and row of the board at which the position's own first ones lie."""
        raise NotImplementedError

    def relaid(self, position: Position, way: Shift) -> Position:
        """The same position, lying elsewhere on the board."""
        raise NotImplementedError

    def slides(self, position: Position) -> tuple[tuple[int, int], ...]:
        """(from, to) for each piece that has to go to the middle, in an order in which each finds
        its cell free."""
        raise NotImplementedError

    def on_field(self, cell: int) -> bool:
        """True if pieces in play may stand on this cell of the board, not only those in hand."""
        raise NotImplementedError

    def reaches(self, position: Position, move: Move) -> bool:
        """True if all cells of a legal move lie on the board."""
        raise NotImplementedError

    def is_crowded(self, position: Position) -> bool:
        """True if some legal move leads off the board."""
        raise NotImplementedError

    def settled(self, position: Position) -> Position:
        """The position itself if the board holds all of it, else the same in the middle."""
        raise NotImplementedError

    def is_unseen(self, position: Position, move: Move) -> bool:
        """True if the board cannot tell if the right piece of its colour was set by this move."""
        raise NotImplementedError

    def alike(self, position: Position, cells: Sequence[int]) -> frozenset[int]:
        """Those of `cells` whose pieces could be taken for each other when all of them are in
        the air at once: the same colour, another name."""
        raise NotImplementedError

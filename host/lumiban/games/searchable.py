"""What a search that knows no rules asks of a game: its kernel, and how to think about it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol

from lumiban.games.kernel import symmetries
from lumiban.games.types import Move, Position, SearchHints
from lumiban.grid import Grid


class Searchable(Protocol):
    """A game by its kernel; see `State`."""

    grid: Grid

    def state(self, position: Position) -> Any:
        """A fresh kernel State with this position's content, on lists of ints."""
        raise NotImplementedError

    def search_state(self, position: Position) -> Any:
        """A State for the search: as `state`, but its `moves` may leave out those that lead
        nowhere new, such as the other orders of one turn."""
        return self.state(position)

    def search_hints(self, position: Position) -> SearchHints:
        """How the search should think about this position."""
        return SearchHints()

    @property
    def symmetries(self) -> tuple[tuple[int, ...], ...]:
        """Turns and reflections that change nothing in the rules, each as the cell that every
        cell goes to; by default all of the grid."""
        return symmetries(self.grid)

    @property
    def may_repeat(self) -> bool:
        """Whether a position can come again in one game, so that its worth depends on the way."""
        return False

    @property
    def zobrist_keys(self) -> Sequence[int]:
        """The numbers of which some, by exclusive or, make the key of each position.

        () where keys are made in another way. If they are independent, no two keys are equal.
        """
        return ()

    @property
    def stones_at(self) -> int:
        """Where in the `board` of a State its stones begin, by cell 1 for White's and −1 for
        Black's, whose `zobrist_keys` come first in that order; −1 where that is not so."""
        return -1

    def move_of(self, position: Position, code: int) -> Move:
        """The public Move of a kernel move in this position."""
        raise NotImplementedError

    @property
    def capacity(self) -> tuple[int, int]:
        """(most moves in any position, most moves in any game or its playout): the sizes of the
        search's `out` and `trace`."""
        raise NotImplementedError

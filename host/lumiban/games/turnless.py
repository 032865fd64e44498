"""Play without turns: hands race, and stones count in the order of the board's clock."""

from __future__ import annotations

from typing import Protocol, Self

from lumiban.games.types import Position


class Turnless(Protocol):
    """What a game says of playing without turns; by default that it has them always."""

    @property
    def turnless(self) -> bool:
        """Whether hands race here at some time, so that a table needs a board with a fair order."""
        return False

    def is_free_play(self, position: Position) -> bool:
        """Whether each stone counts by itself now, in the order of the board's clock, whoever's
        it is: no turns, nothing taken back, a refused stone dead until it is lifted."""
        return False

    def with_turns(self) -> Self | None:
        """The form of a turnless game in which the sides take turns, None where there is none."""
        return None

    def declined_to_move(self, position: Position) -> tuple[int, ...]:
        """Sides that will not place while the board stays as it is; turnless play only."""
        return ()

    def button_word(self, position: Position, side: int) -> str | None:
        """The word that a side's button says in free play, None when it says nothing now."""
        return None

    def bot_position(self, position: Position, side: int) -> tuple[Self, Position] | None:
        """What to ask a bot in free play whose side should place now: a game with turns and the
        position in it where that side is to move. None: it does better to wait."""
        return None

"""What a session asks of a match beside its moves; the answers of games with turns."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from lumiban.boards.types import BoardEvent
from lumiban.games.base import Move
from lumiban.table import seats
from lumiban.table.bots import BotTurn
from lumiban.table.referee import unmasked
from lumiban.table.types import Agree, Pending, Sensed, Verdict

if TYPE_CHECKING:
    from lumiban.table.course import Course


class Play:
    """The common ground of matches with turns and without."""

    course: Course
    sensed: Sensed
    verdict: Verdict
    machine: Pending | None
    grace_until_us: int
    in_light: bool = False
    """Whether moves are light: they count as soon as they are told."""
    ordered: bool = True
    """Whether the board can tell which of two hands was first."""

    @property
    def movers(self) -> tuple[int, ...]:
        """The sides that may act, () when the game is over."""
        raise NotImplementedError

    @property
    def free(self) -> bool:
        """Whether each stone counts by itself now, whoever's it is."""
        return False

    @property
    def shown(self) -> tuple[int, ...]:
        """The picture sensed, with cells that cannot be read as they should be."""
        return unmasked(self.sensed.kinds, self.course.game.pieces(self.course.position))

    def bot_turn(self) -> BotTurn | None:
        """The bot that should think, from when on; None when none should."""
        if self.machine is not None or not isinstance(self.verdict, Agree):
            return None
        for side in self.movers:
            if seats.level_of(self.course.seats[side]):
                return BotTurn(side, self.grace_until_us)
        return None

    def hear(self, event: BoardEvent) -> None:
        """A board event of free play."""

    def intend(self, move: Move) -> None:
        """A bot means to do this in free play, when its time has come."""

    def tell_at(self, move: Move, at_us: int, by: str) -> None:
        """A move of free play that was told by page or bot at this board time."""

    def show_at(self, pace_ms: object) -> str | None:
        """How long each step of a chain is shown from now on, None: not; why it cannot be so."""
        return "table.no-pace"

    def see_all(self) -> None:
        """The whole picture was seen, just before it is kept."""

    def flush(self) -> None:
        """Judge all that waits for its order."""

    def row_unread(self, cells: Sequence[int], at_us: int) -> None:
        """The board cannot read the row of these board cells."""

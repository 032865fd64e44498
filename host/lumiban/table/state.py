"""State of a running table: what others may read of it, and what commands may do to it.

What is shown of a table (`view`, `guidance`), the watch that it stands still nowhere (`standstill`)
and the commands of people know it by this alone; `Session` is one that follows what comes.
"""

from __future__ import annotations

from lumiban.boards.profile import Profile
from lumiban.boards.types import LightFrame
from lumiban.games.base import Game, Outcome
from lumiban.games.registry import RuleFault
from lumiban.table.board_view import BoardView
from lumiban.table.history import GameHistory
from lumiban.table.lesson_play import LessonPlay
from lumiban.table.questions import Bots, Coach
from lumiban.table.review import Reviewer
from lumiban.table.turn_play import TurnPlay
from lumiban.table.types import Prompt, Settings
from lumiban.table.view_fields import TableView, Text


class Shown:
    """Last outputs shown; None and empty before anything was."""

    frame: LightFrame | None = None
    """The light on the board."""
    prompt = Prompt(())
    """The step for hands."""
    view: TableView | None = None
    """The document for pages (docs/page.md)."""


class TableState:
    """A table to look at."""

    match: TurnPlay
    """The game being played, with or without turns or in light."""
    board: BoardView
    """The board as the table knows it."""
    profile: Profile
    settings: Settings
    _now: int
    """Host time of the last step, µs."""
    hint: str
    """Level of the light's hints, one of `HINT_LEVELS`."""
    theme: str
    """The colours of the light."""
    shown: Shown
    bots: Bots
    coach: Coach
    review: Reviewer
    """A finished game that the coach goes through."""
    lesson: LessonPlay | None
    """The lesson under way, None in a game."""
    no_room: str
    """The folder on whose full disk nothing can be kept; "" for none."""
    rules: Text | None
    """Sentence about the last save of an own game's file, None when there is nothing to say."""
    fault: RuleFault | None
    """Failure of its rules, for which play stands still; None while they work."""

    @property
    def history(self) -> GameHistory:
        """The positions and moves of the game."""
        return self.match.history

    @property
    def game(self) -> Game:
        """Its rules, as they lie on this board."""
        return self.history.game

    @property
    def outcome(self) -> Outcome | None:
        """Outcome of the game, None while it runs."""
        return self.match.outcome

    @property
    def connection(self) -> str:
        """State of the link to the board: see `board_view`."""
        return self.board.link

    @property
    def since_end_us(self) -> int | None:
        """Time since the game ended, host µs; None while it runs, and in a lesson."""
        raise NotImplementedError

    @property
    def all_durable(self) -> bool:
        """True if all that happened is on disk."""
        raise NotImplementedError

    @property
    def has_hung_lately(self) -> bool:
        """True if the table asks for a report of a hang."""
        raise NotImplementedError

    def board_now(self) -> int:
        """The board's time now, µs."""
        return self.board.board_time(self._now)

    def bots_due_us(self) -> int | None:
        """Host time at which a bot is to be asked or to act, None for never."""
        raise NotImplementedError


class Table(TableState):
    """A table that commands change."""

    seed: int
    games: int
    """Games begun here before this one."""
    own: str
    """The file of the game of somebody's own that the table was laid for, "" for none."""

    def start(self, history: GameHistory) -> None:
        """Play another game here."""
        raise NotImplementedError

    def stop_bot(self) -> None:
        """Withdraw the question to a bot: no answer is needed."""
        raise NotImplementedError

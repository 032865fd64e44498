"""State of a running table: what others may read of it, and what commands may do to it.

What is shown of a table (`view`, `guidance`), the watch that it stands still nowhere (`standstill`)
and the commands of people know it by this alone; `Session` is one that follows what comes.
"""

from __future__ import annotations

from lumiban.boards.profile import Profile
from lumiban.boards.types import LightFrame
from lumiban.games.base import Game, Outcome
from lumiban.games.registry import RuleFault
from lumiban.table.board_view import UP, BoardView
from lumiban.table.history import GameHistory
from lumiban.table.journal_numbers import JournalNumbers
from lumiban.table.lesson_play import LessonPlay
from lumiban.table.limits import HUNG_SAID_US
from lumiban.table.questions import Bots, Coach
from lumiban.table.review import Reviewer
from lumiban.table.turn_play import TurnPlay
from lumiban.table.types import BotTurn, Prompt, Settings
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
    _finished: bool
    """True once the end of the game was told, at `_over_at_us`, host µs."""
    _over_at_us: int
    _ledger: JournalNumbers
    hung_us: int
    """Host time at which the table was last found hung."""
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
        return self._now - self._over_at_us if self._finished and self.lesson is None else None

    @property
    def has_hung_lately(self) -> bool:
        """True if the table asks for a report of a hang."""
        return self._now - self.hung_us < HUNG_SAID_US

    @property
    def all_durable(self) -> bool:
        """True if all that happened is on disk."""
        return self._ledger.all_durable

    def board_now(self) -> int:
        """The board's time now, µs."""
        return self.board.board_time(self._now)

    def _bot_turn(self) -> BotTurn | None:
        """The bot that should think or act as soon as its pause has passed; bots wait until all is
        on disk. While one thinks, another may do only what it has thought out."""
        asked = self.bots.question is not None
        if self.connection != UP or not self.all_durable or (asked and not self.match.is_free):
            return None
        waits = self.match.bot_turn()
        if waits is None or (asked and waits.says is None):
            return None
        return None if self.bots.is_exhausted else waits

    def bots_due_us(self) -> int | None:
        """Host time at which a bot is to be asked or to act, None for never."""
        waits = self._bot_turn()
        return None if waits is None else max(self.board.host_time(waits.at_us), self.bots.after_us)


class Table(TableState):
    """A table that commands change."""

    seed: int
    games: int
    """Games begun here before this one."""
    own: str
    """File of the own game that the table was laid for, "" for none."""

    def start(self, history: GameHistory) -> None:
        """Play another game here."""
        raise NotImplementedError

    def stop_bot(self) -> None:
        """Withdraw the question to a bot: no answer is needed."""
        raise NotImplementedError

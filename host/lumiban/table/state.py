"""Protocols of a running table: what others may read of it, and what commands may do to it.

What is shown of a table (`view`, `guidance`), the law that it stands still nowhere
(`standstill`) and the commands of people know it by these alone; `Session` fulfils them.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from lumiban.boards.profile import Profile
from lumiban.boards.types import LightFrame
from lumiban.games.base import Game, Outcome, Position
from lumiban.games.registry import RuleFault
from lumiban.table.board_view import BoardView
from lumiban.table.history import GameHistory
from lumiban.table.lesson_play import LessonPlay
from lumiban.table.questions import Bots, Coach
from lumiban.table.review import Reviewer
from lumiban.table.turn_play import TurnPlay
from lumiban.table.types import Pending, Prompt, Sensed, Settings, Step, Verdict
from lumiban.table.view_fields import TableView, Text


class Shown(Protocol):
    """Last outputs shown; None and empty before anything was."""

    @property
    def frame(self) -> LightFrame | None:
        """The light on the board."""

    @property
    def prompt(self) -> Prompt:
        """The step for hands."""

    @property
    def view(self) -> TableView | None:
        """The document for pages (docs/page.md)."""


class TableState(Protocol):
    """A table to look at; nothing here changes it."""

    @property
    def match(self) -> TurnPlay:
        """The game being played, with or without turns or in light."""

    @property
    def history(self) -> GameHistory:
        """Its positions and moves."""

    @property
    def game(self) -> Game:
        """Its rules, as they lie on this board."""

    @property
    def position(self) -> Position:
        """The position now."""

    @property
    def seats(self) -> Sequence[str]:
        """Player of each side: `human` or `bot:<level>`."""

    @property
    def outcome(self) -> Outcome | None:
        """Outcome of the game, None while it runs."""

    @property
    def verdict(self) -> Verdict:
        """Meaning of the board now."""

    @property
    def sensed(self) -> Sensed:
        """The game's cells as the board shows them."""

    @property
    def board(self) -> BoardView:
        """The board as the table knows it."""

    @property
    def connection(self) -> str:
        """State of the link to the board: see `sensing`."""

    @property
    def profile(self) -> Profile:
        """The board's profile."""

    @property
    def settings(self) -> Settings:
        """The table's settings."""

    @property
    def hint(self) -> str:
        """Level of the light's hints, one of `HINT_LEVELS`."""

    @property
    def theme(self) -> str:
        """The colours of the light."""

    @property
    def bots(self) -> Bots:
        """Questions to bots."""

    @property
    def coach(self) -> Coach:
        """Questions to the coach."""

    @property
    def review(self) -> Reviewer:
        """A finished game that the coach goes through."""

    @property
    def lesson(self) -> LessonPlay | None:
        """The lesson under way, None in a game."""

    @property
    def shown(self) -> Shown:
        """Last outputs shown."""

    @property
    def hand_steps(self) -> Sequence[Step]:
        """The step that hands are asked for now, () where none is."""

    @property
    def lift(self) -> Pending | None:
        """A lift that waits to be played."""

    @property
    def no_room(self) -> str:
        """The folder on whose full disk nothing can be kept; "" for none."""

    @property
    def all_durable(self) -> bool:
        """True if all that happened is on disk."""

    @property
    def rules(self) -> Text | None:
        """Sentence about the last save of an own game's file, None when there is nothing to
        say."""

    @property
    def has_hung_lately(self) -> bool:
        """True if the table asks for a report of a hang."""

    def board_now(self) -> int:
        """The board's time now, µs."""

    def bots_due_us(self) -> int | None:
        """Host time at which a bot is to be asked or to act, None for never."""


class Table(TableState, Protocol):
    """A table that commands change."""

    hint: str
    theme: str
    settings: Settings
    seed: int
    games: int
    """Games begun here before this one."""
    own: str
    """The file of the game of somebody's own that the table was laid for, "" for none."""
    rules: Text | None
    """Sentence about the last save of that file, None when there is nothing to say."""
    fault: RuleFault | None
    """Failure of its rules, for which play stands still; None while they work."""

    def start(self, history: GameHistory) -> None:
        """Play another game here."""

    def stop_bot(self) -> None:
        """Withdraw the question to a bot: no answer is needed."""

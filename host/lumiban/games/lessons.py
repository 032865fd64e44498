"""A lesson: a few positions at the board, one idea each, which the learner shows by a move.

Declared data; what is said stands in the catalogue under `lesson.<game>.<idea>`: `.title`, the
idea itself, `.right` when it was shown, and `.not` after a move that is legal and shows another
one. What is illegal the rules refuse in their own words.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from typing import Any

from lumiban.games.base import Game, Move, Position


@dataclass(frozen=True)
class Step:
    """A position and its idea.

    `shown_by` holds for each move that the learner makes the notations that show the idea; `*` in
    one stands for anything. `stones` are as the game's `setup` takes them, as is `more`.
    """

    idea: str
    shown_by: tuple[tuple[str, ...], ...]
    stones: Mapping[str, Any] = field(default_factory=dict)
    to_move: int = 0
    more: Mapping[str, Any] = field(default_factory=dict)
    hint: str = "legal"
    """The hint level at which the light shows the idea."""
    refused: tuple[str, ...] = ()
    """Moves that one might try, and that the rules refuse."""
    beside: tuple[str, ...] = ()
    """Legal moves that show another idea than this one."""

    one_each: bool = False
    """True if no side makes two of the moves, in whichever order they come."""

    text_id: str = ""
    """Id of the sentence that asks for it, where it is not the lesson's own."""
    params: Mapping[str, str | int] = field(default_factory=dict)
    """Parameters of its sentences."""

    def shows(self, moves: Sequence[Move]) -> bool:
        """True if the last of these moves of the learner shows the idea, or leads to it, as the
        ones before it did."""
        number, move = len(moves) - 1, moves[-1]
        if number >= len(self.shown_by):
            return False
        if self.one_each and any(one.side == move.side for one in moves[:-1]):
            return False
        # A word is meant only where it is asked for.
        patterns = [one for one in self.shown_by[number] if not (move.is_word and one[0] == "*")]
        return any(fnmatchcase(move.text, one) for one in patterns)


@dataclass(frozen=True)
class Lesson:
    """The steps of a game's lesson, and the `options` with which they are played."""

    slug: str
    steps: tuple[Step, ...]
    options: Mapping[str, int | str] = field(default_factory=dict)
    kind: str = ""
    """What follows the slug in its name, "" for the lesson of the game itself."""

    @property
    def name(self) -> str:
        """The name by which journals and pages know it."""
        return self.slug + self.kind

    def text_id(self, number: int, what: str = "") -> str:
        """Id of the sentence `what` of a step, of its idea without."""
        step = self.steps[number]
        if step.text_id:
            return f"lesson.puzzle.{what}" if what else step.text_id
        return f"lesson.{self.slug}.{step.idea}" + (what and "." + what)


def position_of(game: Game, step: Step) -> Position:
    """The position of a step, as it lies on the board of this game; GameError."""
    if not step.stones and not step.more:
        return game.start()
    return game.setup(dict(step.stones), to_move=step.to_move, **step.more)

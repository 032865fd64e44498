"""A lesson at a table: which step it is at, and what is said of the learner's moves.

It rests on the course of a game of its own: its steps are set up there, moves are played there by
the rules, and its journal is like any other. What shows the idea stands; a legal move that shows
another one is taken back, and the idea is told again. After a few such moves the light shows where
to act.
"""

from __future__ import annotations

from lumiban.games import mark_kinds
from lumiban.games.base import Mark, Position
from lumiban.games.builtin_lessons import lesson_of
from lumiban.games.lessons import Step
from lumiban.table.turn_play import TurnPlay
from lumiban.table.view_fields import LessonShown, Text

SHOWN_AFTER = 2
"""Tries that miss the idea before the light shows it."""
MAX_SHOWN = 8
"""Most cells that the light shows for an idea; with more it shows none."""


class LessonPlay:
    """The lesson of a course, whose moves `follow` looks at."""

    def __init__(self, match: TurnPlay, hint_before: str) -> None:
        self.lesson = lesson_of(match.history.lesson)
        self.hint_before = hint_before
        """Hint level before the lesson."""
        self.tries = 0
        self.was_beside = False
        """True if the last move showed another idea."""
        self._match = match
        self._followed = len(match.history.played)
        self._marked: tuple[Position, tuple[Mark, ...]] | None = None

    @property
    def number(self) -> int:
        """The step, 0 for the first."""
        return self._match.history.lesson_step

    @property
    def step(self) -> Step:
        """The step itself."""
        return self.lesson.steps[self.number]

    @property
    def is_last(self) -> bool:
        """True if no step comes after this one."""
        return self.number == len(self.lesson.steps) - 1

    @property
    def is_right(self) -> bool:
        """True if the idea was shown."""
        return len(self._match.history.played) >= len(self.step.shown_by)

    def begin(self, number: int, at_us: int) -> None:
        """Go on with this step, at this board time; IndexError where there is none."""
        if number < 0:
            raise IndexError(number)
        self._match.teach(number)
        self.tries = self._followed = 0
        self.was_beside = False
        self._match.consider(at_us)

    def follow(self, at_us: int) -> bool:
        """Look at the moves that were played since; return True if there were any."""
        history = self._match.history
        played = len(history.played)
        if played == self._followed:
            return False
        # Once the idea was shown, one may try what one likes.
        for count in range(self._followed + 1, min(played, len(self.step.shown_by)) + 1):
            if not self.step.shows(history.moves[:count]):
                self._match.take_back_try(played - count + 1)
                self._match.consider(at_us)
                self.tries += 1
                self.was_beside = True
                break
        else:
            self.was_beside = False
        self._followed = len(history.played)
        return True

    def marks(self) -> tuple[Mark, ...]:
        """Return the cells where the idea can be shown, for a learner who looks for it."""
        if self.tries < SHOWN_AFTER or self.is_right:
            return ()
        position = self._match.position
        if self._marked is None or self._marked[0] is not position:
            self._marked = (position, self._ways(position))
        return self._marked[1]

    def _ways(self, position: Position) -> tuple[Mark, ...]:
        game, played = self._match.game, self._match.history.moves
        cells: dict[int, int] = {}
        for side in game.movers(position):
            for move in game.moves(position, side):
                if self.step.shows([*played, move]):
                    cells |= dict.fromkeys(game.aims(position, move)[-1:], side)
        if len(cells) > MAX_SHOWN:
            return ()
        return tuple(Mark(cell, mark_kinds.ADVICE, side) for cell, side in cells.items())

    def shown(self) -> LessonShown:
        """The view's field `lesson`."""

        def sentence(what: str = "") -> Text:
            return Text(self.lesson.text_id(self.number, what), dict(self.step.params))

        answer = (
            sentence("right") if self.is_right else sentence("not") if self.was_beside else None
        )
        return LessonShown(
            game=self.lesson.slug,
            kind=self.lesson.kind.removeprefix("/") or "lesson",
            step=self.number + 1,
            steps=len(self.lesson.steps),
            title=sentence("title"),
            text=sentence(),
            said=answer,
            is_right=self.is_right,
            words=self._words(),
        )

    def _words(self) -> list[list[int | str]]:
        """The words that show the idea now, each with its side."""
        game, position = self._match.game, self._match.position
        played = self._match.history.moves
        if self.is_right or self._match.outcome is not None:
            return []
        return [
            [side, word]
            for side in range(len(game.sides))
            for word in game.words(position, side)
            if self.step.shows([*played, game.parse(position, word, side)])
        ]

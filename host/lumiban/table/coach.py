"""The coach: what a bot would do on a person's turn, for all who sit at the table to see.

At the hint level `coach` it speaks on every turn of a person's; at any other level once, when it
is asked. It knows what that person may know (`game.view`). Between two people it is silent until
they have agreed on it. A question is void as soon as the position is another one.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from lumiban.errors import LumibanError
from lumiban.games.base import Game, Mark, Position
from lumiban.games.explain import MoveEffect
from lumiban.games.floating_game import FloatingGame
from lumiban.scene.draw import advised
from lumiban.table import types
from lumiban.table.guidance import COACH
from lumiban.table.referee import AIR
from lumiban.table.sensing import UP
from lumiban.table.types import Advice, Agree, AskCoach, CommandRefused, StopBot, Wait

if TYPE_CHECKING:
    from lumiban.table.session import Session

MOVES = 3
"""Moves that it tells."""
MAX_LINE_MOVES = 6
"""Moves of a line that it tells."""


@dataclass(frozen=True, slots=True)
class Tip:
    """A move as the table shows it: texts as people say them, cells of the table's game."""

    text: str
    said: str
    aims: tuple[int, ...]
    line: tuple[str, ...]
    does: tuple[MoveEffect, ...]
    figures: Mapping[str, Any]


class Coach:
    """What was asked last, and what came of it; `agreed`: two people want to hear it."""

    def __init__(self) -> None:
        self.agreed = False
        self.question: AskCoach | None = None
        self.tips: tuple[Tip, ...] = ()
        self.looked, self.unit, self.done, self.reason = 0, "", False, ""
        self.wished: Position | None = None
        """The position in which somebody asked, whatever the hint level."""
        self._about: Position | None = None
        self._tickets = 0

    def is_about(self, position: Position) -> bool:
        """Whether question and answers are about this very position."""
        return self.question is not None and self._about is position

    def ask(
        self, about: Position, side: int, game: Game, position: Position, seed: int
    ) -> AskCoach:
        """A new question. Its tickets are below 0, apart from those of bots."""
        self._tickets -= 1
        self._about = about
        self.tips, self.looked, self.unit, self.done, self.reason = (), 0, "", False, ""
        self.question = AskCoach(self._tickets, side, game, position, seed)
        return self.question

    def end(self) -> StopBot | None:
        """Forget the question and what came of it."""
        question, self.question = self.question, None
        self.tips, self._about = (), None
        return None if question is None else StopBot(question.ticket)


def may_speak(session: Session) -> bool:
    """Whether the coach may be heard at this table: not between two people who did not agree."""
    people = types.people(session.match.course.seats)
    return len(people) == 1 or (len(people) > 1 and session.coach.agreed)


def ask(session: Session, args: Mapping[str, Any]) -> None:
    """Ask the coach about this position, or note that two people `agree`; CommandRefused."""
    if isinstance(args.get("agree"), bool):
        session.coach.agreed = args["agree"]
        return
    if session.match.outcome is not None:
        raise CommandRefused("table.game-over")
    if not may_speak(session):
        people = types.people(session.match.course.seats)
        raise CommandRefused("table.coach-not-agreed" if people else "table.coach-for-people")
    if _subject(session) is None:
        raise CommandRefused("table.coach-not-now")
    session.coach.wished = session.match.course.position


def _subject(session: Session) -> tuple[int, Game, Position] | None:
    """(side, game, view) of what a person might do now, None where there is nothing to ask."""
    match, course = session.match, session.match.course
    game, position = course.game, course.position
    if match.outcome is not None or match.waiting is not None or session.sight.link != UP:
        return None
    for side in match.movers:
        if types.level_of(course.seats[side]) is not None:
            continue
        if match.free:
            found = game.bot_position(position, side)
            if found is not None:
                return side, *found
        elif game.moves(position, side):
            seen = game.view(position, side)
            return (
                (side, game.inner, game.unlaid(seen))
                if isinstance(game, FloatingGame)
                else (side, game, seen)
            )
    return None


def follow(session: Session) -> None:
    """Put the question where one is due; take it back where the position is another one."""
    coach, course = session.coach, session.match.course
    wanted = session.hint == COACH or coach.wished is course.position
    open_still = session.match.outcome is None and session.match.waiting is None
    wanted = wanted and open_still and may_speak(session)
    if wanted and coach.is_about(course.position):
        return
    stop = coach.end()
    if stop is not None:
        session.put(stop)
        session.look_again()
    subject = _subject(session) if wanted else None
    if subject is not None:
        seed = types.thought_seed(course.seed, len(course.played))
        session.put(coach.ask(course.position, *subject, seed))
        if session.bots.pondering is not None:
            # A question ends what is thought about on a person's time: told again, it goes on
            # after the answer.
            session.put(session.bots.pondering)
        session.look_again()


def heard(session: Session, advice: Advice) -> None:
    """The coach has come to this, perhaps not for the last time."""
    coach = session.coach
    if coach.question is None or coach.question.ticket != advice.ticket:
        return
    coach.looked, coach.unit, coach.done = advice.looked, advice.unit, advice.done
    coach.reason = advice.reason
    coach.tips = tuple(_tip(session, coach.question.side, line) for line in advice.lines)
    session.look_again()


def _tip(session: Session, side: int, line: Mapping[str, Any]) -> Tip:
    """A line on the table's own game: cells on the board, moves as people say them."""
    course = session.match.course
    game, position = course.game, course.position
    words = tuple(
        MoveEffect(word["what"], tuple(word["cells"]), tuple(sorted(word["params"].items())))
        for word in line["does"]
    )
    if isinstance(game, FloatingGame):
        words = game.laid_words(position, words)
    move = game.parse(position, line["moves"][0], side)
    spoken: list[str] = []
    for number, text in enumerate(line["moves"][:MAX_LINE_MOVES]):
        try:
            then = game.parse(position, text, None if number else side)
            spoken.append(game.display_text(position, then))
            position = game.play(position, then)
        except LumibanError:  # the board is too small for it, or a race has another order
            break
    figures = {key: line[key] for key in ("value", "percent", "visits", "proof", "wins_in")}
    return Tip(
        move.text, spoken[0], game.aims(course.position, move), tuple(spoken), words, figures
    )


def marks(session: Session) -> list[Mark]:
    """Where the best moves act, as long as nothing else is to be done."""
    coach, verdict = session.coach, session.match.verdict
    calm = isinstance(verdict, Agree) or (isinstance(verdict, Wait) and verdict.why == AIR)
    if coach.question is None or not (calm or session.match.free):
        return []
    return advised(coach.question.side, [tip.aims for tip in coach.tips])


def as_json(session: Session) -> dict[str, Any]:
    """The view's field `coach` (docs/page.md)."""
    coach = session.coach
    people = len(types.people(session.match.course.seats))
    question = coach.question
    return {
        "for_two": people > 1,
        "agreed": coach.agreed,
        "may_ask": may_speak(session) and _subject(session) is not None,
        "side": None if question is None else question.side,
        "done": coach.done,
        "looked": coach.looked,
        "unit": coach.unit,
        "reason": coach.reason,
        "moves": [_move(tip) for tip in coach.tips] if question is not None else [],
    }


def _move(tip: Tip) -> dict[str, Any]:
    return {
        "move": tip.text,
        "said": tip.said,
        **tip.figures,
        "cells": list(tip.aims),
        "line": list(tip.line),
        "does": [
            {"id": word.text_id, "cells": list(word.cells), "params": dict(word.params)}
            for word in tip.does
        ],
    }

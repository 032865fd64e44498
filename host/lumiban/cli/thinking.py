"""What goes to the thinking process and what comes back, in the session's words."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from lumiban.search.pipe import Answer
from lumiban.table.types import Advice, AskBot, AskCoach, BotFailed, BotMove, Input, Ponder

if TYPE_CHECKING:
    from lumiban.search.worker import Worker

COACH_LEVEL = "strong"
"""The level at which the coach thinks; its time is its own."""
COACH_MOVES = 3


def put(worker: Worker, question: AskBot | AskCoach) -> None:
    """Hand a bot's or the coach's question to the process."""
    game = question.game
    coach = isinstance(question, AskCoach)
    worker.ask(
        question.ticket,
        game.slug,
        dict(game.options),
        question.position,
        question.level if isinstance(question, AskBot) else COACH_LEVEL,
        question.seed,
        game.digest,
        question.within_us if isinstance(question, AskBot) else None,
        COACH_MOVES if coach else 0,
    )


def ponder(worker: Worker, about: Ponder) -> None:
    """Let the process think on a person's time."""
    game = about.game
    options = dict(game.options)
    worker.ponder(
        about.ticket, game.slug, options, about.position, about.level, about.seed, game.digest
    )


def inputs(answers: Iterable[Answer]) -> list[Input]:
    """The answers for the session; those to the coach have tickets below 0."""
    found: list[Input] = []
    for answer in answers:
        if answer.ticket < 0:
            told = (answer.lines, answer.looked, answer.unit, answer.done, answer.reason)
            found.append(Advice(answer.ticket, *told))
        elif answer.failed:
            found.append(BotFailed(answer.ticket, answer.reason))
        else:
            found.append(BotMove(answer.ticket, answer.text, answer.value, answer.visits))
    return found

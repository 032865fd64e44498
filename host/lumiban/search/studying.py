"""The coach's questions in the thinking process: answered again and again while it looks."""

from __future__ import annotations

from collections.abc import Callable
from time import monotonic

from lumiban.games.base import Game, Position
from lumiban.search import means
from lumiban.search.analysis import Analysis, analyse
from lumiban.search.analysis_json import by_number
from lumiban.search.pipe import Answer, Ask

STUDY_US = 8_000_000
"""How long the coach looks at a position, unless the question says otherwise."""
PLAIN_SHARE = 8
"""Without a compiler the look is shorter by this: it is slow, and only a bridge."""
TELLS_S = 0.4
"""Seconds between two of its answers."""
QUICKEST_US = 5
"""No random game and no position takes less: so much room a tree needs."""


def study(
    game: Game,
    position: Position,
    ask: Ask,
    *,
    compiled: bool,
    stop: Callable[[], bool],
    tell: Callable[[Answer], None],
    clock: Callable[[], float] = monotonic,
) -> Answer:
    """Look at a position and `tell` what is best so far, the first time at once; returns the last
    answer. `stop()` ends it early with what was found. GameError when there is nothing to see."""
    told_at = clock() - TELLS_S / 2

    def hear(looked: int, now: Callable[[], Analysis]) -> None:
        nonlocal told_at
        if clock() >= told_at + TELLS_S:
            tell(answer(ask, now()))
            told_at = clock()

    longest_us = ask.within_us or STUDY_US
    if not compiled:
        longest_us //= PLAIN_SHARE
    found = analyse(
        game, position, seed=ask.seed, budget=max(64, longest_us // QUICKEST_US),
        longest_us=longest_us, top=ask.top, compiled=compiled, room=means.room().shared(2),
        stop=stop, hear=hear,
    )  # fmt: skip
    return answer(ask, found)


def answer(ask: Ask, found: Analysis) -> Answer:
    """What was found, as an answer."""
    if not found.lines:
        return Answer(ask.ticket, reason="nothing was found", done=found.done)
    best = found.lines[0]
    return Answer(
        ask.ticket, best.move.text, best.value, best.visits, "", tuple(by_number(found)),
        found.looked, found.unit, found.done,
    )  # fmt: skip

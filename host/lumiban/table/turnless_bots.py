"""When bots act in free play: so that they neither wait for nor starve a hand."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lumiban.table import seats
from lumiban.table.bots import BotTurn

if TYPE_CHECKING:
    from lumiban.table.turnless_match import TurnlessMatch


def turn(match: TurnlessMatch) -> BotTurn | None:
    """The bot that acts next, and from which board time on.

    One that would lose now places, a pause after the last stone, which leaves a hand its time;
    one that does better to wait stands once no stone has come for a while. None while a stone or
    word of a bot is still to be judged, and while play stands still.
    """
    course = match.course
    game, position = course.game, course.position
    if match.outcome is not None or match.time_out is not None or not match.ordered:
        return None
    bots = [side for side, who in enumerate(course.seats) if seats.level_of(who)]
    if any(item.told is not None and item.told.side in bots for item in match.queue.items):
        return None
    for side in bots:
        asked = game.question(position, side)
        if asked is not None:
            at_us = match.last_us + match.settings.free_pause_us if course.played else 0
            return BotTurn(side, at_us, asked)
    for side in bots:
        word = game.pressed(position, side)
        if word is not None:
            at_us = match.last_us + match.settings.stand_us
            return BotTurn(side, at_us, says=game.parse(position, word, side))
    return None

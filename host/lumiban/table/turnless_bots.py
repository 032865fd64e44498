"""When bots act in free play: whether to place, stand or wait, and when (see `bot_pace`)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from lumiban.games.base import Move, Position
from lumiban.table import bot_pace, seats
from lumiban.table.bots import BotTurn

if TYPE_CHECKING:
    from lumiban.table.turnless_match import TurnlessMatch


@dataclass(frozen=True, slots=True)
class Intent:
    """What a bot means to do, in this position."""

    about: Position
    move: Move


def turn(match: TurnlessMatch) -> BotTurn | None:
    """What a bot does next, and from which board time on: think, place or stand.

    A bot thinks as soon as anything has changed, and places what it found when its time has come.
    One that would lose now places; one that leads is asked too, where it may press. One that does
    better to wait stands once no stone has come for a while, or soon if the other side stands.
    None while a stone or word of a bot is still to be judged, and while play stands still.
    """
    course = match.course
    if match.outcome is not None or match.time_out is not None or not match.ordered:
        return None
    bots = [side for side, who in enumerate(course.seats) if seats.level_of(who)]
    if any(item.told is not None and item.told.side in bots for item in match.queue.items):
        return None
    turns = [found for side in bots if (found := _turn_of(match, side)) is not None]
    # Who must place is asked first, then who may.
    return min(turns, key=lambda found: (found.at_us, found.spare), default=None)


def _turn_of(match: TurnlessMatch, side: int) -> BotTurn | None:
    game, position = match.course.game, match.course.position
    if side in game.stands(position):
        return None
    intent = match.intents.get(side)
    if intent is not None and intent.about is position:
        at_us = _stand_us(match, side) if intent.move.is_word else bot_pace.place_us(match, side)
        return BotTurn(side, at_us, says=intent.move)
    asked = game.question(position, side)
    other_stands = 1 - side in game.stands(position)
    spare = asked is not None and not other_stands and asked[0].pressed(asked[1], side) is not None
    if asked is not None and (not spare or bot_pace.presses(match, side)):
        due_us = bot_pace.place_us(match, side)
        return BotTurn(side, match.last_us, asked, until_us=due_us, spare=spare)
    word = game.pressed(position, side)
    if word is None:
        return None
    return BotTurn(side, _stand_us(match, side), says=game.parse(position, word, side))


def _stand_us(match: TurnlessMatch, side: int) -> int:
    """When a bot stands: soon after the other side has stood, else when all is quiet."""
    course = match.course
    quiet_us = match.last_us + match.settings.stand_us
    if 1 - side not in course.game.stands(course.position) or not course.played:
        return quiet_us
    said_us = max(course.played[-1].at_us, match.last_us)
    return min(quiet_us, said_us + bot_pace.reaction_us(match, side))

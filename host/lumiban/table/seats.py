"""Who sits at the table: a person or a bot of some level, one seat a side."""

from __future__ import annotations

from collections.abc import Sequence

from lumiban.games.base import Move

HUMAN = "human"
BOT = "bot:"

_MIX = 0x9E3779B97F4A7C15


def is_seat(who: object, levels: Sequence[str]) -> bool:
    """Whether `who` is `human` or `bot:` and one of the levels.

    >>> is_seat("bot:easy", ["easy"]), is_seat("bot:god", ["easy"]), is_seat(3, ["easy"])
    (True, False, False)
    """
    if not isinstance(who, str):
        return False
    return who == HUMAN or (who.startswith(BOT) and who.removeprefix(BOT) in levels)


def level_of(who: str) -> str | None:
    """The level of a bot, None for a person."""
    return who.removeprefix(BOT) if who.startswith(BOT) else None


def people(seats: Sequence[str]) -> tuple[int, ...]:
    """The sides that persons play."""
    return tuple(side for side, who in enumerate(seats) if who == HUMAN)


def back_to_own_turn(moves: Sequence[Move], seats: Sequence[str]) -> int:
    """How many moves go back to a person's own last turn; 0 when no person has moved.

    Against a bot that is its answer and the person's move before it. Words are no turn.

    >>> back_to_own_turn([Move(0, "a1", 3), Move(1, "b2", 7)], ["human", "bot:easy"])
    2
    """
    for count, move in enumerate(reversed(moves), 1):
        if seats[move.side] == HUMAN and not move.is_word:
            return count
    return 0


def thought_seed(seed: int, ply: int) -> int:
    """The seed for a bot's thoughts at this point of a game, below 2**63."""
    return (seed * 2 + 1 + ply) * _MIX & (2**63 - 1)

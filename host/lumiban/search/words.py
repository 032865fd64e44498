"""What a bot says where the game moves by words: setting a pie, choosing a side of it."""

from __future__ import annotations

import random
from collections.abc import Callable

from lumiban.games.base import Game, Move, Position

ENDING = ("resign", "stop", "pass", "stand")
"""Words that a bot says in no set-up."""
CLAIM = "claim"
"""The word by which a repeated position is undone, where a game has that rule."""
_DONE = "done"
_TAKE = {"take white": 0, "take black": 1}


def claim(game: Game, position: Position, side: int) -> Move | None:
    """The claim of a repetition, whenever there is one: it takes a choice from the other side and
    costs nothing. A bot that can win at once does that instead and does not ask."""
    if not game.recurs or CLAIM not in game.words(position, side):
        return None
    return game.parse(position, CLAIM, side)


def say(
    game: Game,
    position: Position,
    side: int,
    seed: int,
    worth: Callable[[Position], tuple[int, float]],
) -> Move | None:
    """The word that `side` says now, or None where it has none to say.

    A set-up is done as soon as it may be, and at random until then. Of two sides it takes the
    one that `worth(position)`, (side to move, its value), favours.
    """
    said = [word for word in game.words(position, side) if word not in ENDING]
    if not said:
        return None
    if _DONE in said:
        word = _DONE
    elif all(word in _TAKE for word in said):
        mover, value = worth(game.play(position, game.parse(position, said[0], side)))
        better = mover if value >= 0.5 else 1 - mover
        word = next((word for word in said if _TAKE[word] == better), said[0])
    else:
        word = random.Random(seed).choice(said)
    return game.parse(position, word, side)

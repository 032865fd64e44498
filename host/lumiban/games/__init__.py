"""The rules: games, positions, moves, and what a board's picture means. No I/O, no time.

>>> from lumiban import games
>>> game = games.load("control", size=3)
>>> position = game.start()
>>> position = game.play(position, game.parse(position, "a1"))
>>> game.movers(position) == (games.BLACK,)
True
"""

from lumiban.errors import GameError
from lumiban.games.base import (
    BLACK,
    NEUTRAL,
    WHITE,
    Ambiguous,
    Complete,
    Effect,
    Game,
    Idle,
    IllegalMove,
    Kind,
    Mark,
    Move,
    Option,
    Outcome,
    Partial,
    Position,
    Reading,
    Refusal,
    State,
    Texts,
    Wrong,
)
from lumiban.games.registry import available, game_class, load

__all__ = [
    "BLACK",
    "NEUTRAL",
    "WHITE",
    "Ambiguous",
    "Complete",
    "Effect",
    "Game",
    "GameError",
    "Idle",
    "IllegalMove",
    "Kind",
    "Mark",
    "Move",
    "Option",
    "Outcome",
    "Partial",
    "Position",
    "Reading",
    "Refusal",
    "State",
    "Texts",
    "Wrong",
    "available",
    "game_class",
    "load",
]

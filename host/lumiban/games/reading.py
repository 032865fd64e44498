"""Names that moved to `games/rules.py`, for games that import them from here."""

from lumiban.games.rules import NOT_A_MOVE, ONE_AT_A_TIME, UNREADABLE, differences, effects
from lumiban.games.rules import read_picture as read_picture

__all__ = [
    "NOT_A_MOVE",
    "ONE_AT_A_TIME",
    "UNREADABLE",
    "differences",
    "effects",
    "read_picture",
]

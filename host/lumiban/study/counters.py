"""What is counted of a game beside its result: stones, removals, leads, chains, bans.

A counter is a number a game, under a name; studies give its mean and its spread. Those of all games
come from their pieces; those of one game from what its rules say of a move.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise

from lumiban.games.base import Game, Kind, Move, Position
from lumiban.games.light_game import LightGame

Counts = dict[str, float]

KIND_NAMES: Mapping[Kind, str] = {Kind.WHITE: "white", Kind.BLACK: "black", Kind.NEUTRAL: "neutral"}


def counts_of(game: Game, positions: Sequence[Position], moves: Sequence[Move]) -> Counts:
    """All counters of a game: `positions` from its start to its end, and the moves between.

    `most_white`, `most_black`, `most_neutral`: stones of a kind that stood at once; `full`: 1 when
    no cell was empty in the end; `removed`: pieces that left their cell or changed, moved ones
    too; further ones by game (`Game.counted`).

    >>> from lumiban import games
    >>> game = games.load("control", size=3)
    >>> start = game.start()
    >>> after = game.play(start, game.parse(start, "a1"))
    >>> counts_of(game, [start, after], [game.parse(start, "a1")])["most_white"]
    1
    """
    found: Counts = {}
    if not isinstance(game, LightGame):
        found = _of_pieces([game.pieces(position) for position in positions])
    return found | game.counted(positions, moves)


def _of_pieces(pictures: Sequence[Sequence[Kind]]) -> Counts:
    found: Counts = {
        f"most_{name}": max(picture.count(kind) for picture in pictures)
        for kind, name in KIND_NAMES.items()
    }
    found["full"] = int(Kind.EMPTY not in pictures[-1])
    found["removed"] = sum(
        was not in (Kind.EMPTY, now)
        for before, after in pairwise(pictures)
        for was, now in zip(before, after, strict=True)
    )
    return found

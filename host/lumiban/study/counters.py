"""Counters of a game beside its result: stones, removals, leads, chains, bans.

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

RESIGNED_BELOW = (2, 5, 10, 20)
"""Chances of their own, in percent, below which players might resign."""


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
    counts: Counts = {}
    if not isinstance(game, LightGame):
        counts = _of_pieces([game.pieces(position) for position in positions])
    return counts | game.counted(positions, moves)


def _of_pieces(pictures: Sequence[Sequence[Kind]]) -> Counts:
    counts: Counts = {
        f"most_{name}": max(picture.count(kind) for picture in pictures)
        for kind, name in KIND_NAMES.items()
    }
    counts["full"] = int(Kind.EMPTY not in pictures[-1])
    counts["removed"] = sum(
        was not in (Kind.EMPTY, now)
        for before, after in pairwise(pictures)
        for was, now in zip(before, after, strict=True)
    )
    return counts


def resignations(values: Sequence[tuple[int, float]], winner: int | None) -> Counts:
    """Counts of the changes that resigning would have made to a game: `values` are what each move
    was worth to the side that made it, from 0 to 1, with the side on which that player began.

    By percentage, `won_below_5`: 1 where the winner once thought its chances to be below, and so
    would have thrown the game away; `spared_below_5`: the share of the moves that the loser would
    have been spared. Nothing of games without a winner, or in which nobody thought.

    >>> found = resignations([(0, 0.5), (1, 0.04), (0, 0.96), (1, 0.01)], 0)
    >>> found["won_below_5"], found["spared_below_5"], found["spared_below_2"]
    (0, 0.75, 0.25)
    """
    if winner is None or not values:
        return {}
    counts: Counts = {}
    for percent in RESIGNED_BELOW:
        low = [(at, who) for at, (who, value) in enumerate(values) if value < percent / 100]
        lost = min((at for at, who in low if who != winner), default=len(values))
        counts[f"won_below_{percent}"] = int(any(who == winner for _, who in low))
        counts[f"spared_below_{percent}"] = 1 - lost / len(values)
    return counts

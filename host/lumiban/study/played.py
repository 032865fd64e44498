"""One game played through for a study, and what is kept of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

from lumiban.errors import GameError
from lumiban.games.base import Game
from lumiban.study.players import Player, to_act

MOST_PLIES = 4_000
"""A game that is longer is counted as unfinished: some rules have no end of their own."""


@dataclass(frozen=True, slots=True)
class Result:
    """What came of game `number`: who won (the side on which that player began, None for a
    draw), how it ended, how long it was, what there was to choose from, and on which cells
    something happened."""

    number: int
    winner: int | None
    reason: str
    plies: int
    choices: int
    """Moves to choose from, summed over all plies."""
    most: int
    """The most choices at once."""
    cells: tuple[int, ...]

    def as_json(self) -> dict[str, Any]:
        """As a dict of plain values, for a file."""
        return asdict(self)


def result_from(data: dict[str, Any]) -> Result:
    """The Result that `as_json` wrote; KeyError or TypeError when it is none."""
    return Result(**{**data, "cells": tuple(int(cell) for cell in data["cells"])})


def play(
    game: Game, players: Sequence[Player], number: int, seed: int, most_plies: int = MOST_PLIES
) -> Result:
    """Play game `number` of a study; `players` are by side. GameError when a rule fails.

    All chance comes from `seed` and `number`.
    """
    position = game.start(seed + number)
    choices = most = plies = 0
    cells: set[int] = set()
    while (outcome := game.outcome(position)) is None:
        if plies == most_plies:
            return Result(number, None, "unfinished", plies, choices, most, tuple(sorted(cells)))
        side = to_act(game, position)
        here = len(game.moves(position, side))
        choices += here
        most = max(most, here)
        # A pie changes who plays which side.
        mind = players[side ^ game.swapped(position)]
        move = mind.move(game, position, _seed(seed, number, plies))
        cells.update(cell for cell, _, _ in game.effects(position, move))
        refusal = game.why_not(position, move.side, move)
        if refusal is not None:
            raise GameError(f"game {number}, ply {plies + 1}: {move} is refused: {refusal.rule}")
        position = game.play(position, move)
        plies += 1
    winner = outcome.winner
    if winner is not None:
        winner ^= game.swapped(position)
    return Result(number, winner, outcome.reason, plies, choices, most, tuple(sorted(cells)))


def _seed(seed: int, number: int, ply: int) -> int:
    """A seed of its own for each thought."""
    return hash((seed, number, ply)) & 0x7FFFFFFF

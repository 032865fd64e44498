"""Records of small games for tests of the library."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

from lumiban import games
from lumiban.table import record
from lumiban.table.history import GameHistory


def game_document(
    seed: int, slug: str = "control", seats: tuple[str, str] = ("human", "human"), **options: Any
) -> dict[str, Any]:
    """A random game to its end, or to a resignation after 40 moves."""
    chance = random.Random(seed)
    game = games.load(slug, **(options or {"size": 2}))
    history = GameHistory(game, list(seats), seed=seed)
    while (outcome := history.outcome) is None:
        side = chance.choice(game.movers(history.position))
        moves = game.moves(history.position, side)
        if moves and len(history.played) < 40:
            move = chance.choice(moves)
        else:
            move = game.parse(history.position, "resign", side)
        history.play(move, 1_000_000 * len(history.played), "page")
    return record.make(history, outcome)


def fill(state: Path, count: int, first: int = 0) -> list[str]:
    """Write so many records into a state folder; their names, in order."""
    names = []
    for number in range(first, first + count):
        name = f"20261123-{number:06d}-control"
        record.keep(state / "records", name, game_document(number))
        names.append(name)
    return names

"""Perft in which every position is made and judged, none counted in bulk."""

from __future__ import annotations

from lumiban.games.base import Game
from lumiban.search.perft import SLICE, walk


def perft_judged(game: Game, depth: int, *, compiled: bool = True) -> tuple[list[int], list[int]]:
    """Numbers of positions after 1, 2, … `depth` moves, counted by sequences, and how many of them
    end the game."""
    run, arrays = walk(game, depth, position=game.start(), judges=True, compiled=compiled)
    total, over = arrays[3], arrays[4]
    while run(*arrays, depth, SLICE if compiled else SLICE // 50) == 0:
        pass
    return [int(number) for number in total], [int(number) for number in over]

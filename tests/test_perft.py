"""Perft: the published counts of Control, plain and compiled."""

from __future__ import annotations

import pytest
from lumiban import games
from lumiban.search import jit
from lumiban.search.perft import perft

needs_numba = pytest.mark.skipif(not jit.available(), reason="numba is not installed")

SIZE_3 = [12, 174, 2274, 24024, 242256, 2091618]
SIZE_5 = [24, 1350, 72894, 3639024]


@needs_numba
def test_compiled_counts_are_the_known_ones() -> None:
    assert perft(games.load("control", size=3), 6) == SIZE_3
    assert perft(games.load("control", size=5), 4) == SIZE_5


def test_plain_counts_are_the_known_ones() -> None:
    assert perft(games.load("control", size=3), 5, compiled=False) == SIZE_3[:5]
    assert perft(games.load("control", size=5), 3, compiled=False) == SIZE_5[:3]


def test_counts_are_those_of_the_public_rules() -> None:
    game = games.load("control", size=2)
    level = [game.start()]
    counts = []
    for _ in range(6):
        moves = [
            (position, move)
            for position in level
            for side in game.movers(position)
            for move in game.moves(position, side)
        ]
        counts.append(len(moves))
        level = [game.play(position, move) for position, move in moves]
    assert perft(game, 6, compiled=False) == counts


def test_counting_starts_from_any_position() -> None:
    game = games.load("control", size=3)
    start = game.start()
    below = [
        perft(game, 2, position=game.play(start, move), compiled=False)
        for move in game.moves(start, 0)
    ]
    assert [sum(counts) for counts in zip(*below, strict=True)] == SIZE_3[1:3]


def test_progress_counts_first_moves() -> None:
    told: list[tuple[int, int]] = []
    game = games.load("control", size=3)
    perft(game, 5, lambda done, of: told.append((done, of)), compiled=False)
    assert told
    assert told == sorted(told)
    assert {of for _, of in told} == {12}


def test_depths_of_one_and_none() -> None:
    game = games.load("control", size=3)
    assert perft(game, 1) == [12]
    assert perft(game, 0) == []

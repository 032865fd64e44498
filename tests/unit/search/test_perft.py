"""Perft: the published counts of Control, plain and compiled."""

from __future__ import annotations

import json

import pytest
from judged_perft import perft_judged
from lumiban import games
from lumiban.search import jit
from lumiban.search.perft import perft, perft_turns
from lumiban.study.game_commands import perft_command

needs_numba = pytest.mark.skipif(not jit.available(), reason="numba is not installed")

SIZE_3 = [12, 174, 2274, 24024, 242256, 2091618]
SIZE_5 = [24, 1350, 72894, 3639024]


@pytest.mark.jit
@needs_numba
def test_compiled_counts_are_the_known_ones() -> None:
    assert perft(games.load("control", size=3), 6) == SIZE_3
    assert perft(games.load("control", size=5), 4) == SIZE_5


@pytest.mark.slow
def test_plain_counts_are_the_known_ones() -> None:
    assert perft(games.load("control", size=3), 5, compiled=False) == SIZE_3[:5]
    assert perft(games.load("control", size=5), 3, compiled=False) == SIZE_5[:3]


def test_depths_of_one_and_none() -> None:
    game = games.load("control", size=3)
    assert perft(game, 1, compiled=False) == [12]
    assert perft(game, 0, compiled=False) == []


# Turns.


@pytest.mark.slow
def test_trivias_turns_are_the_known_ones() -> None:
    assert perft_turns(games.load("trivia", size=3), 4) == [9, 1512, 45360, 45360]


def test_with_one_move_a_turn_turns_are_moves() -> None:
    game = games.load("control", size=3)
    assert perft_turns(game, 3) == SIZE_3[:3]
    game = games.load("control", size=3, sees="sight")
    assert perft_turns(game, 3) == perft(game, 3, compiled=False)


def test_counting_turns_starts_in_the_middle_of_one_and_ends_with_the_game() -> None:
    game = games.load("trivia", size=2)
    position = game.start()
    for text in ("a1", "red b2"):
        position = game.play(position, game.parse(position, text))
    told: list[tuple[int, int]] = []
    counts = perft_turns(game, 3, lambda *done: told.append(done), position=position)
    assert counts == [1, 0, 0]
    assert told == [(0, 1)]
    assert perft_turns(game, 0) == []


@pytest.mark.slow
def test_the_command_counts_turns(capsys: pytest.CaptureFixture[str]) -> None:
    perft_command("trivia", depth=4, turns=True, option=["size=3"], json=True)
    assert json.loads(capsys.readouterr().out) == {
        "game": "trivia",
        "options": {"size": 3, "cells": "squares"},
        "nodes": [9, 1512, 45360, 45360],
    }


# Positions made and judged.


def judged_by_public_rules(game: games.Game, depth: int) -> tuple[list[int], list[int]]:
    """Positions and finished games by ply, from the rules that a table plays by."""
    level, total, over = [game.start()], [], []
    for _ in range(depth):
        level = [
            game.play(position, move)
            for position in level
            if game.outcome(position) is None
            for side in game.movers(position)[:1]
            for move in game.moves(position, side)
        ]
        total.append(len(level))
        over.append(sum(game.outcome(position) is not None for position in level))
    return total, over


@pytest.mark.parametrize(
    ("slug", "options", "depth"),
    [
        ("control", {"size": 2}, 5),
        ("trivia", {"size": 2}, 4),
        ("doves", {}, 2),
        ("doves", {"repetition": "off", "initial": "allowed"}, 2),
    ],
)
def test_positions_made_and_judged_are_those_of_the_public_rules(
    slug: str, options: dict[str, int | str], depth: int
) -> None:
    game = games.load(slug, **options)
    assert perft_judged(game, depth, compiled=False) == judged_by_public_rules(game, depth)


@pytest.mark.jit
@needs_numba
def test_compiled_positions_are_judged_as_in_plain_python() -> None:
    game = games.load("doves")
    found = perft_judged(game, 4)
    assert found == ([27, 765, 25655, 751780], [0, 0, 0, 15720])
    assert perft_judged(game, 3, compiled=False) == (found[0][:3], found[1][:3])

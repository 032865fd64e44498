"""Intervals of counters hold what they promise, where the true mean is known."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import replace

import pytest
from lumiban.games.rengi.game import Rengi
from lumiban.study.chunks import Chunk, PlayedChunk, play_chunk
from lumiban.study.counters import RESIGNED_BELOW, resignations
from lumiban.study.findings import Mean, mean_of
from lumiban.study.plan import plan_from

STUDIES, PAIRS = 400, 100


def like_pairs(chance: random.Random, draw: Callable[[random.Random], float]) -> Mean:
    """A counter of pairs whose two games go the same way: half the games tell nothing new."""
    values = [draw(chance) for _ in range(PAIRS)]
    return mean_of({pair: [value, value] for pair, value in enumerate(values)})


@pytest.mark.parametrize(
    ("draw", "mean"),
    [
        (lambda chance: chance.expovariate(1 / 5), 5.0),
        (lambda chance: float(chance.random() < 0.4), 0.4),
        (lambda chance: float(chance.random() < 0.02), 0.02),
    ],
    ids=["exponential", "share", "rare"],
)
def test_an_interval_holds_the_true_mean_in_ninety_five_of_a_hundred_studies(
    draw: Callable[[random.Random], float], mean: float
) -> None:
    chance = random.Random(25)
    held = 0
    for _ in range(STUDIES):
        low, high = like_pairs(chance, draw).interval()
        held += low <= mean <= high
    assert 0.92 * STUDIES <= held <= 0.985 * STUDIES


def test_who_would_have_resigned_and_won_is_counted_and_what_losers_would_have_been_spared() -> (
    None
):
    values = [(0, 0.5), (1, 0.5), (0, 0.09), (1, 0.9), (0, 0.6), (1, 0.15), (0, 0.9), (1, 0.01)]
    found = resignations(values, 0)
    assert [found[f"won_below_{percent}"] for percent in RESIGNED_BELOW] == [0, 0, 1, 1]
    assert [found[f"spared_below_{percent}"] for percent in RESIGNED_BELOW] == [
        1 / 8,
        1 / 8,
        1 / 8,
        3 / 8,
    ]
    assert resignations(values, 1)["won_below_2"] == 1
    assert resignations(values, None) == resignations([], 0) == {}


@pytest.mark.parametrize(("level", "playouts"), [("strong", 5), ("random", None)])
def test_games_of_who_thinks_are_kept_with_what_resigning_would_change(
    level: str, playouts: int | None
) -> None:
    first = {"level": level} | ({"playouts": playouts} if playouts else {})
    tables = {"title": "Resigning", "game": "control", "options": {"size": 2}, "first": first}
    plan = plan_from(tables | {"stop": {"pairs": 2}}, "resign")
    (condition,) = plan.conditions
    condition = replace(condition, first=replace(condition.first, compiled=False))
    played = play_chunk(Chunk(condition, 0, 0, 2, 1, 100))
    assert isinstance(played, PlayedChunk)
    for game in played.games:
        assert ("won_below_5" in game.counts) == (level == "strong")


@pytest.mark.slow
def test_of_rengi_it_is_counted_whether_who_attacks_first_wins() -> None:
    """An attack is seen here by the forecast on the table, which grows for who is attacked."""
    tables = {"title": "Attack", "game": "rengi", "options": {"mode": "open"}, "seed": 3}
    plan = plan_from(tables | {"first": {"level": "random"}, "stop": {"pairs": 3}}, "attack")
    (condition,) = plan.conditions
    played = play_chunk(Chunk(condition, 0, 0, 3, 3, 400))
    assert isinstance(played, PlayedChunk)
    game, attacks = condition.game(), 0
    assert isinstance(game, Rengi)
    for one in played.games:
        position = condition.start(game, 3, one.pair)
        attackers: list[int] = []
        for side, text in one.moves:
            position = game.play(position, game.parse(position, text, side))
            threatened = [sum(game.forecast(position, at)) for at in (0, 1)]
            attackers += [1 - at for at in (0, 1) if threatened[at]]
        said = one.counts.get("first_attacker_won")
        if attackers:
            assert said == (attackers[0] == one.winner)
            attacks += 1
    assert attacks >= 3

"""Bots in free play: how soon they place and stand, and that they starve no hand."""

from __future__ import annotations

import random
from itertools import pairwise
from statistics import median
from typing import Any

import evening_duel
import pytest
from lumiban import games
from lumiban.table import free_play
from lumiban.table.types import Settings
from session_bench import Bench
from virtual_table import VirtualTable


def against(level: str, seed: int, reaction_us: int | None = None) -> VirtualTable:
    """A person who opens and then looks on, against a bot."""
    table = VirtualTable(
        game="evening", options={"size": 3}, seats=("human", f"bot:{level}"), seed=seed,
        settings=Settings(reaction_us=reaction_us), playouts=30,
    )  # fmt: skip
    table.place("b2", 1)
    table.run(lambda t: len(t.session.match.history.played) >= 2, 20_000_000)
    return table


@pytest.mark.parametrize("seed", range(2))
def test_a_clumsy_hand_is_not_starved(seed: int) -> None:
    """A person sets, misses, lifts again; between two of the bot's stones there is their time."""
    table = against("strong", seed)
    chance = random.Random(seed)
    for _ in range(14):
        if table.finished:
            break
        names = table.session.match.history.game.grid.names
        free = [names[c] for c, kind in enumerate(table.view["pieces"]) if not kind]
        may = [names[c] for c in (table.view["open"] or [[]])[0]]
        wish = chance.choice(may if may and chance.random() < 0.6 else free)
        table.place(wish, 1)
        if table.view["dead"]:
            table.rest(chance.randrange(300_000, 1_200_000))
            table.lift(wish)
        table.rest(chance.randrange(200_000, 900_000))
    stones = evening_duel.stones(table.session)
    pairs = list(pairwise(stones))
    own = [b[0] - a[0] for a, b in pairs if a[1] == b[1] == 1]
    answers = [b[0] - a[0] for a, b in pairs if (a[1], b[1]) == (0, 1)]
    assert answers
    assert min(answers) >= free_play.MIN_REACTION_US
    assert all(gap >= free_play.GAPS_US[0] for gap in own)


LEVELS_S = {"gentle": 1.8, "easy": 1.3, "medium": 1.0, "hard": 0.7, "strong": 0.45}


def reactions(*seats: str, **more: Any) -> list[int]:
    """How soon the second side reacts, by many games' seeds."""
    bench = Bench(*seats, game=games.load("evening", size=3), **more)
    assert isinstance(bench.match, free_play.FreePlay)
    found = []
    for seed in range(80):
        bench.match.history.seed = seed
        found.append(bench.match.reaction_us(1))
    return found


@pytest.mark.parametrize(
    ("seats", "wish_us", "usual_us"),
    [
        *((("human", f"bot:{one}"), None, round(1e6 * s)) for one, s in LEVELS_S.items()),
        (("human", "bot:of-a-package"), None, 1_500_000),
        (("human", "bot:gentle"), 4_000_000, 4_000_000),
        (("bot:easy", "bot:strong"), None, 1_200_000),
        (("bot:easy", "bot:gentle"), None, 1_800_000),
    ],
)
def test_a_reaction_varies_about_the_time_of_its_level_or_the_one_that_is_wished(
    seats: tuple[str, ...], wish_us: int | None, usual_us: int
) -> None:
    found = reactions(*seats, settings=Settings(reaction_us=wish_us))
    assert 0.8 * usual_us <= min(found) < 0.9 * usual_us
    assert 1.2 * usual_us < max(found) <= 1.3 * usual_us
    assert 1.0 * usual_us < median(found) < 1.1 * usual_us
    assert len(set(found)) > 25


def test_nobody_reacts_quicker_than_a_hand() -> None:
    found = reactions("human", "bot:strong", settings=Settings(reaction_us=260_000))
    assert min(found) == 250_000 < max(found)

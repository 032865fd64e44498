"""How Rengi's ojama fall: units, orders, the cap, random columns, otsuri; what the bins do."""

from __future__ import annotations

import json
from collections import Counter
from typing import Any

import pytest
from each import each
from hypothesis import given, settings
from hypothesis import strategies as st
from lumiban.games import Position
from lumiban.games.rengi import Rengi
from lumiban.games.rengi.arrays import MIXED
from lumiban.games.rengi.duel import amount
from places import TESTS
from thorough import examples

GOLDEN = json.loads((TESTS / "golden" / "rengi.json").read_text("utf-8"))
ROW = "......"
FOUR = f"{'/'.join([ROW] * 12)}/RRR..."
law = settings(max_examples=examples(60))


def after_wait(waiting: int, *, seed: int = 0, **options: Any) -> tuple[Rengi, Position]:
    """A free game in which so many ojama wait for the first player, who makes a hand."""
    game = Rengi(mode="free", all_clear="off", **options)
    position = game.setup(waiting=(waiting, 0), seed=seed)
    return game, game.play(position, game.parse(position, "RB3.1"))


def ojama_in(game: Rengi, position: Position, side: int = 0) -> tuple[int, ...]:
    field = game.field(position, side)
    return tuple(sum(row[column] == 5 for row in field) for column in range(6))


@each("waiting", range(7))
def test_one_by_one_they_take_columns_4_2_5_1_6_3(waiting: int) -> None:
    game, position = after_wait(waiting, ojama_unit=1)
    order = GOLDEN["ojama_drop"]["unit1_order"]
    fallen = [int(column + 1 in order[:waiting]) for column in range(6)]
    assert list(ojama_in(game, position)) == fallen
    ranks = GOLDEN["ojama_drop"]["unit1_rank_by_column"]
    assert [order.index(column) + 1 for column in range(1, 7)] == ranks


@given(st.integers(0, 300), st.sampled_from([1, 3, 6, MIXED]), st.integers(1, 13))
@law
def test_what_falls_is_whole_units_within_the_cap_and_as_much_as_can_be(
    waiting: int, unit: int, rows: int
) -> None:
    falls = amount(unit, 18, 6 * rows, waiting)
    step = unit or (3 if waiting <= 18 else 6)
    assert falls % step == 0
    assert 0 <= falls <= min(waiting, 6 * rows)
    assert falls + step > min(waiting, 6 * rows)


@pytest.mark.slow
def test_random_columns_are_distinct_from_the_seed_and_all_alike_in_the_long_run() -> None:
    seen: Counter[int] = Counter()
    for seed in range(240):
        game, position = after_wait(9, ojama_unit=1, ojama_order="random", seed=seed)
        fallen = ojama_in(game, position)
        assert sorted(fallen) == [1, 1, 1, 2, 2, 2]
        assert after_wait(9, ojama_unit=1, ojama_order="random", seed=seed)[1] == position
        seen.update(column for column in range(6) if fallen[column] == 2)
    assert min(seen.values()) > 90
    assert max(seen.values()) < 150


HIGH = "/".join(["......", "......", *["BY.BYG", "YB.GBY"] * 5, "GG.YYB"])


@pytest.mark.parametrize(("otsuri", "left"), [("off", 0), ("on", 15)])
def test_ojama_without_room_vanish_or_come_again(otsuri: str, left: int) -> None:
    game = Rengi(mode="free", offset="off", otsuri=otsuri)
    position = game.setup(fields=(HIGH, ""), waiting=(30, 0))
    move = game.parse(position, "RR3.0")
    fell = next(event for event in game.story(position, move) if event.kind == "fell")
    assert (fell.ojama, fell.vanished) == (30, 15)
    after = game.play(position, move)
    assert sum(ojama_in(game, after)) == 15
    assert game.forecast(after, 0) == (left, 0)


def test_komi_is_paid_to_who_does_not_begin_with_the_first_erasure() -> None:
    game = Rengi(mode="free", komi=140)
    position = game.setup(fields=("", FOUR), to_move="second")
    position = game.play(position, game.parse(position, "RY4.0"))
    assert game.points(position, 1) == 180
    assert game.forecast(position, 0) == (2, 0)


def test_carried_points_are_refused_where_nothing_is_carried() -> None:
    from lumiban.errors import GameError

    with pytest.raises(GameError, match="carry_remainder=on"):
        Rengi(mode="free").setup(carried=(30, 0))

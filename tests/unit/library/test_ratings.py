"""Ratings: examples worked by hand, and what is no rated game."""

from __future__ import annotations

import json

import pytest
from each import each
from lumiban.errors import UsageError
from lumiban.library import ratings
from lumiban.library.ratings import Change, RatedGame, RatedSeat, Ratings, change, verdict
from places import TESTS

ELO = json.loads((TESTS / "golden" / "rengi.json").read_text("utf-8"))["recommended_defaults"][
    "elo"
]
AYA, BEN = 1, 2
BOTH = (RatedSeat("human", AYA), RatedSeat("human", BEN))


def test_the_numbers_are_those_of_the_golden_file() -> None:
    assert (ELO["k"], ELO["min_change"]) == (ratings.K, ratings.MIN_CHANGE)
    assert (ELO["practice_gap"], ELO["beginner"]) == (ratings.PRACTICE_GAP, ratings.BEGINNER)


@each(
    ("winner", "loser", "points"),
    [
        # 32 × (1 − 1/2)
        (1500, 1500, 16),
        # 10^(100/400) = 1.77828; 1/2.77828 = 0.35994; × 32 = 11.518
        (1600, 1500, 12),
        # 1.77828/2.77828 = 0.64006; × 32 = 20.482
        (1500, 1600, 20),
        # 10^(200/400) = 3.16228; 1/4.16228 = 0.24025; × 32 = 7.688
        (1200, 1000, 8),
        # 3.16228/4.16228 = 0.75975; × 32 = 24.312
        (1000, 1200, 24),
        # 10^(399/400) = 9.94260; 1/10.94260 = 0.09139; × 32 = 2.924
        (399, 0, 3),
        # 9.94260/10.94260 = 0.90861; × 32 = 29.076
        (0, 399, 29),
        # from a gap of 400 on it is practice, whoever wins
        (400, 0, 0),
        (0, 400, 0),
        (1900, 1500, 0),
    ],
)
def test_examples_worked_by_hand(winner: int, loser: int, points: int) -> None:
    assert change(winner, loser) == points


def test_the_smallest_change_is_one() -> None:
    # 0.09139 × 4 = 0.37, which rounds to nothing; 0.09139 × 8 = 0.73
    assert (change(1399, 1000, k=4), change(1399, 1000, k=8)) == (1, 1)
    assert change(1399, 1000, k=1) == 1


def test_an_evening_worked_by_hand() -> None:
    table = Ratings()
    table.declare(AYA, "rengi", 300)  # Ben declares nothing: a beginner, 0
    first, second, drawn = (RatedGame("rengi", BOTH, winner) for winner in (0, 1, None))
    # 10^(-300/400) = 0.17783; 1 − 1/1.17783 = 0.15098; × 32 = 4.83
    assert table.play(first).gained == (5, -5)
    assert [table.value(who, "rengi") for who in (AYA, BEN)] == [305, -5]
    # a gap of 310: 10^(-310/400) = 0.16788; 1/1.16788 = 0.85625; × 32 = 27.40
    assert table.play(second).gained == (-27, 27)
    assert [table.value(who, "rengi") for who in (AYA, BEN)] == [278, 22]
    result = table.play(drawn)
    assert (result.verdict, result.gained) == ("drawn", (0, 0))
    # Another game has ratings of its own.
    assert table.value(AYA, "control") == 0


@pytest.mark.parametrize("rating", [-1, 3001])
def test_a_first_rating_that_is_none_is_refused(rating: int) -> None:
    with pytest.raises(UsageError, match="0 to 3000"):
        Ratings().declare(AYA, "rengi", rating)


def test_machines_are_anchors_outside_rengi_and_stay_where_they_are() -> None:
    table = Ratings()
    seats = (RatedSeat("human", AYA), RatedSeat("bot:easy"))
    # 300 points up: 10^(300/400) = 5.62341; 5.62341/6.62341 = 0.84902; × 32 = 27.17
    assert table.play(RatedGame("control", seats, 0)).gained == (27, 0)
    assert table.play(RatedGame("control", seats, 1)).before == (27, 300)
    assert table.play(RatedGame("rengi", seats, 0)).verdict == "machine"
    for level, rating in (
        ("gentle", 0), ("easy", 300), ("medium", 600), ("hard", 900), ("strong", 1200),
    ):  # fmt: skip
        seats = (RatedSeat("human", BEN), RatedSeat(f"bot:{level}"))
        result = Ratings().play(RatedGame("control", seats, None))
        assert (result.before, result.gained) == ((0, rating), (0, 0))
        assert result.verdict == ("drawn" if rating < 400 else "practice")


@each(
    ("game", "said"),
    [
        (RatedGame("rengi", BOTH, 0), "rated"),
        (RatedGame("rengi", BOTH, None), "drawn"),
        (RatedGame("rengi", (BOTH[0], RatedSeat("human")), 0), "unnamed"),
        (RatedGame("rengi", (BOTH[0], BOTH[0]), 0), "same-player"),
        (RatedGame("control", (RatedSeat("bot:easy"), RatedSeat("bot:hard")), 0), "machines"),
        (RatedGame("control", (BOTH[0], RatedSeat("bot:7")), 0), "machine"),
        (RatedGame("rengi", BOTH, 0, is_set_up=True), "set-up"),
        (RatedGame("rengi", BOTH, 0, has_assists=True), "assisted"),
        (RatedGame("rengi", BOTH, 0, is_sound=False), "unsound"),
        (RatedGame("chain-power", BOTH, 0), "alone"),
        (RatedGame("mine.py", BOTH, 0, is_own=True), "own"),
    ],
)
def test_only_a_sound_game_between_two_named_players_is_rated(game: RatedGame, said: str) -> None:
    assert verdict(game) == said
    table = Ratings()
    assert table.play(game).verdict == said
    if said not in ("rated", "drawn"):
        assert table.play(game) == Change(said, (None, None), (0, 0))
    if said != "rated":
        assert [table.value(who, game.slug) for who in (AYA, BEN)] == [0, 0]

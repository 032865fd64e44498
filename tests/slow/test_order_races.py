"""Two hands set stones down 2 ms apart: the order that is told is the true one, or none."""

from __future__ import annotations

from functools import cache

import pytest
from lumiban_lab.experiments import races
from lumiban_lab.order import APART_US, OTHERS, SPEEDS, UNFAIR, Pair, Tally, measure, tally


@cache
def told(pair: Pair, speed: float, count: int, *, seed: int = 5, rough: bool = False) -> Tally:
    heats = [
        races("hex3", pair.strong, pair.speeds(speed), APART_US, seed + at, 50, rough=rough)
        for at in range(count // 50)
    ]
    return tally(pair, speed, [race for one in heats for race in one])


# What the table promises.


@pytest.mark.parametrize("speed", SPEEDS)
def test_a_fast_strong_and_a_slow_weak_stone_are_never_told_the_wrong_way_round(
    speed: float,
) -> None:
    found = told(UNFAIR, speed, 100)
    assert (found.races, found.missing, found.inversions, found.outside) == (100, 0, 0, 0)


def test_at_a_fifth_of_a_metre_a_second_at_most_one_race_in_five_is_a_tie() -> None:
    found = told(UNFAIR, 0.2, 100)
    assert 0 < found.ties <= found.races / 5
    assert found.inversions == 0


def test_ties_are_told_by_speed_slow_hands_more_often() -> None:
    slow, fast = told(UNFAIR, 0.05, 100), told(UNFAIR, 0.4, 100)
    assert slow.ties > 80
    assert fast.ties < 10


@pytest.mark.parametrize("pair", OTHERS, ids=lambda pair: pair.name)
def test_other_pairs_of_hands_are_not_told_the_wrong_way_round_either(pair: Pair) -> None:
    found = told(pair, 0.2, 50)
    assert (found.missing, found.inversions, found.outside) == (0, 0, 0)


@pytest.mark.parametrize("speed", [0.05, 0.2])
def test_lids_that_are_off_and_wavering_hands_invert_nothing(speed: float) -> None:
    found = told(UNFAIR, speed, 50, rough=True)
    assert (found.missing, found.inversions) == (0, 0)


@pytest.mark.long
def test_ten_thousand_races_at_each_speed() -> None:
    rows = list(measure(10_000, SPEEDS, seed=1, jobs=2, rough=False, progress=lambda _line: None))
    assert sum(row.inversions for row in rows) == 0
    assert sum(row.missing for row in rows) == 0
    (at_a_fifth,) = [row for row in rows if row.pair is UNFAIR and row.speed == 0.2]
    assert at_a_fifth.races == 10_000
    assert at_a_fifth.ties <= 2_000

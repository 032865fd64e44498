"""Two hands set stones down 2 ms apart: the order that is told is the true one, or none."""

from __future__ import annotations

import json
from dataclasses import replace
from functools import cache
from unicodedata import east_asian_width

import pytest
from lumiban.boards.profile import load
from lumiban_lab import order as bench_order
from lumiban_lab.experiments import Arrival, Race, Runner, heat, races
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


# The races themselves.


def a_heat(seed: int, *, rough: bool = False) -> list[Race]:
    runners = (Runner(True, 0.4), Runner(False, 0.4))
    return heat(load("hex3"), runners, APART_US, seed, 8, rough=rough)


def test_the_same_seed_gives_the_same_races_and_another_gives_others() -> None:
    assert a_heat(1) == a_heat(1)
    assert a_heat(1) != a_heat(2)
    assert a_heat(1, rough=True) != a_heat(1)


def test_stones_touch_so_far_apart_either_first_at_any_phase_of_a_frame() -> None:
    touched = [(one.touch_us, other.touch_us) for one, other in a_heat(3)]
    assert {other - one for one, other in touched} == {APART_US, -APART_US}
    assert len({min(pair) % 1000 for pair in touched}) > 4


def test_what_was_not_told_is_counted_as_missing_and_as_nothing_else() -> None:
    race = (Arrival(1_000, 3, 1_100, 50), Arrival(3_000, -1, -1, 0))
    found = tally(UNFAIR, 0.2, [race])
    assert (found.missing, found.ties, found.inversions, found.outside) == (1, 0, 0, 0)


def test_an_order_told_wrong_is_an_inversion_only_outside_both_spans() -> None:
    early, late = Arrival(1_000, 1, 3_400, 300), Arrival(3_000, 0, 2_600, 450)
    assert tally(UNFAIR, 0.2, [(early, late)]).inversions == 1
    assert tally(UNFAIR, 0.2, [(late, early)]).inversions == 1
    unsure = replace(early, uncertainty_us=350)
    assert tally(UNFAIR, 0.2, [(unsure, late)]).inversions == 0
    assert tally(UNFAIR, 0.2, [(unsure, late)]).ties == 1


# The command.


def test_the_table_is_the_same_however_many_processes_race(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(bench_order, "HEAT", 3)

    def rows(jobs: int) -> list[Tally]:
        return list(measure(7, (0.4,), seed=2, jobs=jobs, rough=False, progress=lambda _line: None))

    assert rows(1) == rows(2)


def test_ties_and_inversions_by_speed_are_printed_as_json(
    capsys: pytest.CaptureFixture[str],
) -> None:
    from lumiban_lab.commands import order

    order(seeds=20, speeds="0.2,0.4", jobs=1, json=True)
    found = json.loads(capsys.readouterr().out)
    assert found["apart_us"] == 2_000
    first, second = found["rows"][:2]
    assert (first["pair"], first["speed_m_s"], first["races"]) == (UNFAIR.name, 0.2, 20)
    assert second["hands_m_s"] == [0.5333, 0.2667]
    assert first["inversions"] == second["inversions"] == 0
    assert {row["pair"] for row in found["rows"]} == {pair.name for pair in (UNFAIR, *OTHERS)}


@pytest.mark.parametrize("language", ["en", "ja"])
def test_the_table_for_people_is_aligned_in_both_languages(
    language: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bench_order, "terminal_language", lambda: language)
    early = Arrival(1_000, 0, 1_100, 300), Arrival(3_000, 1, 2_900, 300)
    rows = [tally(UNFAIR, 0.05, [early] * 10_000), tally(UNFAIR, 0.2, [early])]
    about, empty, _pair, *lines = bench_order.table(rows)
    assert "2" in about
    assert empty == ""
    widths = {
        sum(2 if east_asian_width(letter) in "WF" else 1 for letter in line) for line in lines
    }
    assert len(lines) == 3
    assert len(widths) == 1


@pytest.mark.parametrize(
    ("told", "named"),
    [
        ({"seeds": 0}, "--seeds 0"),
        ({"speeds": "fast"}, "--speeds 'fast'"),
        ({"speeds": "0.2,9"}, "--speeds '0.2,9'"),
        ({"jobs": 0}, "--jobs 0"),
        ({"seed": -1}, "--seed -1"),
    ],
)
def test_arguments_out_of_range_are_refused_by_name(told: dict[str, int | str], named: str) -> None:
    from lumiban.errors import UsageError
    from lumiban_lab.commands import order

    with pytest.raises(UsageError, match=named):
        order(**told)  # type: ignore[arg-type]  # several types in one table

"""Senses: which kinds are sensed, and when nothing happens."""

from __future__ import annotations

import random

import pytest
from lumiban_fw.buffers import RUN
from lumiban_fw.wire import BLACK, EMPTY, FOREIGN, NEUTRAL, UNKNOWN, WHITE
from sense_bench import (
    CELLS,
    NOISE_COUNTS,
    STRONG,
    UT_A_COUNT,
    WEAK,
    Bench,
    Way,
    falls,
    hovering,
    rises,
    steady,
)
from thorough import examples


def test_the_field_is_told_in_microtesla() -> None:
    bench = Bench({4: steady(12_700)}).run(50_000)
    assert abs(bench.sense.field_ut(4) - 12_700) < UT_A_COUNT
    assert abs(bench.sense.field_ut(6)) < UT_A_COUNT


HYSTERESIS = [
    # (fields in mT one after the other, kinds that are told)
    ([0, 5.5, 0], []),
    ([0, 7, 5, 7, 4, 5.5], [NEUTRAL, EMPTY]),
    ([0, 17, 18.4, 19.8, 18.4, 17], [NEUTRAL, WHITE, NEUTRAL]),
    ([0, -32, -56, -54.5, -53], [BLACK, FOREIGN, BLACK]),
    ([0, 32, -32], [WHITE, BLACK]),
    ([0, 2, 1, 2], []),
]


@pytest.mark.parametrize(("levels", "kinds"), HYSTERESIS)
def test_kinds_change_with_hysteresis(levels: list[float], kinds: list[int]) -> None:
    step_us = 300_000

    def way(t_us: int) -> float:
        return 1000.0 * levels[min(t_us // step_us, len(levels) - 1)]

    bench = Bench({2: way}).run(step_us * len(levels))
    assert [k for _, _, k, _ in bench.events] == kinds


def test_a_strong_piece_coming_slowly_is_never_taken_for_a_neutral_one() -> None:
    bench = Bench({5: falls(STRONG, 2_500_000, 12)}).run(2_700_000)
    assert [k for _, _, k, _ in bench.events] == [WHITE]


@pytest.mark.slow
def test_noise_starts_no_motion() -> None:
    bench = Bench({2: steady(32_000), 3: steady(-12_700)}, noise=NOISE_COUNTS, seed=3)
    bench.run(150_000)
    assert bench.sense.ready
    for _ in range(examples(20_000)):
        bench.run(bench.t_us + 1000)
        assert bench.sense.moving == 0
    assert bench.events == []


def test_spikes_shorter_than_a_run_are_nothing() -> None:
    def way(t_us: int) -> float:
        return 30_000 if t_us % 50_000 < 1000 * (RUN - 1) and t_us > 200_000 else 0.0

    bench = Bench({2: way}).run(1_000_000)
    assert bench.events == []
    assert bench.sense.kinds[2] == EMPTY


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(4))
def test_skipped_frames_change_no_event(seed: int) -> None:
    dice = random.Random(seed)
    ways: dict[int, Way] = {}
    for cell in range(CELLS):
        way = falls if dice.random() < 0.6 else rises
        ways[cell] = way(
            dice.choice([STRONG, WEAK]), dice.randrange(400_000, 4_000_000), dice.uniform(80, 500)
        )
    every = Bench(ways).run(4_600_000)
    some = Bench(ways, skipping=True).run(4_600_000)
    assert some.events == every.events
    assert some.sense.kinds == every.sense.kinds
    assert some.frames < every.frames * 0.8
    assert len(every.events) == CELLS


def test_a_board_at_rest_is_quiet_and_one_in_motion_is_not() -> None:
    bench = Bench({5: falls(STRONG, 400_000, 200)})
    assert not bench.sense.quiet()
    assert bench.run(200_000).sense.quiet()
    assert not bench.run(401_000).sense.quiet()
    assert bench.run(500_000).sense.quiet()


def test_a_cell_that_trembles_at_power_on_is_told_when_it_settles() -> None:
    bench = Bench({5: hovering(2_000_000), 6: lambda t: hovering(700_000)(t + 300_000)})
    bench.run(350_000)
    assert bench.sense.ready
    assert bench.sense.kinds[6] == UNKNOWN
    assert bench.sense.kinds[7] == EMPTY
    bench.run(600_000)
    assert [(c, k) for _, c, k, _ in bench.events] == [(6, EMPTY)]

"""Senses: which of several pieces came first, and up to when that is certain."""

from __future__ import annotations

import random

import pytest
from lumiban_fw.sense import HOLD_US
from lumiban_fw.wire import EMPTY, WHITE
from sense_bench import CELLS, NOISE_COUNTS, STRONG, WEAK, Bench, Way, falls, hovering, rises


@pytest.mark.slow
@pytest.mark.parametrize(("weak_us", "strong_us"), [(800_000, 804_000), (804_000, 800_000)])
@pytest.mark.parametrize("mm_s", [80, 300])
def test_strong_and_weak_pieces_are_ordered_by_contact(
    weak_us: int, strong_us: int, mm_s: float
) -> None:
    ways = {3: falls(WEAK, weak_us, mm_s), 9: falls(STRONG, strong_us, mm_s)}
    for seed in range(5):
        bench = Bench(ways, noise=NOISE_COUNTS, seed=seed).run(1_000_000)
        order = [cell for _, cell, _, _ in sorted(bench.events)]
        assert order == ([3, 9] if weak_us < strong_us else [9, 3])


def test_no_event_lies_before_a_watermark_that_was_told() -> None:
    dice = random.Random(4)
    ways: dict[int, Way] = {}
    for cell in range(0, CELLS, 2):
        way = falls if dice.random() < 0.6 else rises
        ways[cell] = way(
            dice.choice([STRONG, WEAK]), dice.randrange(400_000, 700_000), dice.uniform(80, 500)
        )
    bench = Bench(ways, noise=NOISE_COUNTS)
    for _ in range(1_000):
        mark = bench.sense.watermark_us
        known = len(bench.events)
        bench.run(bench.t_us + 1000)
        assert all(event[0] >= mark for event in bench.events[known:])
    assert len(bench.events) == len(ways)


def test_the_watermark_never_runs_back_nor_ahead() -> None:
    bench = Bench({5: falls(STRONG, 500_000, 50)}, noise=NOISE_COUNTS).run(900_000)
    marks = [mark for _, mark in bench.marks]
    assert marks == sorted(marks)
    assert all(mark <= t_us for t_us, mark in bench.marks)
    assert bench.marks[-1][1] > 880_000


def test_a_slide_is_a_lift_and_then_a_placement() -> None:
    # 25 mm in 100 ms; sideways the field of a 6×3 magnet falls to a half in about 3.6 mm.
    def over(cell_mm: float) -> Way:
        def ut(t_us: int) -> float:
            at = 25.0 * min(1.0, max(0.0, (t_us - 400_000) / 100_000))
            return 32_000 * float(0.5 ** ((abs(at - cell_mm) / 3.6) ** 2))

        return ut

    bench = Bench({8: over(0), 9: over(25)}).run(800_000)
    assert [(c, k) for _, c, k, _ in sorted(bench.events)] == [(8, EMPTY), (9, WHITE)]
    lift, placement = sorted(bench.events)
    assert 400_000 <= lift[0] <= 425_000
    assert 475_000 <= placement[0] <= 510_000


def test_a_hovering_stone_holds_the_watermark_for_400_ms_and_no_longer() -> None:
    bench = Bench({5: hovering(2_000_000)}).run(2_200_000)
    assert bench.events == []
    lag = {t_us: t_us - mark for t_us, mark in bench.marks}
    assert lag[600_000] > 290_000
    assert max(lag.values()) == HOLD_US
    assert lag[1_900_000] == HOLD_US
    assert lag[2_200_000] == 0


def test_a_stone_beside_a_hovering_one_is_still_told() -> None:
    bench = Bench({5: hovering(2_000_000), 6: falls(STRONG, 1_000_000, 200)}).run(1_500_000)
    assert [(c, k) for _, c, k, _ in bench.events] == [(6, WHITE)]
    (told_us,) = [t for t, mark in bench.marks if mark > bench.events[0][0]][:1]
    assert told_us <= 1_000_000 + HOLD_US + 5_000

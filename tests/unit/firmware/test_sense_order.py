"""Senses: which of several pieces came first, and up to when that is certain."""

from __future__ import annotations

import pytest
from lumiban_fw.sense import HOLD_US
from sense_bench import NOISE_COUNTS, STRONG, WEAK, Bench, falls, hovering


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


def test_the_watermark_never_runs_back_nor_ahead() -> None:
    bench = Bench({5: falls(STRONG, 500_000, 50)}, noise=NOISE_COUNTS).run(900_000)
    marks = [mark for _, mark in bench.marks]
    assert marks == sorted(marks)
    assert all(mark <= t_us for t_us, mark in bench.marks)
    assert bench.marks[-1][1] > 880_000


def test_a_hovering_stone_holds_the_watermark_for_400_ms_and_no_longer() -> None:
    bench = Bench({5: hovering(2_000_000)}).run(2_200_000)
    assert bench.events == []
    lag = {t_us: t_us - mark for t_us, mark in bench.marks}
    assert lag[600_000] > 290_000
    assert max(lag.values()) == HOLD_US
    assert lag[1_900_000] == HOLD_US
    assert lag[2_200_000] == 0

"""Senses: when a piece met or left its seat, and how far off that may be."""

from __future__ import annotations

from array import array

import pytest
from each import each
from hypothesis import given, settings
from hypothesis import strategies as st
from lumiban_fw.buffers import CLOCK, TRACE_LEN
from lumiban_fw.contact import HEIGHT, UNSURE_US, contact, root
from lumiban_fw.wire import BLACK, EMPTY, NEUTRAL, WHITE
from sense_bench import (
    CELLS,
    NOISE_COUNTS,
    STRONG,
    WEAK,
    Bench,
    Way,
    falls,
    field_ut,
    jerked,
    rises,
)
from thorough import examples, some

WAYS = [
    # (what, magnet, sign, kind that is sensed)
    ("white", STRONG, 1, WHITE),
    ("black", STRONG, -1, BLACK),
    ("neutral", WEAK, 1, NEUTRAL),
    ("neutral upside down", WEAK, -1, NEUTRAL),
]


@pytest.mark.parametrize(("what", "magnet", "sign", "kind"), WAYS, ids=[w[0] for w in WAYS])
@pytest.mark.parametrize("mm_s", some([20, 60, 200, 600, 1500], 4))
def test_a_piece_set_down_is_timed_to_its_contact(
    what: str, magnet: tuple[float, float], sign: int, kind: int, mm_s: float
) -> None:
    contact_us = 2_000_300
    bench = Bench({5: falls(magnet, contact_us, mm_s, sign)}).run(2_400_000)
    assert [(cell, k) for _, cell, k, _ in bench.events] == [(5, kind)]
    t_us, _, _, uncertainty = bench.events[0]
    assert abs(t_us - contact_us) <= uncertainty <= 4_000
    assert bench.sense.kinds[5] == kind


@pytest.mark.parametrize(("what", "magnet", "sign", "kind"), WAYS, ids=[w[0] for w in WAYS])
@pytest.mark.parametrize("mm_s", some([20, 60, 200, 600, 1500], 4))
def test_a_piece_lifted_is_timed_to_its_parting(
    what: str, magnet: tuple[float, float], sign: int, kind: int, mm_s: float
) -> None:
    parting_us = 500_300
    bench = Bench({7: rises(magnet, parting_us, mm_s, sign)}).run(3_000_000)
    assert [(cell, k) for _, cell, k, _ in bench.events] == [(7, EMPTY)]
    t_us, _, _, uncertainty = bench.events[0]
    # It cannot be told before the field has moved by 1 mT, at 20 mm/s for a weak piece 16 ms.
    assert -uncertainty <= t_us - parting_us <= max(uncertainty, 0.33e6 / mm_s)


@pytest.mark.parametrize("magnet", [STRONG, WEAK])
@pytest.mark.parametrize("m_s2", [0.5, 2, 8])
def test_a_piece_lifted_from_rest_is_timed_when_its_field_leaves_the_band(
    magnet: tuple[float, float], m_s2: float
) -> None:
    bench = Bench({7: jerked(magnet, 500_300, m_s2)}).run(1_500_000)
    ((t_us, _, kind, uncertainty),) = bench.events
    assert kind == EMPTY
    # 1 mT is 0.16 mm of way for a strong piece, 0.32 mm for a weak one.
    band_mm = 0.16 if magnet is STRONG else 0.32
    felt_us = 1e6 * (2 * band_mm / 1e3 / m_s2) ** 0.5
    assert 500_300 <= t_us <= 500_300 + felt_us + 1_000
    assert uncertainty >= felt_us / 2 or uncertainty == UNSURE_US


@pytest.mark.slow
@settings(max_examples=examples(60))
@given(
    st.sampled_from([STRONG, WEAK]),
    st.floats(60, 800),
    st.booleans(),
    st.integers(0, 1 << 30),
    st.integers(0, 999),
)
def test_the_uncertainty_holds_the_truth_under_noise(
    magnet: tuple[float, float], mm_s: float, down: bool, seed: int, phase: int
) -> None:
    at_us = 600_000 + phase
    way = (falls if down else rises)(magnet, at_us, mm_s)
    bench = Bench({5: way}, noise=NOISE_COUNTS, seed=seed).run(1_600_000)
    assert len(bench.events) == 1
    t_us, cell, _, uncertainty = bench.events[0]
    assert cell == 5
    # The noise hides the very first of a lift.
    assert abs(t_us - at_us) <= uncertainty + (0 if down else 0.5e6 / mm_s)


@pytest.mark.slow
@pytest.mark.parametrize("mm_s", [12, 16, 20, 25, 33])
def test_a_weak_piece_that_creeps_down_is_not_sure_of_a_wrong_time(mm_s: float) -> None:
    # So slow that its field rests within the band of an empty cell for a while.
    for seed in range(4):
        bench = Bench({5: falls(WEAK, 1_500_000, mm_s)}, noise=NOISE_COUNTS, seed=seed)
        ((t_us, _, kind, uncertainty),) = bench.run(1_800_000).events
        assert kind == NEUTRAL
        assert abs(t_us - 1_500_000) <= uncertainty


@pytest.mark.slow
def test_a_piece_that_was_held_low_for_long_is_not_sure_of_a_wrong_time() -> None:
    def way(t_us: int) -> float:  # 4 mT, half a second, then down
        return field_ut(WEAK, 3.5) if 300_000 <= t_us < 800_000 else falls(WEAK, 810_000, 350)(t_us)

    for seed in range(4):
        bench = Bench({5: way}, noise=NOISE_COUNTS, seed=seed).run(1_100_000)
        ((t_us, _, _, uncertainty),) = bench.events
        assert abs(t_us - 810_000) <= uncertainty


def test_thirty_pieces_in_a_moment_are_all_told() -> None:
    ways: dict[int, Way] = {i: falls(STRONG, 500_000 + 700 * i, 300) for i in range(CELLS)}
    bench = Bench(ways).run(800_000)
    assert sorted(c for _, c, _, _ in bench.events) == list(range(CELLS))
    sure = [event for event in bench.events if event[3] < UNSURE_US]
    assert len(sure) == 16
    for t_us, cell, _, uncertainty in bench.events:
        assert abs(t_us - (500_000 + 700 * cell)) <= uncertainty


@each("magnet", [STRONG, WEAK])
@each("gap_mm", [5.0, 6.0, 7.0])
def test_the_height_curve_is_that_of_our_magnets(
    magnet: tuple[float, float], gap_mm: float
) -> None:
    def height(ratio: float) -> float:
        low, high = 0.0, 40.0
        for _ in range(60):
            middle = (low + high) / 2
            above = field_ut(magnet, middle, gap_mm) > ratio * field_ut(magnet, 0, gap_mm)
            low, high = (middle, high) if above else (low, middle)
        return low

    half = height(0.5)
    for k, part in enumerate(HEIGHT):
        assert abs(part / 1024 - height((16 + k) / 64) / half) < 0.02


@given(st.integers(0, 1 << 90))
def test_the_root_is_the_floor_of_the_root(n: int) -> None:
    assert root(n) ** 2 <= n < (root(n) + 1) ** 2


def test_a_field_that_never_passed_its_half_has_no_contact() -> None:
    trace = array("h", [300] * TRACE_LEN)
    times = array("i", [1000 * k for k in range(CLOCK + 1)])
    assert contact(trace, times, 0, 7, 0, 310, False, 2000) is None
    assert contact(trace, times, 0, 7, 0, 310, True, 2000) is None

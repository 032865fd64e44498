"""The moment of contact from the last stretch of a way, and the reference's noise taken out."""

from __future__ import annotations

import random
from array import array
from statistics import fmean

import pytest
from each import each
from hypothesis import given, settings
from hypothesis import strategies as st
from lumiban_fw.buffers import CLOCK, TRACE_LEN
from lumiban_fw.contact import (
    APPROACH_FRAMES,
    SHARE,
    contact,
    finish,
    refine_contact_steps,
    rest,
    steady,
)
from lumiban_fw.kernels_plain import CURVE_FRAMES, CURVE_HEIGHT
from lumiban_hw.magnetics import STRONG, WEAK, Magnet, half_height_mm, on_axis_ut
from thorough import examples

UT_A_COUNT = 53.7
NOISE = 300 / UT_A_COUNT
RING = TRACE_LEN
TIMES = array("i", [1000 * k for k in range(CLOCK + 1)])
LAST = 399
STILL = 18
TOUCH_US = 300_400


def coming(magnet: Magnet, mm_s: float, *, noise: float = 0.0, seed: int = 0) -> array[int]:
    """Counts above the reference of a piece that comes down evenly and touches at TOUCH_US."""
    dice = random.Random(seed)
    out = array("h")
    for t_us in TIMES[:RING]:
        height = max(0.0, (TOUCH_US - t_us) * mm_s / 1e6)
        out.append(round(on_axis_ut(magnet, 6.0 + height) / UT_A_COUNT + dice.gauss(0, noise)))
    return out


def settled(magnet: Magnet) -> int:
    return round(on_axis_ut(magnet, 6.0) / UT_A_COUNT)


def refined(
    trace: array[int], first: int, last: int, own: int, met_us: int, way_us: int
) -> tuple[int, int, int] | None:
    steps = refine_contact_steps(trace, TIMES, first, last, 0, own, met_us, way_us, STILL)
    return finish(steps)


def timed(trace: array[int], own: int, first: int = 40) -> tuple[int, int]:
    rough = contact(trace, TIMES, first, LAST, 0, own, False, 2000)
    assert rough is not None
    found = refined(trace, first, LAST, own, rough[0], rough[2])
    assert found is not None
    return found[0], found[1]


@each("magnet", [STRONG, WEAK])
@each("gap_mm", [5.5, 6.0, 6.5])
def test_the_share_of_the_field_is_that_of_our_magnets(magnet: Magnet, gap_mm: float) -> None:
    half = half_height_mm(magnet, gap_mm)
    for k, share in enumerate(SHARE):
        exact = on_axis_ut(magnet, gap_mm + k / 16 * half) / on_axis_ut(magnet, gap_mm)
        assert share / 4096 == pytest.approx(exact, abs=0.004)
    assert len(SHARE) - 1 > CURVE_HEIGHT >> 6
    assert CURVE_FRAMES == APPROACH_FRAMES


@each("magnet", [STRONG, WEAK])
@each("mm_s", [20, 50, 100, 200, 400, 900])
def test_without_noise_the_contact_is_found_within_a_sixth_of_a_frame(
    magnet: Magnet, mm_s: float
) -> None:
    t_us, _ = timed(coming(magnet, mm_s), settled(magnet))
    assert abs(t_us - TOUCH_US) <= max(160, 10_000 / mm_s)


@settings(max_examples=examples(150))
@given(st.sampled_from([STRONG, WEAK]), st.floats(40, 600), st.integers(0, 1 << 30))
def test_the_uncertainty_holds_the_contact_under_noise(
    magnet: Magnet, mm_s: float, seed: int
) -> None:
    trace = coming(magnet, mm_s, noise=NOISE * 2**0.5, seed=seed)
    t_us, uncertainty = timed(trace, settled(magnet))
    assert abs(t_us - TOUCH_US) <= uncertainty


def test_the_uncertainty_is_four_times_the_scatter() -> None:
    off, told = [], []
    for seed in range(150):
        trace = coming(WEAK, 200, noise=NOISE, seed=seed)
        t_us, uncertainty = timed(trace, settled(WEAK))
        off.append((t_us - TOUCH_US) ** 2)
        told.append(uncertainty)
    assert 3.5 <= fmean(told) / fmean(off) ** 0.5 <= 6.0


def test_a_trace_without_rest_has_no_better_time() -> None:
    trace = coming(STRONG, 200)
    assert refined(trace, 40, 303, settled(STRONG), TOUCH_US, 10_800) is None
    assert rest(trace, 300, 306, 0) is None


def test_a_piece_that_was_snatched_away_again_has_no_better_time() -> None:
    trace = coming(STRONG, 200)
    for k in range(304, RING):
        trace[k] = 0
    assert refined(trace, 40, LAST, settled(STRONG), TOUCH_US, 10_800) is None


def shaken(still: bool, seed: int = 3) -> tuple[array[int], array[int]]:
    """A trace above a reference, and that reference: still but for noise, or shaken by lights."""
    dice = random.Random(seed)
    above, grounds = coming(WEAK, 100), array("h")
    for k in range(RING):
        shift = 0 if still else 25 * (k // 7 % 2)
        noise = round(dice.gauss(0, NOISE))
        grounds.append(2048 + shift + noise)
        above[k] += round(dice.gauss(0, NOISE)) - noise
    return above, grounds


def scatter(trace: array[int]) -> float:
    return fmean((trace[k] - settled(WEAK)) ** 2 for k in range(310, LAST))


def test_a_reference_that_stands_still_lends_its_mean() -> None:
    trace, grounds = shaken(still=True)
    before = scatter(trace)
    steady(trace, grounds, 0, 100, LAST, 60)
    assert scatter(trace) < 0.7 * before


def test_a_reference_that_moves_with_the_lights_is_followed() -> None:
    trace, grounds = shaken(still=False)
    before = trace[:]
    steady(trace, grounds, 0, 100, LAST, 60)
    assert trace == before


def test_a_ground_that_shifted_while_the_piece_came_is_followed() -> None:
    trace, grounds = shaken(still=True)
    for k in range(320):
        grounds[k] += 20
    before = trace[:]
    steady(trace, grounds, 0, 100, LAST, 60)
    assert trace == before

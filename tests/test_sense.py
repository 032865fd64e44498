"""Senses: ways of the field over time in, settled piece events out."""

from __future__ import annotations

import random
from array import array
from collections.abc import Callable
from dataclasses import dataclass, field
from math import hypot

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from lumiban_fw import layout
from lumiban_fw.contact import HEIGHT, UNSURE_US, contact, height_um, root
from lumiban_fw.sense import HOLD_US, Sense
from lumiban_fw.ways import RUN
from lumiban_fw.wire import (
    BLACK,
    EMPTY,
    FAULT_GONE,
    FAULT_REFERENCE,
    FOREIGN,
    NEUTRAL,
    UNKNOWN,
    WHITE,
)

CELLS, ROWS = 24, 3
UT_A_COUNT = 53.7
GAIN = round(UT_A_COUNT * 65536)
STRONG, WEAK = (6.0, 3.0), (4.0, 2.0)
REMANENCE_MT = 1195
NOISE_COUNTS = 300 / UT_A_COUNT

Way = Callable[[int], float]
"""Field in µT over time in µs."""
Event = tuple[int, int, int, int]


def field_ut(magnet: tuple[float, float], height_mm: float, gap_mm: float = 6.0) -> float:
    """On the axis of a cylinder magnet, the closed formula."""
    diameter, length = magnet
    z, r = gap_mm + height_mm, diameter / 2
    return 1e3 * REMANENCE_MT / 2 * ((length + z) / hypot(r, length + z) - z / hypot(r, z))


def falls(magnet: tuple[float, float], at_us: int, mm_s: float, sign: int = 1) -> Way:
    """A piece that comes down evenly from 30 mm and meets its seat at `at_us`."""

    def ut(t_us: int) -> float:
        height = max(0.0, (at_us - t_us) * mm_s / 1e6)
        return sign * field_ut(magnet, height) if height < 30 else 0.0

    return ut


def rises(magnet: tuple[float, float], at_us: int, mm_s: float, sign: int = 1) -> Way:
    """A piece that stands and leaves its seat at `at_us`."""

    def ut(t_us: int) -> float:
        height = max(0.0, (t_us - at_us) * mm_s / 1e6)
        return sign * field_ut(magnet, height) if height < 30 else 0.0

    return ut


def jerked(magnet: tuple[float, float], at_us: int, m_s2: float) -> Way:
    """A piece that leaves its seat at `at_us` from rest, faster and faster."""

    def ut(t_us: int) -> float:
        height = m_s2 / 2 * max(0.0, (t_us - at_us) / 1e6) ** 2 * 1e3
        return field_ut(magnet, height) if height < 30 else 0.0

    return ut


def steady(ut: float) -> Way:
    return lambda _t: ut


@dataclass
class Bench:
    """A board of 24 cells in 3 rows whose fields are told as ways over time."""

    ways: dict[int, Way] = field(default_factory=dict)
    noise: float = 0.0
    seed: int = 1
    skipping: bool = False
    events: list[Event] = field(default_factory=list)

    def __post_init__(self) -> None:
        cells = [(i * ROWS // CELLS, i % 8, i, i - 12) for i in range(CELLS)]
        self.sense = Sense(layout.Layout(pack(cells)))
        self.t_us = 0
        self.frames = 0
        self.references = [2048] * ROWS
        self.marks: list[tuple[int, int]] = []
        self._dice = random.Random(self.seed)
        self._held: list[int] = []

    def run(self, until_us: int) -> Bench:
        while self.t_us < until_us:
            self.t_us += 1000
            noise = (
                [round(self._dice.gauss(0, self.noise)) for _ in range(CELLS + ROWS)]
                if self.noise
                else [0] * (CELLS + ROWS)
            )
            references = [self.references[r] + noise[CELLS + r] for r in range(ROWS)]
            counts = [
                self.references[i * ROWS // CELLS]
                + i
                - 12
                + noise[i]
                + (round(self.ways[i](self.t_us) / UT_A_COUNT) if i in self.ways else 0)
                for i in range(CELLS)
            ]
            if self.skipping and self.sense.quiet() and counts + references == self._held:
                continue
            self._held = counts + references
            self.sense.frame(self.t_us, _adc(counts), _adc(references))
            self.frames += 1
            self.marks.append((self.t_us, self.sense.watermark_us))
            self.events += self.sense.found
            self.sense.found = []
        return self


def _adc(values: list[int]) -> array[int]:
    return array("H", [max(0, value) for value in values])


def pack(cells: list[tuple[int, int, int, int]]) -> bytes:
    return layout.pack(
        b"bench", 1, ROWS, 1000, 1500, 600, 4500, 6000, 19000, 55000, 1000, 30000, 2180, 1930,
        GAIN, cells, [0] * CELLS,
    )  # fmt: skip


# One piece.

WAYS = [
    # (what, magnet, sign, kind that is sensed)
    ("white", STRONG, 1, WHITE),
    ("black", STRONG, -1, BLACK),
    ("neutral", WEAK, 1, NEUTRAL),
    ("neutral upside down", WEAK, -1, NEUTRAL),
]


@pytest.mark.parametrize(("what", "magnet", "sign", "kind"), WAYS, ids=[w[0] for w in WAYS])
@pytest.mark.parametrize("mm_s", [20, 60, 200, 600, 1500])
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
@pytest.mark.parametrize("mm_s", [20, 60, 200, 600, 1500])
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


@settings(derandomize=True, max_examples=60, deadline=None)
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


def test_positive_field_is_white() -> None:
    bench = Bench({0: steady(32_000), 1: steady(-32_000)}).run(100_000)
    assert (bench.sense.kinds[0], bench.sense.kinds[1]) == (WHITE, BLACK)


def test_a_field_beyond_any_piece_is_foreign() -> None:
    bench = Bench({3: lambda t: 60_000 if t > 200_000 else 0}).run(400_000)
    assert [(c, k) for _, c, k, _ in bench.events] == [(3, FOREIGN)]


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


@pytest.mark.parametrize("mm_s", [12, 16, 20, 25, 33])
def test_a_weak_piece_that_creeps_down_is_not_sure_of_a_wrong_time(mm_s: float) -> None:
    # So slow that its field rests within the band of an empty cell for a while.
    for seed in range(4):
        bench = Bench({5: falls(WEAK, 1_500_000, mm_s)}, noise=NOISE_COUNTS, seed=seed)
        ((t_us, _, kind, uncertainty),) = bench.run(1_800_000).events
        assert kind == NEUTRAL
        assert abs(t_us - 1_500_000) <= uncertainty


def test_a_piece_that_was_held_low_for_long_is_not_sure_of_a_wrong_time() -> None:
    def way(t_us: int) -> float:  # 4 mT, half a second, then down
        return field_ut(WEAK, 3.5) if 300_000 <= t_us < 800_000 else falls(WEAK, 810_000, 350)(t_us)

    for seed in range(4):
        bench = Bench({5: way}, noise=NOISE_COUNTS, seed=seed).run(1_100_000)
        ((t_us, _, _, uncertainty),) = bench.events
        assert abs(t_us - 810_000) <= uncertainty


def test_a_piece_that_wavers_above_its_seat_counts_when_it_comes_down() -> None:
    def way(t_us: int) -> float:
        if t_us < 300_000:
            return 0.0
        if t_us < 600_000:  # up and down between 1 and 4 mm, through the middle of its field
            return field_ut(STRONG, 2.5 + 1.5 * (1 if t_us // 10_000 % 2 else -1))
        return falls(STRONG, 620_000, 200)(t_us)

    bench = Bench({5: way}).run(800_000)
    assert [k for _, _, k, _ in bench.events] == [WHITE]
    assert 600_000 <= bench.events[0][0] <= 625_000


# Order.


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


def hovering(until_us: int) -> Way:
    """A hand that trembles 8 mm above the board, then goes away."""

    def ut(t_us: int) -> float:
        if not 300_000 <= t_us < until_us:
            return 0.0
        return 4_000 + (1_500 if t_us // 20_000 % 2 else -1_500)

    return ut


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


# Quiet.


def test_noise_starts_no_motion() -> None:
    bench = Bench({2: steady(32_000), 3: steady(-12_700)}, noise=NOISE_COUNTS, seed=3)
    bench.run(150_000)
    assert bench.sense.ready
    for _ in range(20_000):
        bench.run(bench.t_us + 1000)
        assert bench.sense.moving == 0
    assert bench.events == []


def test_spikes_shorter_than_a_run_are_nothing() -> None:
    def way(t_us: int) -> float:
        return 30_000 if t_us % 50_000 < 1000 * (RUN - 1) and t_us > 200_000 else 0.0

    bench = Bench({2: way}).run(1_000_000)
    assert bench.events == []
    assert bench.sense.kinds[2] == EMPTY


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


# Power-on, masks and many hands.


def test_pieces_that_stand_at_power_on_are_known_without_events() -> None:
    ways = {2: steady(32_000), 3: steady(-32_000), 4: steady(12_700)}
    bench = Bench(ways, noise=NOISE_COUNTS).run(60_000)
    assert not bench.sense.ready  # a weak field must rest for 90 ms
    bench.run(150_000)
    assert bench.sense.ready
    assert bench.events == []
    expected = {2: WHITE, 3: BLACK, 4: NEUTRAL}
    assert list(bench.sense.kinds) == [expected.get(i, EMPTY) for i in range(CELLS)]


def test_a_cell_that_trembles_at_power_on_is_told_when_it_settles() -> None:
    bench = Bench({5: hovering(2_000_000), 6: lambda t: hovering(700_000)(t + 300_000)})
    bench.run(350_000)
    assert bench.sense.ready
    assert bench.sense.kinds[6] == UNKNOWN
    assert bench.sense.kinds[7] == EMPTY
    bench.run(600_000)
    assert [(c, k) for _, c, k, _ in bench.events] == [(6, EMPTY)]


def test_thirty_pieces_in_a_moment_are_all_told() -> None:
    ways: dict[int, Way] = {i: falls(STRONG, 500_000 + 700 * i, 300) for i in range(CELLS)}
    bench = Bench(ways).run(800_000)
    assert sorted(c for _, c, _, _ in bench.events) == list(range(CELLS))
    sure = [event for event in bench.events if event[3] < UNSURE_US]
    assert len(sure) == 16
    for t_us, cell, _, uncertainty in bench.events:
        assert abs(t_us - (500_000 + 700 * cell)) <= uncertainty


def test_a_row_without_its_reference_is_held_and_told_once() -> None:
    bench = Bench({2: steady(32_000), 10: steady(32_000)}).run(200_000)
    bench.references[0] = 60  # the cable of row 0 is off: all its readings fall
    bench.run(600_000)
    assert bench.sense.frozen(0)
    assert not bench.sense.frozen(1)
    assert bench.sense.faults == [(FAULT_REFERENCE, 0)]
    assert bench.events == []
    assert bench.sense.quiet()
    bench.references[0] = 2048
    bench.run(800_000)
    assert not bench.sense.frozen(0)
    assert bench.events == []
    assert bench.sense.kinds[2] == WHITE
    assert bench.sense.faults == [(FAULT_REFERENCE, 0), (FAULT_REFERENCE | FAULT_GONE, 0)]


def test_a_loose_cable_makes_no_events_and_other_rows_go_on() -> None:
    bench = Bench({2: steady(32_000), 10: falls(STRONG, 500_000, 200)}).run(200_000)
    dice = random.Random(2)
    while bench.t_us < 700_000:
        bench.references[0] = dice.choice([2048, 4095, 7, 2048])
        bench.run(bench.t_us + 1000)
    bench.references[0] = 2048
    bench.run(900_000)
    assert [(c, k) for _, c, k, _ in bench.events] == [(10, WHITE)]
    assert bench.sense.kinds[2] == WHITE


def test_what_changed_while_a_row_was_held_is_told_when_it_is_back() -> None:
    bench = Bench({2: lambda t: 32_000 if t < 400_000 else 0}).run(200_000)
    bench.references[0] = 60
    bench.run(600_000)
    bench.references[0] = 2048
    bench.run(800_000)
    assert [(c, k) for _, c, k, _ in bench.events] == [(2, EMPTY)]
    assert bench.events[0][0] > 600_000
    assert bench.events[0][3] == UNSURE_US


def test_a_row_that_is_off_at_power_on_is_unknown_until_it_comes() -> None:
    bench = Bench({2: steady(32_000)})
    bench.references[0] = 0
    bench.run(500_000)
    assert bench.sense.ready
    assert list(bench.sense.kinds[:8]) == [UNKNOWN] * 8
    bench.references[0] = 2048
    bench.run(700_000)
    assert sorted((c, k) for _, c, k, _ in bench.events) == [
        (i, WHITE if i == 2 else EMPTY) for i in range(8)
    ]


# The curve and the fit.


@pytest.mark.parametrize("magnet", [STRONG, WEAK])
@pytest.mark.parametrize("gap_mm", [5.0, 6.0, 7.0])
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
    assert height_um(512, round(half * 1000)) == round(half * 1000)


@given(st.integers(0, 1 << 90))
def test_the_root_is_the_floor_of_the_root(n: int) -> None:
    assert root(n) ** 2 <= n < (root(n) + 1) ** 2


def test_a_field_that_never_passed_its_half_has_no_contact() -> None:
    trace = array("h", [300] * 8)
    times = array("i", [1000 * k for k in range(8)])
    assert contact(trace, times, 0, 7, 0, 310, False, 2000) is None
    assert contact(trace, times, 0, 7, 0, 310, True, 2000) is None

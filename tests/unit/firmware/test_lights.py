"""Lights: no effect that hurts eyes, no current beyond the limit, no work while nothing changes."""

from __future__ import annotations

import itertools
import random
from array import array

from each import each
from hypothesis import given, settings
from hypothesis import strategies as st
from lumiban_fw import layout_file, wire
from lumiban_fw.effects import CHASE_STEP, FRAME_US, LEVELS, hold_of
from lumiban_fw.events import NEVER
from lumiban_fw.gamma import GAMMA
from lumiban_fw.layout import Layout
from lumiban_fw.lights import Lights
from thorough import examples

N = 61
WHITE = (255, 255, 255)


def board(lights: int = N, limit_ma: int = 1500, strip_limit_ma: int = 600) -> Layout:
    return layout_file.read(
        layout_file.pack_board(
            b"test", 1, 9, 1000, limit_ma, strip_limit_ma, 4500, 6000, 19_000, 55_000, 1000,
            30_000, 2180, 1930, 3_520_000,
            [(i * 9 // N, i % 8, (i * 7) % N, 0) for i in range(N)],
            [i * 9 // lights for i in range(lights)],
        )
    )  # fmt: skip


def lit(lights: Lights, glows: list[tuple[int, int]], *colours: tuple[int, int, int]) -> Lights:
    lights.palette(1, list(colours))
    lights.stage(0, glows)
    lights.commit()
    return lights


def milliamps(rgb: bytes | bytearray) -> float:
    return sum(rgb) / 255 * 20 + len(rgb) // 3


# Effects.


@each("effect", range(wire.EFFECTS))
def test_no_effect_flashes_more_than_three_times_a_second(effect: int) -> None:
    levels = LEVELS[effect]
    second = 60
    frames = [levels[k % len(levels)] for k in range(len(levels) * 4 + 2 * second)]
    # A flash begins where the light rises past its own half.
    half = (max(levels) + min(levels)) / 2
    rises = [k for k, (a, b) in enumerate(itertools.pairwise(frames)) if a <= half < b]
    for start in range(len(frames) - second):
        assert sum(start <= k < start + second for k in rises) <= 3
    assert all(b - a >= second / 3 for a, b in itertools.pairwise(rises))


@each("effect", range(wire.EFFECTS))
def test_every_effect_reaches_full_light(effect: int) -> None:
    assert max(LEVELS[effect]) == 255


@each("effect", range(wire.EFFECTS))
def test_holds_are_how_long_a_level_lasts(effect: int) -> None:
    levels = LEVELS[effect]
    n = len(levels)
    for k in range(n):
        hold = hold_of(effect, k)
        if hold == 0:
            assert len(set(levels)) == 1
        else:
            assert all(levels[(k + j) % n] == levels[k] for j in range(hold))
            assert levels[(k + hold) % n] != levels[k]


def test_a_chase_runs_along_the_lights() -> None:
    lights = lit(Lights(board()), [(1, wire.CHASE)] * 20, WHITE)
    heads = []
    for frame in range(0, 90, CHASE_STEP):
        rgb = lights.tick(frame * FRAME_US + 1)
        assert rgb is not None
        heads.append(max(range(20), key=lambda i: rgb[3 * i]))
    assert heads[:10] == [heads[0] + k for k in range(10)]


# Gamma and brightness.


def test_the_gamma_table_is_the_power_of_2_2() -> None:
    gamma = array("H", GAMMA)
    for c in range(256):
        assert abs(gamma[c] - 65535 * (c / 255) ** 2.2) <= 20
    assert all(a <= b for a, b in itertools.pairwise(gamma))
    assert (gamma[0], gamma[255]) == (0, 65535)


def test_full_white_at_power_on_is_a_quarter() -> None:
    lights = lit(Lights(board()), [(1, wire.STEADY)], WHITE)
    rgb = lights.tick(0)
    assert rgb is not None
    assert tuple(rgb[:3]) == (wire.BRIGHTNESS,) * 3 == (64,) * 3
    lights.brightness(255)
    rgb = lights.tick(1)
    assert rgb is not None
    assert tuple(rgb[:3]) == (255,) * 3
    lights.brightness(100_000)
    assert lights.tick(2) is None
    lights.brightness(-1)
    rgb = lights.tick(3)
    assert rgb is not None
    assert not any(rgb)


# Current.


def test_all_white_at_full_brightness_stays_within_the_limit() -> None:
    lights = Lights(board())
    lights.brightness(255)
    lit(lights, [(1, wire.STEADY)] * 26, WHITE)
    lights.stage(26, [(1, wire.STEADY)] * 35)
    lights.commit()
    rgb = lights.tick(0)
    assert rgb is not None
    assert 1400 < milliamps(rgb) <= 1500
    assert lights.limited == 39  # (1500 − 61) of 61 · 60 mA
    assert len(set(rgb)) == 1


def test_one_strip_is_limited_by_itself() -> None:
    lights = Lights(board(61, 60_000, 100))
    lights.brightness(255)
    lit(lights, [(1, wire.STEADY)] * 7, WHITE)
    rgb = lights.tick(0)
    assert rgb is not None
    assert 80 < milliamps(rgb[:21]) <= 100
    assert lights.limited < 30


@settings(max_examples=examples(60))
@given(st.integers(0, 2000), st.integers(0, 700), st.integers(0, 255), st.integers(0, 1 << 30))
def test_the_limit_holds_whatever_is_asked_for(
    limit_ma: int, strip_limit_ma: int, brightness: int, seed: int
) -> None:
    dice = random.Random(seed)
    described = board(N, limit_ma, strip_limit_ma)
    lights = Lights(described)
    lights.brightness(brightness)
    lights.palette(1, [tuple(dice.choices(range(256), k=3)) for _ in range(18)])  # type: ignore[misc]  # three each
    lights.stage(0, [(dice.randrange(90), dice.randrange(12)) for _ in range(N)])
    lights.commit()
    shown = bytearray(3 * N)
    for frame in range(0, 120, 7):
        rgb = lights.tick(frame * FRAME_US)
        shown = shown if rgb is None else rgb
        assert milliamps(shown) <= max(limit_ma, N)
        for strip in range(9):
            mine = [i for i in range(N) if described.strip[i] == strip]
            part = b"".join(bytes(shown[3 * i : 3 * i + 3]) for i in mine)
            assert milliamps(part) <= max(strip_limit_ma, len(mine))
        assert 0 <= lights.limited <= 100


# Pictures.


def test_a_steady_picture_costs_nothing_more() -> None:
    lights = lit(Lights(board()), [(1, wire.STEADY)] * 20, WHITE)
    assert lights.due_us() == -1
    assert lights.tick(0) is not None
    assert lights.due_us() == NEVER
    assert lights.tick(10**9) is None


def test_the_frame_at_a_time_does_not_depend_on_when_others_were_asked_for() -> None:
    glows = [(1 + i % 3, i % wire.EFFECTS) for i in range(26)]
    colours = (WHITE, (255, 120, 0), (0, 40, 255))
    every = lit(Lights(board()), glows, *colours)
    due = lit(Lights(board()), glows, *colours)
    shown_every, shown_due = b"", b""
    for now in range(0, 2_000_000, 1_000):
        shown_every = bytes(every.tick(now) or shown_every)
        if now >= due.due_us():
            shown_due = bytes(due.tick(now) or shown_due)
        assert shown_every == shown_due


# Built-in pictures.

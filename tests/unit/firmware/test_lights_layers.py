"""Four layers, and effects with a beginning and an end of their own."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from lumiban_fw import layout_file, wire
from lumiban_fw.anims import STEADY_US
from lumiban_fw.effects import FRAME_US, LEVELS
from lumiban_fw.events import NEVER
from lumiban_fw.lights import Lights
from thorough import examples

N = 12
RED, GREEN, BLUE = (255, 0, 0), (0, 255, 0), (0, 0, 255)


def made() -> Lights:
    lights = Lights(
        layout_file.read(
            layout_file.pack_board(
                b"test", 1, 1, 1000, 1500, 600, 4500, 6000, 19_000, 55_000, 1000, 30_000, 2180,
                1930, 3_520_000, [(0, i, i, 0) for i in range(10)], [0] * N,
            )
        )
    )  # fmt: skip
    lights.palette(1, [RED, GREEN, BLUE])
    return lights


def colours(rgb: bytearray | None) -> list[str]:
    """One letter a light: r, g, b or . for dark."""
    assert rgb is not None
    out = []
    for i in range(N):
        part = rgb[3 * i : 3 * i + 3]
        out.append("." if max(part) == 0 else "rgb"[part.index(max(part))])
    return out


def shown(lights: Lights, now_us: int) -> str:
    lights._changed = True
    lights.tick(now_us)
    return "".join(colours(lights._shown))


def test_the_highest_layer_with_a_colour_is_seen() -> None:
    lights = made()
    lights.mask(0, 1, 0, list(range(N)))
    lights.mask(3, 2, 0, [1, 2])
    lights.mask(2, 3, 0, [2, 3])
    lights.commit(0, 0)
    assert shown(lights, 0) == "rggbrrrrrrrr"
    lights.mask(3, 0, 0, [1, 2])
    lights.commit(0, 0)
    assert shown(lights, 0) == "rrbbrrrrrrrr"
    lights.layer(4, 0, [(2, 0)] * N)  # no such layer
    lights.commit(0, 0)
    assert shown(lights, 0) == "rrbbrrrrrrrr"


def test_lights_without_a_cell_are_lights_like_all_others() -> None:
    lights = made()
    lights.mask(1, 3, 0, [10, 11])
    lights.commit(0, 0)
    assert shown(lights, 0) == "..........bb"


def animate(lights: Lights, now_us: int, slot: int = 0, layer: int = 1, palette: int = 2,
            effect: int = wire.STEADY, start_us: int = 0, period_ms: int = 0, count: int = 1,
            step: int = 0, which: tuple[int, ...] = (4, 5)) -> bool:  # fmt: skip
    packed = wire.pack_anim(
        slot, layer, palette, effect, start_us, period_ms, count, step, list(which)
    )
    return lights.animate(packed, now_us, start_us)


def test_an_animation_shows_itself_for_its_time_over_its_layer_and_below_higher_ones() -> None:
    lights = made()
    lights.mask(0, 1, 0, list(range(N)))
    lights.mask(2, 3, 0, [5])
    lights.commit(0, 0)
    lights.tick(0)
    assert animate(lights, 0, start_us=500_000, period_ms=300)
    lights.tick(1)
    assert lights.next_change_us == 500_000
    assert shown(lights, 499_999) == "rrrrrbrrrrrr"
    assert shown(lights, 500_000) == "rrrrgbrrrrrr"
    assert shown(lights, 799_999) == "rrrrgbrrrrrr"
    assert shown(lights, 800_000) == "rrrrrbrrrrrr"
    lights.tick(800_001)
    assert lights.next_change_us == NEVER


def test_lights_of_an_animation_begin_one_after_another() -> None:
    lights = made()
    lights.commit(0, 0)
    animate(lights, 0, period_ms=100, step=5, which=(1, 2, 3))
    assert [shown(lights, t)[1:4] for t in (0, 60_000, 110_000, 160_000, 210_000)] == [
        "g..", "gg.", ".gg", "..g", "...",
    ]  # fmt: skip


def test_an_endless_animation_goes_on_until_it_is_stopped() -> None:
    lights = made()
    lights.commit(0, 0)
    animate(lights, 0, slot=6, count=0, which=(0,))
    animate(lights, 0, slot=7, count=0, palette=3, which=(1,))
    assert shown(lights, 50 * STEADY_US)[:2] == "gb"
    lights.stop(6)
    assert shown(lights, 50 * STEADY_US)[:2] == ".b"
    lights.stop(255)
    assert shown(lights, 50 * STEADY_US)[:2] == ".."


@pytest.mark.parametrize(("slot", "layer"), [(8, 0), (0, 4), (255, 255)])
def test_an_animation_without_slot_or_layer_is_refused(slot: int, layer: int) -> None:
    assert not animate(made(), 0, slot=slot, layer=layer)


@settings(max_examples=examples(40), deadline=None)
@given(st.integers(1, wire.EFFECTS - 1), st.integers(0, 3000))
def test_no_animation_flashes_faster_than_its_effect(effect: int, period_ms: int) -> None:
    lights = made()
    lights.commit(0, 0)
    lights.brightness(255)
    animate(lights, 0, effect=effect, period_ms=period_ms, count=0, which=(0,))
    seen = []
    for frame in range(240):
        lights._changed = True
        lights.tick(frame * FRAME_US)
        seen.append(lights._shown[1] > 55)  # half of the level, in light
    rises = [k for k in range(1, 240) if seen[k] and not seen[k - 1]]
    for first in rises:
        assert len([k for k in rises if first <= k < first + 60]) <= 3


def test_times_that_begin_anew_change_no_picture() -> None:
    by = FRAME_US << 14
    pictures = []
    for shift in (False, True):
        lights = made()
        lights.mask(0, 1, wire.BREATHE, [0, 1, 2])
        lights.mask(0, 3, wire.CHASE, [6, 7, 8, 9])
        lights.commit(0, 0)
        animate(lights, 0, effect=wire.PULSE, count=0, which=(4,))
        animate(lights, 0, slot=1, start_us=by + 400_000, period_ms=500, which=(5,))
        lights.commit(0, by + 700_000)
        if shift:
            lights.shift(by)
        base = 0 if shift else by
        frames = []
        for k in range(0, 90):
            lights.tick(base + k * FRAME_US)
            frames.append(bytes(lights._shown))
        pictures.append(frames)
    assert pictures[0] == pictures[1]
    assert len(set(pictures[0])) > 20
    assert len(LEVELS) == wire.EFFECTS


def test_the_strip_that_holds_the_light_back_is_told() -> None:
    strips = [0] * 6 + [1] * 6
    lights = Lights(
        layout_file.read(
            layout_file.pack_board(
                b"test", 1, 1, 1000, 1500, 200, 4500, 6000, 19_000, 55_000, 1000, 30_000, 2180,
                1930, 3_520_000, [(0, i, i, 0) for i in range(10)], strips,
            )
        )
    )  # fmt: skip
    lights.palette(1, [(255, 255, 255)])
    lights.brightness(255)
    lights.mask(0, 1, 0, [6, 7, 8, 9, 10, 11])
    lights.commit(0, 0)
    rgb = lights.tick(0)
    assert rgb is not None
    assert lights.strip == 1
    assert 0 < lights.limited < 100
    assert sum(rgb) * 20 / 255 + 6 <= 200
    lights.mask(0, 0, 0, list(range(N)))
    lights.commit(0, 0)
    lights.tick(1)
    assert (lights.strip, lights.limited) == (255, 100)

"""Lights without a cell, times that begin anew, and the strip that a limit holds back."""

from __future__ import annotations

from lumiban_fw import layout_file, wire
from lumiban_fw.effects import FRAME_US, LEVELS
from lumiban_fw.lights import Lights

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


def test_lights_without_a_cell_are_lights_like_all_others() -> None:
    lights = made()
    lights.stage(10, [(3, wire.STEADY)] * 2)
    lights.commit()
    rgb = lights.tick(0)
    assert rgb is not None
    assert [n for n in range(N) if rgb[3 * n + 2]] == [10, 11]


def test_times_that_begin_anew_change_no_picture() -> None:
    by = FRAME_US << 14
    pictures = []
    for shift in (False, True):
        lights = made()
        lights.stage(0, [(1, wire.BREATHE)] * 3)
        lights.stage(4, [(2, wire.PULSE)])
        lights.stage(6, [(3, wire.CHASE)] * 4)
        lights.commit()
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
    lights.stage(6, [(1, wire.STEADY)] * 6)
    lights.commit()
    rgb = lights.tick(0)
    assert rgb is not None
    assert lights.strip == 1
    assert 0 < lights.limited < 100
    assert sum(rgb) * 20 / 255 + 6 <= 200
    lights.stage(0, [(0, wire.STEADY)] * N)
    lights.commit()
    lights.tick(1)
    assert (lights.strip, lights.limited) == (255, 100)

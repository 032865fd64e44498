"""Lights: what is committed shines, within its current, and never delays the senses."""

from __future__ import annotations

import pytest
from contract.benches import LIGHT, PACE, frames_apart
from contract.tables import Table
from layers import layers
from lumiban_fw import wire
from lumiban_fw.wire import WHITE
from lumiban_sim.chip import Pace
from pytest_lumiban.plain_host import PlainHost

RED = [(255, 0, 0)]
FULL = [(255, 255, 255)]


def _paint(host: PlainHost, colours: list[tuple[int, int, int]], effect: int) -> None:
    lights = host.bench.profile.lights
    host.order(wire.H_PALETTE, (1,), colours)
    for payload in layers(range(lights), 1, effect):
        host.put(wire.H_LAYER, payload)
    host.order(wire.H_COMMIT, (0,))


def _current_ma(rgb: bytes) -> float:
    return sum(rgb) / 255 * 20 + len(rgb) / 3


@pytest.mark.hands_free
@pytest.mark.lumiban_needs(LIGHT)
def test_all_white_at_full_brightness_stays_within_the_boards_current(table: Table) -> None:
    board, host = table.hosted()
    host.order(wire.H_CFG, (wire.CFG_BRIGHTNESS, 255))
    _paint(host, FULL, wire.STEADY)
    host.wait(lambda: host.done, what="acknowledge")
    host.run(6_000_000)
    assert 0 < _current_ma(board.light()) <= board.profile.limit_ma
    for row in range(board.profile.rows):
        lamps = [n for n, strip in enumerate(board.profile.strips) if strip == row]
        strip = b"".join(board.light()[3 * n : 3 * n + 3] for n in lamps)
        assert _current_ma(strip) <= board.profile.strip_limit_ma
    limited = host.of(wire.B_STATS)[-1].unpacked.fields[5]
    wanted = 61 * board.profile.lights
    assert (limited < 100) == (wanted > board.profile.limit_ma)


@pytest.mark.lumiban_hands
@pytest.mark.lumiban_needs(PACE)
def test_floods_of_light_never_make_the_senses_miss_a_frame(table: Table) -> None:
    # A picture takes the chip five frames' time; capture keeps eight for a busy firmware.
    board, host = table.hosted(seed=21, skipping=False, pace=Pace(show_us=5_000, frame_us=300))
    board.hands.place(9, WHITE, touch_us=board.now_us + 600_000)
    board.looked.clear()
    for level in range(60):
        _paint(host, [(level, 255 - level, 3 * level)], level % wire.EFFECTS)
        host.run(20_000)
    assert frames_apart(board.looked) == 1_000_000 // board.profile.scan_hz
    assert [(event.cell, event.kind) for event in host.events] == [(9, WHITE)]

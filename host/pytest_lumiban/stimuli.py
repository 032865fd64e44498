"""Readings for INJECT: what a cell reads while a piece comes down, lies, rattles or goes away."""

from __future__ import annotations

from lumiban.boards.profile import Profile
from lumiban_fw import wire
from lumiban_fw.wire import BLACK, NEUTRAL
from lumiban_hw.magnetics import STRONG, WEAK, on_axis_ut

from pytest_lumiban.plain_host import PlainHost

MIDDLE = 2048
STEP_US = 2_000
A_FRAME = 22


def reading(profile: Profile, kind: int, height_mm: float) -> int:
    """The count of a cell with a piece of this kind so high above its seat; 0 is an empty cell."""
    if not kind:
        return MIDDLE
    magnet = WEAK if kind == NEUTRAL else STRONG
    sign = -1 if kind == BLACK else 1
    ut = sign * on_axis_ut(magnet, profile.gap_mm + height_mm)
    return MIDDLE + round(ut * 65536 / profile.gain_q16)


def down(profile: Profile, kind: int, speed: float) -> list[int]:
    """Readings every 2 ms from 15 mm above the seat until a piece lies on it; speed in m/s."""
    steps = round(15.0 / (speed * STEP_US / 1000))
    return [reading(profile, kind, 15.0 * (steps - n) / steps) for n in range(steps + 1)]


def switch_on(host: PlainHost) -> PlainHost:
    """Let the senses read what is injected from now on, and come to rest on an empty board; the
    host."""
    host.order(wire.H_CFG, (wire.CFG_INJECT, 1))
    host.settle()
    host.run(800_000)
    return host


def soon(host: PlainHost) -> int:
    """The board's time when what is sent now is there for sure."""
    return host.now_on_board() + 3 * host.trip_us


def hold(host: PlainHost, cell: int, *counts: int) -> int:
    """Have a cell, and those after it, read these counts from now on; the frame's number."""
    return host.order(wire.H_INJECT, (0, 0, cell), counts)


def inject(
    host: PlainHost, cell: int, readings: list[int], at_us: int, step_us: int = STEP_US
) -> None:
    """Have a cell read these counts one after the other, from a board time on."""
    for start in range(0, len(readings), A_FRAME):
        part = readings[start : start + A_FRAME]
        begin = at_us + start * step_us
        host.order(wire.H_INJECT, (begin, step_us, cell), part)


def place(host: PlainHost, cell: int, kind: int, touch_us: int, speed: float = 0.2) -> None:
    """Have a piece come down on a cell and touch its seat at a board time."""
    way = down(host.bench.profile, kind, speed)
    inject(host, cell, way, touch_us - (len(way) - 1) * STEP_US)


def lift(host: PlainHost, cell: int, kind: int, leave_us: int, speed: float = 0.2) -> None:
    """Have a piece leave its cell at a board time."""
    way = down(host.bench.profile, kind, speed)[::-1]
    inject(host, cell, [*way, MIDDLE], leave_us)

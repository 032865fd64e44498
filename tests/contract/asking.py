"""Has somebody set a stone or press a button: simulated hands at once, a person in their own time.

On a board on a port the cell glows, and the terminal says what is wanted.
"""

from __future__ import annotations

import sys
from collections.abc import Callable

from contract.benches import SimulatedBench
from contract.plain_host import PlainHost
from layers import layers
from lumiban_fw import wire

PERSON_US = 120_000_000
HANDS_US = 6_000_000
KINDS = {wire.WHITE: "a white stone", wire.BLACK: "a black stone", wire.NEUTRAL: "a neutral stone"}
GLOW = [(255, 255, 255)]


def _within(host: PlainHost) -> int:
    return HANDS_US if isinstance(host.bench, SimulatedBench) else PERSON_US


def _show(host: PlainHost, cell: int, effect: int) -> None:
    lights = host.bench.profile.lights
    host.order(wire.H_PALETTE, wire.pack_palette(1, GLOW))
    for payload in layers(range(lights), 0, wire.STEADY):
        host.order(wire.H_LAYER, payload)
    if cell >= 0:
        light = host.bench.profile.cells[cell].light
        host.order(wire.H_LAYER, wire.pack_layer(light, [(1, effect)]))
    host.order(wire.H_COMMIT, wire.pack_u32(0))


def tell(words: str) -> None:
    """Say on the terminal what is wanted; the run over a port has it written past pytest."""
    print(f"\n>>> {words}", file=sys.stderr, flush=True)


def _hear(host: PlainHost, come: Callable[[], bool]) -> None:
    host.until(come, _within(host))
    _show(host, -1, wire.STEADY)
    host.until(lambda: host.done, what="acknowledge")


def set_down(host: PlainHost, cell: int, kind: int) -> None:
    """Have a piece set on a cell, and wait until the board tells something of any cell."""
    known = len(host.events)
    _show(host, cell, wire.PULSE)
    if isinstance(host.bench, SimulatedBench):
        host.bench.hands.place(cell, kind)
    else:
        tell(f"set {KINDS[kind]} on {host.bench.profile.grid.name(cell)}, the cell that glows")
    _hear(host, lambda: len(host.events) > known)


def take_off(host: PlainHost, cell: int) -> None:
    """Have the piece on a cell lifted, and wait until the board tells something."""
    known = len(host.events)
    _show(host, cell, wire.FAST_BLINK)
    if isinstance(host.bench, SimulatedBench):
        host.bench.hands.lift(cell)
    else:
        tell(f"lift the stone on {host.bench.profile.grid.name(cell)}, the cell that blinks")
    _hear(host, lambda: len(host.events) > known)


def press(host: PlainHost, button: int) -> None:
    """Have a button pressed and let go, and wait until the board tells both."""
    known = len(host.events)
    if isinstance(host.bench, SimulatedBench):
        host.bench.rig.world.press(button, True)
        host.go(100_000)
        host.bench.rig.world.press(button, False)
    else:
        tell(f"press and let go button {button + 1}")
    _hear(host, lambda: len(host.events) > known + 1)

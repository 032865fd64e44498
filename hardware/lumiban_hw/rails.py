"""What board, firmware and simulator must agree on about supplies: parts' values, pins, times.

The drawing, the simulated world and the firmware each have these numbers; a test holds them
together. Times are what the electrical simulation finds, rounded up.
"""

from __future__ import annotations

RAIL_CHANNEL = 15
"""Channel of the row multiplexer that reads half of the 5 V rail; no strip is on it."""
RAIL_PARTS = 2
"""The rail is this many times what that channel, and GP27, read."""
STRIP_SOCKETS = 15
"""Sockets of the base board: channels 0 to 14 of its multiplexer."""
ADDRESS_OHM = 470
"""In line with each address pin of the strips: limits what flows into unpowered multiplexers."""
GATE_OHM, PULL_OHM = 47_000, 220_000
"""Of the transistor that switches the strips: from its gate to GP18's, and to its source."""
MILLER_F, SOURCE_F = 47e-9, 1e-6
"""Its gate to its drain, by which the rail rises slowly, and to its source, by which it stays off
while a supply is plugged in."""
STRIPS_READY_MS = 50
"""From GP18 to strips that can be read, at most: gate, ramp, regulators."""
STRIPS_SETTLED_MS = 5
"""Then until sensors and references are steady."""
STRIPS_OFF_MS = 600
"""From GP18 low to strips without supply, at most."""
GOOD_MV, GOOD_MOST_MV = 4630, 4700
"""The supervisor calls the supply bad below this; the most of all samples."""
REFUSE_MV = (5210, 5320)
"""Between these the base cuts itself off from a supply that is too high."""
CHOP_HZ = 2000
"""How often a light switches its current."""
STRIP_F, BASE_F, SWITCHED_F = 22e-6, 1000e-6, 1000e-6
"""Capacitors on 5 V: of a strip, of the base, and of the base behind the switch."""

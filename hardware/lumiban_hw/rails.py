"""What board, firmware and simulator must agree on about supplies: parts' values, pins, times.

The drawing, the simulated world, the firmware and first light each need these numbers. The world
takes them from here; `test_shared_numbers.py` holds the firmware, first light and the maker's texts
against them, and them against the drawing and the electrical simulation (ngspice, from the nets).
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
GATE_MS, RAMP_MS = 9, 7
"""As simulated: from GP18 to the first 0.1 V behind the switch, and from there to nine tenths."""
SWITCHED_A, CHARGING_MV, SWITCHED_MV = 1.9, 210, 85
"""As simulated: what flows while the strips of hex5 are charged, by how much the rail is lower
meanwhile, and by how much afterwards on the largest board, with all lights dark."""
STRIPS_SETTLED_MS = 5
"""From strips with power to sensors and references that are steady."""
FIRST_FRAME_MS = 25
"""From GP18 to the first frame worth a look: gate and ramp, a fifth more for their parts, and that
settling."""
STRIPS_READY_MS = 50
"""From GP18 to strips that can be read, at most: what cannot be read then never will."""
HOLD_MS, FADE_MS = 340, 75
"""As simulated: from GP18 low to nine tenths behind the switch, and from there to one tenth."""
STRIPS_OFF_MS = 600
"""From GP18 low to strips without supply, at most."""
REFERENCE_OHM = 500
"""What a strip's reference is read through: its two resistors side by side."""
RIBBON_F, ADDRESS_PIN_F = 20e-12, 3.5e-12
"""What an address line charges on each strip: a way of its ribbon against the neighbours (40 cm),
and a pin of its multiplexer."""
GOOD_MV, GOOD_MOST_MV = 4630, 4700
"""The supervisor calls the supply bad below this; the most of all samples."""
REFUSE_MV = (5210, 5320)
"""Between these the base cuts itself off from a supply that is too high."""
STRIPS_MOST_MV = 5500
"""The firmware takes the strips off a supply that it reads higher: one that the base should have
refused."""
READ_LEAST, READ_MOST = 0.973, 1.036
"""The rail as the Pico reads it, as a share of what it is, by the worst parts: its two resistors
1 % (of their ratio), the Pico's own 3.3 V 1.5 %, the converter 0.2 %; and up to 0.9 % too high,
which the converter's supply loses in its filter."""
CHOP_HZ, CHOP_SPREAD = 2000, 0.05
"""How often a light switches its current, and how far one differs from that, either way."""
CHOP_WORST_MT, CHOP_SIGMA_MT = 0.6, 0.14
"""As simulated, on the longest strip of hex5 at its limit of current: by how much a cell reads
wrong in one frame at most, and the standard deviation of two frames' mean."""
STRIP_F, BASE_F, SWITCHED_F = 22e-6, 1000e-6, 1000e-6
"""Capacitors on 5 V: of a strip, of the base, and of the base behind the switch."""

"""Numbers that a board's copper, firmware, simulated world and tests share: each in one place.

The drawing, the simulated world, first light and the self-test take them from here;
`test_shared_numbers.py` holds the firmware and the maker's texts against them, and them against the
drawing and the electrical simulation (ngspice, from the nets).
"""

from __future__ import annotations

from lumiban_fw.wire import HALF_SCALE

# --- Sensors, in counts of the converter ---

MIDDLE = HALF_SCALE
"""Counts of half the supply: a strip's reference, and a sensor without field."""
OFF_REFERENCE = 0.06
"""Share of half scale by which a good reference may be off; the firmware uses the same."""
DEAD = (200, 3900)
"""Counts beyond which a sensor is no sensor: a DRV5055 stays 0.2 V away from either rail."""

# --- Supplies: parts' values, pins, times ---

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
"""Source resistance in Ω of a strip's reference: its two resistors side by side."""
RIBBON_F, ADDRESS_PIN_F = 20e-12, 3.5e-12
"""Capacitances in F that an address line charges on each strip: a wire of its ribbon against the
neighbours (40 cm), and a pin of its multiplexer."""
GOOD_MV, GOOD_MOST_MV = 4630, 4700
"""The supervisor calls the supply bad below this; the most of all samples."""
REFUSE_MV = (5210, 5320)
"""Between these the base cuts itself off from a supply that is too high."""
STRIPS_MAX_MV = 5500
"""The firmware takes the strips off a supply that it reads higher: one that the base should have
refused."""
READ_MIN, READ_MAX = 0.973, 1.036
"""The rail as the Pico reads it, as a share of what it is, by the worst parts: its two resistors
1 % (of their ratio), the Pico's own 3.3 V 1.5 %, the converter 0.2 %; and up to 0.9 % too high,
which the converter's supply loses in its filter."""
CHOP_HZ, CHOP_SPREAD = 2000, 0.05
"""Frequency in Hz at which a light switches its current, and its spread, either way, between
lights."""
CHOP_WORST_MT, CHOP_SIGMA_MT = 0.6, 0.14
"""As simulated, on the longest strip of hex5 at its limit of current: by how much a cell reads
wrong in one frame at most, and the standard deviation of two frames' mean."""
STRIP_F, BASE_F, SWITCHED_F = 22e-6, 1000e-6, 1000e-6
"""Capacitors on 5 V: of a strip, of the base, and of the base behind the switch."""

# --- What stands in the way of a board's current, from data sheets; nothing was measured yet ---
# The power budget reckons with these figures, simulated boards have them, and
# `lumiban board selftest` sets them beside what it measures.

WAY_MOHM = 125.0
"""One way of a ribbon of 40 cm with AWG 28 wires, contacts at both ends."""
GROUND_WAYS = 4
"""Ways of a strip's plug that are ground."""
GROUND_MOHM = WAY_MOHM / GROUND_WAYS
"""Ground of one strip's ribbon."""
SPINE_MOHM = 1.0
"""5 V and ground of a strip, from one cell to the next."""
FET_MOHM = 13.0
"""The transistor that switches the strips."""
GUARD_MOHM = 9.2
"""The two that guard the base board against a supply that is reversed or too high."""
FUSE_MOHM_A = 90.0
"""A blade fuse, times its rating in A."""
COPPER_OHM_MM2_M = 0.0175


def wire_mohm(mm2: float, metres: float) -> float:
    """Resistance of both wires from the supply to a board at this distance in metres.

    >>> round(wire_mohm(0.75, 1.0), 1)
    46.7
    """
    return 2000 * metres * COPPER_OHM_MM2_M / mm2


def fuse_mohm(ma: int) -> float:
    """A blade fuse of this rating.

    >>> fuse_mohm(4000)
    22.5
    """
    return FUSE_MOHM_A * 1000 / ma


def to_base_mohm(mm2: float, metres: float, fuse_ma: int) -> float:
    """All from the supply to where the base board measures it: wires, fuse, guard.

    >>> round(to_base_mohm(0.75, 1.0, 4000), 1), round(to_base_mohm(1.5, 1.0, 7500), 1)
    (78.4, 44.5)
    """
    return wire_mohm(mm2, metres) + fuse_mohm(fuse_ma) + GUARD_MOHM

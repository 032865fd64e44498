"""What stands in the way of a board's current, from data sheets; nothing was measured yet.

The power budget reckons with these figures, simulated boards have them, and
`lumiban board selftest` sets them beside what it measures.
"""

from __future__ import annotations

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
    """Both wires from the supply to a board so many metres away.

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

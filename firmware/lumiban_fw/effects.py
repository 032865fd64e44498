"""Movement of lights: for each effect of the wire, its level (0 to 255) in every frame of a period.

The tables hold whole frames of 1/60 s, so that all lights keep one beat. A flash is a rise from
below half to above it; no table has more than 3 in any second, nor two within a third of one
(tested), because faster flashing can hurt people.
"""

from lumiban_fw.wire import EFFECTS

FRAME_US = 16_667
"""Lights are computed 60 times a second at most."""

FULL = 255

_RISE = (
    0, 1, 4, 10, 17, 26, 37, 50, 64, 79, 95, 111, 127, 144, 160, 176, 191, 205, 218, 229, 238, 245,
    251, 254,
)  # fmt: skip
"""A rise in 24 steps, half of a raised cosine."""


def _square(on: int, off: int) -> bytearray:
    return bytearray([FULL] * on + [0] * off)


def _wave(rise: int, low: int) -> bytearray:
    """Up from `low` to full in `rise` frames and down again in as many."""
    up = [low + _RISE[k * 24 // rise] * (FULL - low) // 255 for k in range(rise)]
    down = [low + FULL - level for level in up]
    return bytearray(up + down)


def _turned(levels: bytearray, by: int) -> bytearray:
    n = len(levels)
    return bytearray([levels[(k + by) % n] for k in range(n)])


CHASE_STEP = 6
"""Frames after which a light of a chase follows the one before it."""

_PULSE = _wave(48, 40)

LEVELS = (
    bytearray([FULL]),  # STEADY
    _square(30, 30),  # BLINK: 1 s
    _square(12, 12),  # FAST_BLINK: 0.4 s
    _wave(36, 64),  # BREATHE: 600 ms up, 600 ms down
    _PULSE,  # PULSE: 1.6 s
    _turned(_PULSE, 48),  # PULSE_B: half a period later
    bytearray([FULL] * 9 + [0] * 12 + [FULL] * 9 + [0] * 60),  # PROOF: two blinks, pause
    bytearray([max(16, FULL - 8 * k) for k in range(30)] + [16] * 66),  # CHASE: a head and a tail
)

assert len(LEVELS) == EFFECTS


def _holds(levels: bytearray) -> bytearray:
    n = len(levels)
    out = bytearray([0] * n)
    for k in range(n):
        j = 1
        while j < n and levels[(k + j) % n] == levels[k]:
            j += 1
        out[k] = j if j < n else 0
    return out


_HOLDS = tuple([_holds(levels) if min(levels) in (0, FULL) else bytearray() for levels in LEVELS])


def hold_of(effect: int, k: int) -> int:
    """After how many frames the `k`-th level of an effect changes; 0 for never."""
    if _HOLDS[effect]:
        return _HOLDS[effect][k]
    # A wave stands still for a frame or two only.
    levels = LEVELS[effect]
    n = len(levels)
    j = 1
    while levels[(k + j) % n] == levels[k]:
        j += 1
    return j

"""Time in the modes by frames: what each action costs, at 60 frames a second.

The numbers are those of golden/rengi.json, `tsu_frames`; how they are put together is our reading:
a pair moves sideways, falls fast, comes to rest, a split block falls on; each step of a chain
vanishes, is credited, and what it has loosened falls and comes to rest; then the next pair comes.
"""

from __future__ import annotations

from typing import Any

from lumiban.games.kernel import kernel
from lumiban.games.rengi.field import COLUMNS, FIELD_SIZE, column_bits, height
from lumiban.games.rengi.plan import FIELDS

SECOND = 60
PREPARE_NEXT, GROUNDING, VANISH = 12, 20, 50
NEXT2_DELAY = 16
LIFTED = 6
"""More for an axis that has to be lifted over a wall."""
DROP = (0, 10, 16, 22, 24, 28, 32, 34, 36, 40, 42, 44, 46, 48, 50, 52)
"""A block that falls by itself, by rows."""
DROP_FAST = (0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30)
"""A pair that is pressed down, by rows."""
SIDEWAYS = (0, 4, 6, 8, 10, 12)
OJAMA_FEW, OJAMA_SOME, OJAMA_MANY = 8, 24, 32
"""Ojama that come to rest: up to 3, up to 18, more."""
PASS_COSTS = PREPARE_NEXT + GROUNDING
"""A pass lasts as long as a pair that rests where it comes in (ours)."""
SPAWN_COLUMN, SPAWN_ROW = 2, 12


@kernel
def pair_cost(board: Any, side: int, column: int, rotation: int) -> int:
    """Frames from a pair's coming in to its rest, in the field before it."""
    at = FIELDS + side * FIELD_SIZE
    other = column + (rotation & 1) * (2 - rotation)
    high, low = height(board, at, column), height(board, at, other)
    if high < low:
        high, low = low, high
    rows = SPAWN_ROW - high - (1 if rotation == 2 else 0)
    frames = SIDEWAYS[abs(column - SPAWN_COLUMN)] + GROUNDING
    frames += DROP_FAST[rows] if rows > 0 else LIFTED
    if high != low:
        frames += DROP[min(high - low, 15)] + GROUNDING
    return frames


@kernel
def step_cost(before: Any, at: int, out: Any) -> int:
    """Frames in which what a step has loosened falls: `out` tells the cells erased from the field
    before it, which lies in `before` from `at` on."""
    longest = 0
    for column in range(COLUMNS):
        half, shift = column // 3, 16 * (column % 3)
        gone = ((out[4 + half] | out[6 + half]) >> shift) & 0x3FFF
        left = column_bits(before, at, column) & ~gone
        falls = 0
        rows = 0
        while left >> rows != 0:
            falls += (gone >> rows) & 1
            rows += 1
        longest = max(longest, falls)
    return DROP[longest] + GROUNDING if longest > 0 else 0


@kernel
def fall_cost(board: Any, side: int, count: int) -> int:
    """Frames in which so many ojama fall on a side, whose field is still without them."""
    at = FIELDS + side * FIELD_SIZE
    lowest = 14
    for column in range(COLUMNS):
        lowest = min(lowest, height(board, at, column))
    frames = DROP[max(1, 13 - lowest)]
    if count <= 3:
        return frames + OJAMA_FEW
    return frames + (OJAMA_SOME if count <= 18 else OJAMA_MANY)

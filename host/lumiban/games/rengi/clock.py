"""Time in Rengi: what each action costs, by frames or by ticks, and the presets of its clocks.

By frames, 60 a second, the numbers are those of golden/rengi.json, `tsu_frames`; how they are put
together is our reading: a pair moves sideways, falls fast, comes to rest, a split block falls on;
each step of a chain vanishes, is credited, and what it has loosened falls and comes to rest; then
the next pair comes.

Where turns alternate time is in half ticks: the first player acts at ticks 0, 1, 2 …, the second at
0.5, 1.5 …; a hand costs 1 tick. A chain of n steps fired at s has step k credited at s + T(k) −
T(1) and frees its owner at s + T(n), T being the hand table.

The fifteen presets are the clocks of people (`table/clocks.py` counts them): initial time, then
byoyomi for each hand, then consideration time that never comes back. All gone loses; a hand may be
`GRACE_S` late.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from lumiban.games.kernel import kernel
from lumiban.games.rengi.arrays import (
    CLOCK,
    FIELDS,
    HANDS,
    OVER,
    PASS_PLAN,
    PASSED,
    SETTLE,
    SIDE_SIZE,
    SIDES,
    STEPS,
    TIMES,
)
from lumiban.games.rengi.field import COLUMNS, FIELD_SIZE, column_bits, height

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
    """Frames that a number of ojama takes to fall on a side, whose field is still without them."""
    at = FIELDS + side * FIELD_SIZE
    lowest = 14
    for column in range(COLUMNS):
        lowest = min(lowest, height(board, at, column))
    frames = DROP[max(1, 13 - lowest)]
    if count <= 3:
        return frames + OJAMA_FEW
    return frames + (OJAMA_SOME if count <= 18 else OJAMA_MANY)


HAND = 2
"""Half ticks of a hand or a pass."""


@kernel
def schedule(plan: Any, board: Any, side: int) -> None:
    """Set the times of what `side` has just done: of its chain, or of a hand without one."""
    own = SIDES + side * SIDE_SIZE
    now = board[own + CLOCK]
    steps = board[own + STEPS]
    if steps == 0:
        board[own + SETTLE] = now
        board[own + CLOCK] = now + HAND
        return
    for k in range(steps):
        board[own + TIMES + k] = now + HAND * (plan[HANDS + k + 1] - plan[HANDS + 1])
    board[own + SETTLE] = board[own + TIMES + steps - 1]
    board[own + OVER] = board[own + CLOCK] = now + HAND * plan[HANDS + steps]


@kernel
def grant(plan: Any, board: Any, side: int) -> None:
    """Pass plan 2, as the opponent's chain ends: who has passed meanwhile gets one more hand.

    Its clock goes back by a tick, and with it the end of a chain of its own that still runs.
    """
    own = SIDES + side * SIDE_SIZE
    if board[own + PASSED] != 0 and plan[PASS_PLAN] == 2:
        board[own + CLOCK] -= HAND
        if board[own + OVER] >= 0:
            board[own + OVER] -= HAND
    board[own + PASSED] = 0


GRACE_S = 1


class Preset(NamedTuple):
    """Times of one clock, in seconds."""

    initial_s: int
    byoyomi_s: int
    """For each hand."""
    consideration_s: int
    """Spent beyond that, once in a game."""

    def __str__(self) -> str:
        return f"hand:{self.initial_s}s+{self.byoyomi_s}s+{self.consideration_s}s"


PRESETS = {
    "short-1": Preset(0, 10, 300),
    "short-2": Preset(0, 15, 300),
    "short-3": Preset(0, 20, 300),
    "standard-1": Preset(0, 30, 600),
    "standard-2": Preset(0, 30, 900),
    "standard-3": Preset(0, 30, 1800),
    "standard-4": Preset(600, 30, 300),
    "standard-5": Preset(900, 30, 300),
    "standard-6": Preset(1800, 30, 300),
    "long-1": Preset(0, 60, 3600),
    "long-2": Preset(0, 60, 7200),
    "long-3": Preset(0, 60, 10800),
    "long-4": Preset(3600, 60, 1200),
    "long-5": Preset(7200, 60, 1200),
    "long-6": Preset(10800, 60, 1200),
}
"""By name."""

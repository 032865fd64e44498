"""Hands and passes of Rengi, and the places where a pair can be put.

Reachability is exact, from the skyline alone. A pair appears in column 3 with its axis in row 12
and the child above. It moves where both blocks fit, turns by quarters, slides sideways when a wall
is in the way of the child, is lifted a row when the floor is, and with both sides blocked turns
over on the spot (quick turn), which lifts it too. Once lifted, with the axis in row 13, it passes
columns of height 12. That leaves a few sets of columns to be found, which are six bits each, column
1 lowest.

Wall plan 1 is just this; under plan 2 the axis is in row 13 from the start; under plan 3 nothing is
in the way. A placement is coded as column * 4 + rotation, the column being the axis's, from 0.

Positions that were faced are remembered here.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from lumiban.games.kernel import inlined, kernel
from lumiban.games.rengi.arrays import (
    BEGINS,
    BIN,
    BY_REPETITION,
    CHAIN_PASS,
    DRAWN_GAME,
    ENDED,
    FACED,
    FACES,
    FIELDS,
    FORGOTTEN,
    FREE,
    LAST,
    LAST_SIDE,
    MADE,
    MIRROR,
    MIRRORED,
    MOVER,
    NORMAL_PASS,
    PAIRS,
    PASS,
    PLACEMENTS,
    QUICK,
    REPEAT,
    SIDE_SIZE,
    SIDES,
    SUPPLY,
    WALL,
    WHY,
    key_of,
)
from lumiban.games.rengi.duel import shape
from lumiban.games.rengi.field import FIELD_SIZE, ONES


@kernel
def generate(plan: Any, board: Any, room: Any, out: Any) -> int:
    """Write the mover's hands into `out`, by pair and placement, then a pass; returns how many.

    Of two ways to put the same blocks into the same cells only one is listed, where the supply is
    free or both blocks have one colour. The hand that would copy the opponent's once too often is
    left out, unless there is no other.
    """
    if board[ENDED] != 0:
        return 0
    side = board[MOVER]
    own = SIDES + side * SIDE_SIZE
    at = FIELDS + side * FIELD_SIZE
    banned = too_often(plan, board)
    n = 0
    if plan[FREE] != 0:
        count = placements_of_twins(board, at, plan[WALL], plan[QUICK], room)
        for pair in range(16):
            for i in range(count):
                out[n] = pair * PLACEMENTS + room[i]
                n += 1 if shape(out[n]) != banned else 0
        last = banned
    else:
        drawn = SUPPLY + 2 * (board[own + MADE] % plan[PAIRS])
        axis, child = plan[drawn], plan[drawn + 1]
        if axis == child:
            count = placements_of_twins(board, at, plan[WALL], plan[QUICK], room)
        else:
            count = placements(board, at, plan[WALL], plan[QUICK], room)
        pair = 4 * (axis - 1) + child - 1
        last = 0
        for i in range(count):
            last = pair * PLACEMENTS + room[i]
            out[n] = last
            n += 1 if shape(last) != banned else 0
    if n == 0:
        out[0] = last
        n = 1
    if can_pass(plan, board):
        out[n] = PASS
        n += 1
    return n


@kernel
def too_often(plan: Any, board: Any) -> int:
    """The shape of the hand that the second player may not copy once more, −1 for none."""
    side = board[MOVER]
    if plan[MIRROR] < 0 or side == board[BEGINS] or board[LAST_SIDE] != 1 - side:
        return -1
    if board[SIDES + side * SIDE_SIZE + MIRRORED] < plan[MIRROR]:
        return -1
    banned: int = board[LAST]
    return banned


@kernel
def can_pass(plan: Any, board: Any) -> bool:
    """True if the mover may pass: while the opponent's chain runs, or at any time."""
    running = board[SIDES + (1 - board[MOVER]) * SIDE_SIZE + BIN] != 0
    allowed: bool = plan[CHAIN_PASS if running else NORMAL_PASS] != 0
    return allowed


@kernel
def face(plan: Any, board: Any) -> None:
    """Remember the position just reached; one faced too often is a draw, want of room an error."""
    end = FACES + board[FACED]
    key = key_of(plan, board)
    times = 1
    for i in range(FACES, end):
        if board[i] == key:
            times += 1
    if times >= plan[REPEAT]:
        board[ENDED], board[WHY] = DRAWN_GAME, BY_REPETITION
    if end == len(board):
        board[ENDED] = FORGOTTEN
        return
    board[end] = key
    board[FACED] += 1


SPAWN = 2
"""The column in which pairs appear."""
OUT_SIZE = 24
"""Ints that `placements` may write, of which it uses as many as it returns."""


@inlined
def columns_at(board: Any, at: int, row: int) -> int:
    """The set of columns with a block in this row, so with at least that height."""
    left = ((board[at] | board[at + 2]) >> (row - 1)) & ONES
    right = ((board[at + 1] | board[at + 3]) >> (row - 1)) & ONES
    # Bits 0, 16 and 32 come side by side.
    left = (left | (left >> 15) | (left >> 30)) & 7
    right = (right | (right >> 15) | (right >> 30)) & 7
    columns: int = left | (right << 3)
    return columns


@inlined
def around_spawn(free: int) -> int:
    """The free columns that hang together with the spawn's, of a set of free ones."""
    if free & 4 == 0:
        return 0
    rightward = free & 0b111100
    rightward &= ~(rightward + 4)
    return rightward | (free & 2) | (free & (free >> 1) & 1)


@inlined
def reachable(at11: int, at12: int, at13: int, at14: int, wall_plan: int, quick_turn: int) -> int:
    """The placements as a set of 24 bits by code; `at11` to `at14` are `columns_at` these rows."""
    if at12 & 4 != 0:
        return 0
    if wall_plan == 3:
        axis = ~at13 & 63
        child = ~(at13 & at14) & 63
        upright = axis & ~(at12 & at14)
        return interleaved(upright, axis & (child >> 1), axis & ~at12, axis & (child << 1))
    low = ~at12 & 63
    high = ~at13 & 63
    reach = around_spawn(low)
    climbs = (reach & at11 != 0 and reach != 4) or (quick_turn != 0 and at12 & 10 == 10)
    if climbs or wall_plan == 2:
        reach = around_spawn(high)
    if reach == 4 and quick_turn == 0:
        return 1 << 8
    upright = reach & ~(at12 & at14)
    return interleaved(upright, reach & (reach >> 1), reach & low, reach & (reach << 1))


@inlined
def interleaved(up: int, right: int, down: int, left: int) -> int:
    """Four sets of columns, one a rotation, as one set of codes."""
    return spread(up) | (spread(right) << 1) | (spread(down) << 2) | (spread(left) << 3)


@inlined
def spread(columns: int) -> int:
    """Six bits, each moved to the lowest of four.

    >>> bin(spread(0b100011))
    '0b100000000000000010001'
    """
    x = (columns | (columns << 9)) & 0x7007
    return (x | (x << 3) | (x << 6)) & 0x111111


@inlined
def placement_set(board: Any, at: int, wall_plan: int, quick_turn: int) -> int:
    """The reachable placements of a field as a set of 24 bits by code."""
    return reachable(
        columns_at(board, at, 11),
        columns_at(board, at, 12),
        columns_at(board, at, 13),
        columns_at(board, at, 14),
        wall_plan,
        quick_turn,
    )


@inlined
def placements(board: Any, at: int, wall_plan: int, quick_turn: int, out: Any) -> int:
    """Write the codes of all reachable placements into `out`, ascending; returns how many."""
    return listed(placement_set(board, at, wall_plan, quick_turn), out)


@kernel
def placements_of_twins(board: Any, at: int, wall_plan: int, quick_turn: int, out: Any) -> int:
    """Like `placements` for two blocks of one colour, of two ways round only the first."""
    codes = placement_set(board, at, wall_plan, quick_turn)
    # A child below is a child above; a child on the left is one on the right of the next column.
    return listed(codes & ~((codes << 2) & 0x444444) & ~((codes << 6) & 0x888888), out)


@inlined
def listed(codes: int, out: Any) -> int:
    """Write a set of 24 bits as numbers, ascending, into `out`; returns how many there are."""
    n = 0
    for code in range(24):
        out[n] = code
        n += (codes >> code) & 1
    return n


def skyline(heights: Sequence[int]) -> tuple[int, int, int, int]:
    """The columns of at least height 11, 12, 13 and 14, as `reachable` takes them.

    >>> skyline([0, 11, 12, 13, 14, 10])
    (30, 28, 24, 16)
    """
    at11, at12, at13, at14 = (
        sum(1 << column for column, high in enumerate(heights) if high >= row)
        for row in (11, 12, 13, 14)
    )
    return at11, at12, at13, at14


def why_unreachable(
    heights: Sequence[int],
    wall_plan: int,
    quick_turn: int,
    column: int,
    rotation: int,
    hanging: int = 0,
) -> int:
    """The column, from 0, that stops a placement; −1 when nothing does.

    `hanging` is the set of columns with a block in row 14, `columns_at` that row.

    >>> why_unreachable([9, 9, 9, 9, 12, 9], 1, 1, 5, 0), why_unreachable([0] * 6, 1, 1, 5, 0)
    (4, -1)
    """
    at11, at12, at13, at14 = skyline(heights)
    codes = reachable(at11, at12, at13, at14 | hanging, wall_plan, quick_turn)
    if (codes >> (column * 4 + rotation)) & 1:
        return -1
    if heights[SPAWN] >= 12:
        return SPAWN
    child = column + (rotation & 1) * (2 - rotation)
    if wall_plan == 3:
        return column if heights[column] >= 13 - (rotation == 2) else child
    passed = [any((codes >> (4 * c + r)) & 1 for r in (0, 1, 3)) for c in range(6)]
    farther = max(column, child, key=lambda c: abs(c - SPAWN))
    way = 1 if farther > SPAWN else -1
    for passing in range(SPAWN, farther, way):
        if not passed[passing + way]:
            return passing + way
    if rotation == 2 and heights[column] < 12:
        # Upright in a pit without a quick turn: both sides stop it, and either may be named.
        return SPAWN - 1
    return column

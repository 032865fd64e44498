"""Which hands and passes there are, and remembering the positions faced."""

from __future__ import annotations

from typing import Any

from lumiban.games.kernel import kernel
from lumiban.games.rengi.duel import shape
from lumiban.games.rengi.field import FIELD_SIZE
from lumiban.games.rengi.keys import key_of
from lumiban.games.rengi.plan import (
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
)
from lumiban.games.rengi.reach import placements, placements_of_twins


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
    """Whether the mover may pass: while the opponent's chain runs, or at any time."""
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

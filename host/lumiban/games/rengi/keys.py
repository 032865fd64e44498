"""How a position of Rengi is remembered: a hash of the whole state, times as seen from now."""

from __future__ import annotations

from typing import Any

from lumiban.games.kernel import kernel
from lumiban.games.rengi.field import FIELD_SIZE
from lumiban.games.rengi.plan import (
    BIN,
    BONUS,
    CARRIED,
    CHAIN_RATE,
    CLOCK,
    FALLEN,
    FIELDS,
    FIRES,
    FREE,
    MADE,
    MOVER,
    NOW,
    OVER,
    PAIRS,
    PASSED,
    POINTS,
    SENT,
    SETTLE,
    SIDE_SIZE,
    SIDES,
    STEP,
    STEPS,
    TIMES,
    WORTHS,
    A,
    B,
)


@kernel
def mixed(key: int, number: int) -> int:
    """The key with one more number in it, 63 bits."""
    key = ((key ^ number) * 0x2545F4914F6CDD1D + 0x14057B7EF767814F) & 0x7FFFFFFFFFFFFFFF
    return key ^ (key >> 31)


@kernel
def key_of(plan: Any, board: Any) -> int:
    """A hash of fields, forecasts, chains, clocks, supply and mover; no history, no totals."""
    key = mixed(1, board[MOVER])
    now = board[NOW]
    for i in range(FIELDS, FIELDS + 2 * FIELD_SIZE):
        key = mixed(key, board[i])
    for side in range(2):
        own = SIDES + side * SIDE_SIZE
        key = mixed(key, board[own + A] * 65536 + board[own + B])
        key = mixed(key, board[own + CLOCK] - now)
        key = mixed(key, board[own + BONUS])
        key = mixed(key, board[own + CARRIED] * 2 + board[own + PASSED])
        if plan[FREE] == 0:
            key = mixed(key, board[own + MADE] % plan[PAIRS])
        if board[own + SETTLE] >= 0:
            key = mixed(key, board[own + SETTLE] - now)
        if board[own + FIRES] >= 0:
            key = mixed(key, board[own + FIRES] - now)
        if board[own + OVER] >= 0:
            key = mixed(key, board[own + OVER] - now)
            key = mixed(key, board[own + BIN])
            key = mixed(key, board[own + POINTS] - board[own + SENT] * board[own + CHAIN_RATE])
            key = mixed(key, board[own + CHAIN_RATE])
            key = mixed(key, board[own + FALLEN])
        for k in range(board[own + STEP], board[own + STEPS]):
            key = mixed(key, board[own + TIMES + k] - now)
            key = mixed(key, board[own + WORTHS + k])
    return key

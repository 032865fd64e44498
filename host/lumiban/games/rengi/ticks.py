"""Time in the modes whose turns alternate, in half ticks.

The first player acts at ticks 0, 1, 2 …, the second at 0.5, 1.5 …; a hand costs 1 tick. A chain
of n steps fired at s has step k credited at s + T(k) − T(1) and frees its owner at s + T(n), T
being the hand table.
"""

from __future__ import annotations

from typing import Any

from lumiban.games.kernel import kernel
from lumiban.games.rengi.plan import (
    CLOCK,
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

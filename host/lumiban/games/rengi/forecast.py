"""What is on its way: the two bins of ojama forecast against each side, and offsetting.

A chain's ojama go to bin A of the opponent if nothing was waiting there when it was fired, else
to bin B. Own ojama first cancel what waits for oneself: B before A with the interrupt on, A
before B without it.
"""

from __future__ import annotations

from typing import Any

from lumiban.games.kernel import kernel
from lumiban.games.rengi.plan import (
    BIN,
    IN_A,
    IN_B,
    INTERRUPT,
    OFFSET,
    OVER,
    SIDE_SIZE,
    SIDES,
    A,
    B,
)


@kernel
def open_bin(board: Any, side: int) -> None:
    """Decide, as `side` fires a chain, which bin of the opponent it fills."""
    own = SIDES + side * SIDE_SIZE
    enemy = SIDES + (1 - side) * SIDE_SIZE
    board[own + BIN] = IN_A if board[enemy + A] + board[enemy + B] == 0 else IN_B


@kernel
def credit(plan: Any, board: Any, side: int, earned: int) -> None:
    """Count so many ojama of `side`'s running chain: offset first, the surplus goes across."""
    own = SIDES + side * SIDE_SIZE
    enemy = SIDES + (1 - side) * SIDE_SIZE
    if plan[OFFSET] != 0:
        first = B if plan[INTERRUPT] != 0 else A
        for bin_ in (first, A + B - first):
            cancelled = min(earned, board[own + bin_])
            board[own + bin_] -= cancelled
            earned -= cancelled
    board[enemy + (A if board[own + BIN] == IN_A else B)] += earned


@kernel
def close_bin(board: Any, side: int) -> None:
    """End `side`'s chain: what it put into bin B of the opponent joins A."""
    own = SIDES + side * SIDE_SIZE
    enemy = SIDES + (1 - side) * SIDE_SIZE
    board[enemy + A] += board[enemy + B]
    board[enemy + B] = 0
    board[own + BIN] = 0
    board[own + OVER] = -1


@kernel
def due(board: Any, side: int) -> int:
    """How many ojama may fall on `side`: those in A, unless a running chain still fills it."""
    enemy = SIDES + (1 - side) * SIDE_SIZE
    if board[enemy + BIN] == IN_A:
        return 0
    waiting: int = board[SIDES + side * SIDE_SIZE + A]
    return waiting

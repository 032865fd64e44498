"""How a game of Trivia ends: who leads, and a random game in which stones seek each other."""

from __future__ import annotations

from typing import Any

from lumiban.games.groups import first_difference
from lumiban.games.kernel import below, kernel
from lumiban.games.trivia.plan import (
    CELLS,
    MOVER,
    NEAR,
    OWN,
    RED,
    STONE,
    TURN_OWN,
    TURN_RED,
)

TRIES = 2
"""Cells that a stone has to choose from; in `docs/search.md` others are tried."""


@kernel
def drawn_together(plan: Any, board: Any, scratch: Any, rng: Any, trace: Any) -> int:
    """A random game to the end in which each stone takes the best of `TRIES` random cells.

    An own stone goes where more of its own are next to it, a red one where more of the enemy's
    are. Returns the outcome's code; the moves go to `trace`, own stones of a turn first.
    """
    cells = plan[CELLS]
    mover, own, red = board[MOVER], board[OWN], board[RED]
    # By cell, in front of it one for all that lies outside: white neighbours, and 8 for each black.
    beside = cells + 1
    for i in range(cells, 2 * cells + 1):
        scratch[i] = 0
    left = 0
    for c in range(cells):
        kind = board[STONE + c]
        if kind == 0:
            scratch[left] = c
            left += 1
        elif kind < 3:
            near = NEAR + 4 * c
            unit = 1 if kind == 1 else 8
            scratch[beside + plan[near]] += unit
            scratch[beside + plan[near + 1]] += unit
            scratch[beside + plan[near + 2]] += unit
            scratch[beside + plan[near + 3]] += unit
    n = trace[0]
    while left > 0:
        sought = 3 * mover if own > 0 else 3 - 3 * mover
        k = below(rng, left)
        most = (scratch[beside + scratch[k]] >> sought) & 7
        for _ in range(TRIES - 1):
            j = below(rng, left)
            here = (scratch[beside + scratch[j]] >> sought) & 7
            if here > most:
                most = here
                k = j
        left -= 1
        c = scratch[k]
        scratch[k] = scratch[left]
        n += 1
        if own > 0:
            own -= 1
            board[STONE + c] = mover + 1
            trace[n] = c
            near = NEAR + 4 * c
            unit = 1 + 7 * mover
            scratch[beside + plan[near]] += unit
            scratch[beside + plan[near + 1]] += unit
            scratch[beside + plan[near + 2]] += unit
            scratch[beside + plan[near + 3]] += unit
        else:
            red -= 1
            board[STONE + c] = 3
            trace[n] = cells + c
        if own + red == 0:
            mover = 1 - mover
            own = TURN_OWN
            red = TURN_RED if left > TURN_OWN else 0
    trace[0] = n
    code: int = leader(plan, board, scratch)
    return code


@kernel
def leader(plan: Any, board: Any, scratch: Any) -> int:
    """Who leads the cascade of groups: 1 White, 2 Black, 0 nobody.

    In `scratch`, two ints a cell and one more: the cells of a group, then by size how many more
    white than black groups have it. The largest size of which there are not equally many decides.
    """
    cells = plan[CELLS]
    for i in range(cells, 2 * cells + 1):
        scratch[i] = 0
    for c in range(cells):
        kind = board[STONE + c]
        if kind == 1 or kind == 2:
            # A cell already counted holds its kind with the sign turned.
            board[STONE + c] = -kind
            scratch[0] = c
            size = 1
            at = 0
            while at < size:
                first = NEAR + 4 * scratch[at]
                at += 1
                for k in range(first, first + 4):
                    j = plan[k]
                    if j >= 0 and board[STONE + j] == kind:
                        board[STONE + j] = -kind
                        scratch[size] = j
                        size += 1
            scratch[cells + size] += 3 - 2 * kind
    for c in range(cells):
        if board[STONE + c] < 0:
            board[STONE + c] = -board[STONE + c]
    more = first_difference(scratch, cells, cells)
    return 0 if more == 0 else 1 if more > 0 else 2

"""What a position of Tokyo Doves seems to be worth, looked at and not searched."""

from __future__ import annotations

from typing import Any

from lumiban.games.doves.kernel import DOVE, FRAME, MOVER, RED_CELLS, edge, homes, targets, walls
from lumiban.games.kernel import kernel
from lumiban.search.doves_line import popcount

AIR, NEAR, REACH, ON_BOARD, HOMES, AIM, TURN = 0, 5, 6, 7, 8, 9, 12
"""Places in the weights: by free edges of a boss; own doves' reach in cells; doves on the board;
cells to put on; free edges of the enemy boss that an own dove can move to (0, 1, 2 or more); to be
the side to move."""

WEIGHTS = [-400, -75, 0, 45, 75, 0, 4, 20, 3, 0, 40, 90, 30]
"""Tuned a little by games against itself at 3 000 positions a move: air half as dear as it was at
first won 48.5 of 70; other changes of one weight told nothing for certain."""


@kernel
def bits_of(cells: int) -> int:
    """How many cells a set has."""
    return (
        popcount(cells & 0xFFF)
        + popcount((cells >> 12) & 0xFFF)
        + popcount((cells >> 24) & 0xFFF)
        + popcount((cells >> 36) & 0xFFF)
    )


@kernel
def side_worth(plan: Any, board: Any, weights: Any, side: int) -> int:
    """What speaks for `side`."""
    occupied = board[RED_CELLS] | board[RED_CELLS + 1]
    wall = walls(occupied)
    air = edge(1 << board[DOVE + side]) & FRAME & ~(occupied | wall)
    theirs = edge(1 << board[DOVE + 1 - side]) & FRAME & ~(occupied | wall)
    reach, present = 0, 0
    for kind in range(6):
        place = board[DOVE + 2 * kind + side]
        if place >= 0:
            present += 1
            reach |= targets(plan, occupied & ~(1 << place), kind, place)
    score = weights[AIR + bits_of(air)] + weights[REACH] * bits_of(reach)
    score += weights[ON_BOARD] * present
    if present < 6:
        score += weights[HOMES] * bits_of(homes(plan, board, side))
    aim = reach & theirs
    if aim != 0:
        score += weights[AIM + 1] if aim & (aim - 1) == 0 else weights[AIM + 2]
    total: int = score
    return total


@kernel
def worth(plan: Any, board: Any, weights: Any) -> int:
    """What seems to speak for the side to move, less what speaks for the other."""
    mover = board[MOVER]
    mine = side_worth(plan, board, weights, mover) + weights[TURN]
    total: int = mine - side_worth(plan, board, weights, 1 - mover)
    return total

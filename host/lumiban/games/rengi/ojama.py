"""How ojama fall: how many at once, and into which columns."""

from __future__ import annotations

from typing import Any

from lumiban.games.kernel import below, kernel
from lumiban.games.rengi.field import COLUMNS, FIELD_SIZE, drop
from lumiban.games.rengi.field import OJAMA as OJAMA_COLOUR
from lumiban.games.rengi.plan import (
    CAP,
    FIELDS,
    MIXED,
    MIXED_FROM,
    RANDOM,
    RNG,
    UNIT,
)

ONES = (3, 1, 4, 0, 5, 2)
"""The columns, from 0, that get one more ojama first when they fall one by one."""
THREES = (1, 3, 4, 0, 2, 5)
"""The same in threes: columns 2, 4, 5 of the paper, then 1, 3, 6."""


@kernel
def amount(unit: int, mixed_from: int, most: int, waiting: int) -> int:
    """How many of the ojama waiting fall at once: at most `most`, in whole units.

    `unit` is 1, 3, 6 or MIXED: threes while no more than `mixed_from` wait, else whole rows.

    >>> amount(3, 18, 30, 32), amount(6, 18, 30, 13), amount(MIXED, 18, 30, 17)
    (30, 12, 15)
    """
    if unit == MIXED:
        unit = 3 if waiting <= mixed_from else 6
    falls = min(waiting, most)
    return falls - falls % unit


@kernel
def order(unit: int, place: int) -> int:
    """The column that comes at this place, from 0, in the fixed order."""
    return ONES[place] if unit == 1 else THREES[place]


@kernel
def falling(plan: Any, waiting: int, fallen: int) -> int:
    """How many of the ojama waiting fall at once, where so many have fallen in this turn."""
    count: int = amount(plan[UNIT], plan[MIXED_FROM], plan[CAP] - fallen, waiting)
    return count


@kernel
def chance(board: Any, room: Any, n: int) -> int:
    """A random number below n from the game's own chance, which moves on."""
    room[0] = board[RNG]
    number: int = below(room, n)
    board[RNG] = room[0]
    return number


@kernel
def let_fall(plan: Any, board: Any, room: Any, side: int, count: int) -> int:
    """Let so many ojama fall on a side, full rows first; returns how many found no room.

    The rest below a full row takes the fixed order, or random columns of which none twice.
    """
    at = FIELDS + side * FIELD_SIZE
    lost = 0
    for _ in range(count // COLUMNS):
        for column in range(COLUMNS):
            if drop(board, at, column, OJAMA_COLOUR, 0) == 0:
                lost += 1
    used = 0
    for place in range(count % COLUMNS):
        if plan[RANDOM] != 0:
            skip = chance(board, room, COLUMNS - place)
            column = 0
            while (used >> column) & 1 != 0 or skip > 0:
                if (used >> column) & 1 == 0:
                    skip -= 1
                column += 1
        else:
            column = order(plan[UNIT], place)
        used |= 1 << column
        if drop(board, at, column, OJAMA_COLOUR, 0) == 0:
            lost += 1
    return lost

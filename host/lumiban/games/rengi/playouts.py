"""Random games of Rengi for the search: of a few hands the one that looks best, not for ever."""

from __future__ import annotations

from typing import Any

from lumiban.games.kernel import below, kernel
from lumiban.games.rengi.duel import act
from lumiban.games.rengi.field import (
    COLUMNS,
    DEATH_COLUMN,
    FIELD_SIZE,
    height,
    is_dead,
    place_pair,
    resolve,
)
from lumiban.games.rengi.hands import generate
from lumiban.games.rengi.plan import (
    BEFORE,
    ENDED,
    FIELDS,
    GHOST_C,
    MOVER,
    PASS,
    PLACEMENTS,
    STAY14,
)

LONGEST = 240
"""Plies after which a playout is called a draw."""
TRIES = 4
"""Hands that are looked at before one is made."""
SMALL = 300
"""Points below which a chain is a waste of blocks rather than an attack."""


@kernel
def play_out(plan: Any, board: Any, room: Any, moves: Any, rng: Any, trace: Any) -> int:
    """Play at random until the game is over; returns the outcome's code, 0 when it goes on.

    Nobody passes who has a hand, and positions are not remembered: chance repeats none four times.
    """
    for _ in range(LONGEST):
        n = generate(plan, board, room, moves)
        if n == 0:
            break
        if n > 1 and moves[n - 1] == PASS:
            n -= 1
        move = moves[below(rng, n)]
        if move != PASS:
            best = promise(plan, board, room, move)
            for _ in range(TRIES - 1):
                other = moves[below(rng, n)]
                worth = promise(plan, board, room, other)
                if worth > best:
                    best = worth
                    move = other
        trace[0] += 1
        trace[trace[0]] = move
        act(plan, board, room, move)
    code: int = board[ENDED] - 1
    return max(code, 0)


@kernel
def promise(plan: Any, board: Any, room: Any, code: int) -> int:
    """What a hand of the mover is worth at a glance: points of its chain, a low and even field."""
    at = FIELDS + board[MOVER] * FIELD_SIZE
    for i in range(FIELD_SIZE):
        room[BEFORE + i] = board[at + i]
    pair, column, rotation = code // PLACEMENTS, code % PLACEMENTS // 4, code % 4
    place_pair(room, BEFORE, pair // 4 + 1, pair % 4 + 1, column, rotation, plan[STAY14])
    worth: int = 0
    if resolve(room, BEFORE, plan[GHOST_C], room) > 0:
        worth = room[1] if room[1] >= SMALL else -SMALL // 4
    if is_dead(room, BEFORE):
        return -1000000
    for column in range(COLUMNS):
        high = height(room, BEFORE, column)
        worth -= high * high * (2 if column == DEATH_COLUMN else 1)
    return worth

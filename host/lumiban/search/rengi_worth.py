"""What a field of Rengi promises: the chain that a few blocks more would fire, and its shape."""

from __future__ import annotations

from typing import Any

from lumiban.games.kernel import kernel
from lumiban.games.rengi.field import (
    COLUMNS,
    FIELD_SIZE,
    colour_at,
    count_bits,
    drop,
    height,
    links,
    resolve,
)
from lumiban.games.rengi.placements import around_spawn, columns_at

CHAIN, NEED, ALTITUDE, SECOND, LINK, OJAMA, BUMP, HOLLOW, EDGE, TALL, POINTS = range(11)
"""Places in the weights: a step of the best chain in reach; each block that it still needs beyond
the first; each row of its trigger; a step of the best chain fired in another column; a pair of
neighbours of one colour; an ojama; a row between two neighbouring columns beyond the first; a
column lower than both its neighbours, a row; each row by which edges are below the middle; a row
of column 3 above the eighth; and 1000 points of that chain."""

WEIGHTS = (1000, 98, 15, 65, 36, -120, -20, -30, 0, -195, 0)

MOST_NEEDED = 2
"""Blocks of one colour that are tried in a column."""
TRIAL = 32
"""Where a field is tried in the scratch room."""
HIGH = TRIAL + FIELD_SIZE
"""Where the heights of the columns stand in the scratch room."""
FOUND = HIGH + COLUMNS
"""Where `worth` leaves the steps of the best chain in reach, its points and the blocks it needs."""
ROOM_SIZE = FOUND + 4


@kernel
def run_chain(board: Any, at: int, ghost_c: int, out: Any) -> int:
    """`resolve`, called rather than compiled into its callers."""
    steps: int = resolve(board, at, ghost_c, out)
    return steps


@kernel
def worth(board: Any, at: int, weights: Any, ghost_c: int, room: Any) -> int:
    """What the field at rest that lies in `board` from `at` on promises, by these weights.

    For each column and each colour beside its top so many blocks of that colour are let fall until
    something goes. `room` then says at FOUND which chain was the best.
    """
    for column in range(COLUMNS):
        room[HIGH + column] = height(board, at, column)
    total = weights[LINK] * linked(board, at)
    total += weights[OJAMA] * count_bits(board[at + 2] & ~board[at], board[at + 3] & ~board[at + 1])
    total += shape(weights, room)
    best, second = 0, 0
    room[FOUND] = room[FOUND + 1] = room[FOUND + 2] = 0
    within = around_spawn(~columns_at(board, at, 12) & 63)
    for column in range(COLUMNS):
        if (within >> column) & 1 == 0:
            continue
        row = room[HIGH + column] + 1
        tried = 1
        here = 0
        for look in range(5):
            colour = 0
            if look == 0:
                if row > 1:
                    colour = colour_at(board, at, column, row - 1)
            else:
                beside = column + (1 if look & 1 else -1)
                level = row + (look - 1) // 2
                if 0 <= beside < COLUMNS and level <= 12:
                    colour = beside_colour(board, at, beside, level)
            if colour > 4 or (tried >> colour) & 1 != 0:
                continue
            tried |= 1 << colour
            for i in range(FIELD_SIZE):
                room[TRIAL + i] = board[at + i]
            steps = 0
            need = 0
            while steps == 0 and need < MOST_NEEDED and row + need <= 12:
                need += 1
                drop(room, TRIAL, column, colour, 0)
                steps = run_chain(room, TRIAL, ghost_c, room)
            if steps == 0:
                continue
            score = weights[CHAIN] * steps - weights[NEED] * (need - 1) + weights[ALTITUDE] * row
            score += weights[POINTS] * room[1] // 1000
            if score > max(here, best):
                room[FOUND], room[FOUND + 1], room[FOUND + 2] = steps, room[1], need
            here = max(here, score)
        if here > best:
            second = best
            best = here
        elif here > second:
            second = here
    total += best + weights[SECOND] * second // 1000
    result: int = total
    return result


@kernel
def beside_colour(board: Any, at: int, column: int, row: int) -> int:
    """The colour of a cell that may be empty: then 0."""
    half = at + column // 3
    shift = 16 * (column % 3) + row - 1
    if ((board[half] | board[half + 2]) >> shift) & 1 == 0:
        return 0
    colour: int = colour_at(board, at, column, row)
    return colour


@kernel
def linked(board: Any, at: int) -> int:
    """How many pairs of neighbours have one colour."""
    above0, above1, right0, right1 = links(
        board[at], board[at + 1], board[at + 2], board[at + 3], board[at + 4], board[at + 5]
    )
    pairs: int = count_bits(above0, above1) + count_bits(right0, right1)
    return pairs


@kernel
def shape(weights: Any, room: Any) -> int:
    """What the heights of the columns are worth."""
    total = 0
    for column in range(COLUMNS - 1):
        between = abs(room[HIGH + column] - room[HIGH + column + 1])
        if between > 1:
            total += weights[BUMP] * (between - 1)
    for column in range(COLUMNS):
        left = room[HIGH + column - 1] if column > 0 else 14
        right = room[HIGH + column + 1] if column < COLUMNS - 1 else 14
        deep = min(left, right) - room[HIGH + column]
        if deep > 1:
            total += weights[HOLLOW] * (deep - 1)
    middle = room[HIGH + 2] + room[HIGH + 3]
    edges = room[HIGH] + room[HIGH + 5]
    total += weights[EDGE] * max(0, middle - edges)
    if room[HIGH + 2] > 8:
        total += weights[TALL] * (room[HIGH + 2] - 8)
    result: int = total
    return result

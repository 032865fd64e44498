"""Which actions there are in Tokyo Doves, what walls and surrounds, and what is barred."""

from __future__ import annotations

from typing import Any

from lumiban.games.doves.keys import key_of
from lumiban.games.doves.plan import (
    BARRED,
    BARS,
    CELLS,
    COLUMN_WALLS,
    COLUMNS,
    DOVE,
    ENDED,
    FACED,
    FACES,
    FRAME,
    GATHER,
    GREEN_SURROUNDED,
    LOWEST,
    MOVER,
    MOVES,
    NO_INITIAL,
    NORMAL,
    ONLY_BOSSES,
    PLACE,
    PLIES,
    PRESENT,
    RED_CELLS,
    RED_SURROUNDED,
    REMOVE,
    REMOVES,
    REPEAT,
    ROW_ENDS,
    ROW_WALLS,
    ROWS,
    STEPS,
    STRONG,
    TOTSU,
    WALL_COLUMN,
    WALL_ROW,
)
from lumiban.games.kernel import kernel

BY_REPETITION, BY_INITIAL, BY_CLAIM = 1, 2, 4
"""Rules that may bar an action; a sum says which of them must be asked."""


@kernel
def near(cells: int) -> int:
    """The cells that touch one of these, by edge or corner."""
    beside = (cells << 1) | (cells >> 1)
    rows = beside | cells
    return (beside | (rows << 8) | (rows >> 8)) & FRAME


@kernel
def edge(cells: int) -> int:
    """The cells that share an edge with one of these."""
    return ((cells << 1) | (cells >> 1) | (cells << 8) | (cells >> 8)) & FRAME


@kernel
def columns_of(cells: int) -> int:
    """The columns in use, as six bits."""
    half = cells | (cells >> 24)
    return (half | (half >> 8) | (half >> 16)) & 0x3F


@kernel
def rows_of(cells: int) -> int:
    """The rows in use, as six bits."""
    ends = cells | (cells >> 4)
    ends |= ends >> 2
    ends = (ends | (ends >> 1)) & ROW_ENDS
    return ((ends * GATHER) >> 35) & 0x3F


@kernel
def fitting(plan: Any, cells: int) -> int:
    """The cells of the frame of which each keeps the box of these within 4×4."""
    fit: int = plan[COLUMNS + columns_of(cells)] & plan[ROWS + rows_of(cells)]
    return fit


@kernel
def slides(occupied: int, place: int) -> int:
    """The cells that a totsu reaches from its place over empty ones."""
    found = 0
    for way in range(4):
        step = 1 if way == 0 else -1 if way == 1 else 8 if way == 2 else -8
        at = place + step
        while at >= 0 and (FRAME >> at) & 1 != 0 and (occupied >> at) & 1 == 0:
            found |= 1 << at
            at += step
    return found


@kernel
def targets(plan: Any, rest: int, kind: int, place: int) -> int:
    """The cells to which a dove may move from its place, bans apart; `rest` are all others."""
    reach = slides(rest, place) if kind == TOTSU else plan[STEPS + 48 * kind + place] & ~rest
    around = near(rest)
    reach &= around & fitting(plan, rest)
    lonely = rest & ~around
    while lonely != 0 and reach != 0:
        first = lonely & -lonely
        lonely ^= first
        reach &= near(first)
    return reach


@kernel
def homes(plan: Any, board: Any, side: int) -> int:
    """The cells on which `side` may put any dove from its hand."""
    own = board[RED_CELLS + side]
    occupied = own | board[RED_CELLS + 1 - side]
    enemy_boss = 1 << board[DOVE + 1 - side]
    free: int = near(own) & ~occupied & ~edge(enemy_boss) & fitting(plan, occupied)
    return free


@kernel
def walls(cells: int) -> int:
    """The cells of the frame that are wall around these, whose box lies at row 1, column 1."""
    wall = 0
    if cells & WALL_ROW != 0:
        wall |= ROW_WALLS
    if cells & WALL_COLUMN != 0:
        wall |= COLUMN_WALLS
    return wall


@kernel
def settle(plan: Any, board: Any) -> None:
    """Move the frame so that the box lies at row 1, column 1; then look at both bosses."""
    cells = board[RED_CELLS] | board[RED_CELLS + 1]
    shift = 9 - 8 * plan[LOWEST + rows_of(cells)] - plan[LOWEST + columns_of(cells)]
    if shift != 0:
        for dove in range(DOVE, DOVE + 12):
            if board[dove] >= 0:
                board[dove] += shift
        for side in range(RED_CELLS, RED_CELLS + 2):
            if shift > 0:
                board[side] <<= shift
            else:
                board[side] >>= -shift
        cells = board[RED_CELLS] | board[RED_CELLS + 1]
    air = FRAME & ~(cells | walls(cells))
    ended = 0
    if edge(1 << board[DOVE]) & air == 0:
        ended = RED_SURROUNDED
    if edge(1 << board[DOVE + 1]) & air == 0:
        ended += GREEN_SURROUNDED
    board[ENDED] = ended


@kernel
def act(plan: Any, board: Any, code: int) -> None:
    """Do a legal action and judge it; what was faced is the caller's to note."""
    mover = board[MOVER]
    if code >= REMOVES:
        dove = 2 * (code - REMOVES) + mover
        board[RED_CELLS + mover] ^= 1 << board[DOVE + dove]
        board[DOVE + dove] = -1
        board[PRESENT] ^= 1 << (11 - dove)
    else:
        cell = code % CELLS
        place = cell + 2 * (cell // 6)
        if code < MOVES:
            dove = 2 * (code // CELLS) + mover
            board[PRESENT] |= 1 << (11 - dove)
            board[RED_CELLS + mover] |= 1 << place
        else:
            dove = 2 * ((code - MOVES) // CELLS) + mover
            board[RED_CELLS + mover] ^= (1 << board[DOVE + dove]) | (1 << place)
        board[DOVE + dove] = place
    board[MOVER] = 1 - mover
    board[PLIES] += 1
    board[BARRED] = 0
    settle(plan, board)


@kernel
def barring(plan: Any, board: Any, code: int, dove: int, to: int, asked: int) -> int:
    """The rule that bars an action, of those asked, or 0; `dove` comes to place `to`, −1: hand."""
    if asked & BY_CLAIM != 0:
        for i in range(BARS, BARS + board[BARRED]):
            if board[i] == code:
                return BY_CLAIM
    if asked & BY_INITIAL != 0:
        red = to if dove == 0 else board[DOVE]
        green = to if dove == 1 else board[DOVE + 1]
        apart = abs((red >> 3) - (green >> 3)) + abs((red & 7) - (green & 7))
        if apart == 1:
            return BY_INITIAL
    if asked & BY_REPETITION != 0:
        key = key_of(board, dove, to, 1 - board[MOVER], plan[REPEAT] == STRONG)
        for i in range(FACES, FACES + board[FACED]):
            if board[i] == key:
                return BY_REPETITION
    return 0


@kernel
def recurring(plan: Any, board: Any) -> int:
    """Who would have to come or go for a position that the other side has faced.

    One bit a dove as in PRESENT; bit 12: such a position has the doves that are there now.
    """
    found = 0
    if plan[REPEAT] < NORMAL:
        return found
    theirs = board[PRESENT] | ((1 - board[MOVER]) << 12)
    for i in range(FACES, FACES + board[FACED]):
        differ = (board[i] >> 48) ^ theirs
        if differ == 0:
            found |= 1 << 12
        elif differ & (differ - 1) == 0 and differ < 1 << 12:
            found |= differ
    return found


@kernel
def generate(plan: Any, board: Any, out: Any, enough: int) -> int:
    """Write the mover's actions into `out` until there are `enough`; returns how many."""
    n = 0
    if board[ENDED] != 0:
        return 0
    mover = board[MOVER]
    occupied = board[RED_CELLS] | board[RED_CELLS + 1]
    present = board[PRESENT]
    repeats = recurring(plan, board)
    always = BY_CLAIM if board[BARRED] != 0 else 0
    free = homes(plan, board, mover)
    for kind in range(1, 6):
        dove = 2 * kind + mover
        if board[DOVE + dove] >= 0:
            continue
        asked = always | (repeats >> (11 - dove)) & 1
        left = free
        while left != 0:
            bit = left & -left
            left ^= bit
            to = plan[PLACE + bit % 53]
            code = kind * CELLS + to - 2 * (to >> 3)
            if asked == 0 or barring(plan, board, code, dove, to, asked) == 0:
                out[n] = code
                n += 1
                if n == enough:
                    return n
    asked = always | repeats >> 12
    if present == ONLY_BOSSES and plan[NO_INITIAL] != 0:
        asked |= BY_INITIAL
    for kind in range(6):
        dove = 2 * kind + mover
        place = board[DOVE + dove]
        if place < 0:
            continue
        left = targets(plan, occupied & ~(1 << place), kind, place)
        while left != 0:
            bit = left & -left
            left ^= bit
            to = plan[PLACE + bit % 53]
            code = MOVES + kind * CELLS + to - 2 * (to >> 3)
            if asked == 0 or barring(plan, board, code, dove, to, asked) == 0:
                out[n] = code
                n += 1
                if n == enough:
                    return n
    if plan[REMOVE] == 0:
        return n
    for kind in range(1, 6):
        dove = 2 * kind + mover
        place = board[DOVE + dove]
        if place < 0:
            continue
        rest = occupied & ~(1 << place)
        if rest & ~near(rest) != 0:
            continue
        asked = always | (repeats >> (11 - dove)) & 1
        if present ^ (1 << (11 - dove)) == ONLY_BOSSES and plan[NO_INITIAL] != 0:
            asked |= BY_INITIAL
        code = REMOVES + kind
        if asked == 0 or barring(plan, board, code, dove, -1, asked) == 0:
            out[n] = code
            n += 1
            if n == enough:
                return n
    return n

"""The kernels that fill a table of Tokyo Doves (`doves_tables`): places, steps back, waves."""

from __future__ import annotations

from typing import Any

from lumiban.games.doves.kernel import (
    BOTH,
    CELLS,
    DOVE,
    ENDED,
    GREEN_SURROUNDED,
    LOSES,
    MOST,
    MOVER,
    MOVES,
    ONLY_BOSSES,
    PLACE,
    PRESENT,
    RED_CELLS,
    RED_SURROUNDED,
    REMOVE,
    REMOVES,
    WINS,
    act,
    edge,
    fitting,
    generate,
    key_of,
    near,
    settle,
    targets,
)
from lumiban.games.kernel import kernel

NOTHING, OPEN, ASKED, DRAWN, WON, LOST = 0, 1, 2, 3, 6, 7
"""What a byte says. WON and LOST are positions at their end; 2·d more: in d plies. ASKED is open
and may be lost; DRAWN is an end that neither side wins."""
UNLED = 128
"""Added to what a byte says where no position of a game leads there."""


@kernel
def few(bits: int) -> int:
    """How many of 16 bits are set."""
    bits -= (bits >> 1) & 0x5555
    bits = (bits & 0x3333) + ((bits >> 2) & 0x3333)
    bits = (bits + (bits >> 4)) & 0x0F0F
    return (bits + (bits >> 8)) & 0x1F


@kernel
def swap(board: Any) -> None:
    """Change the colours, so that the other side is to move."""
    for dove in range(DOVE, DOVE + 12, 2):
        red = board[dove]
        board[dove] = board[dove + 1]
        board[dove + 1] = red
    red = board[RED_CELLS]
    board[RED_CELLS] = board[RED_CELLS + 1]
    board[RED_CELLS + 1] = red
    present = board[PRESENT]
    board[PRESENT] = ((present & 0x555) << 1) | ((present >> 1) & 0x555)
    board[MOVER] = 1 - board[MOVER]


@kernel
def slot(offsets: Any, board: Any) -> int:
    """The place in the table of a board with Red to move."""
    key = key_of(board, -1, -1, 0, True)
    taken, at, room = 0, 0, 16
    for dove in range(12):
        if (key >> (59 - dove)) & 1 != 0:
            cell = (key >> (44 - 4 * dove)) & 15
            at = at * room + cell - few(taken & ((1 << cell) - 1))
            taken |= 1 << cell
            room -= 1
    place: int = offsets[board[PRESENT]] + at
    return place


@kernel
def fill(board: Any, present: int, cells: int) -> None:
    """Set these doves on their cells, Red to move."""
    board[MOVER] = 0
    board[PRESENT] = present
    board[RED_CELLS] = 0
    board[RED_CELLS + 1] = 0
    for dove in range(12):
        board[DOVE + dove] = -1
        if (present >> (11 - dove)) & 1 != 0:
            cell = (cells >> (44 - 4 * dove)) & 15
            place = 9 + cell + 4 * (cell >> 2)
            board[DOVE + dove] = place
            board[RED_CELLS + (dove & 1)] |= 1 << place


@kernel
def cells_at(plan: Any, present: int, at: int) -> int:
    """The cell (4·row + column) of each dove, four bits each as in a key, at a place in the table.

    The place counts from where these doves begin.
    """
    room = 17
    for dove in range(12):
        room -= (present >> (11 - dove)) & 1
    digits = 0
    for dove in range(11, -1, -1):
        if (present >> (11 - dove)) & 1 != 0:
            digits |= at % room << (44 - 4 * dove)
            at //= room
            room += 1
    free, cells = 0xFFFF, 0
    for dove in range(12):
        if (present >> (11 - dove)) & 1 != 0:
            left = free
            for _ in range((digits >> (44 - 4 * dove)) & 15):
                left &= left - 1
            bit = left & -left
            free ^= bit
            cells |= plan[PLACE + bit % 53] << (44 - 4 * dove)
    return cells


@kernel
def unpack(plan: Any, board: Any, present: int, at: int) -> None:
    """Set up the board of a place in the table, counted from where its doves begin."""
    fill(board, present, cells_at(plan, present, at))
    settle(plan, board)


@kernel
def ending(plan: Any, board: Any) -> int:
    """What the byte of a board with Red to move says before anything is searched."""
    ended = board[ENDED]
    if ended == 0:
        return OPEN
    if ended == RED_SURROUNDED:
        return LOST
    if ended == GREEN_SURROUNDED or plan[BOTH] == LOSES:
        return WON
    return LOST if plan[BOTH] == WINS else DRAWN


def list_all(
    plan: Any, board: Any, table: Any, offset: int, present: int, room: int, start: int, end: int
) -> None:
    """Mark the positions among the places `start` to `end` of those with these doves.

    `room` is how many cells the last dove may stand on; start and end are multiples of it.
    """
    last = 11
    while (present >> (11 - last)) & 1 == 0:
        last -= 1
    others = present ^ (1 << (11 - last))
    for first in range(start, end, room):
        cells = cells_at(plan, others, first // room)
        taken = 0
        for dove in range(last):
            if (others >> (11 - dove)) & 1 != 0:
                taken |= 1 << ((cells >> (44 - 4 * dove)) & 15)
        boss = (cells >> 44) & 15
        middle = boss == 0 or boss == 1 or boss == 5
        at = offset + first - 1
        for cell in range(16):
            if (taken >> cell) & 1 != 0:
                continue
            at += 1
            box = taken | (1 << cell)
            if box & 0x000F == 0 or box & 0x1111 == 0:
                continue
            # In a full box the least key has the boss on one of three cells.
            if box & 0xF000 != 0 and box & 0x8888 != 0 and not middle:
                continue
            whole = cells | (cell << (44 - 4 * last))
            fill(board, present, whole)
            occupied = board[RED_CELLS] | board[RED_CELLS + 1]
            if occupied & ~near(occupied) != 0:
                continue
            if key_of(board, -1, -1, 0, True) & 0xFFFFFFFFFFFF != whole:
                continue
            settle(plan, board)
            table[at] = ending(plan, board)


@kernel
def before(plan: Any, board: Any, kinds: int, out: Any) -> int:
    """Actions of Green's that undo what Green may have done last, Red being to move."""
    n = 0
    green = board[RED_CELLS + 1]
    occupied = board[RED_CELLS] | green
    boss = edge(1 << board[DOVE])
    free = near(occupied) & fitting(plan, occupied) & ~occupied
    for kind in range(6):
        place = board[DOVE + 2 * kind + 1]
        if place < 0:
            if (kinds >> kind) & 1 != 0 and plan[REMOVE] != 0:
                left = free
                while left != 0:
                    bit = left & -left
                    left ^= bit
                    to = plan[PLACE + bit % 53]
                    out[n] = kind * CELLS + to - 2 * (to >> 3)
                    n += 1
            continue
        bit = 1 << place
        rest = occupied & ~bit
        if kind > 0 and rest & ~near(rest) == 0 and near(green & ~bit) & bit & ~boss != 0:
            out[n] = REMOVES + kind
            n += 1
        left = targets(plan, rest, kind, place)
        while left != 0:
            bit = left & -left
            left ^= bit
            to = plan[PLACE + bit % 53]
            out[n] = MOVES + kind * CELLS + to - 2 * (to >> 3)
            n += 1
    return n


def spread_out(
    plan: Any, board: Any, other: Any, out: Any, table: Any, offsets: Any, kinds: int,
    present: int, distance: int, start: int, end: int,
) -> int:  # fmt: skip
    """Tell those before each position of `start` to `end` that is decided in this distance.

    Returns how many positions there are to be asked now.
    """
    asked = 0
    offset = offsets[present]
    won, lost = WON + 2 * distance, LOST + 2 * distance
    size = len(board)
    for at in range(start, end):
        said = table[offset + at]
        if said != won and said != lost:
            continue
        unpack(plan, board, present, at)
        board[MOVER] = 1
        for i in range(before(plan, board, kinds, out)):
            other[:size] = board[:size]
            act(plan, other, out[i])
            swap(other)
            there = slot(offsets, other)
            known = table[there]
            if known != OPEN and known != ASKED:
                continue
            if said == lost:
                table[there] = won + 2
            elif known == OPEN:
                table[there] = ASKED
                asked += 1
    return asked


def ask(
    plan: Any, board: Any, other: Any, out: Any, table: Any, offsets: Any, kinds: int,
    present: int, start: int, end: int,
) -> int:  # fmt: skip
    """Look whether the positions asked are lost; returns how many are."""
    found = 0
    offset = offsets[present]
    size = len(board)
    for at in range(start, end):
        if table[offset + at] != ASKED:
            continue
        unpack(plan, board, present, at)
        longest = 0
        for i in range(generate(plan, board, out, MOST)):
            if out[i] < MOVES and (kinds >> (out[i] // CELLS)) & 1 == 0:
                continue
            other[:size] = board[:size]
            act(plan, other, out[i])
            swap(other)
            said = table[slot(offsets, other)]
            if said < WON or said & 1 != 0:
                longest = -1
                break
            longest = max(longest, (said - WON) >> 1)
        if longest < 0:
            table[offset + at] = OPEN
        else:
            table[offset + at] = LOST + 2 * (longest + 1)
            found += 1
    return found


def find_unled(
    plan: Any, board: Any, other: Any, out: Any, table: Any, offsets: Any, kinds: int,
    present: int, start: int, end: int, found: Any,
) -> None:  # fmt: skip
    """Mark the positions that nothing leads to; list in `found` (its length first) those that
    go on, since what they lead to may be the next."""
    offset = offsets[present]
    size = len(board)
    for at in range(start, end):
        said = table[offset + at]
        if said == NOTHING or said >= UNLED or present == ONLY_BOSSES:
            continue
        unpack(plan, board, present, at)
        board[MOVER] = 1
        led = False
        for i in range(before(plan, board, kinds, out)):
            other[:size] = board[:size]
            act(plan, other, out[i])
            swap(other)
            known = table[slot(offsets, other)]
            if known == OPEN or (known > LOST and known < UNLED):
                led = True
                break
        if led:
            continue
        table[offset + at] = said + UNLED
        if said == OPEN or said > LOST:
            found[0] += 1
            if found[0] < len(found):
                found[found[0]] = offset + at


def count(table: Any, totals: Any, start: int, end: int) -> None:
    """Count what the bytes say."""
    for at in range(start, end):
        totals[table[at]] += 1

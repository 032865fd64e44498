"""Random games of Evening played in words: sets of cells with one bit each.

The trailing side places evenly at random among its cells until it has none. It is for boards of
one word and cells that see groups or neighbours. The lean of a cell is a number of seven bits in
two's complement, which lie in seven sets, so that a group that grows changes the lean of all cells
around it at once. Around a group: all cells next to its stones, occupied or not.

These games use up the State's board: its roots become links towards the root.
"""

from __future__ import annotations

from typing import Any

from lumiban.games.bits import member, shift
from lumiban.games.evening.plan import (
    AHEAD,
    BY_STONES,
    CELLS,
    GROUPS,
    LARGEST,
    LOOKS,
    MARK,
    NEAR,
    ODD_EVEN,
    PLANES,
    STONE,
    STONES,
    TURNLESS,
)
from lumiban.games.groups import first_difference
from lumiban.games.kernel import below, kernel


@kernel
def root_of(board: Any, root: int, c: int) -> int:
    """The root of a stone's group by links, which it shortens."""
    up = board[root + c]
    while up != c:
        further = board[root + up]
        board[root + c] = further
        c = further
        up = board[root + c]
    return c


@kernel
def lay_out(plan: Any, board: Any, scratch: Any) -> None:
    """Bring what lies around each group, and the lean of all cells, into words."""
    cells = plan[CELLS]
    words = NEAR + 8 * cells + 2
    front = MARK + cells
    plane = MARK + 2 * cells
    for i in range(front, plane + PLANES):
        scratch[i] = 0
    for c in range(cells):
        if board[STONE + c] != 0:
            scratch[front + board[STONE + 2 * cells + c]] |= plan[words + c]
        lean = board[STONE + cells + c]
        if lean != 0:
            for b in range(PLANES):
                scratch[plane + b] |= ((lean >> b) & 1) << c


@kernel
def in_one_word(plan: Any, board: Any, scratch: Any, rng: Any, trace: Any) -> int:
    """A random game from a board with stones to the end; the outcome's code."""
    cells = plan[CELLS]
    groups = plan[LOOKS] == GROUPS
    words = NEAR + 8 * cells + 2
    front = MARK + cells
    plane = MARK + 2 * cells
    root = STONE + 2 * cells
    size = STONE + 4 * cells
    count = STONE + 5 * cells
    lay_out(plan, board, scratch)
    empty = 0
    for c in range(cells):
        if board[STONE + c] == 0:
            empty |= 1 << c
    n = trace[0]
    largest = board[LARGEST]
    ahead = board[AHEAD]
    stones = board[STONES]
    while True:
        lead = ahead
        if plan[BY_STONES] == 0:
            lead = first_difference(board, count, largest)
        if lead == 0:
            lead = 1 if plan[ODD_EVEN] != 0 and (stones >> 1) & 1 != 0 else -1
        # The trailing side's stones count as +1 for White, −1 for Black.
        me = -1 if lead > 0 else 1
        minus = scratch[plane + PLANES - 1]
        if me > 0:
            x = empty & minus
        else:
            some = 0
            for b in range(plane, plane + PLANES - 1):
                some |= scratch[b]
            x = empty & some & ~minus
        if x == 0:
            break
        pairs = x - ((x >> 1) & 0x5555555555555555)
        quads = (pairs & 0x3333333333333333) + ((pairs >> 2) & 0x3333333333333333)
        sums = ((quads + (quads >> 4)) & 0x0F0F0F0F0F0F0F0F) * 0x0101010101010101
        sums &= 0x7FFFFFFFFFFFFFFF
        at = member(x, pairs, quads, sums, below(rng, sums >> 56))
        n += 1
        trace[n] = at if me > 0 else at + cells
        empty ^= 1 << at
        turn = 0 if me > 0 else -1
        board[STONE + at] = me
        stones += 1
        ahead += me
        around = plan[words + at]
        if not groups:
            shift(scratch, plane, PLANES, around, 1, turn)
        board[root + at] = at
        board[size + at] = 1
        total = 1
        top = at
        for k in range(NEAR + 6 * at, NEAR + 6 * at + 6):
            j = plan[k]
            if j >= 0 and board[STONE + j] == me:
                r = root_of(board, root, j)
                if r != top:
                    s = board[size + r]
                    board[count + s] -= me
                    if groups:
                        shift(scratch, plane, PLANES, scratch[front + r], s, -1 - turn)
                    around |= scratch[front + r]
                    total += s
                    if s > board[size + top]:
                        board[root + top] = r
                        top = r
                    else:
                        board[root + r] = top
        board[size + top] = total
        board[count + total] += me
        scratch[front + top] = around
        if total > largest:
            largest = total
        if groups:
            shift(scratch, plane, PLANES, around, total, turn)
    if plan[TURNLESS] != 0:
        # The leader has won by standing, if it does not stand by rule.
        some = 0
        for b in range(plane, plane + PLANES):
            some |= scratch[b]
        x = empty & some & (minus if me < 0 else ~minus)
        if x != 0:
            n += 1
            trace[n] = 2 * cells + (1 if me > 0 else 0)
    trace[0] = n
    code: int = 1 if me < 0 else 2
    return code

"""A position of Tokyo Doves as one exact number, wherever it lies and, if wanted, however turned.

From bit 59 down who is on the board, by dove; from bit 47 down four bits a dove, its cell in the
box (4·row + column; 0 in hand). Bit 60 is set when Green is to move. Of the eight numbers that
turning and mirroring give, the smallest stands for all; colours are never swapped.
"""

from __future__ import annotations

from typing import Any

from lumiban.games.doves.plan import DOVE
from lumiban.games.kernel import kernel


@kernel
def key_of(board: Any, changed: int, to: int, mover: int, turned: bool) -> int:
    """The key of the board when dove `changed` were at place `to` (−1: nowhere, in hand).

    With −1 for `changed` it is that of the board as it is. `turned`: the same for all eight ways
    to turn and mirror it.
    """
    top, left, bottom, right = 9, 9, -1, -1
    head = mover << 60
    rows = columns = here = 0
    for dove in range(12):
        place = board[DOVE + dove]
        if dove == changed:
            place = to
        if place >= 0:
            row, column = place >> 3, place & 7
            top = min(top, row)
            bottom = max(bottom, row)
            left = min(left, column)
            right = max(right, column)
            head |= 1 << (59 - dove)
            bit = 1 << (44 - 4 * dove)
            here |= bit
            rows += row * bit
            columns += column * bit
    # All doves at once from here on, four bits each.
    rows -= top * here
    columns -= left * here
    least = (rows << 2) | columns
    if turned:
        below = (bottom - top) * here - rows
        beyond = (right - left) * here - columns
        least = min(least, (below << 2) | columns)
        least = min(least, (rows << 2) | beyond)
        least = min(least, (below << 2) | beyond)
        least = min(least, (columns << 2) | rows)
        least = min(least, (columns << 2) | below)
        least = min(least, (beyond << 2) | rows)
        least = min(least, (beyond << 2) | below)
    return head | least


def doves_of(key: int) -> tuple[int, ...]:
    """The doves of a key that was not turned, as places in the frame (−1 in hand)."""
    return tuple(
        8 * (1 + (key >> (46 - 4 * dove) & 3)) + 1 + (key >> (44 - 4 * dove) & 3)
        if key >> (59 - dove) & 1
        else -1
        for dove in range(12)
    )

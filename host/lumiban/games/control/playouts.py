"""Random games of Control under adjacency, played in words: sets of cells with one bit each.

The lean of a cell is a number of four bits in two's complement. Its bits lie in four sets, ones,
twos, fours and minus, so that a move changes the lean of all its neighbours at once. A board of
up to 61 cells takes one word for each set, the largest three. Every move is chosen evenly among
all; the games begin on a board with stones and leave the State's board as it is.
"""

from __future__ import annotations

from typing import Any

from lumiban.games.bits import WORD, member
from lumiban.games.control.plan import ACTIONS, CELLS, LEFT, MOVER, NEAR, STONE
from lumiban.games.kernel import below, kernel

# The record of one word: stones, bits of the lean, the cells open to the mover and their number.
WHITES, BLACKS, ONES, TWOS, FOURS, MINUS, OPEN, COUNT = 0, 1, 2, 3, 4, 5, 6, 7
RECORD = 8


@kernel
def in_one_word(plan: Any, board: Any, rng: Any, trace: Any) -> int:
    """A random game on a board with stones, of at most 61 cells; the outcome's code."""
    cells = plan[CELLS]
    actions = plan[ACTIONS]
    ring = NEAR + 9 * cells + 2
    every = (1 << cells) - 1
    white, black, ones, twos, fours, minus = 0, 0, 0, 0, 0, 0
    for c in range(cells):
        stone = board[STONE + c]
        if stone != 0:
            black |= ((stone >> 1) & 1) << c
            white |= ((stone + 1) >> 1) << c
        lean = board[STONE + cells + c]
        if lean != 0:
            ones |= (lean & 1) << c
            twos |= ((lean >> 1) & 1) << c
            fours |= ((lean >> 2) & 1) << c
            minus |= ((lean >> 3) & 1) << c
    mover = board[MOVER]
    left = board[LEFT]
    n = trace[0]
    while True:
        empty = every & ~(white | black)
        some = ones | twos | fours
        if mover == 0:
            x = (empty | (black & some)) & ~minus
        else:
            x = (white & minus) | (empty & (minus | ~some))
        if x == 0:
            break
        pairs = x - ((x >> 1) & 0x5555555555555555)
        quads = (pairs & 0x3333333333333333) + ((pairs >> 2) & 0x3333333333333333)
        sums = ((quads + (quads >> 4)) & 0x0F0F0F0F0F0F0F0F) * 0x0101010101010101
        sums &= 0x7FFFFFFFFFFFFFFF
        at = member(x, pairs, quads, sums, below(rng, sums >> 56))
        n += 1
        trace[n] = at
        carry = plan[ring + at]
        if mover == 0:
            if (black >> at) & 1 != 0:
                black ^= 1 << at
                trace[n] = at + cells
            else:
                white |= 1 << at
            ones ^= carry
            carry &= ~ones
            twos ^= carry
            carry &= ~twos
            fours ^= carry
            minus ^= carry & ~fours
        else:
            if (white >> at) & 1 != 0:
                white ^= 1 << at
                trace[n] = at + cells
            else:
                black |= 1 << at
            ones ^= carry
            carry &= ones
            twos ^= carry
            carry &= twos
            fours ^= carry
            minus ^= carry & fours
        left -= 1
        if left == 0:
            mover = 1 - mover
            left = actions
    trace[0] = n
    code: int = 2 - mover
    return code


@kernel
def fill(cells: int, board: Any, words: Any) -> None:
    """Bring the stones and the lean of a board into words."""
    w = 0
    for first in range(0, cells, WORD):
        white, black, ones, twos, fours, minus = 0, 0, 0, 0, 0, 0
        last = first + WORD
        for c in range(first, cells if cells < last else last):
            at = c - first
            stone = board[STONE + c]
            if stone != 0:
                black |= ((stone >> 1) & 1) << at
                white |= ((stone + 1) >> 1) << at
            lean = board[STONE + cells + c]
            if lean != 0:
                ones |= (lean & 1) << at
                twos |= ((lean >> 1) & 1) << at
                fours |= ((lean >> 2) & 1) << at
                minus |= ((lean >> 3) & 1) << at
        words[w + WHITES] = white
        words[w + BLACKS] = black
        words[w + ONES] = ones
        words[w + TWOS] = twos
        words[w + FOURS] = fours
        words[w + MINUS] = minus
        w += RECORD


@kernel
def in_words(plan: Any, board: Any, words: Any, rng: Any, trace: Any) -> int:
    """The same on a board of any size; `words` is scratch, a record for each word."""
    cells = plan[CELLS]
    actions = plan[ACTIONS]
    end = (cells + WORD - 1) // WORD * RECORD
    ring = NEAR + 9 * cells + 2
    mover = board[MOVER]
    left = board[LEFT]
    n = trace[0]
    fill(cells, board, words)
    while True:
        total = 0
        room = cells
        for w in range(0, end, RECORD):
            every = (1 << (room if room < WORD else WORD)) - 1
            room -= WORD
            empty = every & ~(words[w + WHITES] | words[w + BLACKS])
            some = words[w + ONES] | words[w + TWOS] | words[w + FOURS]
            minus = words[w + MINUS]
            if mover == 0:
                x = (empty | (words[w + BLACKS] & some)) & ~minus
            else:
                x = (words[w + WHITES] & minus) | (empty & (minus | ~some))
            pairs = x - ((x >> 1) & 0x5555555555555555)
            quads = (pairs & 0x3333333333333333) + ((pairs >> 2) & 0x3333333333333333)
            sums = ((quads + (quads >> 4)) & 0x0F0F0F0F0F0F0F0F) * 0x0101010101010101
            count = (sums >> 56) & 0xFF
            words[w + OPEN] = x
            words[w + COUNT] = count
            total += count
        if total == 0:
            break
        k = below(rng, total)
        w = 0
        while k >= words[w + COUNT]:
            k -= words[w + COUNT]
            w += RECORD
        x = words[w + OPEN]
        pairs = x - ((x >> 1) & 0x5555555555555555)
        quads = (pairs & 0x3333333333333333) + ((pairs >> 2) & 0x3333333333333333)
        sums = ((quads + (quads >> 4)) & 0x0F0F0F0F0F0F0F0F) * 0x0101010101010101
        at = member(x, pairs, quads, sums & 0x7FFFFFFFFFFFFFFF, k)
        c = (w // RECORD) * WORD + at
        n += 1
        theirs = w + BLACKS - mover
        if (words[theirs] >> at) & 1 != 0:
            words[theirs] ^= 1 << at
            trace[n] = c + cells
        else:
            words[w + WHITES + mover] |= 1 << at
            trace[n] = c
        first = ring + c * (end // RECORD)
        for w in range(0, end, RECORD):
            carry = plan[first]
            first += 1
            if carry != 0:
                # With the sign turned, one less is one more.
                turn = -mover
                words[w + ONES] ^= carry
                carry &= ~words[w + ONES] ^ turn
                words[w + TWOS] ^= carry
                carry &= ~words[w + TWOS] ^ turn
                words[w + FOURS] ^= carry
                words[w + MINUS] ^= carry & (~words[w + FOURS] ^ turn)
        left -= 1
        if left == 0:
            mover = 1 - mover
            left = actions
    trace[0] = n
    code: int = 2 - mover
    return code

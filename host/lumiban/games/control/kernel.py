"""Control's kernel: the rules on flat int arrays, one text for CPython and for the compiler.

A State lies in three arrays. The constant one, the plan, tells the rules and the geometry: the
number of cells, actions a turn, 1 for sight; then by cell its six neighbours in the order of
directions (−1 where the board ends), 1 where the first stone may go, the set of its neighbours as a
word with one bit a cell (boards up to 61 cells); at last the keys of each white stone, each black
stone, Black's turn and a turn half done.

The board tells the position: mover, actions left in the turn, stones, key, positions faced, how it
is drawn; by cell +1 for White, −1 for Black, 0 when empty; by cell its *lean*, the white minus the
black stones that it sees; under sight the keys of the positions faced.

A move is a cell number for a placement, the number of cells plus the cell for a removal. Either way
the mover gains one: a stone more of their own or one less of the enemy's, so that every cell that
sees it leans one towards them.

Random games under adjacency are played in words: sets of cells with one bit each. The lean of a
cell is then a number of four bits in two's complement. Its bits lie in four sets, ones, twos, fours
and minus, so that a move changes the lean of all its neighbours at once. A board of up to 61 cells
takes one word for each set, the largest three. Every move is chosen evenly among all; the games
begin on a board with stones and leave the State's board as it is.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Any, NamedTuple

from lumiban.games.kernel import (
    WORD,
    copy_words,
    hash_table,
    kernel,
    leaning,
    member,
    popcount,
    randint_below,
    sway,
)
from lumiban.grid import hexagon

# Places in the plan.
CELLS, ACTIONS, SIGHT = 0, 1, 2
NEIGHBOURS = 3
"""Index at which the neighbours begin; the rest follows at multiples of the number of cells."""

# Places in the board.
MOVER, LEFT, STONES, KEY, FACED, DRAWN = 0, 1, 2, 3, 4, 5
STONE = 6
"""Index at which the stones begin; the lean and the positions faced follow."""

REPEATED, FORGOTTEN = 1, 2
"""Values of `DRAWN`: a position came again; or there was no room to remember another."""

ROOM = 1024
"""Positions that a State under sight can face beyond those of the game so far."""


@lru_cache(maxsize=32)
def plan_of(side: int, *, perimeter: bool, actions: int, sight: bool) -> list[int]:
    """The plan for a hexagon with `side` cells an edge; shared by all its States, never changed.

    `perimeter` keeps the first stone to the perimeter, `actions` make a turn.
    """
    grid = hexagon(side)
    cells = len(grid)
    first = set(grid.perimeter) if perimeter else set(range(cells))
    return [
        cells,
        actions,
        int(sight),
        *(near for row in grid.steps for near in row),
        *(int(cell in first) for cell in range(cells)),
        *hash_table(2 * cells + 2, 0xC0117801 + side),
        *(
            sum(1 << (near - first) for near in row if 0 <= near - first < WORD)
            for row in grid.neighbours
            for first in range(0, cells, WORD)
        ),
    ]


def board_of(
    plan: Sequence[int],
    stones: Sequence[int],
    mover: int,
    left: int,
    faced: Sequence[int] = (),
) -> list[int]:
    """The board with these stones; `faced` are the keys of the positions before (sight only)."""
    cells = plan[CELLS]
    hashes = plan[NEIGHBOURS + 7 * cells :]
    key = 0
    for cell, stone in enumerate(stones):
        if stone:
            key ^= hashes[cell if stone > 0 else cells + cell]
    if mover == 1:
        key ^= hashes[2 * cells]
    if left < plan[ACTIONS]:
        key ^= hashes[2 * cells + 1]
    known = [*faced, key] if plan[SIGHT] else []
    return [
        mover,
        left,
        cells - stones.count(0),
        key,
        len(known),
        REPEATED if key in faced else 0,
        *stones,
        *leaning(plan, NEIGHBOURS, stones, sight=plan[SIGHT] != 0),
        *known,
        *([0] * ROOM if plan[SIGHT] else ()),
    ]


class ControlState(NamedTuple):
    """One position of Control. Few arrays, since compiled calls pay for each of them."""

    plan: Any
    """Constant: rules and geometry."""
    board: Any
    """The position."""
    scratch: Any
    """Used by `playout`; holds nothing between calls."""

    def assign(self, other: Any) -> None:
        """Become a copy of `other`, a State of the same game."""
        used = STONE + 2 * self.plan[CELLS] + other.board[FACED]
        copy_words(self.board, other.board, 0, used)

    def mover(self) -> int:
        """The side to move."""
        side: int = self.board[MOVER]
        return side

    def moves(self, out: Any) -> int:
        """Write all moves into `out`, by cell number, and return how many there are."""
        board = self.board
        cells = self.plan[CELLS]
        n = 0
        if board[DRAWN] != 0:
            return 0
        if board[STONES] == 0:
            first = NEIGHBOURS + 6 * cells
            for c in range(cells):
                if self.plan[first + c] != 0:
                    out[n] = c
                    n += 1
            return n
        me = 1 - 2 * board[MOVER]
        lean = STONE + cells
        for c in range(cells):
            own = board[STONE + c] * me
            if own == 0:
                if board[lean + c] * me >= 0:
                    out[n] = c
                    n += 1
            elif own < 0 and board[lean + c] * me > 0:
                out[n] = cells + c
                n += 1
        return n

    def play(self, move: int) -> None:
        """Make a legal move."""
        plan = self.plan
        board = self.board
        cells = plan[CELLS]
        mover = board[MOVER]
        me = 1 - 2 * mover
        hashes = NEIGHBOURS + 7 * cells
        if move < cells:
            c = move
            board[STONE + c] = me
            board[STONES] += 1
            key = board[KEY] ^ plan[hashes + cells * mover + c]
        else:
            c = move - cells
            board[STONE + c] = 0
            board[STONES] -= 1
            key = board[KEY] ^ plan[hashes + cells * (1 - mover) + c]
        if plan[SIGHT] != 0:
            sway(plan, NEIGHBOURS, board, STONE, STONE + cells, c, me)
        else:
            lean = STONE + cells
            for k in range(NEIGHBOURS + 6 * c, NEIGHBOURS + 6 * c + 6):
                j = plan[k]
                if j >= 0:
                    board[lean + j] += me
        left = board[LEFT] - 1
        if plan[ACTIONS] != 1:
            # A turn half done has a key of its own: it goes in with the first action of two.
            key ^= plan[hashes + 2 * cells + 1]
        if left == 0:
            left = plan[ACTIONS]
            board[MOVER] = 1 - mover
            key ^= plan[hashes + 2 * cells]
        board[LEFT] = left
        board[KEY] = key
        if plan[SIGHT] != 0:
            face(plan, board)

    def outcome(self) -> int:
        """−1 while the game runs, 0 draw, 1 White has won, 2 Black; −2: no room to remember."""
        board = self.board
        if board[DRAWN] == REPEATED:
            return 0
        if board[DRAWN] == FORGOTTEN:
            return -2
        if board[STONES] == 0:
            return -1
        me = 1 - 2 * board[MOVER]
        cells = self.plan[CELLS]
        lean = STONE + cells
        for c in range(cells):
            own = board[STONE + c] * me
            if own == 0:
                if board[lean + c] * me >= 0:
                    return -1
            elif own < 0 and board[lean + c] * me > 0:
                return -1
        code: int = 2 - board[MOVER]
        return code

    def playout(self, rng: Any, trace: Any) -> int:
        """Play on at random to the end; the moves go to `trace`; returns the outcome's code.

        What the State holds afterwards is not defined: `assign` it anew.
        """
        sight = self.plan[SIGHT] != 0
        code: int
        while sight or self.board[STONES] == 0:
            n = self.moves(self.scratch)
            if n == 0:
                code = self.outcome()
                return code
            move = self.scratch[randint_below(rng, n)]
            trace[0] += 1
            trace[trace[0]] = move
            self.play(move)
        if self.plan[CELLS] <= WORD:
            code = in_one_word(self.plan, self.board, rng, trace)
        else:
            code = in_words(self.plan, self.board, self.scratch, rng, trace)
        return code

    def key(self) -> int:
        """A 63-bit hash of stones, mover and actions left."""
        hashed: int = self.board[KEY]
        return hashed


@kernel
def face(plan: Any, board: Any) -> None:
    """Remember the position just reached; a repetition ends the game, so does want of room."""
    first = STONE + 2 * plan[CELLS]
    end = first + board[FACED]
    key = board[KEY]
    for i in range(first, end):
        if board[i] == key:
            board[DRAWN] = REPEATED
            return
    if end == len(board):
        board[DRAWN] = FORGOTTEN
        return
    board[end] = key
    board[FACED] += 1


def fresh(
    side: int,
    stones: Sequence[int],
    mover: int,
    left: int,
    *,
    perimeter: bool = False,
    actions: int = 1,
    sight: bool = False,
    faced: Sequence[int] = (),
) -> ControlState:
    """A State with these stones (+1, −1, 0 a cell) on lists of ints.

    `left` of `actions` are still to do in the mover's turn; `perimeter` keeps the first stone to
    the perimeter; `faced` are the keys of the positions faced before this one (sight only).
    """
    plan = plan_of(side, perimeter=perimeter, actions=actions, sight=sight)
    board = board_of(plan, stones, mover, left, faced)
    return ControlState(plan, board, [0] * max(3 * RECORD, len(stones)))


# The record of one word: stones, bits of the lean, the cells open to the mover and their number.
WHITES, BLACKS, ONES, TWOS, FOURS, MINUS, OPEN, COUNT = 0, 1, 2, 3, 4, 5, 6, 7
RECORD = 8


@kernel
def in_one_word(plan: Any, board: Any, rng: Any, trace: Any) -> int:
    """A random game on a board with stones, of at most 61 cells; the outcome's code."""
    cells = plan[CELLS]
    actions = plan[ACTIONS]
    ring = NEIGHBOURS + 9 * cells + 2
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
        at = member(x, randint_below(rng, popcount(x)))
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
    ring = NEIGHBOURS + 9 * cells + 2
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
            count = popcount(x)
            words[w + OPEN] = x
            words[w + COUNT] = count
            total += count
        if total == 0:
            break
        k = randint_below(rng, total)
        w = 0
        while k >= words[w + COUNT]:
            k -= words[w + COUNT]
            w += RECORD
        at = member(words[w + OPEN], k)
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

"""Control's kernel: the rules on flat int arrays, one text for CPython and for the compiler.

A State lies in three arrays. The constant one, the plan, tells the rules and the geometry: the
number of cells, actions a turn, 1 for sight, 1 for a packed board; then by cell its six neighbours
in the order of directions (−1 where the board ends), 1 where the first stone may go; the keys of
each white stone, each black stone, Black's turn and a turn half done; at last, as words with one
bit a cell, by cell the set of its neighbours, and the cells where the first stone may go.

The board tells the position: mover, actions left in the turn, stones, key, positions faced, how it
is drawn; the words of a packed board; by cell +1 for White, −1 for Black, 0 when empty; by cell its
*lean*, the white minus the black stones that it sees; under sight the keys of the positions faced.

A move is a cell number for a placement, the number of cells plus the cell for a removal. Either way
the mover gains one: a stone more of their own or one less of the enemy's, so that every cell that
sees it leans one towards them.

Under adjacency moves are made in words: sets of cells with one bit each. The lean of a cell is
then a number of four bits in two's complement. Its bits lie in four sets, ones, twos, fours and
minus, so that a move changes the lean of all its neighbours at once. A board of up to 61 cells,
one word for each set, is *packed*: it holds these words, and no lean by cell. On larger ones, up to
three words, random games alone are played in words; beyond that, and under sight, cells are drawn
until one has a move. Every move is chosen evenly among all; games in words leave the State's board
as it is.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from functools import lru_cache
from typing import Any, NamedTuple

from lumiban.games.accelerated import Accelerator
from lumiban.games.grid_view import GridView
from lumiban.games.kernel import (
    WORD,
    advanced,
    below,
    copy_words,
    hash_table,
    inlined,
    kernel,
    leaning,
    member,
    popcount,
    randint_below,
    sway,
)
from lumiban.games.types import Move, SearchHints
from lumiban.grid import hexagon

# Places in the plan.
CELLS, ACTIONS, SIGHT, PACKED = 0, 1, 2, 3
NEIGHBOURS = 4
"""Index at which the neighbours begin; the rest follows at multiples of the number of cells."""

# Places in the board.
MOVER, LEFT, STONES, KEY, FACED, DRAWN = 0, 1, 2, 3, 4, 5
EMPTY, BLACKS, ONES, TWOS, FOURS, MINUS = 6, 7, 8, 9, 10, 11
"""Sets of cells, where the board is packed."""
STONE = 12
"""Index at which the stones begin; where it is not packed, the lean and the positions faced
follow."""

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
        int(cells <= WORD and not sight),
        *(near for row in grid.steps for near in row),
        *(int(cell in first) for cell in range(cells)),
        *hash_table(2 * cells + 2, 0xC0117801 + side),
        *(word for row in (*grid.neighbours, first) for word in words_of(row, cells)),
    ]


def words_of(few: Collection[int], cells: int) -> list[int]:
    """Cells as words, one bit each: one where the whole board is one word, else as many as
    `in_three_words` has."""
    ends = cells if cells <= WORD else 3 * WORD
    return [
        sum(1 << (cell - start) for cell in few if 0 <= cell - start < WORD)
        for start in range(0, ends, WORD)
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
    lean = leaning(plan, NEIGHBOURS, stones, sight=plan[SIGHT] != 0)
    return [
        mover,
        left,
        cells - stones.count(0),
        key,
        len(known),
        REPEATED if key in faced else 0,
        *(packed(stones, lean, 0, cells) if plan[PACKED] else [0] * 6),
        *stones,
        *([] if plan[PACKED] else lean),
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
        used = STONE + self.plan[CELLS]
        if self.plan[PACKED] == 0:
            used += self.plan[CELLS] + other.board[FACED]
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
        if self.plan[PACKED] != 0:
            x = open_cells(self.plan, board)
            while x != 0:
                c = member(x, 0)
                out[n] = c + (cells & ((board[EMPTY] >> c & 1) - 1))
                n += 1
                x &= x - 1
            return n
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
        if plan[PACKED] != 0:
            pack_move(plan, board, c)
        elif plan[SIGHT] != 0:
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
        code: int
        if self.plan[PACKED] != 0:
            code = -1 if open_cells(self.plan, board) != 0 else 2 - board[MOVER]
            return code
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
        code = 2 - board[MOVER]
        return code

    def playout(self, rng: Any, trace: Any) -> int:
        """Play on at random to the end; the moves go to `trace`; returns the outcome's code.

        What the State holds afterwards is not defined: `assign` it again.
        """
        code: int
        if self.plan[PACKED] != 0:
            code = in_one_word(self.plan, self.board, rng, trace)
            return code
        while self.plan[SIGHT] != 0 or self.plan[CELLS] > 3 * WORD:
            move = drawn(self.plan, self.board, rng)
            if move < 0:
                n = self.moves(self.scratch)
                if n == 0:
                    code = self.outcome()
                    return code
                move = self.scratch[randint_below(rng, n)]
            trace[0] += 1
            trace[trace[0]] = move
            self.play(move)
        code = in_three_words(self.plan, self.board, rng, trace)
        return code

    def key(self) -> int:
        """A 63-bit hash of stones, mover and actions left."""
        hashed: int = self.board[KEY]
        return hashed


@kernel
def drawn(plan: Any, board: Any, rng: Any) -> int:
    """A move, evenly among all: of cells that are drawn the first that has one; −1 after so
    long a row in vain that to list them costs less."""
    cells = plan[CELLS]
    me = 1 - 2 * board[MOVER]
    random = rng[0]
    tries = cells if board[STONES] != 0 and board[DRAWN] == 0 else 0
    move: int = -1
    while tries > 0 and move < 0:
        tries -= 1
        random = advanced(random)
        c = below(random, cells)
        own = board[STONE + c] * me
        # No stone and no enemy's control, or an enemy's stone and one's own control.
        if (own - 1) & ~(board[STONE + cells + c] * me + own) < 0:
            move = c + (cells & own)
    rng[0] = random
    return move


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
    return ControlState(plan, board, [0] * len(stones))


class ControlKernel(Accelerator):
    """The kernel of a game of Control."""

    stones_at = STONE

    def __init__(self, game: Any) -> None:
        self._sight, self._actions = game.sight, game.actions
        self._side = int(game.options["size"])
        perimeter = game.options["opening"] == "perimeter"
        self._rules = {"perimeter": perimeter, "actions": self._actions, "sight": self._sight}
        self._plan = plan_of(self._side, **self._rules)
        cells, keys = len(game.grid), NEIGHBOURS + 7 * len(game.grid)
        self.keys = tuple(self._plan[keys : keys + 2 * cells + 2])
        # At most one move a cell; a game's length is bounded by what grows in it. With E pairs of
        # adjacent cells, V lies within ±E and never falls; placing on a controlled cell and
        # removing raise it (2E times at most), and each placement on a neutral cell needs room for
        # a stone. Under sight the positions that a State can face set the bound.
        pairs = sum(len(near) for near in game.grid.neighbours) // 2
        self.capacity = cells, ROOM + 1 if self._sight else 4 * pairs + cells

    def state(self, board: GridView, history: Sequence[Move]) -> ControlState:
        """A State of this board, in a pie's opening of the stones set so far; under sight it knows
        the positions that were faced."""
        stones, left = [(1, -1, 0)[holds] for holds in board], board.left or 1
        faced = self._faced(stones, board.mover, left, history) if self._sight else []
        return fresh(self._side, stones, board.mover, left, faced=faced, **self._rules)

    def _faced(
        self, stones: Sequence[int], mover: int, left: int, history: Sequence[Move]
    ) -> list[int]:
        """The keys of the positions before this one, found by going back move by move."""
        back, keys = list(stones), list[int]()
        for move in reversed(history):
            if move.is_word:
                if move.text != "stop":
                    break
                continue
            cell = move.code % len(back)
            back[cell] = 0 if move.code < len(back) else 2 * move.side - 1
            mover, left = move.side, 1 if left == self._actions else left + 1
            keys.append(board_of(self._plan, back, mover, left)[KEY])
        return keys[::-1]

    def hints(self, board: GridView) -> SearchHints:
        """A stone is worth much the same a few moves later, which GRAVE makes use of."""
        late = self._actions - board.left
        plies = range(late, late + self.capacity[1] + 2)
        sides = [(board.mover + ply // self._actions) & 1 for ply in plies]
        return SearchHints("grave", codes=2 * len(board), sides=sides)


# A random game in words. Its position is a tuple: the empty cells, Black's stones, then the bits of
# the lean, ones, twos, fours and minus. White's stones are the rest.


@inlined
def open_to_white(empty: int, black: int, ones: int, twos: int, fours: int, minus: int) -> int:
    """The cells of White's moves: placements where the lean is not Black's, removals where it is
    White's."""
    return ~minus & (empty | (black & (ones | twos | fours)))


@inlined
def open_to_black(empty: int, black: int, ones: int, twos: int, fours: int, minus: int) -> int:
    """The cells of Black's moves."""
    return (minus & ~black) | (empty & ~(ones | twos | fours))


@inlined
def after_white(
    cell: int, around: int, empty: int, black: int, ones: int, twos: int, fours: int, minus: int
) -> tuple[int, int, int, int, int, int]:
    """The position after White's move on a cell: an empty one fills, a black one becomes empty; the
    cells around it gain one. What each bit carries is known before the cell is."""
    both = ones & twos
    return (
        empty ^ cell,
        black & ~cell,
        ones ^ around,
        twos ^ (around & ones),
        fours ^ (around & both),
        minus ^ (around & both & fours),
    )


@inlined
def after_black(
    cell: int, around: int, empty: int, black: int, ones: int, twos: int, fours: int, minus: int
) -> tuple[int, int, int, int, int, int]:
    """The position after Black's move on a cell; the cells around it lose one."""
    some = ones | twos
    return (
        empty ^ cell,
        black | (cell & empty),
        ones ^ around,
        twos ^ (around & ~ones),
        fours ^ (around & ~some),
        minus ^ (around & ~(some | fours)),
    )


def packed(stones: Sequence[int], lean: Sequence[int], first: int, last: int) -> list[int]:
    """The position of the cells from `first` to below `last`: a word each of what `EMPTY` to
    `MINUS` name."""
    cells = range(first, last)
    sets = [[stones[c] == 0 for c in cells], [stones[c] < 0 for c in cells]]
    sets += [[lean[c] >> bit & 1 != 0 for c in cells] for bit in range(4)]
    return [sum(1 << at for at, here in enumerate(each) if here) for each in sets]


@inlined
def open_cells(plan: Any, board: Any) -> int:
    """The cells of all moves of a packed board."""
    if board[STONES] == 0:
        return plan[NEIGHBOURS + 10 * plan[CELLS] + 2]  # type: ignore[no-any-return]  # for the compiler
    if board[MOVER] == 0:
        return open_to_white(
            board[EMPTY], board[BLACKS], board[ONES], board[TWOS], board[FOURS], board[MINUS]
        )
    return open_to_black(
        board[EMPTY], board[BLACKS], board[ONES], board[TWOS], board[FOURS], board[MINUS]
    )


@inlined
def pack_move(plan: Any, board: Any, c: int) -> None:
    """Make the mover's move on a cell in the words of a packed board."""
    around = plan[NEIGHBOURS + 9 * plan[CELLS] + 2 + c]
    empty, black = board[EMPTY], board[BLACKS]
    ones, twos, fours, minus = board[ONES], board[TWOS], board[FOURS], board[MINUS]
    if board[MOVER] == 0:
        empty, black, ones, twos, fours, minus = after_white(
            1 << c, around, empty, black, ones, twos, fours, minus
        )
    else:
        empty, black, ones, twos, fours, minus = after_black(
            1 << c, around, empty, black, ones, twos, fours, minus
        )
    board[EMPTY], board[BLACKS] = empty, black
    board[ONES], board[TWOS], board[FOURS], board[MINUS] = ones, twos, fours, minus


@kernel
def in_one_word(plan: Any, board: Any, rng: Any, trace: Any) -> int:
    """A random game on a packed board; the outcome's code."""
    cells = plan[CELLS]
    actions = plan[ACTIONS]
    # So that the compiler sees that no place is below 0, of which it would count from the end.
    ring = (NEIGHBOURS + 9 * cells + 2) & 0xFFFF
    empty, black = board[EMPTY], board[BLACKS]
    ones, twos, fours, minus = board[ONES], board[TWOS], board[FOURS], board[MINUS]
    mover = board[MOVER]
    left = board[LEFT]
    n = trace[0]
    random = rng[0]
    x = open_cells(plan, board)
    while x != 0:
        random = advanced(random)
        at = member(x, below(random, popcount(x)))
        n += 1
        trace[n] = at + (cells & ((empty >> at & 1) - 1))
        around = plan[ring + at]
        if mover == 0:
            empty, black, ones, twos, fours, minus = after_white(
                1 << at, around, empty, black, ones, twos, fours, minus
            )
        else:
            empty, black, ones, twos, fours, minus = after_black(
                1 << at, around, empty, black, ones, twos, fours, minus
            )
        left -= 1
        if left == 0:
            mover = 1 - mover
            left = actions
        if mover == 0:
            x = open_to_white(empty, black, ones, twos, fours, minus)
        else:
            x = open_to_black(empty, black, ones, twos, fours, minus)
    trace[0] = n
    rng[0] = random
    code: int = 2 - mover
    return code


@kernel
def word_of(plan: Any, board: Any, first: int) -> tuple[int, int, int, int, int, int]:
    """The position of the cells from `first` on, as many as a word holds."""
    cells = plan[CELLS]
    last = first + WORD
    empty, black, ones, twos, fours, minus = 0, 0, 0, 0, 0, 0
    for c in range(first, cells if cells < last else last):
        at = c - first
        stone = board[STONE + c]
        empty |= ((stone & 1) ^ 1) << at
        black |= ((stone >> 1) & 1) << at
        lean = board[STONE + cells + c]
        ones |= (lean & 1) << at
        twos |= ((lean >> 1) & 1) << at
        fours |= ((lean >> 2) & 1) << at
        minus |= ((lean >> 3) & 1) << at
    return empty, black, ones, twos, fours, minus


@kernel
def in_three_words(plan: Any, board: Any, rng: Any, trace: Any) -> int:
    """The same on a board of at most three words. They have names: a loop over them would keep
    them in memory, and the processor would guess at each move which one it goes to."""
    cells = plan[CELLS]
    actions = plan[ACTIONS]
    ring = (NEIGHBOURS + 9 * cells + 2) & 0xFFFF
    p = word_of(plan, board, 0)
    q = word_of(plan, board, WORD)
    r = word_of(plan, board, 2 * WORD)
    mover = board[MOVER]
    left = board[LEFT]
    n = trace[0]
    if board[STONES] == 0:
        x, y, z = plan[ring + 3 * cells], plan[ring + 3 * cells + 1], plan[ring + 3 * cells + 2]
    elif mover == 0:
        x, y, z = open_to_white(*p), open_to_white(*q), open_to_white(*r)
    else:
        x, y, z = open_to_black(*p), open_to_black(*q), open_to_black(*r)
    while (x | y | z) != 0:
        first = popcount(x)
        second = first + popcount(y)
        k = randint_below(rng, second + popcount(z))
        # −1 where the cell lies beyond the first word, and beyond the second.
        beyond = ~((k - first) >> 63)
        far = ~((k - second) >> 63)
        k -= (first & beyond & ~far) | (second & far)
        at = member((x & ~beyond) | (y & beyond & ~far) | (z & far), k)
        c = at + (WORD & beyond) + (WORD & far)
        cell = 1 << at
        here, next_, last = cell & ~beyond, cell & beyond & ~far, cell & far
        n += 1
        free = (p[0] & here) | (q[0] & next_) | (r[0] & last)
        trace[n] = c + (cells & ((free >> at & 1) - 1))
        around = ring + 3 * c
        if mover == 0:
            p = after_white(here, plan[around], *p)
            q = after_white(next_, plan[around + 1], *q)
            r = after_white(last, plan[around + 2], *r)
        else:
            p = after_black(here, plan[around], *p)
            q = after_black(next_, plan[around + 1], *q)
            r = after_black(last, plan[around + 2], *r)
        left -= 1
        if left == 0:
            mover = 1 - mover
            left = actions
        if mover == 0:
            x, y, z = open_to_white(*p), open_to_white(*q), open_to_white(*r)
        else:
            x, y, z = open_to_black(*p), open_to_black(*q), open_to_black(*r)
    trace[0] = n
    code: int = 2 - mover
    return code

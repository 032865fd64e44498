"""Evening's kernel: the rules on flat int arrays, one text for CPython and for the compiler.

A State lies in three arrays. The constant one, the plan, tells the rules and the geometry: the
number of cells, 1 for the turnless form, what a cell sees, what wins, 1 for ties by odd and even;
then by cell its six neighbours in the order of directions (−1 where the board ends); the keys of
each white stone, each black stone, White's stand and Black's; at last, on boards of up to 61 cells,
the set of each cell's neighbours as a word with one bit a cell.

The board tells the position: who stands (1 White, 2 Black) by word and whether the side that leads
has the turn, stones in all, white minus black ones, the largest group there has been, key; then by
cell +1 for White, −1 for Black, 0 when empty; its *lean*, what it sees of White minus what it sees
of Black (of empty cells only, where a cell sees groups); root, ring and size of its group (see
`games.kernel`); at last, for each size from 0 on, White's groups of that size minus Black's.

A move is a cell number for a white stone, the number of cells plus the cell for a black one; twice
the number of cells plus the side is a side's stand. The State gives the turn to the side that would
lose if the game ended now. In the turnless form that is how a search sees it: the trailing side
places or stands, then, should it stand or have no cell, the other side places or stands. Any side's
stone may be played all the same.

Random games in words (sets of cells with one bit each) are for boards of one word and cells that
see groups or neighbours: the trailing side places evenly at random among its cells until it has
none. The lean of a cell is then a number of seven bits in two's complement, which lie in seven
sets, so that a group that grows changes the lean of all cells around it at once. Around a group:
all cells next to its stones, occupied or not. These games use up the State's board: its roots
become links towards the root.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Any, NamedTuple

from lumiban.games.kernel import (
    WORD,
    copy_words,
    first_difference,
    hash_table,
    kernel,
    member,
    popcount,
    randint_below,
    shift,
    sway,
    touching,
    unite,
)
from lumiban.grid import Grid

SEES = ("groups", "adjacent", "sight")
"""Kinds of pieces that a cell may see; the plan holds the place in this list."""
WINS = ("cascade", "stones")
TIES = ("even", "odd-even")
GROUPS, ADJACENT, SIGHT = 0, 1, 2

# Places in the plan.
CELLS, TURNLESS, LOOKS, BY_STONES, ODD_EVEN = 0, 1, 2, 3, 4
NEIGHBOURS = 5
"""Index at which the neighbours begin; keys and words follow at multiples of the number of
cells."""

# Places in the board.
STANDS, STONES, AHEAD, LARGEST, KEY = 0, 1, 2, 3, 4
FIRST = 4
"""Among the stands: for one turn it is the side that leads who places, or leaves it to the other
by a stand that lasts no longer. So a search compares acting now with waiting."""
STONE = 5
"""Index at which the stones begin; lean, root, ring, size and the table of sizes follow, each by
cell."""

# Places in the scratch.
FOUND, STAMP, MARK = 0, 6, 7
"""Roots found next to a cell; the number of the last look around a group; by cell the last look
that came by. Then, for playouts in words, by root what lies around the group; then planes."""
PLANES = 7
"""Bits of a lean between −61 and 61 in two's complement."""


@lru_cache(maxsize=32)
def plan_of(grid: Grid, *, turnless: bool, sees: str, wins: str, tie: str) -> list[int]:
    """The plan for a grid of hex cells; shared by all its States, never changed."""
    cells = len(grid)
    plan = [
        cells,
        int(turnless),
        SEES.index(sees),
        WINS.index(wins),
        TIES.index(tie),
        *(near for row in grid.steps for near in row),
        *hash_table(2 * cells + 2, 0xE7E0176 + cells),
    ]
    if cells <= WORD:
        plan += [sum(1 << near for near in row) for row in grid.neighbours]
    return plan


def board_without_stones(plan: Sequence[int]) -> list[int]:
    """The board before the first stone."""
    cells = plan[CELLS]
    return [0] * (STONE + 6 * cells + 1)


def scratch_for(plan: Sequence[int]) -> list[int]:
    """Scratch for a board of this size."""
    return [0] * (MARK + 2 * plan[CELLS] + PLANES)


@kernel
def leader(plan: Any, board: Any) -> int:
    """The side that would win if the game ended now."""
    if plan[BY_STONES] != 0:
        ahead = board[AHEAD]
    else:
        ahead = first_difference(board, STONE + 5 * plan[CELLS], board[LARGEST])
    if ahead > 0:
        return 0
    if ahead < 0:
        return 1
    # Tied, so that both have as many stones.
    if plan[ODD_EVEN] != 0 and (board[STONES] >> 1) & 1 != 0:
        return 0
    return 1


@kernel
def has_cell(plan: Any, board: Any, side: int) -> bool:
    """True if a side may place somewhere, on a board with stones."""
    cells = plan[CELLS]
    me = 1 - 2 * side
    c = STONE
    end = c + cells
    while c < end and (board[c + cells] * me >= 0 or board[c] != 0):
        c += 1
    return c < end  # type: ignore[no-any-return]  # Any for the compiler


@kernel
def list_cells(plan: Any, board: Any, side: int, out: Any) -> int:
    """Write a side's placements into `out`, by cell number, and return how many there are."""
    cells = plan[CELLS]
    me = 1 - 2 * side
    n = 0
    if board[STONES] == 0:
        for c in range(cells if side == 0 else 0):
            out[c] = c
            n += 1
        return n
    lean = STONE + cells
    first = cells * side
    for c in range(cells):
        if board[lean + c] * me < 0 and board[STONE + c] == 0:
            out[n] = first + c
            n += 1
    return n


@kernel
def pick(plan: Any, board: Any, side: int, rng: Any) -> int:
    """A cell at random where a side may place, −1 where there is none; on a board with stones."""
    cells = plan[CELLS]
    me = 1 - 2 * side
    n = 0
    for c in range(STONE, STONE + cells):
        if board[c + cells] * me < 0 and board[c] == 0:
            n += 1
    if n == 0:
        return -1
    k = randint_below(rng, n)
    c = STONE
    while True:
        if board[c + cells] * me < 0 and board[c] == 0:
            if k == 0:
                return c - STONE
            k -= 1
        c += 1


@kernel
def to_act(plan: Any, board: Any) -> int:
    """The side whose turn it is in the search, −1 when the game is over."""
    if board[STONES] == 0:
        return 0
    trailing = 1 - leader(plan, board)
    if board[STANDS] & FIRST != 0:
        return 1 - trailing
    for side in (trailing, 1 - trailing):
        if (board[STANDS] >> side) & 1 == 0 and has_cell(plan, board, side):
            return side
        if plan[TURNLESS] == 0:
            return -1
    return -1


@kernel
def spread(plan: Any, board: Any, scratch: Any, r: int, by: int) -> None:
    """Add to the lean of every empty cell around the group with this root, once each."""
    cells = plan[CELLS]
    lean = STONE + cells
    ring = STONE + 3 * cells
    stamp = scratch[STAMP] + 1
    scratch[STAMP] = stamp
    c = r
    while True:
        for k in range(NEIGHBOURS + 6 * c, NEIGHBOURS + 6 * c + 6):
            j = plan[k]
            if j >= 0 and board[STONE + j] == 0 and scratch[MARK + j] != stamp:
                scratch[MARK + j] = stamp
                board[lean + j] += by
        c = board[ring + c]
        if c == r:
            return


@kernel
def put(plan: Any, board: Any, scratch: Any, c: int, me: int) -> None:
    """Put a stone on an empty cell, allowed or not, and bring all up to date but the key."""
    cells = plan[CELLS]
    looks = plan[LOOKS]
    root = STONE + 2 * cells
    size = STONE + 4 * cells
    count = STONE + 5 * cells
    board[STONE + c] = me
    board[STONES] += 1
    board[AHEAD] += me
    n = touching(plan, NEIGHBOURS, 6, board, STONE, root, c, scratch)
    for i in range(n):
        r = scratch[FOUND + i]
        s = board[size + r]
        board[count + s] -= me
        if looks == GROUPS:
            spread(plan, board, scratch, r, -me * s)
    s = unite(board, root, STONE + 3 * cells, size, c, scratch, n)
    board[count + s] += me
    if s > board[LARGEST]:
        board[LARGEST] = s
    if looks == GROUPS:
        board[STONE + cells + c] = 0
        spread(plan, board, scratch, board[root + c], me * s)
    elif looks == SIGHT:
        sway(plan, NEIGHBOURS, board, STONE, STONE + cells, c, me)
    else:
        for k in range(NEIGHBOURS + 6 * c, NEIGHBOURS + 6 * c + 6):
            j = plan[k]
            if j >= 0:
                board[STONE + cells + j] += me


class EveningState(NamedTuple):
    """One position of Evening. Few arrays, since compiled calls pay for each of them."""

    plan: Any
    """Constant: rules and geometry."""
    board: Any
    """The position."""
    scratch: Any
    """Used while playing; holds nothing between calls."""

    def assign(self, other: Any) -> None:
        """Become a copy of `other`, a State of the same game."""
        copy_words(self.board, other.board, 0, len(self.board))

    def mover(self) -> int:
        """The side that trails, or the other one where the first cannot or will not place."""
        side = to_act(self.plan, self.board)
        if side < 0:
            side = 1 - leader(self.plan, self.board)
        return side

    def moves(self, out: Any) -> int:
        """Write the mover's moves into `out` and return how many: cells in order, then stand."""
        side = to_act(self.plan, self.board)
        if side < 0:
            return 0
        n: int = list_cells(self.plan, self.board, side, out)
        if (self.plan[TURNLESS] != 0 or self.board[STANDS] != 0) and self.board[STONES] != 0:
            out[n] = 2 * self.plan[CELLS] + side
            n += 1
        return n

    def play(self, move: int) -> None:
        """Make a legal move of either side."""
        plan = self.plan
        board = self.board
        cells = plan[CELLS]
        hashes = NEIGHBOURS + 6 * cells
        if move >= 2 * cells and board[STANDS] & FIRST != 0:
            board[STANDS] ^= FIRST
            board[KEY] ^= plan[hashes + 2 * cells] ^ plan[hashes + 2 * cells + 1]
            return
        if move >= 2 * cells:
            board[STANDS] |= 1 << (move - 2 * cells)
            board[KEY] ^= plan[hashes + move]
            return
        key = board[KEY] ^ plan[hashes + move]
        stands = board[STANDS]
        if stands != 0:
            if stands & 1 != 0:
                key ^= plan[hashes + 2 * cells]
            if stands & 2 != 0:
                key ^= plan[hashes + 2 * cells + 1]
            if stands & FIRST != 0:
                key ^= plan[hashes + 2 * cells] ^ plan[hashes + 2 * cells + 1]
            board[STANDS] = 0
        board[KEY] = key
        if move < cells:
            put(plan, board, self.scratch, move, 1)
        else:
            put(plan, board, self.scratch, move - cells, -1)

    def outcome(self) -> int:
        """−1 while the game runs, 1 White has won, 2 Black."""
        if to_act(self.plan, self.board) >= 0:
            return -1
        code: int = 1 + leader(self.plan, self.board)
        return code

    def playout(self, rng: Any, trace: Any) -> int:
        """Let the trailing side place at random to the end; the moves go to `trace`; returns the
        outcome's code. A side that leads stands as soon as it has the turn, and so has won.

        What the State holds afterwards is not defined: `assign` it again.
        """
        plan = self.plan
        board = self.board
        cells = plan[CELLS]
        if board[STANDS] & FIRST != 0:
            board[STANDS] ^= FIRST
        if board[STONES] == 0:
            trace[0] += 1
            trace[trace[0]] = randint_below(rng, cells)
            self.play(trace[trace[0]])
        side = to_act(plan, board)
        if side >= 0 and side != leader(plan, board):
            if cells <= WORD and plan[LOOKS] <= ADJACENT:
                code: int = in_one_word(plan, board, self.scratch, rng, trace)
                return code
            board[STANDS] = 0
            while True:
                c = pick(plan, board, side, rng)
                if c < 0:
                    break
                trace[0] += 1
                trace[trace[0]] = cells * side + c
                put(plan, board, self.scratch, c, 1 - 2 * side)
                side = 1 - leader(plan, board)
        ahead = leader(plan, board)
        if plan[TURNLESS] != 0 and to_act(plan, board) == ahead:
            trace[0] += 1
            trace[trace[0]] = 2 * cells + ahead
        code = 1 + ahead
        return code

    def key(self) -> int:
        """A 63-bit hash of stones and stands; together they tell whose turn it is."""
        hashed: int = self.board[KEY]
        return hashed


def fresh(plan: Sequence[int], stones: Sequence[int], stands: int = 0) -> EveningState:
    """A State on lists of ints with these stones (+1, −1, 0 a cell), reachable or not.

    `stands` is 1 where White has said so, 2 for Black, 3 for both; `FIRST` gives the leader a turn.
    """
    state = EveningState(plan, board_without_stones(plan), scratch_for(plan))
    hashes = NEIGHBOURS + 6 * plan[CELLS]
    for cell, stone in enumerate(stones):
        if stone:
            put(plan, state.board, state.scratch, cell, stone)
            state.board[KEY] ^= plan[hashes + cell + (plan[CELLS] if stone < 0 else 0)]
    state.board[STANDS] = stands
    for side in (0, 1):
        if (stands >> side & 1) != (stands & FIRST != 0):
            state.board[KEY] ^= plan[hashes + 2 * plan[CELLS] + side]
    return state


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
    words = NEIGHBOURS + 8 * cells + 2
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
    words = NEIGHBOURS + 8 * cells + 2
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
        at = member(x, randint_below(rng, popcount(x)))
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
        for k in range(NEIGHBOURS + 6 * at, NEIGHBOURS + 6 * at + 6):
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

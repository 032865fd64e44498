"""Evening's kernel: the rules on flat int arrays, one text for CPython and for the compiler.

A move is a cell number for a white stone, the number of cells plus the cell for a black one; twice
the number of cells plus the side is a side's stand. `plan` says where everything lies.

The State gives the turn to the side that would lose if the game ended now. In the turnless form
that is how a search sees it: the trailing side places or stands, then, should it stand or have no
cell, the other side places or stands. Any side's stone may be played all the same.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from lumiban.games.bits import WORD
from lumiban.games.evening.plan import (
    ADJACENT,
    AHEAD,
    BY_STONES,
    CELLS,
    FIRST,
    FOUND,
    GROUPS,
    KEY,
    LARGEST,
    LOOKS,
    MARK,
    NEAR,
    ODD_EVEN,
    SIGHT,
    STAMP,
    STANDS,
    STONE,
    STONES,
    TURNLESS,
    board_without_stones,
    scratch_for,
)
from lumiban.games.evening.playouts import in_one_word
from lumiban.games.groups import first_difference, touching, unite
from lumiban.games.kernel import below, kernel
from lumiban.games.majority import sway


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
    """Whether a side may place somewhere, on a board with stones."""
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
    k = below(rng, n)
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
        for k in range(NEAR + 6 * c, NEAR + 6 * c + 6):
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
    n = touching(plan, NEAR, 6, board, STONE, root, c, scratch)
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
        sway(plan, NEAR, board, STONE, STONE + cells, c, me)
    else:
        for k in range(NEAR + 6 * c, NEAR + 6 * c + 6):
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
        self.board[:] = other.board

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
        hashes = NEAR + 6 * cells
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

        What the State holds afterwards is not defined: `assign` it anew.
        """
        plan = self.plan
        board = self.board
        cells = plan[CELLS]
        if board[STANDS] & FIRST != 0:
            board[STANDS] ^= FIRST
        if board[STONES] == 0:
            trace[0] += 1
            trace[trace[0]] = below(rng, cells)
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
    hashes = NEAR + 6 * plan[CELLS]
    for cell, stone in enumerate(stones):
        if stone:
            put(plan, state.board, state.scratch, cell, stone)
            state.board[KEY] ^= plan[hashes + cell + (plan[CELLS] if stone < 0 else 0)]
    state.board[STANDS] = stands
    for side in (0, 1):
        if (stands >> side & 1) != (stands & FIRST != 0):
            state.board[KEY] ^= plan[hashes + 2 * plan[CELLS] + side]
    return state

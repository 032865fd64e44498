"""Control's kernel: the rules on flat int arrays, one text for CPython and for the compiler.

A move is a cell number for a placement, the number of cells plus the cell for a removal. Either
way the mover gains one: a stone more of their own or one less of the enemy's, so that every cell
next to it leans one towards them.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Any, NamedTuple

from lumiban.games.kernel import below, hash_table, kernel
from lumiban.grid import hexagon

# Places in `rule`.
TURN_ACTIONS = 0
SIGHT = 1
# Places in `turn`.
MOVER, LEFT, STONES, KEY, FACED, DRAWN = 0, 1, 2, 3, 4, 5

REPEATED, FORGOTTEN = 1, 2
"""What `turn[DRAWN]` says: a position came again; or there is no room to remember another."""

ROOM = 1024
"""Positions that a State with `sees = sight` can face beyond those of the game so far."""


class ControlState(NamedTuple):
    """One position of Control; cells hold +1 for White, −1 for Black, 0 when empty."""

    near: Any
    """Constant: six entries a cell, the neighbour in each direction, −1 where the board ends."""
    edge: Any
    """Constant: per cell 1 where the first stone may go."""
    hashes: Any
    """Constant: a key for each white stone, each black stone, Black's turn, one action left."""
    rule: Any
    """Constant: actions a turn, 1 for sight."""
    cell: Any
    lean: Any
    """Per cell the white minus the black stones that it sees; its own stone does not count."""
    turn: Any
    """Mover, actions left in the turn, stones on the board, key, positions faced, draw."""
    faced: Any
    """Keys of the positions faced, under sight only (else one idle entry)."""
    bag: Any
    """Scratch of `playout`: the cells where White may act, then those where Black may."""
    slot: Any
    """Scratch of `playout`: per bag and cell its place in the bag."""
    may: Any
    """Scratch of `playout`: per cell 1 if White may act there, plus 2 if Black may."""
    full: Any
    """Scratch of `playout`: how many cells each bag holds."""

    def assign(self, other: Any) -> None:
        """Become a copy of `other`, a State of the same game (scratch is not content)."""
        self.cell[:] = other.cell
        self.lean[:] = other.lean
        self.turn[:] = other.turn
        n = other.turn[FACED]
        self.faced[:n] = other.faced[:n]

    def mover(self) -> int:
        """The side to move."""
        side: int = self.turn[MOVER]
        return side

    def moves(self, out: Any) -> int:
        """Write all moves into `out`, by cell number, and return how many there are."""
        if self.turn[DRAWN] != 0:
            return 0
        cell = self.cell
        cells = len(cell)
        n = 0
        if self.turn[STONES] == 0:
            for c in range(cells):
                if self.edge[c] != 0:
                    out[n] = c
                    n += 1
            return n
        lean = self.lean
        me = 1 - 2 * self.turn[MOVER]
        for c in range(cells):
            own = cell[c] * me
            if own == 0:
                if lean[c] * me >= 0:
                    out[n] = c
                    n += 1
            elif own < 0 and lean[c] * me > 0:
                out[n] = cells + c
                n += 1
        return n

    def play(self, move: int) -> None:
        """Make a legal move."""
        cell = self.cell
        turn = self.turn
        cells = len(cell)
        me = 1 - 2 * turn[MOVER]
        if move < cells:
            c = move
            cell[c] = me
            turn[STONES] += 1
            stone = c if me > 0 else cells + c
        else:
            c = move - cells
            cell[c] = 0
            turn[STONES] -= 1
            stone = cells + c if me > 0 else c
        if self.rule[SIGHT] != 0:
            sway(self.near, cell, self.lean, c, me)
        else:
            near = self.near
            lean = self.lean
            for k in range(6 * c, 6 * c + 6):
                j = near[k]
                if j >= 0:
                    lean[j] += me
        key = turn[KEY] ^ self.hashes[stone]
        if turn[LEFT] > 1:
            turn[LEFT] -= 1
            key ^= self.hashes[2 * cells + 1]
        else:
            if turn[LEFT] < self.rule[TURN_ACTIONS]:
                key ^= self.hashes[2 * cells + 1]
            turn[MOVER] = 1 - turn[MOVER]
            turn[LEFT] = self.rule[TURN_ACTIONS]
            key ^= self.hashes[2 * cells]
        turn[KEY] = key
        if self.rule[SIGHT] != 0:
            face(turn, self.faced)

    def outcome(self) -> int:
        """−1 while the game runs, 0 draw, 1 White has won, 2 Black; −2: `faced` overflowed."""
        if self.turn[DRAWN] == REPEATED:
            return 0
        if self.turn[DRAWN] == FORGOTTEN:
            return -2
        if self.turn[STONES] == 0:
            return -1
        cell = self.cell
        lean = self.lean
        me = 1 - 2 * self.turn[MOVER]
        for c in range(len(cell)):
            own = cell[c] * me
            if own == 0:
                if lean[c] * me >= 0:
                    return -1
            elif own < 0 and lean[c] * me > 0:
                return -1
        code: int = 2 - self.turn[MOVER]
        return code

    def playout(self, rng: Any, trace: Any) -> int:
        """Play on at random to the end; the moves go to `trace`; returns the outcome's code."""
        if self.rule[SIGHT] != 0:
            n = self.moves(self.bag)
            while n > 0:
                move = self.bag[below(rng, n)]
                trace[0] += 1
                trace[trace[0]] = move
                self.play(move)
                n = self.moves(self.bag)
            return self.outcome()
        if self.turn[STONES] == 0:
            move = self.bag[below(rng, self.moves(self.bag))]
            trace[0] += 1
            trace[trace[0]] = move
            self.play(move)
        code: int = run(self, rng, trace)
        return code

    def key(self) -> int:
        """A 63-bit hash of stones, mover and actions left."""
        hashed: int = self.turn[KEY]
        return hashed


@kernel
def sway(near: Any, cell: Any, lean: Any, c: int, me: int) -> None:
    """Update `lean` under sight after a stone came to `c` or went from it, to the gain of `me`.

    Along each line, cells up to the next stone saw past `c` to what lies behind it and now see
    the new stone, or the other way round.
    """
    came = cell[c] != 0
    for k in range(6):
        back = k + 3 if k < 3 else k - 3
        behind = 0
        j = near[6 * c + back]
        while j >= 0:
            if cell[j] != 0:
                behind = cell[j]
                break
            j = near[6 * j + back]
        change = me - behind if came else me + behind
        if change != 0:
            j = near[6 * c + k]
            while j >= 0:
                lean[j] += change
                if cell[j] != 0:
                    break
                j = near[6 * j + k]


@kernel
def face(turn: Any, faced: Any) -> None:
    """Remember the position just reached; a repetition ends the game, so does want of room."""
    key = turn[KEY]
    n = turn[FACED]
    for i in range(n):
        if faced[i] == key:
            turn[DRAWN] = REPEATED
            return
    if n == len(faced):
        turn[DRAWN] = FORGOTTEN
        return
    faced[n] = key
    turn[FACED] = n + 1


@kernel
def allowed(own: int, lean: int) -> int:
    """Who may act on a cell: 1 for White, plus 2 for Black."""
    if own == 0:
        if lean == 0:
            return 3
        return 1 if lean > 0 else 2
    if own < 0:
        return 1 if lean > 0 else 0
    return 2 if lean < 0 else 0


@kernel
def sort_in(bag: Any, slot: Any, may: Any, full: Any, c: int, now: int) -> None:
    """Bring cell `c` into the bags of those who may act there `now`, and out of the others."""
    cells = len(may)
    change = may[c] ^ now
    may[c] = now
    for side in range(2):
        if change & (1 + side) != 0:
            base = side * cells
            if now & (1 + side) != 0:
                at = full[side]
                bag[base + at] = c
                slot[base + c] = at
                full[side] = at + 1
            else:
                last = full[side] - 1
                moved = bag[base + last]
                at = slot[base + c]
                bag[base + at] = moved
                slot[base + moved] = at
                full[side] = last


@kernel
def run(state: Any, rng: Any, trace: Any) -> int:
    """A random game from a board with stones to its end, under adjacency; the outcome's code.

    Both sides' bags of cells are kept up to date instead of listing moves anew each time.
    """
    near, cell, lean, turn, hashes = state.near, state.cell, state.lean, state.turn, state.hashes
    bag, slot, may, full = state.bag, state.slot, state.may, state.full
    cells = len(cell)
    actions = state.rule[TURN_ACTIONS]
    full[0] = 0
    full[1] = 0
    for c in range(cells):
        may[c] = 0
        sort_in(bag, slot, may, full, c, allowed(cell[c], lean[c]))
    mover = turn[MOVER]
    left = turn[LEFT]
    key = turn[KEY]
    stones = turn[STONES]
    n = trace[0]
    while full[mover] > 0:
        c = bag[mover * cells + below(rng, full[mover])]
        n += 1
        me = 1 - 2 * mover
        if cell[c] == 0:
            cell[c] = me
            stones += 1
            trace[n] = c
            key ^= hashes[c + mover * cells]
        else:
            cell[c] = 0
            stones -= 1
            trace[n] = cells + c
            key ^= hashes[c + (1 - mover) * cells]
        now = allowed(cell[c], lean[c])
        if now != may[c]:
            sort_in(bag, slot, may, full, c, now)
        for k in range(6 * c, 6 * c + 6):
            j = near[k]
            if j >= 0:
                lean[j] += me
                now = allowed(cell[j], lean[j])
                if now != may[j]:
                    sort_in(bag, slot, may, full, j, now)
        if left > 1:
            left -= 1
            key ^= hashes[2 * cells + 1]
        else:
            if left < actions:
                key ^= hashes[2 * cells + 1]
            mover = 1 - mover
            left = actions
            key ^= hashes[2 * cells]
    trace[0] = n
    turn[MOVER] = mover
    turn[LEFT] = left
    turn[KEY] = key
    turn[STONES] = stones
    code: int = 2 - mover
    return code


class Geometry(NamedTuple):
    """The constant fields of every State of one size; shared, never changed."""

    near: list[int]
    rim: list[int]
    anywhere: list[int]
    hashes: list[int]


@lru_cache(maxsize=16)
def geometry(side: int) -> Geometry:
    """Neighbours, first cells and keys for a hexagon with `side` cells an edge."""
    grid = hexagon(side)
    rim = set(grid.perimeter)
    return Geometry(
        near=[cell for row in grid.steps for cell in row],
        rim=[int(cell in rim) for cell in range(len(grid))],
        anywhere=[1] * len(grid),
        hashes=hash_table(2 * len(grid) + 2, 0xC0117801 + side),
    )


@lru_cache(maxsize=4)
def rules(actions: int, sight: bool) -> list[int]:
    """The constant field `rule`."""
    return [actions, int(sight)]


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
    fixed = geometry(side)
    cells = len(stones)
    key = 0
    for c, stone in enumerate(stones):
        if stone:
            key ^= fixed.hashes[c if stone > 0 else cells + c]
    if mover == 1:
        key ^= fixed.hashes[2 * cells]
    if left < actions:
        key ^= fixed.hashes[2 * cells + 1]
    known = [*faced, key] if sight else []
    drawn = REPEATED if key in faced else 0
    return ControlState(
        near=fixed.near,
        edge=fixed.rim if perimeter else fixed.anywhere,
        hashes=fixed.hashes,
        rule=rules(actions, sight),
        cell=list(stones),
        lean=leaning(fixed.near, stones, sight),
        turn=[mover, left, cells - stones.count(0), key, len(known), drawn],
        faced=known + [0] * ROOM if sight else [0],
        bag=[0] * (2 * cells),
        slot=[0] * (2 * cells),
        may=[0] * cells,
        full=[0, 0],
    )


def leaning(near: Sequence[int], stones: Sequence[int], sight: bool) -> list[int]:
    """Per cell the white minus the black stones that it sees, counted from scratch."""
    lean = [0] * len(stones)
    for c, stone in enumerate(stones):
        if stone == 0:
            continue
        for k in range(6):
            j = near[6 * c + k]
            while j >= 0:
                lean[j] += stone
                if not sight or stones[j] != 0:
                    break
                j = near[6 * j + k]
    return lean

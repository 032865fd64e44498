"""Proof-number search: who wins, for certain, on boards that are too large for an exhaustive
search.

Each position has two numbers: how many open positions at least have to be won to prove that the
asking side wins, and how many to disprove it. The search goes where the fewest are missing, depth
first, with thresholds above which it turns back (df-pn: Nagai, "Df-pn algorithm for searching
AND/OR trees and its applications", 2002). Where one side's moves have to be proved all, the largest
number counts and one for each further move, instead of the sum, which counts positions that are
reached in several ways too often (weak proof numbers: Ueda, Hashimoto, Hashimoto and Iida, 2008).
Positions that the board's symmetries turn into each other are one, by the least of their keys.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

from lumiban.errors import GameError
from lumiban.games.base import Game, Position
from lumiban.games.kernel import Shelf, State, entry, kernel, row, wrapped
from lumiban.search import jit
from lumiban.search.perft import shelf_of
from lumiban.search.solve import SLICE, exact_keys

TABLE_BITS = 23
"""The table holds 2 to this power of positions, of 24 bytes each when compiled."""
PLAIN_TABLE_BITS = 18

ENDLESS = 1 << 40
"""A number that is never reached: of what cannot be proved, or not be disproved."""

PLY, ASKER, NODES, FAULT, PROOF, DISPROOF = 0, 1, 2, 3, 4, 5
"""Places in `meta`."""


@dataclass(frozen=True, slots=True)
class Numbers:
    """Progress of a proof."""

    answer: bool | None
    """True if the asking side can force a win; None while it is open."""
    proof: int
    disproof: int
    """Positions at least that are missing; 0 where nothing is."""
    nodes: int
    """Positions looked at."""
    seconds: float
    is_exact: bool
    """True if no two positions can have one key, so that the proof rests on no hash."""


class Ways(NamedTuple):
    """State of a search; rows by ply."""

    listed: Any
    keys: Any
    proofs: Any
    disproofs: Any
    """By move: the key of the position behind it, and its numbers at first sight."""
    count: Any
    own: Any
    """By ply its position's key."""
    most_proof: Any
    most_disproof: Any
    """By ply the numbers at which to turn back."""
    table_keys: Any
    table_proofs: Any
    table_disproofs: Any
    turns: Any
    """The symmetries: row by row the cell that every cell goes to."""
    hashes: Any
    """The keys of white stones and of black ones, by cell."""
    out: Any
    replies: Any
    meta: Any


@kernel
def least_key(ways: Any, state: Any, stones_at: int, cells: int) -> int:
    """The least of the keys that the symmetries make of a position."""
    key: int = state.key()
    if stones_at < 0:
        return key
    rest = key
    for c in range(cells):
        stone = state.board[stones_at + c]
        if stone != 0:
            rest ^= ways.hashes[c if stone > 0 else cells + c]
    least = key
    for first in range(0, len(ways.turns), cells):
        turned = rest
        for c in range(cells):
            stone = state.board[stones_at + c]
            if stone != 0:
                at = ways.turns[first + c]
                turned ^= ways.hashes[at if stone > 0 else cells + at]
        least = min(least, turned)
    return least


@kernel
def slot_of(ways: Any, key: int) -> int:
    """The slot of a key, or the one that it should have: of two that it may have, its own, an empty
    one, or the one whose numbers are the less work."""
    mask = len(ways.table_keys) - 1
    slot = (wrapped(key ^ (key >> 29), 0x9E3779B1, 0) >> 11) & mask
    other = slot ^ 1
    if ways.table_keys[slot] == key:
        return slot
    if ways.table_keys[other] == key:
        return other
    here = ways.table_proofs[slot] + ways.table_disproofs[slot]
    there = ways.table_proofs[other] + ways.table_disproofs[other]
    return slot if here <= there else other


@kernel
def open_ply(
    ways: Any, shelf: Any, state: Any, child: Any, ply: int, stones_at: int, cells: int
) -> None:
    """List the moves of `state` at `ply`, with the numbers that the positions behind them have at
    first sight: one, and as many as the side to move has moves, which all have to fail."""
    meta = ways.meta
    most = len(ways.out)
    base = ply * most
    n = state.moves(ways.out)
    ways.count[ply] = n
    for i in range(n):
        child.assign(state)
        child.play(ways.out[i])
        meta[NODES] += 1
        ended = child.outcome()
        ways.listed[base + i] = ways.out[i]
        ways.keys[base + i] = 0
        if ended < -1:
            meta[FAULT] = 1
        if ended == -1:
            ways.keys[base + i] = least_key(ways, child, stones_at, cells)
            replies = child.moves(ways.replies)
            own = child.mover() == meta[ASKER]
            ways.proofs[base + i] = 1 if own else replies
            ways.disproofs[base + i] = replies if own else 1
        else:
            won = ended == meta[ASKER] + 1
            ways.proofs[base + i] = 0 if won else ENDLESS
            ways.disproofs[base + i] = ENDLESS if won else 0
    row(shelf, ply).assign(state)


@kernel
def weigh(ways: Any, ply: int, is_own: bool) -> tuple[int, int, int, int, int, int]:
    """Numbers missing at `ply`, as the side to move sees them.

    The least that one move has to reach, and the second move's; what all moves together have to;
    the best move, and what it has to if it must fail; how many moves may still fail.
    """
    base = ply * len(ways.out)
    easy, second, hard, best, best_hard, left = ENDLESS, ENDLESS, 0, -1, 0, 0
    for i in range(base, base + ways.count[ply]):
        key = ways.keys[i]
        proof, disproof = ways.proofs[i], ways.disproofs[i]
        if key != 0:
            slot = slot_of(ways, key)
            if ways.table_keys[slot] == key:
                proof, disproof = ways.table_proofs[slot], ways.table_disproofs[slot]
        one, all_of = (proof, disproof) if is_own else (disproof, proof)
        if one < easy:
            second = easy
            easy, best, best_hard = one, i - base, all_of
        elif one < second:
            second = one
        if all_of != 0:
            left += 1
            hard = max(hard, all_of)
    if left > 1:
        hard += left - 1
    if easy == 0:
        hard = ENDLESS
    return easy, second, min(hard, ENDLESS), best, best_hard, left


@entry
def search(
    ways: Ways, shelf: Shelf, state: State, child: State,
    stones_at: int, cells: int, positions: int,
) -> int:  # fmt: skip
    """Look at about this number of positions more; 1 once the root is proved or disproved."""
    meta = ways.meta
    most = len(ways.out)
    until = meta[NODES] + positions
    if meta[PLY] < 0:
        meta[PLY] = 0
        ways.own[0] = least_key(ways, state, stones_at, cells)
        ways.most_proof[0] = ENDLESS
        ways.most_disproof[0] = ENDLESS
        open_ply(ways, shelf, state, child, 0, stones_at, cells)
    while meta[NODES] < until and meta[FAULT] == 0:
        ply = meta[PLY]
        base = ply * most
        state.assign(row(shelf, ply))
        is_own = state.mover() == meta[ASKER]
        easy, second, hard, best, best_hard, left = weigh(ways, ply, is_own)
        proof, disproof = (easy, hard) if is_own else (hard, easy)
        if ply == 0:
            meta[PROOF] = proof
            meta[DISPROOF] = disproof
        if proof >= ways.most_proof[ply] or disproof >= ways.most_disproof[ply]:
            slot = slot_of(ways, ways.own[ply])
            ways.table_keys[slot] = ways.own[ply]
            ways.table_proofs[slot] = proof
            ways.table_disproofs[slot] = disproof
            if ply == 0:
                return 1
            meta[PLY] = ply - 1
            continue
        if ply + 2 > len(ways.count):
            meta[FAULT] = 1
            break
        most_easy = ways.most_proof[ply] if is_own else ways.most_disproof[ply]
        most_hard = ways.most_disproof[ply] if is_own else ways.most_proof[ply]
        # A little more than the second best has, or two that are near would take turns for ever
        # (Pawlewicz and Lew, "Improving depth-first PN-search: 1 + epsilon trick", 2006).
        most_easy = min(most_easy, second + 1 + second // 4)
        most_hard = max(most_hard - max(left - 1, 0), best_hard + 1)
        ways.most_proof[ply + 1] = most_easy if is_own else most_hard
        ways.most_disproof[ply + 1] = most_hard if is_own else most_easy
        state.play(ways.listed[base + best])
        ways.own[ply + 1] = ways.keys[base + best]
        meta[PLY] = ply + 1
        open_ply(ways, shelf, state, child, ply + 1, stones_at, cells)
    return 0


def prove(
    game: Game,
    position: Position,
    asker: int,
    positions: int,
    progress: Callable[[Numbers], None] | None = None,
    *,
    compiled: bool = True,
    bits: int | None = None,
) -> Numbers:
    """Proves whether `asker` can force a win, looking at about `positions` positions at most.

    `progress` is told the numbers of the start now and then. A draw is no win. GameError for a game
    in which positions can come again: their worth depends on the way.
    """
    began = time.monotonic()
    if game.may_repeat:
        raise GameError("positions can come again in this game, so that it cannot be solved")
    exact = exact_keys(game.zobrist_keys)
    ended = game.outcome(position)
    if ended is not None:
        won = ended.winner == asker
        return Numbers(won, 0 if won else ENDLESS, ENDLESS if won else 0, 0, 0.0, exact)
    start = game.state(position)
    compiled = compiled and jit.fits(start)
    state, child = start, game.state(position)
    ways, shelf = _ways(game, compiled, bits), shelf_of(game, position, game.capacity[1] + 2)
    run, part = search, SLICE // 50
    if compiled:
        run, part = jit.compiled(search, type(start)), SLICE
        shelf, state, child = map(jit.compiled_state, (shelf, state, child))
    ways.meta[PLY], ways.meta[ASKER] = -1, asker
    cells, done = len(game.grid), False
    while True:
        try:
            done = bool(run(ways, shelf, state, child, game.stones_at, cells, part))
        except jit.Unfit:
            return prove(game, position, asker, positions, progress, compiled=False, bits=bits)
        if ways.meta[FAULT]:
            raise GameError("this game is too long to solve: it has no room to remember it")
        proof, disproof, nodes = (int(ways.meta[at]) for at in (PROOF, DISPROOF, NODES))
        answer = (proof == 0) if done else None
        numbers = Numbers(answer, proof, disproof, nodes, time.monotonic() - began, exact)
        if done or nodes >= positions:
            return numbers
        if progress is not None:
            progress(numbers)


def _ways(game: Game, compiled: bool, bits: int | None) -> Ways:
    most, plies = game.capacity[0] + 1, game.capacity[1] + 2
    new = jit.zeros if compiled else _zeros
    slots = 1 << (bits or (TABLE_BITS if compiled else PLAIN_TABLE_BITS))
    rows = most * plies
    lengths = (
        rows, rows, rows, rows, plies, plies, plies, plies, slots, slots, slots,
    )  # fmt: skip
    turns = [cell for turn in game.symmetries for cell in turn]
    ints = jit.ints if compiled else list
    made = [new(length) for length in lengths]
    made += [ints(turns), ints(game.zobrist_keys or [0])]
    made += [new(length) for length in (most, most, DISPROOF + 1)]
    return Ways(*made)


def _zeros(length: int) -> list[int]:
    return [0] * length

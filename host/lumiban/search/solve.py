"""Exhaustive search of small games: who wins, for certain.

It asks "can this side force a win?" depth first: a move of the asking side needs one answer yes,
a move of the other side needs all. Answers are kept in a table of bounded size, by key. Moves
that leave the opponent the fewest replies come first: in games where the side that cannot move
loses, that finds the proof soon. Should the answer be no while draws were met, the question is
asked for the other side too.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from lumiban.errors import GameError
from lumiban.games.base import Game, Move, Position
from lumiban.games.kernel import Shelf, State, entry, kernel, row, wrapped
from lumiban.search import jit
from lumiban.search.perft import shelf_of

SLICE = 50_000
"""Positions between two reports."""
TABLE_BITS = 22
"""The table of answers holds 2 to this power, of 16 bytes each when compiled."""
PLAIN_TABLE_BITS = 19
"""The same for the plain path, whose ints are larger."""

NO, YES = 1, 2
PLY, ASKER, ANSWER, BEST, DRAWS, NODES, FAULT = 0, 1, 2, 3, 4, 5, 6
"""Places in `meta`."""


@dataclass(frozen=True, slots=True)
class Solved:
    """The outcome of perfect play: `winner` is a side, or None for a draw."""

    winner: int | None
    nodes: int
    """Positions looked at."""
    best: Move | None
    """A move that holds this outcome for the mover; None when every move loses."""
    seconds: float
    is_exact: bool
    """True if the keys are known to tell all positions apart, so that the proof rests on no
    hash."""


class Proof(NamedTuple):
    """State of a search; rows by ply."""

    listed: Any
    """The moves still undecided at each ply, best first."""
    weight: Any
    """Scratch: replies to each of the moves."""
    count: Any
    at: Any
    """The move being looked at."""
    keys: Any
    """The key of the position at each ply."""
    table_keys: Any
    table_answers: Any
    out: Any
    replies: Any
    """Scratch for moves and for replies to them."""
    meta: Any


@kernel
def place(proof: Any, key: int) -> int:
    """The slot for a key: its own where it is known, else the one to be overwritten.

    The high bits of the product choose the slot, its neighbour is the second choice.
    """
    mask = len(proof.table_keys) - 1
    slot = (wrapped(key ^ (key >> 29), 0x9E3779B1, 0) >> 11) & mask
    if proof.table_keys[slot] == key or proof.table_answers[slot] == 0:
        return slot
    return slot ^ 1


@kernel
def known(proof: Any, key: int) -> int:
    """The answer for a key: NO, YES, or 0 where it is not in the table."""
    slot = place(proof, key)
    if proof.table_keys[slot] == key:
        return proof.table_answers[slot]  # type: ignore[no-any-return]  # Any for the compiler
    return 0


@kernel
def answered(proof: Any, ended: int, key: int) -> int:
    """NO or YES for a position by its outcome's code or by the table; 0 when neither tells."""
    if ended == -1:
        return known(proof, key)
    if ended == 0:
        proof.meta[DRAWS] += 1
    elif ended < 0:
        proof.meta[FAULT] = 1
    return YES if ended == proof.meta[ASKER] + 1 else NO


@kernel
def open_up(proof: Any, state: Any, child: Any, ply: int) -> int:
    """List the undecided moves of `state` at `ply`; NO or YES if that decides it, else 0."""
    wish = YES if state.mover() == proof.meta[ASKER] else NO
    most = len(proof.out)
    base = ply * most
    n = state.moves(proof.out)
    kept = 0
    for i in range(n):
        move = proof.out[i]
        child.assign(state)
        child.play(move)
        proof.meta[NODES] += 1
        answer = answered(proof, child.outcome(), child.key())
        if answer == wish:
            if ply == 0:
                proof.meta[BEST] = move
            return wish
        if answer == 0:
            replies = child.moves(proof.replies)
            if child.mover() == state.mover():
                replies = most - replies
            j = kept
            while j > 0 and proof.weight[j - 1] > replies:
                proof.weight[j] = proof.weight[j - 1]
                proof.listed[base + j] = proof.listed[base + j - 1]
                j -= 1
            proof.weight[j] = replies
            proof.listed[base + j] = move
            kept += 1
    if kept == 0:
        return YES + NO - wish
    proof.count[ply] = kept
    proof.at[ply] = -1
    return 0


@entry
def prove(proof: Proof, shelf: Shelf, state: State, child: State, positions: int) -> int:
    """Look at about this number of positions more; the answer for the root, 0 while it is open."""
    meta = proof.meta
    most = len(proof.out)
    until = meta[NODES] + positions
    ply = meta[PLY]
    if ply < 0:
        ply = 0
        proof.keys[0] = state.key()
        row(shelf, 0).assign(state)
        meta[ANSWER] = open_up(proof, state, child, 0)
    while meta[ANSWER] == 0 and meta[NODES] < until and meta[FAULT] == 0:
        state.assign(row(shelf, ply))
        proof.at[ply] += 1
        if proof.at[ply] == proof.count[ply]:
            # None of the moves was what the mover wished.
            answer = NO if state.mover() == meta[ASKER] else YES
        else:
            wish = YES if state.mover() == meta[ASKER] else NO
            move = proof.listed[ply * most + proof.at[ply]]
            state.play(move)
            answer = known(proof, state.key())
            if answer == 0:
                if ply + 2 > len(proof.count):
                    meta[FAULT] = 1
                    break
                ply += 1
                proof.keys[ply] = state.key()
                answer = open_up(proof, state, child, ply)
                if answer == 0:
                    row(shelf, ply).assign(state)
                    continue
                slot = place(proof, proof.keys[ply])
                proof.table_keys[slot] = proof.keys[ply]
                proof.table_answers[slot] = answer
                ply -= 1
            if answer != wish:
                continue
            if ply == 0:
                meta[BEST] = move
        # The position at `ply` is decided, and so may be those above it: they find it in the
        # table, or hear it here.
        while True:
            slot = place(proof, proof.keys[ply])
            proof.table_keys[slot] = proof.keys[ply]
            proof.table_answers[slot] = answer
            if ply == 0:
                meta[ANSWER] = answer
                break
            ply -= 1
            state.assign(row(shelf, ply))
            wish = YES if state.mover() == meta[ASKER] else NO
            if answer != wish:
                break
            if ply == 0:
                meta[BEST] = proof.listed[proof.at[0]]
    meta[PLY] = ply
    return meta[ANSWER]  # type: ignore[no-any-return]  # fields are Any for the compiler


def solve(
    game: Game,
    position: Position,
    progress: Callable[[int, int, int], None] | None = None,
    *,
    compiled: bool = True,
    stop: Callable[[], bool] | None = None,
) -> Solved:
    """The outcome of `position` under perfect play, by going through everything that matters.

    `progress(positions looked at, moves settled here, moves here)` is called several times a
    second; `stop()` is asked as often, and ends it with a GameError. `compiled` uses numba where
    it is there. GameError too for a game in which positions can come again: their worth depends
    on the way, which no table of positions can know.
    """
    began = time.monotonic()
    ended = game.outcome(position)
    if ended is not None:
        return Solved(ended.winner, 0, None, 0.0, is_exact=True)
    state = game.state(position)
    if game.may_repeat:
        raise GameError("positions can come again in this game, so that it cannot be solved")
    mover = state.mover()
    nodes = 0
    winner: int | None = None
    best: int | None = None
    for asker in (mover, 1 - mover):
        question = _Question(game, position, asker, compiled and jit.fits(state))
        while not question.go_on():
            if progress is not None:
                progress(nodes + question.nodes, *question.settled)
            if stop is not None and stop():
                raise GameError(f"stopped after {nodes + question.nodes} positions: not solved")
        nodes += question.nodes
        if question.answer == YES:
            winner = asker
            best = question.best if asker == mover else None
            break
        if asker == mover and question.draws == 0:
            winner = 1 - asker
            break
        # Twice no is a draw, held by the move that made the second answer no.
        best = question.best
    return Solved(
        winner,
        nodes,
        None if best is None else game.move_of(position, best),
        time.monotonic() - began,
        exact_keys(game.zobrist_keys),
    )


def exact_keys(hashes: Sequence[int]) -> bool:
    """True if sums (exclusive or) of these numbers are equal only for equal sets of them.

    Then the keys of positions, made of them, tell all positions apart.

    >>> exact_keys([1, 2, 4]), exact_keys([1, 2, 3]), exact_keys([])
    (True, False, False)
    """
    basis: list[int] = []
    for number in hashes:
        for other in basis:
            number = min(number, number ^ other)
        if number == 0:
            return False
        basis.append(number)
    return bool(basis)


class _Question:
    """Can `asker` force a win?"""

    def __init__(self, game: Game, position: Position, asker: int, compiled: bool) -> None:
        self._from = (game, position, asker)
        self._set_out(compiled)

    def _set_out(self, compiled: bool) -> None:
        game, position, asker = self._from
        state, child = game.state(position), game.state(position)
        most, plies = game.capacity[0] + 1, game.capacity[1] + 2
        shelf = shelf_of(game, position, plies)
        new = jit.zeros if compiled else _zeros
        slots = 1 << (TABLE_BITS if compiled else PLAIN_TABLE_BITS)
        lengths = (
            most * plies, most, plies, plies, plies,
            slots, slots, most, most, 7,
        )  # fmt: skip
        self._proof = Proof(*(new(length) for length in lengths))
        self._run, self._slice = prove, SLICE // 50
        if compiled:
            self._run, self._slice = jit.compiled(prove, type(state)), SLICE
            shelf, state, child = map(jit.compiled_state, (shelf, state, child))
        self._states = (shelf, state, child)
        self._proof.meta[ASKER] = asker
        self._proof.meta[PLY] = -1

    def go_on(self) -> bool:
        """Search for a slice; whether the answer is there."""
        proof = self._proof
        try:
            answer = self._run(proof, *self._states, self._slice)
        except jit.Unfit:
            self._set_out(compiled=False)
            return self.go_on()
        if proof.meta[FAULT]:
            raise GameError("this game is too long to solve: it has no room to remember it")
        return bool(answer != 0)

    @property
    def answer(self) -> int:
        """YES, NO, or 0 while it is open."""
        return int(self._proof.meta[ANSWER])

    @property
    def best(self) -> int:
        """The move that decided the question for the mover of the position, where one did."""
        return int(self._proof.meta[BEST])

    @property
    def draws(self) -> int:
        """Number of draws met."""
        return int(self._proof.meta[DRAWS])

    @property
    def nodes(self) -> int:
        """Number of positions looked at."""
        return int(self._proof.meta[NODES])

    @property
    def settled(self) -> tuple[int, int]:
        """Number of the undecided moves at hand that are settled, and of all of them."""
        return max(0, int(self._proof.at[0])), int(self._proof.count[0])


def _zeros(length: int) -> list[int]:
    return [0] * length

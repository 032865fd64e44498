"""The search tree, and what all tree searches have in common.

A tree is flat arrays of ints, set aside at once: node 0 is the root, the children of a node lie
side by side. Plain and compiled search share the tables of its formula, so that both choose the
same move down to the last bit. Searches grow by slices, so short that a stop is soon heard, tell of
the root's moves, and take the threads and the memory that this machine lends, as the environment
says.
"""

from __future__ import annotations

import math
import os
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, NamedTuple, TypeGuard

from lumiban.errors import GameError, UsageError
from lumiban.games.base import Game, Position
from lumiban.games.kernel import Floats, kernel
from lumiban.games.registry import telling
from lumiban.games.simple import SimpleGame
from lumiban.search import jit

EXPLORATION = 0.4
"""Weight of the unknown against the known, for values between 0 and 1. In 60 games of Control on
side 5 with 1 500 playouts a move, 0.4 won 38 against 0.6; 0.25 won 32 and 0.9 won 26."""
TABLE = 1 << 12
"""Visit counts with an entry of their own in the tables; a power of 4."""
MAX_NODES = 1 << 20
"""Bound of a tree: 56 MB."""
NODE_BYTES = 56
"""7 ints of 8 bytes."""

UNKNOWN = -1
"""A node's `proof` while its outcome is not certain; else the outcome's code."""
USED, FAULT = 0, 1
"""Places in `meta`: nodes in use; 1 once a State ran out of room."""


class Tree(NamedTuple):
    """The nodes, by number; `score` counts 2 for a win of White's and 1 for a draw."""

    move: Any
    """The move that leads here."""
    side: Any
    """The side to move; known from the first visit on."""
    first: Any
    """The first child, where `count` is not 0."""
    count: Any
    """Children; 0 for a leaf."""
    visits: Any
    score: Any
    proof: Any
    meta: Any


class Tables(NamedTuple):
    """Parts of the UCB formula by visit count."""

    reach: Floats
    """`EXPLORATION · √ln n` of a parent; behind `TABLE` one entry for each length in bits."""
    spread: Floats
    """1 ⁄ √n of a child."""


def new_tree(nodes: int, compiled: bool) -> Tree:
    """An empty tree with room for a number of nodes."""
    fields = [jit.zeros(nodes) if compiled else [0] * nodes for _ in range(7)]
    fields.append(jit.ints([1, 0]) if compiled else [1, 0])
    tree = Tree(*fields)
    tree.proof[0] = UNKNOWN
    return tree


@cache
def tables(compiled: bool) -> Tables:
    """The tables, as lists or as arrays with the same numbers."""
    reach = [EXPLORATION * math.sqrt(math.log(max(n, 1))) for n in range(TABLE)]
    reach += [EXPLORATION * math.sqrt(math.log(1 << bits)) for bits in range(64)]
    spread = [1.0] + [1.0 / math.sqrt(n) for n in range(1, TABLE)]
    if compiled:
        return Tables(jit.floats(reach), jit.floats(spread))
    return Tables(reach, spread)


@kernel
def reach(table: Any, n: int) -> float:
    """`EXPLORATION · √ln n`, in steps of powers of 2 above the table."""
    if n < TABLE:
        return table.reach[n]  # type: ignore[no-any-return]  # fields are Any for the compiler
    bits = 0
    while n > 1:
        n >>= 1
        bits += 1
    return table.reach[TABLE + bits]  # type: ignore[no-any-return]  # as above


@kernel
def spread(table: Any, n: int) -> float:
    """1 ⁄ √n; above the table to its precision."""
    scale = 1.0
    while n >= TABLE:
        n >>= 2
        scale *= 0.5
    return scale * table.spread[n]  # type: ignore[no-any-return]  # as above


@kernel
def descend(tree: Any, table: Any, node: int) -> int:
    """The child to look at next: one never seen, else the one with the highest upper bound."""
    side = tree.side[node]
    lost = 2 - side
    horizon = reach(table, tree.visits[node])
    first: int = tree.first[node]
    best: int = first
    top = -1.0
    for child in range(first, first + tree.count[node]):
        n = tree.visits[child]
        if n == 0:
            return child
        if tree.proof[child] == lost:
            continue
        score = tree.score[child]
        if side != 0:
            score = 2 * n - score
        bound = score / (2 * n) + horizon * spread(table, n)
        if bound > top:
            top = bound
            best = child
    return best


@kernel
def settle(tree: Any, node: int) -> bool:
    """Prove a node from its children if they suffice; returns whether they did."""
    won = tree.side[node] + 1
    verdict = 3 - won
    open_children = 0
    first = tree.first[node]
    for child in range(first, first + tree.count[node]):
        proof = tree.proof[child]
        if proof == won:
            tree.proof[node] = won
            return True
        if proof == UNKNOWN:
            open_children += 1
        elif proof == 0:
            verdict = 0
    if open_children > 0:
        return False
    tree.proof[node] = verdict
    return True


class Choice(NamedTuple):
    """A move at the root as the search sees it."""

    code: int
    side: int
    """Side that makes it."""
    visits: int
    score: int
    """2 for each playout that White won, 1 for each draw."""
    proof: int = UNKNOWN
    """The outcome's code where it is certain."""

    @property
    def value(self) -> float:
        """Worth for its mover, from 0 to 1; 0.5 where nothing is known.

        >>> Choice(7, 1, 10, 5).value
        0.75
        """
        if self.proof == UNKNOWN:
            white = self.score / (2 * self.visits) if self.visits else 0.5
        else:
            white = (0.5, 1.0, 0.0)[self.proof]
        return 1.0 - white if self.side else white

    @property
    def certain(self) -> int:
        """1 when it surely wins, −1 when it surely loses, else 0."""
        return {self.side + 1: 1, 2 - self.side: -1}.get(self.proof, 0)

    @property
    def rank(self) -> tuple[int, int, float]:
        """The best move has the highest: won for certain, else the most visited not lost."""
        return self.certain, self.visits, self.value


@dataclass(frozen=True, slots=True)
class Room:
    """Bounds of a search's memory."""

    bytes: int = 128 << 20

    def shared(self, among: int) -> Room:
        """The part of each of several searches."""
        return Room(self.bytes // among)


def state_to_search(game: Game, position: Position, *, compiled: bool = True) -> Any:
    """The State that a tree search plays on; where code may be compiled, of a game in plain Python
    the kernels of its rule, if it has them."""
    if compiled and is_plain(game) and jit.available():
        from lumiban.search.rule_kernels import state_of  # needed for such games only

        return state_of(game, position)
    return game.state(position)


def is_plain(game: Game) -> TypeGuard[SimpleGame]:
    """True if a game's rule is plain Python, with no kernel made by hand."""
    return isinstance(game, SimpleGame) and game.kernel is None


class TreeSearch(ABC):
    """A search of one position that grows as long as one asks it to.

    `seed` decides all chance; `playouts` is the most that will be asked for and bounds the memory
    together with `room`. `compiled` runs the same text compiled, where that can be had.
    """

    def __init__(
        self,
        game: Game,
        position: Position,
        seed: int,
        playouts: int,
        compiled: bool,
        room: Room | None = None,
    ) -> None:
        self.game, self.position = game, position
        self.seed, self.most = seed, playouts
        self.room = room or Room()
        self.playouts = 0
        self.compiled = compiled
        self.compiled = compiled and jit.fits(self._state())
        self._set_out()

    def grow(self, playouts: int) -> int:
        """Play a number of games more; returns how many, fewer once the root is proven.

        GameError when the rules ran out of room to remember the game.
        """
        plainly = not self.compiled and is_plain(self.game)
        try:
            done = self._grow_limited(playouts) if plainly else self._grow(playouts)
        except jit.Unfit:
            return self._plainly(playouts)
        self.playouts += done
        if self._meta[FAULT]:
            if self.compiled and is_plain(self.game):
                # Plain Python comes upon the same, and tells the line of it.
                return self._plainly(playouts)
            raise GameError("this game is too long to think about: it has no room to remember it")
        return done

    def _grow_limited(self, playouts: int) -> int:
        """Play a number of games by a user's own rule, a few as one limited call of it: to set the
        limits takes as long as a short game's fifth."""
        done = 0
        while done < playouts:
            portion = min(_TOGETHER, playouts - done)
            with telling(self.game, self.position, is_limited=True):
                grown = self._grow(portion)
            done += grown
            if grown < portion:
                break
        return done

    def _plainly(self, playouts: int) -> int:
        """Begin again, in plain Python."""
        self.compiled = False
        self.playouts = 0
        self._set_out()
        return self.grow(playouts)

    @property
    @abstractmethod
    def proof(self) -> int:
        """The outcome's code where it is certain, else `UNKNOWN`."""

    @abstractmethod
    def choices(self) -> Sequence[Choice]:
        """The moves at the root that it has looked at."""

    @abstractmethod
    def expected_moves(self, code: int) -> list[int]:
        """The moves expected from here, the one with this code first."""

    @property
    def is_proven(self) -> bool:
        """True if the outcome of the position is certain."""
        return self.proof != UNKNOWN

    def best(self) -> Choice | None:
        """The move to play, None where there is none."""
        return max(self.choices(), key=lambda choice: choice.rank, default=None)

    @property
    def _meta(self) -> Any:
        raise NotImplementedError

    def _state(self) -> Any:
        return state_to_search(self.game, self.position, compiled=self.compiled)

    def _set_out(self) -> None:
        raise NotImplementedError

    def _grow(self, playouts: int) -> int:
        raise NotImplementedError


_TOGETHER = 4
"""Games of a user's own rule that are one call of it for its limits."""
SLICE_US = 12_000
"""Duration in µs of a slice of work: a stop is heard after one, and threads wait for each other at
its end (slices of 8 ms cost two of them 4 % of their rate)."""
MAX_IN_SLICE = 1 << 14
"""Games of a tree played at once; fewer keep two threads from slices of their full time."""


def next_portion(portion: int, took_us: int, most: int) -> int:
    """The size of the next slice after one of `portion` that took so long: at most twice it.

    >>> next_portion(100, 2_000, 10_000), next_portion(100, 16_000, 10_000)
    (200, 75)
    """
    return max(1, min(most, 2 * portion, portion * SLICE_US // max(1, took_us)))


THREADS, MEGABYTES = "LUMIBAN_THREADS", "LUMIBAN_SEARCH_MB"
PONDER = "LUMIBAN_PONDER"
MAX_THREADS = 64
MIN_MEGABYTES, MAX_MEGABYTES = 4, 65_536


def ponders() -> bool:
    """True if a bot may think on the opponent's time: where there is a core to spare, unless
    `LUMIBAN_PONDER` says 0 or 1; UsageError."""
    return bool(_whole(PONDER, int((os.cpu_count() or 1) > 1), 0, 1))


def thread_count() -> int:
    """`LUMIBAN_THREADS`, else one a core; UsageError."""
    return _whole(THREADS, os.cpu_count() or 1, 1, MAX_THREADS)


def tree_room() -> Room:
    """`LUMIBAN_SEARCH_MB`, else what `Room` says: the most that the trees of one thought take."""
    return Room(_whole(MEGABYTES, Room().bytes >> 20, MIN_MEGABYTES, MAX_MEGABYTES) << 20)


def _whole(name: str, otherwise: int, least: int, most: int) -> int:
    value = os.environ.get(name, "")
    if not value:
        return min(otherwise, most)
    if not (value.isascii() and value.isdigit() and least <= int(value) <= most):
        raise UsageError(f"{name}={value} is not a whole number from {least} to {most}")
    return int(value)

"""Several trees of one position, a thread each, merged at the root: a core more, a tree more.

The threads share nothing, so the same seed, playouts and number of threads give the same move.
"""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from typing import Any

from lumiban.games.base import Game, Position
from lumiban.search.searching import Choice, Room, TreeSearch
from lumiban.search.tree import UNKNOWN

_ODD = 0x9E3779B9
"""Between the seeds of the trees."""


class Forest(TreeSearch):
    """Trees of one `kind` of search in so many `threads`; see `TreeSearch`. Given `trees` go on.

    The plain path grows the same trees one after the other.
    """

    def __init__(
        self,
        kind: type[TreeSearch],
        threads: int,
        game: Game,
        position: Position,
        seed: int,
        playouts: int,
        compiled: bool,
        room: Room | None = None,
        trees: Sequence[TreeSearch] = (),
    ) -> None:
        self._kind, self._threads = kind, threads
        self.trees = list(trees)
        super().__init__(game, position, seed, playouts, compiled, room)

    def _set_out(self) -> None:
        if self.trees and all(tree.compiled == self.compiled for tree in self.trees):
            return
        room = self.room.shared(self._threads)
        each = -(-self.most // self._threads)
        self.trees = [
            self._kind(self.game, self.position, self.seed + _ODD * i, each, self.compiled, room)
            for i in range(self._threads)
        ]
        # The compiler, if it is needed, works once and here.
        self.trees[0].grow(0)
        self.compiled = self.trees[0].compiled

    def _grow(self, playouts: int) -> int:
        total = self.playouts + playouts
        count = len(self.trees)
        shares = [total // count + (i < total % count) for i in range(count)]
        grown = sum(tree.playouts for tree in self.trees)
        missing = [
            max(0, share - tree.playouts) for tree, share in zip(self.trees, shares, strict=True)
        ]
        if self.compiled:
            list(_pool(count).map(TreeSearch.grow, self.trees, missing))
        else:
            for tree, share in zip(self.trees, missing, strict=True):
                tree.grow(share)
        return sum(tree.playouts for tree in self.trees) - grown

    @property
    def _meta(self) -> Any:
        return self.trees[0]._meta  # each tree tells of its own faults

    @property
    def _proof_of(self) -> TreeSearch | None:
        """The tree that came to a proof with the fewest playouts, whatever the slices were."""
        proven = [tree for tree in self.trees if tree.proven]
        return min(proven, key=lambda tree: tree.playouts, default=None)

    @property
    def proof(self) -> int:
        """The outcome's code where one of the trees is certain, else `UNKNOWN`."""
        sure = self._proof_of
        return UNKNOWN if sure is None else sure.proof

    def choices(self) -> Sequence[Choice]:
        """The moves at the root with the visits of all trees."""
        sure = self._proof_of
        if sure is not None:
            return sure.choices()
        merged: dict[int, Choice] = {}
        for tree in self.trees:
            for one in tree.choices():
                other = merged.get(one.code)
                if other is not None:
                    visits, score = one.visits + other.visits, one.score + other.score
                    one = Choice(one.code, one.side, visits, score, max(one.proof, other.proof))
                merged[one.code] = one
        return list(merged.values())

    def line(self, code: int) -> list[int]:
        """The moves expected from here, by the tree that looked at this one most."""

        def visits(tree: TreeSearch) -> int:
            return max((c.visits for c in tree.choices() if c.code == code), default=-1)

        sure = self._proof_of
        return (sure or max(self.trees, key=visits)).line(code)


@cache
def _pool(threads: int) -> ThreadPoolExecutor:
    return ThreadPoolExecutor(threads, "lumiban-search")

"""Choice of the tree search that suits a game, root-parallel search, and tree reuse between moves.

Several trees of one position, a thread each, are merged at the root: a core more, a tree more. The
threads share nothing, so the same seed, playouts and number of threads give the same move.
`TreeReuse` is what a bot's last thought leaves for its next one in the same game.
"""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from typing import Any

from lumiban.errors import LumibanError, RuleError, UsageError
from lumiban.games.base import Game, Position, SearchHints
from lumiban.search.grave import Grave, reroot
from lumiban.search.tree import UNKNOWN, Choice, Room, TreeSearch
from lumiban.search.uct import Uct, onward_uct

KINDS: dict[str, type[TreeSearch]] = {"uct": Uct, "grave": Grave}
"""The tree searches by name."""


def best_search(game: Game, position: Position) -> str:
    """Name of the search that plays the game best, as the game says; RuleError where none is."""
    hints = game.search_hints(position)
    if not isinstance(hints, SearchHints) or hints.search not in KINDS:
        raise RuleError(
            f"{type(game).__name__}.search_hints says {hints!r}: it is SearchHints with the search"
            f" {' or '.join(KINDS)}"
        )
    return hints.search


def kind_of(game: Game, position: Position, name: str | None = None) -> type[TreeSearch]:
    """The search called so, by default the one that plays the game best; UsageError, RuleError."""
    name = name or best_search(game, position)
    try:
        return KINDS[name]
    except KeyError:
        raise UsageError(f"no search {name!r}: choose {', '.join(KINDS)}") from None


def new_search(
    game: Game,
    position: Position,
    seed: int,
    playouts: int,
    *,
    compiled: bool = True,
    kind: str | None = None,
    threads: int = 1,
    room: Room | None = None,
) -> TreeSearch:
    """A search of `position`, of the game's best kind or one by name, in one thread or more."""
    search = kind_of(game, position, kind)
    if threads > 1:
        return RootParallelSearch(search, threads, game, position, seed, playouts, compiled, room)
    return search(game, position, seed, playouts, compiled, room)


_ODD = 0x9E3779B9
"""Between the seeds of the trees."""


class RootParallelSearch(TreeSearch):
    """Trees of one `kind` of search in `threads` threads; see `TreeSearch`. Given `trees` go on.

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
        proven = [tree for tree in self.trees if tree.is_proven]
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

    def expected_moves(self, code: int) -> list[int]:
        """The moves expected from here, by the tree that looked at this one most."""

        def visits(tree: TreeSearch) -> int:
            return max((c.visits for c in tree.choices() if c.code == code), default=-1)

        sure = self._proof_of
        return (sure or max(self.trees, key=visits)).expected_moves(code)


@cache
def _pool(threads: int) -> ThreadPoolExecutor:
    return ThreadPoolExecutor(threads, "lumiban-search")


class TreeReuse:
    """The last search."""

    def __init__(self) -> None:
        self._last: TreeSearch | None = None

    def keep(self, search: TreeSearch) -> None:
        """Remember a search that is done."""
        self._last = search

    def next(self, game: Game, position: Position, seed: int, playouts: int) -> TreeSearch | None:
        """A search of `position` that begins with what is known of it, as many `playouts` as asked
        for on top; None where the last search was of another game or line. What was kept is gone.
        """
        last, self._last = self._last, None
        if last is None or last.game != game:
            return None
        codes = _between(game, last.position, position)
        if codes is None:
            return None
        old = last.trees if isinstance(last, RootParallelSearch) else [last]
        each = -(-playouts // len(old))
        trees: list[TreeSearch] = []
        known = False
        for number, tree in enumerate(old):
            later: TreeSearch | None = None
            if isinstance(tree, Grave):
                later = reroot(tree, codes, position, seed + number, each)
            elif isinstance(tree, Uct):
                later = onward_uct(tree, codes, position, seed + number, each)
            known = known or later is not None
            fresh = later or type(tree)(
                game, position, seed + number, each, tree.compiled, tree.room
            )
            trees.append(fresh)
        if not known:
            return None
        if not isinstance(last, RootParallelSearch):
            return trees[0]
        return RootParallelSearch(
            type(old[0]),
            len(trees),
            game,
            position,
            seed,
            playouts,
            last.compiled,
            last.room,
            trees,
        )


def _between(game: Game, earlier: Position, later: Position) -> list[int] | None:
    """The codes of the moves that lead from one position to a later one of the same game."""
    known = len(earlier.history)
    moves = later.history[known:]
    if later.history[:known] != earlier.history or any(move.is_word for move in moves):
        return None
    now = earlier
    try:
        for move in moves:
            now = game.play(now, move)
    except LumibanError:
        return None
    return [move.code for move in moves] if now == later else None

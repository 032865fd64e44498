"""One move's thought, inline: what a bot plays in a position, and what it expects.

Virtual time and tests call this directly with a number of playouts; the worker calls it with a
level's bounds.
"""

from __future__ import annotations

import math
import random
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, cast

from lumiban.errors import GameError
from lumiban.games.api import Game, Move, Position
from lumiban.search.levels import Level, level_of
from lumiban.search.uct import Search
from lumiban.search.words import claim, say

if TYPE_CHECKING:
    from lumiban.games.doves import Doves

SLICE_US = 8_000
"""How long a slice of playouts should take: a stop is heard after one."""
_MOST_IN_SLICE = 4_096
_MOST_PLAYOUTS = 1 << 22
"""A thought that is bounded by time alone takes no more; its tree is full by then."""


@dataclass(frozen=True, slots=True)
class Thought:
    """What came of thinking: a move, its worth for the mover from 0 to 1, and what follows."""

    move: Move
    value: float
    visits: int
    """Playouts that went through `move`."""
    playouts: int
    """Playouts in all."""
    pv: tuple[Move, ...]
    """The moves expected from here, `move` first."""
    proven: bool = False
    """Whether the outcome is certain, and `value` 0, 0.5 or 1 for that reason."""


def think(
    game: Game,
    position: Position,
    level: str,
    seed: int,
    *,
    playouts: int | None = None,
    longest_us: int | None = None,
    compiled: bool = True,
    stop: Callable[[], bool] | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> Thought:
    """The move that a bot of this level makes in `position`, as its mover may know it.

    `position` is a `game.view`. With `playouts` the thought takes exactly as many (fewer only when
    all is proven) however long they last, and the same seed gives the same thought; without, the
    level's playouts and time bound it, or `longest_us` alone. `compiled` uses numba where it is
    there: the thought is the same. `stop()` is asked every few milliseconds and ends the thought
    early with what it has. `progress(done, of)` hears of each slice. Where the game moves by words
    (a pie is set), the move is a word. GameError when there is nothing to say either.
    """
    how = level_of(level)
    side = _mover(game, position)
    budget, deadline = _bounds(how, playouts, longest_us)

    def worth(after: Position) -> tuple[int, float]:
        search = Search(game, after, seed, budget, compiled)
        _spend(search, budget, deadline, stop, progress)
        mover = _mover(game, after)
        return mover, search.value(0, mover)

    moves = game.moves(position, side)
    if not moves:
        word = say(game, position, side, seed, worth)
        if word is None:
            raise GameError("there is nothing to think about: the mover has no move")
        return Thought(word, 0.5, 0, 0, (word,))
    winning = _win_at_once(game, position, side)
    if winning is not None:
        return Thought(winning, 1.0, 0, 0, (winning,), proven=True)
    claimed = claim(game, position, side)
    if claimed is not None:
        return Thought(claimed, 0.5, 0, 0, (claimed,))
    if len(moves) == 1 and playouts is None:
        return Thought(moves[0], 0.5, 0, 0, (moves[0],))
    if game.slug == "doves" and how.temperature == 0.0:
        from lumiban.search.doves_think import NODES_A_PLAYOUT, think_doves

        longest = None if deadline is None else max(0, deadline - _now_us())
        return think_doves(
            cast("Doves", game), position, seed, nodes=budget * NODES_A_PLAYOUT,
            longest_us=longest, compiled=compiled, stop=stop, progress=progress,
        )  # fmt: skip
    search = Search(game, position, seed, budget, compiled)
    _spend(search, budget, deadline, stop, progress)
    return _conclude(game, position, search, how, side, seed)


def _bounds(how: Level, playouts: int | None, longest_us: int | None) -> tuple[int, int | None]:
    """(playouts, time at which to stop): exactly the playouts asked for, or within a time."""
    if playouts is not None:
        return playouts, None
    if longest_us is not None:
        return _MOST_PLAYOUTS, _now_us() + longest_us
    return how.playouts, _now_us() + how.longest_us


def _now_us() -> int:
    return time.monotonic_ns() // 1000


def _mover(game: Game, position: Position) -> int:
    """Whose move is sought: where both sides may act, that of the side that the State names."""
    movers = game.movers(position)
    if not movers:
        raise GameError("there is nothing to think about: the game is over")
    return movers[0] if len(movers) == 1 else int(game.state(position).mover())


def _win_at_once(game: Game, position: Position, side: int) -> Move | None:
    """A move that ends the game in the mover's favour, if there is one."""
    root, state = game.state(position), game.state(position)
    out = [0] * (game.capacity[0] + 1)
    for code in out[: root.moves(out)]:
        state.assign(root)
        state.play(code)
        if state.outcome() == side + 1:
            return game.move_of(position, code)
    return None


def _spend(
    search: Search,
    budget: int,
    deadline_us: int | None,
    stop: Callable[[], bool] | None,
    progress: Callable[[int, int], None] | None,
) -> None:
    """Grow the tree in slices that last about `SLICE_US` each.

    A first playout always happens, so that there is a move to give.
    """
    portion = 1
    while search.playouts < budget:
        began = _now_us()
        portion = min(portion, budget - search.playouts)
        if search.grow(portion) < portion:
            return
        ended = _now_us()
        if progress is not None:
            progress(search.playouts, budget)
        if (stop is not None and stop()) or (deadline_us is not None and ended >= deadline_us):
            return
        took = max(1, ended - began)
        portion = max(1, min(_MOST_IN_SLICE, 2 * portion, portion * SLICE_US // took))


def _conclude(
    game: Game, position: Position, search: Search, level: Level, side: int, seed: int
) -> Thought:
    child = _choose(search, level, side, seed)
    tree = search.tree
    pv = []
    node, now = child, position
    while node >= 0:
        move = game.move_of(now, int(tree.move[node]))
        pv.append(move)
        now = game.play(now, move)
        node = search.best(node)
    return Thought(
        pv[0],
        search.value(child, side),
        int(tree.visits[child]),
        search.playouts,
        tuple(pv),
        search.proven,
    )


def _choose(search: Search, level: Level, side: int, seed: int) -> int:
    """The best child, or at a level with leeway one that looks nearly as good."""
    best = search.best()
    if level.temperature == 0.0 or search.proven:
        return best
    most = int(search.tree.visits[best])
    top = search.value(best, side)
    good = [
        child
        for child in search.children()
        if 3 * int(search.tree.visits[child]) >= most
        and search.value(child, side) >= top - level.leeway
        and int(search.tree.proof[child]) != 2 - side
    ]
    if len(good) < 2:
        return best
    weights = [math.exp((search.value(c, side) - top) / level.temperature) for c in good]
    return random.Random(seed).choices(good, weights)[0]

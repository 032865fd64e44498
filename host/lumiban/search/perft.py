"""Perft: number of ways to play a number of moves. It proves a move list against another."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from lumiban.games.base import Game, Position
from lumiban.games.kernel import Rows, Shelf, entry, row
from lumiban.search import jit

SLICE = 20_000
"""Positions between two reports."""


@entry
def count(
    shelf: Shelf, listed: Rows, ends: Any, total: Any, over: Any, depth: int, positions: int
) -> int:  # fmt: skip
    """Count on for at most `positions` positions; how many of them were not needed.

    It holds its place in its arrays: `shelf` is a State of tables with a row for each ply, `listed`
    has the moves of each, `ends` the ply (at 0) and how many moves are left to try at each (from
    1); `total` the moves by ply. The last ply is counted in bulk, unless `over` is a row too: then
    every position is made and judged, and it counts by ply those that end the game; these are not
    played on.
    """
    judges = len(over) != 0
    ply = ends[0]
    while ply >= 0 and positions > 0:
        left = ends[1 + ply]
        if left == 0:
            ply -= 1
            continue
        positions -= 1
        ends[1 + ply] = left - 1
        state = row(shelf, ply + 1)
        state.assign(row(shelf, ply))
        state.play(listed[ply][left - 1])
        if judges:
            total[ply] += 1
            if state.outcome() != -1:
                over[ply] += 1
                continue
            if ply + 1 == depth:
                continue
        n = state.moves(listed[ply + 1])
        ply += 1
        if not judges:
            total[ply] += n
            if ply + 1 == depth:
                ply -= 1
                continue
        ends[1 + ply] = n
    ends[0] = ply
    return positions


def shelf_of(game: Game, position: Position, rows: int) -> Any:
    """So many States of a position, as `row` finds them."""
    state = game.state(position)
    if isinstance(state, tuple):
        return type(state)(*([list(values) for _ in range(rows)] for values in state))
    return [game.state(position) for _ in range(rows)]


Walk = tuple[Callable[..., int], tuple[Any, ...]]
"""`count` for a game, and its arrays at the beginning."""


def walk(game: Game, depth: int, *, position: Position, judges: bool, compiled: bool) -> Walk:
    """A walk through all sequences of moves, compiled where wanted.

    Raises:
        Unfit: this game's State cannot be compiled.
    """
    state = game.state(position)
    shelf = shelf_of(game, position, depth + 1)
    listed: Any = [[0] * (game.capacity[0] + 1) for _ in range(depth)]
    ends, total, over = [0] * (depth + 1), [0] * depth, [0] * depth * judges
    ends[1] = state.moves(listed[0])
    if not judges:
        total[0] = ends[1]
    if not compiled:
        return count, (shelf, listed, ends, total, over)
    if not jit.fits(state):
        raise jit.Unfit(f"{game.slug} has no State that can be compiled")
    arrays = (jit.compiled_state(shelf), *(jit.ints(part) for part in (listed, ends, total, over)))
    return jit.compiled(count, type(state)), arrays


def perft(
    game: Game,
    depth: int,
    progress: Callable[[int, int], None] | None = None,
    *,
    position: Position | None = None,
    compiled: bool = True,
) -> list[int]:
    """Numbers of sequences of 1, 2, … `depth` listed moves from `position`.

    `progress(root moves done, root moves)` is called now and then. Moves are counted for the
    side that the State says is to move; words are none. `compiled` uses numba where it is there.
    """
    if depth < 1:
        return []
    position = game.start() if position is None else position
    try:
        run, arrays = walk(game, depth, position=position, judges=False, compiled=compiled)
    except jit.Unfit:
        return perft(game, depth, progress, position=position, compiled=False)
    ends, total = arrays[2], arrays[3]
    n = int(ends[1])
    while depth > 1 and run(*arrays, depth, SLICE if compiled else SLICE // 50) == 0:
        if progress is not None:
            progress(n - int(ends[1]), n)
    return [int(number) for number in total]


def perft_turns(
    game: Game,
    depth: int,
    progress: Callable[[int, int], None] | None = None,
    *,
    position: Position | None = None,
) -> list[int]:
    """Numbers of sequences of 1, 2, … `depth` distinct turns from `position`.

    A turn is all that a side does until the other is to move or the game is over; turns that
    lead to the same position are one, whatever the order of their moves. Positions are told apart
    by their keys. `progress(first turns done, first turns)` is called now and then.
    """
    position = game.start() if position is None else position
    count = _Turns(game, position)
    total = [0] * max(0, depth)
    if depth < 1:
        return total
    first = count.turns(0)
    for done, turn in enumerate(first):
        if progress is not None:
            progress(done, len(first))
        count.follow(0, turn)
        for ply, number in enumerate(count.below(1, depth - 1), 1):
            total[ply] += number
    total[0] = len(first)
    return total


class _Turns:
    """Counts turns, in plain Python: a State for each ply, and what is known of positions."""

    ROOM = 1 << 18
    """Positions whose counts are remembered."""

    def __init__(self, game: Game, position: Position) -> None:
        self._from = (game, position)
        self._states = [game.state(position)]
        self._now = game.state(position)
        self._out = [0] * (game.capacity[0] + 1)
        self._remembers = not game.may_repeat
        self._known: dict[tuple[int, int], list[int]] = {}

    def turns(self, ply: int) -> list[tuple[int, ...]]:
        """The distinct turns in the position at `ply`, each as its moves in one of their orders."""
        root, now, out = self._states[ply], self._now, self._out
        mover = root.mover()
        turns: dict[int, tuple[int, ...]] = {}
        level: dict[int, tuple[int, ...]] = {root.key(): ()}
        while level:
            longer: dict[int, tuple[int, ...]] = {}
            for begun in level.values():
                self._play(root, begun)
                for move in out[: now.moves(out)]:
                    turn = (*begun, move)
                    self._play(root, turn)
                    whole = now.mover() != mover or now.outcome() != -1
                    (turns if whole else longer).setdefault(now.key(), turn)
            level = longer
        return list(turns.values())

    def follow(self, ply: int, turn: tuple[int, ...]) -> None:
        """Make the position at the next ply the one after this turn."""
        self._play(self._states[ply], turn)
        if len(self._states) == ply + 1:
            game, position = self._from
            self._states.append(game.state(position))
        self._states[ply + 1].assign(self._now)

    def below(self, ply: int, depth: int) -> list[int]:
        """Sequences of 1, 2, … `depth` turns from the position at `ply`."""
        if depth == 0:
            return []
        key = self._states[ply].key(), depth
        if self._remembers and key in self._known:
            return self._known[key]
        turns = self.turns(ply)
        total = [len(turns)] + [0] * (depth - 1)
        for turn in turns if depth > 1 else ():
            self.follow(ply, turn)
            for further, number in enumerate(self.below(ply + 1, depth - 1), 1):
                total[further] += number
        if len(self._known) >= self.ROOM:
            self._known.clear()
        self._known[key] = total
        return total

    def _play(self, root: Any, moves: tuple[int, ...]) -> None:
        self._now.assign(root)
        for move in moves:
            self._now.play(move)

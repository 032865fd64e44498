"""How the bot thinks in Tokyo Doves: short wins first, then alpha-beta as deep as time allows."""

from __future__ import annotations

import math
import random
import time
from collections.abc import Callable, Sequence
from typing import Any

from lumiban.games.base import Move, Position
from lumiban.games.doves import Doves, DovesState
from lumiban.games.doves.kernel import FACED, MOST
from lumiban.search import jit
from lumiban.search.doves_ahead import CODES, DEEPEST, SURE, TABLE_BITS, WIN, Ahead, look
from lumiban.search.doves_line import line_of, state_of
from lumiban.search.doves_mate import Hunter
from lumiban.search.doves_worth import WEIGHTS
from lumiban.search.pace import next_portion
from lumiban.search.think import Thought

NODES_A_PLAYOUT = 20
"""A level's budget is told in playouts; so many positions take about as long."""
_MOST_IN_SLICE = 1 << 16
_HUNTED = 5
"""Wins within so many plies are hunted for before anything else."""
_TASTE = 0.125
"""By how much of itself a weight may differ from thought to thought."""
_SCALE = 250.0
"""The score at which the mover wins about three games of four."""


class Search:
    """Looks ahead in one position, deeper and deeper, slice by slice.

    The same numbers of nodes give the same answer, plain and compiled, however they are sliced.
    """

    def __init__(
        self,
        game: Doves,
        position: Position,
        seed: int = 0,
        *,
        compiled: bool = True,
        deepest: int = DEEPEST,
        table_bits: int = TABLE_BITS,
        weights: Sequence[int] = WEIGHTS,
    ) -> None:
        self._game, self._position = game, position
        state = state_of(game, position)
        self._mover = state.mover()
        self.deepest = deepest
        """No depth beyond it is begun; it may be raised."""
        plies, slots = DEEPEST + 2, 1 << table_bits
        lengths = (
            MOST * plies, MOST, plies, plies, plies, plies, plies, plies, plies, plies, plies,
            2 * plies, 2 * CODES, slots, slots, slots, slots, slots, slots, DEEPEST * plies,
            plies, MOST, 4,
        )  # fmt: skip
        line: Any = line_of(state, DEEPEST)
        plan, worths = state.plan, list(weights)
        room: Callable[[int], Any] = _zeros
        self._run: Callable[[Ahead, int], bool] = look
        if compiled and jit.available():
            plan, line, worths, room = jit.ints(plan), jit.ints(line), jit.ints(worths), jit.zeros
            self._run = jit.compiled(look, DovesState)
        self._ahead = Ahead(plan, line, worths, *(room(length) for length in lengths))
        self._ahead.meta[3] = state.board[FACED]
        # Equal actions are tried in another order each time, so that not all games are the same.
        rng = random.Random(seed)
        for i in range(self._mover * CODES, (self._mover + 1) * CODES):
            self._ahead.history[i] = rng.randrange(8)
        self.depth = 0
        """The depth that was searched in full."""
        self.score = 0
        """What the position is worth for the mover, by that depth or a better one begun."""
        self.line: tuple[int, ...] = ()
        """The expected actions, by their numbers."""
        self._deeper()

    def _deeper(self) -> None:
        ahead = self._ahead
        ahead.meta[0] = self.depth + 1
        ahead.meta[1] = -1
        ahead.alpha[0], ahead.beta[0] = -WIN, WIN
        for i in range(2 * CODES):
            ahead.history[i] >>= 3 if self.depth else 0

    @property
    def nodes(self) -> int:
        """Positions looked at."""
        return int(self._ahead.meta[2])

    @property
    def done(self) -> bool:
        """Whether there is nothing more to find: a win or loss is certain, or the depth reached."""
        return self.depth > 0 and (abs(self.score) > SURE or self.depth >= self.deepest)

    def go_on(self, nodes: int) -> None:
        """Look at so many positions more, fewer if there is nothing more to find."""
        until = self.nodes + nodes
        while not self.done and self.nodes < until:
            complete = self._run(self._ahead, until - self.nodes)
            self._hear(complete)
            if complete:
                self.depth += 1
                self._deeper()

    def _hear(self, complete: bool) -> None:
        ahead = self._ahead
        move, score = int(ahead.move[0]), int(ahead.best[0])
        if complete and int(ahead.line_length[0]) == 0:
            # No action is good, or the first one listed wins.
            self.line, self.score = (move,), score
            return
        if int(ahead.line_length[0]) == 0 or move < 0:
            return
        line = tuple(int(code) for code in ahead.lines[: int(ahead.line_length[0])])
        if complete or self.depth == 0 or score > -SURE:
            self.line, self.score = line, score

    def moves(self) -> tuple[Move, ...]:
        """The expected line; the first is the move to make."""
        position, found = self._position, []
        for code in self.line:
            if self._game.outcome(position) is not None:
                break
            move = self._game.move_of(position, code)
            if self._game.why_not(position, move.side, move) is not None:
                break
            found.append(move)
            position = self._game.play(position, move)
        return tuple(found)


def warm(game: Doves) -> None:
    """Compile all that a thought needs, or read it from the cache, by a very short thought."""
    think_doves(game, game.start(), 0, nodes=40, longest_us=None)
    Hunter(game, game.start()).winning(3, None, 100)


def chance(score: int) -> float:
    """A score as the share of points to be expected, from 0 to 1.

    >>> chance(0), chance(WIN - 3), chance(4 - WIN)
    (0.5, 1.0, 0.0)
    """
    if abs(score) > SURE:
        return 1.0 if score > 0 else 0.0
    return 1.0 / (1.0 + math.exp(-score / _SCALE))


def taste(seed: int) -> list[int]:
    """The weights of a field for one thought, each up to an eighth more or less than `WEIGHTS`.

    Without it two bots play one and the same game again and again, and a person who has found a
    way to win can repeat it.

    >>> taste(1) == taste(1), taste(1) == taste(2)
    (True, False)
    """
    rng = random.Random(f"taste {seed}")
    return [round(weight * rng.uniform(1 - _TASTE, 1 + _TASTE)) for weight in WEIGHTS]


def think_doves(
    game: Doves,
    position: Position,
    seed: int,
    *,
    nodes: int,
    longest_us: int | None,
    compiled: bool = True,
    stop: Callable[[], bool] | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> Thought:
    """The move to make: a short win where there is one, else what alpha-beta finds.

    It looks at `nodes` positions, fewer where the outcome is certain, and ends early after
    `longest_us` (None: never) or when `stop()` says so, which is asked every few milliseconds.
    With None the same seed gives the same thought, plain and compiled. `progress(done, of)` hears
    of each slice. The mover must have an action.
    """
    deadline = None if longest_us is None else _now_us() + longest_us
    hunt_until = None if longest_us is None else _now_us() + longest_us // 5

    def late() -> bool:
        return (stop is not None and stop()) or (hunt_until is not None and _now_us() > hunt_until)

    hunter = Hunter(game, position, compiled=compiled)
    for plies in range(1, _HUNTED + 1, 2):
        winning = hunter.winning(plies, late, nodes // 4)
        if winning is None:
            break
        if winning:
            best = random.Random(seed).choice(winning)
            return Thought(best, 1.0, hunter.nodes, hunter.nodes, (best,), proven=True)
    search = Search(game, position, seed, compiled=compiled, weights=taste(seed))
    portion = 1
    while not search.done and search.nodes < nodes:
        began = _now_us()
        portion = min(portion, nodes - search.nodes)
        search.go_on(portion)
        ended = _now_us()
        if progress is not None:
            progress(search.nodes, nodes)
        if (stop is not None and stop()) or (deadline is not None and ended >= deadline):
            break
        portion = next_portion(portion, ended - began, _MOST_IN_SLICE)
    line = search.moves() or tuple(game.moves(position, position.state[0])[:1])
    sure = abs(search.score) > SURE and search.done
    return Thought(line[0], chance(search.score), search.nodes, search.nodes, line, proven=sure)


def _now_us() -> int:
    return time.monotonic_ns() // 1000


def _zeros(length: int) -> list[int]:
    return [0] * length

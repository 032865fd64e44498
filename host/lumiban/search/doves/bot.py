"""Bot of Tokyo Doves: short wins first, then alpha-beta as deep as time allows.

In analysis forced wins come first too. Alpha-beta tells the worth of one action and that the others
are no better; here each action's position is searched by itself, so that all have a worth, and all
to the same depth. From some depth on only the better half goes on.

`DovesEngine` is what the rest of the search asks.
"""

from __future__ import annotations

import math
import random
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from lumiban.errors import GameError
from lumiban.games.base import Game, Move, Position
from lumiban.games.doves import Doves, DovesState
from lumiban.games.doves.kernel import FACED, MAX_ACTIONS
from lumiban.search import jit
from lumiban.search.anytime_analysis import DRAW, LOSS, OPEN, WIN, Looking, Variation
from lumiban.search.doves.alphabeta import (
    CODES,
    DEEPEST,
    SURE,
    TABLE_BITS,
    WEIGHTS,
    WIN_SCORE,
    Ahead,
    line_of,
    look,
    state_of,
)
from lumiban.search.doves.alphabeta import WIN_SCORE as SCORE_OF_WIN
from lumiban.search.doves.mate import Hunter, Mate, main_line
from lumiban.search.engine import Engine, Question, Thought
from lumiban.search.levels import five_levels
from lumiban.search.tree import next_portion

NODES_A_PLAYOUT = 20
"""Number of positions that take about as long as a playout, in which a level's budget is told."""
_MAX_IN_SLICE = 1 << 16
OPENS_ANYHOW = 100
"""Number of playouts below which, as in a study, the first action of a game is any: all games would
be one line of play, which the beginner loses."""
_HUNTED = 5
"""Number of plies within which wins are hunted for before anything else."""
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
            MAX_ACTIONS * plies, MAX_ACTIONS,
            plies, plies, plies, plies, plies, plies, plies, plies, plies,
            2 * plies, 2 * CODES, slots, slots, slots, slots, slots, slots, DEEPEST * plies,
            plies, MAX_ACTIONS, 4,
        )  # fmt: skip
        line: Any
        past: Any
        line, past = line_of(state, DEEPEST)
        plan, worths = state.plan, list(weights)
        room: Callable[[int], Any] = _zeros
        self._run: Callable[[Ahead, int], bool] = look
        if compiled and jit.has_kernels(DovesState):
            plan, line, past, worths = map(jit.ints, (plan, line, past, worths))
            room = jit.zeros
            self._run = jit.compiled(look, DovesState)
        self._ahead = Ahead(plan, line, past, worths, *(room(length) for length in lengths))
        self._ahead.meta[3] = state.board[FACED]
        # Equal actions are tried in another order each time, so that not all games are the same.
        rng = random.Random(seed)
        for i in range(self._mover * CODES, (self._mover + 1) * CODES):
            self._ahead.history[i] = rng.randrange(8)
        self.depth = 0
        """The depth that was searched in full."""
        self.score = 0
        """Worth of the position for the mover, by that depth or a better one begun."""
        self.line: tuple[int, ...] = ()
        """The expected actions, by their numbers."""
        self._deeper()

    def _deeper(self) -> None:
        ahead = self._ahead
        ahead.meta[0] = self.depth + 1
        ahead.meta[1] = -1
        ahead.alpha[0], ahead.beta[0] = -WIN_SCORE, WIN_SCORE
        for i in range(2 * CODES):
            ahead.history[i] >>= 3 if self.depth else 0

    @property
    def nodes(self) -> int:
        """Positions looked at."""
        return int(self._ahead.meta[2])

    @property
    def done(self) -> bool:
        """True if there is nothing more to find: a win or loss is certain, or the depth reached."""
        return self.depth > 0 and (abs(self.score) > SURE or self.depth >= self.deepest)

    def go_on(self, nodes: int) -> None:
        """Look at a number of positions more, fewer if there is nothing more to find."""
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
        position, moves = self._position, []
        for code in self.line:
            if self._game.outcome(position) is not None:
                break
            move = self._game.move_of(position, code)
            if self._game.why_not(position, move.side, move) is not None:
                break
            moves.append(move)
            position = self._game.play(position, move)
        return tuple(moves)


def warm(game: Doves) -> None:
    """Compile all that a thought needs, or read it from the cache, by a very short thought."""
    think_doves(game, game.start(), 0, nodes=40, longest_us=None)
    Hunter(game, game.start()).winning(3, None, 100)


def chance(score: int) -> float:
    """A score as the share of points to be expected, from 0 to 1.

    >>> chance(0), chance(WIN_SCORE - 3), chance(4 - WIN_SCORE)
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
            return Thought(best, 1.0, hunter.nodes, hunter.nodes, (best,), is_proven=True)
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
        portion = next_portion(portion, ended - began, _MAX_IN_SLICE)
    line = search.moves() or tuple(game.moves(position, position.state[0])[:1])
    sure = abs(search.score) > SURE and search.done
    return Thought(line[0], chance(search.score), search.nodes, search.nodes, line, is_proven=sure)


def _now_us() -> int:
    return time.monotonic_ns() // 1000


def _zeros(length: int) -> list[int]:
    return [0] * length


MAX_HUNT = 5
"""Number of plies within which wins are hunted for before anything else."""
HUNT_SHARE = 4
"""The hunt takes this part of the budget at most."""
ALL_UNTIL, KEEP = 2, 8
"""Depth up to which all actions are searched, then the better half; and the fewest of these."""
DEEPEST_ANALYSIS = 24
ANALYSIS_TABLE_BITS = 12
"""Of the table of each action's search: with many actions these take the most memory."""


@dataclass(slots=True)
class _Action:
    """One action and what is known of it."""

    move: Move
    search: Search | None
    """None where the action ends the game."""
    value: float = 0.5
    proof: str = OPEN
    plies: int = 0
    """Of what is proven: until the end, this action included; 0 where that is not known."""
    kept: int = 0
    """Number of times that it was in the better half."""
    visits: int = 0
    line: tuple[Move, ...] = field(default=())

    @property
    def rank(self) -> tuple[int, int, int, float]:
        certain = {WIN: 1, LOSS: -1}.get(self.proof, 0)
        # A shorter win and a longer loss are better.
        sooner = -self.plies if self.proof == WIN else self.plies if self.proof == LOSS else 0
        return certain, sooner, 0 if certain else self.kept, self.value


class DovesLooking(Looking):
    """All actions of a position; counts positions."""

    unit = "positions"

    def __init__(
        self,
        game: Doves,
        position: Position,
        seed: int,
        budget: int,
        *,
        compiled: bool = True,
        late: Callable[[], bool] | None = None,
    ) -> None:
        super().__init__(game, position)
        self._most_hunted, self._late = budget // HUNT_SHARE, late
        self._doves = doves = game
        self._compiled = compiled
        side = position.state[0]
        self._hunter = Hunter(doves, position, compiled=compiled)
        self._hunted = 1
        self._actions = []
        for move in game.moves(position, side):
            after = game.play(position, move)
            over = game.outcome(after)
            if over is None:
                search = Search(
                    doves, after, seed, compiled=compiled, deepest=1, table_bits=ANALYSIS_TABLE_BITS
                )
                self._actions.append(_Action(move, search, line=(move,)))
                continue
            proof = {side: WIN, None: DRAW}.get(over.winner, LOSS)
            value = {WIN: 1.0, DRAW: 0.5, LOSS: 0.0}[proof]
            self._actions.append(_Action(move, None, value, proof, 1, line=(move,)))
        self._depth = 1
        self._open = [action for action in self._actions if action.search is not None]
        self._next = 0

    def warm(self) -> None:
        """A very short thought compiles all that is used."""
        if self._compiled:
            warm(self._doves)

    def grow(self, portion: int) -> int:
        """Look at about this number of positions more."""
        if self._hunted <= MAX_HUNT:
            return self._hunt(portion)
        until = self.looked + portion
        while self.looked < until:
            if self._next == len(self._open):
                self._deeper()
                if not self._open:
                    return max(0, portion - max(0, until - self.looked))
            action = self._open[self._next]
            search = action.search
            assert search is not None
            before = search.nodes
            search.deepest = self._depth
            search.go_on(until - self.looked)
            self.looked += search.nodes - before
            action.visits += search.nodes - before
            if search.done:
                self._hear(action, search)
                self._next += 1
        return portion

    def _hunt(self, portion: int) -> int:
        """One length of forced wins, whole: short ones are quick."""
        before = self._hunter.nodes
        winning = self._hunter.winning(self._hunted, self._late, self._most_hunted)
        codes = {move.code for move in winning or ()}
        for action in self._actions:
            if action.move.code in codes and action.proof != WIN:
                action.value, action.proof, action.plies = 1.0, WIN, self._hunted
        self._tell_line()
        # Longer ones take longer: who did not finish this length begins no other.
        self._hunted = MAX_HUNT + 1 if winning is None else self._hunted + 2
        self._open = [action for action in self._open if not action.proof]
        self.looked += self._hunter.nodes - before
        return portion

    def _tell_line(self) -> None:
        """Line of the first of the wins found when the other side holds out."""
        first = next((action for action in self._actions if action.proof == WIN), None)
        if first is not None and len(first.line) < first.plies:
            mate = Mate(first.plies, (first.move,), first.plies, 0)
            line = main_line(self._doves, self.position, mate, compiled=self._compiled)
            first.line = line or first.line

    def _hear(self, action: _Action, search: Search) -> None:
        """Takes the result of the search of an action's position."""
        action.line = (action.move, *search.moves())
        action.value = 1.0 - chance(search.score)
        if abs(search.score) > SURE:
            action.proof = LOSS if search.score > 0 else WIN
            action.plies = 1 + SCORE_OF_WIN - abs(search.score)

    def _deeper(self) -> None:
        """Go on to the next depth with those actions that are not decided."""
        self._open = [
            action for action in self._open if not action.proof and action.search is not None
        ]
        if self._depth >= ALL_UNTIL and len(self._open) > KEEP:
            self._open.sort(key=lambda action: action.rank, reverse=True)
            self._open = self._open[: max(KEEP, len(self._open) // 2)]
            for action in self._open:
                action.kept += 1
        self._depth += 1
        self._next = 0
        if self._depth > DEEPEST_ANALYSIS or any(action.proof == WIN for action in self._actions):
            self._open = []

    def variations(self) -> list[Variation]:
        """All actions, best first."""
        ranked = sorted(self._actions, key=lambda action: action.rank, reverse=True)
        return [
            Variation(
                action.move,
                action.value,
                action.visits,
                action.line,
                action.proof,
                (action.plies + 1) // 2 if action.proof == WIN else 0,
            )
            for action in ranked
            if action.visits or action.proof
        ]


class DovesEngine(Engine):
    """Thinks by alpha-beta; by trees in a game that it gives away, and where one is named."""

    levels = five_levels(
        3_000, 2_300, 6_500, 13_500, 60_000, overlooks=(0.005, 0.185, 0.09, 0.043), gives_away=0.4
    )
    units_a_playout = NODES_A_PLAYOUT
    keeps_trees = False
    searches_itself = True

    def __init__(self, game: Game) -> None:
        super().__init__(game)
        if not isinstance(game, Doves):
            raise GameError(f"{game.slug} is not Tokyo Doves, which this engine thinks about")
        self._doves = game

    @property
    def search_name(self) -> str:
        """The search that finds its moves."""
        return "alpha-beta"

    def budget(self, name: str) -> dict[str, Any]:
        """Bound of this level's thought: positions."""
        how = self.level(name)
        positions = how.playouts * NODES_A_PLAYOUT
        return {"budget": "positions", "positions": positions, "seconds": how.longest_us / 1e6}

    def warm(self) -> None:
        """Compile all that a thought needs, or read it from the cache."""
        warm(self._doves)

    def looking(
        self,
        position: Position,
        seed: int,
        budget: int,
        *,
        compiled: bool = True,
        late: Callable[[], bool] | None = None,
        **_: Any,
    ) -> Looking:
        """All actions of a position, side by side and depth by depth."""
        return DovesLooking(self._doves, position, seed, budget, compiled=compiled, late=late)

    def search_move(self, question: Question, codes: Sequence[int] | None) -> Thought:
        """Move by alpha-beta; where the level does not see that, any action that it sees."""
        if question.kind is not None:
            return super().search_move(question, codes)
        position = question.position
        start = self._doves.start()
        is_short = question.playouts is not None and question.playouts < OPENS_ANYHOW
        if is_short and position.state == start.state:
            first = random.Random(f"opening {question.seed}").choice(self._doves.moves(start, 0))
            return Thought(first, 0.5, 0, 0, (first,))
        thought = think_doves(
            self._doves, position, question.seed, nodes=question.budget * NODES_A_PLAYOUT,
            longest_us=question.left_us, compiled=question.compiled, stop=question.stop,
            progress=question.progress,
        )  # fmt: skip
        if codes and thought.move.code not in codes:
            move = self.game.move_of(position, codes[0])
            return Thought(move, 0.5, 0, thought.playouts, (move,))
        return thought

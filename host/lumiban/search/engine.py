"""Engine of one game, which a game brings along.

`Engine` thinks by trees of random games, with the levels that suit a game of which nothing is
known. A game that is better thought about brings an engine of its own, in whole or in part: other
levels, another search, another way of looking at a position. It names it under the entry point
group `lumiban.engines`, or in its class (`registry.py`).

A side of a pie is chosen by a search; the player who sets it up looks for an even game (`pie.py`).
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, ClassVar

from lumiban.errors import GameError
from lumiban.games.base import Game, Move, Position
from lumiban.games.types import TAKES
from lumiban.search import jit
from lumiban.search.anytime_analysis import Looking, TreeLooking
from lumiban.search.levels import (
    AIM,
    GIVING_AWAY,
    LEVELS,
    Level,
    name_of,
    nearest,
    plays_to_lose,
    visible_moves,
)
from lumiban.search.pie import ENDING, evenest
from lumiban.search.tree import MAX_IN_SLICE, Choice, Room, TreeSearch, next_portion
from lumiban.search.tree_searches import TreeReuse, best_search, new_search

_QUICKEST_US, _QUICKEST_PLAIN_US = 1, 20
"""No playout is quicker, compiled or plain: so much room a thought needs that time alone bounds."""


def _now_us() -> int:
    return time.monotonic_ns() // 1000


@dataclass(frozen=True, slots=True)
class Thought:
    """Result of a thought: a move, its worth for the mover from 0 to 1, and the expected moves
    after it."""

    move: Move
    value: float
    visits: int
    """Playouts that went through `move`."""
    playouts: int
    """Playouts in all."""
    pv: tuple[Move, ...]
    """The moves expected from here, `move` first."""
    is_proven: bool = False
    """True if the outcome is certain, and `value` 0, 0.5 or 1 for that reason."""


@dataclass(frozen=True, slots=True)
class Question:
    """Question to a bot: a move in `position`, a `game.view` of its mover, and its cost."""

    position: Position
    level: Level
    seed: int
    playouts: int | None = None
    """Exact number, however long they last; None: as many as the level has."""
    longest_us: int | None = None
    """In place of the level's time; full strength then heeds no other bound."""
    compiled: bool = True
    kind: str | None = None
    """The tree search by name, where not the engine's own search is wanted."""
    threads: int = 1
    room: Room | None = None
    """Memory for all trees together."""
    kept: TreeReuse | None = None
    """Tree that the bot's last thought left, and that of this one."""
    stop: Callable[[], bool] | None = None
    """Asked every few milliseconds; ends the thought early with what it has."""
    progress: Callable[[int, int], None] | None = None
    """Hears (done, of how much) after each slice."""
    asked_us: int = field(default_factory=lambda: _now_us())
    """The time by this machine's steady clock."""

    @property
    def budget(self) -> int:
        """Playouts at most."""
        if self.playouts is not None:
            return self.playouts
        if self.longest_us is None:
            return self.level.playouts
        fast = self.compiled and jit.available()
        most = max(64, self.longest_us // (_QUICKEST_US if fast else _QUICKEST_PLAIN_US))
        return most if self.level.full else min(self.level.playouts, most)

    @property
    def deadline_us(self) -> int | None:
        """The time at which to stop, by the clock of `asked_us`; None: never."""
        if self.playouts is not None:
            return None
        longest_us = self.level.longest_us if self.longest_us is None else self.longest_us
        return self.asked_us + longest_us

    @property
    def left_us(self) -> int | None:
        """Time in µs that the thought may still take; None: as long as it takes."""
        until = self.deadline_us
        return None if until is None else max(0, until - _now_us())


class Engine:
    """Thinks about one game: by trees of random games, unless a subclass knows better.

    A subclass may give other `levels`; a search of its own for where no move is obvious
    (`search_move`), for every position with a move (`choose`) or for all (`think`); and another
    look at a position (`looking`). What it compiles it brings up in `warm`.

    >>> from lumiban import games
    >>> game = games.load("control", size=3)
    >>> engine = Engine(game)
    >>> question = Question(game.start(), engine.level("easy"), 1, playouts=50, compiled=False)
    >>> engine.think(question).playouts
    50
    """

    levels: ClassVar[Mapping[str, Level]] = LEVELS
    """Budget of each level, by its name; `docs/search.md` has the matches."""
    units_a_playout: ClassVar[int] = 1
    """A level's budget is told in playouts: number of what `looking` counts that take as long."""
    grows_trees: ClassVar[bool] = True
    """True if a bot grows trees at some level."""
    keeps_trees: ClassVar[bool] = True
    """True if the trees of one thought serve the next, so that a bot gains by thinking while others
    do."""
    searches_itself: ClassVar[bool] = False
    """True if moves are found by a search of its own, which `warm` compiles."""

    def __init__(self, game: Game) -> None:
        self.game = game

    @property
    def search_name(self) -> str:
        """The search that finds its moves, for people: `uct`, `grave`, ..."""
        return best_search(self.game, self.game.start())

    def level(self, name: str) -> Level:
        """The level of this name or number; UsageError lists the names."""
        name = name_of(name)
        return self.levels.get(name) or LEVELS[name]

    def strength(self, name: str) -> object:
        """All that this level is given; its `repr` tells one strength from another."""
        return self.level(name)

    def budget(self, name: str) -> dict[str, Any]:
        """Bound of this level's thought: `budget` names its unit, `seconds` its longest time."""
        how = self.level(name)
        return {"budget": "playouts", "playouts": how.playouts, "seconds": how.longest_us / 1e6}

    def warm(self) -> None:
        """Compile what `searches_itself` with, or read it from the cache, by a short thought."""

    def looking(
        self,
        position: Position,
        seed: int,
        budget: int,
        *,
        compiled: bool = True,
        threads: int = 1,
        room: Room | None = None,
        late: Callable[[], bool] | None = None,
    ) -> Looking:
        """A look at all moves of a position where a side has one; see `analysis.looking_at`."""
        return TreeLooking(
            self.game, position, seed, budget, compiled=compiled, threads=threads, room=room
        )

    def think(self, question: Question) -> Thought:
        """The move, or the word where the game moves by words; GameError when there is neither."""
        game, position = self.game, question.position
        side = mover_of(game, position)
        if game.pie_follows(position):
            even = evenest(game, position, question.seed, partial(self._white_chance, question))
            return Thought(*even, even[:1])
        if game.moves(position, side):
            return self.choose(question)
        words = [word for word in game.words(position, side) if word not in ENDING]
        if not words:
            raise GameError("there is nothing to think about: the mover has no move")
        if not TAKES.keys() >= {*words}:
            some = game.parse(position, random.Random(question.seed).choice(words), side)
            return Thought(some, 0.5, 0, 0, (some,))
        taken = game.play(position, game.parse(position, words[0], side))
        white, visits = self._white_chance(question, taken)
        better = int(white < 0.5)
        word = next(word for word in words if TAKES[word] == better)
        move = game.parse(position, word, side)
        return Thought(move, max(white, 1 - white), visits, visits, (move,))

    def _white_chance(
        self, question: Question, where: Position, part: float = 1.0
    ) -> tuple[float, int]:
        """White's chance in a position, and the playouts that tell it."""
        over = self.game.state(where).outcome()
        if over >= 0:
            return (0.5, 1.0, 0.0)[over], 0
        search = self.grown(question, where, part, reuses=False)
        return value_for(search, 0), search.playouts

    def choose(self, question: Question) -> Thought:
        """The move where the mover has one: what its level sees, what wins at once, what must be
        said; else what `search_move` finds."""
        game, position, how = self.game, question.position, question.level
        side = mover_of(game, position)
        moves = game.moves(position, side)
        spares = plays_to_lose(position, how.gives_away)
        if spares:
            question = replace(question, kind=question.kind or GIVING_AWAY)
        codes = (
            visible_moves([move.code for move in moves], how.overlooks, question.seed)
            if how.overlooks
            else None
        )
        winning = None if spares else _win_at_once(game, position, side, codes)
        if winning is not None:
            return Thought(winning, 1.0, 0, 0, (winning,), is_proven=True)
        claimed = claim(game, position, side)
        if claimed is not None:
            return Thought(claimed, 0.5, 0, 0, (claimed,))
        if len(moves) == 1 and question.playouts is None and not self.may_stand(position):
            return Thought(moves[0], 0.5, 0, 0, (moves[0],))
        return self.search_move(question, codes)

    def search_move(self, question: Question, codes: Sequence[int] | None) -> Thought:
        """The best of the moves that the level sees (`codes`, None: all), where none is obvious."""
        search = self.grown(question, question.position)
        if question.kept is not None:
            question.kept.keep(search)
        return self._conclude(question, search, codes)

    def grown(
        self, question: Question, where: Position, part: float = 1.0, *, reuses: bool = True
    ) -> TreeSearch:
        """A tree of the position `where`, grown with this part of what the thought may cost;
        `reuses` what the last thought left of it."""
        most = max(1, round(part * question.budget))
        left = question.left_us
        until = None if left is None else _now_us() + round(part * left)
        kept = question.kept if reuses else None
        search = None if kept is None else kept.next(self.game, where, question.seed, most)
        search = search or new_search(
            self.game, where, question.seed, question.budget, compiled=question.compiled,
            kind=question.kind, threads=question.threads, room=question.room,
        )  # fmt: skip
        _spend(search, most, until, question.stop, question.progress)
        return search

    def may_stand(self, position: Position) -> bool:
        """True if the mover may do without a move, though it has one."""
        return False

    def enough(self, position: Position, search: TreeSearch) -> Choice | None:
        """To stand, where it is certain that this does as well as the best move; else None."""
        return None

    def _conclude(
        self, question: Question, search: TreeSearch, codes: Sequence[int] | None
    ) -> Thought:
        game, position = self.game, question.position
        content = self.enough(position, search)
        if content is None and self.may_stand(position):
            codes = codes or [move.code for move in game.moves(position, mover_of(game, position))]
        choice = content or _choose(search, question.level, codes)
        if choice is None:
            assert codes
            move = game.move_of(position, codes[0])
            return Thought(move, 0.5, 0, search.playouts, (move,))
        pv = []
        now = position
        for code in search.expected_moves(choice.code):
            if now.phase != position.phase:
                break  # a choice in words comes first, of which a tree knows nothing
            move = game.move_of(now, code)
            pv.append(move)
            now = game.play(now, move)
        proven = search.is_proven and codes is None
        return Thought(pv[0], choice.value, choice.visits, search.playouts, tuple(pv), proven)


def value_for(search: TreeSearch, side: int) -> float:
    """Worth of a position for `side`, from its search; 0.5 where nothing is known."""
    best = search.best()
    if best is None:
        return 0.5
    return best.value if best.side == side else 1.0 - best.value


def mover_of(game: Game, position: Position) -> int:
    """Side whose move is sought: where both sides may act, the one that the State names."""
    movers = game.movers(position)
    if not movers:
        raise GameError("there is nothing to think about: the game is over")
    return movers[0] if len(movers) == 1 else int(game.state(position).mover())


def _win_at_once(
    game: Game, position: Position, side: int, codes: Sequence[int] | None = None
) -> Move | None:
    """A move, of these or of all, that ends the game in the mover's favour, if there is one."""
    root, state = game.state(position), game.state(position)
    out = [0] * (game.capacity[0] + 1)
    for code in out[: root.moves(out)]:
        if codes is not None and code not in codes:
            continue
        state.assign(root)
        state.play(code)
        if state.outcome() == side + 1:
            return game.move_of(position, code)
    return None


def _spend(
    search: TreeSearch,
    budget: int,
    deadline_us: int | None,
    stop: Callable[[], bool] | None,
    progress: Callable[[int, int], None] | None,
) -> None:
    """Grow the tree in slices, see `pace`.

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
        portion = next_portion(portion, ended - began, MAX_IN_SLICE)


def _choose(search: TreeSearch, level: Level, codes: Sequence[int] | None) -> Choice | None:
    """The best move of those that are seen, or in a game given away one that is not; None where the
    search has looked at none of them."""
    choices = [
        choice
        for choice in search.choices()
        if choice.visits and (not codes or choice.code in codes)
    ]
    best = max(choices, key=lambda choice: choice.rank, default=None)
    if best is None:
        if codes:
            return None
        raise GameError("there is nothing to think about: the search found no move")
    if plays_to_lose(search.position, level.gives_away):
        return nearest(choices, AIM)
    return best


CLAIM = "claim"
"""The word by which a repeated position is undone, where a game has that rule."""


def claim(game: Game, position: Position, side: int) -> Move | None:
    """The claim of a repetition, whenever there is one: it takes a choice from the other side and
    costs nothing. A bot that can win at once does that instead and does not ask."""
    if not game.may_repeat or CLAIM not in game.words(position, side):
        return None
    return game.parse(position, CLAIM, side)

"""One move's thought, inline: what a bot plays in a position, and what it expects.

Virtual time and tests call this directly with a number of playouts; the worker calls it with a
level's bounds.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, cast

from lumiban.errors import GameError
from lumiban.games.base import Game, Move, Position
from lumiban.search import jit
from lumiban.search.evening_race import is_race, weigh
from lumiban.search.evening_stand import enough, may_stand
from lumiban.search.kept import Kept
from lumiban.search.kinds import new_search
from lumiban.search.lenience import AIM, gives_away, nearest, seen
from lumiban.search.levels import Level, level_of
from lumiban.search.pace import MOST_IN_SLICE, next_portion
from lumiban.search.searching import Choice, Room, TreeSearch
from lumiban.search.words import claim, say

if TYPE_CHECKING:
    from lumiban.games.doves import Doves
    from lumiban.games.rengi import Rengi

_QUICKEST_US, _QUICKEST_PLAIN_US = 1, 20
"""No playout is quicker, compiled or plain: so much room a thought needs that time alone bounds."""


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
    kind: str | None = None,
    threads: int = 1,
    room: Room | None = None,
    kept: Kept | None = None,
    stop: Callable[[], bool] | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> Thought:
    """The move that a bot of this level makes in `position`, as its mover may know it.

    `position` is a `game.view`. With `playouts` the thought takes exactly as many (fewer only when
    all is proven) however long they last, and the same seed gives the same thought; without, the
    level's playouts and time bound it. `longest_us` takes the place of that time, and full strength
    then heeds no other bound. `compiled` uses numba where it is
    there: the thought is the same. `kind` names the tree search, otherwise the game's best plays;
    `threads` grow a tree each, all within `room`. What is `kept` of the bot's last thought
    begins the tree. `stop()` is asked every few milliseconds and
    ends the thought early with what it has. `progress(done, of)` hears of each slice. Where the
    game moves by words (a pie is set), the move is a word. GameError when there is nothing to say
    either.
    """
    how = level_of(level, game.slug)
    side = _mover(game, position)
    budget, deadline = _bounds(how, playouts, longest_us, compiled and jit.available())

    def search_of(where: Position) -> TreeSearch:
        return new_search(
            game, where, seed, budget, compiled=compiled, kind=kind, threads=threads, room=room
        )

    def worth(after: Position) -> tuple[int, float]:
        search = search_of(after)
        _spend(search, budget, deadline, stop, progress)
        best = search.best()
        return (_mover(game, after), 0.5) if best is None else (best.side, best.value)

    moves = game.moves(position, side)
    if not moves:
        word = say(game, position, side, seed, worth)
        if word is None:
            raise GameError("there is nothing to think about: the mover has no move")
        return Thought(word, 0.5, 0, 0, (word,))
    if game.slug == "rengi" and kind is None:
        from lumiban.search.rengi_think import think_rengi

        return think_rengi(
            cast("Rengi", game), position, how.name, seed, playouts=playouts,
            longest_us=longest_us, compiled=compiled, stop=stop, progress=progress,
        )  # fmt: skip
    spares = gives_away(position, how.gives_away)
    if spares:
        kind = kind or "uct"  # it looks at poor moves too
    codes = seen([move.code for move in moves], how.overlooks, seed) if how.overlooks else None
    winning = None if spares else _win_at_once(game, position, side, codes)
    if winning is not None:
        return Thought(winning, 1.0, 0, 0, (winning,), proven=True)
    claimed = claim(game, position, side)
    if claimed is not None:
        return Thought(claimed, 0.5, 0, 0, (claimed,))
    if len(moves) == 1 and playouts is None and not may_stand(game, position):
        return Thought(moves[0], 0.5, 0, 0, (moves[0],))
    if game.slug == "doves" and kind is None:
        from lumiban.search.doves_think import NODES_A_PLAYOUT, think_doves

        longest = None if deadline is None else max(0, deadline - _now_us())
        thought = think_doves(
            cast("Doves", game), position, seed, nodes=budget * NODES_A_PLAYOUT,
            longest_us=longest, compiled=compiled, stop=stop, progress=progress,
        )  # fmt: skip
        if codes and thought.move.code not in codes:
            move = game.move_of(position, codes[0])
            return Thought(move, 0.5, 0, thought.playouts, (move,))
        return thought

    def grown(where: Position, part: float) -> TreeSearch:
        most = max(1, round(part * budget))
        now = _now_us()
        until = None if deadline is None else now + round(part * max(0, deadline - now))
        search = None if kept is None else kept.next(game, where, seed, most)
        search = search or search_of(where)
        _spend(search, most, until, stop, progress)
        return search

    if is_race(game, position):
        weighed = weigh(game, position, grown)
        if kept is not None:
            kept.keep(weighed.waiting)
        return Thought(
            weighed.move, weighed.value, weighed.visits, weighed.playouts, (weighed.move,),
            weighed.proven,
        )  # fmt: skip
    search = grown(position, 1.0)
    if kept is not None:
        kept.keep(search)
    return _conclude(game, position, search, how, codes)


def search_name(game: Game) -> str:
    """The search by which `think` finds a move, where none is named."""
    if game.slug == "rengi":
        return "beam"
    if game.slug == "doves":
        return "alpha-beta"
    return game.bent(game.start()).search


def _bounds(
    how: Level, playouts: int | None, longest_us: int | None, compiled: bool
) -> tuple[int, int | None]:
    """(playouts, time at which to stop): exactly the playouts asked for, or within a time."""
    if playouts is not None:
        return playouts, None
    if longest_us is not None:
        quickest = _QUICKEST_US if compiled else _QUICKEST_PLAIN_US
        most = max(64, longest_us // quickest)
        return most if how.full else min(how.playouts, most), _now_us() + longest_us
    return how.playouts, _now_us() + how.longest_us


def _now_us() -> int:
    return time.monotonic_ns() // 1000


def _mover(game: Game, position: Position) -> int:
    """Whose move is sought: where both sides may act, that of the side that the State names."""
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
        portion = next_portion(portion, ended - began, MOST_IN_SLICE)


def _conclude(
    game: Game,
    position: Position,
    search: TreeSearch,
    level: Level,
    codes: Sequence[int] | None,
) -> Thought:
    content = enough(game, position, search)
    if content is None and may_stand(game, position):
        codes = codes or [move.code for move in game.moves(position, _mover(game, position))]
    choice = content or _choose(search, level, codes)
    if choice is None:
        assert codes
        move = game.move_of(position, codes[0])
        return Thought(move, 0.5, 0, search.playouts, (move,))
    pv = []
    now = position
    for code in search.line(choice.code):
        move = game.move_of(now, code)
        pv.append(move)
        now = game.play(now, move)
    proven = search.proven and codes is None
    return Thought(pv[0], choice.value, choice.visits, search.playouts, tuple(pv), proven)


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
    if gives_away(search.position, level.gives_away):
        return nearest(choices, AIM)
    return best

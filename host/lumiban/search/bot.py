"""One move's thought, inline: what a bot plays in a position, and what it expects.

Virtual time and tests call this directly with a number of playouts; the worker calls it with a
level's bounds.
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, cast

from lumiban.errors import GameError
from lumiban.games.base import Game, Move, Position
from lumiban.games.evening.kernel import FIRST
from lumiban.search import jit
from lumiban.search.engines import TreeReuse, new_search
from lumiban.search.levels import AIM, Level, level_of, nearest, plays_to_lose, visible_moves
from lumiban.search.tree import MOST_IN_SLICE, Choice, Room, TreeSearch, next_portion

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
    kept: TreeReuse | None = None,
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
        word = choose_word(game, position, side, seed, worth)
        if word is None:
            raise GameError("there is nothing to think about: the mover has no move")
        return Thought(word, 0.5, 0, 0, (word,))
    if game.slug == "rengi" and kind is None:
        from lumiban.search.rengi.bot import think_rengi

        return think_rengi(
            cast("Rengi", game), position, how.name, seed, playouts=playouts,
            longest_us=longest_us, compiled=compiled, stop=stop, progress=progress,
        )  # fmt: skip
    spares = plays_to_lose(position, how.gives_away)
    if spares:
        kind = kind or "uct"  # it looks at poor moves too
    codes = (
        visible_moves([move.code for move in moves], how.overlooks, seed) if how.overlooks else None
    )
    winning = None if spares else _win_at_once(game, position, side, codes)
    if winning is not None:
        return Thought(winning, 1.0, 0, 0, (winning,), proven=True)
    claimed = claim(game, position, side)
    if claimed is not None:
        return Thought(claimed, 0.5, 0, 0, (claimed,))
    if len(moves) == 1 and playouts is None and not may_stand(game, position):
        return Thought(moves[0], 0.5, 0, 0, (moves[0],))
    if game.slug == "doves" and kind is None:
        from lumiban.search.doves.bot import NODES_A_PLAYOUT, think_doves

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
    return game.search_hints(game.start()).search


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
    if plays_to_lose(search.position, level.gives_away):
        return nearest(choices, AIM)
    return best


# --- What a bot says where the game moves by words: setting a pie, choosing a side of it ---


ENDING = ("resign", "stop", "pass", "stand")
"""Words that a bot says in no set-up."""
CLAIM = "claim"
"""The word by which a repeated position is undone, where a game has that rule."""
_DONE = "done"
_TAKE = {"take white": 0, "take black": 1}


def claim(game: Game, position: Position, side: int) -> Move | None:
    """The claim of a repetition, whenever there is one: it takes a choice from the other side and
    costs nothing. A bot that can win at once does that instead and does not ask."""
    if not game.may_repeat or CLAIM not in game.words(position, side):
        return None
    return game.parse(position, CLAIM, side)


def choose_word(
    game: Game,
    position: Position,
    side: int,
    seed: int,
    worth: Callable[[Position], tuple[int, float]],
) -> Move | None:
    """The word that `side` says now, or None where it has none to say.

    A set-up is done as soon as it may be, and at random until then. Of two sides it takes the
    one that `worth(position)`, (side to move, its value), favours.
    """
    said = [word for word in game.words(position, side) if word not in ENDING]
    if not said:
        return None
    if _DONE in said:
        word = _DONE
    elif all(word in _TAKE for word in said):
        mover, value = worth(game.play(position, game.parse(position, said[0], side)))
        better = mover if value >= 0.5 else 1 - mover
        word = next((word for word in said if _TAKE[word] == better), said[0])
    else:
        word = random.Random(seed).choice(said)
    return game.parse(position, word, side)


# --- Whether a leader of Evening places before the other side does, or waits: both are searched ---
#
# A stone of one's own is seldom a gain while one leads: it spends a cell that will be needed when
# one trails. So waiting gets most of the thought, which is also what the next question is about; a
# stone is looked for only where waiting seems to lose, and must then do clearly better.


MARGIN = 0.2
"""So much more than waiting a stone must be worth, where neither is certain."""
ENOUGH = 0.5
"""Who is worth as much by waiting waits."""


@dataclass(frozen=True, slots=True)
class Weighed:
    """What a leader does: a stone or its stand, which waits; its worth, and how well it is known.

    `waiting` is the search of the position as it is, with the other side to place.
    """

    move: Move
    value: float
    visits: int
    playouts: int
    waiting: TreeSearch
    proven: bool


def is_race(game: Game, position: Position) -> bool:
    """Whether the question is that of a side that leads: to place now, or to wait."""
    return game.slug == "evening" and position.phase == "play" and position.state[-1] == FIRST


def weigh(
    game: Game, position: Position, grown: Callable[[Position, float], TreeSearch]
) -> Weighed:
    """What the leader does; `grown` searches a position with this part of the thought."""
    leads = game.movers(position)[0]
    stand = next(
        game.parse(position, w, leads) for w in game.words(position, leads) if w != "resign"
    )
    waiting = grown(replace(position, state=(*position.state[:-1], 0)), 0.8)
    worth = _worth(waiting, leads)
    waits = Weighed(stand, worth, waiting.playouts, waiting.playouts, waiting, waiting.proven)
    if worth >= ENOUGH:
        return waits
    race = grown(position, 0.1)
    stones = [c for c in race.choices() if not game.move_of(position, c.code).is_word]
    stone = max(stones, key=lambda choice: choice.rank, default=None)
    if stone is None or stone.certain < 0:
        return waits
    move = game.move_of(position, stone.code)
    after = grown(game.play(position, move), 0.1)
    value = _worth(after, leads)
    if value == 1.0 or value > worth + MARGIN:
        total = waiting.playouts + race.playouts + after.playouts
        return Weighed(move, value, after.playouts, total, waiting, after.proven)
    return waits


def _worth(search: TreeSearch, side: int) -> float:
    """What a position is worth for `side`, from its search; 0.5 where nothing is known."""
    best = search.best()
    if best is None:
        return 0.5
    return best.value if best.side == side else 1.0 - best.value


# --- When a player of Evening leaves the board as it is: where no stone gains anything ---
#
# A bot's question may let its side stand (see `Evening.question`): who trails may once the other
# side stands, which loses; who leads may always, which leaves the turn to the other side.


def may_stand(game: Game, position: Position) -> bool:
    """Whether the mover may do without a stone, though it has a cell."""
    return game.slug == "evening" and position.phase == "play" and position.state[-1] != 0


def enough(game: Game, position: Position, search: TreeSearch) -> Choice | None:
    """The stand, where it is certain that it does as well as the best stone; else None.

    So nobody stands for certain who would win by a stone, and who has lost for certain does not
    go on for nothing.
    """
    if not (search.proven and may_stand(game, position)):
        return None
    best = search.best()
    for choice in search.choices():
        if best is not None and game.move_of(position, choice.code).is_word:
            return choice if choice.certain == best.certain else None
    return None

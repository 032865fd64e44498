"""Whether a leader of Evening places before the other side does, or waits: both are searched.

A stone of one's own is seldom a gain while one leads: it spends a cell that will be needed when
one trails. So waiting gets most of the thought, which is also what the next question is about;
a stone is looked for only where waiting seems to lose, and must then do clearly better.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from lumiban.games.base import Game, Move, Position
from lumiban.games.evening.kernel import FIRST
from lumiban.search.searching import TreeSearch

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

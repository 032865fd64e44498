"""A beginner's thought: a few moves, each tried by a few random games, no look at the answers."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from typing import Any

from lumiban.errors import GameError
from lumiban.games.api import Game, Position
from lumiban.games.kernel import hash_table
from lumiban.search.tree import UNKNOWN


def seen(codes: Sequence[int], overlooks: float, seed: int) -> list[int]:
    """The moves that come to mind, in random order: one always, each other unless overlooked.

    >>> len(seen(range(40), 0.0, 1)), len(seen(range(40), 1.0, 1))
    (40, 1)
    """
    chance = random.Random(seed)
    order = list(codes)
    chance.shuffle(order)
    return [code for at, code in enumerate(order) if at == 0 or chance.random() >= overlooks]


def glance(
    game: Game,
    position: Position,
    codes: Sequence[int],
    playouts: int,
    seed: int,
    late: Callable[[], bool],
) -> tuple[int, float, int, int]:
    """The best of these moves by random games alone, which are shared out among them.

    Returns its code, its value for the mover from 0 to 1, the games played after it, and all
    games. It runs plain: so few games are over before a compiler is asked. `late()` is asked after
    each game and ends the thought.
    """
    root, state = game.state(position), game.state(position)
    side = root.mover()
    rng: Any = hash_table(1, seed)
    trace = [0] * (game.capacity[1] + 2)
    points, games = [0.0] * len(codes), [0] * len(codes)
    for done in range(max(1, playouts)):
        at = done % len(codes)
        state.assign(root)
        state.play(codes[at])
        outcome = state.outcome()
        if outcome == UNKNOWN:
            trace[0] = 0
            outcome = state.playout(rng, trace)
        if outcome < 0:
            raise GameError("this game is too long to think about: it has no room to remember it")
        points[at] += 0.5 if outcome == 0 else float(outcome == side + 1)
        games[at] += 1
        if late():
            break
    tried = [at for at in range(len(codes)) if games[at]]
    best = max(tried, key=lambda at: points[at] / games[at])
    return codes[best], points[best] / games[best], games[best], sum(games)

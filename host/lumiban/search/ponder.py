"""Thinking on the opponent's time: the tree grows for what a person may do, while they think.

It begins with what the bot's last thought left, and what it leaves the bot's next one begins
with. It is asked for nothing and answers nothing.
"""

from __future__ import annotations

import time
from collections.abc import Callable

from lumiban.games.base import Game, Position
from lumiban.search.kept import Kept
from lumiban.search.kinds import new_search
from lumiban.search.levels import Level
from lumiban.search.pace import MOST_IN_SLICE, next_portion
from lumiban.search.searching import Room

LONGEST_US = 30_000_000
"""For so long one turn of a person's is thought about; then the process rests."""
MOST = 1 << 22
"""So many random games at most."""
_OTHERWISE = frozenset({"doves", "rengi"})
"""Games with searches of their own, which keep no tree."""


def ponders(level: Level) -> bool:
    """Whether a bot of this level keeps its trees, and thinks on the opponent's time.

    >>> from lumiban.search.levels import level_of
    >>> [name for name in ("gentle", "medium", "hard", "strong") if ponders(level_of(name))]
    ['hard', 'strong']
    """
    return level.number >= 4


def _now_us() -> int:
    return time.monotonic_ns() // 1000


def ponder(
    game: Game,
    position: Position,
    seed: int,
    kept: Kept,
    *,
    stop: Callable[[], bool],
    compiled: bool = True,
    threads: int = 1,
    room: Room | None = None,
    longest_us: int = LONGEST_US,
    now_us: Callable[[], int] = _now_us,
) -> int:
    """Grow the tree of `position`, which the bot knows as this view of it; how many random games.

    `stop()` is asked every few milliseconds. Memory is bounded by `room`.
    """
    if game.slug in _OTHERWISE or not any(game.moves(position, s) for s in game.movers(position)):
        return 0
    end_us = now_us() + longest_us
    search = kept.next(game, position, seed, MOST) or new_search(
        game, position, seed, MOST, compiled=compiled, threads=threads, room=room
    )
    portion = 1
    while search.playouts < MOST:
        began_us = now_us()
        if began_us >= end_us or stop() or search.grow(portion) < portion:
            break
        portion = next_portion(portion, now_us() - began_us, MOST_IN_SLICE)
    kept.keep(search)
    return search.playouts

"""One move's thought, inline: what a bot plays in a position, and what it expects.

Virtual time and tests call this directly with a number of playouts; the worker calls it with a
level's bounds.
"""

from __future__ import annotations

from collections.abc import Callable

from lumiban.games.base import Game, Position
from lumiban.search.engine import Question, Thought
from lumiban.search.registry import engine_of
from lumiban.search.tree import Room
from lumiban.search.tree_searches import TreeReuse


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
    there: the thought is the same. `kind` names the tree search, otherwise the game's engine plays;
    `threads` grow a tree each, all within `room`. What is `kept` of the bot's last thought
    begins the tree. `stop()` is asked every few milliseconds and
    ends the thought early with what it has. `progress(done, of)` hears of each slice. Where the
    game moves by words (a pie is set), the move is a word. GameError when there is nothing to say
    either.
    """
    engine = engine_of(game)
    question = Question(
        position, engine.level(level), seed, playouts, longest_us, compiled, kind, threads, room,
        kept, stop, progress,
    )  # fmt: skip
    return engine.think(question)


def search_name(game: Game) -> str:
    """The search by which `think` finds a move, where none is named."""
    return engine_of(game).search_name

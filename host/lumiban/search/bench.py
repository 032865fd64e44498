"""How fast the search is on this machine: random games and UCT, plain and compiled."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

from lumiban.games.api import Game
from lumiban.games.kernel import hash_table
from lumiban.search import jit
from lumiban.search.uct import Uct

TREE_PLAYOUTS = 4_000
"""UCT is measured in trees of this size, one after the other."""


def play_out(root: Any, state: Any, rng: Any, trace: Any, games: int) -> int:
    """Play so many random games from `root`; returns how many moves they took in all."""
    moves = 0
    for _ in range(games):
        state.assign(root)
        trace[0] = 0
        state.playout(rng, trace)
        moves += trace[0]
    return moves


def measure(
    game: Game, seconds: float = 1.0, progress: Callable[[str], None] | None = None
) -> dict[str, float]:
    """Figures by name, for about `seconds` each; those of the compiled path where it is there.

    `plain_playouts_s`, `plain_uct_s`, `compiled_playouts_s`, `compiled_uct_s` are per second of
    CPU time; `moves_per_playout`; `compile_s` is the wait for compiled code, read from the cache
    if the game was compiled before.
    """
    figures: dict[str, float] = {}
    paths = [("plain", False)]
    if jit.fits(game.state(game.start())):
        paths.append(("compiled", True))
    for name, compiled in paths:
        if compiled:
            began = time.perf_counter()
            try:
                _random_games(game, 0.0, compiled=True)
                _uct(game, 0.0, compiled=True)
            except jit.Unfit:
                break
            figures["compile_s"] = round(time.perf_counter() - began, 3)
        for what, run in (("playouts", _random_games), ("uct", _uct)):
            if progress is not None:
                progress(f"{name}_{what}_s")
            done, took, moves = run(game, seconds, compiled=compiled)
            figures[f"{name}_{what}_s"] = round(done / took, 1)
            if moves:
                figures["moves_per_playout"] = round(moves / done, 2)
    return figures


def _random_games(game: Game, seconds: float, *, compiled: bool) -> tuple[int, float, int]:
    root, state = game.state(game.start()), game.state(game.start())
    rng, trace = hash_table(1, 0), [0] * (game.capacity[1] + 2)
    run: Callable[..., Any] = play_out
    if compiled:
        run = jit.compiled(play_out, type(root))
        root, state = jit.compiled_state(root), jit.compiled_state(state)
        rng, trace = jit.ints(rng), jit.ints(trace)
    return _repeat(lambda games: int(run(root, state, rng, trace, games)), seconds)


def _uct(game: Game, seconds: float, *, compiled: bool) -> tuple[int, float, int]:
    trees = iter(range(1 << 30))

    def grow(playouts: int) -> int:
        while playouts > 0:
            search = Uct(game, game.start(), next(trees), TREE_PLAYOUTS, compiled)
            playouts -= max(1, search.grow(min(playouts, TREE_PLAYOUTS)))
        return 0

    return _repeat(grow, seconds)


def _repeat(run: Callable[[int], int], seconds: float) -> tuple[int, float, int]:
    """(times done, CPU seconds, what the runs returned in all) in portions that double."""
    done = result = 0
    portion = 8
    began = time.process_time()
    while True:
        result += run(portion)
        done += portion
        took = time.process_time() - began
        if took >= seconds:
            return done, max(took, 1e-9), result
        portion = min(2 * portion, max(1, int(done / max(took, 1e-6) * (seconds - took)) + 1))

"""Speed of the search on this machine: random games and trees, plain and compiled."""

from __future__ import annotations

import time
from array import array
from collections.abc import Callable, Iterator
from copy import deepcopy
from dataclasses import asdict, dataclass
from functools import partial
from statistics import median
from typing import Any

from lumiban.games.base import Game
from lumiban.games.kernel import hash_table, play_out
from lumiban.search import jit
from lumiban.search.perft import walk
from lumiban.search.tree import state_to_search
from lumiban.search.tree_searches import KINDS, new_search

TREE_PLAYOUTS = 20_000
"""Searches are measured in trees of this size, one after the other."""
ROUNDS = 5
"""A figure is the median of this many parts of its time, since other programs run too."""
CALIBRATION_S = 0.02
"""CPU time of the calibration loop beside each of these parts."""
TREE_SIZES = (1_000, 4_000, 64_000, 256_000)
"""Playouts of the trees that GRAVE is measured in: what a node costs grows with them."""
_PLAIN_TREE = 300
JUDGED_DEPTH = 5
"""Plies of the games whose positions are made and judged."""
Run = Callable[[int], int]
"""Does something a number of times; returns how many units of work that was."""


@dataclass(frozen=True, slots=True)
class Row:
    """One figure: units of work per second, compiled where that can be had."""

    game: str
    options: dict[str, int | str]
    what: str
    unit: str
    rate: float
    plain_rate: float
    """The same text without the compiler, in the same run; of several threads, one's rate."""
    loops: float = 0.0
    """Rounds of the calibration loop in the time of one unit, in the same run: what a machine that
    is faster, or shared, hardly changes."""
    compiled: bool = True
    compile_s: float = 0.0
    """The wait for compiled code, short when the cache has it."""

    @property
    def ratio(self) -> float:
        """Ratio to the plain rate."""
        return round(self.rate / self.plain_rate, 2)

    def as_json(self) -> dict[str, Any]:
        """The fields by name, and the ratio."""
        return {**asdict(self), "ratio": self.ratio}


def tree_rows(
    game: Game, seconds: float = 1.0, progress: Callable[[str], None] | None = None
) -> Iterator[Row]:
    """Random games, positions made and judged one by one, and each tree search.

    Each figure takes about `seconds`, per second of CPU time.
    """
    works: list[tuple[str, str, Callable[[Game, bool], Run]]] = [
        ("playouts", "random games", _random_games),
        ("make and judge", "positions", _judged),
    ]
    works += [(kind, "iterations", _searches(kind)) for kind in KINDS]
    for what, unit, make in works:
        if progress is not None:
            progress(f"{game.slug} {what}")
        yield row(game.slug, dict(game.options), what, unit, seconds, partial(make, game))


def random_game_row(game: Game, seconds: float, progress: Callable[[str], None]) -> Row:
    """The row of random games alone."""
    progress(f"{game.slug} playouts")
    make = partial(_random_games, game)
    return row(game.slug, dict(game.options), "playouts", "random games", seconds, make)


def row(
    slug: str,
    options: dict[str, int | str],
    what: str,
    unit: str,
    seconds: float,
    make: Callable[[bool], Run],
) -> Row:
    """One figure; `make(compiled)` gives what is to be measured, or raises `Unfit`."""
    # Of the plain path half the time says enough.
    plain, plain_loops = rate(make(False), seconds / 2)
    as_plain = Row(slug, options, what, unit, plain, plain, plain_loops, compiled=False)
    if not jit.available():
        return as_plain
    began = time.perf_counter()
    try:
        run = make(True)
        run(1)
    except jit.Unfit:
        return as_plain
    waited = round(time.perf_counter() - began, 3)
    per_second, loops = rate(run, seconds)
    return Row(slug, options, what, unit, per_second, plain, loops, compile_s=waited)


def calibration(loops: int) -> float:
    """CPU seconds of a number of rounds of a loop that never changes: arithmetic and memory."""
    table, number = array("I", bytes(4 * 4096)), 1
    began = time.process_time()
    for _ in range(loops):
        number = (number * 1_664_525 + 1_013_904_223) & 0xFFFF_FFFF
        table[number >> 20] = number
    return time.process_time() - began


def rate(run: Run, seconds: float) -> tuple[float, float]:
    """(units of work per second of CPU time, rounds of the calibration loop in the time of one
    unit), each the median of a few parts."""
    rates: list[float] = []
    compared: list[float] = []
    portion, loops = 1, 1_000
    while calibration(loops) < CALIBRATION_S:
        loops *= 2
    for _ in range(ROUNDS):
        loop_s = calibration(loops)
        done, took = 0, 0.0
        while took < seconds / ROUNDS:
            began = time.process_time()
            done += run(portion)
            part = time.process_time() - began
            took += part
            if part < seconds / ROUNDS / 8:
                portion *= 2
        loop_s = (loop_s + calibration(loops)) / 2 / loops
        rates.append(done / max(took, 1e-9))
        compared.append(took / done / loop_s)
    return round(median(rates), 1), float(f"{median(compared):.4g}")


def _random_games(game: Game, compiled: bool) -> Run:
    root, state = (state_to_search(game, game.start(), compiled=compiled) for _ in range(2))
    rng, trace = hash_table(1, 0), [0] * (game.capacity[1] + 2)
    run: Callable[..., Any] = play_out
    if compiled:
        if not jit.fits(root):
            raise jit.Unfit(f"{game.slug} has no State that can be compiled")
        run = jit.compiled(play_out, type(root))
        root, state = jit.compiled_state(root), jit.compiled_state(state)
        rng, trace = jit.ints(rng), jit.ints(trace)

    def play(games: int) -> int:
        run(root, state, rng, trace, games)
        return games

    return play


def _judged(game: Game, compiled: bool) -> Run:
    """Positions `JUDGED_DEPTH` plies deep, none counted in bulk: the work of a perft that plays
    its last ply too."""
    start = game.start()
    run, fresh = walk(game, JUDGED_DEPTH, position=start, judges=True, compiled=compiled)

    def visit(slices: int) -> int:
        arrays = deepcopy(fresh)
        wanted = slices * (20_000 if compiled else 200)
        left = wanted
        while (left := run(*arrays, JUDGED_DEPTH, left)) > 0:
            arrays = deepcopy(fresh)
        return wanted

    return visit


def _searches(kind: str) -> Callable[[Game, bool], Run]:
    def make(game: Game, compiled: bool) -> Run:
        seeds = iter(range(1 << 30))

        def grow(playouts: int) -> int:
            done = 0
            while done < playouts:
                part = min(playouts - done, TREE_PLAYOUTS)
                search = new_search(
                    game, game.start(), next(seeds), part, compiled=compiled, kind=kind
                )
                search.grow(part)
                if compiled and not search.compiled:
                    raise jit.Unfit(f"{game.slug} cannot be compiled")
                done += part
            return done

        return grow

    return make


def sized_rows(
    game: Game, seconds: float = 1.0, progress: Callable[[str], None] | None = None
) -> Iterator[Row]:
    """GRAVE by size of tree, each grown whole; the plain rate is that of a small one."""
    for size in TREE_SIZES:
        what = f"grave, trees of {size}"
        if progress is not None:
            progress(f"{game.slug} {what}")
        make = partial(_whole_trees, game, size)
        yield row(game.slug, dict(game.options), what, "iterations", seconds, make)


def _whole_trees(game: Game, size: int, compiled: bool) -> Run:
    seeds = iter(range(1 << 30))
    size = size if compiled else _PLAIN_TREE

    def grow(trees: int) -> int:
        for _ in range(trees):
            search = new_search(
                game, game.start(), next(seeds), size, compiled=compiled, kind="grave"
            )
            search.grow(size)
        return trees * size

    return grow

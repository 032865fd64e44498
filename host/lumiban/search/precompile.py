"""Compilation of a game's code ahead of time, so that no thought ever waits.

A library of kernels holds all of it; where there is none and none can be made, numba compiles part
by part by very short thoughts.

    python -m lumiban.search.precompile GAME OPTIONS

does so in a process of its own, the options as JSON; it ends when its stdin does.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from time import perf_counter
from typing import Any

from lumiban import games
from lumiban.games.base import Game
from lumiban.search import jit
from lumiban.search.levels import GIVING_AWAY
from lumiban.search.own_process import end_with_owner
from lumiban.search.registry import engine_of
from lumiban.search.simple_engine import compiled_playouts_a_second
from lumiban.search.tree import state_to_search
from lumiban.search.tree_searches import TreeReuse, best_search, new_search
from lumiban.system import size_limits

LIBRARY = "library"
"""The part that is a library of kernels: all of a game."""
OWN = "own"
"""The part that is an engine's own search, where it has one."""
STUDIED = ("perft",)
"""Parts that studies need and bots do not."""


@dataclass(frozen=True, slots=True)
class Part:
    """One part of a game's compiled code as `warm` found it."""

    game: str
    part: str
    seconds: float
    was_there: bool
    """True if it had been compiled before."""
    compiled: bool = True
    """False where it cannot be compiled: plain Python will have to do."""

    def as_json(self) -> dict[str, Any]:
        """The fields by name."""
        return asdict(self)


def ready(game: Game) -> bool:
    """Have all that a bot of this game needs; whether that can be had. LumibanError where the game
    itself fails.

    With a library nothing is left to do; without one what numba has compiled is read from its
    cache, by very short thoughts.
    """
    state = state_to_search(game, game.start())
    if not jit.fits(state):
        return False
    if not jit.has_library(type(state)):
        for run in _thought_with(game).values():
            run(game)
    return jit.fits(state)


def _thought_with(game: Game) -> dict[str, Callable[[Game], object]]:
    """The parts that a bot thinks with, at some level."""
    parts_of_game = parts(game)
    if not engine_of(game).grows_trees:
        return {OWN: parts_of_game[OWN]}
    return {part: run for part, run in parts_of_game.items() if part not in STUDIED}


def parts(game: Game) -> dict[str, Callable[[Game], object]]:
    """All that is compiled ahead for a game, by name: what its bots and the coach think with.

    A tree search that plays it worse, which only a match between searches wants, is compiled when
    it is asked for: of Rengi's and the doves' minute that was half.
    """
    engine = engine_of(game)
    parts_by_name: dict[str, Callable[[Game], object]] = {}
    if engine.grows_trees:
        kinds = _kinds(game)
        parts_by_name |= {kind: _searched(kind) for kind in kinds}
        if engine.keeps_trees:
            parts_by_name["kept"] = _keep
    if engine.searches_itself:
        parts_by_name[OWN] = _warm_engine
    parts_by_name["perft"] = _count
    return parts_by_name


def warm(game: Game, progress: Callable[[str], None] | None = None) -> Iterator[Part]:
    """Compile all of a game, or find that it is there; each part is told when it is done.

    LumibanError where the game itself fails.
    """
    state = state_to_search(game, game.start())
    kind, began = type(state), perf_counter()
    there = jit.could_fit(state) and jit.available() and jit.has_library(kind)
    if progress is not None and not there:
        progress(f"{game.slug}: {LIBRARY}")
    if not jit.fits(state):
        yield Part(game.slug, "all", 0.0, was_there=False, compiled=False)
        return
    if jit.has_library(kind):
        yield Part(game.slug, LIBRARY, round(perf_counter() - began, 3), was_there=there)
        return
    for part, run in parts(game).items():
        if progress is not None:
            progress(f"{game.slug}: {part}")
        began, before = perf_counter(), jit.freshly_compiled()
        run(game)
        fits = jit.fits(state)
        made = jit.freshly_compiled() - before
        took = round(perf_counter() - began, 3)
        yield Part(game.slug, part, took, was_there=fits and made == 0, compiled=fits)
        if not fits:
            return
    compiled_playouts_a_second(game, measure=True)


def _warm_engine(game: Game) -> None:
    engine_of(game).warm()


def _searched(kind: str) -> Callable[[Game], object]:
    return lambda game: new_search(game, game.start(), 0, 2, kind=kind).grow(2)


def _kinds(game: Game) -> tuple[str, ...]:
    """The tree searches that bots of a game think with: its best, and the one that also looks at
    poor moves, with which a gentle bot gives games away."""
    return tuple(dict.fromkeys((best_search(game, game.start()), GIVING_AWAY)))


def _keep(game: Game) -> None:
    """Carry small trees over to the position that they are of already."""
    for kind in _kinds(game):
        kept = TreeReuse()
        search = new_search(game, game.start(), 0, 2, kind=kind)
        search.grow(2)
        kept.keep(search)
        kept.next(game, game.start(), 0, 2)


def _count(game: Game) -> None:
    from lumiban.search.perft import perft

    perft(game, 2)


def main(slug: str, options: str) -> None:
    """Compile all of a game, after whatever else this machine has to do."""
    os.nice(10)
    end_with_owner()
    for part in warm(games.load(slug, **size_limits.from_json(options))):
        if not part.compiled:
            sys.exit(f"{slug} cannot be compiled")


if __name__ == "__main__":
    main(*sys.argv[1:])

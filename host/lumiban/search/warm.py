"""What of a game is compiled ahead, so that no thought ever waits: part by part."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from time import perf_counter
from typing import Any

from lumiban.games.base import Game
from lumiban.search import jit
from lumiban.search.kernel_files import SUFFIX
from lumiban.search.levels import GIVING_AWAY
from lumiban.search.registry import engine_of
from lumiban.search.tree_searches import TreeReuse, new_search

OWN = "own"
"""The part that is an engine's own search, where it has one."""
STUDIED = ("perft",)
"""Parts that studies need and bots do not."""
NOTE = "warm.json"
"""In a folder of compiled code: the parts that were compiled ahead, and the files they made."""


@dataclass(frozen=True, slots=True)
class Part:
    """One part of a game's compiled code as `warm` found it."""

    game: str
    part: str
    seconds: float
    was_there: bool
    """Whether it had been compiled before."""
    compiled: bool = True
    """False where it cannot be compiled: plain Python will have to do."""

    def as_json(self) -> dict[str, Any]:
        """The fields by name."""
        return asdict(self)


def ready(game: Game) -> bool:
    """Compile all that a bot of this game needs, by very short thoughts; whether that can be had.

    Where all of it has been compiled before, only what the first answer needs is read from the
    cache: `rest` is for later. LumibanError where the game itself fails.
    """
    state = game.state(game.start())
    wanted = _thought_with(game)
    there = jit.available() and jit.could_fit(state) and set(wanted) <= set(noted(type(state)))
    for part in [_first(game)] if there else wanted:
        wanted[part](game)
    fits = jit.fits(state)
    if fits and not there:
        _note(type(state), list(wanted))
    return fits


def rest(game: Game) -> list[Callable[[], object]]:
    """What is left to read from the cache once a game is `ready`, in parts that take a few
    hundredths of a second each."""
    wanted = _thought_with(game)
    return [partial(run, game) for part, run in wanted.items() if part != _first(game)]


def _thought_with(game: Game) -> dict[str, Callable[[Game], object]]:
    """The parts that a bot thinks with, at some level."""
    found = parts(game)
    if not engine_of(game).grows_trees:
        return {OWN: found[OWN]}
    return {part: run for part, run in found.items() if part not in STUDIED}


def _first(game: Game) -> str:
    """The part that the first answers are thought with."""
    engine = engine_of(game)
    return OWN if engine.searches_itself else engine.search_name


def parts(game: Game) -> dict[str, Callable[[Game], object]]:
    """All that is compiled ahead for a game, by name: what its bots and the coach think with.

    A tree search that plays it worse, which only a match between searches wants, is compiled when
    it is asked for: of Rengi's and the doves' minute that was half.
    """
    engine = engine_of(game)
    found: dict[str, Callable[[Game], object]] = {}
    if engine.grows_trees:
        kinds = _kinds(game)
        found |= {kind: _searched(kind) for kind in kinds}
        if engine.keeps_trees:
            found["kept"] = _keep
    if engine.searches_itself:
        found[OWN] = _warm_engine
    found["perft"] = _count
    return found


def warm(
    game: Game, progress: Callable[[str], None] | None = None, only: Sequence[str] = ()
) -> Iterator[Part]:
    """Compile all parts of a game, or `only` some, or find that they are there; each is told when
    it is done.

    What an earlier call has noted is believed while its files are as they were: numba is not even
    imported then. LumibanError where the game itself fails.
    """
    state = game.state(game.start())
    if not (jit.available() and jit.could_fit(state)):
        yield Part(game.slug, "all", 0.0, was_there=False, compiled=False)
        return
    began = perf_counter()
    wanted = {part: run for part, run in parts(game).items() if not only or part in only}
    if set(wanted) <= set(noted(type(state))):
        for part in wanted:
            yield Part(game.slug, part, round(perf_counter() - began, 3), was_there=True)
            began = perf_counter()
        return
    for part, run in wanted.items():
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
    if not only:
        _note(type(state), list(wanted))


def _warm_engine(game: Game) -> None:
    engine_of(game).warm()


def _searched(kind: str) -> Callable[[Game], object]:
    return lambda game: new_search(game, game.start(), 0, 2, kind=kind).grow(2)


def _kinds(game: Game) -> tuple[str, ...]:
    """The tree searches that bots of a game think with: its best, and the one that also looks at
    poor moves, with which a gentle bot gives games away."""
    return tuple(dict.fromkeys((game.search_hints(game.start()).search, GIVING_AWAY)))


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


def noted(state_type: type) -> tuple[str, ...]:
    """The parts that were compiled ahead, here or by a package, if every file that came of it is
    still there."""
    for folder in jit.folders(state_type):
        with suppress(OSError, ValueError, KeyError, TypeError, AttributeError):
            note = json.loads((folder / NOTE).read_text("utf-8"))
            files = note["files"].items()
            if files and all((folder / name).stat().st_size == size for name, size in files):
                return tuple(note["parts"])
    return ()


def _note(state_type: type, done: list[str]) -> None:
    note_parts(jit.cache_folder(state_type), done)


def note_parts(folder: Path, done: Sequence[str]) -> None:
    """Write down that these parts were compiled, with the files that this folder has now."""
    files = {path.name: path.stat().st_size for path in sorted(folder.glob(f"*{SUFFIX}"))}
    if files:
        with suppress(OSError):  # then it is read part by part
            (folder / NOTE).write_text(json.dumps({"parts": [*done], "files": files}), "utf-8")

"""Engines of the games: the one that the game brings, else trees of random games.

A game brings its engine, a subclass of `Engine`, in one of two ways:

- its package names it under the entry point group `lumiban.engines`, by the game's slug:
  `go = "my_package.bot:GoEngine"`. Ours are named so too, in pyproject.toml.
- its class has it as `engine`: the way of a game that is one file.

Neither is inherited: a game built on another one changes its rules, and then thinks by trees until
it says otherwise. Nothing is imported before somebody thinks; installed packages are looked
through once, and only for a game that is neither ours nor a file.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from importlib.metadata import EntryPoint, PackageNotFoundError, distribution, entry_points

from lumiban.errors import GameError
from lumiban.games.base import Game
from lumiban.games.simple import SimpleGame
from lumiban.search.engine import Engine
from lumiban.search.simple_engine import SimpleEngine
from lumiban.system.entry_points import of_checkout

GROUP = "lumiban.engines"
"""The entry point group by which a package offers engines: `slug = "module:EngineClass"`."""


def engine_of(game: Game) -> Engine:
    """The engine that thinks about this game; GameError says why the one it names cannot.

    >>> from lumiban import games
    >>> type(engine_of(games.load("trivia"))).__name__
    'TriviaEngine'
    """
    return engine_class(type(game))(game)


def engine_class(kind: type[Game]) -> type[Engine]:
    """The class of engine for this class of game; GameError."""
    own = vars(kind).get("engine")
    if own is not None:
        return _checked(own, f"the engine of {kind.slug}")
    if kind.digest:  # a file's game: no package knows its slug
        return _usual(kind)
    point = _ours().get(kind.slug) or _others().get(kind.slug)
    if point is None:
        return _usual(kind)
    what = f"the engine of {kind.slug} ({point.value})"
    try:
        loaded = point.load()
    except (ImportError, AttributeError, SyntaxError) as reason:
        raise GameError(f"{what} cannot be loaded: {reason}") from reason
    return _checked(loaded, what)


def named_engines() -> tuple[str, ...]:
    """Our own games' engines as they are named here, in order of the slugs.

    >>> named_engines()[0]
    'control = lumiban.search.engine:Engine'
    """
    return tuple(f"{slug} = {point.value}" for slug, point in sorted(_ours().items()))


def _usual(kind: type[Game]) -> type[Engine]:
    """The class of engine for a game that names none."""
    return SimpleEngine if issubclass(kind, SimpleGame) else Engine


def _checked(found: object, what: str) -> type[Engine]:
    if not (isinstance(found, type) and issubclass(found, Engine)):
        raise GameError(f"{what} is no subclass of lumiban.search.engine.Engine")
    return found


@cache
def _ours() -> Mapping[str, EntryPoint]:
    """Engines of our own games, by slug; from the checkout where that is not installed, or was
    before it named engines."""
    try:
        offered = distribution("lumiban").entry_points.select(group=GROUP)
    except PackageNotFoundError:
        return of_checkout(GROUP)
    return {point.name: point for point in offered} or of_checkout(GROUP)


@cache
def _others() -> Mapping[str, EntryPoint]:
    """Engines of other people's packages, by slug."""
    return {point.name: point for point in entry_points(group=GROUP)}

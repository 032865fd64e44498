"""Which games there are: ours by name, other people's by the entry point group `lumiban.games`,
and anybody's by the path of its file.

Nothing is imported before a game is asked for; installed packages are looked through only for a
name that is not ours, or when all are listed.
"""

from __future__ import annotations

from difflib import get_close_matches
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING

from lumiban.errors import GameError
from lumiban.games.api import Game

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

GROUP = "lumiban.games"
"""The entry point group by which a package offers games: `slug = "module:GameClass"`."""

_OURS = {
    "control": "lumiban.games.control:Control",
    "evening": "lumiban.games.evening:Evening",
    "trivia": "lumiban.games.trivia:Trivia",
    "doves": "lumiban.games.doves:Doves",
    "rengi": "lumiban.games.rengi:Rengi",
}

_NAMED = {"evening-odd-even": "evening", "interleave": "evening"}
"""Presets that load by their own names: members of a family that people know as games."""


def available() -> tuple[str, ...]:
    """The slugs of all games, ours first; no game is imported for it.

    >>> available()[0]
    'control'
    """
    others = sorted({point.name for point in _offered()} - set(_OURS))
    return (*_OURS, *others)


def game_class(slug: str) -> type[Game]:
    """The class of the game with this slug, or in this file (`.py`); GameError names the game
    that was meant and all there are, or what is wrong with the file.

    >>> [option.name for option in game_class("control").accepts]
    ['size', 'opening', 'scoring', 'sees']
    """
    if slug.endswith(".py"):
        from lumiban.games.from_file import class_from

        return class_from(slug)
    slug = _NAMED.get(slug, slug)
    if slug in _OURS:
        module, name = _OURS[slug].split(":")
        ours: type[Game] = getattr(import_module(module), name)
        return ours
    for point in _offered():
        if point.name == slug:
            return _class_from(point)
    raise GameError(_unknown(slug))


def load(slug: str, **options: int | str) -> Game:
    """The game with this slug and these options; GameError names what is accepted.

    A preset that is known as a game loads by its name too; what comes is the game it belongs to.

    >>> load("control", size="3").options["size"]
    3
    >>> load("interleave") == load("evening", preset="interleave")
    True
    """
    if slug in _NAMED:
        if "preset" in options:
            raise GameError(f"{slug} is a preset itself: load {_NAMED[slug]} with another one")
        options = {"preset": slug, **options}
    kind = game_class(slug)
    if kind.digest:
        from lumiban.games.from_file import made

        return made(kind, options)
    return kind(**options)


def _unknown(slug: str) -> str:
    """What is said to a name that is no game's: the one that was meant, and all there are."""
    known = available()
    # A file's name without its suffix was meant as the file.
    near = [f"{slug}.py"] if Path(f"{slug}.py").expanduser().is_file() else []
    near = near or get_close_matches(slug.lower(), (*known, *_NAMED), n=1)
    meant = f"; did you mean {near[0]}? The games are" if near else ": the games are"
    return (
        f"there is no game {slug!r}{meant} {', '.join(known)}, or name the file of your own"
        " (mine.py)"
    )


def _offered() -> list[EntryPoint]:
    from importlib.metadata import entry_points  # it takes as long as all of ours together

    return list(entry_points(group=GROUP))


def _class_from(point: EntryPoint) -> type[Game]:
    try:
        found = point.load()
    except (ImportError, AttributeError, SyntaxError) as reason:
        raise GameError(
            f"the game {point.name!r} ({point.value}) cannot be loaded: {reason}"
        ) from reason
    if not (isinstance(found, type) and issubclass(found, Game)):
        raise GameError(f"the game {point.name!r} ({point.value}) is no subclass of Game")
    if found.texts.en or found.texts.ja:
        from lumiban.games.from_file import add_texts

        add_texts(found)
    return found

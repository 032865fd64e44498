"""Games that a file tells of: a record or recording may come from anybody, and must start nothing.

A game of somebody's own is a program. It runs when a person names its file, never because a
document does.
"""

from __future__ import annotations

from collections.abc import Callable

from lumiban import games
from lumiban.errors import GameError
from lumiban.games.api import Game
from lumiban.games.from_file import is_file

Loader = Callable[..., Game]
"""Gives a game by its slug and options, as `games.load` does."""


class NotNamed(GameError):
    """A document is of a game of somebody's own, whose file no person has named."""


def loading(rules: str = "") -> Loader:
    """What loads the games of documents from anybody.

    A game of somebody's own comes from the file `rules`, wherever the document says that it lies;
    NotNamed when that is "".

    >>> loading()("control", size=3).options["size"]
    3
    >>> loading()("games/mine.py")
    Traceback (most recent call last):
    lumiban.table.strangers.NotNamed: it is of a game of its own, 'games/mine.py', which is a \
program: name the file to run, if you trust it (--rules FILE)
    """

    def load(slug: str, **options: int | str) -> Game:
        if not is_file(slug):
            return games.load(slug, **options)
        if not rules:
            raise NotNamed(
                f"it is of a game of its own, {slug!r}, which is a program: name the file to run,"
                " if you trust it (--rules FILE)"
            )
        return games.load(rules, **options)

    return load


OURS = loading()
"""Loads games by name only."""


def only(file: str) -> Loader:
    """What loads games by name, and of files this one alone; NotNamed for another."""

    def load(slug: str, **options: int | str) -> Game:
        return (games.load if slug == file else OURS)(slug, **options)

    return load

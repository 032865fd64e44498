"""The file that an author of a game starts from: a small working game with a class of that name."""

from __future__ import annotations

import keyword
import re
from importlib.resources import files
from string import Template

from lumiban.errors import UsageError
from lumiban.invocation import start_word

GEOMETRIES = {
    "hex": {"geometry": "hex", "other": "square", "sizes": "4, 2, 3, 5", "small": "3"},
    "square": {"geometry": "square", "other": "hex", "sizes": "5, 3, 4, 6, 7", "small": "3"},
}
"""Entries of the start file for each kind of board."""


def class_name(stem: str) -> str:
    """A class's name for a file's; UsageError when none can be made of it.

    >>> class_name("my-first_game")
    'MyFirstGame'
    """
    name = "".join(word[:1].upper() + word[1:] for word in re.split(r"[\s_.-]+", stem))
    if not name.isidentifier() or keyword.iskeyword(name):
        raise UsageError(f"{stem!r} cannot name a game: use a letter, then letters and digits")
    return name


def start_text(name: str, file: str, geometry: str) -> str:
    """The start file for a class of this name; `file` as people type it in a shell."""
    template = Template((files("lumiban.games") / "start.txt").read_text("utf-8"))
    return template.substitute(GEOMETRIES[geometry], Name=name, file=file, run=start_word())

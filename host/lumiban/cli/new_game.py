"""`lumiban new-game`: a file to start a game of one's own from."""

from __future__ import annotations

import keyword
import re
import shlex
from importlib.resources import files
from pathlib import Path
from string import Template
from typing import Annotated

from cyclopts import Parameter

from lumiban.errors import UsageError
from lumiban.i18n import how_to_start
from lumiban.terminal import say

GEOMETRIES = {
    "hex": {"geometry": "hex", "other": "square", "sizes": "4, 2, 3, 5", "small": "3"},
    "square": {"geometry": "square", "other": "hex", "sizes": "5, 3, 4, 6, 7", "small": "3"},
}
"""What the start file says for each kind of board."""


def command(
    name: Annotated[str, Parameter(help="The game's name; its file is NAME.py, in this folder.")],
    /,
    *,
    geometry: Annotated[
        str, Parameter(help="Shape of the cells: hex (hexagons) or square.")
    ] = "hex",
) -> None:
    """Write a small working game to a file, to change into your own.

    For example: lumiban new-game mine, then lumiban play mine.py
    """
    if geometry not in GEOMETRIES:
        raise UsageError(f"--geometry {geometry!r} is neither hex nor square")
    path = Path(name if name.endswith(".py") else f"{name}.py").expanduser()
    if path.exists():
        raise UsageError(f"{path} already exists and was left as it is; choose another name")
    typed = shlex.quote(str(path))
    text = start_text(class_name(path.stem), typed, geometry)
    try:
        with path.open("x", encoding="utf-8") as file:
            file.write(text)
    except OSError as error:
        raise UsageError(f"{path} cannot be written: {error.strerror}") from error
    say("cli.new-game.written", path=path)
    for line in ("play", "check", "rules", "perft"):
        say(f"cli.new-game.{line}", indent=2, path=typed)


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
    return template.substitute(GEOMETRIES[geometry], Name=name, file=file, run=how_to_start())

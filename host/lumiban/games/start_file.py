"""The file that an author of a game starts from: a small working game with a class of that name."""

from __future__ import annotations

import keyword
import re
from importlib.resources import files
from pathlib import Path
from string import Template

from lumiban.errors import UsageError
from lumiban.invocation import start_word

GEOMETRIES = {
    "hex": {"geometry": "hex", "other": "square", "sizes": "4, 2, 3, 5", "small": "3"},
    "square": {"geometry": "square", "other": "hex", "sizes": "5, 3, 4, 6, 7", "small": "3"},
}
"""Entries of the start file for each kind of board."""

LIKE = ("placement", "hex", "reversi")
"""Games that a file may start from: the start file's own, and two of the examples."""
QUOTES = '"""'


def class_name(stem: str) -> str:
    """A class's name for a file's; UsageError when none can be made of it.

    >>> class_name("my-first_game")
    'MyFirstGame'
    """
    name = "".join(word[:1].upper() + word[1:] for word in re.split(r"[\s_.-]+", stem))
    if not name.isidentifier() or keyword.iskeyword(name):
        raise UsageError(f"{stem!r} cannot name a game: use a letter, then letters and digits")
    return name


def start_text(name: str, file: str, geometry: str = "", like: str = LIKE[0]) -> str:
    """The start file for a class of this name, with the rule of a game in `LIKE`; `file` as people
    type it in a shell. UsageError for another game, and for cells that this one does not have."""
    if like not in LIKE:
        raise UsageError(f"--like {like!r} is none of {', '.join(LIKE)}")
    if geometry and geometry not in GEOMETRIES:
        raise UsageError(f"--geometry {geometry!r} is neither hex nor square")
    if like != LIKE[0] and geometry not in ("", "hex"):
        raise UsageError(f"--like {like} is a game on hexagons: leave --geometry {geometry} out")
    words = {**GEOMETRIES[geometry or "hex"], "Name": name, "file": file, "run": _run_word()}
    start = Template((files("lumiban.games") / "start.txt").read_text("utf-8")).substitute(words)
    return start if like == LIKE[0] else _renamed(_example(like), name, start)


def _run_word() -> str:
    """`./run` in a clone, else the program's name: the file may go to another machine."""
    return "./run" if start_word({"LUMIBAN_RUN": ""}) != start_word() else start_word()


def _example(like: str) -> str:
    """An example's source: it lies beside the packages in a clone, in this one where installed."""
    package = Path(str(files("lumiban")))
    beside = package.parents[1] / "examples" / f"{like}.py"
    path = beside if beside.is_file() else package / "examples" / f"{like}.py"
    return path.read_text("utf-8")


def _renamed(source: str, name: str, start: str) -> str:
    """The example as a game of this name, under the first words of the start file."""
    _, about, rule = source.split(QUOTES, 2)
    title, _, credit = about.partition(",")
    more = credit.partition("\n")[2].strip()
    words = start.split(QUOTES, 2)[1].rstrip()
    rule = re.sub(r"^class \w+\(", f"class {name}(", rule, count=1, flags=re.MULTILINE)
    rule = re.sub(r'en=\{(\s*)"name": "[^"]*"', rf'en={{\1"name": "{name}"', rule, count=1)
    rule = re.sub(r'ja=\{(\s*)"name": "[^"]*",\s*', r"ja={\1", rule, count=1)
    credits = f"\n{more}\n" if more else ""
    return f"{QUOTES}{words}\n\nIts rule to begin with is that of {title}.\n{credits}{QUOTES}{rule}"

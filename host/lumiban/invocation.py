"""Commands as people type them here: how this lumiban is started, and how an extra is added to it.

Texts name the program by the placeholder `{lumiban}`: sentences of the catalogue, docstrings of
commands. Those who start it otherwise than by the word `lumiban` say so in LUMIBAN_RUN: `./run` of
a checkout for itself, `announce` for a program that is not on the path.
"""

from __future__ import annotations

import os
import shlex
import shutil
import sys
from collections.abc import Mapping
from importlib.util import find_spec
from pathlib import Path
from types import MappingProxyType
from typing import NamedTuple


class Command(NamedTuple):
    """Declaration of a command, which a package offers under the entry point group
    `lumiban.commands`: `weigh = "my_package:WEIGH"`.

    `place` is where its function or its `cyclopts.App` stands, `module:name`, imported when the
    command runs; "" where it only has commands of its own (`inner`, by name). `line` describes it
    in a list.

    >>> Command("my_package.scales:weigh", "Weigh all pieces.").line
    'Weigh all pieces.'
    """

    place: str
    line: str
    inner: Mapping[str, Command] = MappingProxyType({})


PROGRAM = "lumiban"
PLACEHOLDER = "{lumiban}"
PACKAGED = Path("/usr/lib/lumiban/site")
"""Where the Debian package has the program."""
NO_EXTRAS = "cli.add.package"
"""The sentence for those whose lumiban takes no extra."""


def start_word(environment: Mapping[str, str] = os.environ) -> str:
    """The word before a command, as a shell reads it.

    >>> start_word({"LUMIBAN_RUN": "/my games/run"}), start_word({})
    ("'/my games/run'", 'lumiban')
    """
    # What is said stays a template, in which braces mean a parameter.
    word = environment.get("LUMIBAN_RUN") or PROGRAM
    return shlex.quote(word.replace("{", "").replace("}", ""))


def typed(text: str) -> str:
    """The text with its commands as they are typed here.

    >>> typed("`{lumiban} games` lists them")
    '`lumiban games` lists them'
    """
    return text.replace(PLACEHOLDER, start_word())


def announce(program: str) -> None:
    """Keep for this process and its children how it was started.

    `program` is `sys.argv[0]`: a script, or the file that `python -m` runs.
    """
    if os.environ.get("LUMIBAN_RUN"):
        return
    script = Path(program)
    if script.name != PROGRAM:
        script = Path(sys.executable).with_name(PROGRAM)
        checkout = _checkout(Path(__file__).parent)
        if not script.exists() and checkout is not None:
            script = checkout / "run"
    found = shutil.which(PROGRAM)
    if script.exists() and (found is None or not script.samefile(found)):
        word = shortest(script)
        os.environ["LUMIBAN_RUN"] = word if "/" in word else f"./{word}"


def adding(
    extra: str, package: Path = Path(__file__).parent, environment: Mapping[str, str] = os.environ
) -> str:
    """The command that adds an extra of pyproject.toml, for the way lumiban was installed.

    The Debian package takes none: then the id of the sentence that says so.

    >>> adding("flash", PACKAGED / "lumiban")
    'cli.add.package'
    """
    if package.is_relative_to(PACKAGED):
        return NO_EXTRAS
    checkout = _checkout(package)
    if checkout is not None and Path(environment.get("LUMIBAN_RUN", "")).name == "run":
        return f"{start_word(environment)} add {extra}"
    # A checkout is named by its folder: no registry has what stands in it.
    wanted = [f"{PROGRAM}[{extra}]"] if checkout is None else ["-e", f"{checkout}[{extra}]"]
    if find_spec("pip") is None:  # uv's environments have none of their own
        return shlex.join(["uv", "pip", "install", "--python", sys.executable, *wanted])
    return shlex.join([sys.executable, "-m", "pip", "install", *wanted])


def _checkout(package: Path) -> Path | None:
    """The checkout in which this package's source stands."""
    root = package.parents[1]
    return root if (root / "pyproject.toml").is_file() else None


def shortest(path: Path) -> str:
    """A path from here, where it leads into this folder; else the whole one.

    >>> shortest(Path("studies/mine.toml")), shortest(Path("/no such folder/run"))
    ('studies/mine.toml', '/no such folder/run')
    """
    here = os.path.relpath(path)
    return str(path.absolute()) if here.startswith(os.pardir) else here

"""A game's file as it is handed on: its source under one line with name, author and digest.

    # lumiban game "Hex" by Ann, sha256 9f2c…

What arrives so is a program of somebody else's. It runs once the owner of this machine has seen
the digest and said yes; that yes is kept by digest, so a file that changes is asked about again.
"""

from __future__ import annotations

import ast
import hashlib
import re
import sys
from dataclasses import dataclass
from pathlib import Path

from lumiban.errors import GameError
from lumiban.system.paths import made, state_folder

SUFFIX = ".lumiban"
ACCEPTED = "accepted-games.txt"
"""In the state folder: a line for each digest to which the owner said yes."""
SHOWN = 20
"""Letters of a digest that people compare, in groups of five."""

_HEAD = re.compile(r'# lumiban game "([^"\n]*)"(?: by ([^\n]*))?, sha256 ([0-9a-f]{64})\n')


class NotAccepted(GameError):
    """A shared game to which nobody has said yes on this machine."""

    def __init__(self, text: str, shared: SharedGame) -> None:
        super().__init__(text)
        self.shared = shared


@dataclass(frozen=True)
class SharedGame:
    """What a shared file says of itself; its digest has been checked."""

    name: str
    author: str
    sha256: str

    @property
    def digest(self) -> str:
        """The digest as people compare it.

        >>> SharedGame("Hex", "", "0123456789abcdef0123456789").digest
        '01234 56789 abcde f0123'
        """
        return " ".join(self.sha256[at : at + 5] for at in range(0, SHOWN, 5))


def shared_text(source: str, name: str, author: str, path: str) -> str:
    r"""The file that is handed on; GameError for a source that needs more than itself.

    >>> shared_text("x = 1\n", "X", "Ann", "x.py").splitlines()[1]
    'x = 1'
    """
    known = {*sys.stdlib_module_names, "lumiban"}
    for node in ast.walk(ast.parse(source)):
        if not isinstance(node, ast.Import | ast.ImportFrom):
            continue
        names = [alias.name for alias in node.names]
        if isinstance(node, ast.ImportFrom):
            names = ["." * node.level + (node.module or "")]
        for one in names:
            if one.partition(".")[0] not in known:
                raise GameError(
                    f"{path}, line {node.lineno}: it imports {one}, which is not handed on with it:"
                    " a shared game needs lumiban and Python's own library alone"
                )
    by = " ".join(author.split())
    name = " ".join(name.split()).replace('"', "'")
    sha256 = hashlib.sha256(source.encode()).hexdigest()
    return f'# lumiban game "{name}"{" by " * bool(by)}{by}, sha256 {sha256}\n{source}'


def shared_game(content: bytes, path: Path) -> SharedGame:
    """What the first line of a shared file says; GameError where the rest is not what it names."""
    head, _, source = content.partition(b"\n")
    match = _HEAD.fullmatch(head.decode("utf-8", "replace") + "\n")
    if match is None:
        raise GameError(f"{path} is no shared game: its first line does not say what it is")
    # Others wrote the line: it shall not steer the terminal that shows it.
    name, author = ("".join(filter(str.isprintable, told or "")) for told in match.group(1, 2))
    shared = SharedGame(name, author, match[3])
    if hashlib.sha256(source).hexdigest() != shared.sha256:
        raise GameError(
            f"{path} is not as it was shared: its content has another digest than its first line."
            " Ask for the file again"
        )
    return shared


def must_be_accepted(content: bytes, path: Path) -> None:
    """NotAccepted where the owner of this machine has not said yes to this content."""
    shared = shared_game(content, path)
    try:
        known = (state_folder() / ACCEPTED).read_text("utf-8").split()
    except OSError:
        known = []
    if shared.sha256 not in known:
        raise NotAccepted(
            f"{path} is a program by somebody else, and nobody has said yes to it on this machine:"
            " play it in a terminal, which shows its digest and asks",
            shared,
        )


def accept(shared: SharedGame) -> None:
    """Keep the owner's yes."""
    with (made(state_folder()) / ACCEPTED).open("a", encoding="utf-8") as file:
        file.write(f"{shared.sha256}\n")

"""A game's file as it is handed on: its source under one line with name, author and digest.

    # lumiban game "Hex" by Ann, sha256 9f2c…

What arrives so is another author's program. It runs once the owner of this machine has seen
the digest and said yes (`gate`).
"""

from __future__ import annotations

import ast
import hashlib
import re
import sys
from dataclasses import dataclass
from pathlib import Path

from lumiban.errors import GameError

SUFFIX = ".lumiban"
SHOWN = 20
"""Letters of a digest that people compare, in groups of five."""

_BEGINS = b'# lumiban game "'
_HEAD = re.compile(r'# lumiban game "([^"\n]*)"(?: by ([^\n]*))?, sha256 ([0-9a-f]{64})\n')


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


def is_shared(content: bytes) -> bool:
    """True if a file begins as a shared one does."""
    return content.startswith(_BEGINS)


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

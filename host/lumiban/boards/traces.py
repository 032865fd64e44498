"""A chip's traceback in the sources' names.

The program on a chip has short names and no line numbers (linked.py). What MicroPython prints when
it fails is

    Traceback (most recent call last):
      File "main.py", line 21, in main
      File "hal_start@3f2a91", line 1, in run
      File "hal_start@3f2a91", line 1, in d
    AttributeError: 'aB' object has no attribute 'c'

where 3f2a91 says which program that is. `Names`, written when the program is compiled, lead back.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

import msgspec

from lumiban.boards.client import Line

FIRST = b"Traceback (most recent call last):"
KEPT_BYTES = 4096
"""Of what the chip says after `FIRST`; a traceback of ten calls has 500."""
_FRAME = re.compile(r'^(\s*)File "([^"@]+)@([0-9a-f]{6})", line \d+, in (\S+)', re.MULTILINE)
_LATER = re.compile(r'^(\s*)File "([^"@.]+)", line \d+, in (\S+)', re.MULTILINE)


class Function(msgspec.Struct, frozen=True):
    """A function of the program: `short` in `file` on the chip, `name` at `line` of `source`."""

    file: str
    short: str
    source: str
    line: int
    name: str
    mentions: tuple[str, ...]
    """Names that it reads; those of the functions that it calls are among them."""


class Names(msgspec.Struct, frozen=True):
    """The names of one compiled program: short ones, and what they are in the sources."""

    bundle: str
    """Which program: six digits of a digest, told in each of its tracebacks."""
    functions: tuple[Function, ...]
    classes: dict[str, str]
    attributes: dict[str, list[str]]

    @property
    def file(self) -> str:
        """What a traceback calls the file of the program's main module."""
        return f"hal_start@{self.bundle}"

    def keep(self, folder: Path) -> Path:
        """Write them into a folder, for whoever meets this program later; OSError."""
        folder.mkdir(parents=True, exist_ok=True)
        path = folder / f"{self.bundle}.json"
        path.write_bytes(msgspec.json.encode(self))
        return path

    @staticmethod
    def kept(folder: Path, bundle: str) -> Names | None:
        """What `keep` wrote of a program; None when it is not there, or not whole."""
        try:
            return msgspec.json.decode((folder / f"{bundle}.json").read_bytes(), type=Names)
        except (OSError, msgspec.MsgspecError):
            return None

    def readable(self, text: str) -> str:
        """A chip's traceback with files, functions and names of the sources.

        Lines are those where a function begins. Several methods may have one short name: those
        are left that the function before calls, and that call the function behind; where that
        leaves several, all are told, by "or".
        """
        lines = text.splitlines()
        chain = [(at, self._called(line)) for at, line in enumerate(lines)]
        calls = [(at, found) for at, found in chain if found]
        likely = _that_call_each_other([found for _, found in calls])
        for (at, _), found in zip(calls, likely, strict=True):
            where = [f'File "{one.source}", line {one.line}, in {one.name}' for one in found]
            lines[at] = "  " + " or ".join(where)
        if calls and calls[-1][0] + 1 < len(lines):
            error = calls[-1][0] + 1
            near = {name for one in likely[-1] for name in one.mentions}
            lines[error] = re.sub(r"'(\w+)'", lambda told: self._said(told[1], near), lines[error])
        return "\n".join(lines)

    def _called(self, line: str) -> list[Function]:
        """What a line of a traceback may mean; [] when it tells of no function of ours."""
        told = _FRAME.match(line)
        if told is not None:
            file, short = told[2] if told[3] == self.bundle else "", told[4]
        elif (told := _LATER.match(line)) is not None:
            file, short = told[2], told[3]
        else:
            return []
        return [one for one in self.functions if (one.file, one.short) == (file, short)]

    def _said(self, short: str, near: set[str]) -> str:
        """A name of a message: a class, or an attribute that the function reads."""
        of_class = [self.classes[short]] if short in self.classes else []
        names = [name for name in self.attributes.get(short, ()) if name in near]
        return "'" + "' or '".join(of_class or names or [short]) + "'"


def _that_call_each_other(chain: Sequence[list[Function]]) -> list[list[Function]]:
    """Of each call's candidates those that fit to the calls around it."""
    left = [list(found) for found in chain]
    for at in range(1, len(left)):
        left[at] = [
            one for one in left[at] if any(_calls(other, one) for other in left[at - 1])
        ] or left[at]
    for at in range(len(left) - 1, 0, -1):
        left[at - 1] = [
            one for one in left[at - 1] if any(_calls(one, other) for other in left[at])
        ] or left[at - 1]
    return left


def _calls(one: Function, other: Function) -> bool:
    *classes, name = other.name.split(".")
    return name in one.mentions or (name == "__init__" and classes[-1] in one.mentions)


def bundle_of(text: str) -> str:
    """Which program a traceback tells of; "" when it does not say."""
    told = _FRAME.search(text)
    return told[3] if told else ""


class Overheard:
    """A line to a board that notes what its chip prints when the program fails.

    MicroPython prints between the link's frames; whoever reads frames passes over it.
    """

    def __init__(self, line: Line) -> None:
        self._line = line
        self._tail = b""
        self._printed = bytearray()

    @property
    def now_us(self) -> int:
        """The line's time."""
        return self._line.now_us

    def write(self, data: bytes) -> None:
        """Send to the board."""
        self._line.write(data)

    def read(self, until_us: int) -> bytes:
        """Bytes as they come, b"" at `until_us`."""
        data = self._line.read(until_us)
        if self._printed:
            self._printed += data[: KEPT_BYTES - len(self._printed)]
        elif data:
            said = self._tail + data
            at = said.find(FIRST)
            if at >= 0:
                self._printed += said[at : at + KEPT_BYTES]
            self._tail = said[-len(FIRST) + 1 :]
        return data

    @property
    def traceback(self) -> str:
        """The first traceback that came; "" when none did."""
        lines: list[str] = []
        for line in bytes(self._printed).decode("ascii", "replace").splitlines():
            lines.append(line)
            if lines[1:] and not line.startswith(" "):
                break  # the error itself: behind it come frames again
        return "\n".join(lines)

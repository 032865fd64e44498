"""Libraries of compiled kernels, called on plain arrays: no compiler is needed, and no numpy.

A library is `NAME.so` and beside it `NAME.json`: its games, the family of processors and the digest
of the sources that it was made for, the sum of all, and its *entries*. An entry has a name
(`search.uct.grow:ControlState`), the symbol in the library, the kinds of what it takes, tuples
field by field, and what it gives. `build_kernels` makes them; a package brings some
(`lumiban_kernels`, a folder a family), others lie in the user's cache.

What fits neither this machine nor these sources, is cut short or cannot be read is passed over and
noted in `unfit`.
"""

from __future__ import annotations

import ctypes
import hashlib
import importlib.util
import json
import mmap
import os
import re
from collections.abc import Callable, Iterable, Sequence
from functools import cache
from pathlib import Path
from typing import Any

from lumiban.search import processor
from lumiban.search.numba_available import is_plain
from lumiban.system import size_limits

NUMBER = "int64"
"""Name of a whole number among the kinds of arguments; an array is `int64:1`, its numbers and its
dimensions."""
TABLE_SUFFIX = ".json"
BROUGHT = "lumiban_kernels"
"""The package that brings libraries, in a folder for each family of processors."""
OTHER_VERSION, OTHER_PROCESSOR, DAMAGED = "version", "processor", "damaged"
"""Reasons why a library is passed over."""
_OWN = Path(__file__).resolve().parent.parent
_MAKERS = ("build_kernels", "numba_kernels", "processor")
_MARKS = re.compile(r"^@(?:kernel|inlined|entry)", re.MULTILINE)
_TAKES = re.compile(r"^ *from lumiban\.([\w.]+) import (\([^)]*\)|.*)", re.MULTILINE)
_NUMBERS_OF = re.compile(r"\b[A-Z][A-Z0-9_]*\b")
_NUMBERS: dict[str, Any] = {
    "int64": ctypes.c_int64, "int32": ctypes.c_int32, "float64": ctypes.c_double,
}  # fmt: skip
_LARGE = 1 << 16
"""Bytes from which on an array gets memory of its own, which the system clears as it is touched.
To clear 64 MB at once took 60 ms, in which no stop was heard."""
_WORD = 1 << 63
_DONE = (0, -2)
"""Return values of a kernel that has ended well: with a number, or with None."""

unfit: dict[Path, str] = {}
"""The libraries that were passed over in this process, each with the reason."""


def array(kind: str, *lengths: int) -> Any:
    """An array of these lengths by dimension, all 0; `kind` is int64, int32 or float64.

    >>> rows = array("int64", 2, 3)
    >>> rows[1][2] = 7
    >>> [list(row) for row in rows]
    [[0, 0, 0], [0, 0, 7]]
    """
    made = _NUMBERS[kind]
    for length in reversed(lengths):
        made *= length
    size = ctypes.sizeof(made)
    return made() if size < _LARGE else made.from_buffer(mmap.mmap(-1, size))


def filled(kind: str, values: Sequence[Any]) -> Any:
    """An array with these numbers, of one dimension or two."""
    if len(values) and hasattr(values[0], "__len__"):
        made = array(kind, len(values), len(values[0]))
        for row, numbers in zip(made, values, strict=True):
            row[:] = numbers
        return made
    made = array(kind, len(values))
    made[:] = values
    return made


def copied(original: Any) -> Any:
    """Another array with the same numbers."""
    return type(original).from_buffer_copy(original)


def entry_name(function: Callable[..., Any], state_type: type) -> str:
    """The name of an entry for a class of State."""
    module = function.__module__.removeprefix("lumiban.")
    return f"{module}.{function.__name__}:{state_type.__name__}"


def symbol_of(name: str) -> str:
    """The name of an entry as a library shows it.

    >>> symbol_of("search.uct.grow:ControlState")
    'search_uct_grow_ControlState'
    """
    return name.replace(".", "_").replace(":", "_")


@cache
def _read(source: Path) -> tuple[bool, tuple[Path, ...], str]:
    """Of a file: whether it has functions that are compiled, the files of lumiban from which it
    takes numbers (names in capitals), and the sum of its text."""
    content = source.read_bytes()
    text = content.decode("utf-8")
    stems = [m.replace(".", "/") for m, names in _TAKES.findall(text) if _NUMBERS_OF.search(names)]
    files = [_OWN / f"{stem}{end}.py" for stem in stems for end in ("", "/__init__")]
    there = tuple(path for path in files if path.exists())
    return bool(_MARKS.search(text)), there, hashlib.sha256(content).hexdigest()


@cache
def _marked(pattern: str) -> tuple[Path, ...]:
    """The files with functions that are compiled, among these."""
    return tuple(path for path in _OWN.glob(pattern) if _read(path)[0])


def sources_of(*slugs: str) -> set[Path]:
    """The files whose text decides what is compiled for these games of ours, `*` for all: those
    with functions that are compiled, of the games and of what any game shares; those from which
    they take numbers, to any depth; and what makes libraries of them."""
    rooms = [f"{room}/{slug}" for room in ("games", "search") for slug in (".", *slugs)]
    queue = [path for room in rooms for path in _marked(f"{room}/*.py")]
    found = {_OWN / "search" / f"{name}.py" for name in _MAKERS}
    for path in queue:
        if path not in found:
            found.add(path)
            queue += _read(path)[1]
    return found


def digest_of_sources(*slugs: str) -> str:
    """A name for the texts of `sources_of`."""
    sources = [(path.relative_to(_OWN).as_posix(), _read(path)[2]) for path in sources_of(*slugs)]
    return hashlib.sha256(repr(sorted(sources)).encode()).hexdigest()[:20]


def sum_of(content: bytes, entries: dict[str, Any]) -> str:
    """The sum by which a library and its entries are known to be whole."""
    return hashlib.sha256(content + json.dumps(entries, sort_keys=True).encode()).hexdigest()


def brought() -> list[Path]:
    """The folders of libraries for this machine's family that packages have brought; a package
    that has none for it is `unfit`."""
    spec = importlib.util.find_spec(BROUGHT)
    roots = [Path(root) for root in (spec.submodule_search_locations or ())] if spec else []
    folders = [root / processor.family() for root in roots if processor.family()]
    # By os.path, to which a folder that must not be read is none.
    there = [folder for folder in folders if os.path.isdir(folder)]  # noqa: PTH112
    if roots and not there:
        unfit[roots[0]] = OTHER_PROCESSOR
    for folder in there:
        if not any(folder.glob(f"*{TABLE_SUFFIX}")):
            unfit[folder] = DAMAGED
    return there


def passed_over() -> dict[Path, str]:
    """Libraries of packages that do not serve here, each with the reason; none where compiled code
    is switched off."""
    if is_plain():
        return {}
    for folder in brought():
        for table in sorted(folder.glob(f"*{TABLE_SUFFIX}")):
            library_of(table)
    return unfit


def kernel_of(
    function: Callable[..., Any], state_type: type, folders: Iterable[Path]
) -> Kernel | None:
    """The compiled form of an entry that one of these folders holds; None where none does."""
    name = entry_name(function, state_type)
    for folder in folders:
        for table in sorted(folder.glob(f"*{TABLE_SUFFIX}")):
            library = library_of(table)
            if library is not None and name in library.entries:
                return library.kernel(name)
    return None


def forget() -> None:
    """Look again at libraries and sources: one has been made or written meanwhile."""
    unfit.clear()
    for known in (library_of, _marked, _read):
        known.cache_clear()


class Library:
    """A library as its table tells of it; it is loaded with its first kernel."""

    def __init__(self, path: Path, entries: dict[str, Any]) -> None:
        self.entries = entries
        self._loaded = ctypes.CDLL(str(path))

    def kernel(self, name: str) -> Kernel:
        """The kernel of this name."""
        entry = self.entries[name]
        return Kernel(self._loaded[entry["symbol"]], name, entry["takes"], entry["gives"])


@cache
def library_of(table: Path) -> Library | None:
    """The library beside its table, None where it is passed over."""
    try:
        document = size_limits.from_json(table.read_bytes())
        family, made_of, entries = document["family"], document["made_of"], document["entries"]
        if family != processor.family():
            unfit[table] = OTHER_PROCESSOR
        elif made_of != digest_of_sources(*document.get("games", ())):
            unfit[table] = OTHER_VERSION
        else:
            path = table.with_suffix(".so")
            # One cut short would be found out by a signal that ends the process.
            if sum_of(path.read_bytes(), entries) != document["sum"]:
                raise ValueError("not what was written")
            return Library(path, entries)
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        if table.exists():
            unfit[table] = DAMAGED
    return None


class Kernel:
    """A compiled function.

    Tuples are handed over field by field, and of an array its owner (none, twice), numbers in all,
    bytes of one, place, and its lengths and steps by dimension.
    """

    def __init__(self, run: Any, name: str, takes: Sequence[str], gives: str) -> None:
        self._name, self._takes, self._gives = name, takes, gives
        run.restype = ctypes.c_int32
        run.argtypes = [ctypes.c_void_p, ctypes.c_void_p]
        for kind in takes:
            if kind == NUMBER:
                run.argtypes += [ctypes.c_int64]
            else:
                dimensions = int(kind.rpartition(":")[2])
                number, place = ctypes.c_int64, ctypes.c_void_p
                run.argtypes += [place, place, number, number, place, *[number] * 2 * dimensions]
        self._run = run
        self._checked: list[Any] = []
        """The types of arguments that were found to be what it takes."""

    def __call__(self, *arguments: Any) -> int | None:
        """Run it; what it returns. TypeError, OverflowError: it does not take these; RuntimeError:
        it raised something."""
        flat: list[Any] = []
        _flatten(arguments, flat)
        types: list[Any] = [type(value) for value in flat]
        if types != self._checked:
            self._check(types)
        values: list[int | None] = []
        for value, kind in zip(flat, types, strict=True):
            if kind is int:
                if not -_WORD <= value < _WORD:  # ctypes would cut it to size
                    raise OverflowError(f"{self._name}: {value} has more than 64 bits")
                values.append(value)
            else:
                before, behind = _form(kind)
                values += before
                values.append(ctypes.addressof(value))
                values += behind
        result, fault = ctypes.c_int64(), ctypes.c_void_p()
        code = self._run(ctypes.addressof(result), ctypes.addressof(fault), *values)
        if code not in _DONE:
            raise RuntimeError(f"{self._name} ended with {code}")
        return None if self._gives == "none" else result.value

    def _check(self, types: list[Any]) -> None:
        kinds = [NUMBER if one is int else _form_told(one) for one in types]
        if kinds != list(self._takes):
            raise TypeError(f"{self._name} takes {' '.join(self._takes)}, not {' '.join(kinds)}")
        self._checked = types


def _flatten(arguments: Sequence[Any], flat: list[Any]) -> None:
    for value in arguments:
        if isinstance(value, tuple):
            _flatten(value, flat)
        else:
            flat.append(value)


def _lengths(kind: Any) -> tuple[Any, list[int]]:
    """Type of the numbers of an array of this type, and its lengths by dimension."""
    lengths = []
    while issubclass(kind, ctypes.Array):
        lengths.append(kind._length_)
        kind = kind._type_
    return kind, lengths


@cache
def _form(kind: Any) -> tuple[tuple[Any, ...], tuple[int, ...]]:
    """Arguments for an array of this type that come before its address, and those after it."""
    number, lengths = _lengths(kind)
    steps: list[int] = []
    step = ctypes.sizeof(number)
    for length in reversed(lengths):
        steps.insert(0, step)
        step *= length
    size = ctypes.sizeof(number)
    return (None, None, ctypes.sizeof(kind) // size, size), (*lengths, *steps)


def _form_told(kind: Any) -> str:
    """A type of argument as tables tell it."""
    number, lengths = _lengths(kind)
    names = [name for name, one in _NUMBERS.items() if one is number]
    return f"{names[0]}:{len(lengths)}" if names and lengths else str(kind.__name__)

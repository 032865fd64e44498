"""The one file that knows numba: it compiles the search together with a game's kernel.

Nothing here imports numba until `compiled` is asked for. Where numba is missing, or
`LUMIBAN_NO_NUMBA=1` is set, functions come back as they are and states stay lists.

A State's methods are registered once, for all NamedTuples: `state.play(move)` in compiled code
means the plain method of the State's class. The functions marked with `@kernel` (the games' and
the search's) may be called from compiled code by their names.

numba keeps what it compiled on disk but looks at one source file only. So the folder is named
after everything that matters: all sources of games and search, a third party's too, and the
versions. Edit any of them and the next start compiles afresh.
"""

from __future__ import annotations

import ast
import contextlib
import hashlib
import importlib
import os
import shutil
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cache
from pathlib import Path
from types import FunctionType, ModuleType
from typing import Any

import platformdirs

from lumiban.games.kernel import INLINED, KERNELS, copy_words
from lumiban.search.machine import available as available

METHODS = {
    "assign": "self, other",
    "mover": "self",
    "moves": "self, out",
    "play": "self, move",
    "outcome": "self",
    "playout": "self, rng, trace",
    "key": "self",
}
"""The methods of a State with their parameters: compiled code may call these and no others."""

SHORT = {"assign", "mover", "outcome"}
"""Methods compiled into their callers: to hand over a State, 21 words and more, costs more."""

_OWN = Path(__file__).resolve().parent.parent
_KEEP_FOLDERS = 16
"""One for each game and for each text of the rules: three of these, and some of other people's."""
_KEEP_S = 6 * 3600
"""So long a process that has begun may come back to its folder."""
_unfit: set[type] = set()
_registered: set[Callable[..., Any]] = set()
_entries: dict[tuple[Callable[..., Any], Path], Callable[..., Any]] = {}
_NOT_COUNTED = "NRT required"
"""What numba says of an array that is made where none are counted."""
unkept: list[str] = []
"""Where compiled code could not be kept in this process, with the reason: on a full disk, say."""
_counting: set[tuple[Callable[..., Any], Path]] = set()
"""The entries that make arrays: how many hold each is counted."""


class Unfit(Exception):
    """A State that cannot be compiled: plain Python will have to do. Nothing was changed."""


def fits(state: Any) -> bool:
    """Whether compiling is worth a try for this State: a NamedTuple of lists of ints, and a numba
    that can be imported. `broken` tells afterwards if it was numba."""
    return available() and could_fit(state) and not _fault_of_numba()


def could_fit(state: Any) -> bool:
    """Whether this State looks as if it could be compiled; numba is not imported for this."""
    if type(state) in _unfit or not (isinstance(state, tuple) and hasattr(state, "_fields")):
        return False
    return len(state) > 0 and all(isinstance(field, list) for field in state)


def broken() -> str:
    """Why an installed numba could not be used in this process, "" when nothing is known."""
    return _fault_of_numba() if _fault_of_numba.cache_info().currsize else ""


@cache
def _fault_of_numba() -> str:
    """What keeps numba from being imported, in one line, "" when nothing does."""
    from importlib.metadata import version

    try:
        version("numba")
        importlib.import_module("numba.extending")
    except (ImportError, AttributeError, OSError, RuntimeError, SystemError, ValueError) as error:
        return " ".join(f"{type(error).__name__}: {error}".split())
    return ""


def compiled(function: Callable[..., Any], state_type: type) -> Callable[..., Any]:
    """`function` compiled for this class of State, or itself where numba is not `available`.

    It is compiled at its first call (seconds), or read from the cache (a few tenths). That call
    raises `Unfit` when a third party's State uses what the compiler does not know.
    """
    if not available():
        return function
    folder = cache_folder(state_type)
    # Each time, since a game imported after another has brought kernels of its own.
    numba = _numba(folder)
    name = function, folder
    if name not in _entries:
        # Counting who holds an array took a tenth of the time, and nothing here is ever freed.
        _entries[name] = numba.njit(cache=True, nogil=True, _nrt=False)(function)

    def call(*arguments: Any) -> Any:
        try:
            return _entries[name](*arguments)
        except OSError as error:
            # It has been compiled by then, and serves this process.
            unkept.append(f"{folder.parent} ({error.strerror})")
            return _entries[name](*arguments)
        except _compiler_error() as error:
            if name in _counting or _NOT_COUNTED not in str(error):
                _unfit.add(state_type)
                raise Unfit(str(error)) from error
        # Somebody's State makes arrays of its own: those have to be counted.
        _counting.add(name)
        _entries[name] = numba.njit(cache=True, nogil=True)(function)
        return call(*arguments)

    return call


def compiled_state(state: Any) -> Any:
    """A copy of a State whose lists have become int64 arrays; all its fields must be lists."""
    return type(state)(*(ints(values) for values in state))


def row(shelf: Any, at: int) -> Any:
    """The State whose lists are the rows numbered `at` of the tables in `shelf`; it shares them.

    Compiled code may call it too, on tables that are arrays (`compiled_state` makes them so). A
    State that is no tuple has a list of States for a shelf.

    >>> from lumiban.games.control.kernel import ControlState, fresh
    >>> state = fresh(2, (0,) * 7, 0, 1, perimeter=True)
    >>> shelf = ControlState(*([list(values), list(values)] for values in state))
    >>> row(shelf, 1) == state
    True
    """
    if type(shelf) is list:
        return shelf[at]
    return type(shelf)(*(table[at] for table in shelf))


def ints(values: Sequence[Any]) -> Any:
    """An int64 array with these numbers, of as many dimensions as they have."""
    import numpy

    return numpy.array(values, dtype=numpy.int64)


def zeros(length: int) -> Any:
    """An int64 array of zeros; memory is taken as they are written.

    To touch all of it at once took 60 ms for 64 MB, in which no stop was heard.
    """
    import numpy

    return numpy.zeros(length, dtype=numpy.int64)


def words(length: int) -> Any:
    """An array of so many signed words of 32 bits, all 0; memory is taken as they are written."""
    import numpy

    return numpy.zeros(length, dtype=numpy.int32)


def octets(length: int) -> Any:
    """An array of so many bytes, all 0; memory is taken as they are written."""
    import numpy

    return numpy.zeros(length, dtype=numpy.uint8)


def floats(values: Sequence[float]) -> Any:
    """A float64 array with these numbers."""
    import numpy

    return numpy.array(values, dtype=numpy.float64)


def freshly_compiled() -> int:
    """How many functions this process has had to compile, since the cache had none of them."""
    entries: list[Any] = list(_entries.values())
    return sum(sum(entry.stats.cache_misses.values()) for entry in entries)


def fingerprint(sources: Iterable[Path], module: str = "") -> str:
    """A name for the content of these files and the versions of Python and numba.

    What is kept on disk names the State's `module`, so that the same file elsewhere is another.
    """
    from importlib.metadata import version  # a bot's front, which needs none of it, starts sooner

    digest = hashlib.sha256(module.encode())
    for source in sorted(sources):
        content = source.read_bytes()
        digest.update(f"{source.name} {len(content)}\n".encode())
        digest.update(content)
    digest.update(f"numba {version('numba')} python {sys.version_info[:3]}".encode())
    return digest.hexdigest()[:20]


@cache
def cache_folder(state_type: type) -> Path:
    """Where compiled code for this class of State lies; the folder's name is its `fingerprint`."""
    folder = cache_root() / fingerprint(kernel_sources(state_type), state_type.__module__)
    if not folder.is_dir():
        prune(folder.parent)
        folder.mkdir(parents=True, exist_ok=True)
    folder.touch()
    return folder


def cache_root() -> Path:
    """The folder for compiled code: `LUMIBAN_CACHE`, else in the platform's cache folder.

    Where that cannot be written, a temporary one: compiling after each boot beats not at all.
    """
    roots = [platformdirs.user_cache_path("lumiban", appauthor=False) / "compiled"]
    user = os.getuid() if hasattr(os, "getuid") else 0
    roots.append(Path(tempfile.gettempdir()) / f"lumiban-compiled-{user}")
    named = os.environ.get("LUMIBAN_CACHE", "")
    if named:
        roots.insert(0, Path(named).absolute() / "compiled")
    for root in roots:
        with contextlib.suppress(OSError):
            root.mkdir(mode=0o700, parents=True, exist_ok=True)
            # Not one that somebody else has laid ready: what lies there will be run.
            if os.access(root, os.W_OK) and root.stat().st_uid in (user, 0):
                return root
    return Path(tempfile.mkdtemp(prefix="lumiban-compiled-"))


def kernel_sources(state_type: type) -> set[Path]:
    """All files whose content decides what is compiled for this class of State."""
    found = {path for room in ("games", "search") for path in (_OWN / room).rglob("*.py")}
    for name in _strange_modules(state_type.__module__):
        source = getattr(sys.modules[name], "__file__", None)
        if source:
            found.add(Path(source).resolve())
    return found


def stamp(state_type: type) -> str:
    """A name for this machine and the dates of these sources: numba compiles again what is younger
    than its code."""
    # numba compiles for the processor that it finds.
    digest = hashlib.sha256(repr(os.uname() if hasattr(os, "uname") else "").encode())
    for source in sorted(kernel_sources(state_type)):
        told = source.stat()
        digest.update(f"{source} {told.st_mtime_ns} {told.st_size}\n".encode())
    return digest.hexdigest()[:20]


def _strange_modules(start: str) -> set[str]:
    """The module of a third party's State, those whose kernels it uses, and those of its own
    folder or package that it imports numbers from, to any depth."""
    marked = {function.__module__ for function in KERNELS}
    found: set[str] = set()
    queue = [start]
    while queue:
        name = queue.pop()
        if name in found or name.partition(".")[0] == "lumiban" or name not in sys.modules:
            continue
        found.add(name)
        for value in vars(sys.modules[name]).values():
            if isinstance(value, FunctionType) and value.__module__ in marked:
                queue.append(value.__module__)
        queue += _neighbours(sys.modules[name])
    return found


def _neighbours(module: ModuleType) -> Iterator[str]:
    """What a module's text imports from beside it: a number from there is part of the kernel."""
    source = Path(getattr(module, "__file__", None) or "")
    try:
        tree = ast.parse(source.read_bytes())
    except (OSError, SyntaxError, ValueError):
        return
    for node in ast.walk(tree):
        names: list[str] = []
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            package = (module.__package__ or "").split(".")
            above = package[: len(package) - node.level + 1] if node.level else []
            whole = ".".join([*above, *([node.module] if node.module else [])])
            names = [whole, *(f"{whole}.{alias.name}" for alias in node.names)]
        for name in names:
            other = getattr(sys.modules.get(name), "__file__", None)
            if other and source.parent in Path(other).parents:
                yield name


def prune(root: Path) -> int:
    """Remove folders of sources long gone, the newest few apart; returns how many."""

    def age(path: Path) -> float:
        with contextlib.suppress(OSError):
            return now - path.stat().st_mtime
        return 0.0

    now = time.time()
    aged = sorted(root.glob("*"), key=age)
    gone = [path for path in aged[_KEEP_FOLDERS:] if age(path) > _KEEP_S]
    for path in gone:
        shutil.rmtree(path, ignore_errors=True)
    return len(gone)


def _numba(folder: Path) -> Any:
    """numba, writing to this folder, with all kernels seen so far registered."""
    os.environ["NUMBA_CACHE_DIR"] = str(folder)
    numba = importlib.import_module("numba")
    # A second game after the first, or numba imported by somebody else: it reads anew.
    numba.config.CACHE_DIR = str(folder)
    _share_methods()
    extending = importlib.import_module("numba.extending")
    for function in KERNELS:
        if function not in _registered:
            _registered.add(function)
            shared = extending.register_jitable(nogil=True, forceinline=function in INLINED)
            shared(function)
    return numba


@cache
def _compiler_error() -> type[Exception]:
    error: type[Exception] = importlib.import_module("numba.core.errors").NumbaError
    return error


@cache
def _share_methods() -> None:
    # Kernels count on products that wrap at 64 bits. numba tells its compiler that none does, which
    # then takes signs for granted: two random numbers in a row came out negative.
    arithmetic: Any = importlib.import_module("numba.cpython.numbers")
    arithmetic._int_arith_flags = _wrapping
    # By name, since numba's stubs leave `jit_options` out.
    extending = importlib.import_module("numba.extending")
    types = importlib.import_module("numba.types")
    for name, parameters in METHODS.items():
        # numba compares parameters by name, so the binder must have those of the method.
        scope: dict[str, Any] = {"bare": _bare, "name": name}
        exec(f"def bind({parameters}):\n return bare(self.instance_class, name)\n", scope)
        options: dict[str, bool] = {"nogil": True, "forceinline": name in SHORT}
        if name == "assign":
            # To copy a slice, as a third party's may, numba may make another array.
            options["_nrt"] = True
        share = extending.overload_method(types.BaseNamedTuple, name, jit_options=options)
        share(scope["bind"])
    # numba compares annotations too.
    scope = {"rows": _rows_of}
    exec("def bind(shelf, at):\n return rows(shelf.instance_class, len(shelf))\n", scope)
    extending.overload(row, jit_options={"nogil": True})(scope["bind"])
    scope = {"loop": _copy_words_loop}
    exec("def bind(mine, theirs, start, end):\n return loop\n", scope)
    options = {"nogil": True, "forceinline": True}
    extending.overload(copy_words, jit_options=options)(scope["bind"])


def _rows_of(state_type: type, count: int) -> Callable[..., Any]:
    """`row` for the compiler, which wants the fields of the tuple by their numbers."""
    scope: dict[str, Any] = {"kind": state_type}
    fields = ", ".join(f"shelf[{i}][at]" for i in range(count))
    exec(f"def rows(shelf, at):\n return kind({fields})\n", scope)
    found: Callable[..., Any] = scope["rows"]
    return found


def _copy_words_loop(mine, theirs, start, end):  # type: ignore[no-untyped-def]  # numba compares
    """`copy_words` for the compiler."""
    for at in range(start, end):
        mine[at] = theirs[at]


def _wrapping(_type: Any) -> list[str]:
    """No promise about the results of whole-number arithmetic."""
    return []


@cache
def _bare(state_type: type, name: str) -> FunctionType:
    """A State's method without annotations, which numba would take for part of its name."""
    method: FunctionType = getattr(state_type, name)
    return FunctionType(
        method.__code__, method.__globals__, name, method.__defaults__, method.__closure__
    )

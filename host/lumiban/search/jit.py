"""Compiled code for games and searches: from a library of kernels, else from numba.

The entries of our own games (`games.kernel.entry`) lie in libraries (`libraries.py`): a package has
brought them, or this machine makes them once where it has numba and a linker. They run without
numba. Where there is no linker, and for other people's States, numba compiles in this process, in
its public way, and keeps what it has compiled in its own cache.

Without either, and with `LUMIBAN_PLAIN=1`, functions come back as they are and states stay lists.

A State's methods are registered with numba once, for all NamedTuples: `state.play(move)` in
compiled code means the plain method of the State's class. The functions marked with `@kernel` (the
games' and the search's) may be called from compiled code by their names.

What was compiled is kept on disk, in a folder named after everything that matters: all sources that
are compiled for a game, a third party's too, and the family of processors. Edit any of them and the
next start compiles that game afresh.
"""

from __future__ import annotations

import ast
import contextlib
import ctypes
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

from lumiban.errors import LumibanError
from lumiban.games.kernel import KERNELS, play_out
from lumiban.search import libraries, processor
from lumiban.search.libraries import array, copied, filled
from lumiban.search.numba_available import has_numba, is_plain
from lumiban.search.numba_kernels import numba_with_kernels

__all__ = ["array", "copied"]

_GAMES = ["lumiban", "games"]
_KEEP_FOLDERS = 16
"""One for each game and for each text of the rules: three of these, and some of other people's."""
_KEEP_S = 6 * 3600
"""So long a process that has begun may come back to its folder."""
_unfit: set[type] = set()
_entries: dict[tuple[Callable[..., Any], Path], Any] = {}
unkept: list[str] = []
"""Reasons why compiled code could not be kept in this process: on a full disk, say."""


class Unfit(Exception):
    """A State that cannot be compiled: plain Python will have to do. Nothing was changed."""


def available() -> bool:
    """True if anything may be compiled here, or has been."""
    return not is_plain() and (has_numba() or bool(libraries.brought()))


def could_fit(state: Any) -> bool:
    """True if this State looks as if it could be compiled; numba is not imported for this."""
    if type(state) in _unfit or not (isinstance(state, tuple) and hasattr(state, "_fields")):
        return False
    return len(state) > 0 and all(isinstance(field, list) for field in state)


def fits(state: Any) -> bool:
    """True if entries can be called compiled for this State: a NamedTuple of lists of ints, with a
    library for it or a numba that works. A library that this machine can make is made first."""
    return could_fit(state) and has_kernels(type(state))


def has_kernels(state_type: type) -> bool:
    """True if entries can be called compiled for this class of State (see `fits`)."""
    if is_plain() or state_type in _unfit:
        return False
    return has_library(state_type) or may_make_library(state_type, make=True) or _numba_works()


def has_library(state_type: type) -> bool:
    """True if a library for this class of State lies here, whichever process made it."""
    return libraries.kernel_of(play_out, state_type, folders(state_type)) is not None


@cache
def may_make_library(state_type: type, *, make: bool = False) -> bool:
    """True if this machine can make a library for this class of State; with `make` it does so, in a
    process of its own: seconds. What hinders it is `unkept` then."""
    module = state_type.__module__.split(".")
    if module[:2] != _GAMES or not processor.family() or not has_numba():
        return False
    from lumiban.search import build_kernels  # which reads what is needed only here

    if not build_kernels.can_build():
        return False
    if make:
        try:
            build_kernels.built_apart([module[2]], cache_folder(state_type), module[2])
        except (LumibanError, OSError) as error:
            unkept.append(str(error))
            return False
        look_again()
    return not make or has_library(state_type)


def look_again() -> None:
    """Look again for libraries and for numba: something has come meanwhile."""
    libraries.forget()
    may_make_library.cache_clear()
    fault_of_numba.cache_clear()


def broken() -> str:
    """Reason why an installed numba could not be used in this process, "" when nothing is known."""
    return fault_of_numba() if has_numba() and fault_of_numba.cache_info().currsize else ""


def _numba_works() -> bool:
    return has_numba() and not fault_of_numba()


@cache
def fault_of_numba() -> str:
    """Reason why numba cannot be imported, in one line, "" when it can."""
    from importlib.metadata import version

    try:
        version("numba")
        importlib.import_module("numba.extending")
    except (ImportError, AttributeError, OSError, RuntimeError, SystemError, ValueError) as error:
        return " ".join(f"{type(error).__name__}: {error}".split())
    return ""


def compiled(function: Callable[..., Any], state_type: type) -> Callable[..., Any]:
    """`function` compiled for this class of State, or itself where nothing is compiled.

    Without a library it is compiled at its first call (seconds), or read from numba's cache (a few
    tenths). That call raises `Unfit` when a third party's State uses what the compiler does not
    know.
    """
    if is_plain():
        return function
    kernel = libraries.kernel_of(function, state_type, folders(state_type))
    if kernel is not None:
        return kernel
    return _compiled_by_numba(function, state_type) if has_numba() else function


def _compiled_by_numba(function: Callable[..., Any], state_type: type) -> Callable[..., Any]:
    folder = cache_folder(state_type)

    def call(*arguments: Any) -> Any:
        if not _numba_works():
            _unfit.add(state_type)
            raise Unfit(fault_of_numba())
        # Each time, since a game imported after another has brought kernels of its own.
        numba = numba_with_kernels()
        name = function, folder
        if name not in _entries:
            numba.config.CACHE_DIR = str(folder)
            try:
                _entries[name] = numba.njit(nogil=True, cache=True)(function)
            except RuntimeError:  # there is no place for it, or it comes from no file
                _entries[name] = numba.njit(nogil=True)(function)
        try:
            return _entries[name](*map(_for_numba, arguments))
        except _compiler_error() as error:
            _unfit.add(state_type)
            raise Unfit(str(error)) from error
        except OSError as error:
            unkept.append(f"{folder.parent} ({error.strerror})")
            _entries[name] = numba.njit(nogil=True)(function)
            return call(*arguments)

    return call


def _for_numba(value: Any) -> Any:
    """An argument as numba takes it: over an array lies one of numpy's, which shares its memory."""
    if isinstance(value, ctypes.Array):
        return importlib.import_module("numpy").asarray(value)
    if isinstance(value, tuple):
        made = map(_for_numba, value)
        return type(value)(*made) if hasattr(value, "_fields") else tuple(made)
    return value


def compiled_state(state: Any) -> Any:
    """A copy of a State whose lists have become int64 arrays; all its fields must be lists."""
    return type(state)(*(ints(values) for values in state))


def ints(values: Sequence[Any]) -> Any:
    """An int64 array with these numbers, of as many dimensions as they have."""
    return filled("int64", values)


def zeros(length: int) -> Any:
    """An int64 array of zeros; where it is large, memory is taken as they are written."""
    return array("int64", length)


def words(length: int) -> Any:
    """An array of a number of signed words of 32 bits, all 0; see `zeros`."""
    return array("int32", length)


def floats(values: Sequence[float]) -> Any:
    """A float64 array with these numbers."""
    return filled("float64", values)


def freshly_compiled() -> int:
    """Number of functions that numba has had to compile in this process, since its cache had
    none."""
    return sum(sum(entry.stats.cache_misses.values()) for entry in _entries.values())


def fingerprint(sources: Iterable[Path], module: str = "") -> str:
    """A name for the content of these files and the family of processors.

    What is kept on disk names the State's `module`, so that the same file elsewhere is another.
    """
    digest = hashlib.sha256(module.encode())
    for source in sorted(sources):
        content = source.read_bytes()
        digest.update(f"{source.name} {len(content)}\n".encode())
        digest.update(content)
    digest.update((processor.family() or repr(os.uname())).encode())
    return digest.hexdigest()[:20]


@cache
def cache_folder(state_type: type) -> Path:
    """Folder of the compiled code for this class of State; its name is the `fingerprint`."""
    name = fingerprint(kernel_sources(state_type), state_type.__module__)
    folder = cache_root() / name
    if not folder.is_dir():
        prune(folder.parent)
        folder.mkdir(parents=True, exist_ok=True)
    folder.touch()
    return folder


def folders(state_type: type) -> Iterator[Path]:
    """Folders in which libraries for this class of State are looked for: those of packages, then
    this machine's own."""
    yield from libraries.brought()
    yield cache_folder(state_type)


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
            # Not one that another user has laid ready: what lies there will be run.
            if os.access(root, os.W_OK) and root.stat().st_uid in (user, 0):
                return root
    return Path(tempfile.mkdtemp(prefix="lumiban-compiled-"))


def kernel_sources(state_type: type) -> set[Path]:
    """All files whose content decides what is compiled for this class of State."""
    module = state_type.__module__.split(".")
    sources = libraries.sources_of(module[2] if module[:2] == _GAMES else "*")
    for name in _strange_modules(state_type.__module__):
        source = getattr(sys.modules[name], "__file__", None)
        if source:
            sources.add(Path(source).resolve())
    return sources


def _strange_modules(start: str) -> set[str]:
    """The module of a third party's State, those whose kernels it uses, and those of its own
    folder or package that it imports numbers from, to any depth."""
    marked = {function.__module__ for function in KERNELS}
    modules: set[str] = set()
    queue = [start]
    while queue:
        name = queue.pop()
        if name in modules or name.partition(".")[0] == "lumiban" or name not in sys.modules:
            continue
        modules.add(name)
        for value in vars(sys.modules[name]).values():
            if isinstance(value, FunctionType) and value.__module__ in marked:
                queue.append(value.__module__)
        queue += _neighbours(sys.modules[name])
    return modules


def _neighbours(module: ModuleType) -> Iterator[str]:
    """Modules beside it that a module's text imports from: a number from there is part of the
    kernel."""
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


@cache
def _compiler_error() -> type[Exception]:
    error: type[Exception] = importlib.import_module("numba.core.errors").NumbaError
    return error

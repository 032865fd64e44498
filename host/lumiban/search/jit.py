"""The one file that knows numba: it compiles the search together with a game's kernel.

Nothing here imports numba until `compiled` is asked for. Where numba is missing, or
`LUMIBAN_NO_NUMBA=1` is set, functions come back as they are and states stay lists.

A State's methods are registered once, for all NamedTuples: `state.play(move)` in compiled code
means the plain method of the State's class. The functions marked with `@kernel` (the games' and
the search's) may be called from compiled code by their names.

What was compiled is kept on disk, in a folder named after everything that matters: all sources of
games and search, a third party's too, the versions, and the family of processors. Edit any of them
and the next start compiles afresh. The package `lumiban_kernels`, where it is installed, brings
such folders along: they are read too, and never written.
"""

from __future__ import annotations

import ast
import contextlib
import hashlib
import importlib
import importlib.util
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

from lumiban.games.kernel import INLINED, KERNELS, copy_words, member, popcount
from lumiban.search import compile_once, kernel_objects, processor
from lumiban.search.kernel_files import SUFFIX, KernelFiles, ObjectFiles
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
on_kept: list[Callable[[], object]] = []
"""What is called whenever a function has been compiled and kept."""
_counting: set[tuple[Callable[..., Any], Path]] = set()
"""The entries that make arrays: how many hold each is counted."""


class Unfit(Exception):
    """A State that cannot be compiled: plain Python will have to do. Nothing was changed."""


def fits(state: Any) -> bool:
    """Whether compiling is worth a try for this State: a NamedTuple of lists of ints, and a numba
    that can be imported. `broken` tells afterwards if it was numba."""
    if not (available() and could_fit(state)):
        return False
    if _spares_compiler and any(any(folder.glob(f"*{SUFFIX}")) for folder in folders(type(state))):
        return True  # whatever becomes of numba, if it is wanted at all
    return not _fault_of_numba()


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


_spares_compiler = False
_kept_here = 0
"""How many functions this process has compiled and kept."""


def spare_compiler() -> None:
    """From now on run what lies on disk without numba, which is imported only for what does not:
    it takes 60 MB, the kernels less than one. Nothing where objects cannot be run by themselves."""
    global _spares_compiler
    _spares_compiler = kernel_objects.may_run()


def may_begin_anew() -> bool:
    """Whether this process would take less memory if it began anew: it has compiled, and what it
    has compiled is kept."""
    return _spares_compiler and _kept_here > 0 and not unkept


def compiled(function: Callable[..., Any], state_type: type) -> Callable[..., Any]:
    """`function` compiled for this class of State, or itself where numba is not `available`.

    It is compiled at its first call (seconds), or read from the cache (a few tenths). That call
    raises `Unfit` when a third party's State uses what the compiler does not know.
    """
    if not available():
        return function
    if not _spares_compiler:
        return _compiled_by_numba(function, state_type)
    objects = ObjectFiles(function, folders(state_type))
    by_numba: Callable[..., Any] | None = None

    def call(*arguments: Any) -> Any:
        nonlocal by_numba
        if by_numba is None:
            flat = kernel_objects.Flat(arguments)
            kernel = objects.of(flat)
            if kernel is not None:
                return kernel(flat)
            if _fault_of_numba():
                _unfit.add(state_type)
                raise Unfit(_fault_of_numba())
            by_numba = _compiled_by_numba(function, state_type)
        return by_numba(*arguments)

    return call


def _compiled_by_numba(function: Callable[..., Any], state_type: type) -> Callable[..., Any]:
    folder = cache_folder(state_type)
    # Each time, since a game imported after another has brought kernels of its own.
    numba = numba_with_kernels()
    name = function, folder
    if name not in _entries:
        # Counting who holds an array took a tenth of the time, and nothing here is ever freed.
        _entries[name] = _entry(numba, function, folder, counted=False)

    def call(*arguments: Any) -> Any:
        try:
            return _entries[name](*arguments)
        except _compiler_error() as error:
            if name in _counting or _NOT_COUNTED not in str(error):
                _unfit.add(state_type)
                raise Unfit(str(error)) from error
        # Somebody's State makes arrays of its own: those have to be counted.
        _counting.add(name)
        _entries[name] = _entry(numba, function, folder, counted=True)
        return call(*arguments)

    return call


def _entry(numba: Any, function: Callable[..., Any], folder: Path, *, counted: bool) -> Any:
    """numba's door to a function, which keeps its code in `folder`."""
    entry = door(numba, function, counted=counted)

    def unable(error: OSError) -> None:
        # It has been compiled by then, and serves this process.
        unkept.append(f"{folder.parent} ({error.strerror})")

    def count_kept() -> None:
        global _kept_here
        _kept_here += 1
        for tell in on_kept:
            tell()

    folders = [folder, *(root / folder.name for root in _brought())]
    entry._cache = KernelFiles(function, folders, counted=counted, unkept=unable, kept=count_kept)
    return entry


def door(numba: Any, function: Callable[..., Any], *, counted: bool) -> Any:
    """numba's door to a function, which keeps nothing yet."""
    options = compile_once.entry_options() | ({} if counted else {"_nrt": False})
    return numba.njit(nogil=True, **options)(function)


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


def fingerprint(sources: Iterable[Path], module: str = "", family: str | None = None) -> str:
    """A name for the content of these files, the versions of Python and numba, and the family of
    processors, by default this machine's.

    What is kept on disk names the State's `module`, so that the same file elsewhere is another.
    """
    from importlib.metadata import version  # a bot's front, which needs none of it, starts sooner

    digest = hashlib.sha256(module.encode())
    for source in sorted(sources):
        content = source.read_bytes()
        digest.update(f"{source.name} {len(content)}\n".encode())
        digest.update(content)
    digest.update(f"numba {version('numba')} python {sys.implementation.cache_tag}".encode())
    family = processor.family() if family is None else family
    digest.update((family or repr(os.uname())).encode())
    return digest.hexdigest()[:20]


def folder_name(state_type: type, family: str | None = None) -> str:
    """The name of the folder for this class of State and family of processors."""
    return fingerprint(kernel_sources(state_type), state_type.__module__, family)


@cache
def cache_folder(state_type: type) -> Path:
    """Where compiled code for this class of State lies; the folder's name is its `fingerprint`."""
    folder = cache_root() / folder_name(state_type)
    if not folder.is_dir():
        prune(folder.parent)
        folder.mkdir(parents=True, exist_ok=True)
    folder.touch()
    return folder


BROUGHT = "lumiban_kernels"
"""The package that brings compiled code: a folder a family, and in each those of `cache_folder`."""


def _brought() -> list[Path]:
    """The folders, of this machine's family, that packages have brought."""
    found = importlib.util.find_spec(BROUGHT)
    family = processor.family()
    if found is None or not family:
        return []
    return [Path(root) / family for root in found.submodule_search_locations or ()]


def folders(state_type: type) -> list[Path]:
    """Where compiled code for this class of State is read: this machine's own folder, then those
    that packages have brought."""
    own = cache_folder(state_type)
    return [own, *(root / own.name for root in _brought())]


MADE_FOR = "made-for"
"""In a package's folder of a family: the name of what its kernels were made of."""


def made_of(family: str) -> str:
    """A name for this lumiban, Python and numba, and a family of processors."""
    own = {path for room in ("games", "search") for path in (_OWN / room).rglob("*.py")}
    return fingerprint(own, "", family)


def unfit_package() -> str:
    """Why kernels that a package has brought are passed over here: "processor", "version", or ""
    where they serve or none was brought."""
    found = importlib.util.find_spec(BROUGHT)
    if found is None or not available():
        return ""
    for folder in _brought():
        if folder.is_dir():
            with contextlib.suppress(OSError):
                if (folder / MADE_FOR).read_text("utf-8") == made_of(processor.family()):
                    return ""
            return "version"
    return "processor"


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


def numba_with_kernels() -> Any:
    """numba, set to the family of processors, with all kernels seen so far registered."""
    processor.settle()
    numba = importlib.import_module("numba")
    processor.settle(numba)  # somebody else may have imported it
    with compile_once.sharing():
        _share_methods()
        extending = importlib.import_module("numba.extending")
        for function in KERNELS:
            if function not in _registered:
                _registered.add(function)
                extending.register_jitable(**_inner(inlined=function in INLINED))(function)
    return numba


def _inner(*, inlined: bool) -> dict[str, bool]:
    """numba's options for what compiled code calls."""
    return {"nogil": True, "forceinline": inlined, **compile_once.DOORLESS}


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
        options = _inner(inlined=name in SHORT)
        if name == "assign":
            # To copy a slice, as a third party's may, numba may make another array.
            options["_nrt"] = True
        share = extending.overload_method(types.BaseNamedTuple, name, jit_options=options)
        share(scope["bind"])
    # numba compares annotations too.
    scope = {"rows": _rows_of}
    exec("def bind(shelf, at):\n return rows(shelf.instance_class, len(shelf))\n", scope)
    extending.overload(row, jit_options=_inner(inlined=False))(scope["bind"])
    scope = {"loop": _copy_words_loop}
    exec("def bind(mine, theirs, start, end):\n return loop\n", scope)
    extending.overload(copy_words, jit_options=_inner(inlined=True))(scope["bind"])
    _instruct(popcount, "x", lambda builder, x: builder.ctpop(x))
    _instruct(member, "x, k", _nth_bit if processor.lays_down_bits(processor.family()) else None)


def _instruct(plain: Callable[..., Any], parameters: str, build: Callable[..., Any] | None) -> None:
    """Compile the calls of `plain`, of whole numbers, as what `build` writes for LLVM; without it
    as the text that it is."""
    extending = importlib.import_module("numba.extending")
    int64 = importlib.import_module("numba.types").int64
    scope: dict[str, Any] = {"typed": None}

    def generate(_context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
        assert build is not None
        return build(builder, *arguments)

    if build is None:
        scope["text"] = _unannotated(plain, plain.__name__)
    else:
        scope["typed"] = int64(*[int64] * len(parameters.split(","))), generate
        exec(f"def instruction(typing, {parameters}):\n return typed\n", scope)
        scope["instruction"] = extending.intrinsic(scope["instruction"])
        exec(f"def text({parameters}):\n return instruction({parameters})\n", scope)
    exec(f"def bind({parameters}):\n return text\n", scope)
    extending.overload(plain, jit_options=_inner(inlined=True))(scope["bind"])


def _nth_bit(builder: Any, x: Any, k: Any) -> Any:
    """`member` by two instructions: a bit laid down at the k-th bit of x, and where it lies."""
    ir = importlib.import_module("llvmlite.ir")
    kind = ir.FunctionType(x.type, [x.type, x.type])
    lay_down = builder.module.declare_intrinsic("llvm.x86.bmi.pdep.64", (), kind)
    bit = builder.call(lay_down, [builder.shl(x.type(1), k), x])
    return builder.cttz(bit, ir.IntType(1)(1))


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
    return _unannotated(getattr(state_type, name), name)


def _unannotated(function: Any, name: str) -> FunctionType:
    return FunctionType(
        function.__code__, function.__globals__, name, function.__defaults__, function.__closure__
    )

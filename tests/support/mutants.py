"""Breaks by lot: one small fault at a time is put into the code, and the room's unit tests must
turn red.

    ./run test --mutants                             120 faults in all rooms
    ./run test --mutants web --count 20 --seed 7     20 in one, the same each time
    ./run test --mutants web --seed 7 --only 3,11    two of these once more

A function or a table is drawn first, then a fault in it, so that long functions get no more than
short ones. Faults are written into a copy of the tree, never into the checkout. The tests that
reach a line are known from one run of the room's tests under coverage.py, and come first; what they
do not notice is tried with all of the room's unit tests.
"""

from __future__ import annotations

import argparse
import ast
import os
import random
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from itertools import islice, zip_longest
from pathlib import Path
from queue import SimpleQueue
from types import NoneType
from typing import Any

import coverage

ROOT = Path(__file__).resolve().parents[2]
COPIED = ("host", "firmware", "hardware", "simulator", "lab", "tests", "docs", "examples")
COPIED_FILES = ("pyproject.toml", "README.md", "CHANGELOG.md", "run")
LINKED = (".ci", "packaging")
COUNT = 120
TEST_S, RUN_S = 30, 240
"""Longest time of one test, and of all tests that a fault is tried with; what hangs is noticed."""
MEMORY = 6 << 30
"""Bytes of address space for a run: a broken loop must not take the machine's."""
COVERED, FAILED, ONLY = "MUTANTS_COVERED", "MUTANTS_FAILED", "MUTANTS_ONLY"
"""Environment variables that tell the plugin below where to write what is covered and which tests
failed, and which tests to run."""


@dataclass(frozen=True)
class Room:
    """A package, and the folders of its unit tests."""

    name: str
    code: Path
    tests: tuple[str, ...]


@dataclass(frozen=True)
class Fault:
    """One place in a file (offsets in bytes) and what comes to stand there.

    `statement` and `line` are lines of the statement and of the place in it.
    """

    room: Room
    file: Path
    within: str
    statement: int
    line: int
    start: int
    end: int
    old: str
    new: str

    def __str__(self) -> str:
        old = " ".join(self.old.split())
        return f"{self.file}:{self.line}: {self.within}: {_short(old)} -> {_short(self.new)}"


def _short(text: str) -> str:
    return text if len(text) <= 70 else f"{text[:50]} … {text[-17:]}"


def rooms(root: Path = ROOT) -> dict[str, Room]:
    """The rooms that have unit tests, by name."""
    packages = {one.name: one for one in (root / "host/lumiban").glob("[a-z]*")}
    packages |= {one.parent.name: one for one in root.glob("*/lumiban_[!l]*")}
    packages["hil"] = root / "host/pytest_lumiban"
    found = {}
    for name, code in packages.items():
        tests = [one for one in (f"tests/unit/{name}", f"tests/{name}") if (root / one).is_dir()]
        if code.is_dir() and tests:
            found[name] = Room(name, code.relative_to(root), tuple(tests))
    return dict(sorted(found.items()))


# What can be broken.

SWAPPED: dict[type[ast.AST], Any] = {
    ast.Lt: ast.LtE,
    ast.LtE: ast.Lt,
    ast.Gt: ast.GtE,
    ast.GtE: ast.Gt,
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.In: ast.NotIn,
    ast.NotIn: ast.In,
    ast.Is: ast.IsNot,
    ast.IsNot: ast.Is,
    ast.And: ast.Or,
    ast.Or: ast.And,
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.FloorDiv,
    ast.Div: ast.Mult,
    ast.FloorDiv: ast.Mult,
    ast.Mod: ast.FloorDiv,
    ast.BitAnd: ast.BitOr,
    ast.BitOr: ast.BitAnd,
    ast.LShift: ast.RShift,
    ast.RShift: ast.LShift,
}
Function = ast.FunctionDef | ast.AsyncFunctionDef
TEXT = ast.JoinedStr | ast.List | ast.ListComp
UNHEARD = ("_Protocol", "Protocol", "TypedDict")


def definitions(tree: ast.Module) -> Iterator[tuple[str, ast.stmt]]:
    """Functions and tables with their names; a lone number is neither, and a test that repeats it
    says nothing."""

    def below(body: list[ast.stmt], within: str) -> Iterator[tuple[str, ast.stmt]]:
        for node in body:
            if isinstance(node, Function):
                yield within + node.name, node
            elif isinstance(node, ast.ClassDef):
                if not any(ast.unparse(base).split("[")[0] in UNHEARD for base in node.bases):
                    yield from below(node.body, f"{within}{node.name}.")
            elif isinstance(node, ast.Assign | ast.AnnAssign):
                target = node.targets[0] if isinstance(node, ast.Assign) else node.target
                is_table = not isinstance(node.value, ast.Constant | ast.BinOp | NoneType)
                is_type = isinstance(node.value, ast.Call) and _is_of_types(node.value.func)
                if is_table and not is_type and not ast.unparse(target).startswith("__"):
                    yield within + ast.unparse(target), node

    yield from below(tree.body, "")


def places(node: ast.stmt) -> Iterator[tuple[ast.stmt, ast.AST, str]]:
    """Every fault that a definition can have: its statement, what is replaced, and by what."""
    in_function = isinstance(node, Function)

    def walk(one: ast.AST, statement: ast.stmt) -> Iterator[tuple[ast.stmt, ast.AST, str]]:
        if isinstance(one, ast.stmt):
            statement = one
        for old, new in _broken(one, in_function):
            yield statement, old, new
        for name, value in ast.iter_fields(one):
            if name in ("annotation", "returns", "decorator_list", "type_params", "msg"):
                continue
            if isinstance(one, ast.keyword) and one.arg == "strict":
                continue  # a zip of what is equally long
            if name == "slice" and isinstance(value, ast.Tuple):
                continue  # of types
            if name == "args" and isinstance(one, ast.Call) and _is_of_types(one.func):
                continue
            for child in value if isinstance(value, list) else [value]:
                if isinstance(child, ast.AST) and not isinstance(child, ast.JoinedStr):
                    yield from walk(child, statement)

    yield from walk(node, node)


def _broken(node: ast.AST, in_function: bool) -> Iterator[tuple[ast.AST, str]]:
    """What may come in place of a node, or of a part of it."""
    if isinstance(node, ast.stmt):
        yield from _broken_statement(node, in_function)
        return
    match node:
        case ast.IfExp(test) if not _is_constant(test):
            yield test, _source(ast.UnaryOp(ast.Not(), test))
        case ast.comprehension(ifs=[only]):
            yield only, "True"
        case ast.Constant(bool(value)):
            yield node, str(not value)
        case ast.Constant(int(value) | float(value)):
            yield node, repr(value + 1 if abs(value) <= 10 else value * 2)
        case ast.Tuple(parts, ast.Load()) | ast.List(parts, ast.Load()) | ast.Set(parts):
            for gone in range(len(parts)) if len(parts) > 1 else ():
                left_over = type(node)(elts=parts[:gone] + parts[gone + 1 :], ctx=ast.Load())
                yield node, _source(left_over)
        case ast.Dict(keys, values):
            for gone in range(len(keys)) if len(keys) > 1 else ():
                names, rest = keys[:gone] + keys[gone + 1 :], values[:gone] + values[gone + 1 :]
                yield node, ast.unparse(ast.Dict(names, rest))
        case ast.Call(func, [first, second, *more], keywords) if _may_swap(func, first, second):
            yield node, ast.unparse(ast.Call(func, [second, first, *more], keywords))
        case ast.Call(func, args, [*keywords, ast.keyword(arg=str())]) if not _is_log(func):
            yield node, ast.unparse(ast.Call(func, args, keywords))
        case ast.expr():
            yield from _broken_operator(node, in_function)


def _broken_operator(node: ast.expr, in_function: bool) -> Iterator[tuple[ast.AST, str]]:
    match node:
        case ast.Compare(left, [op, *more], right) if type(op) in SWAPPED:
            yield node, _source(ast.Compare(left, [SWAPPED[type(op)](), *more], right))
        case ast.BoolOp(op, values):
            yield node, _source(ast.BoolOp(SWAPPED[type(op)](), values))
        case ast.UnaryOp(ast.Not(), operand):
            yield node, _source(operand)
        case ast.BinOp(left, ast.Div(), right) if not _is_number(left, right):
            pass  # a path
        case ast.BinOp(left, op, right) if type(op) in SWAPPED and not _is_text(left, right):
            if in_function or not isinstance(op, ast.BitOr):  # there it joins types
                yield node, _source(ast.BinOp(left, SWAPPED[type(op)](), right))


def _broken_statement(node: ast.stmt, in_function: bool) -> Iterator[tuple[ast.AST, str]]:
    match node:
        case ast.If(test) | ast.While(test) if not _is_constant(test):
            yield test, _source(ast.UnaryOp(ast.Not(), test))
        case ast.AugAssign(target, op, value) if type(op) in SWAPPED and not _is_text(value):
            yield node, ast.unparse(ast.AugAssign(target, SWAPPED[type(op)](), value))
        case ast.Expr(ast.Call() | ast.Await()) | ast.Raise() | ast.Continue() | ast.Break():
            yield node, "pass"
        case ast.Assign([ast.Attribute() | ast.Subscript()]) if in_function:
            yield node, "pass"


def _may_swap(func: ast.expr, *args: ast.expr) -> bool:
    return not _is_of_types(func) and not any(isinstance(one, ast.Starred) for one in args)


def _is_of_types(func: ast.expr) -> bool:
    return ast.unparse(func) in (
        "cast", "isinstance", "getattr", "min", "max", "suppress", "TypeVar", "ParamSpec", "NewType"
    )  # fmt: skip


def _is_log(func: ast.expr) -> bool:
    """True if it writes a line into a log: what else stands in the line is wording; that there is
    none, or one too many, is a fault."""
    return isinstance(func, ast.Attribute) and func.attr in ("info", "warning", "error")


def _source(node: ast.expr) -> str:
    return f"({ast.unparse(node)})"


def _is_text(*nodes: ast.expr) -> bool:
    """What cannot be subtracted: a fault that any type checker sees is none."""
    return any(isinstance(one, TEXT) or _is_constant(one, str | bytes) for one in nodes)


def _is_number(*nodes: ast.expr) -> bool:
    return any(isinstance(one, ast.BinOp) or _is_constant(one, int | float) for one in nodes)


def _is_constant(node: ast.expr, kind: Any = object) -> bool:
    return isinstance(node, ast.Constant) and isinstance(node.value, kind)


def faults(room: Room, root: Path = ROOT) -> list[list[Fault]]:
    """All faults of a room, by definition."""
    found = []
    for path in sorted((root / room.code).rglob("*.py")):
        if path.name.startswith("test_"):
            continue  # the suite for boards
        data = path.read_bytes()
        starts = [0]
        for line in data.splitlines(keepends=True):
            starts.append(starts[-1] + len(line))
        for name, node in definitions(ast.parse(data)):
            here = []
            for statement, old, new in places(node):
                assert isinstance(old, ast.expr | ast.stmt)
                start = starts[old.lineno - 1] + old.col_offset
                end = starts[(old.end_lineno or 0) - 1] + (old.end_col_offset or 0)
                text = data[start:end].decode()
                file = path.relative_to(root)
                lines = (statement.lineno, old.lineno)
                here.append(Fault(room, file, name, *lines, start, end, text, new))
            if here:
                found.append(here)
    return found


def draw(chosen: list[Room], count: int, seed: int, root: Path = ROOT) -> list[Fault]:
    """So many faults, of each room alike, the same for the same code and seed."""
    lot = random.Random(seed)
    pools = [faults(room, root) for room in chosen]
    for pool in pools:
        lot.shuffle(pool)
    turns = (one for turn in zip_longest(*pools) for one in turn if one)  # as many of each room
    return [lot.choice(definition) for definition in islice(turns, count)]


# The plugin of the runs.


def pytest_configure(config: Any) -> None:
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    if COVERED in os.environ:
        config.covered = coverage.Coverage(os.environ[COVERED], source_pkgs=[], include=["*/*"])
        config.covered.start()


def pytest_collection_modifyitems(config: Any, items: list[Any]) -> None:
    if ONLY in os.environ:
        wanted = set(Path(os.environ[ONLY]).read_text("utf-8").splitlines())
        items[:] = [item for item in items if item.nodeid in wanted]


def pytest_runtest_logstart(nodeid: str) -> None:
    running = coverage.Coverage.current()
    if COVERED in os.environ and running is not None:
        running.switch_context(nodeid)


def pytest_runtest_logreport(report: Any) -> None:
    if report.failed and FAILED in os.environ:
        with Path(os.environ[FAILED]).open("a", encoding="utf-8") as out:
            out.write(report.nodeid + "\n")


def pytest_sessionfinish(session: Any) -> None:
    if COVERED in os.environ:
        session.config.covered.stop()
        session.config.covered.save()


# Trying them.


class Tree:
    """A copy of the checkout in which faults are tried, one after the other."""

    def __init__(self, folder: Path) -> None:
        self.root = folder / "tree"
        self.folder = folder
        self.root.mkdir(parents=True)
        for name in COPIED:
            unwanted = shutil.ignore_patterns("node_modules", ".hypothesis", "build")
            shutil.copytree(ROOT / name, self.root / name, ignore=unwanted)
        for name in COPIED_FILES:
            shutil.copy2(ROOT / name, self.root / name)
        for name in LINKED:
            (self.root / name).symlink_to(ROOT / name)
        ours = [self.root / name for name in ("lab", "host", "firmware", "hardware", "simulator")]
        self.env = {
            **{name: value for name, value in os.environ.items() if not name.startswith("PYTEST_")},
            "PYTHONPATH": os.pathsep.join(map(str, [*ours, self.root / "tests/support"])),
            "LUMIBAN_HOME": str(folder / "home"),
            "LUMIBAN_CACHE": str(folder / "cache"),
            "TMPDIR": str(folder),
            FAILED: str(folder / "failed"),
        }
        self.env.pop("PYTHONDONTWRITEBYTECODE", None)
        self._seconds = 0

    def run(self, paths: list[str], *words: str, **env: str) -> tuple[int | None, list[str], str]:
        """pytest's exit code (None when time was up), the tests that failed, the last line."""
        Path(self.env[FAILED]).write_text("")
        shutil.rmtree(self.root / ".hypothesis", ignore_errors=True)
        command = [sys.executable, "-m", "pytest", "-q", "-m", "unit", "--tb=no", "-p", "mutants"]
        command += ["-p", "no:cacheprovider", "-p", "no:randomly", "-p", "no:xdist"]
        command += ["--hypothesis-seed=0", f"--timeout={TEST_S}", *words, *paths]
        with (self.folder / "said").open("w+b") as said:
            process = subprocess.Popen(
                command,
                cwd=self.root,
                env={**self.env, **env},
                stdin=subprocess.DEVNULL,
                stdout=said,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )
            try:
                code: int | None = process.wait(RUN_S if "-x" in words else 4 * RUN_S)
            except subprocess.TimeoutExpired:
                code = None
            finally:
                with suppress(ProcessLookupError):
                    os.killpg(process.pid, signal.SIGKILL)
                process.wait()
            said.seek(0)
            lines = said.read().decode(errors="replace").strip().splitlines()
        failed = Path(self.env[FAILED]).read_text("utf-8").splitlines()
        return code, failed, (lines or [""])[-1]

    def tests_by_line(self, room: Room) -> Reached:
        """Which of the room's green unit tests reach which lines."""
        data = str(self.folder / f"covered-{room.name}")
        code, failed, told = self.run([*room.tests], **{COVERED: data})
        if code not in (0, 1):
            raise SystemExit(f"mutants: the tests of {room.name} cannot be run: {told}")
        for test in failed:
            print(f"mutants: red without any fault, left out: {test}", file=sys.stderr)
        covered = coverage.CoverageData(data)
        covered.read()
        by_line = {
            str(Path(file).relative_to(self.root)): covered.contexts_by_lineno(file)
            for file in covered.measured_files()
            if Path(file).is_relative_to(self.root / room.code)
        }
        return Reached(by_line, covered.measured_contexts() - {""}, frozenset(failed))

    def notices(self, fault: Fault, reached: Reached) -> bool:
        """Whether a test turns red by this fault."""
        file = self.root / fault.file
        before, times = file.read_bytes(), file.stat()
        after = before[: fault.start] + fault.new.encode() + before[fault.end :]
        ast.parse(after)
        file.write_bytes(after)
        # Bytecode is told apart by whole seconds and size: each fault has a second of its own.
        self._seconds += 1
        os.utime(file, (times.st_atime, int(times.st_mtime) - self._seconds))
        try:
            for wanted in filter(None, reached.by(fault)):
                only = self.folder / "only"
                only.write_text("\n".join(sorted(wanted)), "utf-8")
                paths = sorted({one.partition("::")[0] for one in wanted})
                code, _, told = self.run(paths, "-x", **{ONLY: str(only)})
                if code != 0:
                    break
        finally:
            file.write_bytes(before)
            os.utime(file, ns=(times.st_atime_ns, times.st_mtime_ns))
        if code == 5:
            raise SystemExit(f"mutants: no test was found for {fault}: {told}")
        return code != 0


@dataclass(frozen=True)
class Reached:
    """The tests by the lines that they reach; all that ran; those that failed without a fault."""

    by_line: dict[str, dict[int, list[str]]]
    all: set[str]
    red: frozenset[str]

    def by(self, fault: Fault) -> tuple[set[str], set[str]]:
        """The tests to try a fault with: those that reach it, then the room's others, as what is
        kept in a cache was reached by the first test alone."""
        lines = self.by_line.get(str(fault.file), {})
        wanted = {*lines.get(fault.statement, ()), *lines.get(fault.line, ())} & self.all
        return wanted - self.red, self.all - wanted - self.red


def main() -> int:
    """0 when every fault was noticed, 1 when some were not."""
    known = rooms()
    parser = argparse.ArgumentParser(prog="./run test --mutants", description="Breaks by lot.")
    parser.add_argument("room", nargs="*", metavar="ROOM", help=", ".join(known))
    parser.add_argument("--count", type=int, default=COUNT, help="so many faults (%(default)s)")
    parser.add_argument("--seed", type=int, help="the same faults as with this seed")
    parser.add_argument("--only", default="", help="of these, those with these numbers")
    parser.add_argument("--jobs", "-n", type=int, default=os.cpu_count() or 1)
    words = parser.parse_args()
    if unknown := set(words.room) - set(known):
        parser.error(f"no room is named {', '.join(unknown)}; the rooms are {', '.join(known)}")
    seed = random.SystemRandom().randrange(10**6) if words.seed is None else words.seed
    chosen = [known[one] for one in words.room or known]
    drawn = dict(enumerate(draw(chosen, words.count, seed), 1))
    for number in drawn.keys() - set(map(int, words.only.split(","))) if words.only else ():
        del drawn[number]
    print(f"{len(drawn)} faults, --seed {seed}", flush=True)
    survived = {}
    with tempfile.TemporaryDirectory(prefix="mutants-", ignore_cleanup_errors=True) as folder:
        free: SimpleQueue[Tree] = SimpleQueue()
        for number in range(max(1, min(words.jobs, len(drawn)))):
            free.put(Tree(Path(folder, str(number))))

        def reach(room: Room) -> Reached:
            with _lent(free) as tree:
                return tree.tests_by_line(room)

        def is_noticed(fault: Fault) -> bool:
            with _lent(free) as tree:
                return tree.notices(fault, reached[fault.room])

        with ThreadPoolExecutor(free.qsize()) as pool:
            wanted = list(dict.fromkeys(fault.room for fault in drawn.values()))
            reached = dict(zip(wanted, pool.map(reach, wanted), strict=True))
            results = pool.map(is_noticed, drawn.values())
            for (number, fault), seen in zip(drawn.items(), results, strict=True):
                print(f"{number:4} {'noticed ' if seen else 'SURVIVED'} {fault}", flush=True)
                if not seen:
                    survived[number] = fault
    if len(wanted) > 1:
        for room in wanted:
            of_room = [number for number, fault in drawn.items() if fault.room == room]
            seen_here = len(of_room) - len(survived.keys() & set(of_room))
            print(f"{room.name}: {seen_here} of {len(of_room)}")
    for number, fault in survived.items():
        print(f"not noticed: {number:4} {fault}")
    print(f"noticed {len(drawn) - len(survived)} of {len(drawn)} (--seed {seed})")
    return 1 if survived else 0


@contextmanager
def _lent(free: SimpleQueue[Tree]) -> Iterator[Tree]:
    tree = free.get()
    try:
        yield tree
    finally:
        free.put(tree)


if __name__ == "__main__":
    sys.exit(main())

"""Mutation run: each place of mutants.toml is broken once, and tests of its room must turn red.

    ./run test --mutants                    the whole list
    ./run test --mutants=wire,fsync-folder  rooms or single mutants
    ./run test --mutants --json             the same as JSON

A mutant names a package, a function (`Decoder._open`; or a named constant) and a text in it, so
that moved files change nothing. It is written into a copy of the tree, never into the checkout: a
run that is killed leaves the checkout as it was. What caught a mutant must be green without it;
a mutant that cannot be imported proves nothing and does not count.
"""

from __future__ import annotations

import ast
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import tomllib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass, replace
from functools import cache
from itertools import accumulate
from pathlib import Path
from queue import SimpleQueue
from threading import Lock
from typing import Any

import thorough

HERE = Path(__file__).parent
TESTS = HERE.parent
ROOT = TESTS.parent
LIST = Path("tests") / "mutants.toml"
ROOTS = ("bench", "host", "firmware", "hardware", "simulator")
"""Folders of the tree that hold packages."""
COPIED = (*ROOTS, "tests", "docs", "examples", "pyproject.toml", "README.md", "CHANGELOG.md", "run")
LINKED = (".ci", "host/lumiban/web/node_modules")
LEFT_OUT = shutil.ignore_patterns(".hypothesis", "node_modules")
LEARNED = Path("build") / "mutants.json"
"""In the checkout: what caught each mutant last, and how long that took."""
TIMEOUT_S = 120
GREEN, RED, INTERRUPTED = 0, 1, 2
"""pytest's exit codes."""
CAUGHT, SURVIVED, TIMED_OUT = "caught", "SURVIVED", "TIMED OUT"
BROKEN, UNTESTED, RED_ANYWAY = "BROKEN", "UNTESTED", "RED ANYWAY"
WITNESS = "LUMIBAN_MUTANT_WITNESS"
"""Names the file that takes the ids of tests that failed (`pytest_runtest_logreport`)."""


class ListError(Exception):
    """An entry of the list that does not fit the code; says which, and what to do."""


@dataclass(frozen=True, slots=True)
class Mutant:
    """One entry of the list. `tests` are files in tests/, or `file::test` where a file is long."""

    id: str
    room: str
    package: str
    function: str
    text: str
    becomes: str
    why: str
    tests: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Place:
    """Where a mutant lies: a file below the tree's root, and its source before and after."""

    file: Path
    module: str
    before: str
    after: str


@dataclass(frozen=True, slots=True)
class Result:
    """What came of one mutant; `test` is the one that failed, `told` what else is to be said."""

    id: str
    room: str
    function: str
    outcome: str
    test: str = ""
    seconds: float = 0.0
    told: str = ""


# The list.


def read_list(root: Path = ROOT) -> list[Mutant]:
    """The mutants of a tree's list; ListError for an entry that is not whole, or an id used
    twice."""
    found: list[Mutant] = []
    for entry in tomllib.loads((root / LIST).read_text("utf-8"))["mutant"]:
        name = entry.get("id", f"entry {len(found) + 1}")
        if set(entry) != set(Mutant.__slots__):
            wrong = ", ".join(sorted(set(entry) ^ set(Mutant.__slots__)))
            raise ListError(f"{name}: missing or unknown: {wrong}")
        if any(name == other.id for other in found):
            raise ListError(f"{name}: two mutants have this id")
        if not entry["tests"]:
            raise ListError(f"{name}: no test is named that must catch it")
        found.append(Mutant(**{**entry, "tests": tuple(entry["tests"])}))
    return found


def chosen(mutants: Sequence[Mutant], words: str) -> list[Mutant]:
    """Those whose id or room is among these words, separated by commas; "" for all."""
    wanted = [word.strip() for word in words.split(",") if word.strip()]
    for word in wanted:
        if not any(word in (one.id, one.room) for one in mutants):
            rooms = ", ".join(sorted({one.room for one in mutants}))
            raise ListError(f"no mutant or room is called {word!r}; the rooms are {rooms}")
    return [one for one in mutants if not wanted or one.id in wanted or one.room in wanted]


@dataclass(frozen=True)
class Hit:
    """A mutant's text in a definition: the file and its source, where the definition begins in it
    and how far to the right, and the text as it was found in the definition's own."""

    file: Path
    source: str
    at: int
    found: re.Match[str]
    column: int


@cache
def _parsed(source: str) -> ast.Module:
    return ast.parse(source)


@cache
def _line_starts(source: str) -> list[int]:
    """In bytes, as the parser counts."""
    lengths = (len(line.encode()) for line in source.splitlines(keepends=True))
    return list(accumulate(lengths, initial=0))


def find(mutant: Mutant, root: Path = ROOT) -> Place:
    """The place of a mutant, looked for in all files of its package; ListError when there is none,
    when there are several, or when it would not change anything that Python runs."""
    pattern = re.compile(r"\s+".join(map(re.escape, mutant.text.split())))
    last = mutant.function.rpartition(".")[2]
    named = False
    hits: list[Hit] = []
    for file in _files(mutant.package, root):
        source = file.read_text("utf-8")
        if last not in source:
            continue
        try:
            tree = _parsed(source)
        except SyntaxError as error:
            raise ListError(f"{mutant.id}: {file} is no Python: {error.msg}") from None
        starts = _line_starts(source)
        data = source.encode()
        for node in _definitions(tree, mutant.function):
            named = True
            first = starts[node.lineno - 1] + node.col_offset
            end = starts[(node.end_lineno or node.lineno) - 1] + (node.end_col_offset or 0)
            text = data[first:end].decode()
            for hit in pattern.finditer(text):
                hits.append(Hit(file, source, len(data[:first].decode()), hit, node.col_offset))
    where = f"{mutant.id}: {mutant.package}: {mutant.function}"
    if not named:
        raise ListError(f"{where} is not there any more; mend its entry in {LIST}")
    if len(hits) != 1:
        often = "not there any more" if not hits else f"there {len(hits)} times"
        raise ListError(f"{where}: {mutant.text!r} is {often}; mend its entry in {LIST}")
    (hit,) = hits
    told = hit.found.string
    changed = told[: hit.found.start()] + mutant.becomes + told[hit.found.end() :]
    # The definition alone, as far to the right as it stands: to read whole files takes long.
    block = "if 1:\n" + " " * hit.column if hit.column else ""
    try:
        same = ast.dump(ast.parse(block + changed)) == ast.dump(ast.parse(block + told))
    except SyntaxError as error:
        raise ListError(f"{where}: {mutant.becomes!r} makes no Python: {error.msg}") from None
    if same:
        raise ListError(f"{where}: {mutant.becomes!r} changes nothing that runs")
    before = hit.source
    after = before[: hit.at] + changed + before[hit.at + len(told) :]
    file = hit.file
    below = file.relative_to(root)
    module = ".".join(below.with_suffix("").parts[1:]).removesuffix(".__init__")
    return Place(below, module, before, after)


def _files(package: str, root: Path) -> list[Path]:
    for top in ROOTS:
        folder = root / top / Path(*package.split("."))
        if folder.is_dir():
            return sorted(folder.rglob("*.py"))
        if folder.with_suffix(".py").is_file():
            return [folder.with_suffix(".py")]
    raise ListError(f"there is no package {package}")


def _definitions(tree: ast.AST, function: str, within: str = "") -> Iterator[ast.stmt]:
    """Functions and methods of this qualified name, or what gives a constant its value."""
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            name = within + node.name
            if name == function:
                yield node
            elif function.startswith(name + "."):
                yield from _definitions(node, function, name + ".")
        elif isinstance(node, ast.Assign | ast.AnnAssign):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            names = {part.id for one in targets for part in ast.walk(one) if _is_name(part)}
            if any(within + name == function for name in names):
                yield node
        elif isinstance(node, ast.If | ast.Try | ast.ExceptHandler | ast.With):
            yield from _definitions(node, function, within)


def _is_name(node: ast.AST) -> bool:
    return isinstance(node, ast.Name)


def check_tests(mutant: Mutant, tests: Path = TESTS) -> None:
    """ListError when a test that must catch a mutant is not there."""
    for test in mutant.tests:
        name, _, function = test.partition("::")
        file = tests / name
        if not file.is_file():
            raise ListError(f"{mutant.id}: there is no tests/{name}; mend its entry")
        if function and f"def {function.split('[')[0]}(" not in file.read_text("utf-8"):
            raise ListError(f"{mutant.id}: tests/{name} has no {function}; mend its entry")


# The tests that a mutant is held against.


def pytest_runtest_logreport(report: Any) -> None:
    """As a plugin of the tests of a mutant: write down which of them failed."""
    if report.failed and WITNESS in os.environ:
        with Path(os.environ[WITNESS]).open("a", encoding="utf-8") as out:
            out.write(report.nodeid + "\n")


class Tree:
    """A copy of the tree in which mutants are tried, one after the other."""

    def __init__(self, root: Path, folder: Path) -> None:
        self.path = folder / "tree"
        self._witness = folder / "failed"
        self._process: subprocess.Popen[bytes] | None = None
        self.ended = False
        self._changes = 0
        _copy(root, self.path)
        ours = [self.path / top for top in ROOTS]
        self._env = {
            **{name: value for name, value in os.environ.items() if not name.startswith("PYTEST_")},
            "PYTHONPATH": os.pathsep.join(map(str, [*ours, HERE])),
            "LUMIBAN_HOME": str(folder / "home"),
            "LUMIBAN_CACHE": str(folder / "cache"),  # kernels of mutants stay among themselves
            WITNESS: str(self._witness),
            thorough.WHOLE: "1",
        }
        self._env.pop("PYTHONDONTWRITEBYTECODE", None)

    def end(self) -> None:
        """End what runs in it; nothing more is begun."""
        self.ended = True
        process = self._process
        if process is not None:
            with suppress(ProcessLookupError, PermissionError):
                os.killpg(process.pid, signal.SIGKILL)

    @contextmanager
    def changed(self, place: Place) -> Iterator[None]:
        """The tree with this mutant in it."""
        file = self.path / place.file
        times = file.stat()
        file.write_text(place.after, "utf-8")
        # Bytecode is told apart by whole seconds and size: each mutant has a second of its own.
        self._changes += 1
        os.utime(file, (times.st_atime, int(times.st_mtime) - self._changes))
        try:
            yield
        finally:
            file.write_text(place.before, "utf-8")
            os.utime(file, ns=(times.st_atime_ns, times.st_mtime_ns))

    def imports(self, module: str, timeout_s: float) -> tuple[int | None, str]:
        """(0 when this module can be imported, None for too late; why it cannot)."""
        code, told = self._run(["-c", f"import {module}"], timeout_s)
        return code, _last(told)

    def test(
        self, tests: Sequence[str], timeout_s: float, *, stop: bool = True
    ) -> tuple[int | None, list[str], str]:
        """(exit code, None for too late; ids of the tests that failed; what pytest said) of these
        tests, only up to the first failure if told to `stop`."""
        self._witness.unlink(missing_ok=True)
        without = [
            word for name in ("cacheprovider", "randomly", "xdist") for word in ("-p", f"no:{name}")
        ]
        flags = ["-q", *without, "-p", "mutants", "--tb=line"]
        code, told = self._run(
            ["-m", "pytest", *flags, *(["-x"] if stop else []), *(f"tests/{one}" for one in tests)],
            timeout_s,
        )
        failed = self._witness.read_text("utf-8").splitlines() if self._witness.exists() else []
        return code, failed, told

    def _run(self, words: Sequence[str], timeout_s: float) -> tuple[int | None, str]:
        if self.ended:
            return None, ""
        with tempfile.TemporaryFile() as out:
            # A group of its own, so that what the tests started ends with them.
            process = self._process = subprocess.Popen(
                [sys.executable, *words],
                cwd=self.path,
                env=self._env,
                stdin=subprocess.DEVNULL,
                stdout=out,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )
            try:
                code: int | None = process.wait(timeout_s)
            except subprocess.TimeoutExpired:
                code = None
            finally:
                with suppress(ProcessLookupError, PermissionError):
                    os.killpg(process.pid, signal.SIGKILL)
                process.wait()
                self._process = None
            out.seek(0)
            return code, out.read().decode(errors="replace")


def _copy(root: Path, to: Path) -> None:
    to.mkdir()
    for name in COPIED:
        if (root / name).is_dir():
            shutil.copytree(root / name, to / name, ignore=LEFT_OUT)
        elif (root / name).exists():
            shutil.copy2(root / name, to / name)
    for name in LINKED:
        if (root / name).exists():
            (to / name).symlink_to(root / name)


def trial(tree: Tree, mutant: Mutant, place: Place, first: str, timeout_s: float) -> Result:
    """Try one mutant, the test `first` before all others if one is known ("" for none)."""
    began = time.monotonic()

    def came(outcome: str, test: str = "", told: str = "") -> Result:
        spent = round(time.monotonic() - began, 1)
        return Result(mutant.id, mutant.room, mutant.function, outcome, test, spent, told)

    with tree.changed(place):
        code, why = tree.imports(place.module, timeout_s)
        if code is None:
            return came(TIMED_OUT, told=f"importing it, after {timeout_s:.0f} s")
        if code != 0:
            return came(BROKEN, told=f"{place.module} cannot be imported: {why}")
        for tests in ((first,), mutant.tests) if first else (mutant.tests,):
            code, failed, told = tree.test(tests, timeout_s)
            if code is None:
                return came(TIMED_OUT, told=f"after {timeout_s:.0f} s")
            if code == RED and failed:
                return came(CAUGHT, failed[0].removeprefix("tests/"))
            if tests is not mutant.tests:
                continue  # that test may have gone since
            if code == INTERRUPTED:
                return came(BROKEN, told=_last(told))
            if code != GREEN:
                return came(UNTESTED, told=_last(told))
    return came(SURVIVED, told=mutant.why)


def _last(told: str) -> str:
    return (told.strip().splitlines() or [""])[-1]


def run(
    mutants: Sequence[Mutant],
    root: Path = ROOT,
    *,
    jobs: int = 1,
    timeout_s: float = TIMEOUT_S,
    learned: Mapping[str, Mapping[str, Any]] | None = None,
    heard: Callable[[Result], None] = lambda result: None,
) -> list[Result]:
    """Try all these mutants of the tree at `root`, the longest first by what was `learned`, then
    the tests that caught them without any mutant. ListError before anything is begun."""
    known = learned or {}
    places = {mutant.id: find(mutant, root) for mutant in mutants}
    for mutant in mutants:
        check_tests(mutant, root / "tests")
    order = sorted(mutants, key=lambda one: -float(known.get(one.id, {}).get("seconds", 60)))
    free: SimpleQueue[Tree] = SimpleQueue()
    lock = Lock()
    with tempfile.TemporaryDirectory(prefix="lumiban-mutants-", ignore_cleanup_errors=True) as top:
        trees = []
        for number in range(max(1, min(jobs, len(order)))):
            folder = Path(top) / str(number)
            folder.mkdir()
            trees.append(Tree(root, folder))
            free.put(trees[-1])

        def one(mutant: Mutant) -> Result:
            tree = free.get()
            try:
                first = str(known.get(mutant.id, {}).get("test", ""))
                if not _within(first, mutant.tests):
                    first = ""
                result = trial(tree, mutant, places[mutant.id], first, timeout_s)
            finally:
                free.put(tree)
            with lock:
                if not tree.ended:
                    heard(result)
            return result

        def without(tests: Sequence[str]) -> list[str]:
            tree = free.get()
            try:
                code, failed, told = tree.test(tests, len(tests) * timeout_s, stop=False)
            finally:
                free.put(tree)
            if code not in (GREEN, RED) or (code == RED and not failed):
                raise ListError(f"the tests cannot be run without mutants: {_last(told)}")
            return failed

        with ThreadPoolExecutor(len(trees)) as pool:
            try:
                results = list(pool.map(one, order))
                killers = sorted({result.test for result in results if result.outcome == CAUGHT})
                shares = [killers[k :: len(trees)] for k in range(len(trees))]
                red = {
                    test.removeprefix("tests/")
                    for failed in pool.map(without, [share for share in shares if share])
                    for test in failed
                }
            except BaseException:
                for tree in trees:
                    tree.end()
                raise
    return [_unless_red(result, red) for result in _in_order(results, mutants)]


def _within(test: str, tests: Sequence[str]) -> bool:
    """Whether a test is one of these, which are tests or whole files."""
    return test.partition("::")[0] in tests or test.partition("[")[0] in tests or test in tests


def _in_order(results: Iterable[Result], mutants: Sequence[Mutant]) -> list[Result]:
    by_id = {result.id: result for result in results}
    return [by_id[mutant.id] for mutant in mutants]


def _unless_red(result: Result, red: set[str]) -> Result:
    if result.outcome != CAUGHT or result.test not in red:
        return result
    return replace(result, outcome=RED_ANYWAY, told="that test fails without the mutant too")


# The command.


def told(result: Result) -> str:
    """One result as a line."""
    what = result.test if result.outcome == CAUGHT else " ".join((result.test, result.told)).strip()
    return f"{result.outcome:10} {result.id:26} {result.seconds:6.1f} s  {what}"


def learn(results: Iterable[Result], path: Path) -> None:
    """Keep what caught each mutant, for the order of the next run."""
    known = learned(path)
    for result in results:
        if result.outcome == CAUGHT:
            known[result.id] = {"test": result.test, "seconds": result.seconds}
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(known, indent=1, sort_keys=True), "utf-8")


def learned(path: Path) -> dict[str, dict[str, Any]]:
    """What the last run kept; nothing where it cannot be read."""
    try:
        known = json.loads(path.read_text("utf-8"))
    except (OSError, ValueError):
        return {}
    return known if isinstance(known, dict) else {}


@contextmanager
def _heeding_signals() -> Iterator[None]:
    """Whoever ends the run ends the tests that it has started, and its copies go."""
    kinds = (signal.SIGTERM, signal.SIGINT)
    before = [signal.signal(kind, signal.default_int_handler) for kind in kinds]
    try:
        yield
    finally:
        for kind, handler in zip(kinds, before, strict=True):
            signal.signal(kind, handler)


def main(words: str, *, as_json: bool = False, jobs: int | None = None, root: Path = ROOT) -> int:
    """Run a tree's list, or what `words` choose of it; 0 when all were caught, 1 when not, 2 when
    the list does not fit the code."""
    began = time.monotonic()
    count = 0

    def heard(result: Result) -> None:
        nonlocal count
        count += 1
        out = sys.stderr if as_json else sys.stdout
        print(f"[{count:2}/{len(mutants)}] {told(result)}", file=out, flush=True)

    try:
        mutants = chosen(read_list(root), words)
        with _heeding_signals():
            results = run(
                mutants,
                root,
                jobs=jobs or os.cpu_count() or 1,
                learned=learned(root / LEARNED),
                heard=heard,
            )
    except ListError as error:
        print(f"mutants: {error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        return 130
    with suppress(OSError):
        learn(results, root / LEARNED)
    caught = sum(result.outcome == CAUGHT for result in results)
    spent = round(time.monotonic() - began, 1)
    if as_json:
        whole = {"mutants": len(results), "caught": caught, "seconds": spent}
        print(json.dumps({**whole, "results": [asdict(one) for one in results]}, indent=1))
    else:
        for result in results:
            if result.outcome != CAUGHT:
                print(told(result))
        print(f"{caught} of {len(results)} mutants caught in {spent:.0f} s")
    return 0 if caught == len(results) else 1

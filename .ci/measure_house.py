"""Measures of the house: how far a reader walks, and how often one word means two things.

    python .ci/measure_house.py [--json] [--names] [FOLDER]        (./run measure-house)

Gates, with what they should come to:

- circles: groups of modules that import each other, `TYPE_CHECKING` and imports in functions
  included; 0.
- files of a stone: those in which a function runs from a stone set on a simulated board until its
  light shines (docs/architecture.py traces them); at most 40.
- homonyms: definitions (modules, classes, functions, methods, constants) named by a word of
  `MEANINGS` elsewhere than where the word belongs; 0.
- slugs: names of games as string literals in `search` and `study`; 0.
- wire numbers: those that .ci/wire_numbers.py finds written twice; 0.
- code lines: lines with code, without docstrings, comments and blank lines.

Observations beside them, which are no gates: a number that must be kept would become the architect.
"""

from __future__ import annotations

import argparse
import ast
import io
import json
import re
import statistics
import subprocess
import sys
import tokenize
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PACKAGES = {
    "lumiban": "host/lumiban",
    "lumiban_fw": "firmware/lumiban_fw",
    "lumiban_hw": "hardware/lumiban_hw",
    "lumiban_sim": "simulator/lumiban_sim",
    "lumiban_bench": "bench/lumiban_bench",
}
"""Folders of the product by package; one that does not exist counts nothing."""
SLUGS = ("control", "evening", "trivia", "doves", "rengi")
NO_GAME_BY_NAME = ("host/lumiban/search/", "host/lumiban/study/")
MEANINGS: Mapping[str, str] = {
    "told": "",
    "said": "",
    "kept": "",
    "way": "",
    "match": r"host/lumiban/(study|cli)/|hardware/",
    "link": r"boards/|runtime/|bench/|lumiban_fw/|cli/|maker/",
    "layout": r"lumiban_fw/|maker/",
    "lit": "",
    "faults": r"lumiban_fw/|lumiban_sim/|boards/",
    "ring": r"lumiban_fw/events",
    "ground": r"lumiban_fw/|hardware/",
    "session": r"host/lumiban/(table|runtime|web)/",
    "kind": r"games/|boards/|lumiban_fw/|lumiban_sim/|scene/|scripting/|hardware/",
    "picture": r"host/lumiban/(scene|cli|scripting)/|hardware/",
    "record": r"host/lumiban/(table|games|records|scripting)/",
    "line": "",
    "plan": r"lumiban_sim/|games/.*/options|cli/|bench/|study/",
    "level": r"host/lumiban/(search|study|cli|scripting|library)/",
    "board": r"boards/|lumiban_fw/|lumiban_sim/|scripting/|cli/|hardware/",
    "news": "",
    "found": "",
    "asked": "",
    "wanted": "",
    "left": "",
    "there": "",
    "most": "",
    "least": "",
    "near": "",
    "far": "",
    "patience_us": "",
    "again_us": "",
}
"""Words with several meanings, and where each may be defined (a pattern of paths; "": nowhere)."""
QUESTIONS = frozenset(
    ("is", "has", "can", "may", "must", "are", "was", "were", "had", "does", "did", "needs", "will",
     "should", "could")
)  # fmt: skip
"""The first words by which the name of a boolean asks something."""
STATES = """
alert alive alone analog apart available awake aware below bold busy calm clean clear close cold
common complete constant correct dark dead different dirty done down dry due durable eager early
empty equal even exact fair false fast fine first flat foreign free fresh frozen full gentle
gone good heard hidden idle inner japanese known last late legal level lit live local lone long
loose lost low met mute neutral new next nominal odd off ok old on online only open outer over
own plain private public quiet ready real reliable resent right rough safe same sent shaken
short shown silent simultaneous small solid sound spare stale still strange strict strong stuck
sure taken thin tight told torn true turnless unread up upright valid void weak whole wrong
"""
"""Adjectives and irregular participles: `empty` asks without a word before it. Regular ones are
known by their endings (`finished`, `waiting`)."""
NO_STATES = """
bed drawing feed king need reading ring seed setting speed spring string wiring
"""
"""Nouns that end as a participle does."""
VERBS = """
accepts acknowledges agrees allows answers asks assists belongs changes commutes compiles
contains covers differs ends equals exists expects fails fits floats folds follows helps hits
holds injects keeps knows leads leaves lets likes listens makes matches meets mends merges moves
needs offers opens owns plays ponders races reaches recurs repeats reports resolves rests reuses
resumes says sees shines shows skips stands starts stays takes tells tests touches trims uses waits
wants watches wins works
"""
"""Verbs of the third person: `fits(state)` asks whether it does."""
ACTS = """
accept add admit append apply begin check collect compensate confirm count discard do drop
expand follow forget give go hear keep lock look mend move obey poll prove remove resume send
set settle show start store take try update wait watch write
"""
"""Verbs in the imperative: a function called so acts, and returns whether it did or what came of
it, as `set.add` might."""
UNIT = re.compile(r"µ|\b(us|ms|s|mm|mT|Hz|bytes?|cells?|seconds?|mA|V|W|%)\b")


@dataclass(frozen=True, slots=True)
class Definition:
    """A name and where it is defined."""

    name: str
    path: str
    line: int

    def __str__(self) -> str:
        return f"{self.path}:{self.line}: {self.name}"


def sources(root: Path) -> dict[str, Path]:
    """The product's files by module name.

    >>> sources(ROOT)["lumiban.errors"].name
    'errors.py'
    """
    found: dict[str, Path] = {}
    for package, folder in PACKAGES.items():
        base = root / folder
        for file in sorted(base.rglob("*.py")):
            parts = file.relative_to(base).with_suffix("").parts
            name = ".".join((package, *parts)).removesuffix(".__init__")
            found[name] = file
    return found


def imports(module: str, file: Path, known: Mapping[str, Path]) -> set[str]:
    """The product's modules that a file imports anywhere in it."""
    result: set[str] = set()
    package = module if file.name == "__init__.py" else module.rpartition(".")[0]
    for node in ast.walk(ast.parse(file.read_text("utf-8"))):
        if isinstance(node, ast.Import):
            result |= {name.name for name in node.names}
        elif isinstance(node, ast.ImportFrom):
            base = node.module or ""
            if node.level:
                above = package.split(".")[: len(package.split(".")) - node.level + 1]
                base = ".".join([*above, *([base] if base else [])])
            for name in node.names:
                inner = f"{base}.{name.name}"
                result.add(inner if inner in known else base)
    return {name for name in result if name in known and name != module}


def circles(graph: Mapping[str, set[str]]) -> list[list[str]]:
    """Strongly connected groups of two modules or more, by Tarjan's algorithm.

    >>> circles({"a": {"b"}, "b": {"c"}, "c": {"b"}})
    [['b', 'c']]
    """
    index: dict[str, int] = {}
    low: dict[str, int] = {}
    stack: list[str] = []
    result: list[list[str]] = []

    def visit(module: str) -> None:
        index[module] = low[module] = len(index)
        stack.append(module)
        for other in sorted(graph.get(module, ())):
            if other not in index:
                visit(other)
                low[module] = min(low[module], low[other])
            elif other in stack:
                low[module] = min(low[module], index[other])
        if low[module] == index[module]:
            at = stack.index(module)
            group = sorted(stack[at:])
            del stack[at:]
            if len(group) > 1:
                result.append(group)

    limit = sys.getrecursionlimit()
    sys.setrecursionlimit(max(limit, 10_000))
    for module in sorted(graph):
        if module not in index:
            visit(module)
    sys.setrecursionlimit(limit)
    return sorted(result)


def definitions(path: str, tree: ast.Module) -> Iterator[Definition]:
    """Modules, classes, functions, methods and constants that a file defines.

    Not a second name of one of its own classes, `Old = New`: what users wrote stays readable, and
    the class has its one name.
    """
    file = Path(path)
    stem = file.parent.name if file.name == "__init__.py" else file.stem
    yield Definition(stem, path, 1)
    for node in ast.walk(tree):
        if isinstance(node, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            yield Definition(node.name, path, node.lineno)
    classes = {node.name for node in tree.body if isinstance(node, ast.ClassDef)}
    for statement in tree.body:
        targets: list[ast.expr] = []
        if isinstance(statement, ast.Assign):
            if isinstance(statement.value, ast.Name) and statement.value.id in classes:
                continue
            targets = statement.targets
        elif isinstance(statement, ast.AnnAssign):
            targets = [statement.target]
        for target in targets:
            if isinstance(target, ast.Name):
                yield Definition(target.id, path, statement.lineno)


def homonyms(path: str, tree: ast.Module) -> list[Definition]:
    """Definitions that give a word of `MEANINGS` a meaning that is not its own.

    >>> tree = ast.parse("class Told: ...")
    >>> [str(one) for one in homonyms("host/lumiban/boards/shown.py", tree)]
    ['host/lumiban/boards/shown.py:1: Told']
    """
    result = []
    for one in definitions(path, tree):
        where = MEANINGS.get(one.name.strip("_").lower())
        if where is not None and not (where and re.search(where, path)):
            result.append(one)
    return result


def slugs(path: str, tree: ast.Module) -> list[Definition]:
    """Names of games as literals in a room that should know no game."""
    if not path.startswith(NO_GAME_BY_NAME):
        return []
    return [
        Definition(repr(node.value), path, node.lineno)
        for node in ast.walk(tree)
        if isinstance(node, ast.Constant)
        and isinstance(node.value, str)
        and node.value.lower() in SLUGS
    ]


def lines(text: str) -> tuple[int, int, int]:
    """(lines of code, of comments, of docstrings) of a file.

    >>> lines('"About."' + chr(10) + 'a = 1  # why' + chr(10) + '# more' + chr(10))
    (1, 2, 1)
    """
    doc: set[int] = set()
    tree = ast.parse(text)
    for node in ast.walk(tree):
        if (
            isinstance(node, ast.Expr)
            and isinstance(node.value, ast.Constant)
            and isinstance(node.value.value, str)
        ):
            doc |= set(range(node.lineno, (node.end_lineno or 0) + 1))
    code: set[int] = set()
    comments: set[int] = set()
    silent = {
        tokenize.NL,
        tokenize.NEWLINE,
        tokenize.INDENT,
        tokenize.DEDENT,
        tokenize.ENCODING,
        tokenize.ENDMARKER,
    }
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type == tokenize.COMMENT:
            comments.add(token.start[0])
        elif token.type not in silent:
            code |= set(range(token.start[0], token.end[0] + 1))
    return len(code - doc), len(comments), len(doc)


def units(tree: ast.Module) -> tuple[int, int]:
    """(public docstrings, those that name a unit)."""
    documented = with_unit = 0
    for node in ast.walk(tree):
        if isinstance(node, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            text = ast.get_docstring(node)
            if text and not node.name.startswith("_"):
                documented += 1
                with_unit += bool(UNIT.search(text))
    return documented, with_unit


@dataclass(frozen=True, slots=True)
class Boolean:
    """A name declared `bool`, and whether it is a function's."""

    name: str
    line: int
    is_function: bool = False

    @property
    def form(self) -> str:
        """How it asks: "question", "state" (an adjective, a participle, a verb of the third
        person), "act" for a function that does something; "" for a noun, which does not ask.

        The state may stand first or last: `came_early`, `all_durable`.

        >>> [Boolean(name, 1).form for name in ("is_up", "torn", "all_durable", "fits", "jig")]
        ['question', 'state', 'state', 'state', '']
        >>> Boolean("take_snapshot", 1, is_function=True).form, Boolean("take", 1).form
        ('act', '')
        """
        words = self.name.strip("_").split("_")
        if words[0] in QUESTIONS:
            return "question"
        if words[0] in VERBS.split() or any(is_state(word) for word in (words[0], words[-1])):
            return "state"
        return "act" if self.is_function and words[0] in ACTS.split() else ""


def is_state(word: str) -> bool:
    """Whether a word is an adjective or a participle.

    >>> [is_state(word) for word in ("finished", "waiting", "empty", "feed", "browser")]
    [True, True, True, False, False]
    """
    return word in STATES.split() or (
        word.endswith(("ed", "ing")) and word not in NO_STATES.split()
    )


def booleans(tree: ast.Module) -> Iterator[Boolean]:
    """Names declared `bool` that others see: public functions, their parameters, and fields.

    >>> tree = ast.parse("def is_up(dry: bool) -> bool: ...\\nclass A:\\n    torn: bool = False")
    >>> sorted(one.name for one in booleans(tree))
    ['dry', 'is_up', 'torn']
    """

    def is_bool(node: ast.expr | None) -> bool:
        return isinstance(node, ast.Name) and node.id == "bool"

    for node in ast.walk(tree):
        if isinstance(node, ast.ClassDef):
            for field in node.body:
                if isinstance(field, ast.AnnAssign) and is_bool(field.annotation):
                    yield Boolean(ast.unparse(field.target), field.lineno)
        elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            if node.name.startswith("_") and node.name != "__init__":
                continue
            if is_bool(node.returns):
                yield Boolean(node.name, node.lineno, is_function=True)
            for one in (*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs):
                if is_bool(one.annotation):
                    yield Boolean(one.arg, one.lineno)


def files_of_a_stone(root: Path) -> list[str]:
    """The files that one stone crosses, by the trace of docs/architecture.py; [] without it."""
    if not (root / "docs" / "architecture.py").exists():
        return []
    code = (
        "import sys, json; sys.path.insert(0, 'docs'); import architecture; "
        "print(json.dumps(['/'.join(one) for one in architecture.way()]))"
    )
    told = subprocess.run(
        [sys.executable, "-c", code], cwd=root, capture_output=True, text=True, check=True
    )
    result: list[str] = json.loads(told.stdout)
    return result


def measure(root: Path) -> dict[str, object]:
    """All measures of the project in a folder, and under `names` what the gates count."""
    known = sources(root)
    graph = {name: imports(name, file, known) for name, file in known.items()}
    importers = {name: sum(name in others for others in graph.values()) for name in known}
    rounds = circles(graph)
    words: list[Definition] = []
    games: list[Definition] = []
    code = comments = docs = documented = with_unit = 0
    forms: Counter[str] = Counter()
    nouns: list[Definition] = []
    sizes = []
    for file in known.values():
        text, path = file.read_text("utf-8"), file.relative_to(root).as_posix()
        tree = ast.parse(text)
        words += homonyms(path, tree)
        for truth in booleans(tree):
            forms[truth.form] += 1
            if not truth.form:
                nouns.append(Definition(truth.name, path, truth.line))
        games += slugs(path, tree)
        counted = lines(text)
        code, comments, docs = code + counted[0], comments + counted[1], docs + counted[2]
        public, named = units(tree)
        documented, with_unit = documented + public, with_unit + named
        sizes.append(len(text.splitlines()))
    copies = subprocess.run(
        [sys.executable, str(Path(__file__).with_name("wire_numbers.py")), str(root)],
        capture_output=True,
        text=True,
        check=False,
    )
    twice = [row for row in copies.stdout.splitlines() if row.strip()] if copies.returncode else []
    stone = files_of_a_stone(root)
    return {
        "gates": {
            "circles": len(rounds),
            "files of a stone": len(stone),
            "homonyms": len(words),
            "slugs": len(games),
            "wire numbers": len(twice),
            "code lines": code,
        },
        "observations": {
            "files": len(sizes),
            "median lines a file": statistics.median(sizes),
            "largest": max(sizes),
            "modules with one importer": sum(count == 1 for count in importers.values()),
            "modules in circles": sum(map(len, rounds)),
            "comment lines": comments,
            "docstring lines": docs,
            "public docstrings": documented,
            "docstrings with units": with_unit,
            "booleans": forms.total(),
            "booleans that ask": forms["question"],
            "booleans that say a state": forms["state"],
            "functions that act and report": forms["act"],
            "booleans that are nouns": forms[""],
        },
        "names": {
            "circles": [" ".join(group) for group in rounds],
            "files of a stone": stone,
            "homonyms": [str(one) for one in words],
            "slugs": [str(one) for one in games],
            "wire numbers": twice,
            "booleans that are nouns": [str(one) for one in nouns],
        },
    }


def main(arguments: list[str]) -> int:
    """Print the measures."""
    parser = argparse.ArgumentParser(
        prog="measure-house",
        description="Print how far a reader walks in this code, and how often one word means two.",
    )
    parser.add_argument("folder", nargs="?", type=Path, default=ROOT, help="of the project")
    parser.add_argument("--json", action="store_true", help="print JSON")
    parser.add_argument("--names", action="store_true", help="print also what is counted")
    options = parser.parse_args(arguments)
    if not (options.folder / "host" / "lumiban").is_dir():
        parser.error(f"{options.folder} is no folder of the project: it has no host/lumiban")
    measures = measure(options.folder.resolve())
    if options.json:
        print(json.dumps(measures, indent=1))
        return 0
    for group in ("gates", "observations"):
        values = measures[group]
        assert isinstance(values, dict)
        print(group)
        for name, value in values.items():
            print(f"  {name:28} {value}")
    if options.names:
        named = measures["names"]
        assert isinstance(named, dict)
        for name, rows in named.items():
            print(f"\n{name}")
            for row in rows:
                print(f"  {row}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

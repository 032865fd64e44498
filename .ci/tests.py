"""`./run test`: what its words mean to pytest. Rooms' names and options may stand in any order.

./run test                    unit tests, on all cores
./run test web table -x       those of rooms (a folder below tests, tests/unit or tests/e2e)
./run test --changed[=BASE]   those that import what differs from BASE (main, or the last commit)
./run test --ci | --all       every test; the slow suites too, whole
./run test --mutants [ROOM]   breaks by lot (tests/support/mutants.py)
"""

from __future__ import annotations

import ast
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
VALUED = (
    *("-k", "-m", "-n", "-p", "-c", "-o", "-r", "-W", "--deselect", "--ignore", "--junitxml"),
    *(f"--lumiban-{name}" for name in ("board", "profile", "seed", "trace")),
    *(f"--lumiban-{name}" for name in ("against", "wrong")),
)
"""Options whose value is the next word; of others it follows a `=`."""
UNIT = ("tests/unit", "tests/games", "tests/contract")
"""Where unit tests stand: to collect the others takes seconds."""
PACKAGES = (
    "lumiban",
    "pytest_lumiban",
    "lumiban_fw",
    "lumiban_hw",
    "lumiban_hardware",
    "lumiban_sim",
    "lumiban_lab",
)


def main(words: list[str]) -> int:
    if words[:1] == ["--mutants"]:
        os.execv(
            sys.executable, [sys.executable, str(ROOT / "tests/support/mutants.py"), *words[1:]]
        )
    options, folders, named = [], [], []
    before = ""
    for word in (one.replace("--board", "--lumiban-board", 1) for one in words):
        if word == "--changed" or word.startswith("--changed="):
            found = changed(word.partition("=")[2])
            if not found:
                print("run: no test reaches what has changed", file=sys.stderr)
                return 0
            named += found
            folders.append("tests/unit")
        elif word.startswith("-") or before in VALUED:
            options.append(word)
        elif "/" in word or "." in word:
            named.append(word)
        else:
            folders += room(word)
        before = word
    is_whole = "--ci" in options or "--all" in options
    if any(one.startswith("--lumiban-board") for one in options) and not folders + named:
        named = ["tests/contract"]
    elif folders or not named:
        if not folders and "-n" not in options:
            options = ["-n", str(os.cpu_count() or 1), *options]
        if not is_whole and "-m" not in options and all(map(is_unit, folders)):
            options, folders = ["-m", "unit", *options], folders or list(UNIT)
    paths = named if named and "tests/unit" in folders else [*folders, *named]
    os.execv(sys.executable, [sys.executable, "-P", "-m", "pytest", *options, *paths])


def room(name: str) -> list[str]:
    """The folders of a room's tests; ends the program where there is none."""
    places = [f"tests/{name}", f"tests/unit/{name}", f"tests/e2e/{name}"]
    places += [str(one.relative_to(ROOT)) for one in sorted(ROOT.glob(f"tests/unit/*/{name}"))]
    found = [place for place in dict.fromkeys(places) if (ROOT / place).is_dir()]
    if not found:
        print(f"run: no folder of tests is named {name}", file=sys.stderr)
        raise SystemExit(3)
    return found


def is_unit(folder: str) -> bool:
    return folder.startswith(UNIT[:2])


# Tests that a change reaches: by the imports of their files, followed to the end.


def changed(base: str = "") -> list[str]:
    """Test files that differ from a commit, import what differs, or read what lies beside it."""
    since = base or _git("merge-base", "HEAD", "main").strip() or "HEAD"
    paths = _git("diff", "--name-only", since).splitlines()
    paths += _git("ls-files", "--others", "--exclude-standard").splitlines()
    touched, rooms, found = set(), set(), set()
    for path in map(Path, paths):
        if path.parts[0] == "tests" and path.suffix == ".py":
            touched.add(path.stem)
            found |= (
                {str(path)} if path.name.startswith("test_") and (ROOT / path).exists() else set()
            )
        elif module := module_of(path):
            touched.add(module)
        elif path.parts[0] == "docs":
            rooms.add("docs")
        elif len(path.parts) > 2:  # a table, a page's script: its room's tests
            rooms.add(path.parts[2] if path.parts[0] == "host" else path.parts[0])
    reached = touched | _importers(touched)
    for file in sorted((ROOT / "tests").rglob("test_*.py")):
        if rooms & set(file.parts) or reached & set(imports_of(file)):
            found.add(str(file.relative_to(ROOT)))
    return sorted(found)


def module_of(path: Path) -> str:
    """`lumiban.web.door` of its file; "" of what is no module of ours."""
    names = [*path.with_suffix("").parts]
    if path.suffix != ".py" or len(names) < 2 or names[1] not in PACKAGES:
        return ""
    return ".".join(names[1:]).removesuffix(".__init__")


def _importers(touched: set[str]) -> set[str]:
    """Modules, and files that tests share, which import any of these, be it by others."""
    import grimp

    graph = grimp.build_graph(*PACKAGES)
    ours = {one for one in touched if one in graph.modules}
    found = {importer for one in ours for importer in graph.find_downstream_modules(one)}
    shared = {file.stem: set(imports_of(file)) for file in (ROOT / "tests/support").glob("*.py")}
    size = -1
    while size < len(found):
        size = len(found)
        found |= {name for name, imports in shared.items() if imports & (found | touched)}
    return found


def imports_of(file: Path) -> Iterator[str]:
    """The modules that a file names in its imports, also those of which it takes a name."""
    for node in ast.walk(ast.parse(file.read_text("utf-8"))):
        if isinstance(node, ast.Import):
            yield from (one.name for one in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield node.module
            yield from (f"{node.module}.{one.name}" for one in node.names)


def _git(*words: str) -> str:
    done = subprocess.run(["git", *words], cwd=ROOT, capture_output=True, text=True, check=False)
    return done.stdout


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

"""Libraries of kernels: what serves is this version's, for this processor, and whole."""

from __future__ import annotations

import ast
import importlib
import json
import os
import pkgutil
import shutil
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from types import FunctionType
from typing import Any

import patience
import pytest
from each import each
from lumiban import games, search
from lumiban.games.control.kernel import ControlState
from lumiban.games.kernel import ENTRIES, KERNELS, play_out
from lumiban.search import jit, libraries, numba_available, processor
from lumiban.search.kernel_notes import say_if_plain
from lumiban.search.numba_kernels import METHODS
from lumiban.search.uct import Uct

pytestmark = pytest.mark.jit

needs_numba = pytest.mark.skipif(not numba_available.has_numba(), reason="numba is not installed")


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of this machine's family in a package that brings Control's library; it is the
    only one that there is."""
    if not (processor.family() and jit.has_kernels(ControlState)):
        pytest.skip("this machine makes no library")
    made = jit.cache_folder(ControlState)
    if not (made / "control.so").exists():
        pytest.skip("this machine makes no library")
    folder = tmp_path / libraries.BROUGHT / processor.family()
    folder.mkdir(parents=True)
    for suffix in (".so", ".json"):
        shutil.copy(made / f"control{suffix}", folder)
    (tmp_path / "empty").mkdir()
    monkeypatch.setattr(jit, "cache_folder", lambda _: tmp_path / "empty")
    monkeypatch.setattr(numba_available, "has_numba", lambda: False)
    monkeypatch.setattr(jit, "has_numba", lambda: False)
    monkeypatch.syspath_prepend(str(tmp_path))
    importlib.invalidate_caches()
    jit.look_again()
    return folder


def plays_plainly() -> bool:
    """Whether Control is thought about in plain Python, and thought about it is."""
    game = games.load("control", size=2)
    search = Uct(game, game.start(), 1, 10, compiled=True)
    assert search.grow(4) == 4
    return not search.compiled


def test_a_package_brings_what_bots_think_with(package: Path) -> None:
    assert jit.available()
    assert not plays_plainly()
    assert libraries.unfit == {}


def shorter(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:-5000])


def altered(path: Path) -> None:
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 1
    path.write_bytes(content)


def emptied(path: Path) -> None:
    path.write_bytes(b"")


def unreadable(path: Path) -> None:
    path.unlink()
    path.mkdir()


@needs_numba
@pytest.mark.parametrize("damage", [shorter, altered, emptied, unreadable, Path.unlink])
@pytest.mark.parametrize("suffix", [".so", ".json"])
def test_a_damaged_library_is_passed_over_said_once_and_plain_python_plays(
    damage: Callable[[Path], None],
    suffix: str,
    package: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    damage(package / f"control{suffix}")
    assert plays_plainly()
    assert plays_plainly()
    say_if_plain()
    told = capsys.readouterr().err
    assert told.count("\n") == told.count("is damaged") == 1
    assert str(package) in told
    assert "bots play in plain Python" in told


@needs_numba
@pytest.mark.parametrize(
    "table", ["[]", "{}", '{"family": null}', "7", '{"family": "x86-64-v2"}', "[" * 100_000]
)
def test_a_table_that_is_none_is_a_damaged_library(table: str, package: Path) -> None:
    (package / "control.json").write_text(table, "utf-8")
    assert plays_plainly()
    assert list(libraries.unfit) == [package / "control.json"]


def edit(package: Path, **fields: object) -> None:
    table = package / "control.json"
    told = json.loads(table.read_text("utf-8"))
    table.write_text(json.dumps(told | fields), "utf-8")


@needs_numba
def test_another_versions_library_is_passed_over(
    package: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    edit(package, made_of="another version")
    assert plays_plainly()
    say_if_plain()
    assert "another version of lumiban" in capsys.readouterr().err


@needs_numba
def test_a_package_that_must_not_be_read_is_passed_over(
    package: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    stat = os.stat

    def refused(path: Any, *rest: Any, **named: Any) -> os.stat_result:
        if str(package) in os.fsdecode(path):
            raise PermissionError(13, "Permission denied", path)
        return stat(path, *rest, **named)

    monkeypatch.setattr(os, "stat", refused)
    assert plays_plainly()
    say_if_plain()
    assert capsys.readouterr().err.count("bots play in plain Python") == 1


@needs_numba
def test_another_processors_library_is_passed_over(
    package: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    edit(package, family="aarch64")
    assert plays_plainly()
    assert set(libraries.unfit.values()) == {libraries.OTHER_PROCESSOR}
    package.rename(package.with_name("sparc"))
    jit.look_again()
    assert plays_plainly()
    say_if_plain()
    assert capsys.readouterr().err.count("other processors") == 1


@pytest.fixture
def sources(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A copy of what libraries are made of, which is asked in place of the real one."""
    for room in ("games", "search"):
        folder = libraries._OWN / room
        shutil.copytree(folder, tmp_path / room, ignore=shutil.ignore_patterns("__*__"))
    monkeypatch.setattr(libraries, "_OWN", tmp_path)
    libraries.forget()
    yield tmp_path
    libraries.forget()


GAMES = map(games.load, ("control", "doves", "evening", "rengi", "trivia"))
STATES = {game.slug: type(game.state(game.start())) for game in GAMES}


@pytest.mark.parametrize(
    ("edited", "stale"),
    [
        ("games/control/kernel.py", {"control"}),
        ("games/rengi/field.py", {"rengi"}),
        ("search/doves/alphabeta.py", {"doves"}),
        ("games/evening/limits.py", {"evening"}),
        ("games/kernel.py", {*STATES}),
        ("search/uct.py", {*STATES}),
        ("search/numba_kernels.py", {*STATES}),
        ("games/control/game.py", set()),
        ("games/simple.py", set()),
        ("search/levels.py", set()),
    ],
)
def test_an_edit_makes_stale_the_libraries_of_the_games_for_which_it_is_compiled(
    edited: str, stale: set[str], sources: Path
) -> None:
    (sources / "games" / "evening" / "limits.py").write_text("LIMIT = 7\n", "utf-8")
    kernel = sources / "games" / "evening" / "kernel.py"
    took = "from lumiban.games.evening.limits import LIMIT"
    kernel.write_text(f"{kernel.read_text('utf-8')}\n{took}\n", "utf-8")

    def known() -> dict[str, tuple[str, str]]:
        libraries.forget()
        return {
            slug: (libraries.digest_of_sources(slug), jit.fingerprint(jit.kernel_sources(state)))
            for slug, state in STATES.items()
        }

    before = known()
    assert known() == before
    file = sources / edited
    file.write_text(f"{file.read_text('utf-8')}\n# another rule\n", "utf-8")
    after = known()
    for at in (0, 1):
        assert {slug for slug in STATES if after[slug][at] != before[slug][at]} == stale


@each("slug", STATES)
def test_all_that_an_entry_calls_and_reads_lies_in_the_sources_of_its_library(slug: str) -> None:
    """By the code of what is compiled: its functions, and the modules of the numbers it names."""
    state = STATES[slug]
    for module in pkgutil.walk_packages(search.__path__, "lumiban.search."):
        importlib.import_module(module.name)
    own = [getattr(state, name) for name in METHODS]
    queue = [run for run, only in ENTRIES.items() if only in (None, state)] + own
    assert len(queue) > 10
    for function in queue:
        names = function.__globals__
        assert Path(names["__file__"]) in libraries.sources_of(slug), function
        for name in function.__code__.co_names:
            value = names.get(name)
            if isinstance(value, FunctionType) and value in KERNELS:
                queue += [value] * (value not in queue)
            elif isinstance(value, int | float | tuple):
                assert taken_from(Path(names["__file__"]), name) <= libraries.sources_of(slug)


def taken_from(file: Path, name: str) -> set[Path]:
    """The file from which another takes a name; none where it stands there itself."""
    return {
        Path(importlib.import_module(node.module).__file__ or "")
        for node in ast.walk(ast.parse(file.read_text("utf-8")))
        if isinstance(node, ast.ImportFrom) and node.module
        if name in [alias.asname or alias.name for alias in node.names]
    }


@needs_numba
def test_a_kernel_refuses_what_it_does_not_take(package: Path) -> None:
    """An address in the wrong place would end the process."""
    run = libraries.kernel_of(play_out, ControlState, [package])
    assert run is not None
    game = games.load("control", size=2)
    state = jit.compiled_state(game.state(game.start()))
    rng, trace = jit.ints([1]), jit.zeros(99)
    assert run(state, state, rng, trace, 0) == 0
    for wrong in (
        (state, state, rng, trace),
        (state, state, rng, 1, 1),
        (state, state, rng, trace, 1.0),
        (state, state, rng, trace, True),
        (state, state, rng, jit.words(99), 1),
        (state, state, rng, jit.array("int64", 3, 33), 1),
        (state[:2], state, rng, trace, 1),
        (game.state(game.start()), state, rng, trace, 1),
        (state, state, [1], trace, 1),
    ):
        with pytest.raises(TypeError, match="takes"):
            run(*wrong)


WITHOUT_NUMBA = """
import sys
from lumiban import games
from lumiban.search import jit
from lumiban.search.bot import think
from lumiban.search.levels import NAMES
from lumiban.search.perft import perft

game = games.load(sys.argv[1])
assert jit.fits(game.state(game.start()))
position = game.start()
for seed, level in enumerate(NAMES):
    position = game.play(position, think(game, position, level, seed, playouts=30).move)
perft(game, 2)
print([name for name in ("numba", "llvmlite", "numpy") if name in sys.modules])
"""


@pytest.mark.process
@needs_numba
@pytest.mark.parametrize(
    "slug",
    ["control", *(pytest.param(s, marks=pytest.mark.long) for s in ("doves", "evening", "rengi"))],
)
def test_who_thinks_by_a_library_imports_neither_numba_nor_numpy(slug: str) -> None:
    game = games.load(slug)
    if not jit.fits(game.state(game.start())) or not processor.family():
        pytest.skip("this machine makes no library")
    found = patience.run([sys.executable, "-c", WITHOUT_NUMBA, slug], env=dict(os.environ))
    assert found.stdout.strip() == "[]", found.stderr


@needs_numba
def test_a_library_has_every_entry_of_its_game(package: Path) -> None:
    for room in ("lumiban.games", "lumiban.search"):
        for module in pkgutil.walk_packages(importlib.import_module(room).__path__, f"{room}."):
            importlib.import_module(module.name)
    table = json.loads((package / "control.json").read_text("utf-8"))
    ours = [function for function in ENTRIES if function.__module__.startswith("lumiban.")]
    wanted = {
        libraries.entry_name(function, ControlState)
        for function in ours
        if ENTRIES[function] in (None, ControlState)
    }
    assert table["entries"].keys() == wanted
    assert len(wanted) >= 8

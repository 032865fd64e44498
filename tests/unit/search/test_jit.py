"""Compiling: only when asked, never stale, and plain Python wherever it cannot be."""

from __future__ import annotations

import errno
import importlib
import importlib.util
import json
import os
import shutil
import sys
import time
from pathlib import Path
from typing import Any, NamedTuple

import patience
import pytest
from lumiban import games
from lumiban.games import registry
from lumiban.games.control.kernel import ControlState, fresh
from lumiban.games.kernel import hash_table, member, play_out, popcount, randint_below
from lumiban.search import jit, libraries, processor
from lumiban.search.uct import Uct
from own_games import own

needs_numba = pytest.mark.skipif(not jit.available(), reason="numba is not installed")

KERNEL = """
from lumiban.games.kernel import kernel

@kernel
def step():
    return {step}
"""

COUNTER = """
from typing import Any, NamedTuple
from countdown_kernel import step

class Countdown(NamedTuple):
    left: Any

    def assign(self, other: Any) -> None:
        self.left[0] = other.left[0]  # compiles in half the time of a slice

    def playout(self, rng: Any, trace: Any) -> int:
        while self.left[0] > 0:
            self.left[0] -= step()
            trace[0] += 1
        return 1
"""

RUN = """
import json, sys
sys.path.insert(0, sys.argv[1])
from countdown import Countdown
from lumiban.search import jit, processor
from lumiban.games.kernel import play_out

run = jit.compiled(play_out, Countdown)
root, state = (jit.compiled_state(Countdown([12])) for _ in range(2))
moves = run(root, state, jit.ints([1]), jit.zeros(4), 1)
print(json.dumps([int(moves), jit.cache_folder(Countdown).name]))
"""


def python(code: str, *arguments: str, **environment: str) -> str:
    found = patience.run(
        [sys.executable, "-c", code, *arguments], env={**os.environ, **environment}
    )
    assert found.returncode == 0, found.stderr
    return found.stdout


@pytest.mark.process
def test_importing_the_search_imports_neither_numba_nor_numpy() -> None:
    search = libraries._OWN / "search"
    files = sorted(path.relative_to(search) for path in search.rglob("[a-z]*.py"))
    rooms = [".".join(path.with_suffix("").parts) for path in files]
    assert {"worker_process", "doves.bot"} <= {*rooms}
    code = "import sys, importlib\n"
    code += f"for room in {rooms}: importlib.import_module('lumiban.search.' + room)\n"
    code += "print([name for name in ('numba', 'numpy') if name in sys.modules])"
    assert python(code).strip() == "[]"


def test_without_numba_functions_come_back_as_they_are(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LUMIBAN_PLAIN", "1")
    assert not jit.available()
    assert jit.compiled(play_out, ControlState) is play_out
    game = games.load("control", size=2)
    search = Uct(game, game.start(), 1, 10, compiled=True)
    assert not search.compiled
    assert isinstance(search.tree.move, list)


OWN_FILE = """
from typing import Any, NamedTuple

from lumiban.games.control import Control
from lumiban.games.control.kernel import ControlState, fresh
from of_mine import LIMIT

class MyState(NamedTuple):
    left: Any

    def mover(self) -> int:
        return {step}

class Mine(Control):
    '''A game of one's own with a kernel of its own.'''

    def state(self, position: Any) -> MyState:
        return MyState([LIMIT])
"""


def test_a_games_own_file_and_the_numbers_it_imports_are_part_of_its_folders_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.syspath_prepend(str(tmp_path))
    file = tmp_path / "mine.py"

    def named(step: int, limit: int) -> str:
        sys.modules.pop("of_mine", None)
        registry._loaded.pop(file, None)
        shutil.rmtree(tmp_path / "__pycache__", ignore_errors=True)
        (tmp_path / "of_mine.py").write_text(f"LIMIT = {limit}\n", "utf-8")
        file.write_text(OWN_FILE.format(step=step), "utf-8")
        importlib.invalidate_caches()
        game = games.load(own(file))
        state = type(game.state(game.start()))
        return jit.fingerprint(jit.kernel_sources(state), state.__module__)

    try:
        first = named(0, 7)
        assert named(0, 7) == first
        assert named(1, 7) != first
        assert named(0, 8) != first
    finally:
        sys.modules.pop("of_mine", None)


def test_folders_of_sources_long_gone_are_removed_and_the_newest_stay(tmp_path: Path) -> None:
    now = time.time()
    for number in range(40):
        folder = tmp_path / f"{number:02}"
        folder.mkdir()
        (folder / "code.nbc").write_bytes(b"")
        age = number * 60 if number < 20 else number * 86_400
        os.utime(folder, (now - age, now - age))
    assert jit.prune(tmp_path) == 20
    assert sorted(path.name for path in tmp_path.iterdir()) == [f"{n:02}" for n in range(20)]
    assert jit.prune(tmp_path / "nowhere") == 0


@pytest.mark.process
@needs_numba
def test_compiled_code_is_found_again_but_never_that_of_an_edited_kernel(tmp_path: Path) -> None:
    (tmp_path / "countdown.py").write_text(COUNTER, "utf-8")
    code = RUN + "print(sum(sum(e.stats.cache_hits.values()) for e in jit._entries.values()))\n"
    seen = []
    for step in (3, 3, 4):
        # Same length and date: only the content tells that it changed.
        kernel = tmp_path / "countdown_kernel.py"
        kernel.write_text(KERNEL.format(step=step), "utf-8")
        os.utime(kernel, (1_000_000_000, 1_000_000_000))
        shutil.rmtree(tmp_path / "__pycache__", ignore_errors=True)
        cache = str(tmp_path / "cache")
        said = python(code, str(tmp_path), LUMIBAN_CACHE=cache, PYTHONPYCACHEPREFIX="")
        told, hits = said.split("\n")[:2]
        seen.append((*json.loads(told), int(hits)))
    assert [moves for moves, _, _ in seen] == [4, 4, 3]
    assert [hits for _, _, hits in seen] == [0, 1, 0]
    assert seen[0][1] == seen[1][1] != seen[2][1]


def test_the_cache_lies_where_it_is_told_to(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LUMIBAN_CACHE", str(tmp_path))
    assert jit.cache_root() == tmp_path / "compiled"
    monkeypatch.delenv("LUMIBAN_CACHE")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "xdg"))
    if sys.platform.startswith("linux"):
        assert jit.cache_root() == tmp_path / "xdg" / "lumiban" / "compiled"


class Awkward(ControlState):
    """Control, with a method that is fine for Python and unknown to the compiler."""

    def outcome(self) -> int:
        return {"code": ControlState.outcome(self)}.get("code", *[-1])


@pytest.mark.jit
@needs_numba
def test_a_state_that_does_not_compile_is_thought_about_in_plain_python(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    game = games.load("control", size=2)

    def awkward(self: Any, position: games.Position) -> Awkward:
        return Awkward(*fresh(2, (0,) * 7, 0, 1, perimeter=True))

    expected = Uct(game, game.start(), 3, 50, compiled=False)
    expected.grow(50)
    monkeypatch.setattr(type(game), "state", awkward)
    search = Uct(game, game.start(), 3, 50, compiled=True)
    assert search.compiled
    search.grow(50)
    assert not search.compiled
    assert list(search.tree.visits) == list(expected.tree.visits)


def two_numbers(rng: Any, out: Any) -> int:
    """Two random numbers in a row, with nothing between them that the compiler must respect."""
    one = randint_below(rng, 1000)
    other = randint_below(rng, 1000)
    out[0] = one
    out[1] = other
    return int(rng[0])


@pytest.mark.jit
@needs_numba
def test_random_numbers_in_a_row_stay_within_their_bounds_when_compiled() -> None:
    run = jit.compiled(two_numbers, ControlState)
    for seed in range(50):
        plain, told = hash_table(1, seed), [0, 0]
        fast, out = jit.ints(plain), jit.ints(told)
        for _ in range(20):
            assert two_numbers(plain, told) == run(fast, out)
            assert list(out) == told
            assert 0 <= min(told) <= max(told) < 1000


class Sharing(NamedTuple):
    """A State that makes none."""

    left: Any

    def mover(self) -> int:
        many: int = self.left[0]
        return many


def whose_turn(state: Any) -> int:
    return int(state.mover())


@pytest.mark.jit
@needs_numba
def test_what_a_full_disk_does_not_keep_serves_all_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from numba.core.caching import IndexDataCacheFile

    def full(self: Any, name: str, data: Any) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(jit, "unkept", [])
    monkeypatch.setattr(jit, "_entries", {})
    monkeypatch.setattr(jit, "cache_folder", lambda _: tmp_path / "one")
    monkeypatch.setattr(IndexDataCacheFile, "_save_data", full)
    assert jit.compiled(whose_turn, Sharing)(jit.compiled_state(Sharing([5]))) == 5
    assert jit.unkept == [f"{tmp_path} (No space left on device)"]


NO_LINKER = """
import json
from lumiban.games.control.kernel import ControlState, fresh
from lumiban.games.kernel import hash_table, play_out
from lumiban.search import jit

def states():
    return (jit.compiled_state(fresh(2, (0,) * 7, 0, 1, perimeter=True)) for _ in range(2))

assert jit.has_kernels(ControlState) and not jit.has_library(ControlState)
moves = jit.compiled(play_out, ControlState)(*states(), jit.ints([1]), jit.zeros(99), 3)
print(json.dumps([moves, jit.freshly_compiled()]))
"""


@pytest.mark.process
@pytest.mark.long
@needs_numba
def test_without_a_linker_numba_compiles_by_itself_and_its_own_cache_serves(tmp_path: Path) -> None:
    empty = tmp_path / "no programs"
    empty.mkdir()
    told = [
        json.loads(python(NO_LINKER, LUMIBAN_CACHE=str(tmp_path), PATH=str(empty)))
        for _ in range(2)
    ]
    assert [made for _, made in told] == [1, 0]
    root, state = (fresh(2, (0,) * 7, 0, 1, perimeter=True) for _ in range(2))
    assert told[0][0] == told[1][0] == play_out(root, state, [1], [0] * 99, 3)


SETS = [0, 1, 0b101100, (1 << 61) - 1, 0x1234_5678_9ABC_DEF0 & (1 << 61) - 1, 1 << 60]
CHOOSING = """
import json, sys
from lumiban.games.control.kernel import ControlState
from lumiban.games.kernel import member, popcount
from lumiban.search import jit, processor

def choose(sets, out):
    n = 0
    for x in sets:
        for k in range(popcount(x)):
            out[n] = member(x, k)
            n += 1
    return n

out = jit.zeros(400)
found = jit.compiled(choose, ControlState)(jit.ints(json.loads(sys.argv[1])), out)
print(json.dumps([processor.family(), out[:found]]))
"""


@pytest.mark.process
@needs_numba
@pytest.mark.parametrize(
    "family",
    [
        "x86-64-v2",
        pytest.param("x86-64-v3", marks=pytest.mark.long),
        pytest.param("native", marks=pytest.mark.long),
    ],
)
def test_the_members_of_a_set_are_the_same_by_each_processors_own_instructions(
    family: str, tmp_path: Path
) -> None:
    """A Pi has no instruction that lays down bits, nor has an older PC."""
    here = processor.family()
    if family not in ("native", here) and here != processor.V3:
        pytest.skip(f"this processor is {here or 'of no family'}")
    told = python(CHOOSING, json.dumps(SETS), LUMIBAN_CPU=family, LUMIBAN_CACHE=str(tmp_path))
    expected = [at for x in SETS for at in range(61) if x >> at & 1]
    assert json.loads(told) == ["" if family == "native" else family, expected]
    assert [member(x, k) for x in SETS for k in range(popcount(x))] == expected

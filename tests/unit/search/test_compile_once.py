"""Compiling once: what calls what stays right, and a numba of other parts compiles by itself."""

from __future__ import annotations

import importlib
import logging
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from lumiban.search import compile_once, jit

pytestmark = [
    pytest.mark.jit,
    pytest.mark.skipif(not jit.available(), reason="numba is not installed"),
]
numba: Any = importlib.import_module("numba") if jit.available() else None


def triple_and_one(n: int) -> int:
    return 3 * n + 1


def count_down(n: int) -> int:
    if n <= 0:
        return 0
    return 1 + count_down(n - 1)


class Stack(NamedTuple):
    """A third party's State whose methods call its own compiled functions."""

    left: Any

    def mover(self) -> int:
        if self.left[0] < 0:
            raise ValueError("fewer than none", self.left[0])
        n: int = triple_and_one(self.left[0]) + count_down(self.left[0])
        return n


class Pile(NamedTuple):
    """One that needs no memory of Python's."""

    left: Any

    def mover(self) -> int:
        n: int = triple_and_one(self.left[0])
        return n


def whose_turn(state: Any) -> int:
    return int(state.mover())


def twice(state: Any) -> int:
    return 2 * int(state.mover())


@pytest.fixture(autouse=True)
def _afresh(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr(jit, "_entries", {})
    monkeypatch.setattr(jit, "cache_folder", lambda _: tmp_path)
    for function in (triple_and_one, count_down):
        monkeypatch.setitem(globals(), function.__name__, numba.njit(function))
    compile_once.hindrance.cache_clear()
    yield
    compile_once.hindrance.cache_clear()


def run(function: Any, n: int, kind: type[Any] = Pile) -> int:
    return int(jit.compiled(function, kind)(jit.compiled_state(kind([n]))))


def inside(function: Any) -> list[str]:
    """The functions that an entry's code has."""
    entry: Any
    [entry] = [entry for (of, _), entry in jit._entries.items() if of is function]
    [found] = entry.overloads.values()
    return [one.name for one in found.library.get_defined_functions()]


def test_functions_that_an_entry_calls_serve_python_and_other_compiled_code_too() -> None:
    assert run(whose_turn, 5, Stack) == 21
    with pytest.raises(ValueError, match="fewer than none"):
        run(whose_turn, -1, Stack)
    assert (triple_and_one(7), count_down(3)) == (22, 3)
    callee, other = triple_and_one, count_down
    outside = numba.njit(lambda n: callee(n) + other(n))
    assert outside(4) == 17
    # None of them has been given a door for Python in the entry.
    assert [name for name in inside(whose_turn) if "cpython" in name and "Stack" not in name] == []


def test_a_second_entry_compiles_nothing_of_what_the_first_one_called() -> None:
    events = importlib.import_module("numba.core.event")
    with events.install_recorder("numba:compile") as first:
        run(whose_turn, 5)
    with events.install_recorder("numba:compile") as second:
        assert run(twice, 5) == 32

    def names(recorder: Any) -> set[str]:
        return {event.data["dispatcher"].__name__ for _, event in recorder.buffer}

    assert {"whose_turn", "mover", "triple_and_one"} <= names(first)
    assert names(second) == {"twice"}


@pytest.mark.parametrize("missing", ["version", "part"])
def test_a_numba_that_is_another_compiles_as_it_does_by_itself_which_is_logged_once(
    missing: str, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    if missing == "version":
        monkeypatch.setattr(numba, "__version__", "0.99.1")
    else:
        monkeypatch.setitem(compile_once._PARTS, "numba.core.codegen", ("JITCodeLibrary._gone",))
    with caplog.at_level(logging.DEBUG, compile_once.__name__):
        assert run(whose_turn, 5) == 16
        assert compile_once.entry_options() == {}
    [told] = caplog.messages
    assert ("0.99.1" if missing == "version" else "_gone") in told
    assert any("cfunc" in name for name in inside(whose_turn))

"""What a test needs beside this process, by folder or mark; a unit test needs nothing, and is held
to it: one that starts a program or compiles a kernel fails and says which mark it lacks.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import wraps
from typing import Any

import pytest
from places import TESTS

NEEDS = ("jit", "process", "browser", "vm", "chip", "slow", "long")
"""Marks of tests that `./run test` leaves to `./run test --ci`."""
BY_FOLDER = {"e2e/page": "browser", "fuzz": "slow", "slow": "slow"}
BY_BOARD = {"vm": "vm", "gpio": "slow", "rp2040": "chip"}
"""Of the contract, by the board that a test is held against."""
STARTS = frozenset(("subprocess.Popen", "os.posix_spawn", "os.fork", "os.forkpty"))
"""Audit events of a program that is started."""


def mark(item: pytest.Item) -> None:
    """Give a test the marks of its folder and board, and `unit` where it has no need."""
    if item.path.is_relative_to(TESTS):
        folder = item.path.relative_to(TESTS).as_posix()
        for start, need in BY_FOLDER.items():
            if folder.startswith(start + "/"):
                item.add_marker(need)
    if isinstance(item, pytest.Function) and hasattr(item, "callspec"):
        on = str(item.callspec.params.get("on")).partition(" ")[0]
        if on in BY_BOARD:
            item.add_marker(BY_BOARD[on])
    if not any(item.get_closest_marker(need) for need in NEEDS):
        item.add_marker("unit")


class Watch:
    """Notes what a unit test does that it has no mark for."""

    def __init__(self) -> None:
        self._is_on = False
        self._seen: set[str] = set()
        self._of_fixtures: dict[str, set[str]] = {}

    def pytest_sessionstart(self) -> None:
        """Watch what this process starts and compiles, from now on."""
        sys.addaudithook(self._hear)
        from lumiban.search import jit

        jit.compiled = self._counted(jit.compiled, jit.available)

    def _hear(self, event: str, arguments: Any) -> None:
        if self._is_on and event in STARTS:
            self._seen.add("process")

    def _counted(
        self, compiled: Callable[..., Any], is_available: Callable[[], bool]
    ) -> Callable[..., Any]:
        @wraps(compiled)
        def noted(*arguments: Any) -> Any:
            if self._is_on and is_available():
                self._seen.add("jit")
            return compiled(*arguments)

        return noted

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Any:
        """A test's fixtures belong to it."""
        self._seen.clear()
        self._is_on = item.get_closest_marker("unit") is not None
        try:
            return (yield)
        finally:
            self._is_on = False

    @pytest.hookimpl(wrapper=True)
    def pytest_fixture_setup(self, fixturedef: pytest.FixtureDef[Any]) -> Any:
        """Note what a fixture did, whichever test came first to it."""
        before, self._seen = self._seen, set()
        was_on, self._is_on = self._is_on, True
        try:
            return (yield)
        finally:
            self._of_fixtures[_named(fixturedef)] = self._seen
            self._seen = before
            self._is_on = was_on

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_call(self, item: pytest.Item) -> Any:
        """Fail a unit test that did more than it may, itself or by a fixture that others share."""
        result = yield
        seen = set(self._seen)
        if self._is_on and isinstance(item, pytest.Function):
            for fixtures in item._fixtureinfo.name2fixturedefs.values():
                seen |= self._of_fixtures.get(_named(fixtures[-1]), set())
        if seen:
            needs = " and ".join(sorted(seen))
            pytest.fail(f"a unit test needs nothing; mark this one: {needs}", pytrace=False)
        return result


def _named(fixture: pytest.FixtureDef[Any]) -> str:
    """A fixture's name and where it is written."""
    return f"{fixture.baseid}::{fixture.argname}"

"""Marks by need: a unit test needs nothing, and one that does more fails and names its mark."""

from __future__ import annotations

import sys
from pathlib import Path

import patience
import pytest
from lumiban.search import jit
from places import SUPPORT

pytestmark = pytest.mark.process

CONFTEST = """
import needs

def pytest_configure(config):
    config.pluginmanager.register(needs.Watch())

def pytest_collection_modifyitems(items):
    for item in items:
        needs.mark(item)
"""
WORKS = """
import subprocess, sys
import pytest
from lumiban.games.control.kernel import ControlState
from lumiban.search import jit

def start():
    subprocess.run([sys.executable, "-c", ""])

def make():
    jit.compiled(start, ControlState)

@pytest.fixture
def started():
    start()

def test_nothing():
    pass

def test_starts():
    start()

def test_starts_before(started):
    pass

@pytest.fixture(scope="module")
def shared():
    start()

def test_shares(shared):
    pass

def test_shares_too(shared):
    pass

def test_compiles():
    make()

@pytest.mark.process
def test_may_start():
    start()

@pytest.mark.jit
def test_may_compile():
    make()
"""


def told(folder: Path, *words: str) -> list[str]:
    """The last lines of a run of these tests."""
    (folder / "conftest.py").write_text(CONFTEST)
    (folder / "test_works.py").write_text(WORKS)
    marks = "markers=" + "\n".join(("unit", "process", "jit"))
    command = (sys.executable, "-m", "pytest", "-q", "-p", "no:xdist", "--strict-markers")
    said = patience.run(
        [*command, "-o", marks, "--rootdir", folder, *words, folder / "test_works.py"],
        cwd=folder,
        env={"PYTHONPATH": str(SUPPORT), "COLUMNS": "300"},
    )
    return said.stdout.splitlines()


def test_a_unit_test_that_starts_or_compiles_fails_and_names_the_mark_it_lacks(
    tmp_path: Path,
) -> None:
    said = told(tmp_path)
    failed = {
        line.split("::")[1].split(" ")[0]: line.rpartition(": ")[2]
        for line in said
        if line.startswith("FAILED")
    }
    starting = ("test_starts", "test_starts_before", "test_shares", "test_shares_too")
    compiles = {"test_compiles": "jit"} if jit.available() else {}
    assert failed == dict.fromkeys(starting, "process") | compiles


def test_what_has_no_need_is_a_unit_test(tmp_path: Path) -> None:
    assert told(tmp_path, "-m", "unit", "--collect-only")[:6] == [
        "test_works.py::test_nothing",
        "test_works.py::test_starts",
        "test_works.py::test_starts_before",
        "test_works.py::test_shares",
        "test_works.py::test_shares_too",
        "test_works.py::test_compiles",
    ]

"""What all tests take is measured by the run of them."""

from __future__ import annotations

import sys
from pathlib import Path

import patience
import pytest
import takes
from places import SUPPORT, TESTS

WORKS = """
import time
import pytest

@pytest.mark.parametrize("n", range(3))
def test_one(n):
    began = time.process_time()
    while time.process_time() - began < 0.2:
        pass

@pytest.mark.skip
def test_other():
    pass

def test_of_all(request):
    import takes
    with open("of_all", "a") as file:
        file.write(f"{takes.is_of_all(request.config)} ")
"""
CONFTEST = """
import os, takes

def pytest_configure(config):
    if not hasattr(config, "workerinput"):
        # Hundredths of seconds as minutes, and of the workers alone.
        takes.os = type("Os", (), {"times": lambda: [6000 * one for one in os.times()[2:4]]})
        config.pluginmanager.register(takes.Takes())
"""


def note_of(folder: Path, *words: str) -> str:
    """What a run with these words notes, "" for nothing."""
    (folder / "tests").mkdir()
    (folder / "pyproject.toml").write_text('[tool.pytest.ini_options]\ntestpaths = ["tests"]\n')
    (folder / "tests/conftest.py").write_text(CONFTEST)
    (folder / "tests/test_works.py").write_text(WORKS)
    words = (sys.executable, "-m", "pytest", "-q", "--rootdir", str(folder), *words)
    said = patience.run(words, cwd=folder, env={"PYTHONPATH": str(SUPPORT)})
    assert said.returncode == 0, said.stdout
    note = folder / ".pytest_cache/d/lumiban/takes"
    return note.read_text() if note.exists() else ""


def test_the_tests_and_the_time_of_all_workers_are_noted(tmp_path: Path) -> None:
    tests, hundredths = map(int, note_of(tmp_path, "-n", "2").split())
    assert tests == 5
    assert hundredths >= 60
    assert (tmp_path / "of_all").read_text() == "True ", "workers know it too"


@pytest.mark.parametrize("words", ["-k test_o", "tests/test_works.py", "--maxfail=9"])
def test_a_run_of_some_tests_notes_nothing(tmp_path: Path, words: str) -> None:
    assert note_of(tmp_path, *words.split()) == ""
    assert "True" not in (tmp_path / "of_all").read_text()


def test_the_kept_number_of_tests_is_right(request: pytest.FixtureRequest) -> None:
    kept, minutes = map(int, takes.KEPT.read_text("utf-8").split())
    assert minutes > 0
    functions = sum(path.read_text("utf-8").count("def test_") for path in TESTS.rglob("*.py"))
    assert functions < kept < 5 * functions
    if takes.is_of_all(request.config):
        assert kept == pytest.approx(len(request.session.items), rel=0.15)

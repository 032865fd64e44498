"""What tests of a kind take is measured by the run of them."""

from __future__ import annotations

import sys
from pathlib import Path

import patience
import pytest
import takes
from places import SUPPORT, TESTS

pytestmark = pytest.mark.process


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

@pytest.mark.unit
def test_of_all(request):
    import takes
    with open("kind", "a") as file:
        file.write(takes.kind_of_run(request.config) or "none")
"""
CONFTEST = """
import os, takes

def pytest_configure(config):
    if not hasattr(config, "workerinput"):
        # Hundredths of seconds as minutes, and of the workers alone.
        takes.os = type("Os", (), {"times": lambda: [6000 * one for one in os.times()[2:4]]})
        config.pluginmanager.register(takes.Takes())
"""


def note_of(folder: Path, *words: str, kind: str = "ci") -> str:
    """What a run with these words notes of this kind, "" for nothing."""
    (folder / "tests").mkdir()
    (folder / "pyproject.toml").write_text('[tool.pytest.ini_options]\ntestpaths = ["tests"]\n')
    (folder / "tests/conftest.py").write_text(CONFTEST)
    (folder / "tests/test_works.py").write_text(WORKS)
    words = (sys.executable, "-m", "pytest", "-q", "--rootdir", str(folder), *words)
    said = patience.run(words, cwd=folder, env={"PYTHONPATH": str(SUPPORT)})
    assert said.returncode == 0, said.stdout
    note = folder / f".pytest_cache/d/lumiban/takes-{kind}"
    return note.read_text() if note.exists() else ""


def test_the_tests_and_the_time_of_all_workers_are_noted(tmp_path: Path) -> None:
    tests, hundredths = map(int, note_of(tmp_path, "-n", "2").split())
    assert tests == 5
    assert hundredths >= 60
    assert (tmp_path / "kind").read_text() == "ci", "workers know it too"


def test_a_run_of_unit_tests_has_a_note_of_its_own(tmp_path: Path) -> None:
    assert note_of(tmp_path, "-m", "unit", "-o", "markers=unit", kind="unit").split()[0] == "1"
    assert (tmp_path / "kind").read_text() == "unit"


@pytest.mark.parametrize(
    "words", ["-k test_o", "tests/test_works.py", "--maxfail=9", "-m other or unit"]
)
def test_a_run_of_some_tests_notes_nothing(tmp_path: Path, words: str) -> None:
    assert note_of(tmp_path, *words.split(" ", 1)) == ""
    assert (tmp_path / "kind").read_text() == "none"


@pytest.mark.parametrize("kind", ["unit", "ci"])
def test_the_kept_number_of_tests_is_right(kind: str, request: pytest.FixtureRequest) -> None:
    kept = dict(line.split(" ", 1) for line in takes.KEPT.read_text("utf-8").splitlines())
    tests, minutes = map(int, kept[kind].split())
    assert minutes > 0
    functions = sum(path.read_text("utf-8").count("def test_") for path in TESTS.rglob("*.py"))
    assert functions < tests < 5 * functions
    if takes.kind_of_run(request.config) == kind:
        assert tests == pytest.approx(len(request.session.items), rel=0.15)

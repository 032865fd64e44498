"""The order of the run names files that are there, each once."""

from __future__ import annotations

from pathlib import Path

from places import ROOT, TESTS
from run_order import LONGEST_FIRST, rank


def test_each_file_of_the_order_is_there_and_has_a_place_of_its_own() -> None:
    files = [TESTS / f"{name}.py" for name in LONGEST_FIRST]
    assert [file for file in files if not file.is_file()] == []
    assert [rank(file) for file in files] == list(range(len(files)))
    assert rank(Path(__file__)) == rank(ROOT / "host/a.py") == len(files)

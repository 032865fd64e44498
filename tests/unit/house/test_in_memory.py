"""Where tests keep their files."""

from __future__ import annotations

import os
from pathlib import Path

import in_memory
import pytest

pytestmark = pytest.mark.process


@pytest.fixture(autouse=True)
def nobody_chose(monkeypatch: pytest.MonkeyPatch) -> None:
    # Set first, so that what a test sets is undone.
    for name in (in_memory.PLACE, "TMPDIR"):
        monkeypatch.setenv(name, "")
        monkeypatch.delenv(name)


def test_files_of_tests_go_where_there_is_room_and_programs_run(tmp_path: Path) -> None:
    in_memory.use(tmp_path)
    assert os.environ[in_memory.PLACE] == str(tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_a_place_that_somebody_has_chosen_stays(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TMPDIR", "/elsewhere")
    in_memory.use(tmp_path)
    assert in_memory.PLACE not in os.environ


def test_a_place_without_room_or_that_is_not_there_is_left_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    in_memory.use(tmp_path / "missing")
    monkeypatch.setattr(in_memory, "ROOM_BYTES", 1 << 60)
    in_memory.use(tmp_path)
    assert in_memory.PLACE not in os.environ

"""A study's file is whole whatever breaks it off."""

from __future__ import annotations

from pathlib import Path

import pytest
from lumiban.errors import UsageError
from lumiban.study.match import Result, add, begun

HEAD = {"slug": "control", "seed": 1}
RESULT = Result(0, 1, "majority", 2, 14, 7, (0, 1))


def test_an_empty_file_is_a_study_that_was_broken_off_before_its_first_line(tmp_path: Path) -> None:
    path = tmp_path / "games.jsonl"
    path.touch()
    assert begun(path, HEAD) == {}
    add(path, RESULT)
    assert begun(path, HEAD) == {RESULT.number: RESULT}


def test_a_file_that_cannot_be_mended_keeps_all_that_it_has(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "games.jsonl"
    begun(path, HEAD)
    add(path, RESULT)
    torn = path.read_text() + '{"num'
    path.write_text(torn)

    def full(self: Path, target: Path) -> Path:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patched:
        patched.setattr(Path, "replace", full)
        with pytest.raises(UsageError, match="cannot be written: No space left"):
            begun(path, HEAD)
    assert path.read_text() == torn
    assert list(tmp_path.iterdir()) == [path]
    assert begun(path, HEAD) == {RESULT.number: RESULT}
    assert path.read_text() == torn.removesuffix('{"num')

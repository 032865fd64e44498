"""Of a game's durable calls each fails once, by each error that a disk may give: one sentence, an
end or a game that goes on, and every move that was shown is kept."""

from __future__ import annotations

import errno
import os
import shutil
from pathlib import Path

import pytest
from failing_calls import built, swept

pytestmark = pytest.mark.process

ERRORS = (errno.EIO, errno.ENOSPC, errno.EACCES, errno.EMFILE)


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Path:
    if shutil.which("cc") is None:
        if os.environ.get("LUMIBAN_CI") == "1":
            pytest.fail("no C compiler: the failing calls are not tested")
        pytest.skip("no C compiler: install one (Debian: gcc)")
    return built(tmp_path_factory.mktemp("library"))


@pytest.mark.parametrize(
    ("like", "at", "error", "code"),
    [
        ("open /home/simulator.log", 1, errno.EIO, 3),
        ("fsync /home/journals/", 5, errno.EIO, 1),
        ("write /home/journals/", 9, errno.ENOSPC, 0),
    ],
    ids=["before the game", "a move", "room that comes back"],
)
def test_a_call_that_fails_is_a_sentence_or_nothing_and_the_game_is_kept(
    like: str, at: int, error: int, code: int, library: Path, tmp_path: Path
) -> None:
    outcome = swept(library, tmp_path / "run", at, error, like)
    assert outcome.failed, "no such call was made"
    assert outcome.complaints == []
    assert outcome.code == code, outcome.told


@pytest.mark.long
def test_each_call_of_a_game_fails_by_each_error(library: Path, tmp_path: Path) -> None:
    complaints = []
    for error in ERRORS:
        at = 0
        while True:
            at += 1
            outcome = swept(library, tmp_path / f"{error}-{at}", at, error)
            if not outcome.failed:
                break
            if outcome.complaints:
                complaints.append((outcome.failed, errno.errorcode[error], outcome.complaints))
            shutil.rmtree(tmp_path / f"{error}-{at}")
        assert at > 90, "the game is shorter than it was"
    assert complaints == []

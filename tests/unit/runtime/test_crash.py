"""A host that is killed at any moment: the game goes on, nothing is lost, nothing is doubled."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import patience
import pytest
from lumiban.table import resume
from lumiban.table.journal import SUFFIX
from places import SUPPORT

HOST = SUPPORT / "crashing_host.py"
KINDS = ("torn", "written", "synced", "shown")


@pytest.fixture
def simulator(tmp_path: Path) -> Iterator[dict[str, Any]]:
    words = [sys.executable, "-m", "lumiban_sim", "--profile", "hex3", "--seed", "8"]
    words += ["--state", str(tmp_path)]
    with subprocess.Popen(words, stdout=subprocess.PIPE) as process:
        yield json.loads(process.stdout.readline())
        process.send_signal(signal.SIGTERM)
        process.communicate()


def run_host(state: Path, kind: str, count: int) -> int:
    words = [sys.executable, str(HOST), str(state), kind, str(count)]
    done = patience.run(words)
    assert done.returncode in (0, -signal.SIGKILL), done.stderr
    return done.returncode


def games_in(state: Path) -> dict[str, resume.ResumedGame]:
    """The game in each journal, oldest first; reading changes nothing."""
    journals = sorted((state / "journals").glob("*" + SUFFIX))
    return {path.name: resume.resume(path, mends=False) for path in journals}


def moves_of(back: resume.ResumedGame) -> list[str]:
    return [str(move) for move in back.history.moves]


@pytest.mark.process
@pytest.mark.skipif(os.name != "posix", reason="SIGKILL and ptys")
@pytest.mark.parametrize("crashes", [8, pytest.param(20, marks=pytest.mark.long)])
def test_a_host_killed_again_and_again_loses_and_doubles_nothing(
    tmp_path: Path, simulator: dict[str, Any], crashes: int
) -> None:
    rng = random.Random(2026)
    kinds = [KINDS[n % len(KINDS)] for n in range(crashes)]
    rng.shuffle(kinds)
    known: dict[str, list[str]] = {}
    for kind in kinds:
        # Greeting the board already writes, syncs and shows once or twice; a move three times.
        while run_host(tmp_path, kind, rng.randrange(1, 8)) == 0:
            pass  # the game ended first: the next life begins another
        now = games_in(tmp_path)
        assert known.keys() <= now.keys()
        assert all(back.is_over for back in list(now.values())[:-1]), "a game was left for another"
        for name, back in now.items():
            before = known.get(name, [])
            assert moves_of(back)[: len(before)] == before, f"killed at {kind}: a move was lost"
            known[name] = moves_of(back)
    assert run_host(tmp_path, "never", 0) == 0
    name, back = list(games_in(tmp_path).items())[-1]
    assert moves_of(back)[: len(known[name])] == known[name]
    assert back.is_over
    # What the board last told is the picture of the last position: no stone too many or too few.
    position = back.history.position
    assert back.board.kinds == [int(kind) for kind in back.history.game.pieces(position)]

"""The suite over a simulator's port, as over any board's."""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import patience
import pytest
from junit_file import read
from lumiban.runtime import simulator
from lumiban.runtime.simulator import Simulator
from places import ROOT
from rfc2217_server import Rfc2217Server
from sentences import says
from websockets.asyncio.client import connect


def run(folder: Path, board: str, *words: str) -> subprocess.CompletedProcess[str]:
    """A run of the suite over a board."""
    home = {**os.environ, "LUMIBAN_HOME": str(folder), "LUMIBAN_LANG": "en"}
    home.pop("LUMIBAN_CI", None)
    on = ["--board", board, "--junitxml", str(folder / "junit.xml"), "-rs"]
    return patience.run(["./run", "test", *on, *words], cwd=ROOT, env=home)


@pytest.fixture
def board(tmp_path: Path) -> Iterator[Simulator]:
    made = asyncio.run(simulator.start(tmp_path, "hex3", 7))
    yield made
    made.end()


@pytest.mark.process
def test_without_a_board_the_run_ends_with_3(tmp_path: Path) -> None:
    done = run(tmp_path, "serial:/dev/nowhere")
    assert done.returncode == 3
    assert "/dev/nowhere" in done.stderr + done.stdout
    assert "Traceback" not in done.stderr + done.stdout


async def _set_a_stone(hands: str, cell: int) -> None:
    async with connect(hands) as line:
        await line.send(json.dumps({"do": "place", "cell": cell, "kind": 1}))
        async for message in line:
            world = json.loads(message)
            if world["type"] == "world" and world["kinds"][cell]:
                return


@pytest.mark.process
def test_a_board_with_a_stone_on_it_is_not_tested_and_the_cell_is_named(
    tmp_path: Path, board: Simulator
) -> None:
    asyncio.run(_set_a_stone(board.hands, 4))
    done = run(tmp_path, f"serial:{board.port}")
    assert done.returncode == 3
    said = done.stdout + done.stderr
    assert "there are pieces on the board: d2" in said
    assert says(said, "hil.not-empty")
    assert not (tmp_path / "junit.xml").exists()


@pytest.mark.process
@pytest.mark.alone
def test_a_simulators_port_is_a_board_like_any_other(tmp_path: Path, board: Simulator) -> None:
    done = run(tmp_path, f"serial:{board.port}", "-k", "echoes_the_session or keep_their_order")
    assert done.returncode == 0, done.stdout
    told = read(tmp_path / "junit.xml")
    assert list(told.tests.values()) == ["passed"] * 2
    about = told.properties
    assert (about["profile"], about["seed"]) == ("hex3", "1")
    assert len(about["uid"]) == 16
    assert about["firmware"] == "3"
    assert about["sources"]


@pytest.mark.long
@pytest.mark.alone
@pytest.mark.parametrize("way", ["pty", "tcp", "rfc2217"])
def test_the_whole_hands_free_suite_holds_by_any_way(
    tmp_path: Path, board: Simulator, way: str
) -> None:
    if way == "pty":
        done = run(tmp_path, f"serial:{board.port}")
    else:
        lent = Rfc2217Server(board.port, is_plain=way == "tcp")
        done = run(tmp_path, lent.url)
        lent.close()
    count = Counter(read(tmp_path / "junit.xml").tests.values())
    assert not count["failed"], done.stdout
    # Board and suite share this computer. Where it is late, the suite leaves open what it could
    # not judge, and says so: that is its promise, and no fault of the way.
    assert done.returncode == (3 if count["inconclusive"] else 0), done.stdout
    assert count["passed"] + count["inconclusive"] >= 60
    assert count["passed"] > 40, done.stdout

"""Whose simulator a table plays on, and what becomes of the game when simulator or cable fail."""

from __future__ import annotations

import asyncio
import json
import os
from pathlib import Path

import patience
import psutil
import pytest
from lumiban.errors import JournalInUse
from lumiban.runtime import simulator
from lumiban_sim.rig import Rig
from sitting_bench import (
    BOTS,
    WHITE_STONE,
    by_hand,
    cell_of,
    hands_of,
    lying,
    sitting_at,
    until,
)

pytestmark = pytest.mark.process


async def test_a_game_whose_host_has_lost_its_board_is_still_that_hosts(tmp_path: Path) -> None:
    other = await simulator.start(tmp_path, "hex3", 5)
    wish = {"seats": ("human", "human"), "board": other.port}
    try:
        async with sitting_at(tmp_path, **wish) as first:
            await until(first, lambda view: view["link"] == "up")
            stone = {"do": "place", "cell": cell_of(first, "a1"), "kind": WHITE_STONE}
            await by_hand(first, stone)
            await until(first, lambda view: len(view["moves"]) == 1)
            await first.board.close()
            # The move is seen before it is written: the file is whole when all is on disk.
            await asyncio.to_thread(patience.until, lambda: first.shell.session.all_durable)
            (journal,) = (tmp_path / "journals").iterdir()
            before = journal.read_bytes()
            with pytest.raises(JournalInUse):
                async with sitting_at(tmp_path, **wish):
                    pass
            assert journal.read_bytes() == before
        async with sitting_at(tmp_path, **wish) as third:
            assert [str(move) for move in third.shell.session.match.history.moves] == ["a1"]
        assert list((tmp_path / "journals").iterdir()) == [journal]
    finally:
        other.end()


async def test_simulators_of_ours_run_in_this_process_and_are_found_until_they_end(
    tmp_path: Path,
) -> None:
    before = set(psutil.Process().children())
    first, second = [await simulator.start(tmp_path, "hex3", seed) for seed in (7, 8)]
    assert set(psutil.Process().children()) == before
    assert {first.pid, second.pid} == {os.getpid()}
    assert {one.port for one in simulator.running(tmp_path, "hex3")} == {first.port, second.port}
    assert simulator.at(tmp_path, first.port) is not None
    first.end()
    await simulator.end_of(first)
    assert [one.uid for one in simulator.found(tmp_path)] == [second.uid]
    assert not Path(first.port).exists()
    again = await simulator.start_next(tmp_path, "hex3")
    for one in (second, again):
        one.end()
    assert simulator.found(tmp_path) == []


async def test_a_simulator_that_breaks_ends_alone_and_writes_down_why(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    broken = await simulator.start(tmp_path, "hex3", 5)
    monkeypatch.setattr(Rig, "advance", lambda *_: 1 // 0)
    await asyncio.wait_for(simulator.end_of(broken), 20)
    assert "ZeroDivisionError" in (tmp_path / "simulator.log").read_text()
    assert simulator.found(tmp_path) == []


async def test_what_was_moved_while_the_host_was_away_is_moved_back(tmp_path: Path) -> None:
    other = await simulator.start(tmp_path, "hex3", 5)
    try:
        # Nobody may take the bot's stone back, so that its absence is a mess and no takeback.
        async with sitting_at(tmp_path, seats=("bot:easy", "human")) as sitting:
            view = await until(sitting, lambda view: len(view["moves"]) == 1)
            first = view["moves"][0]["text"]
            cell = cell_of(sitting, first)
            spare = cell_of(sitting, "c3")
        async with hands_of(other.hands) as line:
            await line.send(json.dumps({"do": "lift", "cell": cell}))
            await line.send(json.dumps({"do": "place", "cell": spare, "kind": WHITE_STONE}))
            async for message in line:
                heard = json.loads(message)
                if heard["type"] == "world" and heard["kinds"][spare] == WHITE_STONE:
                    break
        async with sitting_at(tmp_path, seats=BOTS, reseats=(0, 1)) as sitting:
            view = await until(sitting, lambda view: len(view["moves"]) == 3)
            assert view["moves"][0]["text"] == first
            assert (await lying(sitting))[cell] == WHITE_STONE
            assert view["pieces"] == view["sensed"]
    finally:
        other.end()

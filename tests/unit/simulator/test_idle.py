"""A simulated board at rest: its lights alone are no reason to sense, nor are lights that nobody
sees one to be computed; what is sensed stays as it is."""

from __future__ import annotations

import asyncio
import json
from collections import Counter
from pathlib import Path

import pytest
from lumiban.boards.profile import load
from lumiban_sim.chip import CalmBoard
from lumiban_sim.desk import Desk
from lumiban_sim.rig import Rig
from lumiban_sim.world import World
from virtual_table import VirtualTable
from websockets.asyncio.client import connect

SECOND_US = 1_000_000


def at_rest(monkeypatch: pytest.MonkeyPatch, *, is_seen: bool) -> tuple[VirtualTable, Counter[str]]:
    """A table of Rengi, whose lights breathe, and what its board did in ten seconds of rest."""
    table = VirtualTable("grid13x14", "rengi", ("human", "human"), {})
    assert table.rig is not None
    table.rest(3 * SECOND_US)
    table.rig.chip.be_seen(is_seen)
    done: Counter[str] = Counter()
    for name in ("sample", "shine"):
        whole = getattr(World, name)

        def counted(self: World, *told: object, name: str = name, whole: object = whole) -> None:
            done[name] += 1
            whole(self, *told)  # type: ignore[operator]

        monkeypatch.setattr(World, name, counted)
    table.rest(10 * SECOND_US)
    return table, done


@pytest.mark.slow
def test_lights_that_breathe_are_no_reason_to_sense(monkeypatch: pytest.MonkeyPatch) -> None:
    table, done = at_rest(monkeypatch, is_seen=True)
    assert done["shine"] > 250, "the light moves"
    assert done["sample"] < 60
    # What the board tells of what it has sensed is never older than the newest frame.
    assert table.rig is not None
    board = table.rig.chip.board
    assert isinstance(board, CalmBoard)
    assert board._beat_us - board._last_frame_us <= SECOND_US


@pytest.mark.slow
def test_lights_that_nobody_sees_are_shown_twice_a_second(monkeypatch: pytest.MonkeyPatch) -> None:
    table, done = at_rest(monkeypatch, is_seen=False)
    assert done["shine"] <= 21
    before = done["shine"]
    assert table.rig is not None
    table.rig.chip.be_seen(True)
    table.rig.advance(table.rig.now_us)
    assert done["shine"] == before + 1, "who begins to look sees the light of now"


def test_sensors_that_notice_lights_see_them_all() -> None:
    from lumiban_sim.built_board import built

    profile = load("hex3")
    rig = Rig(profile, 1, board=built(profile, 1))
    rig.chip.be_seen(False)
    assert isinstance(rig.chip.board, CalmBoard)
    assert rig.chip.board.lights.is_seen


def test_lights_stay_unseen_over_a_reset() -> None:
    rig = Rig(load("hex3"), 1)
    rig.chip.be_seen(False)
    rig.reset()
    assert isinstance(rig.chip.board, CalmBoard)
    assert not rig.chip.board.lights.is_seen


@pytest.mark.process
async def test_a_guest_for_the_pieces_alone_hears_of_no_light_and_no_hand(tmp_path: Path) -> None:
    desk = Desk(load("hex3"), seed=1, state=tmp_path)
    serving = asyncio.create_task(desk.run())
    await desk.ready.wait()
    assert desk.descriptor is not None
    heard: set[str] = set()
    async with connect(desk.descriptor.hands + "&only=world") as helper:
        await helper.send(json.dumps({"do": "place", "cell": 4, "kind": 1}))
        async for message in helper:
            told = json.loads(message)
            heard.add(told["type"])
            if told["type"] == "world" and told["kinds"][4]:
                break
        assert heard == {"world"}
        assert not desk.rig.chip._is_seen
        async with connect(desk.descriptor.hands) as page:
            first = {json.loads(await page.recv())["type"] for _ in range(3)}
            assert first == {"world", "light", "hands"}
            assert desk.rig.chip._is_seen
        while desk.rig.chip._is_seen:
            await asyncio.sleep(0.01)
    desk.stop()
    await serving


async def test_time_in_which_nothing_is_due_is_caught_up_in_one_go(tmp_path: Path) -> None:
    desk = Desk(load("hex3"), seed=1, state=tmp_path)
    desk.rig.advance(5 * SECOND_US)
    due = desk.rig.next_deadline()
    assert due - desk.rig.now_us > 100_000
    desk._zero = asyncio.get_running_loop().time() - (due - 10_000) / 1e6
    desk.pump()
    assert desk._timer is not None
    desk._timer.cancel()
    assert due - desk.rig.now_us <= 10_000

"""Which game, board and seats a table begins with, and what is told where it cannot be had."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from lumiban.boards.profile import load
from lumiban.boards.types import Connected
from lumiban.errors import BoardError, GameError, JournalInUse, WrongBoard
from lumiban.games import registry
from lumiban.games.registry import RuleFault
from lumiban.maker import health
from lumiban.runtime import open_table as opening
from lumiban.runtime import pi_driver
from lumiban.runtime.simulator import Simulator
from lumiban.table.requests import HintRequest, LessonRequest
from lumiban_fw import wire
from near_table import BOTS, WHITE_STONE, Near, own_of
from near_table import near as near


async def played(near: Near, **wish: object) -> str:
    """A table at which one stone was set, cleared again; its journal's name."""
    async with near.table(**wish) as sitting:
        await near.put("a1")
        assert near.moves == ["a1"]
        return sitting.shell.journal_name


async def test_an_unfinished_game_of_this_board_goes_on_with_its_people(near: Near) -> None:
    name = await played(near, board="/dev/ttyACM0")
    near.lies = []
    async with near.table(board="/dev/ttyACM0", seats=BOTS) as sitting:
        assert sitting.resumed is not None
        assert sitting.shell.journal_name == name
        assert sitting.recorder is not None
        assert near.moves == ["a1"]
        assert [seat["who"] for seat in near.view["seats"]] == ["human", "human"]
        assert near.line.more["resume"] == sitting.resumed.link_resume
        cell = sitting.shell.session.game.grid.cell("a1")
        assert near.view["prompt"]["steps"] == [{"do": "place", "cell": cell, "kind": 1}]
    assert len(list((near.state / "journals").iterdir())) == 1


async def test_seats_that_are_named_are_filled_anew_in_a_game_that_goes_on(near: Near) -> None:
    await played(near)
    near.lies[0] = 0
    async with near.table(seats=("human", "bot:easy"), reseats=(1,)):
        assert [seat["who"] for seat in near.view["seats"]] == ["human", "bot:easy"]
        await near.passes(5)
        assert near.moves[0] == "a1"
        assert len(near.moves) == 2


@pytest.mark.parametrize(
    "wish",
    [
        {"new": True},
        {"options": {"size": 2}},
        {"clock": "sudden:5m"},
        {"profile": "hex5"},
        {"board": "/dev/ttyACM1"},
    ],
)
async def test_another_game_clock_or_board_begins_a_new_game(
    near: Near, wish: dict[str, object]
) -> None:
    near.uids["/dev/ttyACM1"] = "another"
    name = await played(near, board="/dev/ttyACM0")
    near.lies = []
    async with near.table(**{"board": "/dev/ttyACM0", **wish}) as sitting:
        assert sitting.resumed is None
        assert near.moves == []
        assert sitting.shell.journal_name != name


async def test_a_game_among_bots_does_not_wait_for_a_simulator_that_has_lost_its_stones(
    near: Near,
) -> None:
    async with near.table(seats=BOTS):
        near.bot.hangs = True
        await near.passes(2)
    async with near.table(seats=BOTS) as sitting:
        assert sitting.resumed is None


async def test_the_board_that_answers_decides_whose_game_goes_on(near: Near) -> None:
    near.uids |= {"/dev/ttyACM0": "one", "/dev/ttyACM1": "other"}
    first = await played(near, board="/dev/ttyACM0")
    near.lies = []
    second = await played(near, board="/dev/ttyACM1")
    for port, name in (("/dev/ttyACM0", first), ("/dev/ttyACM1", second)):
        near.lies = [WHITE_STONE]
        async with near.table(board=port) as sitting:
            assert sitting.shell.journal_name == name


async def test_a_game_that_another_host_plays_is_not_taken_from_it(near: Near) -> None:
    async with near.table(board="/dev/ttyACM0") as first:
        await near.put("a1")
        line = near.line
        with pytest.raises(JournalInUse) as told:
            async with near.table(board="/dev/ttyACM0"):
                pass
        assert told.value.path.name == first.shell.journal_name
        assert near.bot.closed
        near.sitting, near.line = first, line


async def test_a_board_that_is_not_there_leaves_its_game_to_who_tries_again(near: Near) -> None:
    name = await played(near, board="/dev/ttyACM0")
    near.refusals = [BoardError("it is silent")]
    with pytest.raises(BoardError) as told:  # held, as by a log: nothing of it goes by itself
        async with near.table(board="/dev/ttyACM0"):
            pass
    async with near.table(board="/dev/ttyACM0") as sitting:
        assert sitting.shell.journal_name == name
    assert str(told.value) == "it is silent"


async def test_a_game_whose_rules_do_not_return_rests_from_the_beginning(
    near: Near, monkeypatch: pytest.MonkeyPatch
) -> None:
    fault = RuleFault("mine.py, line 9, in may_place: it does not return")
    for known in (None, fault):
        monkeypatch.setattr(registry, "stopped", lambda game, known=known: known)
        async with near.table(new=True) as sitting:
            assert sitting.shell.session.fault is known
            assert (sitting.shell.look(0) is None) == (known is fault)


async def test_a_simulator_that_ended_is_started_again_as_the_same_board(near: Near) -> None:
    async with near.table() as sitting:
        (ended,) = near.started
        own_of(ended).gone.set()
        await near.passes(0.2)
        _, again = near.started
        assert again.seed == ended.seed
        assert own_of(ended).ended
        assert (near.line.port, sitting.shell.hands_url) == (again.port, again.hands)
        assert near.hands is not None
        assert near.hands.url == again.hands
    assert own_of(again).ended


async def test_a_simulator_that_ends_at_once_again_and_again_ends_the_table(near: Near) -> None:
    async with near.table() as sitting:
        for _ in range(9):
            own_of(near.started[-1]).gone.set()
            await near.passes(0.2)
        assert len(near.started) <= opening.RESTARTS + 1
        with pytest.raises(BoardError, match="Start again: the game goes on"):
            await sitting.shell.run()


async def test_a_simulator_that_somebody_else_runs_is_used_and_left_running(near: Near) -> None:
    near.uids["there"] = "theirs"
    near.running = [Simulator("there", "their hands", "hex3", "theirs", 7)]
    async with near.table() as sitting:
        assert (near.line.port, sitting.shell.hands_url) == ("there", "their hands")
        assert near.line.more["by_id"] == near.state / "by-id"
        assert near.hello["assisted"]
        assert near.hello["switches_board"]
    near.refusals = [BoardError("busy")]
    async with near.table(new=True):
        assert near.line.port == near.started[0].port, "theirs is held by another table"
    async with near.table(new=True, board="there", assists=False) as sitting:
        assert sitting.shell.hands_url == "their hands"
        assert not near.hello["assisted"]
        assert not near.hello["switches_board"]


async def test_what_cannot_be_had_is_told_before_anything_is_started(near: Near) -> None:
    with pytest.raises(GameError):
        async with near.table(game="chess"):
            pass
    with pytest.raises(BoardError, match="hex5"):
        async with near.table(options={"size": 4}):
            pass
    assert near.started == []
    near.refusals = [BoardError("no such port")]
    with pytest.raises(BoardError, match="no such port"):
        async with near.table():
            pass
    assert own_of(near.started[0]).ended
    assert near.bot.closed
    assert list(near.state.glob("flights/*")) == []


async def test_a_board_whose_sensors_a_host_feeds_is_refused(near: Near) -> None:
    near.capabilities = wire.INJECTING
    with pytest.raises(BoardError, match="/dev/ttyACM0"):
        async with near.table(board="/dev/ttyACM0"):
            pass
    assert not near.line.is_open


async def test_a_board_of_another_kind_is_asked_what_it_is_unless_one_was_named(
    near: Near, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = []

    def profile_at(port: str, state: Path) -> str:
        asked.append((port, state))
        return "hex8"

    monkeypatch.setattr(opening, "profile_at", profile_at)
    near.refusals = [WrongBoard("a hex8")]
    with pytest.raises(WrongBoard):
        async with near.table(board="/dev/ttyACM0"):
            pass
    near.refusals = [WrongBoard("a hex8")]
    async with near.table(board="/dev/ttyACM0", profile="", options={}) as sitting:
        assert sitting.shell.session.profile.name == "hex8"
    assert asked == [("/dev/ttyACM0", near.state)]


async def test_the_driver_of_a_header_is_ended_with_its_table_and_ends_it(
    near: Near, monkeypatch: pytest.MonkeyPatch
) -> None:
    simulator = await near.start(near.state, "hex3")

    class Driver:
        port, uid, scan_hz, ended = simulator.port, simulator.uid, 60, 0

        async def end_of(self) -> None:
            await own_of(simulator).gone.wait()

        def end(self) -> None:
            self.ended += 1

    driver = Driver()

    async def start(state: Path, profile: str, pins: str) -> Driver:
        assert (state, profile, pins) == (near.state, "hex3", "lights=spi")
        return driver

    monkeypatch.setattr(pi_driver, "start", start)
    wish = {"board": "gpio", "pins": "lights=spi"}
    async with near.table(**wish) as sitting:
        assert driver.ended == 0
        own_of(simulator).gone.set()
        await near.passes(0.2)
        with pytest.raises(BoardError, match=r"header\.log"):
            await sitting.shell.run()
    assert driver.ended == 1
    near.refusals = [BoardError("busy")]
    with pytest.raises(BoardError, match="busy"):
        async with near.table(**wish):
            pass
    assert driver.ended == 2


async def test_the_view_of_a_table_names_the_weak_cells_of_its_board(near: Near) -> None:
    async with near.table() as sitting:
        assert near.view.get("sensors", []) == []
        known = health.Health(sitting.hello.uid)
        for cell in range(5):
            known.saw(cell, health.Look("2026-11-21", strong_ut=15_000 if cell == 2 else 30_000))
        health.keep(near.state, known)
        sitting.shell.heard([Connected(sitting.hello)])  # as when its cable is put in again
        assert await sitting.shell.command(HintRequest("none"), "host") is None
        said = {"cell": load("hex3").grid.name(2), "percent": 50}
        assert near.view["sensors"] == [{"id": "health.weak", "params": said}]


async def test_cells_that_are_known_as_broken_ask_for_no_sensor(near: Near) -> None:
    health.keep(near.state, replace(health.Health("uid"), dead={3}))
    async with near.table(board="/dev/ttyACM0") as sitting:
        assert sitting.shell.session.board.dead == {3}


async def test_a_table_may_begin_with_a_lesson_and_records_nothing_where_no_room_is_given(
    near: Near, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LUMIBAN_FLIGHT_MB", "0")
    async with near.table(new=True, lesson=LessonRequest("begin", "control")) as sitting:
        assert sitting.shell.session.lesson is not None
        assert sitting.recorder is None

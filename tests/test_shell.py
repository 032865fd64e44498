"""The shell: board, journal, bots, hands and page joined in one loop, over a real serial line."""

from __future__ import annotations

import asyncio
import json
import os
import signal
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from lumiban.cli import simulated
from lumiban.cli.assist import AssistHands, Errand
from lumiban.cli.greeting import greeting
from lumiban.cli.sitting import Sitting, Wish, sit
from lumiban.cli.state import open_log
from lumiban.errors import BoardError, GameError, JournalError, LumibanError
from lumiban.games.api import BLACK, WHITE
from lumiban.table import record
from lumiban.table.journal import JournalFile
from lumiban.table.resume import resume
from websockets.asyncio.client import connect

LONGEST_S = 60.0
WHITE_STONE, BLACK_STONE = 1, 2


@asynccontextmanager
async def sitting_at(state: Path, **wish: Any) -> AsyncIterator[Sitting]:
    """A table with a small simulated board, its state in `state`."""
    (state / "journals").mkdir(exist_ok=True)
    opener = wish.pop("opener", JournalFile)
    wished = {"profile": "hex3", "options": {"size": 3}, "eager": True, "seed": 3, **wish}
    sitting = await sit(Wish(**wished), state, open_log(state), opener=opener)
    try:
        yield sitting
    finally:
        await sitting.close()


async def until(sitting: Sitting, true: Callable[[Mapping[str, Any]], bool]) -> Mapping[str, Any]:
    """The first view of which this is true."""
    if true(sitting.shell.view()):
        return sitting.shell.view()
    found: asyncio.Future[Mapping[str, Any]] = asyncio.get_running_loop().create_future()

    def look(view: Mapping[str, Any]) -> None:
        if not found.done() and true(view):
            found.set_result(view)

    leave = sitting.shell.watch(look)
    try:
        async with asyncio.timeout(LONGEST_S):
            return await found
    finally:
        leave()


def cell_of(sitting: Sitting, name: str) -> int:
    """The board cell of a game's cell."""
    match = sitting.shell.session.match
    return match.placing.board[match.course.game.grid.cell(name)]


async def by_hand(sitting: Sitting, *steps: dict[str, Any]) -> None:
    """A person's hand on the simulator does these things, each when the last is done."""
    assert sitting.simulator is not None
    async with connect(sitting.simulator.hands) as line:
        for step in steps:
            await line.send(json.dumps(step))
            wanted = step.get("kind", 0)
            async with asyncio.timeout(LONGEST_S):
                async for message in line:
                    heard = json.loads(message)
                    if heard["type"] == "world" and heard["kinds"][step["cell"]] == wanted:
                        break


async def lying(sitting: Sitting) -> list[int]:
    """What truly lies on the simulated board's cells."""
    assert sitting.simulator is not None
    async with connect(sitting.simulator.hands) as line, asyncio.timeout(LONGEST_S):
        async for message in line:
            heard = json.loads(message)
            if heard["type"] == "world":
                kinds: list[int] = heard["kinds"]
                return kinds
    raise AssertionError("the simulator told no world")


BOTS = ("bot:easy", "bot:easy")


async def test_two_bots_play_a_whole_game_over_a_real_serial_line(tmp_path: Path) -> None:
    async with sitting_at(tmp_path, seats=BOTS) as sitting:
        assert sitting.board.port.startswith("/dev/")
        await until(sitting, lambda view: view["outcome"] is not None)
        (finished,) = sitting.shell.finished
        match = sitting.shell.session.match
        pieces = [int(kind) for kind in match.course.game.pieces(match.course.position)]
        on_board = await lying(sitting)
        assert [on_board[cell] for cell in match.placing.board] == pieces
    assert record.verify(finished.record) == finished.outcome
    assert {move["by"] for move in finished.record["moves"]} == {"machine"}
    (kept,) = (tmp_path / "records").iterdir()
    assert json.loads(kept.read_text("utf-8")) == finished.record
    (path,) = (tmp_path / "journals").glob("*.journal")
    back = resume(path, mend=False)
    assert back.ended
    assert [str(move) for move in back.course.moves] == [
        move["text"] for move in finished.record["moves"]
    ]
    # Each stone was sensed by the firmware before it was a move.
    times = [move["at_us"] for move in finished.record["moves"]]
    assert times == sorted(times)


async def test_a_person_sets_a_stone_and_the_bot_answers_by_a_hand(tmp_path: Path) -> None:
    async with sitting_at(tmp_path, seats=("human", "bot:easy")) as sitting:
        await until(sitting, lambda view: view["link"] == "up")
        cell = cell_of(sitting, "a1")
        await by_hand(sitting, {"do": "place", "cell": cell, "kind": WHITE_STONE})
        view = await until(sitting, lambda view: len(view["moves"]) == 2)
        assert (view["moves"][0]["side"], view["moves"][0]["text"]) == (WHITE, "a1")
        assert view["moves"][1]["side"] == BLACK
        assert view["to_move"] == [WHITE]


async def test_a_wrong_stone_commits_nothing_and_is_left_to_who_set_it(tmp_path: Path) -> None:
    async with sitting_at(tmp_path, seats=("human", "human")) as sitting:
        await until(sitting, lambda view: view["link"] == "up")
        wrong = cell_of(sitting, "c3")
        await by_hand(sitting, {"do": "place", "cell": wrong, "kind": WHITE_STONE})
        view = await until(sitting, lambda view: view["verdict"]["kind"] == "refuse")
        assert view["verdict"]["text"]["id"] == "refusal.control.opening-perimeter"
        assert view["moves"] == []
        assert sitting.shell._hands is not None
        assert sitting.shell._hands.done == 0, "no assisting hand may take it away"
        await by_hand(sitting, {"do": "lift", "cell": wrong})
        view = await until(sitting, lambda view: view["verdict"]["kind"] == "agree")
        assert view["moves"] == []


async def test_hands_clear_the_board_for_a_new_game(tmp_path: Path) -> None:
    async with sitting_at(tmp_path, seats=("human", "human")) as sitting:
        await until(sitting, lambda view: view["link"] == "up")
        stone = {"do": "place", "cell": cell_of(sitting, "a1"), "kind": WHITE_STONE}
        await by_hand(sitting, stone)
        await until(sitting, lambda view: len(view["moves"]) == 1)
        refused = await sitting.shell.command(
            {"do": "new", "game": "control", "options": {"size": 3}, "seats": list(BOTS)}, "host"
        )
        assert refused is None
        # Bots may begin only when the stone of the old game has gone.
        view = await until(sitting, lambda view: len(view["moves"]) == 1)
        assert view["moves"][0]["side"] == WHITE
        first = sitting.shell.session.match.course.moves[0]
        board = await lying(sitting)
        assert sum(kind != 0 for kind in board) <= 2
        assert board[cell_of(sitting, str(first))] == WHITE_STONE
    assert len(list((tmp_path / "journals").glob("*.journal"))) == 2


async def test_a_message_that_cannot_be_followed_is_answered_and_changes_nothing(
    tmp_path: Path,
) -> None:
    async with sitting_at(tmp_path, seats=("human", "human")) as sitting:
        before = await until(sitting, lambda view: view["link"] == "up")
        answer = await sitting.shell.command({"do": "dance"}, "host")
        assert answer is not None
        assert answer["id"] == "table.strange-command"
        answer = await sitting.shell.command({"do": "seat", "side": 9, "who": "human"}, "host")
        assert answer is not None
        after = sitting.shell.view()
        assert {**after, "v": 0, "line": {}} == {**before, "v": 0, "line": {}}


async def test_who_leaves_hears_no_more_views(tmp_path: Path) -> None:
    async with sitting_at(tmp_path, seats=("human", "human")) as sitting:
        await until(sitting, lambda view: view["link"] == "up")
        heard: list[Mapping[str, Any]] = []
        leave = sitting.shell.watch(heard.append)
        await sitting.shell.command({"do": "hint", "level": "none"}, "host")
        assert [view["hint"] for view in heard] == ["none"]
        leave()
        leave()
        await sitting.shell.command({"do": "hint", "level": "legal"}, "host")
        assert len(heard) == 1


async def test_a_bot_whose_process_dies_is_asked_again(tmp_path: Path) -> None:
    async with sitting_at(tmp_path, seats=("human", "bot:strong"), options={"size": 3}) as sitting:
        await until(sitting, lambda view: view["link"] == "up")
        sitting.worker.start()
        stone = {"do": "place", "cell": cell_of(sitting, "a1"), "kind": WHITE_STONE}
        await by_hand(sitting, stone)
        await until(sitting, lambda view: view["seats"][BLACK]["thinking"])
        process = sitting.worker._process
        assert process is not None
        os.kill(process.pid, signal.SIGKILL)
        view = await until(sitting, lambda view: len(view["moves"]) == 2)
        assert view["moves"][1]["side"] == BLACK


def failing_fsync(path: Path) -> JournalFile:
    def fsync(handle: int) -> None:
        raise OSError(28, "No space left on device")

    return JournalFile(path, fsync=fsync)


async def test_a_full_disk_stops_the_table_with_a_word(tmp_path: Path) -> None:
    async with sitting_at(tmp_path, seats=BOTS, opener=failing_fsync) as sitting:
        with pytest.raises(JournalError, match="No space left"):
            await asyncio.wait_for(sitting.shell.run(), LONGEST_S)


async def test_a_fault_of_ours_stops_the_table_instead_of_playing_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with sitting_at(tmp_path, seats=("human", "human")) as sitting:
        await until(sitting, lambda view: view["link"] == "up")

        def broken(*_: Any) -> None:
            raise ZeroDivisionError

        monkeypatch.setattr(sitting.shell.session, "step", broken)
        with pytest.raises(ZeroDivisionError):
            await sitting.shell.command({"do": "confirm"}, "host")
        with pytest.raises(LumibanError, match=r"host\.log"):
            await sitting.shell.run()


async def test_stop_ends_the_run(tmp_path: Path) -> None:
    async with sitting_at(tmp_path, seats=("human", "human")) as sitting:
        running = asyncio.create_task(sitting.shell.run())
        sitting.shell.stop()
        sitting.shell.stop()
        await asyncio.wait_for(running, LONGEST_S)


async def test_a_second_table_gets_a_simulator_of_its_own(tmp_path: Path) -> None:
    async with (
        sitting_at(tmp_path, seats=("human", "human")) as first,
        sitting_at(tmp_path, seats=("human", "human")) as second,
    ):
        assert first.board.port != second.board.port
        assert first.hello.uid != second.hello.uid
        assert len(simulated.running(tmp_path, "hex3")) == 2
    assert simulated.running(tmp_path, "hex3") == []


async def test_a_simulator_that_somebody_else_runs_is_used_and_left_running(
    tmp_path: Path,
) -> None:
    other = await simulated.start(tmp_path, "hex3")
    try:
        async with sitting_at(tmp_path, seats=("human", "human")) as sitting:
            assert sitting.board.port == other.port
            assert sitting.shell.hands_url == other.hands
        assert [found.port for found in simulated.running(tmp_path, "hex3")] == [other.port]
    finally:
        other.end()


async def test_a_port_of_a_simulator_brings_its_hands_along(tmp_path: Path) -> None:
    other = await simulated.start(tmp_path, "hex3")
    try:
        async with sitting_at(tmp_path, seats=("human", "human"), board=other.port) as sitting:
            assert sitting.shell.hands_url == other.hands
    finally:
        other.end()


async def test_an_unfinished_game_goes_on_with_the_seats_that_are_named(tmp_path: Path) -> None:
    other = await simulated.start(tmp_path, "hex3")
    try:
        async with sitting_at(tmp_path, seats=("human", "human")) as sitting:
            await until(sitting, lambda view: view["link"] == "up")
            stone = {"do": "place", "cell": cell_of(sitting, "a1"), "kind": WHITE_STONE}
            await by_hand(sitting, stone)
            await until(sitting, lambda view: len(view["moves"]) == 1)
        async with sitting_at(tmp_path, seats=(None, "bot:easy")) as sitting:
            view = await until(sitting, lambda view: len(view["moves"]) >= 2)
            assert view["moves"][0]["text"] == "a1"
            assert [seat["who"] for seat in view["seats"]] == ["human", "bot:easy"]
        async with sitting_at(tmp_path, options={"size": 2}) as sitting:
            assert sitting.resumed is None, "another game was asked for"
    finally:
        other.end()


async def test_what_was_moved_while_the_host_was_away_is_moved_back(tmp_path: Path) -> None:
    other = await simulated.start(tmp_path, "hex3")
    try:
        # Nobody may take the bot's stone back, so that its absence is a mess and no takeback.
        async with sitting_at(tmp_path, seats=("bot:easy", "human")) as sitting:
            view = await until(sitting, lambda view: len(view["moves"]) == 1)
            first = view["moves"][0]["text"]
            cell = cell_of(sitting, first)
            spare = cell_of(sitting, "c3")
        async with connect(other.hands) as line, asyncio.timeout(LONGEST_S):
            await line.send(json.dumps({"do": "lift", "cell": cell}))
            await line.send(json.dumps({"do": "place", "cell": spare, "kind": WHITE_STONE}))
            async for message in line:
                heard = json.loads(message)
                if heard["type"] == "world" and heard["kinds"][spare] == WHITE_STONE:
                    break
        async with sitting_at(tmp_path, seats=BOTS) as sitting:
            view = await until(sitting, lambda view: len(view["moves"]) == 3)
            assert view["moves"][0]["text"] == first
            assert (await lying(sitting))[cell] == WHITE_STONE
            assert view["pieces"] == view["sensed"]
    finally:
        other.end()


async def test_a_game_with_a_person_goes_on_on_the_next_simulator(tmp_path: Path) -> None:
    async with sitting_at(tmp_path, seats=("bot:easy", "human")) as sitting:
        view = await until(sitting, lambda view: len(view["moves"]) == 1)
        first, uid = view["moves"][0]["text"], sitting.hello.uid
    assert simulated.running(tmp_path, "hex3") == []
    async with sitting_at(tmp_path, seats=(None, None)) as sitting:
        assert sitting.hello.uid == uid, "it is the same board again"
        assert sitting.resumed is not None
        hands = sitting.shell._hands
        assert hands is not None
        view = await until(
            sitting, lambda view: hands.done > 0 and view["sensed"] == view["pieces"]
        )
        assert [move["text"] for move in view["moves"]] == [first]
        assert (await lying(sitting))[cell_of(sitting, first)] == WHITE_STONE


async def test_a_game_among_bots_ends_with_its_simulator(tmp_path: Path) -> None:
    async with sitting_at(tmp_path, seats=BOTS) as sitting:
        await until(sitting, lambda view: len(view["moves"]) == 1)
    async with sitting_at(tmp_path, seats=BOTS) as sitting:
        assert sitting.resumed is None


async def test_a_simulator_that_dies_is_started_again_and_play_goes_on(tmp_path: Path) -> None:
    async with sitting_at(tmp_path, seats=BOTS) as sitting:
        await until(sitting, lambda view: len(view["moves"]) == 1)
        first = sitting.simulator
        assert first is not None
        assert first.process is not None
        first.process.kill()
        await until(sitting, lambda view: view["link"] == "lost")
        moves = len(sitting.shell.view()["moves"])
        await until(sitting, lambda view: view["link"] == "up" and len(view["moves"]) > moves)
        second = sitting.simulator
        assert second is not None
        assert second.uid == first.uid
        assert second.pid != first.pid
        assert sitting.shell.hands_url == second.hands


async def test_a_cable_pulled_in_mid_move_and_put_in_again_costs_no_move(tmp_path: Path) -> None:
    from websockets.asyncio.client import connect

    async with sitting_at(tmp_path, seats=BOTS) as sitting:
        await until(sitting, lambda view: len(view["moves"]) == 2)
        assert sitting.simulator is not None
        async with connect(sitting.simulator.hands, proxy=None) as hands:
            await hands.send('{"do": "cable", "plugged": false}')
            await until(sitting, lambda view: view["link"] == "lost")
            moves = list(sitting.shell.view()["moves"])
            (before,) = simulated.running(tmp_path, "hex3")
            await hands.send('{"do": "cable", "plugged": true}')
            await until(sitting, lambda view: view["link"] == "up")
            after = await until(sitting, lambda view: len(view["moves"]) > len(moves) + 1)
        assert after["moves"][: len(moves)] == moves
        assert sitting.board.statistics.gaps == 0
        assert sitting.board.statistics.heals == 0
        assert before.pid == sitting.simulator.pid


async def test_a_simulator_that_dies_again_and_again_ends_the_table_with_a_word(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("lumiban.cli.sitting.RESTARTS", 0)
    async with sitting_at(tmp_path, seats=BOTS) as sitting:
        await until(sitting, lambda view: len(view["moves"]) == 1)
        assert sitting.simulator is not None
        assert sitting.simulator.process is not None
        sitting.simulator.process.kill()
        with pytest.raises(BoardError, match="Start again"):
            await asyncio.wait_for(sitting.shell.run(), LONGEST_S)


async def test_a_game_that_does_not_exist_or_fit_is_refused_first(tmp_path: Path) -> None:
    with pytest.raises(GameError):
        async with sitting_at(tmp_path, game="chess"):
            pass
    with pytest.raises(BoardError, match="hex5"):
        async with sitting_at(tmp_path, options={"size": 4}):
            pass
    assert simulated.running(tmp_path, "hex3") == []


async def test_a_simulator_that_cannot_start_is_told(tmp_path: Path) -> None:
    with pytest.raises(BoardError, match=r"simulator\.log"):
        await simulated.start(tmp_path, "no-such-profile")
    assert "no-such-profile" in (tmp_path / "simulator.log").read_text()


async def test_hands_do_each_errand_once_and_lift_what_is_in_the_way(tmp_path: Path) -> None:
    simulator = await simulated.start(tmp_path, "hex3", seed=1)
    hands = AssistHands(simulator.hands, eager=True)
    working = asyncio.create_task(hands.run())
    try:
        async with connect(simulator.hands) as line, asyncio.timeout(LONGEST_S):

            async def lies(cell: int, kind: int) -> None:
                async for message in line:
                    heard = json.loads(message)
                    if heard["type"] == "world" and heard["kinds"][cell] == kind:
                        return

            hands.ask(Errand("place", 3, WHITE_STONE, 0.0))
            await lies(3, WHITE_STONE)
            hands.ask(Errand("place", 3, WHITE_STONE, 0.0))
            hands.ask(Errand("place", 4, BLACK_STONE, 0.0))
            await lies(4, BLACK_STONE)
            assert hands.done == 2
            hands.ask(Errand("place", 4, WHITE_STONE, 0.0))
            await lies(4, 0)
            await lies(4, WHITE_STONE)
            assert hands.done >= 4, "the wrong stone was lifted first"
            hands.ask(Errand("lift", 4, 0, 0.0))
            await lies(4, 0)
            hands.ask(None)
            done = hands.done
            async with connect(simulator.hands) as other:
                await other.send(json.dumps({"do": "place", "cell": 5, "kind": BLACK_STONE}))
            await lies(5, BLACK_STONE)
            assert hands.done == done, "nothing was asked"
    finally:
        working.cancel()
        await asyncio.wait([working])
        simulator.end()


async def test_hands_take_away_what_lies_where_the_game_has_no_cell(tmp_path: Path) -> None:
    simulator = await simulated.start(tmp_path, "hex3", seed=1)
    hands = AssistHands(simulator.hands, eager=True)
    working = asyncio.create_task(hands.run())
    try:
        async with connect(simulator.hands) as line, asyncio.timeout(LONGEST_S):

            async def lie(*cells: int) -> None:
                async for message in line:
                    heard = json.loads(message)
                    kinds = heard["kinds"] if heard["type"] == "world" else ()
                    if heard["type"] == "world" and cells == tuple(
                        c for c in range(19) if kinds[c]
                    ):
                        return

            for cell in (0, 9, 18):
                await line.send(json.dumps({"do": "place", "cell": cell, "kind": BLACK_STONE}))
            await lie(0, 9, 18)
            hands.tidy([0, 1, 18])
            await lie(9)
            await line.send(json.dumps({"do": "place", "cell": 1, "kind": BLACK_STONE}))
            await lie(1, 9)
            await lie(9)
            hands.ask(Errand("lift", 9, 0, 0.0))
            await lie()
    finally:
        working.cancel()
        await asyncio.wait([working])
        simulator.end()


async def test_a_smaller_game_leaves_no_stones_beside_it(tmp_path: Path) -> None:
    async with sitting_at(tmp_path, seats=("human", "human")) as sitting:
        await until(sitting, lambda view: view["link"] == "up")
        edge = cell_of(sitting, "a1")
        await by_hand(sitting, {"do": "place", "cell": edge, "kind": WHITE_STONE})
        await until(sitting, lambda view: len(view["moves"]) == 1)
        message = {"do": "new", "game": "control", "options": {"size": 2}}
        assert await sitting.shell.command({**message, "seats": ["human", "human"]}, "host") is None
        assert edge not in sitting.shell.session.match.placing.board
        async with asyncio.timeout(LONGEST_S):
            while any(await lying(sitting)):
                pass


def test_only_sizes_that_fit_the_board_are_offered() -> None:
    from lumiban.boards import profile as profiles

    for name, sizes, opening in (("hex5", [2, 3, 4, 5], 5), ("hex3", [2, 3], 3)):
        hello = greeting(profiles.load(name), simulated=True)
        (control,) = (game for game in hello["games"] if game["slug"] == "control")
        options = {option["name"]: option for option in control["options"]}
        assert (options["size"]["values"], options["size"]["default"]) == (sizes, opening)
        assert options["opening"]["values"] == ["perimeter", "free", "pie2", "12*"]


def test_the_greeting_holds_what_the_page_is_promised() -> None:
    from lumiban import games
    from lumiban.boards import profile as profiles
    from lumiban.boards.layout import lay

    hello = json.loads(json.dumps(greeting(profiles.load("hex5"), simulated=True)))
    assert hello["simulated"] is True
    assert hello["languages"] == ["en", "ja"]
    assert hello["levels"] == ["gentle", "easy", "medium", "hard", "strong"]
    assert len(hello["profile"]["cells"]) == 61
    assert hello["profile"]["cells"][-1]["name"] == "a5"
    assert sorted(hello["profile"]["cells"][0]) == ["light", "name", "q", "r", "x", "y"]
    offered = [game["slug"] for game in hello["games"]]
    assert "control" in offered
    for slug in games.available():
        if slug not in offered:
            with pytest.raises(BoardError):
                lay(games.load(slug).grid, profiles.load("hex5"))


async def test_a_stone_on_its_way_is_carried_back_when_nobody_asks_for_it_any_more(
    tmp_path: Path,
) -> None:
    simulator = await simulated.start(tmp_path, "hex3", seed=1)
    hands = AssistHands(simulator.hands, eager=True)
    working = asyncio.create_task(hands.run())
    try:
        async with connect(simulator.hands) as line, asyncio.timeout(LONGEST_S):

            async def shown(held: bool) -> None:
                async for message in line:
                    heard = json.loads(message)
                    assert heard["type"] != "world" or heard["kinds"][3] == 0, "it was set down"
                    if heard["type"] == "hands" and bool(heard["hands"]) == held:
                        return

            await shown(False)
            hands.ask(Errand("place", 3, BLACK_STONE, 0.0))
            await shown(True)
            hands.ask(None, void=True)
            await shown(False)
    finally:
        working.cancel()
        await asyncio.wait([working])
        simulator.end()

"""The shell: board, journal, bots, hands and page joined in one loop, over a real serial line."""

from __future__ import annotations

import asyncio
import errno
import gc
import json
import os
import signal
import sys
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from lumiban.boards.types import Connected, Lost
from lumiban.errors import JournalError, LumibanError
from lumiban.games.base import BLACK, WHITE
from lumiban.runtime.hands import PREPARE, Errand
from lumiban.system.disk import Disk
from lumiban.table import record
from lumiban.table.journal import JournalFile
from lumiban.table.phase import BOT
from lumiban.table.requests import (
    ConfirmRequest,
    HintRequest,
    NewGameRequest,
    SeatRequest,
    WordRequest,
    request_of,
)
from lumiban.table.resume import resume
from lumiban.table.standstill import STILL
from lumiban.table.types import Settings
from lumiban.table.view_fields import TableView
from shown import as_page_has_it
from sitting_bench import BOTS, WHITE_STONE, by_hand, cell_of, lying, sitting_at, until

pytestmark = pytest.mark.process


async def test_two_bots_play_a_whole_game_over_a_real_serial_line(tmp_path: Path) -> None:
    async with sitting_at(tmp_path, seats=BOTS, options={"size": 2}) as sitting:
        assert sitting.board.port.startswith("/dev/")
        await until(sitting, lambda view: view["outcome"] is not None)
        (finished,) = sitting.shell.finished
        match = sitting.shell.session.match
        pieces = [int(kind) for kind in match.history.game.pieces(match.history.position)]
        on_board = await lying(sitting)
        assert [on_board[cell] for cell in match.placing.board] == pieces
    assert record.verify(finished.record) == finished.outcome
    assert {move["by"] for move in finished.record["moves"]} == {"machine"}
    (kept,) = (tmp_path / "records").iterdir()
    assert json.loads(kept.read_text("utf-8")) == finished.record
    (path,) = (tmp_path / "journals").glob("*.journal")
    back = resume(path, mends=False)
    assert back.is_over
    assert [str(move) for move in back.history.moves] == [
        move["text"] for move in finished.record["moves"]
    ]
    kept.unlink()  # as if it had been killed before that
    async with sitting_at(tmp_path, seats=BOTS, options={"size": 2}):
        assert json.loads(kept.read_text("utf-8")) == finished.record
    # Each stone was sensed by the firmware before it was a move.
    times = [move["at_us"] for move in finished.record["moves"]]
    assert times == sorted(times)


async def test_of_games_that_bots_play_in_a_loop_the_last_is_kept_and_its_board_cleared(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    there = tmp_path / "records" / "somebody-wanted-this.json"
    there.parent.mkdir()
    there.write_text("{}", "utf-8")
    loop = Settings(rematch_us=100_000)
    async with sitting_at(tmp_path, seats=BOTS, options={"size": 2}, settings=loop) as sitting:
        hands = sitting.shell._hands
        assert hands is not None
        asked, ask = [], hands.ask

        def noted(errand: Errand | None, *, void: bool = False) -> None:
            asked.append(errand)
            ask(errand, void=void)

        monkeypatch.setattr(hands, "ask", noted)
        await until(sitting, lambda view: len(sitting.shell.finished) >= 3)
    assert any(errand and errand.do == PREPARE for errand in asked), "several hands clear the board"
    kept = {path.stem for path in there.parent.iterdir()} - {there.stem}
    journals = {path.stem for path in (tmp_path / "journals").glob("*.journal")}
    assert there.exists()
    assert len(kept) == 1
    assert kept <= journals
    assert len(journals) <= 2, "the last, and the one that is played"


async def test_a_bot_s_process_that_hangs_is_ended_told_logged_and_the_game_goes_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("lumiban.table.standstill.MACHINE_TIMEOUT_US", 8_000_000)
    async with sitting_at(tmp_path, seats=BOTS) as sitting:
        hung: list[str] = []
        sitting.shell.hung = hung.append
        await until(sitting, lambda view: len(view["moves"]) > 0)
        worker = sitting.worker.pid
        assert worker is not None
        os.kill(worker, signal.SIGSTOP)
        await until(sitting, lambda view: bool(hung))
        moves = len(as_page_has_it(sitting.shell.view())["moves"])
        assert hung == [STILL + BOT]
        assert sitting.worker.pid != worker
        await until(sitting, lambda view: len(view["moves"]) > moves)
        recorder = sitting.recorder
        assert recorder is not None
        log = (tmp_path / "host.log").read_text("utf-8").splitlines()
        (told,) = (one for one in map(json.loads, log) if one["event"] == "the table hung")
        assert told["flight"] == str(recorder.path)


async def test_losses_and_returns_of_the_board_stand_in_the_log_once_each(tmp_path: Path) -> None:
    async with sitting_at(tmp_path) as sitting:
        await until(sitting, lambda view: view["link"] == "up")
        sitting.shell.heard([Lost("silent", "x"), Lost("absent")])
        await until(sitting, lambda view: view["link"] != "up")
        sitting.shell.heard([Connected(sitting.hello)])
        told = [json.loads(line) for line in (tmp_path / "host.log").read_text().splitlines()]
        lines = [one for one in told if one["event"] in ("board lost", "board back")]
        assert [(one["event"], one.get("reason")) for one in lines] == [
            ("board lost", "silent"),
            ("board back", None),
        ]


async def test_a_person_sets_a_stone_and_the_bot_answers_by_a_hand(tmp_path: Path) -> None:
    async with sitting_at(tmp_path, seats=("human", "bot:easy")) as sitting:
        await until(sitting, lambda view: view["link"] == "up")
        cell = cell_of(sitting, "a1")
        await by_hand(sitting, {"do": "place", "cell": cell, "kind": WHITE_STONE})
        view = await until(sitting, lambda view: len(view["moves"]) == 2)
        assert (view["moves"][0]["side"], view["moves"][0]["text"]) == (WHITE, "a1")
        assert view["moves"][1]["side"] == BLACK
        assert view["to_move"] == [WHITE]


async def test_hands_that_rest_leave_the_board_alone_until_they_may_work_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with sitting_at(tmp_path, seats=BOTS, options={"size": 2}) as sitting:
        asked: list[Errand | None] = []
        assert sitting.shell._hands is not None
        monkeypatch.setattr(sitting.shell._hands, "ask", lambda errand, **_: asked.append(errand))
        sitting.shell.rest_hands(True)
        await until(sitting, lambda view: bool(view["prompt"]["steps"]))
        assert set(asked) == {None}
        sitting.shell.rest_hands(False)
        assert isinstance(asked[-1], Errand)


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
        refused = await sitting.shell.command(NewGameRequest("control", {"size": 3}, BOTS), "host")
        assert refused is None
        # Bots may begin only when the stone of the old game has gone.
        view = await until(sitting, lambda view: len(view["moves"]) == 1)
        assert view["moves"][0]["side"] == WHITE
        first = sitting.shell.session.match.history.moves[0]
        board = await lying(sitting)
        assert sum(kind != 0 for kind in board) <= 2
        assert board[cell_of(sitting, str(first))] == WHITE_STONE
    assert len(list((tmp_path / "journals").glob("*.journal"))) == 2


async def test_all_that_is_to_be_set_up_lies_there_at_once(tmp_path: Path) -> None:
    async with sitting_at(
        tmp_path, game="doves", options={}, profile="grid9x9", seats=("human", "human")
    ) as sitting:
        await until(sitting, lambda view: view["link"] == "up" and view["sensed"] == view["pieces"])
        hands = sitting.shell._hands
        assert hands is not None
        # Twelve doves, by as many messages as there were pictures on the way: one, mostly.
        assert hands.done <= 4
        assert sum(map(bool, await lying(sitting))) == 12


async def test_a_message_that_cannot_be_followed_is_answered_and_changes_nothing(
    tmp_path: Path,
) -> None:
    async with sitting_at(tmp_path, seats=("human", "human")) as sitting:
        before = await until(sitting, lambda view: view["link"] == "up")
        answer = await sitting.shell.command(request_of("dance", {}), "host")
        assert answer is not None
        assert answer["id"] == "table.strange-command"
        answer = await sitting.shell.command(SeatRequest(9, "human"), "host")
        assert answer is not None
        after = as_page_has_it(sitting.shell.view())
        assert {**after, "v": 0, "line": {}} == {**before, "v": 0, "line": {}}


async def test_who_leaves_hears_no_more_views(tmp_path: Path) -> None:
    async with sitting_at(tmp_path, seats=("human", "human")) as sitting:
        await until(sitting, lambda view: view["link"] == "up")
        heard: list[TableView] = []
        leave = sitting.shell.watch(heard.append)
        await sitting.shell.command(HintRequest("none"), "host")
        assert [view.hint for view in heard] == ["none"]
        leave()
        leave()
        await sitting.shell.command(HintRequest("legal"), "host")
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


class FailingDisk(Disk):
    def __init__(self, error: int) -> None:
        super().__init__()
        self.error = error

    def sync(self, file: int) -> None:
        if self.error:
            raise OSError(self.error, os.strerror(self.error))
        super().sync(file)


async def test_a_broken_disk_stops_the_table_with_a_word(tmp_path: Path) -> None:
    async with sitting_at(
        tmp_path, seats=BOTS, opener=partial(JournalFile, disk=FailingDisk(errno.EIO))
    ) as sitting:
        with pytest.raises(JournalError, match="Input/output error"):
            await sitting.shell.run()


async def test_what_is_not_kept_in_the_last_moments_is_told_too(tmp_path: Path) -> None:
    disk = FailingDisk(0)
    # Two people: bots may have played to the end by then, and then nobody can resign.
    people, opener = ("human", "human"), partial(JournalFile, disk=disk)
    async with sitting_at(tmp_path, seats=people, opener=opener) as sitting:
        disk.error = errno.EIO
        sitting.shell.stop()
        await sitting.shell.run()
        await sitting.shell.command(WordRequest(0, "resign"), "host")
    assert "start again: the game goes on" in str(sitting.shell.lost)


async def test_on_a_full_disk_a_table_waits_for_room_and_plays_on(tmp_path: Path) -> None:
    disk = FailingDisk(0)
    async with sitting_at(tmp_path, seats=BOTS, opener=partial(JournalFile, disk=disk)) as sitting:
        await until(sitting, lambda view: len(view["moves"]) >= 1)
        disk.error = errno.ENOSPC
        view = await until(
            sitting, lambda view: (view["verdict"]["text"] or {"id": ""})["id"] == "table.no-room"
        )
        assert view["verdict"]["text"]["params"] == {"folder": str(tmp_path)}
        stood = view["moves"]
        refused = await sitting.shell.command(WordRequest(0, "resign"), "host")
        assert refused is not None
        assert refused["id"] == "table.no-room"
        assert as_page_has_it(sitting.shell.view())["moves"] == stood
        disk.error = 0
        view = await until(sitting, lambda view: len(view["moves"]) > len(stood) + 1)
        assert view["moves"][: len(stood)] == stood


async def test_a_fault_of_ours_stops_the_table_instead_of_playing_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with sitting_at(tmp_path, seats=("human", "human")) as sitting:
        await until(sitting, lambda view: view["link"] == "up")

        def broken(*_: Any) -> None:
            raise ZeroDivisionError

        monkeypatch.setattr(sitting.shell.session, "step", broken)
        with pytest.raises(ZeroDivisionError):
            await sitting.shell.command(ConfirmRequest(), "host")
        with pytest.raises(LumibanError, match=r"host\.log"):
            await sitting.shell.run()


async def test_stop_ends_the_run(tmp_path: Path) -> None:
    async with sitting_at(tmp_path, seats=("human", "human")) as sitting:
        running = asyncio.create_task(sitting.shell.run())
        sitting.shell.stop()
        sitting.shell.stop()
        await running


async def test_a_smaller_game_leaves_no_stones_beside_it(tmp_path: Path) -> None:
    async with sitting_at(tmp_path, seats=("human", "human")) as sitting:
        await until(sitting, lambda view: view["link"] == "up")
        edge = cell_of(sitting, "a1")
        await by_hand(sitting, {"do": "place", "cell": edge, "kind": WHITE_STONE})
        await until(sitting, lambda view: len(view["moves"]) == 1)
        request = NewGameRequest("control", {"size": 2}, ("human", "human"))
        assert await sitting.shell.command(request, "host") is None
        assert edge not in sitting.shell.session.match.placing.board
        while any(await lying(sitting)):
            pass


async def test_while_a_page_is_served_no_thread_holds_a_stone_up(tmp_path: Path) -> None:
    usual = sys.getswitchinterval()
    async with sitting_at(tmp_path, seats=("human", "human")) as sitting:
        sitting.shell.attend()
        assert sys.getswitchinterval() <= 0.001
        assert gc.get_freeze_count() > 10_000
        assert sitting.worker.pid is None, "two people need no thinking process"
    assert sys.getswitchinterval() == usual
    assert gc.get_freeze_count() == 0

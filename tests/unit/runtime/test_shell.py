"""The shell: board, journal, bots, hands and page joined in one loop, over a real serial line."""

from __future__ import annotations

import errno
import json
import os
import signal
from functools import partial
from pathlib import Path

import pytest
from lumiban.games.base import BLACK, WHITE
from lumiban.system.disk import Disk
from lumiban.table import record
from lumiban.table.journal import JournalFile
from lumiban.table.phase import BOT
from lumiban.table.requests import (
    WordRequest,
)
from lumiban.table.resume import resume
from lumiban.table.standstill import STILL
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


async def test_a_person_sets_a_stone_and_the_bot_answers_by_a_hand(tmp_path: Path) -> None:
    async with sitting_at(tmp_path, seats=("human", "bot:easy")) as sitting:
        await until(sitting, lambda view: view["link"] == "up")
        cell = cell_of(sitting, "a1")
        await by_hand(sitting, {"do": "place", "cell": cell, "kind": WHITE_STONE})
        view = await until(sitting, lambda view: len(view["moves"]) == 2)
        assert (view["moves"][0]["side"], view["moves"][0]["text"]) == (WHITE, "a1")
        assert view["moves"][1]["side"] == BLACK
        assert view["to_move"] == [WHITE]


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

"""The shell: board, journal, bots, hands and page joined in one loop, over a real serial line."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from lumiban.table import record
from lumiban.table.resume import resume
from lumiban.table.types import Finished
from sitting_bench import BOTS, lying, sitting_at, until

pytestmark = pytest.mark.process


async def test_two_bots_play_a_whole_game_over_a_real_serial_line(tmp_path: Path) -> None:
    async with sitting_at(tmp_path, seats=BOTS, options={"size": 2}) as sitting:
        assert sitting.board.port.startswith("/dev/")
        ends: list[Finished] = []
        sitting.shell.ended = ends.append
        await until(sitting, lambda view: view["outcome"] is not None)
        (finished,) = ends
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

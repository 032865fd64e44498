"""Evening with turns on a whole table in virtual time: hands, firmware, session, bots, record."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from lumiban.table import record
from lumiban.table.resume import resume
from virtual_table import VirtualTable

FORMS: list[dict[str, int | str]] = [
    {"size": 3, "tie": "odd-even"},
    {"size": 3, "sees": "sight", "wins": "stones"},
    {"size": 3, "opening": "pie"},
]


@pytest.mark.parametrize("options", FORMS)
def test_two_bots_play_a_whole_game_whose_record_replays(
    options: dict[str, int | str], tmp_path: Path
) -> None:
    table = VirtualTable(
        game="evening",
        options={"turns": "trailing", **options},
        seats=("bot:easy", "bot:easy"),
        seed=4,
    )
    table.run(lambda table: bool(table.finished))
    history = table.session.match.history
    assert len(history.moves) >= 6
    finished = table.finished[0]
    assert finished.outcome.reason == "no-move"
    assert finished.outcome == record.verify(json.loads(json.dumps(finished.record)))
    table.rest()
    assert table.session.match.sensed.kinds == history.game.pieces(history.position)
    journal = tmp_path / "evening.journal"
    journal.write_bytes(bytes(table.journals[0]))
    resumed = resume(journal).history
    assert resumed.game == history.game
    assert [str(m) for m in resumed.moves] == [str(m) for m in history.moves]

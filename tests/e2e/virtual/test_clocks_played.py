"""Whole games with clocks in virtual time: all five, the clock of a game without turns, its end."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from lumiban.games.base import Kind
from lumiban.table import record
from lumiban.table.resume import resume
from virtual_table import VirtualTable

W, B = int(Kind.WHITE), int(Kind.BLACK)
BOTS = ("bot:easy", "bot:easy")
GAMES: dict[str, dict[str, Any]] = {
    "control": {"profile": "hex3", "options": {"size": 3}},
    "evening": {"profile": "hex3", "options": {"size": 3}},
    "trivia": {"profile": "grid9x9", "options": {"size": 3}},
    "doves": {"profile": "grid9x9", "options": {}},
    "rengi": {"profile": "grid13x14", "options": {"mode": "free", "list": "RB,YG"}},
}
CLOCKS = {"evening": "sudden:10m", "rengi": "hand:0s+15s+5m", "trivia": "byo:5s+3x20s"}


def over(table: VirtualTable) -> bool:
    return bool(table.finished)


def by_journal(table: VirtualTable, folder: Path) -> Any:
    path = folder / "game.journal"
    path.write_bytes(bytes(table.journals[0]))
    return resume(path, mends=False).history


def check(table: VirtualTable, folder: Path) -> None:
    """Record and journal of a finished game tell the same times, and they fit the control."""
    (finished,) = table.finished
    document = json.loads(json.dumps(finished.record))
    assert record.verify(document) == finished.outcome
    history, back = table.session.history, by_journal(table, folder)
    assert back.outcome == finished.outcome
    assert back.clock.left == history.clock.left
    assert [one.spent_ms for one in back.played] == [one.spent_ms for one in history.played]


@pytest.mark.slow
@pytest.mark.parametrize("game", GAMES)
def test_each_game_is_played_to_its_end_with_a_clock(game: str, tmp_path: Path) -> None:
    clock = CLOCKS.get(game, "5+3")
    table = VirtualTable(
        game=game,
        seats=BOTS,
        playouts=2,
        clock=clock,
        assists=("machine", "mend"),
        **GAMES[game],
    )
    table.run(over, 3_000_000_000)
    table.rest()
    check(table, tmp_path)
    document = table.finished[0].record
    assert document["clock"] == clock
    assert document["result"]["reason"] != "time"


def evening(clock: str, **more: Any) -> VirtualTable:
    return VirtualTable(game="evening", options={"size": 3}, clock=clock, **more)

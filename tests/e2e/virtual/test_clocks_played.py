"""Whole games with clocks in virtual time: all five, the clock of a game without turns, its end."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from lumiban.games.base import Kind
from lumiban.table import record
from lumiban.table.history import BY_CLOCK
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


def test_the_clock_of_a_game_without_turns_counts_from_its_first_stone(tmp_path: Path) -> None:
    """When it has run out both stand, and the rules say who has won."""
    table = evening("sudden:30s")
    table.rest(60_000_000)
    assert not table.finished
    assert table.view["clock"]["running"] is None
    table.place("c3", W)
    assert table.view["clock"]["running"] == 0
    assert len(table.view["clock"]["clocks"]) == 1
    began = table.session.history.played[0].at_us
    table.run(over, 40_000_000)
    (finished,) = table.finished
    history = table.session.history
    assert {one.by for one in history.played[1:]} == {BY_CLOCK}
    assert all(one.at_us == began // 1000 * 1000 + 30_000_000 for one in history.played[1:])
    assert (finished.outcome.winner, finished.outcome.reason) == (0, "evening.larger-groups")
    check(table, tmp_path)


def test_a_time_out_stops_the_games_clock_until_its_last_beat(tmp_path: Path) -> None:
    table = evening("sudden:60s")
    table.place("c3", W)
    cell = table.session.game.grid.names[table.view["open"][1][0]]
    table.place(cell, B)
    assert len(table.session.history.played) == 2
    for name in ("c3", cell):
        table.lift(name)
    assert table.view["timeout"] is not None
    clock = table.session.history.clock
    assert clock is not None
    assert not clock.is_running
    stood = clock.spent_ms
    table.rest(40_000_000)
    assert clock.spent_ms == stood
    table.place("c3", W)
    table.place(cell, B)
    for side in (0, 1):
        assert table.command("confirm", side=side) is None
    table.run(lambda table: table.view["timeout"] is None, 10_000_000)
    assert clock.is_running
    table.run(over, 80_000_000)
    check(table, tmp_path)


def test_a_turn_of_three_stones_has_one_period(tmp_path: Path) -> None:
    """In Trivia a period is whole again after the turn, not after each of its stones."""
    table = VirtualTable(game="trivia", profile="grid9x9", options={"size": 3}, clock="byo:2x20s")
    table.place("a1", W)
    table.rest(8_000_000)
    table.place("b1", B)
    table.rest(8_000_000)
    table.place("c1", B)
    spent = [one.spent_ms for one in table.session.history.played]
    assert spent[0] == 0
    assert 8_000 <= spent[1] < 15_000 <= spent[2] < 40_000
    clock = table.session.history.clock
    assert clock is not None
    assert clock.left[1].periods == 2, "the turn is not over"
    table.rest(6_000_000)
    table.place("a2", int(Kind.NEUTRAL))
    assert table.session.history.clock_side == 0
    assert clock.left[1].periods == 1, "it took more than one period"
    assert clock.left[0].periods == 2
    check_spent = table.session.history.played[-1].spent_ms
    assert check_spent > 20_000
    table.run(over, 60_000_000)
    assert table.finished[0].outcome.reason == "time"
    check(table, tmp_path)

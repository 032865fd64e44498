"""Trivia on a square board in virtual time: three kinds of piece, hands, firmware, referee."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from lumiban.games.base import Kind
from lumiban.table import record
from lumiban.table.resume import resume
from virtual_table import VirtualTable

BOTS = ("bot:easy", "bot:easy")
W, B, R = 1, 2, 3


def over(table: VirtualTable) -> bool:
    return bool(table.finished)


def trivia(size: int, *seats: str, seed: int = 1) -> VirtualTable:
    return VirtualTable(
        profile="grid9x9",
        game="trivia",
        options={"size": size},
        seats=seats or ("human", "human"),
        seed=seed,
        playouts=4,
    )


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(2))
def test_two_bots_play_9x9_to_its_end(seed: int, tmp_path: Path) -> None:
    table = trivia(9, *BOTS, seed=seed)
    table.run(over)
    table.rest()
    history = table.session.match.history
    kinds = table.session.match.sensed.kinds
    assert kinds == history.game.pieces(history.position)
    assert [kinds.count(kind) for kind in (Kind.WHITE, Kind.BLACK, Kind.NEUTRAL)] == [27, 28, 26]
    assert [move.side for move in history.moves[:8]] == [0, 1, 1, 1, 0, 0, 0, 1]
    # The record and the journal say the same, and nobody was ever scolded.
    finished = table.finished[0]
    assert finished.outcome.reason == "full-board"
    assert finished.outcome == record.verify(json.loads(json.dumps(finished.record)))
    path = tmp_path / "game.journal"
    path.write_bytes(bytes(table.journals[0]))
    assert resume(path).history.moves == history.moves
    assert {view["verdict"]["kind"] for view in table.views} <= {"agree", "wait"}


def test_the_light_differs_where_only_the_red_stone_may_go() -> None:
    def looks(table: VirtualTable) -> set[tuple[int, int]]:
        cell = table.session.match.history.game.grid.cell("c1")
        return {tuple(table.view["lights"][table.view["game"]["cells"][cell]])}

    table = trivia(3)
    table.rest()
    table.place("b2", W)
    own = looks(table)
    table.place("a1", B)
    table.place("a2", B)
    assert looks(table) != own

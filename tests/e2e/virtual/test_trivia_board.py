"""Trivia on a square board in virtual time: three kinds of piece, hands, firmware, referee."""

from __future__ import annotations

import json
import random
from pathlib import Path

import pytest
from lumiban.games.base import Kind
from lumiban.table import record
from lumiban.table.resume import resume
from lumiban.table.types import Refuse, Repair
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


def test_a_small_game_is_played_in_the_middle_of_the_board() -> None:
    table = trivia(3, *BOTS)
    table.run(over)
    used = set(table.session.match.placing.board)
    assert {(cell // 9, cell % 9) for cell in used} == {
        (r, c) for r in (3, 4, 5) for c in (3, 4, 5)
    }
    for _, show in table.shows:
        dark = [c for c in range(81) if c not in used]
        assert all(show.frame.lights[table.board.cells[c].light][0] == 0 for c in dark)


def test_people_place_the_stones_of_a_turn_in_any_order_and_wrong_ones_are_refused() -> None:
    table = trivia(3)
    table.place("b2", W)
    table.place("a1", R)
    table.place("a2", R)
    verdict = table.view["verdict"]
    assert (verdict["kind"], verdict["text"]["id"]) == ("refuse", "refusal.trivia.own-is-left")
    assert verdict["cells"] == [table.session.match.history.game.grid.cell("a1")]
    table.lift("a2")
    table.place("a2", B)
    table.place("a3", B)
    assert [move["text"] for move in table.view["moves"]] == ["b2", "red a1", "a2", "a3"]
    assert table.view["to_move"] == [0]
    table.place("c3", B)
    assert table.view["verdict"]["text"]["id"] == "refusal.trivia.not-your-turn"
    table.lift("c3")
    assert table.view["verdict"]["kind"] == "agree"


def test_the_last_stone_goes_back_and_becomes_another_kind() -> None:
    table = trivia(3)
    table.place("b2", W)
    table.place("a1", B)
    table.lift("a1")
    assert [move["text"] for move in table.view["moves"]] == ["b2"]
    table.place("a1", R)
    assert [move["text"] for move in table.view["moves"]] == ["b2", "red a1"]
    assert table.view["to_move"] == [1]


def test_the_view_tells_which_kinds_are_still_to_place() -> None:
    def told(table: VirtualTable) -> tuple[list[int], list[list[int]]]:
        return table.view["legal"]["kinds"], table.view["owing"]

    table = trivia(3)
    table.rest()
    assert table.view["game"]["kinds"] == [W, B, R]
    assert told(table) == ([W], [[W, 1]])
    table.place("b2", W)
    assert told(table) == ([B, R], [[B, 2], [R, 1]])
    table.place("a1", B)
    assert told(table) == ([B, R], [[B, 1], [R, 1]])
    table.place("a2", B)
    assert told(table) == ([R], [[R, 1]])
    table.place("a3", R)
    assert told(table) == ([W, R], [[W, 2], [R, 1]])


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


def test_a_person_and_a_bot_alternate_turns_of_three() -> None:
    table = trivia(3, "human", "bot:easy")
    table.place("b2", W)
    table.run(lambda t: len(t.view["moves"]) == 4)
    table.rest()
    assert table.view["to_move"] == [0]
    free = [n for n, kind in zip(
        table.session.match.history.game.grid.names, table.view["pieces"], strict=True
    ) if kind == 0]  # fmt: skip
    for name, kind in zip(free, (W, R, W), strict=False):
        table.place(name, kind)
    table.run(over)
    assert len(table.view["moves"]) == 9


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(6))
def test_a_person_who_does_everything_wrong_is_led_back(seed: int) -> None:
    """Random hands with all three kinds; following the table's steps always ends in agreement."""
    chance = random.Random(seed)
    table = trivia(4, "human", "bot:easy", seed=seed)
    table.assists = ()
    table.place("b2", W)
    for _ in range(16):
        name = chance.choice(table.session.match.history.game.grid.names)
        assert table.rig is not None
        if table.rig.kinds[table.cell(name)]:
            table.lift(name)
        else:
            table.place(name, chance.choice([W, B, R]))
    for _ in range(80):
        if table.session.match.outcome is not None or not table.prompt.steps:
            break
        step = table.prompt.steps[0]
        name = table.session.match.history.game.grid.names[step.cell]
        if step.do == "lift":
            table.lift(name)
        else:
            table.place(name, step.kind)
        if not table.prompt.steps:
            table.rest(3_000_000)
    match = table.session.match
    assert not isinstance(match.verdict, Refuse | Repair)
    assert match.outcome is not None or match.movers == (0,)

"""What is lifted, swept off, put back or awaited: mended without a move too many or too few."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import pytest
from lumiban.games.base import Complete
from lumiban.table.resume import resume
from lumiban.table.types import Settings
from virtual_play import SECOND_US, moves, on_disk, play, removable
from virtual_table import VirtualTable


def test_a_swept_board_is_mended_without_taking_a_move_back() -> None:
    table = VirtualTable()
    play(table, ("e3", 1), ("c3", 2), ("e2", 1), ("a1", 2))
    before = moves(table)
    assert len(before) == 4
    rig = table.rig
    assert rig is not None
    # Swept off together: the last stone's lift is told last.
    for late, name in enumerate(("e3", "c3", "e2", "a1")):
        rig.hands.lift(table.cell(name), hand=name, touch_us=table.now_us + 400_000 + 9_000 * late)
    table.run(lambda t: rig.hands.idle)
    table.rest(SECOND_US)
    names = table.session.match.history.game.grid.names
    while table.prompt.steps:
        step = table.prompt.steps[0]
        table.place(names[step.cell], step.kind)
        assert moves(table) == before
    assert table.view["verdict"]["kind"] == "agree"


def test_a_countdown_stops_while_something_is_to_be_mended_and_begins_anew() -> None:
    table = removable(("human", "bot:easy"))
    table.lift("c3")
    assert table.view["pending"]["move"] == "xc3"
    table.place("c5", 2)
    assert table.view["verdict"]["kind"] == "refuse"
    assert table.session.next_deadline() is None, "nothing may keep the host busy meanwhile"
    table.rest(4 * SECOND_US)
    assert "xc3" not in moves(table)
    table.lift("c5")
    assert table.view["pending"]["move"] == "xc3"
    assert moves(table)[-1] == "d4"
    table.rest(2 * SECOND_US)
    assert moves(table)[6] == "xc3"


def test_an_end_that_the_journal_did_not_hold_is_kept_on_coming_back(tmp_path: Path) -> None:
    table = VirtualTable()
    play(table, ("a1", 1), ("c3", 2))
    assert table.command("word", side=0, word="resign") is None
    whole = bytes(table.journals[-1])
    path = tmp_path / "cut.journal"
    path.write_bytes(whole[: whole.rindex(b"\n", 0, len(whole) - 1) + 1])
    back = resume(path)
    assert moves(table)[-1] == str(back.history.moves[-1]) == "resign"
    assert not back.is_over
    again = VirtualTable(rig=table.rig, back=back)
    assert len(again.finished) == 1
    assert on_disk(again, tmp_path).is_over


@pytest.mark.slow
@pytest.mark.parametrize(
    ("seed", "options"),
    [
        (0, {"size": 3}),
        (1, {"size": 3, "opening": "free"}),
        (2, {"size": 3, "opening": "12*"}),
        (3, {"size": 2}),
        (4, {"size": 3, "opening": "12*"}),
    ],
)
def test_undoing_the_last_move_by_hand_is_never_a_move(seed: int, options: dict[str, Any]) -> None:
    """After each move a hand undoes it: it is taken back, and what was put back plays again."""
    chance = random.Random(seed)
    table = VirtualTable(options=options, settings=Settings(grace_us=60 * SECOND_US))
    while table.session.match.outcome is None and len(moves(table)) < 9:
        history = table.session.match.history
        side = history.game.movers(history.position)[0]
        move = chance.choice(history.game.moves(history.position, side))
        before = moves(table)
        ((cell, _, kind),) = history.game.effects(history.position, move)
        name = history.game.grid.name(cell)
        old = int(history.game.pieces(history.position)[cell])
        for _ in range(2):
            if kind:
                table.place(name, int(kind))
            else:
                table.lift(name)
                assert table.command("confirm") is None
            assert moves(table) == [*before, str(move)]
            if table.session.match.outcome is not None:
                return
            undone = history.game.pieces(history.positions[-2])
            assert not isinstance(history.game.read(history.position, undone), Complete)
            if kind:
                table.lift(name)
            else:
                table.place(name, old)
            assert moves(table) == before
            assert table.view["verdict"]["kind"] == "agree"
        (table.place if kind else table.lift)(name, *([int(kind)] if kind else []))
        if not kind:
            table.command("confirm")
        assert moves(table) == [*before, str(move)]

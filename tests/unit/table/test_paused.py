"""What a person sets counts at once; where a board is broken beyond doubt play is paused, with one
sentence in the words of the game, and goes on once it is mended, switched on anew or confirmed."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from lumiban.boards.profile import load
from lumiban.boards.types import Changed
from lumiban.games import mark_kinds
from lumiban.table.free_play import FreePlay
from lumiban.table.types import Agree
from lumiban_sim.faults import parse
from lumiban_sim.rig import Rig
from session_bench import Bench
from thorough import examples
from virtual_table import VirtualTable

BOARD = load("hex8")
ROW = 7
LONG = {cell.channel: n for n, cell in enumerate(BOARD.cells) if cell.row == ROW}
ELSEWHERE = [f"{row}{column}" for row in "acln" for column in (1, 3, 5, 7)]
W, B = 1, 2


@given(
    st.dictionaries(st.sampled_from(sorted(LONG)), st.sampled_from((W, B)), min_size=1, max_size=9),
    st.integers(0, 255),
    st.randoms(use_true_random=False),
)
@settings(max_examples=examples(12))
def test_whatever_stands_there_a_legal_stone_is_played_at_once(
    stones: dict[int, int], unsure: int, order: Any
) -> None:
    """Beside its like, and however unsure its time is."""
    bench = Bench(profile="hex8", size=8, opening="free")
    bench.connect()
    lie = {LONG[channel]: kind for channel, kind in stones.items()}
    more = [*stones.values()].count(W) - [*stones.values()].count(B)
    for name in ELSEWHERE[: abs(more)]:
        lie[BOARD.grid.cell(name)] = B if more > 0 else W
    bench.match.set_up({BOARD.grid.name(cell): kind - 1 for cell, kind in lie.items()}, 0)
    for cell, kind in lie.items():
        bench.put(BOARD.grid.name(cell), kind)
        bench.wait(1_000_000)
    assert isinstance(bench.match.verdict, Agree)
    places = [m.cell for m in bench.match.marks("legal") if m.meaning == mark_kinds.MAY_PLACE]
    if places:
        name = bench.game.grid.name(order.choice(places))
        event = replace(bench.event(name, W), uncertainty_us=unsure * 50)
        bench.step(Changed((event,)))
        assert bench.moves == [name]


def hand(table: VirtualTable, channel: int, kind: int) -> None:
    assert table.rig is not None
    if kind:
        table.rig.hands.place(LONG[channel], kind)
    else:
        table.rig.hands.lift(LONG[channel])
    table.rest(1_500_000)


def obey(table: VirtualTable) -> None:
    """A hand does what is asked until nothing is."""
    assert table.rig is not None
    for _ in range(20):
        if not table.prompt.steps:
            break
        step = table.prompt.steps[0]
        cell = table.session.match.placing.board[step.cell]
        if step.do == "lift":
            table.rig.hands.lift(cell)
        else:
            table.rig.hands.place(cell, step.kind)
        table.rest(1_500_000)


# Without turns.


def evening(plan: str) -> tuple[VirtualTable, FreePlay]:
    table = VirtualTable(
        profile="hex8",
        game="evening",
        options={"size": 8, "sees": "sight"},
        rig=Rig(BOARD, 1, plan=parse(plan, BOARD)),
    )
    match = table.session.match
    assert isinstance(match, FreePlay)
    table.rest(1_500_000)
    return table, match


@pytest.mark.slow
def test_without_turns_play_stops_and_goes_on_once_it_is_mended_and_both_confirm() -> None:
    table, match = evening(f"at 1s for 26s select line S3 of row {ROW}")
    tries = 0
    while not match.paused:
        hand(table, tries % 3, W)
        if not match.paused:
            hand(table, tries % 3, 0)
        tries += 1
        assert tries < 9
    assert match.time_out is not None
    assert table.view["timeout"]["text"] == {"id": "table.paused", "params": {}}
    assert not table.prompt.steps
    table.rest(28_000_000 - table.now_us)
    assert not match.paused
    obey(table)
    assert table.view["timeout"]["text"]["id"] == "table.time-out-ready"
    for side in (0, 1):
        assert table.command("confirm", side=side) is None
    table.rest(3_500_000)
    before = len(match.history.moves)
    hand(table, 5, B)
    assert len(match.history.moves) == before + 1


@pytest.mark.slow
def test_without_turns_one_person_s_word_is_enough_to_play_on_at_a_paused_table() -> None:
    table, match = evening(f"at 1s select line S3 of row {ROW}")
    tries = 0
    while not match.paused:
        hand(table, tries % 3, W)
        if not match.paused:
            hand(table, tries % 3, 0)
        tries += 1
    assert table.command("confirm", side=0) is None
    assert not match.paused
    assert table.view["timeout"]["text"]["id"] != "table.paused"

"""Pieces: what is set down, lifted, slid, dropped and held is told as it was."""

from __future__ import annotations

from itertools import pairwise

import pytest
from contract.benches import KINDS
from contract.tables import Table, standing
from lumiban_fw.wire import BLACK, EMPTY, NEUTRAL, WHITE
from lumiban_sim.hands import Manner, Tempo
from pytest_lumiban.plain_host import Event

pytestmark = pytest.mark.lumiban_hands


def _said(events: list[Event]) -> list[tuple[int, int]]:
    return [(event.cell, event.kind) for event in events]


@pytest.mark.lumiban_needs(KINDS)
@pytest.mark.parametrize("first", [0, 1])
def test_two_placements_one_frame_apart_are_told_in_order_or_as_a_tie(
    table: Table, first: int
) -> None:
    board, host = table.hosted(seed=3)
    at = board.now_us + 900_000
    swift = Tempo(touch=(0.3, 0.3))
    cells = (4, 14)
    for n, (cell, kind) in enumerate(zip(cells, (WHITE, NEUTRAL), strict=True)):
        later = 0 if n == first else 1_000
        board.hands.place(cell, kind, hand=f"hand {n}", touch_us=at + later, tempo=swift)
    host.wait(lambda: len(host.events) == 2, what="event")
    one, other = sorted(host.events, key=lambda event: event.cell != cells[first])
    surely = one.uncertainty_us + other.uncertainty_us
    assert one.t_us < other.t_us or abs(one.t_us - other.t_us) <= surely


@pytest.mark.slow
def test_all_cells_at_once_are_told_one_by_one_in_order_of_time(table: Table) -> None:
    board, host = table.hosted(seed=5)
    at = board.now_us + 1_500_000
    cells = len(board.profile.cells)
    kinds = [(WHITE, BLACK, NEUTRAL)[cell % 3] for cell in range(cells)]
    for cell, kind in enumerate(kinds):
        board.hands.place(cell, kind, hand=f"hand {cell}", touch_us=at + 137 * cell)
    host.wait(lambda: len(host.events) >= cells, 5_000_000, what="event")
    host.run(1_500_000)
    kinds = [host.told(kind) for kind in kinds]
    assert sorted(_said(host.events)) == list(enumerate(kinds))
    on_time = [event.t_us for event in host.events if not event.is_late]
    assert on_time == sorted(on_time)
    assert host.belief() == bytes(kinds)


def test_a_slide_across_five_cells_is_its_start_and_its_end(table: Table) -> None:
    board, host = table.hosted(seed=2)
    row = [
        n for n, cell in enumerate(board.profile.cells) if cell.row == board.profile.cells[9].row
    ]
    assert len(row) == 5
    board.hands.place(row[0], WHITE)
    host.wait(lambda: len(host.events) == 1, what="event")
    host.run(400_000)
    board.hands.slide(row[0], row[-1])
    host.run(2_500_000)
    white, said = host.told(WHITE), _said(host.events)
    if board.profile.switches is None:
        assert said == [(row[0], white), (row[0], EMPTY), (row[-1], white)]
    else:
        # A switch closes for what passes over it: each cell is told, one after the other.
        assert said == [(cell, kind) for cell in row for kind in (white, EMPTY)][:-1]


def test_a_hesitating_and_a_dropped_stone_are_each_told_once(table: Table) -> None:
    board, host = table.hosted(seed=4)
    board.hands.place(3, BLACK, manner=Manner(hover_mm=14.0, hover_us=250_000))
    board.hands.place(15, WHITE, manner=Manner(drop_mm=15.0))
    host.wait(lambda: len(host.events) == 2, 5_000_000, what="event")
    host.run(1_000_000)
    assert _said(host.events) == [(3, host.told(BLACK)), (15, host.told(WHITE))]


def test_a_stone_held_above_the_board_holds_the_others_back_by_400_ms_at_most(
    table: Table,
) -> None:
    board, host = table.hosted(seed=6)
    board.hands.hover(2, WHITE, 12.0, 4_000_000, hand="left")
    host.run(1_000_000)
    errand = board.hands.place(16, BLACK)
    host.wait(lambda: any(event.cell == 16 for event in host.events), what="event")
    assert host.bench.now_us - errand.touch_us < 400_000 + 200_000
    assert board.rig.world.moves(board.now_us)
    assert (16, host.told(BLACK)) in _said(host.events)


@pytest.mark.slow
def test_events_on_time_leave_in_order_of_time_whatever_hands_do(table: Table) -> None:
    board, host = table.hosted(seed=7)
    for n in range(6):
        board.hands.place(n, (WHITE, BLACK)[n % 2], hand="left")
        board.hands.place(18 - n, NEUTRAL, hand="right")
    for n in range(3):
        board.hands.lift(2 * n, hand="left")
    host.wait(lambda: len(host.events) >= 15, 20_000_000, what="event")
    host.run(1_000_000)
    on_time = [event for event in host.events if not event.is_late]
    assert all(one.t_us <= other.t_us for one, other in pairwise(on_time))
    assert host.belief() == standing(board, host)
    assert host.states[-1].kinds == standing(board, host)

"""What only a jig can do: set every cell, and set pieces at exact times, as often as one likes."""

from __future__ import annotations

import pytest
from contract.benches import JIG, POWER, SimulatedBench
from contract.jig import Jig
from contract.plain_host import PlainHost
from contract.tables import Table
from lumiban_fw import wire
from lumiban_fw.wire import BLACK, EMPTY, FIRST_BUTTON, WHITE

pytestmark = [pytest.mark.jig, pytest.mark.needs(JIG)]
BEGIN_US = 300_000
EACH_US = 60_000
JIG_US = 1_500
"""How exactly a coil of the jig switches, and a frame of the board."""


def _ready(table: Table, seed: int) -> tuple[SimulatedBench, PlainHost, Jig]:
    board = table.board(seed)
    jig = table.jig(board)
    jig.ask("clear")
    host = PlainHost(board)
    host.greet()
    host.until(lambda: bool(host.states), 6_000_000, what="state")
    assert set(host.belief()) == {EMPTY}
    return board, host, jig


def _hear(host: PlainHost, events: int) -> None:
    host.until(lambda: len(host.events) == events, what="event")


def test_every_cell_tells_every_kind_that_the_jig_sets_and_takes(table: Table) -> None:
    _, host, jig = _ready(table, 81)
    expected: list[tuple[int, int]] = []

    def all_told() -> bool:
        return len(host.events) >= len(expected)

    for kind in jig.kinds:
        times = [(cell, BEGIN_US + EACH_US * n) for n, cell in enumerate(jig.cells)]
        jig.do(*(f"put {cell} {kind} {after_us}" for cell, after_us in times))
        expected += [(cell, kind) for cell in jig.cells]
        host.until(all_told, 60_000_000)
        jig.do(*(f"take {cell} {after_us}" for cell, after_us in times))
        expected += [(cell, EMPTY) for cell in jig.cells]
        host.until(all_told, 60_000_000)
    host.go(500_000)
    assert [(event.cell, event.kind) for event in host.events] == expected


@pytest.mark.parametrize("apart_us", [1_000, 5_000, 20_000])
def test_the_time_between_two_pieces_is_told_within_its_uncertainty(
    table: Table, apart_us: int
) -> None:
    _, host, jig = _ready(table, 82)
    first, second = jig.cells[0], jig.cells[-1]
    for rounds, (one, other) in enumerate(((first, second), (second, first))):
        jig.do(f"put {one} {WHITE} {BEGIN_US}", f"put {other} {BLACK} {BEGIN_US + apart_us}")
        _hear(host, 4 * rounds + 2)
        told = {event.cell: event for event in host.events[4 * rounds :]}
        surely = told[one].uncertainty_us + told[other].uncertainty_us + JIG_US
        assert abs(told[other].t_us - told[one].t_us - apart_us) <= surely
        jig.do(f"take {one} {BEGIN_US}", f"take {other} {BEGIN_US + 400_000}")
        _hear(host, 4 * rounds + 4)


def test_pieces_on_all_cells_at_one_moment_are_each_told_once(table: Table) -> None:
    _, host, jig = _ready(table, 83)
    kinds = {cell: jig.kinds[cell % len(jig.kinds)] for cell in jig.cells}
    jig.do(*(f"put {cell} {kind} {BEGIN_US}" for cell, kind in kinds.items()))
    host.until(lambda: len(host.events) >= len(kinds), 6_000_000, what="event")
    host.go(1_000_000)
    assert sorted((event.cell, event.kind) for event in host.events) == sorted(kinds.items())
    jig.ask("clear")
    host.until(lambda: set(host.belief()) == {EMPTY}, 6_000_000)


def test_a_piece_that_rattles_is_told_when_it_lies(table: Table) -> None:
    _, host, jig = _ready(table, 84)
    cell = jig.cells[len(jig.cells) // 2]
    rattle = []
    for n in range(12):
        rattle.append(f"put {cell} {WHITE} {BEGIN_US + 8_000 * n}")
        rattle.append(f"take {cell} {BEGIN_US + 8_000 * n + 4_000}")
    jig.do(*rattle, f"put {cell} {WHITE} {BEGIN_US + 8_000 * 12}")
    host.until(lambda: bool(host.events), what="event")
    host.go(800_000)
    assert [(event.cell, event.kind) for event in host.events] == [(cell, WHITE)]


def test_a_press_between_two_pieces_is_told_between_them(table: Table) -> None:
    _, host, jig = _ready(table, 85)
    one, other = jig.cells[0], jig.cells[-1]
    jig.do(
        f"put {one} {WHITE} {BEGIN_US}",
        f"press 0 {BEGIN_US + 150_000}",
        f"let 0 {BEGIN_US + 250_000}",
        f"put {other} {BLACK} {BEGIN_US + 400_000}",
    )
    host.until(lambda: len(host.events) == 4, what="event")
    said = [(event.cell, event.kind) for event in host.events]
    button = FIRST_BUTTON
    assert said == [(one, WHITE), (button, wire.DOWN), (button, wire.UP), (other, BLACK)]


@pytest.mark.needs(POWER)
def test_a_board_whose_power_is_cut_comes_back_with_what_stands_and_no_event(
    table: Table,
) -> None:
    board, host, jig = _ready(table, 86)
    if not jig.can_cut:
        pytest.skip("this jig cannot cut the power of a real board")
    cells = jig.cells[:3]
    jig.do(*(f"put {cell} {WHITE} {BEGIN_US}" for cell in cells))
    host.until(lambda: len(host.events) == len(cells), what="event")
    before = host.hellos[-1].boot_id
    jig.do(f"cut {BEGIN_US}")
    host.go(2_000_000)
    fresh = PlainHost(board)
    assert fresh.greet(session=5001, within_us=20_000_000).boot_id != before
    fresh.until(lambda: bool(fresh.states), 6_000_000, what="state")
    fresh.go(1_000_000)
    assert {cell for cell, kind in enumerate(fresh.belief()) if kind} == set(cells)
    assert fresh.events == []

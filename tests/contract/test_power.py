"""Power: a board begins without, its strips get theirs by the firmware, and the supply may be weak,
gone or wrong. What stands on the board is known before any light, and nothing is told that no hand
did.

Not asked of a board on a Pi's header: its strips have a supply of their own.
"""

from __future__ import annotations

import pytest
from contract.benches import LIGHT, POWER, SPOIL, SWITCH, SimulatedBench
from contract.tables import Table
from layers import layers
from lumiban_fw import wire
from lumiban_fw.wire import BLACK, EMPTY, NEUTRAL, WHITE
from lumiban_sim.rails import Feed
from pytest_lumiban.plain_host import PlainHost

NEEDS = (POWER, LIGHT, SWITCH)
pytestmark = pytest.mark.hands_free

STONES = {3: WHITE, 9: BLACK, 15: NEUTRAL}
FULL = [(255, 255, 255)]
LIGHT_AGAIN_US = 600_000
"""A picture that was lost is repeated every half second."""
FULL_MA, IDLE_MA = 20, 1


def _started(table: Table, feed: Feed | None = None) -> tuple[SimulatedBench, PlainHost]:
    """A board that was switched on with stones on it, and a host that has greeted it."""
    board = table.board(feed=feed)
    for cell, kind in STONES.items():
        board.rig.world.stand(kind, cell)
    host = PlainHost(board)
    host.greet()
    return board, host


def _kinds(board: SimulatedBench) -> bytes:
    return bytes(board.rig.kinds)


def _faults(host: PlainHost) -> list[tuple[int, int]]:
    return [one.unpacked.fields for one in host.of(wire.B_FAULT)]


def _paint(host: PlainHost) -> None:
    host.order(wire.H_PALETTE, (1,), FULL)
    for payload in layers(range(host.bench.profile.lights), 1, wire.STEADY):
        host.put(wire.H_LAYER, payload)
    host.order(wire.H_COMMIT, (0,))
    host.wait(lambda: host.done, what="acknowledge")
    host.run(100_000)


def _drawn_ma(board: SimulatedBench) -> float:
    light = board.light()
    return sum(light) * FULL_MA / 255 + len(light) / 3 * IDLE_MA


def test_a_board_knows_the_stones_on_it_when_it_starts_and_tells_no_fault(table: Table) -> None:
    board, host = _started(table)
    host.wait(lambda: bool(host.states), what="state")
    host.run(1_000_000)
    _paint(host)
    host.run(1_000_000)
    assert {state.kinds for state in host.states} == {_kinds(board)}
    assert host.events == []
    assert _faults(host) == []


def test_after_a_reset_all_is_known_before_any_light(table: Table) -> None:
    board, host = _started(table)
    host.wait(lambda: bool(host.states), what="state")
    _paint(host)
    board.cut()
    known = len(host.hellos)
    host.wait(lambda: len(host.hellos) > known, 3_000_000)
    fresh = PlainHost(board)
    fresh.greet(session=5000)
    fresh.wait(lambda: bool(fresh.states), what="state")
    fresh.run(1_000_000)
    assert {state.kinds for state in fresh.states} == {_kinds(board)}
    assert fresh.events == []
    assert _faults(fresh) == []


def test_a_brown_out_is_told_within_100_ms_dims_the_light_and_moves_nothing(table: Table) -> None:
    board, host = _started(table)
    host.wait(lambda: bool(host.states), what="state")
    _paint(host)
    bright = board.light()
    board.rig.world.supply(4_450, board.now_us)
    began = board.now_us
    host.wait(lambda: bool(_faults(host)), what="fault")
    assert board.now_us - began <= 100_000 + 20_000  # the line's way, and a host that looks
    code, where = _faults(host)[0]
    assert code == wire.FAULT_RAIL
    assert abs(where - 44) <= 2
    host.run(200_000)
    dim = board.light()
    assert 0 < max(dim) <= max(bright) // 2 + 1
    board.rig.world.supply(4_200, board.now_us)
    host.run(400_000)
    assert board.light() == dim, "worse is no reason for more light"
    board.rig.world.supply(5_000, board.now_us)
    host.run(1_500_000)
    assert any(code == wire.FAULT_RAIL | wire.FAULT_GONE for code, _ in _faults(host))
    assert board.light() == bright
    assert host.events == []
    assert host.states[-1].kinds == _kinds(board)


def test_a_supply_that_goes_and_comes_back_loses_no_stone_and_no_picture(table: Table) -> None:
    board, host = _started(table)
    host.wait(lambda: bool(host.states), what="state")
    _paint(host)
    bright = board.light()
    board.rig.world.supply(0, board.now_us)
    host.run(500_000)
    assert not any(board.light())
    assert host.events == []
    taken = board.rig.world.on(3)[0]
    board.rig.world.vanish(taken, board.now_us)
    host.run(500_000)
    board.rig.world.supply(5_000, board.now_us)
    host.run(500_000 + LIGHT_AGAIN_US)
    host.run(1_000_000)
    assert board.light() == bright
    assert [(event.cell, event.kind) for event in host.events] == [(3, EMPTY)]
    assert host.belief() == _kinds(board)
    holds = _held(_faults(host))
    assert holds == set()


def _held(faults: list[tuple[int, int]]) -> set[int]:
    """The codes of what still holds (a rail is back at another voltage)."""
    held: set[int] = set()
    for code, _ in faults:
        (held.discard if code & wire.FAULT_GONE else held.add)(code & ~wire.FAULT_GONE)
    return held


@pytest.mark.parametrize(
    ("feed", "rail_v"),
    [
        (Feed(0), 0.0),
        (Feed(3_000), 3.0),
        (Feed(4_400), 4.4),
        (Feed(6_000), 0.0),  # shut out by the base
        (Feed(6_000, most_mv=0), 6.0),  # by a base whose protection has failed
        (Feed(12_000), 0.0),
        (Feed(12_000, most_mv=0), 0.0),  # its fuse is blown
    ],
)
def test_a_wrong_supply_is_told_within_a_second_lights_within_limits_and_loses_nothing(
    table: Table, feed: Feed, rail_v: float
) -> None:
    board, host = _started(table, feed)
    _paint(host)
    host.run(1_500_000)
    told = [where for code, where in _faults(host) if code == wire.FAULT_RAIL]
    assert told
    assert abs(told[0] - 10 * rail_v) <= 2
    assert _drawn_ma(board) <= board.profile.limit_ma / 2
    if not 3.8 < rail_v < 5.5:
        assert not any(board.light())
    assert host.events == []
    board.rig.world.mend_supply(5_000, board.now_us)
    host.run(1_500_000)
    assert host.states[-1].kinds == _kinds(board)
    assert host.belief() == _kinds(board)
    assert all(board.light())


def test_a_strip_plugged_in_under_power_is_told_as_missing_until_then_and_loses_nothing(
    table: Table,
) -> None:
    board, host = _started(table)
    host.wait(lambda: bool(host.states), what="state")
    _paint(host)
    world, row = board.rig.world, board.profile.cells[9].row
    bright = board.light()
    world.pull_strip(row, board.now_us)
    host.run(300_000)
    assert _faults(host) == [(wire.FAULT_REFERENCE, row)]
    world.vanish(world.on(9)[0], board.now_us)
    host.run(300_000)
    assert host.events == []
    world.plug_strip(row, board.now_us)
    host.run(LIGHT_AGAIN_US)
    assert _faults(host)[1:] == [(wire.FAULT_REFERENCE | wire.FAULT_GONE, row)]
    assert [(event.cell, event.kind) for event in host.events] == [(9, EMPTY)]
    assert board.light() == bright
    assert _drawn_ma(board) <= board.profile.limit_ma
    host.run(1_000_000)
    assert host.states[-1].kinds == _kinds(board)


@pytest.mark.lumiban_needs(SPOIL)
def test_an_unplugged_cable_leaves_strips_on_and_what_happened_is_told_after(
    table: Table,
) -> None:
    board, host = _started(table)
    host.wait(lambda: bool(host.states), what="state")
    _paint(host)
    board.rig.pipe.unplugged = True
    board.rig.world.vanish(board.rig.world.on(9)[0], board.now_us)
    host.run(1_000_000)
    assert board.rig.world.rails.on
    board.rig.pipe.unplugged = False
    host.wait(lambda: bool(host.events), what="event")
    assert [(event.cell, event.kind) for event in host.events] == [(9, EMPTY)]
    assert _faults(host) == []

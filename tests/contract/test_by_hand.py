"""What a person does at a board, one thing at a time, in their own time."""

from __future__ import annotations

import pytest
from contract import asking
from contract.benches import ASK
from contract.tables import Table
from lumiban_fw import wire
from lumiban_fw.wire import BLACK, EMPTY, NEUTRAL, WHITE

pytestmark = [pytest.mark.hands, pytest.mark.needs(ASK)]


@pytest.mark.parametrize(("kind", "at"), [(WHITE, "first"), (BLACK, "middle"), (NEUTRAL, "last")])
def test_a_piece_that_somebody_sets_and_lifts_is_told_as_its_kind(
    table: Table, kind: int, at: str
) -> None:
    _, host = table.hosted(seed=71)
    cells = len(host.bench.profile.cells)
    cell = {"first": 0, "middle": cells // 2, "last": cells - 1}[at]
    asking.set_down(host, cell, kind)
    asking.take_off(host, cell)
    told = [(event.cell, event.kind) for event in host.events]
    assert told == [(cell, host.told(kind)), (cell, EMPTY)]
    assert all(event.uncertainty_us > 0 and not event.is_late for event in host.events)
    assert host.events[0].t_us < host.events[1].t_us


def test_two_pieces_one_after_the_other_are_told_in_order_and_stay(table: Table) -> None:
    _, host = table.hosted(seed=72)
    cells = len(host.bench.profile.cells)
    first, second = cells // 2, cells // 2 + 1
    asking.set_down(host, first, WHITE)
    asking.set_down(host, second, BLACK)
    assert [event.cell for event in host.events] == [first, second]
    assert host.events[0].t_us < host.events[1].t_us
    kinds = host.belief()
    assert (kinds[first], kinds[second]) == (host.told(WHITE), host.told(BLACK))
    asking.take_off(host, second)
    asking.take_off(host, first)
    assert set(host.belief()) == {EMPTY}


def test_a_button_is_told_down_and_up(table: Table) -> None:
    _, host = table.hosted(seed=73)
    asking.press(host, 0)
    told = [(event.cell, event.kind) for event in host.events]
    assert told == [(wire.FIRST_BUTTON, wire.DOWN), (wire.FIRST_BUTTON, wire.UP)]

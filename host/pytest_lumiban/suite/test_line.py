"""A bad line: what is lost, doubled and spoilt is made good, and nothing is told twice."""

from __future__ import annotations

import pytest
from lumiban_fw import wire

from pytest_lumiban import stimuli
from pytest_lumiban.board import BoardUnderTest
from pytest_lumiban.claims import require
from pytest_lumiban.plugin import Faults


@pytest.mark.lumiban_needs("inject")
def test_on_a_bad_line_no_event_is_lost_or_told_twice(
    board: BoardUnderTest, faults: Faults
) -> None:
    stimuli.switch_on(board.host)
    cells = board.dice.sample(range(len(board.cells)), 8)
    faults.spoil(1e-3)
    for cell in cells:
        known = len(board.host.events)
        count = stimuli.reading(board.profile, wire.WHITE, 0.0)
        stimuli.hold(board.host, cell, count)
        board.wait_for_events(known + 1, 20.0)
    faults.mend()
    board.wait(1.0)
    event_cells = [event.cell for event in board.host.events]
    require(event_cells == cells, f"pieces were set on {cells}; told on {event_cells}")


@pytest.mark.lumiban_needs("inject")
def test_what_happens_while_the_cable_is_out_is_told_when_it_is_back(
    board: BoardUnderTest, faults: Faults
) -> None:
    stimuli.switch_on(board.host)
    cell = board.dice.randrange(len(board.cells))
    at_us = stimuli.soon(board.host) + 2_000_000
    stimuli.inject(board.host, cell, [stimuli.reading(board.profile, wire.BLACK, 0.0)], at_us)
    board.settle()
    faults.unplug()
    board.wait(4.0)
    require(not board.host.events, "an event came through no cable")
    faults.mend()
    event = board.wait_for_events(1)[0]
    require(board.host.events[0].cell == cell, f"a piece was set on {board.name(cell)}: {event}")

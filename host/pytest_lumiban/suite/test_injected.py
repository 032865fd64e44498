"""INJECT: readings from the host in place of the sensors', for tests on a board without hands."""

from __future__ import annotations

import pytest
from lumiban_fw import wire
from lumiban_fw.wire import BLACK, NEUTRAL, WHITE

from pytest_lumiban import stimuli
from pytest_lumiban.board import BoardUnderTest
from pytest_lumiban.claims import hear_refusal, require


@pytest.mark.lumiban_needs("inject", "kinds")
def test_two_injected_placements_a_frame_apart_keep_their_order(board: BoardUnderTest) -> None:
    host = stimuli.switch_on(board.host)
    touch = stimuli.soon(host) + 1_000_000
    stimuli.place(host, 1, WHITE, touch + 1_000, 0.4)
    stimuli.place(host, 4, NEUTRAL, touch, 0.2)
    board.wait_for_events(2)
    events = {event.cell: event for event in host.events}
    surely = events[1].uncertainty_us + events[4].uncertainty_us
    assert events[4].t_us - events[1].t_us <= surely


@pytest.mark.lumiban_needs("inject", "kinds")
def test_a_cell_that_chatters_is_told_when_it_has_come_to_rest(board: BoardUnderTest) -> None:
    host = stimuli.switch_on(board.host)
    lies = stimuli.reading(board.profile, BLACK, 0.0)
    high = stimuli.reading(board.profile, BLACK, 4.0)
    rattle = [high if n % 3 else lies for n in range(120)]
    stimuli.inject(host, 3, [*rattle, lies], stimuli.soon(host) + 500_000, 5_000)
    host.run(1_000_000)
    assert host.events == []
    board.wait_for_events(1)
    host.run(1_000_000)
    assert [(event.cell, event.kind) for event in host.events] == [(3, BLACK)]


@pytest.mark.lumiban_needs("inject", "kinds")
def test_a_foreign_magnet_is_told_as_such(board: BoardUnderTest) -> None:
    host = stimuli.switch_on(board.host)
    strong = stimuli.MIDDLE + 1_500
    stimuli.inject(host, 2, [strong], stimuli.soon(host) + 300_000)
    board.wait_for_events(1)
    assert (host.events[0].cell, host.events[0].kind) == (2, wire.FOREIGN)


@pytest.mark.lumiban_needs("inject", "kinds")
def test_a_row_whose_reference_fails_is_told_once_and_holds_what_stood_on_it(
    board: BoardUnderTest,
) -> None:
    host = stimuli.switch_on(board.host)
    row = board.profile.cells[0].row
    stimuli.place(host, 0, WHITE, stimuli.soon(host) + 500_000)
    board.wait_for_events(1)
    host.run(500_000)
    gone = [0] * 20
    at = stimuli.soon(host) + 300_000
    stimuli.inject(host, wire.FIRST_BUTTON + row, gone, at, 50_000)
    stimuli.inject(host, 0, gone, at, 50_000)
    host.run(1_200_000)
    faults = [one.unpacked.fields for one in host.of(wire.B_FAULT)]
    assert faults.count((wire.FAULT_REFERENCE, row)) == 1
    assert len(host.events) == 1
    assert host.states[-1].kinds[0] == WHITE
    lies = stimuli.reading(board.profile, WHITE, 0.0)
    stimuli.hold(host, wire.FIRST_BUTTON + row, stimuli.MIDDLE)
    stimuli.hold(host, 0, lies)
    host.run(1_500_000)
    assert host.belief()[0] == WHITE


@pytest.mark.lumiban_needs("inject")
def test_readings_that_no_adc_gives_and_cells_that_do_not_exist_are_refused(
    board: BoardUnderTest,
) -> None:
    host = stimuli.switch_on(board.host)
    for refused in (
        stimuli.hold(host, 3, 5000),
        stimuli.hold(host, len(board.cells) - 1, 2048, 2048),
    ):
        nak = hear_refusal(host, refused, wire.NAK_VALUE)
        require(nak["kind"] == wire.H_INJECT, "NAK of another type")

"""The line: what is lost, doubled, spoilt or held back is made good, and nothing is told twice."""

from __future__ import annotations

import pytest
from contract.benches import PACE, PATIENCE
from contract.tables import Table, standing
from lumiban_fw import wire
from lumiban_fw.wire import BLACK, EMPTY, WHITE
from pytest_lumiban import stimuli
from pytest_lumiban.plain_host import PlainHost


@pytest.mark.lumiban_hands
def test_a_host_that_reads_nothing_for_two_seconds_loses_nothing(table: Table) -> None:
    board, host = table.hosted(seed=12)
    for n in range(4):
        board.hands.place(n, WHITE, hand=f"hand {n}", touch_us=board.now_us + 800_000 + 90_000 * n)
    board.rig.pipe.stalled = True
    host.run(2_000_000)
    assert host.events == []
    board.rig.pipe.stalled = False
    host.wait(lambda: len(host.events) == 4, what="event")
    assert [event.cell for event in host.events] == [0, 1, 2, 3]
    assert not any(event.is_late for event in host.events)


@pytest.mark.slow
@pytest.mark.lumiban_hands
@pytest.mark.lumiban_needs(PATIENCE)
def test_a_host_that_is_gone_for_a_minute_finds_all_that_happened(table: Table) -> None:
    board, host = table.hosted(seed=13)
    board.hands.place(5, BLACK)
    board.rig.run(board.now_us + 1)
    end = board.now_us + 60_000_000
    while board.now_us < end:
        board.rig.run(end)
        board.rig.to_host()
    host.greet(session=99)
    host.wait(lambda: len(host.events) == 1, what="event")
    assert (host.events[0].cell, host.events[0].kind) == (5, BLACK)
    assert host.about_us - host.events[0].t_us > 55_000_000


@pytest.mark.hands_free
def test_more_events_than_the_ring_holds_are_told_as_overflow_and_healed_by_state(
    table: Table,
) -> None:
    board, host = table.hosted(seed=14, noise_ut=0)
    stimuli.switch_on(host)
    host.acknowledging = False
    cells = len(board.profile.cells)
    rounds = wire.RING_EVENTS // cells + 2
    strong = stimuli.reading(board.profile, WHITE, 0.0)
    begin = host.about_us + 500_000
    # A chip's work takes time, and switches rest for longer until they are believed: what comes
    # and goes before that is not told at all.
    is_quick = PACE in board.can and board.profile.switches is None
    apart_us = 100_000 if is_quick else 400_000
    for n in range(rounds):
        readings = [stimuli.MIDDLE if n % 2 else strong] * cells
        host.order(wire.H_INJECT, (begin + apart_us * n, 0, 0), readings)
    host.run(rounds * apart_us + 1_500_000)
    host.wait(lambda: bool(host.states[-1].flags & wire.OVERFLOWED), what="state")
    state = host.states[-1]
    assert state.event == rounds * cells
    assert set(state.kinds) == {WHITE if rounds % 2 else EMPTY}
    host.say(wire.H_ACK, (state.event,))
    known = len(host.states)
    host.wait(lambda: len(host.states) > known + 1, what="state")
    assert not host.states[-1].flags & wire.OVERFLOWED


@pytest.mark.lumiban_hands
@pytest.mark.lumiban_needs(PATIENCE)
@pytest.mark.parametrize("wrap_us", [1 << 30, 1 << 32], ids=["30 bits", "32 bits"])
def test_when_the_clock_wraps_times_go_on(table: Table, wrap_us: int) -> None:
    board = table.board(seed=16)
    while board.now_us < wrap_us - 1_500_000:
        board.rig.run(wrap_us - 1_500_000)
        board.rig.to_host()
    host = PlainHost(board)
    host.greet()
    before = board.hands.place(3, WHITE, touch_us=wrap_us - 2_000)
    after = board.hands.place(4, BLACK, hand="left", touch_us=wrap_us + 2_500)
    host.wait(lambda: len(host.events) == 2, 6_000_000, what="event")
    for event, errand in zip(host.events, (before, after), strict=True):
        assert event.cell == errand.cell
        assert abs(event.t_us - errand.touch_us) <= event.uncertainty_us + 2_000
    host.run(3_000_000)
    assert host.states[-1].t_us > wrap_us
    assert host.belief() == standing(board, host)

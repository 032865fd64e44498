"""Events and belief: what a board tells of pieces, by readings injected into it."""

from __future__ import annotations

from lumiban_fw import wire

from pytest_lumiban.board import BoardUnderTest
from pytest_lumiban.claims import claim, hear, hear_refusal, in_time, require
from pytest_lumiban.stimuli import MIDDLE, hold, soon, switch_on

STRONG = 600
"""Counts above or below rest of a strong piece: some 32 mT, by the usual sensors."""


def set_down(board: BoardUnderTest) -> None:
    """A piece on the first cell, and its event."""
    known = len(board.events)
    hold(board.host, 0, MIDDLE + STRONG)
    board.wait_for_events(known + 1)


@claim("Events leave in order of time and are final.", "CAN_INJECT")
def test_events_leave_in_order_of_time(board: BoardUnderTest) -> None:
    host = switch_on(board.host)
    set_down(board)
    # A stone that is lifted slowly left its cell before the other one came, and is gone after.
    now = soon(host) + 300_000
    lifted = [MIDDLE + STRONG * (19 - k) // 20 for k in range(20)]
    host.order(wire.H_INJECT, (now, 10_000, 0), lifted)
    host.order(wire.H_INJECT, (now + 80_000, 0, 1), [MIDDLE - STRONG])
    in_time(host, now)
    board.wait_for_events(3)
    events = host.events[1:]
    order = [event.cell for event in events]
    require(order == [0, 1], f"cell 0 was left before cell 1 was set; told: {order}")
    times = [event.t_us for event in events]
    require(times == sorted(times), "the times do not rise")


@claim("until an ACK says that the host has all events below a number", "CAN_INJECT")
def test_events_are_told_until_they_are_acknowledged(board: BoardUnderTest) -> None:
    host = switch_on(board.host)
    host.acknowledging = False
    known = len(host.frames)
    set_down(board)
    board.wait(1.2)
    times = len(host.of(wire.B_EVENTS, known))
    require(2 <= times <= 16, f"told {times} times in 1.2 s without an ACK")
    host.acknowledge()
    host.rest()
    known = len(host.frames)
    board.wait(1.2)
    require(not host.of(wire.B_EVENTS, known), "told again after its ACK")


@claim("followed by EVENTS from the first unacknowledged one", "CAN_INJECT")
def test_a_new_session_hears_events_nobody_acknowledged(board: BoardUnderTest) -> None:
    host = switch_on(board.host)
    host.acknowledging = False
    set_down(board)
    host.greet()
    events = hear(host, wire.B_EVENTS, since=0).unpacked
    require((events.number("first"), events.tail[0][0]) == (host.first, 0), "another event")


@claim("an event sets its kind to 7", "CAN_INJECT")
def test_a_masked_cell_is_told_as_such(board: BoardUnderTest) -> None:
    host, cell = switch_on(board.host), board.cells[2]
    for count, (key, piece) in enumerate(
        ((wire.CFG_MASK, "masked"), (wire.CFG_UNMASK, "empty")), 1
    ):
        board.configure(key, 2)
        told = board.wait_for_events(count)[-1]
        require((told.cell, told.piece) == (cell, piece), f"key {key} for {cell}, and told: {told}")
    refused = host.order(wire.H_CFG, (wire.CFG_MASK, len(board.cells)))
    hear_refusal(host, refused, wire.NAK_VALUE)


@claim("Allowed only after CFG INJECT 1", "CAN_INJECT")
def test_inject_is_refused_before_it_is_switched_on(board: BoardUnderTest) -> None:
    board.configure(wire.CFG_INJECT, 0)
    hear_refusal(board.host, hold(board.host, 0, MIDDLE), wire.NAK_BUSY)


@claim("HELLO and STATE show that a board is injecting", "CAN_INJECT")
def test_hello_and_state_show_that_a_board_injects(board: BoardUnderTest) -> None:
    for is_on in (True, False):
        board.configure(wire.CFG_INJECT, is_on)
        board.wait(1.5)
        told = bool(board.host.states[-1].flags & wire.INJECTED)
        require(told == is_on, f"CFG INJECT is {is_on}, and STATE says {told}")
        board.host.greet()
        told = bool(board.hello.capabilities & wire.INJECTING)
        require(told == is_on, f"CFG INJECT is {is_on}, and HELLO says {told}")


@claim("neither silence nor a new session ends it", "CAN_INJECT")
def test_what_is_injected_outlasts_silence_and_session(board: BoardUnderTest) -> None:
    host = switch_on(board.host)
    set_down(board)
    host.beats = False
    board.wait(2.5)
    host.beats = True
    host.greet()
    board.wait(1.5)
    require(board.cells[0] in board.ask_state(), "the reading is gone")

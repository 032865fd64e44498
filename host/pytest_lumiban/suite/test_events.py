"""Events and belief: what a board tells of pieces, by readings injected into it."""

from __future__ import annotations

from lumiban_fw import wire

from pytest_lumiban.claims import (
    claim,
    hear_belief,
    hear_refusal,
    in_time,
    later,
    lead,
    require,
)
from pytest_lumiban.injecting import (
    REST,
    STRONG,
    await_events,
    begin_injecting,
    end_injecting,
    told_events,
)
from pytest_lumiban.probe import Probe


@claim("counts above the reference, the piece's south pole is down", "CAN_INJECT")
def test_fields_above_and_below_the_reference_are_white_and_black(probe: Probe) -> None:
    first = begin_injecting(probe)
    known = len(probe.frames)
    at = lead(probe, 200_000)
    probe.order(wire.H_INJECT, (at, 0, 0), [(REST + STRONG,)])
    probe.order(wire.H_INJECT, (later(at, 300_000), 0, 1), [(REST - STRONG,)])
    in_time(probe, at)
    events = await_events(probe, known, first, 2)
    seen = [(event.cell, event.kind & wire.KIND) for event in events]
    require(seen == [(0, wire.WHITE), (1, wire.BLACK)], f"(cell, kind) told: {seen}")
    known = len(probe.frames)
    probe.order(wire.H_INJECT, (0, 0, 0), [(REST,), (REST,)])
    gone = await_events(probe, known, first + 2, 2)
    require({event.kind & wire.KIND for event in gone} == {wire.EMPTY}, "lifting is not told")


@claim("Times are those of contact", "CAN_INJECT")
def test_times_are_those_of_contact(probe: Probe) -> None:
    first = begin_injecting(probe)
    known = len(probe.frames)
    at = lead(probe, 300_000)
    probe.order(wire.H_INJECT, (at, 0, 0), [(REST + STRONG,)])
    in_time(probe, at)
    event = await_events(probe, known, first, 1)[0]
    off = (event.t_us - at + 0x80000000) % 0x100000000 - 0x80000000
    allowed = event.half_us + 25_000
    require(abs(off) <= allowed, f"{off} µs off, with an uncertainty of {event.half_us} µs")


@claim("Events leave in order of time and are final.", "CAN_INJECT")
def test_events_leave_in_order_of_time(probe: Probe) -> None:
    first = begin_injecting(probe)
    known = len(probe.frames)
    probe.order(wire.H_INJECT, (0, 0, 0), [(REST + STRONG,)])
    await_events(probe, known, first, 1)
    # A stone that is lifted slowly left its cell before the other one came, and is gone after.
    now = lead(probe, 300_000)
    lifted = [(REST + STRONG * (19 - k) // 20,) for k in range(20)]
    probe.order(wire.H_INJECT, (now, 10_000, 0), lifted)
    probe.order(wire.H_INJECT, (later(now, 80_000), 0, 1), [(REST - STRONG,)])
    in_time(probe, now)
    events = await_events(probe, known, first + 1, 2)
    order = [event.cell for event in events]
    require(order == [0, 1], f"cell 0 was left before cell 1 was set; told: {order}")
    times = [(event.t_us - now) & 0xFFFFFFFF for event in events]
    require(times == sorted(times), "the times do not rise")


@claim("until an ACK says that the host has all events below a number", "CAN_INJECT")
def test_events_are_told_until_they_are_acknowledged(probe: Probe) -> None:
    first = begin_injecting(probe)
    known = len(probe.frames)
    probe.order(wire.H_INJECT, (0, 0, 0), [(REST + STRONG,)])
    await_events(probe, known, first, 1)
    probe.run(1_200_000)
    times = sum(event.number == first for event in told_events(probe, known))
    require(2 <= times <= 16, f"told {times} times in 1.2 s without an ACK")
    probe.say(wire.H_ACK, (first + 1,))
    probe.rest()
    known = len(probe.frames)
    probe.run(1_200_000)
    require(not told_events(probe, known), "told again after its ACK")


@claim("followed by EVENTS from the first unacknowledged one", "CAN_INJECT")
def test_a_new_session_hears_events_nobody_acknowledged(probe: Probe) -> None:
    first = begin_injecting(probe)
    known = len(probe.frames)
    probe.order(wire.H_INJECT, (0, 0, 0), [(REST + STRONG,)])
    await_events(probe, known, first, 1)
    probe.greet()
    known = len(probe.frames)
    events = await_events(probe, known, first, 1)
    require(events[0].cell == 0, "another event")


@claim("The belief includes all *released* events with numbers below `event`", "CAN_INJECT")
def test_state_includes_the_events_below_its_number(probe: Probe) -> None:
    first = begin_injecting(probe)
    cells = probe.of(wire.B_HELLO)[-1]["cells"]
    last = cells - 1
    known = len(probe.frames)
    probe.order(wire.H_INJECT, (0, 0, last), [(REST - STRONG,)])
    await_events(probe, known, first, 1)
    known = len(probe.frames)
    probe.say(wire.H_GET_STATE)
    kinds = hear_belief(probe, cells, known)
    event = probe.of(wire.B_STATE, known)[-1]["event"]
    require(event == first + 1, f"STATE goes on with event {event}, not {first + 1}")
    require(kinds[last] == wire.BLACK, f"the last cell is believed to be {kinds[last]}")


@claim("an event sets its kind to 7", "CAN_INJECT")
def test_a_masked_cell_is_told_as_such(probe: Probe) -> None:
    first = begin_injecting(probe)
    cells = probe.of(wire.B_HELLO)[-1]["cells"]
    known = len(probe.frames)
    probe.order(wire.H_CFG, (wire.CFG_MASK, 2))
    masked = await_events(probe, known, first, 1, "cell 2 was masked")[0]
    require((masked.cell, masked.kind & wire.KIND) == (2, wire.MASKED), "MASK is not told")
    probe.order(wire.H_CFG, (wire.CFG_UNMASK, 2))
    again = await_events(probe, known, first, 2, "cell 2 was unmasked")[1]
    require((again.cell, again.kind & wire.KIND) == (2, wire.EMPTY), "UNMASK is not told")
    hear_refusal(probe, probe.order(wire.H_CFG, (wire.CFG_MASK, cells)), wire.NAK_VALUE)


@claim("Allowed only after CFG INJECT 1", "CAN_INJECT")
def test_inject_is_refused_before_it_is_switched_on(probe: Probe) -> None:
    probe.greet()
    hear_refusal(probe, probe.order(wire.H_INJECT, (0, 0, 0), [(REST,)]), wire.NAK_BUSY)


@claim("HELLO and STATE show that a board is injecting", "CAN_INJECT")
def test_hello_and_state_show_that_a_board_injects(probe: Probe) -> None:
    begin_injecting(probe)
    require(probe.of(wire.B_STATE)[-1]["flags"] & wire.INJECTED, "STATE does not")
    require(probe.greet()["capabilities"] & wire.INJECTING, "HELLO does not")
    end_injecting(probe)
    require(not probe.greet()["capabilities"] & wire.INJECTING, "HELLO does afterwards")


@claim("neither silence nor a new session ends it", "CAN_INJECT")
def test_what_is_injected_outlasts_silence_and_session(probe: Probe) -> None:
    first = begin_injecting(probe)
    known = len(probe.frames)
    probe.order(wire.H_INJECT, (0, 0, 0), [(REST + STRONG,)])
    await_events(probe, known, first, 1)
    probe.beats = False
    probe.run(2_500_000)
    probe.beats = True
    probe.greet()
    cells = probe.of(wire.B_HELLO)[-1]["cells"]
    require(hear_belief(probe, cells, len(probe.frames))[0] == wire.WHITE, "the reading is gone")

"""Claims of events and belief: what a board tells of pieces, by readings injected into it."""

from __future__ import annotations

from dataclasses import dataclass

from lumiban_fw import wire

from lumiban.boards.probe import Probe
from lumiban.maker.claims.claim import (
    SETTLED_US,
    Broken,
    Chapter,
    Untried,
    await_ack,
    hear,
    hear_belief,
    hear_refusal,
    require,
    settle,
)

EVENTS = Chapter()
REST = wire.HALF_SCALE
STRONG = 600
"""Counts above or below rest of a strong piece: some 32 mT, by the usual sensors."""


def begin_injecting(probe: Probe) -> int:
    """A board whose cells read what we say, all at rest; the number of its next event."""
    probe.greet()
    settle(probe)
    probe.order(wire.H_CFG, (wire.CFG_INJECT, 1))
    await_ack(probe, 1)
    probe.go(SETTLED_US)
    known = len(probe.heard)
    probe.say(wire.H_GET_STATE)
    next_event = hear(probe, wire.B_STATE, since=known).unpacked.number("event")
    probe.say(wire.H_ACK, (next_event,))
    probe.go(100_000)
    return next_event


def end_injecting(probe: Probe) -> None:
    """Let the board read its sensors again, and forget what it told."""
    probe.order(wire.H_CFG, (wire.CFG_INJECT, 0))
    probe.go(SETTLED_US)
    told = probe.of(wire.B_STATE)[-1].unpacked.number("event")
    probe.say(wire.H_ACK, (told,))
    probe.go(100_000)


@dataclass(frozen=True, slots=True)
class ToldEvent:
    """An event as EVENTS told it; times in µs of the board."""

    number: int
    t_us: int
    cell: int
    kind: int
    half_us: int


def told_events(probe: Probe, since: int) -> list[ToldEvent]:
    """The events that were told after so many frames, each as often as it was told."""
    found = []
    for one in probe.of(wire.B_EVENTS, since):
        told = one.unpacked
        unit = wire.AGED_US if one.flags & wire.AGED else 1
        for k, (cell, kind, dt, half) in enumerate(told.tail):
            numbers = [int(n) for n in (cell, kind, dt, half)]
            t_us = told.number("base_us") * unit + numbers[2] * wire.EVENT_STEP_US
            found.append(
                ToldEvent(
                    told.number("first") + k,
                    t_us & 0xFFFFFFFF,
                    numbers[0],
                    numbers[1],
                    numbers[3] * wire.UNSURE_STEP_US,
                )
            )
    return found


def board_us(probe: Probe) -> int:
    """The board's present, low half."""
    known = len(probe.heard)
    probe.say(wire.H_CLOCK, (1,))
    return hear(probe, wire.B_CLOCK, since=known).unpacked.number("rx_us") & 0xFFFFFFFF


def later(t_us: int, by_us: int) -> int:
    """A board time in the future; never 0, which means now."""
    return (t_us + by_us) & 0xFFFFFFFF or 1


def await_events(
    probe: Probe, since: int, first: int, count: int, us: int = 2_000_000
) -> list[ToldEvent]:
    """Events from a number on, so many, each once and in order of their numbers."""

    def arrived() -> dict[int, ToldEvent]:
        return {event.number: event for event in told_events(probe, since) if event.number >= first}

    if not probe.until(lambda: len(arrived()) >= count, us):
        raise Broken(f"{len(arrived())} of {count} events were told")
    return [event for _, event in sorted(arrived().items())]


@EVENTS.claim(
    "events.kinds", "counts above the reference, the piece's south pole is down", wire.CAN_INJECT
)
def _kinds(probe: Probe) -> None:
    first = begin_injecting(probe)
    known = len(probe.heard)
    now = board_us(probe)
    probe.order(wire.H_INJECT, (later(now, 200_000), 0, 0), [(REST + STRONG,)])
    probe.order(wire.H_INJECT, (later(now, 500_000), 0, 1), [(REST - STRONG,)])
    told = await_events(probe, known, first, 2)
    seen = [(event.cell, event.kind & wire.KIND) for event in told]
    require(seen == [(0, wire.WHITE), (1, wire.BLACK)], f"(cell, kind) told: {seen}")
    known = len(probe.heard)
    probe.order(wire.H_INJECT, (0, 0, 0), [(REST,), (REST,)])
    gone = await_events(probe, known, first + 2, 2)
    require({event.kind & wire.KIND for event in gone} == {wire.EMPTY}, "lifting is not told")
    end_injecting(probe)


@EVENTS.claim("events.times", "Times are those of contact", wire.CAN_INJECT)
def _times(probe: Probe) -> None:
    first = begin_injecting(probe)
    known = len(probe.heard)
    at = later(board_us(probe), 300_000)
    probe.order(wire.H_INJECT, (at, 0, 0), [(REST + STRONG,)])
    event = await_events(probe, known, first, 1)[0]
    off = (event.t_us - at + 0x80000000) % 0x100000000 - 0x80000000
    allowed = event.half_us + 25_000
    require(abs(off) <= allowed, f"{off} µs off, with an uncertainty of {event.half_us} µs")
    end_injecting(probe)


@EVENTS.claim("events.order", "Events leave in order of time and are final.", wire.CAN_INJECT)
def _time_order(probe: Probe) -> None:
    first = begin_injecting(probe)
    known = len(probe.heard)
    probe.order(wire.H_INJECT, (0, 0, 0), [(REST + STRONG,)])
    await_events(probe, known, first, 1)
    # A stone that is lifted slowly left its cell before the other one came, and is gone after.
    now = board_us(probe)
    lifted = [(REST + STRONG * (19 - k) // 20,) for k in range(20)]
    probe.order(wire.H_INJECT, (later(now, 300_000), 10_000, 0), lifted)
    probe.order(wire.H_INJECT, (later(now, 380_000), 0, 1), [(REST - STRONG,)])
    told = await_events(probe, known, first + 1, 2)
    order = [event.cell for event in told]
    require(order == [0, 1], f"cell 0 was left before cell 1 was set; told: {order}")
    times = [(event.t_us - now) & 0xFFFFFFFF for event in told]
    require(times == sorted(times), "the times do not rise")
    end_injecting(probe)


@EVENTS.claim("events.again", "until an ACK says that the host has all events below a number")
def _again(probe: Probe) -> None:
    _need_injection(probe)
    first = begin_injecting(probe)
    known = len(probe.heard)
    probe.order(wire.H_INJECT, (0, 0, 0), [(REST + STRONG,)])
    await_events(probe, known, first, 1)
    probe.go(1_200_000)
    times = sum(event.number == first for event in told_events(probe, known))
    require(3 <= times <= 12, f"told {times} times in 1.2 s without an ACK")
    probe.say(wire.H_ACK, (first + 1,))
    probe.go(200_000)
    known = len(probe.heard)
    probe.go(1_200_000)
    require(not told_events(probe, known), "told again after its ACK")
    end_injecting(probe)


def _need_injection(probe: Probe) -> None:
    if not probe.greet().unpacked.number("capabilities") & wire.CAN_INJECT:
        raise Untried("the board has no CAN_INJECT: nobody moves its pieces")


@EVENTS.claim(
    "events.sessions", "followed by EVENTS from the first unacknowledged one", wire.CAN_INJECT
)
def _resent(probe: Probe) -> None:
    first = begin_injecting(probe)
    known = len(probe.heard)
    probe.order(wire.H_INJECT, (0, 0, 0), [(REST + STRONG,)])
    await_events(probe, known, first, 1)
    probe.greet()
    known = len(probe.heard)
    told = await_events(probe, known, first, 1)
    require(told[0].cell == 0, "another event")
    end_injecting(probe)


@EVENTS.claim(
    "state.belief",
    "The belief includes all *released* events with numbers below `event`",
    wire.CAN_INJECT,
)
def _believes(probe: Probe) -> None:
    first = begin_injecting(probe)
    cells = probe.of(wire.B_HELLO)[-1].unpacked.number("cells")
    last = cells - 1
    known = len(probe.heard)
    probe.order(wire.H_INJECT, (0, 0, last), [(REST - STRONG,)])
    await_events(probe, known, first, 1)
    known = len(probe.heard)
    probe.say(wire.H_GET_STATE)
    kinds = hear_belief(probe, cells, known)
    event = probe.of(wire.B_STATE, known)[-1].unpacked.number("event")
    require(event == first + 1, f"STATE goes on with event {event}, not {first + 1}")
    require(kinds[last] == wire.BLACK, f"the last cell is believed to be {kinds[last]}")
    end_injecting(probe)


@EVENTS.claim("cfg.mask", "an event sets its kind to 7", wire.CAN_INJECT)
def _masks(probe: Probe) -> None:
    first = begin_injecting(probe)
    cells = probe.of(wire.B_HELLO)[-1].unpacked.number("cells")
    known = len(probe.heard)
    probe.order(wire.H_CFG, (wire.CFG_MASK, 2))
    masked = await_events(probe, known, first, 1)[0]
    require((masked.cell, masked.kind & wire.KIND) == (2, wire.MASKED), "MASK is not told")
    probe.order(wire.H_CFG, (wire.CFG_UNMASK, 2))
    again = await_events(probe, known, first, 2)[1]
    require((again.cell, again.kind & wire.KIND) == (2, wire.EMPTY), "UNMASK is not told")
    hear_refusal(probe, probe.order(wire.H_CFG, (wire.CFG_MASK, cells)), wire.NAK_VALUE)
    end_injecting(probe)


@EVENTS.claim("inject.busy", "Allowed only after CFG INJECT 1", wire.CAN_INJECT)
def _busy(probe: Probe) -> None:
    probe.greet()
    hear_refusal(probe, probe.order(wire.H_INJECT, (0, 0, 0), [(REST,)]), wire.NAK_BUSY)


@EVENTS.claim("inject.shown", "HELLO and STATE show that a board is injecting", wire.CAN_INJECT)
def _shown(probe: Probe) -> None:
    begin_injecting(probe)
    require(probe.of(wire.B_STATE)[-1].unpacked.number("flags") & wire.INJECTED, "STATE does not")
    require(probe.greet().unpacked.number("capabilities") & wire.INJECTING, "HELLO does not")
    end_injecting(probe)
    require(
        not probe.greet().unpacked.number("capabilities") & wire.INJECTING, "HELLO does afterwards"
    )


@EVENTS.claim(
    "inject.lasts",
    "neither silence nor a new session ends it",
    wire.CAN_INJECT,
)
def _lasts(probe: Probe) -> None:
    first = begin_injecting(probe)
    known = len(probe.heard)
    probe.order(wire.H_INJECT, (0, 0, 0), [(REST + STRONG,)])
    await_events(probe, known, first, 1)
    probe.beats = False
    probe.go(2_500_000)
    probe.beats = True
    probe.greet()
    cells = probe.of(wire.B_HELLO)[-1].unpacked.number("cells")
    require(hear_belief(probe, cells, len(probe.heard))[0] == wire.WHITE, "the reading is gone")
    end_injecting(probe)

"""Readings injected into a board's cells, frame by frame, and the events that it tells of them."""

from __future__ import annotations

from dataclasses import dataclass

from lumiban_fw import wire

from pytest_lumiban.claims import SETTLED_US, Broken, await_ack, hear, settle
from pytest_lumiban.probe import Probe

REST = wire.HALF_SCALE
STRONG = 600
"""Counts above or below rest of a strong piece: some 32 mT, by the usual sensors."""


def begin_injecting(probe: Probe) -> int:
    """A board whose cells read what we say, all at rest; the number of its next event."""
    probe.greet()
    settle(probe)
    probe.order(wire.H_CFG, (wire.CFG_INJECT, 1))
    await_ack(probe, 1)
    probe.rest(SETTLED_US)
    known = len(probe.frames)
    probe.say(wire.H_GET_STATE)
    next_event = hear(probe, wire.B_STATE, since=known)["event"]
    probe.say(wire.H_ACK, (next_event,))
    probe.run(100_000)
    return next_event


def end_injecting(probe: Probe) -> None:
    """Let the board read its sensors again, and forget what it told."""
    probe.order(wire.H_CFG, (wire.CFG_INJECT, 0))
    probe.run(SETTLED_US)
    next_event = probe.of(wire.B_STATE)[-1]["event"]
    probe.say(wire.H_ACK, (next_event,))
    probe.run(100_000)


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
    events = []
    for one in probe.of(wire.B_EVENTS, since):
        frame = one.unpacked
        unit = wire.AGED_US if one.flags & wire.AGED else 1
        for k, (cell, kind, dt, half) in enumerate(frame.tail):
            numbers = [int(n) for n in (cell, kind, dt, half)]
            t_us = frame.number("base_us") * unit + numbers[2] * wire.EVENT_STEP_US
            events.append(
                ToldEvent(
                    frame.number("first") + k,
                    t_us & 0xFFFFFFFF,
                    numbers[0],
                    numbers[1],
                    numbers[3] * wire.UNSURE_STEP_US,
                )
            )
    return events


def await_events(
    probe: Probe, since: int, first: int, count: int, after: str = "readings were injected"
) -> list[ToldEvent]:
    """Events from a number on, so many, each once and in order of their numbers."""

    def arrived() -> dict[int, ToldEvent]:
        return {event.number: event for event in told_events(probe, since) if event.number >= first}

    if not probe.until(lambda: len(arrived()) >= count, 2_000_000):
        raise Broken(f"{after}, and {len(arrived())} of {count} events were told")
    return [event for _, event in sorted(arrived().items())]

"""What `bench latency` counts: from an event to the light that answers it, with and without the
time for which other programs had the core."""

from __future__ import annotations

import gc

import pytest
from lumiban_fw import wire
from lumiban_lab.latency import Collections, Tap, Waits


class Scripted(Waits):
    """Tells the waits that a test wants."""

    def __init__(self) -> None:
        self.waited_ns = 0

    def ns(self) -> int:
        return self.waited_ns


def event(number: int) -> bytes:
    return wire.frame(wire.B_EVENTS, wire.pack_events(number, 1_000, [(3, 1, 1_000, 500)]))


def test_waits_for_a_core_are_left_out_and_resent_events_counted_once(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    now_ns = spent_ns = 0
    monkeypatch.setattr("time.perf_counter_ns", lambda: now_ns)
    monkeypatch.setattr("time.thread_time_ns", lambda: spent_ns)
    waits = Scripted()
    tap = Tap(waits)
    tap(False, event(0))
    now_ns, spent_ns, waits.waited_ns = 9_000_000, 800_000, 8_000_000
    tap(True, wire.frame(wire.H_COMMIT, bytes(8)))
    tap(False, event(0))  # sent again: no news
    now_ns = 20_000_000
    tap(False, event(1))
    times, unanswered = tap.answers_us()
    assert (times.clock, times.own, times.cpu, unanswered) == ([9_000.0], [1_000.0], [800.0], 1)
    figures = times.figures("with_bot_")
    assert (figures["with_bot_own_worst_us"], figures["with_bot_p99_us"]) == (1_000, 9_000)


def test_the_collector_s_time_is_counted_while_it_is_asked_for() -> None:
    collected = Collections()
    with collected:
        gc.collect()
    assert len(collected.took_us) == 1
    gc.collect()
    assert len(collected.took_us) == 1

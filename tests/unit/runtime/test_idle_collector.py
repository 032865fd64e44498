"""Garbage of a table is looked for between stones, and what stays is looked through once."""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterator

import pytest
from lumiban.runtime.idle_collector import IDLE_S, REST_S, IdleCollector


class Loop:
    """A clock and a `call_later` that a test moves on."""

    def __init__(self) -> None:
        self.now = 100.0
        self.calls: list[tuple[float, Callable[[], None]]] = []

    def time(self) -> float:
        return self.now

    def call_later(self, wait_s: float, call: Callable[[], None]) -> None:
        self.calls.append((self.now + wait_s, call))

    def pass_s(self, seconds: float) -> None:
        until = self.now + seconds
        while self.calls and min(at for at, _ in self.calls) <= until:
            at, call = min(self.calls, key=lambda one: one[0])
            self.calls.remove((at, call))
            self.now = at
            call()
        self.now = until


class Ring:
    """What only the collector can free."""

    alive = 0

    def __init__(self) -> None:
        self.own = self
        Ring.alive += 1

    def __del__(self) -> None:
        Ring.alive -= 1


@pytest.fixture
def loop() -> Iterator[Loop]:
    gc.disable()  # nothing but what is tested collects
    gc.freeze()  # all that tests have imported is half a second's look
    Ring.alive = 0
    yield Loop()
    gc.freeze()
    gc.enable()


@pytest.fixture
def collector(loop: Loop) -> Iterator[IdleCollector]:
    found = IdleCollector(loop.call_later, loop.time)
    found.start()
    yield found
    found.stop()


def test_what_there_is_at_the_start_is_set_aside(loop: Loop) -> None:
    before = gc.get_freeze_count()
    kept = [[n] for n in range(1000)]
    collector = IdleCollector(loop.call_later, loop.time)
    collector.start()
    set_aside, left = gc.get_freeze_count() - before, len(gc.get_objects(generation=2))
    collector.stop()
    assert set_aside >= len(kept)
    assert left == 0


def test_garbage_is_freed_once_steps_are_over_and_not_between_two_that_follow(
    loop: Loop, collector: IdleCollector
) -> None:
    Ring()
    for _ in range(20):
        collector.stepped()
        loop.pass_s(IDLE_S / 2)
    assert Ring.alive == 1
    loop.pass_s(IDLE_S)
    assert Ring.alive == 0


def test_what_stays_is_looked_through_once(loop: Loop, collector: IdleCollector) -> None:
    kept = [[n] for n in range(1000)]
    collector.stepped()
    loop.pass_s(2 * IDLE_S)
    looked = [len(gc.get_objects(generation=n)) for n in range(3)]
    assert sum(looked) < len(kept)


def test_a_table_at_rest_is_not_woken(loop: Loop, collector: IdleCollector) -> None:
    collector.stepped()
    loop.pass_s(10 * REST_S)
    assert loop.calls == []


def test_circles_of_a_game_that_is_over_are_freed_when_nothing_goes_on(
    loop: Loop, collector: IdleCollector
) -> None:
    ring = Ring()
    collector.stepped()
    loop.pass_s(2 * IDLE_S)  # set aside as part of the game
    del ring
    collector.game_ended()
    collector.stepped()
    loop.pass_s(REST_S / 2)
    assert Ring.alive == 1, "50 ms may not come while stones are being set up"
    loop.pass_s(REST_S)
    assert Ring.alive == 0
    assert gc.get_freeze_count() > 0, "what is left is set aside again"


def test_in_the_end_all_is_as_before(loop: Loop) -> None:
    usual = gc.get_threshold()
    collector = IdleCollector(loop.call_later, loop.time)
    collector.start()
    collector.stop()
    assert gc.get_threshold() == usual
    assert gc.get_freeze_count() == 0
    collector.stepped()
    assert loop.calls == []

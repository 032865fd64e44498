"""A time may wait long before it is worked out: what was overwritten meanwhile is not read."""

from __future__ import annotations

from array import array
from typing import Any

import pytest
from lumiban_fw import contact
from lumiban_fw.contact import UNSURE_US
from sense_bench import NOISE_COUNTS, STRONG, Bench, Event, falls
from thorough import some

TOUCH_US = 500_000


def waited(frames: int, *, mm_s: float = 100, seed: int = 1) -> Event:
    """The event of a piece put down, whose time was worked out so many frames after it settled."""
    bench = Bench({9: falls(STRONG, TOUCH_US, mm_s)}, noise=NOISE_COUNTS, seed=seed)
    bench.sense.steps = 1
    while not bench.sense.working():
        bench.run(bench.t_us + 1000)
    bench.run(bench.t_us + 1000 * frames)
    while bench.sense.working():
        bench.sense.work(bench.sense.steps)
    (event,) = bench.sense.found
    return event


def without_references(*_: object) -> None:
    return None


@pytest.mark.parametrize("seed", some(range(2), 2))
@pytest.mark.parametrize("frames", [380, 440, 700])
def test_a_time_worked_out_late_is_the_same_or_does_without_the_reference(
    frames: int, seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    late = waited(frames, seed=seed)
    at_once = waited(0, seed=seed)
    monkeypatch.setattr(contact, "ground_mean", without_references)
    assert late in (at_once, waited(0, seed=seed))


def test_a_time_that_waits_for_a_third_of_a_second_is_worked_out_as_at_once() -> None:
    for seed in range(2):
        assert waited(200, seed=seed, mm_s=200) == waited(0, seed=seed, mm_s=200)


def test_the_watermark_waits_for_a_time_that_is_being_worked_out() -> None:
    bench = Bench({9: falls(STRONG, TOUCH_US, 100)}, noise=NOISE_COUNTS)
    sense = bench.sense
    sense.steps = 1
    while not sense.working():
        bench.run(bench.t_us + 1000)
    marks = []
    while not sense.found:
        bench.run(bench.t_us + 1000)
        marks.append(sense.watermark_us)
        sense.work(sense.steps)
    assert len(marks) > 3
    assert max(marks) <= sense.found[0][0]


def test_a_time_whose_frames_are_overwritten_is_told_as_unsure() -> None:
    t_us, cell, _, uncertainty = waited(1_990)
    assert (cell, uncertainty) == (9, UNSURE_US)
    assert abs(t_us - TOUCH_US) < 60_000


def test_times_are_worked_on_by_steps_and_more_than_two_that_wait_are_a_crowd(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    done: list[int] = []

    def steps(*_given: object) -> Any:
        while True:
            done.append(1)
            yield None

    monkeypatch.setattr(contact, "estimate_time", steps)
    for waiting in (1, 2, 3):
        queue = contact.TimingQueue(None, None, array("i"), array("i"), contact.Gaps())  # type: ignore[arg-type]
        way = contact.Trajectory(memoryview(array("h")), 0, 0)
        for _ in range(waiting):
            queue.add(way, 1)
        done.clear()
        queue.work(2, 0, [])
        assert len(done) == 2
        assert queue.crowded() is (waiting > 2)

"""Events before they are told: released in order, kept in the ring until acknowledged."""

from __future__ import annotations

from hypothesis import example, given, settings
from hypothesis import strategies as st
from lumiban.boards.messages import unpack_events
from lumiban_fw import wire
from lumiban_fw.events import EventRing, ReorderBuffer
from thorough import examples


def test_what_is_overtaken_is_marked_late() -> None:
    release = ReorderBuffer()
    release.add((500, 1, wire.WHITE, 0))
    assert release.leave(600) == [(500, 1, wire.WHITE, 0)]
    release.add((700, 3, wire.BLACK, 0))
    release.add((400, 2, wire.WHITE, 0))
    release.add((500, 4, wire.WHITE, 0))
    assert release.leave(601) == [
        (400, 2, wire.WHITE | wire.LATE, 0),
        (500, 4, wire.WHITE, 0),
    ]
    assert not release.empty()
    assert release.leave(700) == []  # the watermark must be beyond it
    assert release.leave(701) == [(700, 3, wire.BLACK, 0)]


@settings(max_examples=examples(60))
@given(st.lists(st.one_of(st.integers(1, 40), st.none()), max_size=60))
@example([40] * 8)
@example([40] * 8 + [None] * 9)
def test_the_ring_keeps_everything_not_acknowledged_up_to_256(script: list[int | None]) -> None:
    ring = EventRing()
    acknowledged = 0
    now_us = 0
    for step in script:
        now_us += 600_000
        if step is None:
            acknowledged = max(acknowledged, ring.next // 2)
            ring.acknowledge(acknowledged)
        else:
            for _ in range(step):
                ring.add((ring.next * 10, ring.next % 61, wire.WHITE, 0))
        assert ring.next - ring.first <= wire.RING_EVENTS
        assert ring.first == max(acknowledged, ring.next - wire.RING_EVENTS, ring.first)
        assert ring.overflowed() == (ring.first > acknowledged)
        for _ in range(20):
            got = []
            for payload, flags in ring.payloads(now_us, now_us, now_us):
                assert flags == 0
                first, base, _, events_ = unpack_events(payload)
                got += [first + k for k in range(len(events_))]
                assert base == first * 10
                assert [cell for cell, _, _, _ in events_] == [
                    (first + k) % 61 for k in range(len(events_))
                ]
            assert got == list(range(got[0], got[0] + len(got))) if got else True
        assert ring.due_us() > now_us


def test_events_that_waited_longer_than_their_time_goes_round_say_so() -> None:
    ring = EventRing()
    ring.add((1_000, 3, wire.WHITE, 0))
    for waited_us, flags in ((wire.AGED_AFTER_US, 0), (wire.AGED_AFTER_US + 1, wire.AGED)):
        ring.restart()
        now_us = 1_000 + waited_us
        ((_, told),) = ring.payloads(now_us, now_us, now_us)
        assert told == flags


def test_an_ack_from_another_life_is_ignored() -> None:
    ring = EventRing()
    ring.add((0, 0, 1, 0))
    ring.acknowledge(5)
    assert ring.first == 0
    ring.acknowledge(1)
    ring.acknowledge(0)
    assert ring.first == 1

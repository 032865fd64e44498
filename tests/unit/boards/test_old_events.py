"""Events of every age, from the firmware's ring through the product's link: times and order."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from lumiban.boards.link import Link
from lumiban.boards.profile import load
from lumiban.boards.types import BoardEvent, BoardTime, Changed, LinkEvent, Snapshot
from lumiban_fw import wire
from lumiban_fw.events import EventRing, ReorderBuffer
from thorough import examples

HEX3 = load("hex3")
BOOT = 9
MINUTE = 60_000_000
HOUR = 60 * MINUTE
TURN_US = 4_000

GAPS = st.one_of(
    st.integers(0, 30),
    st.integers(0, 700_000),
    st.integers(wire.AGED_AFTER_US - 2_000_000, wire.AGED_AFTER_US + 2_000_000),
    st.integers(2**31 - 2_000_000, 2**31 + 2_000_000),
    st.integers(2**32 - 2_000_000, 2**32 + 2_000_000),
    st.integers(0, 30 * HOUR),
)
FOUND = st.tuples(GAPS, st.integers(0, 18), st.integers(0, 5), st.integers(0, 13_000))
"""After how long, which cell, what, how unsure."""


class RingAlone:
    """The firmware's release and ring with only as much of a board as a link asks for."""

    def __init__(self, began_us: int) -> None:
        self.now_us = began_us
        self.ring, self._release = EventRing(), ReorderBuffer()
        self.added: list[tuple[int, int, int, int]] = []
        """(time, cell, kind, uncertainty) as they left, by number."""
        self.session = 0
        self._beat_us = 0
        self._decoder = wire.Decoder()

    def find(self, t_us: int, cell: int, kind: int, uncertainty: int) -> None:
        """An event settles and is released at once, late if need be."""
        self._release.add((t_us, cell, kind, uncertainty))
        for event in self._release.leave(self.now_us + 1):
            self.ring.add(event)
            self.added.append(event)

    def hear(self, data: bytes) -> list[bytes]:
        out = []
        for kind, _, _, _, payload in self._decoder.feed(data):
            if kind == wire.H_HELLO:
                self.session = wire.unpack_host_hello(payload)[2]
                hello = wire.pack_board_hello(
                    b"hex3", 1, 19, 19, 1, b"\1" * 8, BOOT, self.session, self.now_us, 1000, 1, 1
                )
                out.append(wire.frame(wire.B_HELLO, hello))
                self.ring.restart()
            elif kind == wire.H_ACK:
                self.ring.acknowledge(wire.unpack_u32(payload))
            elif kind == wire.H_CLOCK:
                told = wire.pack_board_clock(wire.unpack_u32(payload), self.now_us, 0)
                out.append(wire.frame(wire.B_CLOCK, told))
        return out

    def say(self) -> list[bytes]:
        if not self.session:
            return []
        out = []
        if self.now_us >= self._beat_us:
            self._beat_us = self.now_us + wire.BEAT_US
            out.append(wire.frame(wire.B_BEAT, wire.pack_board_beat(self.now_us, self.now_us)))
        if self.now_us >= self.ring.due_us():
            for payload, flags in self.ring.payloads(self.now_us, self.now_us, self.now_us):
                out.append(wire.frame(wire.B_EVENTS, payload, flags))
        return out


def told_by(
    board: RingAlone, losses: Sequence[bool], fresh: Sequence[tuple[int, int]], slow: int
) -> list[BoardEvent]:
    """What the link tells of all events when the host comes now; while it listens, `fresh` ones
    (cell, kind) are found. Each True of `losses` loses one of the board's frames of EVENTS; all
    is acknowledged every `slow` turns."""
    first = board.ring.first
    link, host_us = Link(HEX3, 3, resume=(BOOT, board.ring.first)), 50_000
    link.opened(host_us)
    lost, coming = iter(losses), list(fresh)
    log: list[LinkEvent] = []
    news: list[BoardEvent] = []
    for turn in range(2_000):
        frames = board.hear(link.take_output()) + board.say()
        whole = [f for f in frames if f[1] != wire.B_EVENTS or not next(lost, False)]
        told = link.receive(b"".join(whole), host_us) + link.poll(host_us)
        log += told
        for event in told:
            if isinstance(event, Changed):
                news += event.events
        if news and turn % slow == 0:
            link.acknowledge(news[-1].number + 1)
        if coming and turn % 3 == 0:
            board.find(board.now_us, *coming.pop(), 100)
        elif not coming and len(news) == len(board.added) - first:
            break
        board.now_us += TURN_US
        host_us += TURN_US
    assert not any(isinstance(event, Snapshot) for event in log)
    times = [event.now_us for event in log if isinstance(event, BoardTime)]
    assert times == sorted(times)
    assert all(time <= board.now_us + TURN_US for time in times)
    return news


@pytest.mark.slow
@settings(max_examples=examples(150))
@given(
    began_us=st.one_of(st.integers(0, 10 * MINUTE), st.integers(2**32 - MINUTE, 2**32 + MINUTE)),
    found=st.lists(FOUND, min_size=1, max_size=40),
    many=st.integers(1, 8),
    wait_us=GAPS,
    losses=st.lists(st.booleans(), max_size=30),
    fresh=st.lists(st.tuples(st.integers(0, 18), st.integers(0, 5)), max_size=6),
    slow=st.integers(1, 9),
)
@example(0, [(0, 1, 1, 0), (8, 2, 1, 0)], 1, 0, [], [], 1)
@example(96, [(0, 1, 1, 0), (94, 2, 1, 0), (2, 2, 1, 0)], 3, 0, [], [], 1)
@example(0, [(5, 1, 1, 0)], 1, 3 * HOUR, [], [(2, 1)], 1)
def test_events_of_every_age_keep_their_times_and_their_order(
    began_us: int,
    found: list[tuple[int, int, int, int]],
    many: int,
    wait_us: int,
    losses: list[bool],
    fresh: list[tuple[int, int]],
    slow: int,
) -> None:
    board = RingAlone(began_us)
    for _ in range(many):
        for gap_us, cell, kind, uncertainty in found:
            board.now_us += gap_us
            board.find(board.now_us, cell, kind, uncertainty)
    board.now_us += wait_us
    first = board.ring.first
    news = told_by(board, losses, fresh, slow)
    assert [event.number for event in news] == list(range(first, len(board.added)))
    for event, (t_us, cell, kind, uncertainty) in zip(news, board.added[first:], strict=True):
        assert (event.cell, event.kind) == (cell, kind)
        assert abs(event.t_us - t_us) < wire.EVENT_STEP_US
        assert uncertainty <= event.uncertainty_us or event.uncertainty_us == 12_750
        assert not event.is_late
    times = [event.t_us for event in news]
    assert times == sorted(times)


def test_a_late_event_keeps_its_word_for_it_at_every_age() -> None:
    for wait_us in (0, wire.AGED_AFTER_US + 5, 2**31 + 5, 2**32 + 5, 50 * HOUR):
        board = RingAlone(MINUTE)
        board.find(MINUTE, 1, wire.WHITE, 50)
        board.find(MINUTE - 5_000, 2, wire.WHITE, 50)
        board.now_us += wait_us
        on_time, late = told_by(board, [], [], 1)
        assert (on_time.is_late, late.is_late) == (False, True)
        assert abs(on_time.t_us - late.t_us - 5_000) <= wire.EVENT_STEP_US


@pytest.mark.parametrize("base_us", [-2_000_000, 3_000_000])
def test_events_of_before_power_on_or_of_the_future_wait_until_they_are_told_right(
    base_us: int,
) -> None:
    """A changed frame whose checksum is right: nothing of it is taken, and the board repeats."""
    board = RingAlone(1_000_000)
    link = Link(HEX3, 3, resume=(BOOT, 0))
    link.opened(0)
    link.receive(b"".join(board.hear(link.take_output())), 0)
    wrong = wire.pack_events(0, 1_000_000, [(4, 1, base_us + 1_000_000, 100)])
    told = link.receive(wire.frame(wire.B_EVENTS, wrong), 10)
    assert not [event for event in told if isinstance(event, Changed)]
    right = wire.pack_events(0, 1_000_000, [(4, 1, 900_000, 100)])
    (change,) = (
        event
        for event in link.receive(wire.frame(wire.B_EVENTS, right), 20)
        if isinstance(event, Changed)
    )
    assert change.events[0].t_us == 900_000

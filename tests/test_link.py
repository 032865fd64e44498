"""The link machine against a scripted board: loss, repeats, strangers, snapshots, resuming."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import replace
from typing import TypeVar

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lumiban.boards.belief import OVERFLOW_PATIENCE_US, PATIENCE_US
from lumiban.boards.clock import BoardClock
from lumiban.boards.link import GREETING_US, HELLO_RETRY_US, Link
from lumiban.boards.profile import load
from lumiban.boards.sender import Sender
from lumiban.boards.told import runs
from lumiban.boards.types import (
    BoardEvent,
    BoardTime,
    Changed,
    Connected,
    Faulty,
    LightFrame,
    LinkEvent,
    Lost,
    Snapshot,
)
from lumiban_fw import wire

HEX3, HEX5 = load("hex3"), load("hex5")
BOOT = 77
T = TypeVar("T")


class ScriptedBoard:
    """Just enough of a board: it answers HELLO, keeps events, obeys reliable frames in order."""

    def __init__(self, model: bytes = b"hex3", cells: int = 19, boot_id: int = BOOT) -> None:
        self.model, self.cells, self.boot_id = model, cells, boot_id
        self.ahead_us = 5_000_000_000  # beyond 32 bits
        self.now = 0
        self.kinds = bytearray(cells)
        self.events: list[tuple[int, int, int, int]] = []
        self.acked = 0
        self.sent = 0
        self.session = -1
        self.expected = 0
        self.staged: dict[int, tuple[int, int]] = {}
        self.shown: dict[int, tuple[int, int]] = {}
        self.colours: dict[int, tuple[int, int, int]] = {}
        self.got: list[int] = []
        self.out = bytearray()
        self.mute = False
        self.talks = True
        self.ring = 256
        self.overflowed = False
        self._decoder = wire.Decoder()
        self._beat = self._state = self._resend = 0

    @property
    def board_us(self) -> int:
        return self.now + self.ahead_us

    def happen(self, cell: int, kind: int, t_us: int | None = None) -> None:
        self.events.append((cell, kind, self.board_us if t_us is None else t_us, 100))
        if cell < self.cells:
            self.kinds[cell] = kind & wire.KIND
        if len(self.events) - self.acked > self.ring:
            self.acked = len(self.events) - self.ring
            self.sent = max(self.sent, self.acked)
            self.overflowed = True

    def send(self, kind: int, payload: bytes = b"", flags: int = 0) -> None:
        if not self.mute:
            self.out += wire.frame(kind, payload, flags, 0, self.expected)

    def state(self, kinds: bytes | None = None, event: int | None = None) -> list[bytes]:
        kinds = bytes(self.kinds) if kinds is None else kinds
        event = len(self.events) if event is None else event
        parts = -(-len(kinds) // wire.CELLS_A_STATE)
        flags = wire.OVERFLOWED if self.overflowed else 0
        size = wire.CELLS_A_STATE
        return [
            wire.pack_state(
                self.board_us, event, self.board_us, flags, p, parts, kinds[p * size :][:size]
            )
            for p in range(parts)
        ]

    def hello(self, session: int) -> bytes:
        return wire.pack_board_hello(
            self.model, 1, self.cells, self.cells, 1, b"\1" * 8, self.boot_id, session,
            self.board_us, 1000, wire.CAN_ORDER, 1,
        )  # fmt: skip

    def hear(self, data: bytes) -> None:
        for kind, flags, seq, _, payload in self._decoder.feed(data):
            self.got.append(kind)
            if self.session < 0 and kind != wire.H_HELLO:
                continue
            if flags & wire.RELIABLE:
                if seq != self.expected:
                    self.send(wire.B_ACK)
                    continue
                self.expected = (seq + 1) & 0xFF
            self._obey(kind, payload)
            if flags & wire.RELIABLE:
                self.send(wire.B_ACK)

    def _obey(self, kind: int, payload: bytes) -> None:
        if kind == wire.H_HELLO:
            self.session = wire.unpack_host_hello(payload)[2]
            self.expected = 0
            self.sent = self.acked
            self.send(wire.B_HELLO, self.hello(self.session))
            self._state = self._beat = self._resend = self.now
        elif kind == wire.H_ACK:
            number = wire.unpack_u32(payload)
            if self.acked <= number <= len(self.events):
                self.acked, self.sent = number, max(self.sent, number)
                self.overflowed = False
        elif kind == wire.H_GET_STATE:
            self._state = self.now
        elif kind == wire.H_CLOCK:
            token = wire.unpack_u32(payload)
            self.send(wire.B_CLOCK, wire.pack_board_clock(token, self.board_us, 0))
        elif kind == wire.H_LAYER:
            _, first, lights = wire.unpack_layer(payload)
            self.staged.update(enumerate(lights, first))
        elif kind == wire.H_PALETTE:
            start, colours = wire.unpack_palette(payload)
            self.colours.update(enumerate(colours, start))
        elif kind == wire.H_COMMIT:
            self.shown = dict(self.staged)

    def tick(self, now: int) -> bytes:
        self.now = now
        if self.session >= 0 and self.talks:
            if now >= self._state:
                self._state = now + 500_000
                for part in self.state():
                    self.send(wire.B_STATE, part)
            if now >= self._beat:
                self._beat = now + 500_000
                self.send(wire.B_BEAT, wire.pack_board_beat(self.board_us, self.board_us))
            due = now >= self._resend
            start = self.acked if due else self.sent
            if due or self.acked == len(self.events):
                self._resend = now + 50_000
            while start < len(self.events):
                batch = self.events[start : start + wire.EVENTS_A_FRAME]
                batch = [e for e in batch if wire.fits_events(batch[0][2], e[2])]
                self.send(wire.B_EVENTS, wire.pack_events(start, self.board_us, batch))
                start += len(batch)
            self.sent = max(self.sent, start)
        data = bytes(self.out)
        self.out.clear()
        return data


class Desk:
    """A link and a board in virtual time, with a line that `spoil` may spoil in both directions."""

    def __init__(
        self,
        board: ScriptedBoard | None = None,
        *,
        resume: tuple[int, int] | None = None,
        spoil: Callable[[bytes], bytes] = bytes,
        session: int = 9,
    ) -> None:
        self.board = board or ScriptedBoard()
        profile = HEX3 if self.board.cells == 19 else HEX5
        self.link = Link(profile, session, resume=resume)
        self.spoil = spoil
        self.now = 0
        self.log: list[LinkEvent] = []
        self.durable = True

    def begin(self) -> Desk:
        self._take(self.link.opened(self.now))
        return self

    def _take(self, events: list[LinkEvent]) -> None:
        self.log += events
        for event in events:
            if isinstance(event, Changed) and self.durable:
                self.link.acknowledge(event.events[-1].number + 1)

    def run(self, until: int, step: int = 1_000) -> Desk:
        while self.now < until:
            out = self.link.take_output()
            if out:
                self.board.hear(self.spoil(out))
            data = self.board.tick(self.now)
            if data:
                self._take(self.link.receive(self.spoil(data), self.now))
            due = self.link.next_deadline()
            if due is not None and due <= self.now:
                self._take(self.link.poll(self.now))
                due = self.link.next_deadline()
                assert due is None or due > self.now  # else a shell would spin
            self.now += step
        return self

    def told(self, kind: type[T]) -> list[T]:
        return [event for event in self.log if isinstance(event, kind)]

    @property
    def events(self) -> list[BoardEvent]:
        return [event for change in self.told(Changed) for event in change.events]


def picture(*lit: int, lights: int = 19, colours: int = 3) -> LightFrame:
    return LightFrame(
        tuple((1, 2) if i in lit else (0, 0) for i in range(lights)),
        tuple((i, i, i) for i in range(colours)),
    )


# Greeting.


def test_a_board_is_greeted_and_its_picture_follows() -> None:
    desk = Desk()
    desk.board.kinds[4] = 2
    desk.begin().run(100_000)
    kinds = [type(e) for e in desk.log if not isinstance(e, BoardTime)]
    assert kinds == [Connected, Snapshot]
    hello = desk.told(Connected)[0].hello
    assert (hello.model, hello.cells, hello.boot_id, hello.uid) == ("hex3", 19, BOOT, "01" * 8)
    snapshot = desk.told(Snapshot)[0]
    assert snapshot.kinds[4] == 2
    assert sum(snapshot.kinds) == 2
    assert not snapshot.healed
    assert snapshot.t_us == pytest.approx(5_000_000_000, abs=100_000)


def test_the_first_bytes_flush_what_the_board_half_heard() -> None:
    desk = Desk().begin()
    desk.board.hear(b"\x07half a frame")
    assert desk.link.take_output()[:1] == b"\0"
    desk.begin().run(50_000)
    assert desk.link.connected


def test_bytes_of_an_older_session_are_not_believed() -> None:
    desk = Desk()
    desk.begin()
    stale = ScriptedBoard(boot_id=3)
    stale.kinds[:] = b"\1" * 19
    stale.happen(3, 1)
    old = wire.frame(wire.B_HELLO, stale.hello(8)) + b"".join(
        wire.frame(wire.B_STATE, part) for part in stale.state()
    )
    old += wire.frame(wire.B_EVENTS, wire.pack_events(0, 0, stale.events))
    assert desk.link.receive(b"rubbish\0" + old + b"\x09tail", 0) == []
    desk.run(400_000)
    assert desk.told(Connected)[0].hello.boot_id == BOOT
    assert desk.told(Snapshot)[0].kinds == (0,) * 19


def test_a_lost_greeting_is_repeated_every_quarter_second() -> None:
    desk = Desk().begin()
    desk.link.take_output()
    assert desk.link.next_deadline() == HELLO_RETRY_US
    assert desk.link.poll(HELLO_RETRY_US) == []
    assert wire.Decoder().feed(desk.link.take_output())[0][0] == wire.H_HELLO
    desk.now = HELLO_RETRY_US
    desk.link.poll(2 * HELLO_RETRY_US)
    desk.run(600_000)
    assert desk.link.connected


def test_silence_at_the_greeting_is_no_board() -> None:
    board = ScriptedBoard()
    board.mute = True
    desk = Desk(board).begin().run(GREETING_US + 10_000)
    assert desk.log == [Lost("not-a-board")]
    assert board.got.count(wire.H_HELLO) == 10
    assert desk.link.next_deadline() is None


def test_chatter_of_another_device_is_no_board() -> None:
    desk = Desk().begin()
    desk.link.take_output()
    dice = random.Random(4)
    for now in range(0, GREETING_US + 1, 50_000):
        desk.log += desk.link.receive(dice.randbytes(200), now)
        desk.log += desk.link.poll(now)
    assert desk.log == [Lost("not-a-board")]


def other_major(major: int, payload: bytes) -> bytes:
    """A frame whose header tells another major version."""
    body = bytes((wire.B_HELLO, major << 4, 0, 0)) + payload
    crc = wire.crc16(body)
    return wire.cobs(body + bytes((crc & 255, crc >> 8))) + b"\0"


def test_another_major_is_refused_by_its_header() -> None:
    desk = Desk().begin()
    stale = b"\2\0" + bytes(27) + (8).to_bytes(4, "little") + b"whatever follows"
    ours = b"\2\0" + bytes(27) + (9).to_bytes(4, "little") + b"whatever follows"
    assert desk.link.receive(other_major(2, stale) * 3, 10) == []
    assert desk.link.receive(other_major(2, b"\2\0short"), 20) == []
    assert desk.link.receive(other_major(2, ours), 30) == [Lost("wrong-major", "2")]


def test_another_major_is_refused_by_hello() -> None:
    desk = Desk().begin()
    hello = bytearray(desk.board.hello(9))
    hello[0] = 3
    answer = wire.frame(wire.B_HELLO, bytes(hello))
    assert desk.link.receive(answer, 10) == [Lost("wrong-major", "3")]


def test_another_major_is_refused_by_a_fault_that_comes_again_or_stays_alone() -> None:
    fault = wire.frame(wire.B_FAULT, wire.pack_fault(wire.FAULT_VERSION, 2))
    desk = Desk().begin()
    assert desk.link.receive(fault, 10) == []
    assert desk.link.receive(fault, 250_000) == [Lost("wrong-major", "2")]
    desk = Desk().begin()
    assert desk.link.receive(fault, 10) == []
    assert desk.link.poll(GREETING_US) == [Lost("wrong-major", "2")]


def test_a_hello_that_nobody_asked_for_opens_nothing() -> None:
    desk = Desk(session=0).begin()
    assert desk.link.receive(wire.frame(wire.B_HELLO, desk.board.hello(0)), 10) == []
    desk.run(100_000)
    assert desk.link.connected


def test_a_reset_board_that_says_hello_is_greeted_anew() -> None:
    desk = Desk().begin().run(100_000)
    desk.board = ScriptedBoard(boot_id=BOOT + 1)
    desk.board.send(wire.B_HELLO, desk.board.hello(0))
    desk.run(200_000)
    assert [c.hello.boot_id for c in desk.told(Connected)] == [BOOT, BOOT + 1]
    assert desk.told(Lost) == []


def test_a_board_unlike_the_profile_is_told_with_both_figures() -> None:
    desk = Desk(ScriptedBoard(model=b"hex3x")).begin().run(100_000)
    assert desk.told(Lost) == [
        Lost(
            "wrong-board",
            "the board is 'hex3x' with 19 cells and 19 lights, "
            "the profile 'hex3' has 19 cells and 19 lights",
        )
    ]


# Events.


def test_events_come_once_in_order_with_their_times() -> None:
    desk = Desk().begin().run(50_000)
    for cell in range(12):
        desk.board.happen(cell, 1 + cell % 2)
        desk.run(desk.now + 3_000)
    desk.board.happen(240, wire.DOWN)
    desk.run(desk.now + 100_000)
    assert [e.number for e in desk.events] == list(range(13))
    assert [e.cell for e in desk.events] == [*range(12), 240]
    assert all(
        abs(e.t_us - t) < 10 for e, (_, _, t, _) in zip(desk.events, desk.board.events, strict=True)
    )
    assert desk.board.acked == 13
    assert {e.uncertainty_us for e in desk.events} == {100}


def test_a_late_event_is_marked() -> None:
    desk = Desk().begin().run(50_000)
    desk.board.happen(3, 1 | wire.LATE)
    desk.run(100_000)
    assert [(e.kind, e.late) for e in desk.events] == [(1, True)]


def test_events_stay_on_the_board_until_they_are_durable() -> None:
    desk = Desk()
    desk.durable = False
    desk.begin().run(50_000)
    desk.board.happen(3, 1)
    desk.run(400_000)
    assert len(desk.events) == 1  # resent several times, told once
    assert desk.link.statistics.repeats >= 2
    assert desk.board.acked == 0
    desk.link.acknowledge(1)
    desk.run(500_000)
    assert desk.board.acked == 1


def test_a_lost_acknowledgement_is_said_again() -> None:
    desk = Desk().begin().run(50_000)
    desk.board.happen(3, 1)
    desk.durable = False
    desk.run(60_000)
    desk.link.acknowledge(1)
    desk.link.take_output()  # lost on the way
    desk.run(200_000)
    assert desk.board.acked == 1


def test_old_waiting_events_keep_their_old_times() -> None:
    board = ScriptedBoard()
    hour = 3_600_000_000
    board.happen(3, 1, board.board_us - hour)
    desk = Desk(board, resume=(BOOT, 0)).begin().run(50_000)
    assert desk.events[0].t_us == board.events[0][2]


def test_an_event_that_the_ring_lost_is_made_up_by_a_state() -> None:
    desk = Desk().begin().run(50_000)
    desk.board.mute = True
    for i in range(300):
        desk.board.happen(i % 19, 1 + i % 2)
    desk.board.mute = False
    desk.run(50_000 + OVERFLOW_PATIENCE_US + 600_000)
    assert desk.events == []
    first, mended = desk.told(Snapshot)
    assert not first.healed
    assert mended.healed
    assert mended.next_event == 300
    assert bytes(mended.kinds) == bytes(desk.board.kinds)
    assert desk.link.statistics.gaps == 1
    desk.link.acknowledge(300)
    desk.board.happen(5, 3)
    desk.run(desk.now + 100_000)
    assert [(e.number, e.kind) for e in desk.events] == [(300, 3)]


def test_events_that_never_come_are_made_up_after_a_while() -> None:
    desk = Desk().begin().run(50_000)
    desk.board.happen(4, 1)
    desk.board.acked = desk.board.sent = 1  # the board thinks that we have it
    desk.run(50_000 + PATIENCE_US - 100_000)
    assert len(desk.told(Snapshot)) == 1
    desk.run(50_000 + PATIENCE_US + 600_000)
    assert desk.told(Snapshot)[-1].healed
    assert desk.told(Snapshot)[-1].kinds[4] == 1


def test_a_state_that_contradicts_the_belief_heals_it() -> None:
    desk = Desk().begin().run(50_000)
    desk.board.kinds[7] = 2  # without an event
    desk.run(1_200_000)
    assert [s.healed for s in desk.told(Snapshot)] == [False, True]
    assert desk.told(Snapshot)[-1].kinds[7] == 2
    assert desk.link.statistics.heals == 1


def test_a_state_is_not_compared_while_events_are_under_way() -> None:
    desk = Desk().begin().run(50_000)
    desk.board.happen(4, 1)
    for part in desk.board.state():
        desk.board.out += wire.frame(wire.B_STATE, part)
    desk.run(2_000_000)
    assert [s.healed for s in desk.told(Snapshot)] == [False]
    assert len(desk.events) == 1


def big_link() -> tuple[Link, bytes]:
    profile = replace(HEX5, name="big", cells=HEX5.cells * 3, lights=183)
    link = Link(profile, 1)
    link.opened(0)
    board = ScriptedBoard(b"big", 183)
    link.receive(wire.frame(wire.B_HELLO, board.hello(1)), 0)
    return link, bytes(i % 4 for i in range(183))


def test_a_state_in_parts_counts_when_all_parts_agree() -> None:
    link, kinds = big_link()
    board = ScriptedBoard(b"big", 183)
    one, two, three = board.state(kinds)
    board.now = 600_000
    other = board.state(bytes(183))

    def told(payload: bytes) -> list[LinkEvent]:
        events = link.receive(wire.frame(wire.B_STATE, payload), 1_000)
        return [e for e in events if isinstance(e, Snapshot)]

    assert told(one) == told(three) == []
    assert told(other[1]) == []  # of another time: it completes nothing
    assert told(two) == []
    assert told(three) == told(three) == []
    snapshot = told(one)[0]
    assert isinstance(snapshot, Snapshot)
    assert bytes(snapshot.kinds) == kinds


def test_short_and_unknown_frames_change_nothing() -> None:
    desk = Desk().begin().run(50_000)
    odd = [
        wire.frame(wire.B_EVENTS, b"\0" * 5),
        wire.frame(wire.B_STATE, b"\0" * 3),
        wire.frame(wire.B_STATE, wire.pack_state(0, 0, 0, 0, 5, 1, b"")),
        wire.frame(wire.B_BEAT, b""),
        wire.frame(0xE5, b"of a later version"),
        wire.frame(wire.H_HELLO, wire.pack_host_hello(9)),
        wire.frame(wire.B_BEAT, wire.pack_board_beat(0, 0))[:-4] + b"\0",
    ]
    events = [e for f in odd for e in desk.link.receive(f, desk.now)]
    assert [e for e in events if not isinstance(e, BoardTime)] == []
    assert desk.link.connected
    assert desk.link.statistics.broken >= 4


def test_a_fault_is_told() -> None:
    desk = Desk().begin().run(50_000)
    fault = wire.frame(wire.B_FAULT, wire.pack_fault(wire.FAULT_REFERENCE, 3))
    assert Faulty(wire.FAULT_REFERENCE, 3) in desk.link.receive(fault, desk.now)


# Losing and finding.


def test_a_silent_board_is_lost_after_a_second_and_a_half() -> None:
    desk = Desk().begin().run(600_000)
    desk.board.mute = True
    desk.run(2_300_000)
    assert desk.told(Lost) == [Lost("silent")]
    assert not desk.link.connected


def test_reconnecting_loses_and_doubles_nothing() -> None:
    desk = Desk().begin().run(50_000)
    desk.board.happen(1, 1)
    desk.run(70_000)
    desk.log += desk.link.closed("unplugged")
    assert desk.log[-1] == Lost("closed", "unplugged")
    assert desk.link.closed("again") == []
    desk.board.happen(2, 2)
    desk.board.happen(3, 1)
    desk.begin().run(200_000)
    assert [e.cell for e in desk.events] == [1, 2, 3]
    last = desk.told(Snapshot)[-1]
    assert (last.next_event, last.healed) == (3, False)
    assert [type(e).__name__ for e in desk.log if not isinstance(e, BoardTime)] == [
        "Connected", "Snapshot", "Changed", "Lost", "Connected", "Changed", "Snapshot",
    ]  # fmt: skip


def test_a_rebooted_board_is_a_new_one() -> None:
    desk = Desk().begin().run(50_000)
    for cell in range(5):
        desk.board.happen(cell, 1)
    desk.run(100_000)
    again = ScriptedBoard(boot_id=BOOT + 1)
    again.kinds[:] = desk.board.kinds
    desk.board = again
    desk.run(4_000_000)
    assert desk.told(Lost) == [Lost("silent")]
    desk.begin().run(4_100_000)
    assert desk.told(Connected)[-1].hello.boot_id == BOOT + 1
    assert desk.told(Snapshot)[-1].next_event == 0
    desk.link.acknowledge(5)  # of the old boot: not to be taken for new events
    again.happen(9, 2)
    desk.run(4_200_000)
    assert [(e.number, e.cell) for e in desk.events[5:]] == [(0, 9)]


def test_a_board_that_reset_behind_our_back_is_greeted_anew() -> None:
    desk = Desk().begin().run(600_000)
    desk.board.ahead_us = -600_000
    desk.board.boot_id += 1
    desk.run(1_500_000)
    assert desk.told(Lost) == []
    assert [c.hello.boot_id for c in desk.told(Connected)] == [BOOT, BOOT + 1]


def test_a_board_that_forgot_the_session_is_greeted_anew() -> None:
    desk = Desk().begin()
    desk.link.show(picture(1))
    desk.run(100_000)
    desk.board.expected = 200
    desk.run(2_000_000)
    assert len(desk.told(Connected)) == 2
    assert desk.board.shown[1] == (1, 2)


def test_a_new_host_process_resumes_where_the_journal_ends() -> None:
    board = ScriptedBoard()
    first = Desk(board)
    first.durable = False
    first.begin().run(50_000)
    for cell in range(6):
        board.happen(cell, 1)
    first.run(100_000)
    first.link.acknowledge(3)  # four to six were not yet durable when the host died
    first.run(110_000)
    second = Desk(board, resume=(BOOT, 4), session=1234)
    second.now = 110_000
    second.begin().run(300_000)
    assert [e.number for e in second.events] == [4, 5]
    assert board.acked == 6
    assert [s.next_event for s in second.told(Snapshot)] == [6]
    assert not second.told(Snapshot)[0].healed


def test_resuming_another_boot_begins_with_its_picture() -> None:
    board = ScriptedBoard(boot_id=5)
    for cell in range(3):
        board.happen(cell, 1)
    desk = Desk(board, resume=(BOOT, 100)).begin().run(200_000)
    assert desk.events == []
    assert desk.told(Snapshot)[0].next_event == 3
    assert not desk.told(Snapshot)[0].healed


def test_without_resuming_what_was_before_is_no_news() -> None:
    board = ScriptedBoard()
    for cell in range(3):
        board.happen(cell, 1)
    desk = Desk(board).begin().run(200_000)
    assert desk.events == []
    assert desk.told(Snapshot)[0].kinds[:4] == (1, 1, 1, 0)
    assert board.acked == 3
    assert desk.link.resume == (BOOT, 3)


def test_a_number_that_the_board_never_reached_is_set_right() -> None:
    desk = Desk(resume=(BOOT, 50))
    desk.begin().run(200_000)
    assert desk.told(Snapshot)[0].next_event == 0
    desk.board.happen(2, 1)
    desk.run(300_000)
    assert [e.number for e in desk.events] == [0]


def test_a_number_that_the_board_never_reached_acknowledges_nothing_once_it_does() -> None:
    desk = Desk(resume=(BOOT, 3))
    desk.begin().run(200_000)
    desk.durable = False
    for cell in range(5):
        desk.board.happen(cell, 1)
    desk.run(500_000)  # the board sends them again and again, and repeats are acknowledged
    assert [e.number for e in desk.events] == [0, 1, 2, 3, 4]
    assert desk.board.acked == 0


# Light.


def test_a_picture_reaches_the_board_whole_and_at_once() -> None:
    desk = Desk().begin().run(50_000)
    desk.link.show(picture(1, 5, 18, colours=40))
    out = desk.link.take_output()
    kinds = [f[0] for f in wire.Decoder().feed(out)]
    assert kinds == [wire.H_LAYER, *[wire.H_PALETTE] * 3, wire.H_COMMIT]
    desk.board.hear(out)
    assert [i for i, light in desk.board.shown.items() if light == (1, 2)] == [1, 5, 18]
    assert desk.board.colours[39] == (39, 39, 39)


def test_only_what_changed_is_sent() -> None:
    desk = Desk().begin()
    desk.link.show(picture(1))
    desk.run(100_000)
    desk.link.show(picture(1))
    assert desk.link.take_output() == b""
    desk.link.show(picture(2))
    frames = wire.Decoder().feed(desk.link.take_output())
    assert [f[0] for f in frames] == [wire.H_LAYER, wire.H_COMMIT]
    assert wire.unpack_layer(frames[0][4]) == (0, 1, [(0, 0), (1, 2)])


def test_pictures_coalesce_while_the_window_is_full() -> None:
    desk = Desk().begin().run(50_000)
    for i in range(200):
        desk.link.show(picture(i % 19))
    frames = wire.Decoder().feed(desk.link.take_output())
    assert len(frames) <= wire.WINDOW + 1
    desk.run(100_000)  # those frames were lost: they are resent, then the latest follows
    desk.run(600_000)
    assert [i for i, light in desk.board.shown.items() if light == (1, 2)] == [199 % 19]
    assert desk.link.statistics.resent > 0
    assert desk.link.statistics.pictures < 10


def test_pictures_coalesce_while_the_line_is_slow() -> None:
    desk = Desk().begin().run(50_000)
    desk.link.acknowledge(0)
    for _ in range(60):
        desk.link.acknowledge(0)
    pictures = desk.link.statistics.pictures
    desk.link.show(picture(3))
    assert desk.link.statistics.pictures == pictures
    taken = b""
    while part := desk.link.take_output(64):
        assert len(part) <= 64
        taken += part
    kinds = [f[0] for f in wire.Decoder().feed(taken)]
    assert kinds[-1] == wire.H_COMMIT


def test_a_line_that_takes_nothing_makes_no_work() -> None:
    desk = Desk().begin().run(50_000)
    link, now = desk.link, desk.now
    for n in range(100):
        link.show(picture(n % 19))
        link.acknowledge(0)
    polls = 0
    while link.connected:
        due = link.next_deadline()
        assert due is not None
        now = max(now, due)
        link.poll(now)
        polls += 1
    assert polls < 20


def test_after_a_reconnect_the_whole_picture_is_painted_again() -> None:
    desk = Desk().begin()
    desk.link.show(picture(4))
    desk.run(100_000)
    desk.link.closed()
    desk.board.shown.clear()
    desk.board.staged.clear()
    desk.begin().run(300_000)
    assert desk.board.shown[4] == (1, 2)
    assert len(desk.board.shown) == 19


def test_a_picture_shown_before_the_board_is_there_waits_for_it() -> None:
    desk = Desk()
    desk.link.show(picture(2))
    desk.begin().run(100_000)
    assert desk.board.shown[2] == (1, 2)


@given(
    st.lists(st.integers(0, 2), max_size=40),
    st.lists(st.integers(0, 2), max_size=40),
    st.integers(1, 9),
    st.integers(1, 6),
)
def test_runs_cover_all_that_differs_and_no_more_than_allowed(
    old: list[int], new: list[int], most: int, bridge: int
) -> None:
    covered: list[int] = []
    for first, end in runs(old, new, most, bridge):
        assert 0 < end - first <= most
        covered += range(first, end)
    assert covered == sorted(set(covered))
    differs = {i for i, v in enumerate(new) if i >= len(old) or old[i] != v}
    assert differs <= set(covered)


# Time.


def test_the_board_is_told_of_us_twice_a_second() -> None:
    desk = Desk().begin().run(5_000_000)
    assert 9 <= desk.board.got.count(wire.H_BEAT) <= 11
    assert 8 + 3 <= desk.board.got.count(wire.H_CLOCK) <= 8 + 5


def test_board_time_runs_on_and_never_back() -> None:
    desk = Desk().begin()
    for i in range(40):
        desk.run(desk.now + 70_000)
        desk.board.happen(i % 19, 1)
    times = [e.now_us for e in desk.told(BoardTime)]
    assert times == sorted(times)
    assert times[-1] == pytest.approx(desk.board.board_us, abs=200_000)
    assert abs(desk.link.board_now(desk.now) - desk.board.board_us) < 2_000


def test_the_clock_finds_rate_and_offset_through_jitter() -> None:
    dice = random.Random(7)
    clock = BoardClock()
    clock.start(0, 0)
    rate = 1 + 80e-6

    def board(host: float) -> float:
        return 123_456_789 + host * rate

    now = 0
    for _ in range(60):
        now = max(now, clock.due_us())
        token = clock.ask(now)
        there = 150 + int(dice.expovariate(1 / 400))
        back = 150 + int(dice.expovariate(1 / 400))
        now += there + back
        assert clock.answered(token, round(board(now - back)), 0, now)
    assert abs(clock.board_now(now) - board(now)) < 150
    assert abs(clock.board_now(now + 5_000_000) - board(now + 5_000_000)) < 250
    assert not clock.answered(token, 0, 0, now)


# The reliable order.


def test_the_time_out_doubles_and_progress_resets_it() -> None:
    sender = Sender()
    sender.send(wire.H_COMMIT, b"\0" * 4)
    assert sender.fill()
    assert sender.deadline_us() == 0
    sender.stamp(1_000)
    waits = []
    now = 1_000
    for _ in range(6):
        due = sender.deadline_us()
        assert due is not None
        waits.append(due - now)
        assert sender.resend(due - 1) == b""
        assert sender.resend(due)
        now = due
    assert waits == [100_000, 200_000, 400_000, 800_000, 1_000_000, 1_000_000]
    sender.acknowledged(1, now + 3_000)
    assert sender.idle
    sender.send(wire.H_COMMIT, b"\0" * 4)
    sender.fill()
    sender.stamp(now + 10_000)
    sender.acknowledged(2, now + 12_000)  # a trip of 2 ms
    sender.send(wire.H_COMMIT, b"\0" * 4)
    sender.fill()
    sender.stamp(now + 20_000)
    assert sender.deadline_us() == now + 20_000 + wire.RTO_MIN_US


def test_an_old_ack_opens_nothing() -> None:
    sender = Sender()
    for _ in range(20):
        sender.send(wire.H_COMMIT, b"\0" * 4)
    assert len(wire.Decoder().feed(sender.fill())) == wire.WINDOW
    sender.stamp(0)
    sender.acknowledged(5, 10)
    assert [f[2] for f in wire.Decoder().feed(sender.fill())] == [8, 9, 10, 11, 12]
    sender.acknowledged(3, 20)
    sender.acknowledged(200, 20)
    assert sender.fill() == b""
    assert sender.astray == 2


def spoiler(seed: int, odds: float) -> Callable[[bytes], bytes]:
    """Bytes are dropped, doubled and changed, each with these odds."""
    dice = random.Random(seed)

    def spoil(data: bytes) -> bytes:
        out = bytearray()
        for byte in data:
            luck = dice.random()
            if luck < odds:
                continue
            if luck < 2 * odds:
                out.append(byte)
            out.append(byte ^ (1 << dice.randrange(8)) if 2 * odds <= luck < 3 * odds else byte)
        return bytes(out)

    return spoil


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("odds", [0.001, 0.005])
def test_a_bad_line_loses_and_doubles_nothing(seed: int, odds: float) -> None:
    desk = Desk(spoil=spoiler(seed, odds), resume=(BOOT, 0)).begin()
    dice = random.Random(seed)
    for i in range(80):
        desk.board.happen(dice.randrange(19), dice.randrange(3))
        desk.link.show(picture(i % 19, colours=10 + i % 20))
        desk.run(desk.now + dice.randrange(5_000, 60_000))
    desk.spoil = bytes
    desk.run(desk.now + 3_000_000)
    assert [e.number for e in desk.events] == list(range(80))
    assert [(e.cell, e.kind) for e in desk.events] == [e[:2] for e in desk.board.events]
    assert [i for i, light in desk.board.shown.items() if light == (1, 2)] == [79 % 19]
    assert desk.told(Lost) == []

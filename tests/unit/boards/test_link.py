"""The link machine against a scripted board: greeting, strangers, events, snapshots."""

from __future__ import annotations

import itertools
import json
from dataclasses import replace

import pytest
from lumiban.boards.link import (
    GREETING_US,
    HELLO_RETRY_US,
    OVERFLOW_PATIENCE_US,
    RESEND_LIMIT_US,
    Link,
)
from lumiban.boards.messages import BY_NUMBER, framed
from lumiban.boards.types import (
    BOARD_FIGURES,
    BoardTime,
    Connected,
    LinkEvent,
    Lost,
    Snapshot,
    Statistics,
    percentiles,
)
from lumiban_fw import wire
from scripted_board import BOOT, HEX5, Desk, ScriptedBoard

# Greeting.


def test_the_first_bytes_flush_what_the_board_half_heard() -> None:
    desk = Desk().begin()
    desk.board.hear(b"\x07half a frame")
    assert desk.link.take_output()[:1] == b"\0"
    desk.begin().run(50_000)
    assert desk.link.is_connected


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


def test_silence_at_the_greeting_is_no_board() -> None:
    board = ScriptedBoard()
    board.mute = True
    desk = Desk(board).begin().run(GREETING_US + 10_000)
    assert desk.log == [Lost("not-a-board")]
    assert board.got.count(wire.H_HELLO) == 10
    assert desk.link.next_deadline() is None


def test_time_in_which_the_host_was_late_itself_counts_for_no_greeting() -> None:
    desk = Desk()
    desk.begin()
    for _ in range(3):  # kept from running, again and again, for longer than a greeting lasts
        desk.now += 2 * GREETING_US
        assert desk.link.poll(desk.now) == []
    desk.run(desk.now + 50_000)
    assert desk.link.is_connected


@pytest.mark.parametrize("waiting", [b"", b"\x05half a frame"], ids=["nothing", "half a frame"])
def test_time_in_which_the_host_stood_still_is_no_silence_of_the_board(waiting: bytes) -> None:
    desk = Desk().begin().run(100_000)
    for _ in range(3):  # all of the machine: what the board said meanwhile is still on its way
        desk.now += 3 * wire.SILENCE_US
        assert desk.link.receive(waiting, desk.now) == []
        assert desk.link.poll(desk.now) == []
    desk.run(desk.now + 50_000)
    assert desk.link.is_connected
    assert desk.link.statistics.losses == 0


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
    desk.log.clear()
    for now in range(HELLO_RETRY_US, GREETING_US + 1, HELLO_RETRY_US):
        desk.log += desk.link.poll(now)
    assert desk.log == [Lost("wrong-major", "2")]
    assert desk.begin().link.receive(fault, desk.now) == [], "said of the greeting before"


def test_a_hello_that_nobody_asked_for_opens_nothing() -> None:
    desk = Desk(session=0).begin()
    assert desk.link.receive(wire.frame(wire.B_HELLO, desk.board.hello(0)), 10) == []
    desk.run(100_000)
    assert desk.link.is_connected


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


def test_only_what_a_board_can_hold_is_told_and_the_rest_is_counted() -> None:
    desk, expected = Desk().begin().run(50_000), list[tuple[int, int]]()
    cells = (0, 18, 19, 239, 240, 255)
    for cell, kind in itertools.product(cells, range(16)):
        desk.board.happen(cell, kind)
        if cell < 19:
            expected.append((cell, kind if kind <= wire.MASKED else wire.UNKNOWN))
        elif cell >= 240 and kind in (wire.DOWN, wire.UP):
            expected.append((cell, kind))
    desk.run(desk.now + 300_000)
    assert [(event.cell, event.kind) for event in desk.events] == expected
    assert desk.link.statistics.strange == 16 * len(cells) - len(expected)
    assert desk.link.resume == (BOOT, 16 * len(cells))


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
    assert desk.events[0].t_us == pytest.approx(board.events[0][2], abs=wire.EVENT_STEP_US)


def test_an_event_that_the_ring_lost_is_made_up_by_a_state() -> None:
    desk = Desk().begin().run(50_000)
    desk.board.mute = True
    for i in range(300):
        desk.board.happen(i % 19, 1 + i % 2)
    desk.board.mute = False
    desk.run(50_000 + OVERFLOW_PATIENCE_US + 600_000)
    assert desk.events == []
    first, mended = desk.told(Snapshot)
    assert not first.was_healed
    assert mended.was_healed
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
    desk.run(50_000 + RESEND_LIMIT_US - 100_000)
    assert len(desk.told(Snapshot)) == 1
    desk.run(50_000 + RESEND_LIMIT_US + 600_000)
    assert desk.told(Snapshot)[-1].was_healed
    assert desk.told(Snapshot)[-1].kinds[4] == 1


def test_a_state_that_contradicts_the_belief_heals_it() -> None:
    desk = Desk().begin().run(50_000)
    desk.board.kinds[7] = 2  # without an event
    desk.run(1_200_000)
    assert [s.was_healed for s in desk.told(Snapshot)] == [False, True]
    assert desk.told(Snapshot)[-1].kinds[7] == 2
    assert desk.link.statistics.heals == 1


def test_an_old_state_that_comes_twice_sets_no_count_back() -> None:
    desk = Desk().begin().run(50_000)
    old = [wire.frame(wire.B_STATE, part) for part in desk.board.state()]
    desk.board.happen(4, 1)
    desk.run(120_000)
    desk.board.out += b"".join(old)
    desk.run(200_000)
    assert desk.link.resume == (BOOT, 1)
    desk.board.happen(4, 0)
    desk.run(2_000_000)
    assert [(event.number, event.kind) for event in desk.events] == [(0, 1), (1, 0)]
    assert [snapshot.was_healed for snapshot in desk.told(Snapshot)] == [False]


def test_a_number_beyond_all_that_was_told_is_not_acknowledged() -> None:
    desk = Desk().begin().run(50_000)
    desk.board.happen(4, 1)
    desk.durable = False
    desk.run(120_000)
    desk.link.acknowledge(200)  # of a boot that counted further
    for cell in range(3):
        desk.board.happen(cell, 2)
    desk.run(300_000)
    assert desk.board.acked == 0
    desk.link.acknowledge(4)
    desk.run(400_000)
    assert desk.board.acked == 4


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
        framed(wire.H_HELLO, wire.MAJOR, wire.MINOR, 9),
        wire.frame(wire.B_BEAT, wire.pack_board_beat(0, 0))[:-4] + b"\0",
    ]
    events = [e for f in odd for e in desk.link.receive(f, desk.now)]
    assert [e for e in events if not isinstance(e, BoardTime)] == []
    assert desk.link.is_connected
    assert desk.link.statistics.broken >= 4


@pytest.mark.parametrize("is_in_rescue", [True, False])
def test_a_board_in_its_rescue_is_asked_for_neither_time_nor_picture(is_in_rescue: bool) -> None:
    desk = Desk()
    desk.board.capabilities = wire.IN_RESCUE if is_in_rescue else wire.CAN_ORDER
    desk.begin().run(3_000_000)
    assert desk.link.is_connected
    asked = set(desk.board.got)
    assert {wire.H_HELLO, wire.H_BEAT} <= asked
    assert asked.isdisjoint((wire.H_CLOCK, wire.H_GET_STATE)) == is_in_rescue


def test_each_capability_is_told_by_its_own_bit() -> None:
    desk = Desk().begin()
    desk.run(100_000)
    hello = desk.told(Connected)[0].hello
    names = {
        "is_injecting": wire.INJECTING,
        "is_in_rescue": wire.IN_RESCUE,
        "is_simulated": wire.IS_SIMULATED,
    }
    for bit in (0, *(1 << n for n in range(16))):
        told = replace(hello, capabilities=bit)
        assert {name: getattr(told, name) for name in names} == {
            name: bit == own for name, own in names.items()
        }
    order = [replace(hello, scan_hz=hz).has_fair_order for hz in (499, 500, 501)]
    assert order == [False, True, True]


# What is counted.


def test_statistics_are_told_as_json_by_the_names_of_the_wire() -> None:
    named = [field.name for field in BY_NUMBER[wire.B_STATS].fields]
    assert [name.removesuffix("_percent") for name in BOARD_FIGURES] == named
    trips = tuple(range(1, 101))
    kept = Statistics(frames_in=7, trips_us=trips[::-1], drift_ppm=1.23456, board=tuple(range(14)))
    told = json.loads(json.dumps(kept.as_json()))
    assert (told["frames_in"], told["losses"], told["drift_ppm"]) == (7, 0, 1.23)
    assert told["trips_us"] == {"p50": 51, "p90": 91, "p99": 100, "worst": 100}
    assert told["board"] == {name: n for n, name in enumerate(BOARD_FIGURES)}
    assert Statistics().as_json()["trips_us"] == percentiles(()) == {}
    few = {"p50": 5, "p90": 9, "p99": 9, "worst": 9}
    assert percentiles((9.2, 5.1)) | {"p50": 5} == few

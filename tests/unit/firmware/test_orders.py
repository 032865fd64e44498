"""What a host may ask of a board besides play: readings, animations, masks, files, a restart."""

from __future__ import annotations

import hashlib

import pytest
from board_bench import CELLS, ROWS, Bench, Frame, belief, events, of
from lumiban.boards.messages import packed, unpack_events, unpack_state, unpacked
from lumiban_fw import wire
from lumiban_fw.board import SHIFT_MOST_US, Board
from lumiban_fw.calibration import ANY_UID, pack


@pytest.fixture
def joined() -> Bench:
    made = Bench()
    made.run(200_000)
    made.greet()
    made.seq = 0  # type: ignore[attr-defined]
    return made


def order(bench: Bench, kind: int, payload: bytes = b"") -> list[Frame]:
    """Say one reliable frame; what the board says to it."""
    seq: int = bench.seq  # type: ignore[attr-defined]
    bench.say(kind, payload, wire.RELIABLE, seq)
    bench.seq = (seq + 1) & 0xFF  # type: ignore[attr-defined]
    return bench.run(2_000)


def refused(frames: list[Frame]) -> list[int]:
    return [unpacked(wire.B_NAK, frame.payload).fields[2] for frame in of(wire.B_NAK, frames)]


def faults(frames: list[Frame]) -> list[tuple[int, int]]:
    return [unpacked(wire.B_FAULT, frame.payload).fields for frame in of(wire.B_FAULT, frames)]


# Injected readings.


def test_injected_readings_are_refused_until_they_are_switched_on(joined: Bench) -> None:
    told = order(joined, wire.H_INJECT, packed(wire.H_INJECT, 0, 0, 5, tail=[2600]))
    assert refused(told) == [wire.NAK_BUSY]
    joined.keep(300_000)
    assert joined.board.belief[5] == wire.EMPTY


def test_injected_readings_take_the_place_of_the_sensors(joined: Bench) -> None:
    joined.put(70, wire.WHITE)
    joined.keep(300_000)
    order(joined, wire.H_CFG, packed(wire.H_CFG, wire.CFG_INJECT, 1))
    frames = joined.keep(800_000)
    assert (0x46, wire.EMPTY) in [(cell, kind) for _, cell, kind in events(frames)]
    assert unpack_state(of(wire.B_STATE, frames)[-1].payload)[3] & wire.INJECTED
    order(joined, wire.H_INJECT, packed(wire.H_INJECT, 0, 0, 5, tail=[2648, 1448]))
    joined.keep(300_000)
    assert (joined.board.belief[5], joined.board.belief[6]) == (wire.WHITE, wire.BLACK)
    hello = of(wire.B_HELLO, joined.greet(7))[0].payload
    assert unpacked(wire.B_HELLO, hello).fields[12] & wire.INJECTING
    joined.seq = 0  # type: ignore[attr-defined]
    order(joined, wire.H_CFG, packed(wire.H_CFG, wire.CFG_INJECT, 0))
    joined.keep(300_000)
    assert joined.board.belief[5] == wire.EMPTY
    assert joined.board.belief[70] == wire.WHITE


def test_a_way_told_ahead_is_timed_as_if_a_hand_had_gone_it(joined: Bench) -> None:
    order(joined, wire.H_CFG, packed(wire.H_CFG, wire.CFG_INJECT, 1))
    start = joined.now_us + 200_000
    # A strong piece comes down at 200 mm/s and meets its seat 60 ms after the start.
    parts = (1024, 742, 549, 414, 318, 249, 198, 159, 129, 106, 88, 74, 63)
    way = []
    for ms in range(66):
        height = max(0.0, (60 - ms) * 0.2)
        k = int(height)
        part = parts[k] - (parts[k] - parts[min(k + 1, 12)]) * (height - k)
        way.append(2048 + round(600 * part / 1024))
    for first in range(0, 66, 22):
        at = start + first * 1000
        order(
            joined, wire.H_INJECT, packed(wire.H_INJECT, at, 1000, 8, tail=way[first : first + 22])
        )
    frames = joined.keep(500_000)
    got = [unpack_events(f.payload) for f in of(wire.B_EVENTS, frames)]
    _, base, _, ((cell, kind, dt, uncertainty),) = got[0]
    assert (cell, kind) == (8, wire.WHITE)
    assert abs(base + dt - (start + 60_000)) <= uncertainty < 3_000


@pytest.mark.parametrize(
    ("payload", "why"),
    [
        (packed(wire.H_INJECT, 0, 0, CELLS - 1, tail=[1, 2]), wire.NAK_VALUE),
        (packed(wire.H_INJECT, 0, 0, 3, tail=[4096]), wire.NAK_VALUE),
        (packed(wire.H_INJECT, 0, 0, wire.FIRST_BUTTON + ROWS, tail=[2048]), wire.NAK_VALUE),
        (packed(wire.H_INJECT, 0, 0, 3, tail=[0])[:-2], wire.NAK_VALUE),
    ],
)
def test_readings_that_no_board_can_have_are_refused(
    joined: Bench, payload: bytes, why: int
) -> None:
    order(joined, wire.H_CFG, packed(wire.H_CFG, wire.CFG_INJECT, 1))
    assert refused(order(joined, wire.H_INJECT, payload)) == [why]


def test_too_many_waiting_readings_are_refused_and_harm_nothing(joined: Bench) -> None:
    order(joined, wire.H_CFG, packed(wire.H_CFG, wire.CFG_INJECT, 1))
    later = packed(wire.H_INJECT, joined.now_us + 400_000, 1000, 3, tail=[2048] * 22)
    whys = []
    for _ in range(40):
        whys += refused(order(joined, wire.H_INJECT, later))
    assert set(whys) == {wire.NAK_FULL}
    assert len(whys) == 8


def test_a_row_whose_injected_reference_is_off_is_a_fault_and_comes_back(joined: Bench) -> None:
    order(joined, wire.H_CFG, packed(wire.H_CFG, wire.CFG_INJECT, 1))
    order(joined, wire.H_INJECT, packed(wire.H_INJECT, 0, 0, wire.FIRST_BUTTON + 4, tail=[60]))
    assert (wire.FAULT_REFERENCE, 4) in faults(joined.keep(100_000))
    assert (wire.FAULT_REFERENCE, 4) in faults(joined.greet(8))  # a new host is told again
    joined.seq = 0  # type: ignore[attr-defined]
    order(joined, wire.H_INJECT, packed(wire.H_INJECT, 0, 0, wire.FIRST_BUTTON + 4, tail=[2048]))
    gone = wire.FAULT_REFERENCE | wire.FAULT_GONE
    assert (gone, 4) in faults(joined.keep(100_000))
    assert faults(joined.greet(9)) == []


# Raw readings.


def test_raw_readings_come_once_or_at_a_rate_and_end_with_the_session(joined: Bench) -> None:
    joined.counts[41] = 2100
    joined.say(wire.H_GET_FIELD, packed(wire.H_GET_FIELD, 30, 24, 0))
    raw = [unpacked(wire.B_FIELD, f.payload) for f in of(wire.B_FIELD, joined.run(3_000))]
    got = [(*one.fields, one.column) for one in raw]
    assert [(first, len(some)) for _, first, some in got] == [(30, 22), (52, 2), (240, ROWS)]
    assert got[0][2][11] == 2100
    assert len({t_us for t_us, _, _ in got}) == 1
    joined.say(wire.H_GET_FIELD, packed(wire.H_GET_FIELD, 0, 1, 20))
    assert len(of(wire.B_FIELD, joined.run(200_000))) in (20, 22)
    joined.say(wire.H_GET_FIELD, packed(wire.H_GET_FIELD, 0, 0, 20))
    assert of(wire.B_FIELD, joined.run(100_000)) == []
    joined.say(wire.H_GET_FIELD, packed(wire.H_GET_FIELD, 0, 1, 20))
    joined.greet(4)
    assert of(wire.B_FIELD, joined.run(100_000)) == []


# Masks.


def test_a_masked_cell_says_nothing_until_it_is_unmasked(joined: Bench) -> None:
    frames = order(joined, wire.H_CFG, packed(wire.H_CFG, wire.CFG_MASK, 12)) + joined.keep(600_000)
    assert events(frames)[0][1:] == (12, wire.MASKED)
    assert belief(frames)[12] == wire.MASKED
    joined.put(12, wire.WHITE)
    joined.keep(400_000)
    assert joined.board.belief[12] == wire.MASKED
    order(joined, wire.H_CFG, packed(wire.H_CFG, wire.CFG_UNMASK, 12))
    joined.keep(400_000)
    assert joined.board.belief[12] == wire.WHITE
    assert refused(order(joined, wire.H_CFG, packed(wire.H_CFG, wire.CFG_MASK, CELLS))) == [5]


# Supply and calibration.


def test_a_damaged_calibration_is_told_and_the_profile_holds() -> None:
    good = pack(b"bench", ANY_UID, 0, 0, [(0, 0)] * CELLS)
    for data, told, calibrated in (
        (good, [], True),
        (good[:-1] + b"x", [(wire.FAULT_CALIBRATION, 0)], False),
        (pack(b"other", ANY_UID, 0, 0, [(0, 0)] * CELLS), [(wire.FAULT_CALIBRATION, 1)], False),
        (b"", [], False),
    ):
        bench = Bench({"calibration.bin": data})
        bench.run(200_000)
        frames = bench.greet()
        assert faults(frames) == told
        hello = unpacked(wire.B_HELLO, of(wire.B_HELLO, frames)[0].payload).fields
        assert bool(hello[12] & wire.CALIBRATED) == calibrated
        bench.put(3, wire.WHITE)
        bench.keep(300_000)
        assert bench.board.belief[3] == wire.WHITE


# Files and restarts.


def test_files_out_of_order_are_refused_with_a_word(joined: Bench) -> None:
    assert refused(order(joined, wire.H_FILE_DATA, packed(wire.H_FILE_DATA, 0, tail=b"x"))) == [
        wire.NAK_BUSY
    ]
    goal = hashlib.sha256(b"abc").digest()
    order(joined, wire.H_FILE_BEGIN, packed(wire.H_FILE_BEGIN, 0, 3, goal, tail=b"main.py"))
    told = order(joined, wire.H_FILE_DATA, packed(wire.H_FILE_DATA, 1, tail=b"b"))
    assert refused(told) == [wire.NAK_FILE]
    bad_name = packed(wire.H_FILE_BEGIN, 0, 3, goal, tail=b"../boot.py")
    assert refused(order(joined, wire.H_FILE_BEGIN, bad_name)) == [wire.NAK_VALUE]
    assert refused(
        order(joined, wire.H_BOOT, packed(wire.H_BOOT, wire.BOOT_MAGIC, wire.BOOT_OTHER))
    ) == [wire.NAK_FILE]
    assert refused(order(joined, wire.H_BOOT, packed(wire.H_BOOT, wire.BOOT_MAGIC, 9))) == [
        wire.NAK_VALUE
    ]
    assert joined.restarted == -1
    order(joined, wire.H_BOOT, packed(wire.H_BOOT, wire.BOOT_MAGIC, wire.BOOT_RESCUE))
    assert joined.restarted == wire.BOOT_RESCUE
    assert joined.files["rescue.please"] == b"1"


def test_a_program_that_is_greeted_and_runs_ten_seconds_has_come_up() -> None:
    bench = Bench({"slot": b"ab1-"})
    bench.run(11_000_000)
    assert bench.files["slot"] == b"ab0-"  # nobody has greeted it: its start does not count
    bench.greet()
    assert bench.files["slot"] == b"b-0-"
    told = Bench({"slot": b"a-0b"})
    told.run(200_000)
    told.greet()
    assert (wire.FAULT_ROLLED_BACK, ord("b")) in faults(told.keep(11_000_000))
    assert told.files["slot"] == b"a-0-"


# Long times.


class Wrapping(Bench):
    """A chip whose clock starts anew every 2³⁰ µs, just before it does."""

    wraps = True
    uid = b"wrapping"

    def scan(self, counts: object, references: object) -> int:
        t_us = super().scan(counts, references)  # type: ignore[arg-type]
        return t_us & (2**30 - 1)


@pytest.mark.slow
def test_a_clock_that_wraps_is_told_in_full() -> None:
    bench = Wrapping()
    board = bench.board
    full = 0
    told = []
    while full < 2_300_000_000:
        bench.now_us = full & (2**30 - 1) if full else 0
        quick = 1_075_000_000 > full > 1_073_000_000
        if quick and full // 1000 == 1_073_500_000 // 1000:
            bench.put(4, wire.WHITE)
        bench.width = 100_000
        if not quick or full % 400_000 == 0:
            bench.say(wire.H_BEAT, packed(wire.H_BEAT, 1))
        if full == 0:
            bench.say(wire.H_HELLO, packed(wire.H_HELLO, wire.MAJOR, wire.MINOR, 1))
        board.tick(full & (2**30 - 1))
        full += 1000 if quick or full < 400_000 else 400_000
    for frame in of(wire.B_EVENTS, bench.frames):
        _, base, _, got = unpack_events(frame.payload)
        told.append((got[0][0], wire.widen(base, 1_074_000_000)))
    assert told[0][0] == 4
    assert 1_073_500_000 <= told[0][1] <= 1_073_600_000
    beats = [unpacked(wire.B_BEAT, f.payload).fields[0] for f in of(wire.B_BEAT, bench.frames)]
    assert beats == sorted(beats)
    assert beats[-1] > 2_299_000_000
    assert board.full(0) > 2_300_000_000 - SHIFT_MOST_US


@pytest.mark.slow
def test_numbers_inside_stay_small() -> None:
    bench = Bench()
    board: Board = bench.board
    for turn in range(30):
        bench.put(turn, wire.WHITE)
        bench.run(500_000)
        bench.run(300_000_000)
        assert board.sense.now_us < 2**30
        assert board.lights.next_change_us < 2**30 or board.lights.next_change_us == 1 << 60
    assert board.belief[29] == wire.WHITE
    assert board.full(0) > 8_000_000_000

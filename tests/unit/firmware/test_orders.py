"""What a host may ask of a board besides play: readings, animations, masks, files, a restart."""

from __future__ import annotations

import hashlib

import pytest
from board_bench import CELLS, Bench, Frame, events, of
from lumiban.boards.messages import packed, unpack_state, unpacked
from lumiban_fw import wire
from lumiban_fw.board import Board
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


def test_too_many_waiting_readings_are_refused_and_harm_nothing(joined: Bench) -> None:
    order(joined, wire.H_CFG, packed(wire.H_CFG, wire.CFG_INJECT, 1))
    later = packed(wire.H_INJECT, joined.now_us + 400_000, 1000, 3, tail=[2048] * 22)
    whys = []
    for _ in range(40):
        whys += refused(order(joined, wire.H_INJECT, later))
    assert set(whys) == {wire.NAK_FULL}
    assert len(whys) == 8


# Raw readings.


# Masks.


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

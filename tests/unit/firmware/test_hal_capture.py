"""The capture's book-keeping: which frame is which, what was missed, when it starts anew."""

from __future__ import annotations

from array import array
from types import SimpleNamespace
from typing import Any

import pytest
from fake_pico import CONVERTER, DMA, LOST, STALLED, Pico

ROW = bytearray([0, 0, 1, 1, 1])
CHANNEL = [0, 3, 1, 0, 14]
ROWS = 2
ORDER = [0x00, 0x0F, 0x03, 0x10, 0x1F, 0x11, 0x1E]
"""Row by row, each with its reference in the middle of its cells."""
RAIL = 0xFF


def layout(scan_hz: int) -> SimpleNamespace:
    return SimpleNamespace(row=ROW, channel=CHANNEL, rows=ROWS, scan_hz=scan_hz)


class Rig:
    """A capture on a fake chip, and the hands that move its frame counter."""

    def __init__(self, scan_hz: int = 1000) -> None:
        self.pico = Pico()
        self.hal: Any = self.pico.load("hal_pio")
        self.capture = self.hal.Capture(layout(scan_hz))
        self.counts, self.references = array("H", [0] * 5), array("H", [0] * 2)
        self.set(0)
        self.capture.look(0)

    def set(self, done: int) -> None:
        """So many frames are done; each slot of frame n reads 100 n + its number."""
        frames, slots = self.hal.FRAMES, self.capture.slots
        at = DMA + 0x40 * self.capture._next.channel
        self.pico.memory[at] = self.capture._table + 4 * (done % frames)
        for n in range(max(0, done - frames), done):
            for k in range(7):
                self.capture._raw[n % frames * slots + k] = (100 * n + k) & 0xFFFF

    def fetch(self, now_us: int) -> int:
        self.pico.ticks = now_us
        return int(self.capture.scan(now_us, self.counts, self.references))


def test_a_frame_has_a_slot_a_cell_a_reference_and_the_rail() -> None:
    rig = Rig()
    order = list(rig.capture._addresses)
    assert order[:7] == ORDER
    assert set(order[7:]) == {RAIL}
    assert rig.capture.period_us == 1000
    assert Rig(scan_hz=50_000).capture.slots == 8


@pytest.mark.parametrize(("scan_hz", "slots", "slot_us"), [(1000, 8, 125), (2000, 10, 50)])
def test_a_small_board_has_longer_slots_not_more(scan_hz: int, slots: int, slot_us: int) -> None:
    rig = Rig(scan_hz)
    assert (rig.capture.slots, rig.capture.slot_us) == (slots, slot_us)
    assert rig.capture.period_us * scan_hz == 1_000_000
    assert rig.pico.memory[CONVERTER + 16] == 48 * slot_us - 1 << 8
    assert len(rig.capture._raw) == slots * rig.hal.FRAMES


def test_frames_come_in_order_each_reading_in_its_place() -> None:
    rig = Rig()
    assert rig.fetch(100) == -1
    rig.set(2)
    assert rig.fetch(2100) == 500
    assert (list(rig.counts), list(rig.references)) == ([0, 2, 5, 3, 6], [1, 4])
    assert rig.fetch(2100) == 1500
    assert list(rig.counts) == [100, 102, 105, 103, 106]
    assert rig.fetch(2100) == -1
    assert rig.capture.worst_gap_us == 1000


def test_a_busy_firmware_keeps_its_newest_frames_and_counts_the_rest() -> None:
    rig = Rig()
    rig.set(1)
    rig.fetch(1100)
    last = rig.hal.FRAMES + 4
    for done in (*range(9, last, 8), last):
        rig.set(done)
        rig.capture.look(1000 * done + 100)
    assert rig.fetch(1000 * last + 100) == 5500
    assert rig.capture.missed == 4
    assert rig.capture.worst_gap_us == 5000
    assert list(rig.counts) == [500, 502, 505, 503, 506]


@pytest.mark.parametrize("done", [16, 33, 100, 1601])
def test_rounds_that_went_by_unseen_are_known_by_the_clock(done: int) -> None:
    rig = Rig()
    rig.set(1)
    rig.fetch(1100)
    rig.set(done)
    rig.capture.look(1000 * done + 300)
    assert rig.capture.frames() in (done, 1)  # equal places of the table look like no time at all
    rig.set(done + 1)
    rig.capture.look(1000 * done + 1300)
    assert rig.capture.frames() == done + 1


def test_a_clock_read_long_before_a_look_makes_no_frames_of_nothing() -> None:
    """Garbage was collected in between; the next turn's clock is right again."""
    rig = Rig()
    rig.set(1)
    assert rig.fetch(1_100) == 500
    rig.set(23)
    rig.capture.look(2_100)
    rig.set(25)
    rig.capture.look(25_100)
    assert rig.capture.frames() == 25
    assert rig.fetch(25_100) == 1_500
    assert rig.capture.missed == 0


def test_frames_count_from_when_the_converter_starts_not_from_the_turn_that_started_it() -> None:
    pico = Pico()
    hal: Any = pico.load("hal_pio")
    capture = hal.Capture(layout(1000))
    pico.ticks = 2_500
    capture.look(100)
    assert capture._due_us == 2_500 + 500


def test_the_frames_tell_what_the_supply_is_now() -> None:
    rig = Rig()
    capture = rig.capture
    for done in (8, 16):
        rig.set(done)
        for n in range(32):
            capture._raw[n * capture.slots + capture.slots - 1] = 3_000 if done == 8 else 2_700
        for _ in range(8):
            rig.fetch(1000 * done + 100)
        assert capture.rail_mv() == (3_000 if done == 8 else 2_700) * 6_600 // 4_096


def test_a_capture_that_was_stopped_parks_its_addresses_and_has_lost_nothing() -> None:
    rig = Rig()
    rig.set(3)
    rig.fetch(3_100)
    words: list[int] = []
    rig.capture._machine.exec = words.append
    rig.capture.stop()
    assert words == [0xA003]  # mov(pins, null)
    assert rig.capture.stopped
    assert rig.capture.rail_mv() == 0
    rig.set(0)
    assert rig.fetch(900_000) == -1
    rig.set(1)
    assert rig.fetch(901_100) == 900_000 + 500
    assert (rig.capture.restarts, rig.capture.missed) == (0, 0)


@pytest.mark.parametrize("note", [(LOST, 1 << 11), (LOST, 1 << 10), (STALLED, 1 << 24)])
def test_a_lost_reading_or_address_starts_the_capture_anew(note: tuple[int, int]) -> None:
    rig = Rig()
    rig.set(3)
    rig.fetch(3100)
    dict.__setitem__(rig.pico.memory, *note)
    assert rig.fetch(3200) == -1
    assert rig.capture.restarts == 1
    rig.set(1)
    assert rig.fetch(4300) == 3200 + 500
    assert rig.capture.restarts == 1


def test_room_on_the_line_is_what_the_host_surely_took(monkeypatch: pytest.MonkeyPatch) -> None:
    from fake_pico import PACKET

    pico = Pico()
    usb = pico.load("hal_pico")
    line = object.__new__(usb.Usb)
    line._held = 0
    sent: list[bytes] = []
    line._out = type("Out", (), {"write": lambda _self, data: sent.append(data)})()
    assert line.room() == 256
    pico.memory[PACKET] = 1 << 10
    line.write(b"x" * 63)
    assert line.room() == 193
    for _ in range(3):
        line.write(b"x" * 63)
    assert line.room() == 4
    pico.memory[PACKET] = 0
    assert line.room() == 256
    assert len(sent) == 4

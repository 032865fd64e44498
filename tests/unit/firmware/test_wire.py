"""Messages of the wire read back as they were packed."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lumiban_fw import wire

u8 = st.integers(0, 255)
u16 = st.integers(0, 0xFFFF)
u32 = st.integers(0, 0xFFFFFFFF)


@given(u32)
def test_hello_reads_back(session: int) -> None:
    packed = wire.pack_host_hello(session)
    assert wire.unpack_host_hello(packed + b"later") == (wire.MAJOR, wire.MINOR, session)


def test_the_boards_hello_reads_back() -> None:
    told = (b"hex5", 2, 61, 61, 7, b"uidofit!", 99, 0xFFFFFFFF, 2**40, 1000, 5, 1)
    got = wire.unpack_board_hello(wire.pack_board_hello(*told) + b"later")
    assert got == (wire.MAJOR, wire.MINOR, b"hex5\0\0\0\0", *told[1:])


@given(st.lists(st.tuples(u8, u8, st.integers(0, 650_000), st.integers(0, 20_000)), min_size=1))
def test_events_read_back_to_ten_microseconds(
    drawn: list[tuple[int, int, int, int]],
) -> None:
    drawn = drawn[: wire.EVENTS_A_FRAME]
    base = 2**32 - 300_000  # the low half of the time wraps within the frame
    events = [(cell, kind, base + dt, unc) for cell, kind, dt, unc in drawn]
    events[0] = (*events[0][:2], base, events[0][3])
    assert all(wire.fits_events(base, t_us) for _, _, t_us, _ in events)
    first, low, watermark, got = wire.unpack_events(wire.pack_events(9, base + 1, events))
    assert (first, low, watermark) == (9, base & 0xFFFFFFFF, (base + 1) & 0xFFFFFFFF)
    for (cell, kind, t_us, unc), (cell2, kind2, dt, unc2) in zip(events, got, strict=True):
        assert (cell, kind) == (cell2, kind2)
        assert abs(wire.widen(low, base) + dt - t_us) <= 5
        assert min(unc, 12_750) <= unc2 < unc + 50 or unc2 == 12_750


def test_an_event_long_after_or_before_the_first_needs_its_own_frame() -> None:
    assert not wire.fits_events(100, 99)
    assert not wire.fits_events(0, 650_001)
    assert wire.fits_events(0, 650_000)


@given(st.binary(max_size=wire.CELLS_A_STATE).map(lambda raw: bytes(b & 15 for b in raw)), u32)
def test_a_state_reads_back(kinds: bytes, event: int) -> None:
    packed = wire.pack_state(5, event, 4, wire.MOVING, 1, 3, kinds)
    assert len(packed) <= wire.MAX_PAYLOAD
    *head, got = wire.unpack_state(packed)
    assert head == [5, event, 4, wire.MOVING, 1, 3]
    assert got[: len(kinds)] == kinds
    assert len(got) - len(kinds) in (0, 1)


@given(st.lists(st.tuples(u8, u8), max_size=wire.LIGHTS_A_FRAME), u8)
def test_a_layer_reads_back(glows: list[tuple[int, int]], first: int) -> None:
    packed = wire.pack_layer(first, glows)
    assert len(packed) <= wire.MAX_PAYLOAD
    assert wire.unpack_layer(packed) == (0, first, glows)


@given(st.lists(st.tuples(u8, u8, u8), max_size=wire.COLOURS_A_FRAME))
def test_a_palette_reads_back(colours: list[tuple[int, int, int]]) -> None:
    packed = wire.pack_palette(3, colours)
    assert len(packed) <= wire.MAX_PAYLOAD
    assert wire.unpack_palette(packed) == (3, colours)


@given(u8, st.integers(-(2**31), 2**31 - 1))
def test_a_setting_reads_back(key: int, value: int) -> None:
    assert wire.unpack_cfg(wire.pack_cfg(key, value)) == (key, value)


def test_clock_beat_stats_and_fault_read_back() -> None:
    assert wire.unpack_board_clock(wire.pack_board_clock(3, 2**40, 70_000)) == (3, 2**40, 0xFFFF)
    assert wire.unpack_board_beat(wire.pack_board_beat(2**32 + 1, 2**32)) == (1, 0)
    stats = (1001, 2, 3, 150_000, 5000, 87, 900, 4, 5, 6, 7, 8, 990, 70_000)
    assert wire.unpack_stats(wire.pack_stats(*stats)) == stats
    assert wire.unpack_stats(wire.pack_stats(0, 70_000, 70_000, 0, 0, 0))[1:3] == (0xFFFF, 0xFFFF)
    assert wire.unpack_fault(wire.pack_fault(wire.FAULT_REFERENCE, 4)) == (1, 4)


def test_the_shorter_stats_of_an_older_board_are_read() -> None:
    packed = wire.pack_stats(1001, 2, 3, 150_000, 5000, 87, 900, 4, 5, 6, 7, 8, 990, 9)
    first = (1001, 2, 3, 150_000, 5000, 87)
    assert wire.unpack_stats(packed[:16]) == (*first, 0, 0, 0, 0, 0, 255, 0, 0)
    assert wire.unpack_stats(packed[:29]) == (*first, 900, 4, 5, 6, 7, 8, 0, 0)


@given(st.integers(0, 2**43), st.integers(0, 2**42), st.integers(0, 600_000))
def test_an_event_that_waited_for_days_is_told_in_full(t_us: int, wait: int, dt: int) -> None:
    events = [(1, wire.WHITE, t_us, 50), (2, wire.EMPTY, t_us + dt, 50)]
    _, low, _, got = wire.unpack_events(wire.pack_events(0, 0, events, True))
    base = wire.events_base(low, wire.AGED | wire.MAJOR << 4, t_us + wait)
    for (_, _, truth, _), (_, _, told, _) in zip(events, got, strict=True):
        assert abs(base + told - truth) <= 5


readings = st.lists(u16, min_size=1, max_size=wire.READINGS_A_FRAME)


@given(u32, u16, u8, readings)
def test_raw_readings_read_back(at_us: int, step_us: int, first: int, values: list[int]) -> None:
    packed = wire.pack_inject(at_us, step_us, first, values)
    assert len(packed) <= wire.MAX_PAYLOAD
    assert wire.unpack_inject(packed) == (at_us, step_us, first, values)
    packed = wire.pack_field(at_us, first, values)
    assert len(packed) <= wire.MAX_PAYLOAD
    assert wire.unpack_field(packed) == (at_us, first, values)
    assert wire.unpack_get_field(wire.pack_get_field(first, 9, step_us)) == (first, 9, step_us)


@given(st.binary(max_size=wire.FILE_BYTES), u32, u8)
def test_files_read_back(data: bytes, at: int, what: int) -> None:
    begin = wire.pack_file_begin(what, at, bytes(range(32)), b"n" * wire.FILE_NAME)
    assert len(begin) == wire.MAX_PAYLOAD
    assert wire.unpack_file_begin(begin) == (what, at, bytes(range(32)), b"n" * 18)
    assert wire.unpack_file_data(wire.pack_file_data(at, data)) == (at, data)
    assert wire.unpack_file_read(wire.pack_file_read(what, at)) == (what, at)
    assert wire.unpack_file(wire.pack_file(what, 1, at)) == (what, 1, at)
    part = wire.pack_file_part(what, at & 0xFFFF, 9, data)
    assert len(part) <= wire.MAX_PAYLOAD
    assert wire.unpack_file_part(part) == (what, at & 0xFFFF, 9, data)


def test_boot_needs_its_magic_number() -> None:
    assert wire.unpack_boot(wire.pack_boot(wire.BOOT_OTHER)) == wire.BOOT_OTHER
    with pytest.raises(ValueError, match="magic"):
        wire.unpack_boot(bytes(5))
    assert wire.unpack_nak(wire.pack_nak(wire.H_INJECT, 7, wire.NAK_FULL)) == (0x23, 7, 4)


@pytest.mark.parametrize(
    "unpack",
    [
        wire.unpack_boot,
        wire.unpack_field,
        wire.unpack_file,
        wire.unpack_file_begin,
        wire.unpack_file_data,
        wire.unpack_file_part,
        wire.unpack_file_read,
        wire.unpack_get_field,
        wire.unpack_inject,
        wire.unpack_nak,
        wire.unpack_u8,
        wire.unpack_host_hello,
        wire.unpack_board_hello,
        wire.unpack_u32,
        wire.unpack_board_clock,
        wire.unpack_board_beat,
        wire.unpack_events,
        wire.unpack_state,
        wire.unpack_layer,
        wire.unpack_palette,
        wire.unpack_cfg,
        wire.unpack_stats,
        wire.unpack_fault,
    ],
)
def test_a_payload_that_is_too_short_is_a_value_error(unpack: object) -> None:
    assert callable(unpack)
    with pytest.raises(ValueError, match=r"short"):
        unpack(b"")


@given(st.integers(0, 2**50), st.integers(-(2**31) + 1, 2**31 - 1))
def test_a_low_half_widens_to_the_nearest_time(near: int, off: int) -> None:
    assert wire.widen((near + off) & 0xFFFFFFFF, near) == near + off

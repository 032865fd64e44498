"""The wire: frames that survive, messages that read back, and a document that tells the truth."""

from __future__ import annotations

import re
import struct
from pathlib import Path

import cobs.cobs
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from lumiban_fw import effects, kernels_plain, layout, wire, wire_lights, wire_service

DOCUMENT = Path(__file__).parents[1] / "docs" / "wire.md"

u8 = st.integers(0, 255)
u16 = st.integers(0, 0xFFFF)
u32 = st.integers(0, 0xFFFFFFFF)
payloads = st.binary(max_size=wire.MAX_PAYLOAD)
frames = st.builds(wire.frame, u8, payloads, st.integers(0, 15), u8, u8)


@given(st.binary(max_size=254))
@example(b"")
@example(b"\0" * 61)
@example(b"\1" * 254)
def test_stuffing_is_that_of_the_cobs_package(data: bytes) -> None:
    assert wire.cobs(data) == cobs.cobs.encode(data)
    assert wire.uncobs(wire.cobs(data)) == data


@given(st.binary(max_size=80))
def test_unstuffing_refuses_what_the_cobs_package_refuses(data: bytes) -> None:
    try:
        expected = cobs.cobs.decode(data)
    except cobs.cobs.DecodeError:
        with pytest.raises(ValueError, match="cobs"):
            wire.uncobs(data)
    else:
        assert wire.uncobs(data) == expected


@given(st.binary(max_size=300))
def test_the_crc_of_the_board_is_that_of_the_host(data: bytes) -> None:
    assert kernels_plain.crc16(data, len(data)) == wire.crc16(data)


def test_the_crc_has_its_published_check_value() -> None:
    assert kernels_plain.crc16(b"123456789", 9) == wire.crc16(b"123456789") == 0x29B1


@given(u8, payloads, st.integers(0, 15), u8, u8)
def test_a_frame_fits_one_packet_and_reads_back(
    kind: int, payload: bytes, flags: int, seq: int, ack: int
) -> None:
    sent = wire.frame(kind, payload, flags, seq, ack)
    assert len(sent) <= wire.MAX_FRAME == 63
    assert sent.count(0) == 1
    assert wire.Decoder().feed(sent) == [(kind, flags | wire.MAJOR << 4, seq, ack, payload)]


def test_a_payload_that_is_too_long_is_refused() -> None:
    with pytest.raises(ValueError, match="payload"):
        wire.frame(wire.B_LOG, bytes(wire.MAX_PAYLOAD + 1))


@given(st.lists(frames, max_size=6), st.lists(st.integers(1, 20), min_size=1, max_size=40))
def test_frames_may_come_in_any_portions(sent: list[bytes], portions: list[int]) -> None:
    line = b"".join(sent)
    whole = wire.Decoder().feed(line)
    decoder = wire.Decoder()
    got = []
    at = 0
    for k in range(len(line)):
        size = portions[k % len(portions)]
        got += decoder.feed(line[at : at + size])
        at += size
    assert got == whole
    assert len(got) == len(sent)
    assert decoder.errors == 0


# A 16-bit crc lets one damage in 65536 pass, so the damage is the same in every run.
@settings(derandomize=True)
@given(frames, st.data())
def test_a_changed_byte_never_passes(sent: bytes, data: st.DataObject) -> None:
    at = data.draw(st.integers(0, len(sent) - 2))
    flip = data.draw(st.integers(1, 255))
    damaged = bytearray(sent)
    damaged[at] ^= flip
    decoder = wire.Decoder()
    assert decoder.feed(bytes(damaged)) == []
    after = wire.frame(wire.H_GET_STATE)
    assert decoder.feed(after) == wire.Decoder().feed(after)
    assert decoder.errors >= 1


@settings(derandomize=True)
@given(frames, st.data())
def test_a_truncated_frame_costs_only_itself(sent: bytes, data: st.DataObject) -> None:
    cut = data.draw(st.integers(1, len(sent) - 1))
    good = wire.frame(wire.H_ACK, wire.pack_u32(7))
    decoder = wire.Decoder()
    got = decoder.feed(sent[:cut] + b"\0" + good)
    # All but the closing zero is the whole frame.
    assert len(got) == (2 if cut == len(sent) - 1 else 1)
    assert got[-1] == wire.Decoder().feed(good)[0]
    assert decoder.errors == (cut < len(sent) - 1)


def test_an_overlong_frame_is_dropped_and_counted_once() -> None:
    decoder = wire.Decoder()
    assert decoder.feed(b"\1" * 5000) == []
    good = wire.frame(wire.H_GET_STATE)
    assert [got[0] for got in decoder.feed(b"\0" + good)] == [wire.H_GET_STATE]
    assert decoder.errors == 1


def test_noise_without_a_zero_is_not_hoarded() -> None:
    decoder = wire.Decoder()
    for _ in range(1000):
        decoder.feed(b"\xff" * 100)
    assert len(decoder._held) <= wire.MAX_FRAME


def test_a_frame_that_comes_twice_is_read_twice() -> None:
    sent = wire.frame(wire.H_LAYER, b"\0\0", wire.RELIABLE, 5)
    assert len(wire.Decoder().feed(sent + b"\0\0" + sent)) == 2


@given(st.binary(max_size=400))
def test_any_bytes_do_no_harm(noise: bytes) -> None:
    wire.Decoder().feed(noise)


# Messages.


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
    packed = wire.pack_layer(0, first, glows)
    assert len(packed) <= wire.MAX_PAYLOAD
    assert wire.unpack_layer(packed) == (0, first, glows)


@given(st.lists(st.tuples(u8, u8, u8), max_size=wire.COLOURS_A_FRAME))
def test_a_palette_reads_back(colours: list[tuple[int, int, int]]) -> None:
    packed = wire.pack_palette(3, colours)
    assert len(packed) <= wire.MAX_PAYLOAD
    assert wire.unpack_palette(packed) == (3, colours)


@given(st.sets(st.integers(0, 238)))
def test_a_mask_reads_back(which: set[int]) -> None:
    packed = wire.pack_mask(0, 5, wire.BLINK, sorted(which))
    assert len(packed) <= wire.MAX_PAYLOAD
    assert wire.unpack_mask(packed) == (0, 5, wire.BLINK, sorted(which))


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


@given(st.sets(st.integers(0, 238)), u16, u8)
def test_an_anim_reads_back(which: set[int], period: int, step: int) -> None:
    packed = wire.pack_anim(3, 2, 5, wire.PULSE, 77, period, 4, step, sorted(which))
    assert len(packed) <= wire.MAX_PAYLOAD
    *head, bits = wire.unpack_anim(packed)
    assert head == [3, 2, 5, wire.PULSE, 77, period, 4, step]
    assert {8 * k + b for k in range(len(bits)) for b in range(8) if bits[k] >> b & 1} == which


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
        wire.unpack_anim,
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
        wire.unpack_mask,
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


# The document.


def _sections() -> dict[str, str]:
    text = DOCUMENT.read_text()
    heads = re.split(r"^###? ", text, flags=re.M)[1:]
    return {part.split("\n", 1)[0]: part for part in heads}


def _fields(section: str) -> list[tuple[str, str, str]]:
    rows = re.findall(r"^\| ([^|]+) \| ([^|]+) \| ([^|]+) \|[^|]*\|$", section, flags=re.M)
    return [row for row in rows if row[2].split()[0] in SIZES]


SIZES = {"u8": "B", "u16": "H", "u32": "I", "u64": "Q", "i16": "h", "i32": "i", "bytes": "s"}

LAYOUTS = {
    "0x01 HELLO": (wire.H_HELLO, wire._HELLO_H),
    "0x02 CLOCK": (wire.H_CLOCK, "<I"),
    "0x03 BEAT": (wire.H_BEAT, "<I"),
    "0x04 ACK": (wire.H_ACK, "<I"),
    "0x13 COMMIT": (wire.H_COMMIT, "<I"),
    "0x20 CFG": (wire.H_CFG, "<Bi"),
    "0x81 HELLO": (wire.B_HELLO, wire._HELLO_B),
    "0x82 CLOCK": (wire.B_CLOCK, wire._CLOCK_B),
    "0x83 BEAT": (wire.B_BEAT, "<II"),
    "0x90 EVENTS": (wire.B_EVENTS, wire._EVENTS + wire._EVENT[1:]),
    "0x91 STATE": (wire.B_STATE, wire._STATE + "B"),
    "0x93 STATS": (wire.B_STATS, wire_service._STATS),
    "0x14 ANIM": (wire.H_ANIM, wire_lights._ANIM + "B"),
    "0x15 ANIM_STOP": (wire.H_ANIM_STOP, "<B"),
    "0x22 GET_FIELD": (wire.H_GET_FIELD, "<BBH"),
    "0x23 INJECT": (wire.H_INJECT, wire_service._INJECT + "H"),
    "0x30 FILE_BEGIN": (wire.H_FILE_BEGIN, wire_service._FILE_BEGIN + "B"),
    "0x31 FILE_DATA": (wire.H_FILE_DATA, "<IB"),
    "0x32 FILE_END": (wire.H_FILE_END, "<"),
    "0x33 FILE_READ": (wire.H_FILE_READ, "<BI"),
    "0x3F BOOT": (wire.H_BOOT, "<IB"),
    "0x85 NAK": (wire.B_NAK, "<BBB"),
    "0x92 FIELD": (wire.B_FIELD, wire_service._FIELD + "H"),
    "0xA0 FILE": (wire.B_FILE, wire_service._FILE),
    "0xA1 FILE_PART": (wire.B_FILE_PART, "<BHHB"),
    "0xF0 LOG": (wire.B_LOG, "<"),
    "0x94 FAULT": (wire.B_FAULT, "<BB"),
    "0x10 LAYER": (wire.H_LAYER, "<BBBB"),
    "0x11 PALETTE": (wire.H_PALETTE, "<BBBB"),
    "0x12 MASK": (wire.H_MASK, "<BBBB"),
    "0x21 GET_STATE": (wire.H_GET_STATE, "<"),
    "0x84 ACK": (wire.B_ACK, "<"),
    "The board's description, `/board.bin`": (-1, layout.HEAD + layout.CELL[1:] + "BH"),
}


@pytest.mark.parametrize("title", LAYOUTS)
def test_the_documents_tables_are_the_bytes_of_the_code(title: str) -> None:
    code, packed = LAYOUTS[title]
    section = _sections()[title]
    if code >= 0:
        assert int(title.split()[0], 16) == code
    at = 0
    written = "<"
    for offset, _, kind in _fields(section):
        first = re.match(r"\d+", offset)
        if first and "·" not in offset:
            assert int(first[0]) == at, offset
        letter = SIZES[kind.split()[0]]
        item = kind.split()[1] + letter if letter == "s" else letter
        written += item
        at += struct.calcsize("<" + item)
    assert written == packed


def test_every_type_of_the_code_stands_in_the_document() -> None:
    text = DOCUMENT.read_text()
    for name in dir(wire):
        if re.match(r"[HB]_[A-Z]", name):
            code = f"0x{getattr(wire, name):02X}"
            assert f"{code} {name[2:]}" in text, name


def test_effects_faults_and_keys_stand_in_the_document() -> None:
    text = DOCUMENT.read_text()
    for name in ["STEADY", "BLINK", "FAST_BLINK", "BREATHE", "PULSE", "PULSE_B", "PROOF", "CHASE"]:
        assert f"| {getattr(wire, name)} | {name} |" in text
    for name in dir(wire):
        prefix, _, rest = name.partition("_")
        if prefix in ("FAULT", "CFG", "NAK") and name != "FAULT_GONE":
            assert f"| {getattr(wire, name)} | {rest} |" in text, name
    assert f"| + 0x{wire.FAULT_GONE:X} | GONE |" in text
    assert f"0x{wire.BOOT_MAGIC:X}" in text
    assert f"brightness {wire.BRIGHTNESS}/255" in text
    assert len(effects.LEVELS) == wire.EFFECTS


def test_the_worked_example_is_what_the_code_sends() -> None:
    example_text = DOCUMENT.read_text().split("## A worked example")[1]
    blocks = re.findall(r"```\n(.*?)```", example_text, flags=re.S)
    parts, line, answer = blocks
    crc = b""
    decoded = b""
    for row in parts.splitlines():
        raw = bytes.fromhex(row[10:38])
        if row.startswith("crc"):
            crc = raw
        else:
            decoded += raw
    event = (30, wire.WHITE, 10_000_000, 650)
    payload = wire.pack_events(41, 10_000_896, [event])
    assert decoded == bytes((wire.B_EVENTS, 0x10, 0, 3)) + payload
    assert crc == struct.pack("<H", wire.crc16(decoded))
    assert bytes.fromhex(line) == wire.frame(wire.B_EVENTS, payload, 0, 0, 3)
    assert bytes.fromhex(answer) == wire.frame(wire.H_ACK, wire.pack_u32(42))

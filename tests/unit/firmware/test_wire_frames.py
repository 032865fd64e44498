"""Frames of the wire survive what a line does to them."""

from __future__ import annotations

import cobs.cobs
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from lumiban.boards.messages import framed
from lumiban_fw import kernels_plain, wire

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
        wire.frame(wire.B_FIELD, bytes(wire.MAX_PAYLOAD + 1))


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


@given(frames, st.data())
def test_a_truncated_frame_costs_only_itself(sent: bytes, data: st.DataObject) -> None:
    cut = data.draw(st.integers(1, len(sent) - 1))
    good = framed(wire.H_ACK, 7)
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

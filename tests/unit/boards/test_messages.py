"""The table of messages against the code that the chip runs: every message, every field."""

from __future__ import annotations

import struct
from collections.abc import Callable, Sequence
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from lumiban.boards.messages import (
    BY_NUMBER,
    FAULTS,
    KEYS,
    MESSAGES,
    REFUSALS,
    Field,
    Message,
    message,
)
from lumiban.boards.types import BoardEvent
from lumiban_fw import identity, wire
from lumiban_fw.layout import Layout
from thorough import examples

Values = Sequence[int | bytes]
Tail = Sequence[Sequence[Any]]
Packer = Callable[..., bytes]
NO_LAYOUT = Layout.__new__(Layout)
"""Nothing of it is read for cells."""


def _value(field: Field) -> st.SearchStrategy[int | bytes]:
    if field.kind.startswith("bytes "):
        size = int(field.kind.split()[1])
        return st.binary(min_size=size, max_size=size)
    bits = int(field.kind[1:])
    if field.kind[0] == "i":
        return st.integers(-(1 << bits - 1), (1 << bits - 1) - 1)
    return st.integers(0, (1 << bits) - 1)


@st.composite
def _contents(draw: st.DrawFn, one: Message) -> tuple[tuple[int | bytes, ...], Tail]:
    """Any fields that a message can have."""
    values = tuple(draw(_value(field)) for field in one.fields)
    group = st.tuples(*(_value(field) for field in one.tail))
    tail = draw(st.lists(group, min_size=one.least, max_size=one.most)) if one.tail else []
    return values, tail  # type: ignore[return-value]  # hypothesis knows the tuple's items only


def _flat(tail: Tail) -> bytes:
    return bytes(byte for (byte,) in tail)


def _events(first: int, base: int, mark: int, *, tail: Tail) -> bytes:
    told = [(cell, kind, base + 10 * dt, 50 * half) for cell, kind, dt, half in tail]
    # The chip counts from the first event: it is told whole, and its own step is 0.
    return wire.pack_events(first, mark, told)


def _state(*values: int, tail: Tail) -> bytes:
    kinds = bytes(half for (byte,) in tail for half in (byte & 15, byte >> 4))
    return wire.pack_state(*values, kinds)  # type: ignore[call-arg, arg-type]


def _cells(first: int, *, tail: Tail) -> bytes:
    """CELLS, which the chip cuts out of its file."""
    cells = b"".join(struct.pack("<bbBhh4s", *cell) for cell in tail)
    head = struct.pack(identity.HEAD, identity.MAGIC, 1, 1, 0, first + len(tail), 0, b"")
    data = head + bytes(wire.CELL_BYTES * first) + cells
    data += struct.pack("<H", wire.crc16(data))
    return identity.answer(data, b"", NO_LAYOUT, 0, first)[1]


def _of_ours(packer: Packer) -> Packer:
    """Of HELLO: the chip's own code puts our versions in front."""
    return lambda _major, _minor, *rest, tail: packer(*rest)


def _plain(packer: Packer) -> Packer:
    return lambda *values, tail: packer(*values)


def _listed(packer: Packer) -> Packer:
    return lambda *values, tail: packer(*values, [one[0] if len(one) == 1 else one for one in tail])


CHIP: dict[int, Packer] = {
    wire.B_HELLO: _of_ours(wire.pack_board_hello),
    wire.B_CLOCK: _plain(wire.pack_board_clock),
    wire.B_BEAT: _plain(wire.pack_board_beat),
    wire.B_ACK: lambda tail: b"",
    wire.B_NAK: _plain(wire.pack_nak),
    wire.B_EVENTS: _events,
    wire.B_STATE: _state,
    wire.B_STATS: _plain(wire.pack_stats),
    wire.B_FAULT: _plain(wire.pack_fault),
    wire.B_FIELD: _listed(wire.pack_field),
    wire.B_IDENTITY: lambda *values, tail: wire.pack_identity(*values, _flat(tail)),
    wire.B_CELLS: _cells,
    wire.B_FILE: _plain(wire.pack_file),
    wire.B_FILE_PART: lambda *values, tail: wire.pack_file_part(*values, _flat(tail)),
}
"""How the code of the chip packs what a board sends from the fields of the table."""


def _as_the_chip_can(one: Message, values: Values, tail: Tail) -> tuple[Values, Tail]:
    """What only some values of a field can be: our version, the first step."""
    if one.name == "HELLO":
        return (wire.MAJOR, wire.MINOR, *values[2:]), tail
    if one.number == wire.B_EVENTS:
        return values, [(*tail[0][:2], 0, tail[0][3]), *tail[1:]]
    if one.number == wire.B_CELLS:  # a board has 239 cells at most
        return [int(values[0]) % 200], tail
    return values, tail


@pytest.mark.slow
@pytest.mark.parametrize("number", CHIP, ids=hex)
@given(data=st.data())
@settings(max_examples=examples(40))
def test_the_chips_bytes_are_those_of_the_table(number: int, data: st.DataObject) -> None:
    one = message(number)
    drawn = data.draw(_contents(one))
    values, tail = _as_the_chip_can(one, *drawn)
    packed = one.pack(values, tail)
    assert CHIP[number](*values, tail=tail) == packed
    assert len(packed) <= wire.MAX_PAYLOAD
    told = one.unpack(packed + (b"" if one.tail else b"later"))
    assert tuple(told.values.values()) == tuple(values)
    assert told.tail == tuple(map(tuple, tail))


def _one(payload: bytes) -> tuple[int]:
    return (wire.unpack_u32(payload),)


def _with_data(unpack: Callable[[bytes], tuple[Any, ...]]) -> Callable[[bytes], object]:
    """What ends in bytes, as numbers."""

    def unpacked(payload: bytes) -> tuple[Any, ...]:
        *head, data = unpack(payload)
        return (*head, list(data))

    return unpacked


UNPACKERS: dict[int, Callable[[bytes], object]] = {
    wire.H_HELLO: wire.unpack_host_hello,
    wire.H_LAYER: wire.unpack_layer,
    wire.H_PALETTE: wire.unpack_palette,
    wire.H_CFG: wire.unpack_cfg,
    wire.H_GET_FIELD: wire.unpack_get_field,
    wire.H_INJECT: wire.unpack_inject,
    wire.H_FILE_READ: wire.unpack_file_read,
    wire.H_CLOCK: _one,
    wire.H_BEAT: _one,
    wire.H_ACK: _one,
    wire.H_IDENTIFY: lambda payload: (wire.unpack_u8(payload),),
    wire.H_FILE_BEGIN: _with_data(wire.unpack_file_begin),
    wire.H_FILE_DATA: _with_data(wire.unpack_file_data),
    wire.H_BOOT: lambda payload: (wire.BOOT_MAGIC, wire.unpack_boot(payload)),
}
"""How the code of the chip reads what a host sends: the fields in the order of the table, what is
repeated in a list behind them."""


@pytest.mark.parametrize("number", UNPACKERS, ids=hex)
@given(data=st.data())
@settings(max_examples=examples(40))
def test_what_the_chip_reads_is_what_the_table_reads(number: int, data: st.DataObject) -> None:
    one = message(number)
    values, tail = data.draw(_contents(one))
    if number == wire.H_BOOT:
        values = (wire.BOOT_MAGIC, *values[1:])
    packed = one.pack(values, tail)
    told = one.unpack(packed)
    groups = [group[0] if len(group) == 1 else group for group in told.tail]
    expected = (*told.values.values(), *([groups] if one.tail else []))
    assert UNPACKERS[number](packed) == expected


@pytest.mark.parametrize("one", MESSAGES, ids=lambda one: f"{one.number:02X}-{one.name}")
@given(raw=st.binary(max_size=wire.MAX_PAYLOAD))
@settings(max_examples=examples(30))
def test_any_payload_is_read_or_refused(one: Message, raw: bytes) -> None:
    try:
        told = one.unpack(raw)
    except ValueError:
        return
    assert one.least <= len(told.tail) <= one.most
    assert len(told.values) == len(one.fields)


def test_the_chip_packs_or_reads_each_message_of_the_table() -> None:
    assert len(BY_NUMBER) == len(MESSAGES)
    sent = {one.number for one in MESSAGES if one.is_from_board}
    assert set(CHIP) == sent
    nothing = {one.number for one in MESSAGES if not (one.fields or one.tail)}
    read_in_place = {wire.H_COMMIT}
    assert set(BY_NUMBER) - sent - nothing - read_in_place == set(UNPACKERS)


def test_an_event_is_of_a_cell_or_of_a_button_which_goes_down_or_up() -> None:
    for cell in range(256):
        for kind in range(9):
            event = BoardEvent(0, cell, kind, 0)
            assert event.button == (cell - 240 if cell >= 240 else None)
            assert event.pressed == (cell - 240 if cell >= 240 and kind == 8 else None)


def test_each_number_of_the_wire_has_its_row_and_no_row_is_for_none() -> None:
    def of(prefix: str) -> list[tuple[str, object]]:
        """Constants as the chip's own file has them, by the letters before their names."""
        named = vars(wire).items()
        return [(n.removeprefix(prefix), value) for n, value in named if n.startswith(prefix)]

    for prefix, table in (("CFG_", KEYS), ("NAK_", REFUSALS), ("FAULT_", FAULTS)):
        assert sorted((one.name, one.value) for one in table) == sorted(of(prefix)), prefix
        assert all(one.meaning for one in table)
    for letter, is_from_board in (("H_", False), ("B_", True)):
        told = [(m.name, m.number) for m in MESSAGES if m.is_from_board == is_from_board]
        assert sorted(told) == sorted(of(letter))

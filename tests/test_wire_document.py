"""What docs/wire.md says of the wire is what the code does."""

from __future__ import annotations

import re
import struct
from pathlib import Path

import pytest
from lumiban_fw import effects, layout, wire, wire_lights, wire_service

DOCUMENT = Path(__file__).parents[1] / "docs" / "wire.md"


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

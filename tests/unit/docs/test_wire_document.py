"""What docs/wire.md says of the wire is what the code does."""

from __future__ import annotations

import re
import struct

from lumiban.boards.messages import framed
from lumiban_fw import effects, layout_file, wire
from lumiban_lab.documents.messages import written
from places import ROOT

DOCUMENT = ROOT / "docs" / "wire.md"


def _sections() -> dict[str, str]:
    text = DOCUMENT.read_text()
    heads = re.split(r"^###? ", text, flags=re.M)[1:]
    return {part.split("\n", 1)[0]: part for part in heads}


def _fields(section: str) -> list[tuple[str, str, str]]:
    rows = re.findall(r"^\| ([^|]+) \| ([^|]+) \| ([^|]+) \|[^|]*\|$", section, flags=re.M)
    return [row for row in rows if row[2].split()[0] in SIZES]


SIZES = {"u8": "B", "u16": "H", "u32": "I", "u64": "Q", "i16": "h", "i32": "i", "bytes": "s"}


def test_the_table_of_board_bin_is_its_bytes() -> None:
    section = _sections()["The board's description, `/board.bin`"]
    at = 0
    fields = "<"
    for offset, _, kind in _fields(section):
        first = re.match(r"\d+", offset)
        if first and "·" not in offset:
            assert int(first[0]) == at, offset
        letter = SIZES[kind.split()[0]]
        item = kind.split()[1] + letter if letter == "s" else letter
        fields += item
        at += struct.calcsize("<" + item)
    assert fields == layout_file.HEAD + layout_file.CELL[1:] + "BH"


def test_the_documents_messages_are_those_of_the_table() -> None:
    text = DOCUMENT.read_text("utf-8")
    assert written(text) == text


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
    assert bytes.fromhex(answer) == framed(wire.H_ACK, 42)

"""What fuzzing and the soak have found, each as the smallest case that showed it."""

from __future__ import annotations

import json
import struct
import zlib
from binascii import crc32
from pathlib import Path

import pytest
from journals import lines
from lumiban.boards.profile import load
from lumiban.errors import GameError, JournalError, LumibanError, UsageError
from lumiban.flight.file import Flight, FlightFile, session_of
from lumiban.table import record
from lumiban.table.resume import resume
from lumiban_fw import layout_file
from lumiban_fw.framing import crc16

GOOD = load("hex3").board_bin()


def changed(at: int, value: int) -> bytes:
    """The board's description with another byte and a right checksum."""
    data = bytearray(GOOD[:-2])
    data[at] = value
    return bytes(data) + crc16(bytes(data)).to_bytes(2, "little")


@pytest.mark.parametrize(
    ("at", "value"),
    [
        (14, 200),  # more cells than bytes
        (15, 255),  # more lights than bytes
        (45, 9),  # the first cell on a row that is not there
        (47, 19),  # its light is not there
    ],
)
def test_a_description_that_does_not_add_up_is_refused(at: int, value: int) -> None:
    layout_file.read(GOOD)
    with pytest.raises(ValueError, match=r"board description|wrong"):
        layout_file.read(changed(at, value))


RECORD = {
    "format": "lumiban-game", "version": 1, "game": "control", "options": {"size": 3},
    "seats": ["human", "human"], "seed": 4, "moves": [{"side": 0, "text": "a1"}],
}  # fmt: skip


@pytest.mark.parametrize("part", ["seed", "side"])
def test_an_endless_number_in_a_record_is_a_garbled_record(part: str) -> None:
    document = json.loads(json.dumps(RECORD))
    if part == "seed":
        document["seed"] = float("inf")
    else:
        document["moves"][0]["side"] = float("inf")
    with pytest.raises(GameError):
        record.verify(document)


def test_an_endless_number_in_a_journal_ends_what_is_read_of_it(tmp_path: Path) -> None:
    """No line of ours holds one: it is left out, like a line that a power cut tore."""
    path = tmp_path / "game.journal"
    head = {"t": "head", "version": 1, "game": "control", "options": {"size": 3},
            "seats": ["human", "human"], "seed": 1, "profile": "hex3", "board": ""}  # fmt: skip
    move = {"t": "move", "side": 0, "text": "a1", "at": 1, "by": "board"}
    endless = json.dumps({**move, "side": float("inf"), "text": "e1"}).encode()
    torn = b"%08x %d %s\n" % (crc32(endless), len(endless), endless)
    path.write_bytes(lines([head]) + lines([move]) + torn)
    assert [one.text for one in resume(path).history.moves] == ["a1"]


DEEP = "[" * 200_000


def test_json_that_is_nested_without_end_is_none_of_ours(tmp_path: Path) -> None:
    path = tmp_path / "deep"
    path.write_text(DEEP)
    with pytest.raises(UsageError, match="64 brackets"):
        record.read(path)
    path.write_bytes(b"%08x %d %s\n" % (crc32(DEEP.encode()), len(DEEP), DEEP.encode()))
    with pytest.raises(JournalError):
        resume(path)
    out = FlightFile(tmp_path / "deep.flight")
    out.write([{"flight": 1}])
    data = out._pack.compress(DEEP.encode() + b"\n") + out._pack.flush(zlib.Z_SYNC_FLUSH)
    out._file.write(struct.pack("<II", len(data), crc32(data)) + data)
    out.close()
    with pytest.raises(UsageError, match="64 brackets"):
        list(Flight(tmp_path / "deep.flight").lines())


def test_a_recording_cannot_write_outside_of_its_own_folder(tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    head = {
        "settings": {},
        "hint": "legal",
        "now_us": 0,
        "journal": json.dumps({"t": "head"}),
        "journal_name": str(outside),
    }
    with pytest.raises(LumibanError):
        session_of(head, load("hex3"))
    assert list(tmp_path.iterdir()) == []

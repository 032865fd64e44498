"""Files that others may have written are read within bounds: small bombs, small memory, a sentence
that says what is wrong, where, and what to do."""

from __future__ import annotations

import json
import struct
import tracemalloc
import zlib
from collections.abc import Callable
from pathlib import Path

import pytest
from lumiban.boards import profile
from lumiban.errors import JournalError, LumibanError, ProfileError, UsageError
from lumiban.flight import file as flight_file
from lumiban.flight.file import Flight, FlightFile, in_lines
from lumiban.maker import health
from lumiban.runtime.simulator import _read_fault_plan
from lumiban.study import match
from lumiban.system import size_limits
from lumiban.table import journal, record

HEX3 = profile.load("hex3")
MAX_HELD = 40_000_000
"""Bytes that a refusal may take: a line of a megabyte as text and as objects, and change."""


def bomb(path: Path, text: bytes, times: int, head: bytes = b'{"flight":1}\n') -> Path:
    """A recording whose one block unpacks to `head` and so many times `text`."""
    pack = zlib.compressobj(9, zlib.DEFLATED, -15)
    data = pack.compress(head)
    for _ in range(times):
        data += pack.compress(text)
    data += pack.flush(zlib.Z_SYNC_FLUSH)
    path.write_bytes(b"lumiban flight 1\n" + struct.pack("<II", len(data), zlib.crc32(data)) + data)
    return path


def read_whole(path: Path) -> None:
    for _ in Flight(path).lines():
        pass


def held(read: Callable[[], object], refusal: type[LumibanError] = LumibanError) -> tuple[str, int]:
    """(what the refusal says, bytes that were held at once)."""
    tracemalloc.start()
    try:
        with pytest.raises(refusal) as told:
            read()
        return str(told.value), tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


def test_a_recording_of_one_endless_line_is_refused_where_it_is_too_long(tmp_path: Path) -> None:
    path = bomb(tmp_path / "long.flight", b"[" + b'"a",' * 250_000, 180)
    assert path.stat().st_size < 250_000
    told, most = held(lambda: read_whole(path))
    assert told.startswith(f"{path} has more than 1 MB in line 2: ")
    assert "flight export" in told
    assert most < MAX_HELD


def test_a_recording_of_endless_lines_is_refused_as_a_whole(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(flight_file, "MAX_BYTES", 3_000_000)
    path = bomb(tmp_path / "many.flight", b'["x","' + b"a" * 50_000 + b'"]\n', 200)
    assert path.stat().st_size < 60_000
    told, most = held(lambda: read_whole(path))
    assert told.startswith(f"{path} has more than 3 MB when unpacked: ")
    assert most < MAX_HELD


def test_a_recording_whose_head_is_a_bomb_is_refused(tmp_path: Path) -> None:
    path = bomb(tmp_path / "head.flight", b" " * 1_000_000, 50, head=b"")
    told, most = held(lambda: Flight(path))
    assert "line 1" in told
    assert most < MAX_HELD


def test_a_block_that_claims_to_be_long_is_not_read(tmp_path: Path) -> None:
    path = tmp_path / "block.flight"
    path.write_bytes(b"lumiban flight 1\n" + struct.pack("<II", 900_000_000, 0))
    with path.open("r+b") as file:
        file.truncate(1_000_000_000)  # sparse
    told, most = held(lambda: Flight(path))
    assert "block of more than 16 MB" in told
    assert most < 1_000_000


def test_a_line_that_is_nested_too_deep_is_refused(tmp_path: Path) -> None:
    deep = b'["s",' + b"[" * 70 + b"]" * 70 + b"]\n"
    told, _ = held(lambda: read_whole(bomb(tmp_path / "deep.flight", deep, 1)))
    assert "64 brackets within each other in line 2" in told


def test_a_line_as_long_and_as_deep_as_allowed_is_read(tmp_path: Path) -> None:
    line = ["s", "[{" * 300_000, json.loads("[" * 60 + "]" * 60)]
    out = FlightFile(tmp_path / "good.flight")
    out.write([{"flight": 1}, line])
    out.close()
    assert list(Flight(out.path).lines()) == [line]


def test_a_long_games_journal_comes_back_from_a_recording(tmp_path: Path) -> None:
    """It is longer than a line may be; beside it the head is as it was."""
    journal = "".join(f'{n:08x} 9 {{"t":"…","n":{n}}}\n' for n in range(60_000))
    head = {"flight": 1, "journal": journal, "now_us": 5}
    assert len(json.dumps(head)) > size_limits.MAX_LINE
    out = FlightFile(tmp_path / "game.flight")
    out.write(in_lines(head))
    out.write([["p", 3]])
    out.close()
    flight = Flight(out.path)
    assert flight.head == head
    assert list(flight.lines()) == [["p", 3]]


def test_a_record_that_is_too_long_or_too_deep_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "game.json"
    path.write_text('{"moves": [' + "[]," * 2_000_000 + "[]]}")
    told, most = held(lambda: record.read(path))
    assert told.startswith(f"{path} has more than 4 MB, so it is no record of a game")
    assert most < MAX_HELD
    path.write_text('{"moves": ' + "[" * 65 + "]" * 65 + "}")
    told, _ = held(lambda: record.read(path))
    assert "64 brackets" in told
    assert "the folder records" in told


def test_a_device_that_never_ends_is_no_record(tmp_path: Path) -> None:
    told, most = held(lambda: record.read(Path("/dev/zero")))
    assert "more than 4 MB" in told
    assert most < MAX_HELD


@pytest.mark.parametrize(
    ("read", "refusal"),
    [
        (lambda path: _read_fault_plan(str(path), HEX3), UsageError),
        (lambda path: profile.load(str(path)), ProfileError),
        (lambda path: health.read_figures(str(path)), UsageError),
        (lambda path: match.begun(path, {"a": 1}), UsageError),
    ],
    ids=["plan", "profile", "figures", "study"],
)
def test_whatever_else_is_read_has_a_bound(
    read: Callable[[Path], object], refusal: type[LumibanError], tmp_path: Path
) -> None:
    path = tmp_path / "much.toml"
    with path.open("wb") as file:
        file.truncate(300_000_000)  # sparse
    told, most = held(lambda: read(path), refusal)
    assert "more than" in told
    assert "MB" in told
    assert most < 140_000_000


def test_a_journal_that_is_too_long_or_too_deep_is_refused_and_left_as_it_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "game.journal"
    head = {"t": "head", "version": journal.VERSION}
    first, chain = journal.Chain().next_line(head)
    deep = json.loads("[" * 70 + "]" * 70)
    path.write_bytes(first + chain.next_line({"t": "deep", "of": deep})[0] + first)
    assert len(journal.read(path).records) == 1  # what is nested so deep is no record of ours
    monkeypatch.setattr(journal, "MAX_JOURNAL_BYTES", 1000)
    path.write_bytes(first * 100)
    for read in (journal.read, lambda path: journal.JournalFile(path, new=False).read()):
        with pytest.raises(JournalError, match=r"game\.journal has more than 1,000 bytes"):
            read(path)
    assert path.read_bytes() == first * 100

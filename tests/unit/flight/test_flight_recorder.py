"""The recorder itself: it never holds up a table, keeps within its room, and reads back what it
was given."""

from __future__ import annotations

import asyncio
import json
import lzma
from pathlib import Path
from typing import Any

import pytest
from each import each
from flying_table import FlyingTable
from lumiban.errors import UsageError
from lumiban.flight.file import Flight, flights, json_line, read_input, told_inputs
from lumiban.flight.lines import line_of, raw_line
from lumiban.flight.recorder import BATCH, Notes, Recorder, as_recorded
from lumiban.flight.replay import run
from lumiban.table.types import Command
from places import ROOT

FLIGHTS = ROOT / "tests" / "flights"
HEARD: list[tuple[str, tuple[Any, ...], list[Any]]] = [
    ("opened", (1_005, 3_000_000), ["o", 1_005, 3_000_000]),
    ("received", (b"\x01\xab", 1_010), ["r", 5, "01ab"]),
    ("took", (b"\x02",), ["w", "02"]),
    ("polled", (1_020,), ["p", 10]),
    ("waited", (1_020,), ["wait", 0]),
    ("showed", (), ["l"]),
    ("acknowledged", (8,), ["a", 8]),
    ("hindered", ("busy", "ttyACM0"), ["h", "busy", "ttyACM0"]),
    ("closed", ("unplugged",), ["c", "unplugged"]),
]
"""What a link tells, and the line of docs/link.md: `r` came from the board, `w` went to it."""


def test_each_thing_that_a_link_tells_is_a_line_of_its_own_kind() -> None:
    notes: list[Any] = []
    for name, values, _ in HEARD:
        getattr(Notes(notes.append), name)(*values)
    assert as_recorded(notes) == [line for _, _, line in HEARD]


COMMANDS = [
    '["Command","seat",{"side":1,"who":"bot:easy"},1]',
    '["Command","word",{"side":0,"word":"resign"},2]',
    '["Command","takeback",{},3]',
    '["Command","confirm",{},4]',
    '["Command","confirm",{"side":1},5]',
    '["Command","new",{},6]',
    '["Command","new",{"game":"control","options":{"size":3},"seats":["human","bot:easy"]},7]',
    '["Command","hint",{"level":"coach"},8]',
    '["Command","coach",{},9]',
    '["Command","coach",{"agree":false},10]',
    '["Command","theme",{"name":"neon"},11]',
    '["Command","move",{"side":0,"text":"c4"},12]',
    '["Command","choose",{"text":"takeback"},13]',
    '["Command","accept-board",{"names":{"c4":"T"}},14]',
    '["Command","recentre",{"back":true},15]',
    '["Command","audit",{"skip":true},16]',
    '["Command","pace",{"ms":null},17]',
    '["Command","reaction",{"ms":500},18]',
    '["Command","dance",{},19]',
    '["Command","seat",{"side":0},20]',
]
"""As recordings have them that were written when a command was a mapping."""


@each("line", COMMANDS)
def test_a_command_of_an_older_recording_is_read_and_written_to_the_byte(line: str) -> None:
    found = read_input(json.loads(line))
    assert isinstance(found, Command)
    (told,) = told_inputs([found])
    assert json_line(told) == line


@pytest.mark.one_case
@pytest.mark.parametrize("name", ["control-held-stone", "control-hung-demo"])
def test_lines_of_the_first_version_s_recordings_are_read_and_written_to_the_byte(
    name: str,
) -> None:
    text = lzma.decompress((FLIGHTS / f"{name}.xz").read_bytes()).decode("utf-8")
    _, *lines = text.splitlines()
    assert len(lines) > 1_000
    for number, line in enumerate(lines, 2):
        assert json_line(raw_line(line_of(json.loads(line), number))) == line


@each(
    ("line", "message"),
    [
        (["x", 1], "line 7 is unknown to this lumiban: 'x'"),
        ([], "line 7 is unknown"),
        (["p"], "line 7 is garbled"),
        (["p", "soon"], "line 7 is garbled"),
        (["l", 1], "line 7 is garbled"),
    ],
)
def test_a_line_that_is_none_is_named_by_its_number(line: list[Any], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        line_of(line, 7)


@each("told", [["Durable", "4"], ["Durable"], ["Nobody", 1], 3.5, [], None])
def test_an_input_that_is_none_is_refused(told: Any) -> None:
    with pytest.raises(UsageError):
        read_input(told)


@pytest.fixture(scope="module")
def table() -> FlyingTable:
    found = FlyingTable(seats=("bot:easy", "bot:easy"), seed=1)
    found.rest(8_000_000)
    return found


def written(table: FlyingTable, folder: Path, **more: Any) -> Recorder:
    """A recorder that was given all that happened at a table."""

    async def main() -> Recorder:
        recorder = Recorder(folder, "game", table.head, **more)
        for note in table.notes:
            recorder._take(note)
        recorder.close()
        return recorder

    return asyncio.run(main())


def test_what_was_noted_is_in_the_file_and_runs_again(table: FlyingTable, tmp_path: Path) -> None:
    recorder = written(table, tmp_path)
    flight = Flight(recorder.path)
    assert {**flight.head, **table.head} == flight.head
    assert len(table.notes) > 2 * BATCH
    assert run(flight.head, flight.lines()).lines == len(table.notes) + 1


def test_a_recording_ends_within_its_room_and_still_runs_again(
    table: FlyingTable, tmp_path: Path
) -> None:
    told: list[str] = []
    recorder = written(table, tmp_path, megabytes=0.008, failed=told.append)
    assert told == ["full"]
    assert recorder.path.stat().st_size < 8_000
    flight = Flight(recorder.path)
    tally = run(flight.head, flight.lines())
    assert tally.full
    assert BATCH < tally.lines < len(table.notes)


@pytest.mark.slow
def test_the_next_recording_makes_room_and_has_a_name_of_its_own(
    table: FlyingTable, tmp_path: Path
) -> None:
    first = written(table, tmp_path)
    size = first.path.stat().st_size
    second = written(table, tmp_path, megabytes=3 * size / 1e6)
    assert second.path.name == "game-2.flight"
    assert flights(tmp_path) == [first.path, second.path]
    written(table, tmp_path, megabytes=3 * size / 1e6)
    assert first.path not in flights(tmp_path)


def test_a_folder_that_cannot_be_written_stops_the_recorder_and_nothing_else(
    table: FlyingTable, tmp_path: Path
) -> None:
    (tmp_path / "flight").write_text("no folder")
    told: list[str] = []
    written(table, tmp_path / "flight", failed=told.append)
    assert len(told) == 1


def test_nothing_is_left_of_a_table_that_came_to_nothing(
    table: FlyingTable, tmp_path: Path
) -> None:
    async def main() -> None:
        Recorder(tmp_path, "game", table.head).discard()

    asyncio.run(main())
    assert list(tmp_path.iterdir()) == []

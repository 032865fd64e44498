"""The journal: nothing accepted is lost, whatever the disk or the power does."""

from __future__ import annotations

import json
import os
import random
import threading
from pathlib import Path

import pytest
from lumiban import games
from lumiban.errors import JournalError
from lumiban.table import journal
from lumiban.table.course import Course
from lumiban.table.journal import JournalFile, JournalWriter, line, read
from lumiban.table.places import state_folder
from lumiban.table.resume import last, resume

HEAD = Course(games.load("control", size=3), ["human", "bot:easy"], seed=3, profile="hex3").head()
BODY = [
    HEAD,
    {"t": "board", "uid": "u1", "boot": 77},
    {"t": "belief", "next": 4, "at": 1, "kinds": "0" * 19},
    {"t": "events", "next": 5, "events": [[4, 18, 1, 1000, 50]]},
    {"t": "move", "side": 0, "text": "a3", "at": 1000, "by": "board"},
    {"t": "chosen", "side": 1, "text": "c3", "value": 0.5, "visits": 9},
]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = tmp_path / "game.journal"
    path.write_bytes(b"".join(map(line, BODY)))
    return path


def test_records_come_back_as_they_were_written(path: Path) -> None:
    reading = read(path)
    assert list(reading.records) == BODY
    assert reading.notes == ()


def test_a_torn_last_line_is_cut_and_told(path: Path) -> None:
    whole = path.read_bytes()
    for cut in range(1, len(line(BODY[-1]))):
        path.write_bytes(whole[:-cut])
        reading = read(path)
        assert list(reading.records) == BODY[:-1]
        (note,) = reading.notes
        assert note.id == "journal.torn-last"
        assert "line 6" in str(note)
        assert path.read_bytes() == b"".join(map(line, BODY[:-1]))
        assert read(path).notes == ()


def test_a_wrong_checksum_is_told(path: Path) -> None:
    whole = path.read_bytes()
    path.write_bytes(whole.replace(b'"visits":9', b'"visits":8'))
    (note,) = read(path, mend=False).notes
    assert note.id == "journal.checksum-last"
    assert "wrong checksum" in str(note)


def test_an_earlier_bad_line_keeps_the_file_and_goes_on_from_the_last_good_one(path: Path) -> None:
    broken = path.read_bytes().replace(b'"at":1000,"by"', b'"at":9000,"by"')
    path.write_bytes(broken)
    reading = read(path)
    assert list(reading.records) == BODY[:4]
    (note,) = reading.notes
    assert (note.id, note.params) == (
        "journal.checksum",
        {"path": "game.journal.damaged", "line": 5},
    )
    assert path.with_name("game.journal.damaged").read_bytes() == broken
    assert list(read(path).records) == BODY[:4]
    path.write_bytes(broken)
    read(path)
    assert path.with_name("game.journal.damaged-2").read_bytes() == broken


def test_reading_only_changes_nothing(path: Path) -> None:
    broken = path.read_bytes()[:-3]
    path.write_bytes(broken)
    assert len(read(path, mend=False).records) == 5
    assert path.read_bytes() == broken


@pytest.mark.parametrize(
    ("content", "word"),
    [
        (b"", "no complete record"),
        (b"garbage\n", "no complete record"),
        (line({"t": "move", "side": 0, "text": "a3"}), "does not begin like a journal"),
        (line({**HEAD, "version": 99}), "update it"),
        (line({**HEAD, "game": "chess"}), "chess"),
        (line({**HEAD, "options": {"size": 99}}), "size"),
        (line({"t": "head", "version": 1}), "does not start a game"),
        (line(HEAD) + line({"t": "move", "side": 0, "text": "c3", "at": 0, "by": "x"}), "c3"),
        (line(HEAD) + line({"t": "move", "side": 0}), "does not fit"),
        (line(HEAD) + line({"t": "back", "moves": 2}), "more moves back"),
        (line(HEAD) + line({"t": "events", "next": 1, "events": [[1]]}), "garbled"),
    ],
)
def test_what_is_no_journal_of_a_game_is_told_in_one_line(
    tmp_path: Path, content: bytes, word: str
) -> None:
    path = tmp_path / "x.journal"
    path.write_bytes(content)
    with pytest.raises(JournalError, match=word) as caught:
        resume(path)
    assert "\n" not in str(caught.value)


def test_an_absent_journal_is_told(tmp_path: Path) -> None:
    with pytest.raises(JournalError, match="No such file"):
        read(tmp_path / "none.journal")


def test_resuming_gives_the_position_the_seats_the_chosen_move_and_the_board(path: Path) -> None:
    back = resume(path)
    assert [str(move) for move in back.course.moves] == ["a3"]
    assert back.course.seats == ["human", "bot:easy"]
    assert str(back.course.chosen) == "c3"
    assert back.link_resume == (77, 5)
    assert back.sight.kinds is not None
    assert back.sight.kinds[18] == 1
    assert back.written == 5
    assert not back.ended


@pytest.mark.parametrize("seed", range(5))
def test_a_course_replayed_from_its_records_ends_the_same(seed: int, tmp_path: Path) -> None:
    chance = random.Random(seed)
    game = games.load("control", size=3)
    course = Course(game, ["human", "human"], seed=seed, profile="hex3")
    records = [course.head()]
    while course.outcome is None:
        movers = game.movers(course.position)
        if len(course.played) > 3 and chance.random() < 0.2:
            records.append(course.take_back(chance.randint(1, 3)))
        else:
            move = chance.choice(game.moves(course.position, movers[0]))
            records.append(course.play(move, chance.randint(0, 10**9), "board"))
        if chance.random() < 0.1:
            records.append(course.sit(chance.randint(0, 1), "bot:easy"))
    path = tmp_path / "g.journal"
    path.write_bytes(b"".join(map(line, records)))
    again = resume(path).course
    assert again.position == course.position
    assert again.played == course.played
    assert again.seats == course.seats
    assert again.outcome == course.outcome


def test_the_writer_tells_what_is_on_disk_only_after_the_fsync(tmp_path: Path) -> None:
    told: list[int] = []
    gate, arrived = threading.Event(), threading.Event()

    def slow(file: int) -> None:
        arrived.set()
        assert gate.wait(10)

    writer = JournalWriter(told.append, pytest.fail, opener=lambda p: JournalFile(p, fsync=slow))
    writer.open(tmp_path / "g.journal")
    writer.append(0, HEAD)
    assert arrived.wait(10)
    writer.append(1, BODY[1])
    writer.append(2, BODY[2])
    assert told == []
    gate.set()
    writer.close()
    assert told in ([0, 2], [0, 1, 2])
    assert list(read(tmp_path / "g.journal").records) == BODY[:3]


def test_the_writer_goes_on_with_a_file_and_then_with_another(tmp_path: Path, path: Path) -> None:
    told: list[int] = []
    writer = JournalWriter(told.append, pytest.fail)
    writer.open(path)
    writer.append(6, {"t": "dropped"})
    writer.open(tmp_path / "deeper" / "next.journal")
    writer.append(7, HEAD)
    writer.close()
    assert told == [6, 7]
    assert len(read(path).records) == 7
    assert len(read(tmp_path / "deeper" / "next.journal").records) == 1


def test_a_full_disk_is_told_once_and_nothing_more_is_written(tmp_path: Path) -> None:
    failures: list[JournalError] = []

    def full(file: int) -> None:
        raise OSError(28, "No space left on device")

    writer = JournalWriter(
        lambda number: pytest.fail("nothing is durable"),
        failures.append,
        opener=lambda p: JournalFile(p, fsync=full),
    )
    writer.open(tmp_path / "g.journal")
    writer.append(0, HEAD)
    writer.close()
    (failure,) = failures
    assert "No space left" in str(failure)


def test_a_folder_that_cannot_be_made_is_told(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(JournalError, match="cannot write the journal"):
        JournalFile(tmp_path / "file" / "g.journal")


def test_the_game_of_a_board_that_was_written_last_is_found(tmp_path: Path) -> None:
    assert last(tmp_path / "none", None) is None
    told: list[str] = []
    for at, (name, uid) in enumerate(
        [("a", "e661"), ("b", "e662"), ("torn", ""), ("c.txt", "e661")]
    ):
        path = tmp_path / f"{name}{'' if '.' in name else '.journal'}"
        board = line({"t": "board", "uid": uid, "boot": 1})
        path.write_bytes(b"torn" if name == "torn" else line(HEAD) + board)
        os.utime(path, (at, at))

    def found(uid: str | None) -> str | None:
        one = last(tmp_path, uid, passed_over=lambda path, _: told.append(path.stem))
        return None if one is None else one.path.stem

    assert (found(None), found("e661"), found("e663")) == ("b", "a", None)
    assert set(told) == {"torn"}


def test_lines_tell_their_length_and_checksum() -> None:
    check, length, body = line({"t": "x", "word": "連棋"}).split(b" ", 2)
    assert int(length) == len(body) - 1
    assert len(check) == 8
    assert json.loads(body) == {"t": "x", "word": "連棋"}


@pytest.mark.parametrize(
    ("platform", "environment", "ending"),
    [
        ("linux", {}, ".local/state/lumiban"),
        ("linux", {"XDG_STATE_HOME": "s"}, "s/lumiban"),
        ("darwin", {}, "Library/Application Support/lumiban"),
        ("win32", {"LOCALAPPDATA": "l"}, "l/lumiban"),
        ("linux", {"LUMIBAN_HOME": "mine"}, "mine"),
    ],
)
def test_state_lives_where_the_platform_keeps_it(
    platform: str, environment: dict[str, str], ending: str
) -> None:
    assert state_folder(environment, platform, Path("home")).as_posix().endswith(ending)


def test_versions_are_counted() -> None:
    assert HEAD["version"] == journal.VERSION

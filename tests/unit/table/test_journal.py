"""The journal: nothing accepted is lost, whatever the disk or the power does."""

from __future__ import annotations

import errno
import fcntl
import json
import os
import sys
import threading
from pathlib import Path

import patience
import pytest
from journals import lines
from lumiban import games
from lumiban.errors import JournalError, JournalInUse
from lumiban.system.disk import Disk
from lumiban.system.paths import state_folder
from lumiban.table.history import GameHistory
from lumiban.table.journal import (
    JournalFile,
    JournalWriter,
    Reading,
    begin,
    read,
)
from lumiban.table.resume import ResumedGame, last, resume, take
from lumiban_sim import __main__ as simulator_process
from msgspec import to_builtins
from msgspec.structs import replace
from places import TESTS

HEAD = to_builtins(
    GameHistory(games.load("control", size=3), ["human", "bot:easy"], seed=3, profile="hex3").head()
)
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
    path.write_bytes(lines(BODY))
    return path


def mended(path: Path) -> Reading:
    """The journal as a host reads it that goes on with it; afterwards the file is whole."""
    file = JournalFile(path, new=False)
    try:
        reading = file.read()
        return replace(reading, notes=file.mend(reading))
    finally:
        file.close()


def test_a_torn_last_line_is_cut_and_told(path: Path) -> None:
    whole = path.read_bytes()
    before = lines(BODY[:-1])
    for cut in range(1, len(whole) - len(before)):
        for room in (b"", bytes(7)):
            path.write_bytes(whole[:-cut] + room)
            reading = mended(path)
            assert list(reading.records) == BODY[:-1]
            (note,) = reading.notes
            assert note.id == "journal.torn-last"
            assert "line 6" in str(note)
            assert path.read_bytes() == before
            assert mended(path).notes == ()
    assert list(path.parent.iterdir()) == [path]


def test_reading_only_changes_nothing(path: Path) -> None:
    broken = path.read_bytes()[:-3]
    path.write_bytes(broken)
    assert len(read(path).records) == 5
    assert path.read_bytes() == broken


@pytest.mark.parametrize(
    ("content", "word"),
    [
        (b"", "no complete record"),
        (b"garbage\n", "no complete record"),
        (lines([{"t": "move", "side": 0, "text": "a3"}]), "does not begin like a journal"),
        (lines([{**HEAD, "version": 99}]), "update it"),
        (lines([{**HEAD, "game": "chess"}]), "chess"),
        (lines([{**HEAD, "options": {"size": 99}}]), "size"),
        (lines([{"t": "head", "version": 1}]), "does not start a game"),
        (lines([{**HEAD, "version": 0}]), "version 0"),
        (lines([HEAD, {"t": "move", "side": 0, "text": "c3", "at": 0, "by": "x"}]), "c3"),
        (lines([HEAD, {"t": "move", "side": 0}]), "garbled"),
        (lines([HEAD, {"t": "back", "moves": 2}]), "more moves back"),
        (lines([HEAD, {"t": "events", "next": 1, "events": [[1]]}]), "garbled"),
        (lines([HEAD, {"t": "slide", "way": [1, 0]}]), "control stay where they are"),
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


def test_a_line_that_tells_another_length_than_it_has_is_not_believed(path: Path) -> None:
    whole = path.read_bytes()
    for number, record in enumerate(BODY):
        length = len(json.dumps(record, separators=(",", ":")))
        spoilt = whole.replace(b" %d " % length, b" %d " % (length + 1), 1)
        assert spoilt != whole
        path.write_bytes(spoilt)
        if number:
            assert len(read(path).records) == number
        else:
            with pytest.raises(JournalError, match="no complete record"):
                read(path)


def test_after_a_boot_of_the_board_the_numbers_of_before_are_forgotten(path: Path) -> None:
    def meets(boot: int) -> ResumedGame:
        path.write_bytes(lines([*BODY, {"t": "board", "uid": "u1", "boot": boot}]))
        return resume(path)

    assert meets(77).link_resume == (77, 5)
    assert meets(78).link_resume is None
    assert meets(78).board.kinds is None


def test_the_writer_tells_what_is_on_disk_only_after_the_fsync(tmp_path: Path) -> None:
    told: list[int] = []
    gate, arrived = threading.Event(), threading.Event()

    class SlowDisk(Disk):
        def sync(self, file: int) -> None:
            arrived.set()
            patience.until(gate.is_set)

    writer = JournalWriter(told.append, pytest.fail)
    writer.open(JournalFile(tmp_path / "g.journal", disk=SlowDisk()))
    writer.append(0, HEAD)
    patience.until(arrived.is_set)
    writer.append(1, BODY[1])
    writer.append(2, BODY[2])
    assert told == []
    gate.set()
    writer.close()
    assert told in ([0, 2], [0, 1, 2])
    assert list(read(tmp_path / "g.journal").records) == BODY[:3]


def test_what_is_to_be_done_then_is_done_when_all_before_it_is_on_disk(tmp_path: Path) -> None:
    told: list[int | str] = []
    writer = JournalWriter(told.append, pytest.fail)
    writer.open(JournalFile(tmp_path / "g.journal"))
    writer.append(0, HEAD)
    writer.append(1, BODY[1])
    writer.then(lambda: told.append("then"))
    writer.append(2, BODY[2])
    writer.close()
    assert told in ([1, "then", 2], [0, 1, "then", 2])


def test_a_broken_disk_is_told_once_and_nothing_more_is_written(tmp_path: Path) -> None:
    failures: list[JournalError] = []

    class BrokenDisk(Disk):
        def sync(self, file: int) -> None:
            raise OSError(errno.EIO, "Input/output error")

    writer = JournalWriter(lambda number: pytest.fail("nothing is durable"), failures.append)
    writer.open(JournalFile(tmp_path / "g.journal", disk=BrokenDisk()))
    writer.append(0, HEAD)
    writer.close()
    (failure,) = failures
    assert "Input/output error" in str(failure)


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
        board = {"t": "board", "uid": uid, "boot": 1}
        path.write_bytes(b"torn" if name == "torn" else lines([HEAD, board]))
        os.utime(path, (at, at))

    def found(uid: str | None) -> str | None:
        one = last(tmp_path, uid, passed_over=lambda path, _: told.append(path.stem))
        return None if one is None else one.path.stem

    assert (found(None), found("e661"), found("e663")) == ("b", "a", None)
    assert set(told) == {"torn"}


XDG = ("", "/x", "/x/", "/x y", "/x/../y", "//x")
"""What a variable of the XDG folders may say that counts: nothing, or an absolute path."""


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="the folders of Linux")
@pytest.mark.parametrize("home", ["/home/ann", "/", None])
@pytest.mark.parametrize("xdg", [None, *XDG])
def test_games_and_compiled_code_lie_where_they_always_did(
    home: str | None, xdg: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    import pwd

    import platformdirs

    for name, said in (("HOME", home), ("XDG_STATE_HOME", xdg), ("XDG_CACHE_HOME", xdg)):
        if said is None:
            monkeypatch.delenv(name, raising=False)
        else:
            monkeypatch.setenv(name, said)
    monkeypatch.delenv("LUMIBAN_HOME", raising=False)
    # The rule of 0.1 and 0.2, in its own words.
    own = Path(pwd.getpwuid(os.getuid()).pw_dir if home is None else home)
    assert state_folder() == Path(xdg or own / ".local" / "state") / "lumiban"
    assert simulator_process._state_folder() == state_folder()
    cache = platformdirs.user_cache_path("lumiban", appauthor=False)
    assert cache == Path(xdg or own / ".cache") / "lumiban"


def test_the_folder_that_is_named_counts_for_table_and_simulator(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    for said, meant in (("mine", Path("mine")), ("~/mine", tmp_path / "mine")):
        monkeypatch.setenv("LUMIBAN_HOME", said)
        assert state_folder() == simulator_process._state_folder() == meant


# Numbered and chained.


def one_by_one(path: Path) -> list[bytes]:
    return path.read_bytes().splitlines(keepends=True)


@pytest.mark.parametrize("at", range(1, 5))
@pytest.mark.parametrize("what", ["missing", "doubled", "swapped", "of another game"])
def test_a_line_out_of_place_is_known_and_nothing_after_it_is_believed(
    path: Path, at: int, what: str
) -> None:
    found = one_by_one(path)
    if what == "missing":
        del found[at]
    elif what == "doubled":
        found.insert(at, found[at])
        at += 1
    elif what == "swapped":
        found[at : at + 2] = found[at + 1], found[at]
    else:
        other = lines([{**HEAD, "seed": 4}, *BODY[1:]]).splitlines(keepends=True)
        found[at] = other[at]
    spoilt = b"".join(found)
    path.write_bytes(spoilt)
    reading = mended(path)
    assert list(reading.records) == BODY[:at]
    (note,) = reading.notes
    assert note.id == ("journal.checksum" if what == "of another game" else "journal.order")
    assert note.params["line"] == at + 1
    assert path.with_name("game.journal.damaged").read_bytes() == spoilt


def test_what_is_written_on_a_mended_journal_goes_on_its_chain(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:-9])
    back = take(path)
    assert back.file is not None
    back.file.append(5, BODY[5])
    assert back.file.sync() == 5
    back.file.close()
    assert path.read_bytes() == lines(BODY)


# Of other versions.

OLD = TESTS / "golden" / "journal-version-1.journal"


def test_a_journal_of_version_1_is_read_and_gone_on_with(tmp_path: Path) -> None:
    path = tmp_path / "old.journal"
    path.write_bytes(OLD.read_bytes())
    back = take(path)
    assert [str(move) for move in back.history.moves] == (
        ["e1", "b2", "d1", "d4", "c2", "c3", "b1", "a1", "e2", "d3", "b4", "b3"]
    )
    assert (back.history.seats, str(back.history.chosen)) == (["bot:medium", "bot:easy"], "d2")
    assert (back.written, back.notes) == (44, ())
    assert path.read_bytes() == OLD.read_bytes()
    assert back.file is not None
    back.file.append(45, {"t": "dropped"})
    back.close()
    again = resume(path)
    assert (again.written, again.notes, again.history.chosen) == (45, (), None)


# Whose it is.


def test_a_journal_is_one_hosts_as_long_as_it_is_open(path: Path) -> None:
    back = take(path)
    before = path.read_bytes() + b"half a li"
    path.write_bytes(before)  # what the other host is writing just now
    with pytest.raises(JournalInUse):
        take(path)
    assert path.read_bytes() == before
    assert resume(path, mends=False).written == 5  # to look is allowed
    back.close()
    take(path).close()
    assert path.read_bytes() == lines(BODY)


def test_a_journal_that_is_set_aside_while_another_opens_it_is_not_the_others(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The other one holds, and locks, what has another name by then."""
    path.write_bytes(path.read_bytes().replace(b'"at":1000,"by"', b'"at":9000,"by"'))
    opened = Disk.open

    def open_slowly(disk: Disk, of: Path) -> int:
        file = opened(disk, of)
        monkeypatch.undo()
        take(path).close()
        return file

    monkeypatch.setattr(Disk, "open", open_slowly)
    with pytest.raises(JournalInUse):
        take(path)
    assert list(read(path).records) == BODY[:4]


def test_a_journal_that_cannot_be_played_on_is_left_as_it_is(path: Path) -> None:
    torn = lines([HEAD, {"t": "back", "moves": 2}]) + b"half a li"
    path.write_bytes(torn)
    with pytest.raises(JournalError, match="more moves back"):
        take(path)
    assert path.read_bytes() == torn
    take_again = JournalFile(path, new=False)  # and nobody holds it
    take_again.close()


def test_a_new_journal_never_takes_the_place_of_one_that_is_there(path: Path) -> None:
    with pytest.raises(FileExistsError):
        JournalFile(path)
    second, third = begin(path.parent, "game"), begin(path.parent, "game")
    assert [one.path.name for one in (second, third)] == [
        "game-again-2.journal",
        "game-again-3.journal",
    ]
    second.close()
    third.close()
    assert list(read(path).records) == BODY


class NoLocks(Disk):
    """A file system across a network that knows no locks."""

    def lock(self, file: int) -> bool:
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(fcntl, "flock", self._refuse)
            return super().lock(file)

    @staticmethod
    def _refuse(file: int, how: int) -> None:
        raise OSError(errno.ENOLCK, "No locks available")


def test_where_there_are_no_locks_play_goes_on_without(path: Path) -> None:
    file = JournalFile(path, new=False, disk=NoLocks())
    assert file.mend(file.read()) == ()
    file.close()


# Folders.


def test_a_folder_that_cannot_be_synced_is_remembered_once_and_stops_nobody(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(disk: Disk, handle: int) -> None:
        raise OSError(errno.EINVAL, "Invalid argument")

    monkeypatch.setattr(Disk, "_sync_open_folder", refuse)
    disk = Disk()
    file = JournalFile(tmp_path / "deep" / "g.journal", disk=disk)
    file.append(0, HEAD)
    assert file.sync() == 0
    file.close()
    assert disk.unsynced == tmp_path
    assert list(read(tmp_path / "deep" / "g.journal").records) == [HEAD]


def test_a_folder_whose_disk_fails_is_an_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(disk: Disk, handle: int) -> None:
        raise OSError(errno.EIO, "Input/output error")

    file = JournalFile(tmp_path / "g.journal")
    monkeypatch.setattr(Disk, "_sync_open_folder", fail)
    with pytest.raises(JournalError, match="Input/output error"):
        file.sync()
    file.close()

"""A full disk: play stands still, the sentence names the folder, and nothing accepted is lost."""

from __future__ import annotations

import errno
import json
import logging
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path

import patience
import pytest
from command_line import environment
from journals import lines
from lumiban.errors import DiskFull
from lumiban.system.disk import DISK, Disk
from lumiban.system.paths import little_room, open_log, with_room
from lumiban.table.journal import JournalFile, JournalWriter, read
from thorough import some

HEAD = {"t": "head", "version": 2}


class SmallDisk(Disk):
    """A disk that takes so many bytes, and of whose last write a part arrives; syncs may fail too.

    After so many refusals it has room for ever: it is freed between two tries, by the thread that
    writes, so that nothing depends on when another thread looks.
    """

    def __init__(self, room: int, *, refusals: int = 1 << 40, syncs_fail: int = 0) -> None:
        super().__init__()
        self.room = room
        self.refusals = refusals
        self.syncs_fail = syncs_fail

    def _refuse(self) -> None:
        self.refusals -= 1
        if not self.refusals:
            self.room = 1 << 40
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    def write(self, file: int, data: bytes) -> None:
        taken = data[: max(self.room, 0)]
        self.room -= len(taken)
        super().write(file, taken)
        if len(taken) < len(data):
            self._refuse()

    def truncate(self, file: int, length: int) -> None:
        self.room += os.fstat(file).st_size - length
        super().truncate(file, length)

    def sync(self, file: int) -> None:
        if self.syncs_fail:
            self.syncs_fail -= 1
            self._refuse()
        super().sync(file)


class Writing:
    """A writer on a small disk, and what it told; nothing that it told is ever taken away."""

    def __init__(self, folder: Path, disk: SmallDisk) -> None:
        self.path = folder / "journals" / "game.journal"
        self.durable: list[int] = []
        self.failed: list[Exception] = []
        self.full: list[DiskFull | None] = []
        self.held: list[int] = []
        """Whole records in the file, each time that the disk was told to be full."""
        self.writer = JournalWriter(
            self.durable.append, self.failed.append, self._on_disk_full, retry_s=0.005
        )
        self.writer.open(JournalFile(self.path, disk=disk))

    def _on_disk_full(self, error: DiskFull | None) -> None:
        if error is not None:
            data = self.path.read_bytes()
            self.held.append(len(read(self.path).records) if b"\n" in data else 0)
        self.full.append(error)

    def until_kept(self, last: int) -> None:
        """Until the record of this number is on disk."""
        patience.until(lambda: last in self.durable)


@pytest.mark.parametrize("tries", [1, 2, 4])
@pytest.mark.parametrize("room", some(range(0, 200, 9), 4))
def test_whatever_did_not_fit_is_written_once_when_there_is_room(
    tmp_path: Path, room: int, tries: int
) -> None:
    writing = Writing(tmp_path, SmallDisk(room, refusals=tries))
    records = [HEAD, *({"t": "move", "text": f"a{n}"} for n in range(6))]
    for number, record in enumerate(records):
        writing.writer.append(number, record)
    writing.until_kept(6)
    writing.writer.close()
    error, again = writing.full
    assert isinstance(error, DiskFull)
    assert error.folder == tmp_path
    assert str(tmp_path / "flight") in str(error)
    assert again is None
    reading = read(writing.path)
    assert [*reading.records] == records
    assert reading.notes == ()
    assert writing.failed == []


@pytest.mark.parametrize("room", [0, 36, 37, 75, 76, 100])
def test_what_did_not_fit_is_not_told_to_be_on_disk(tmp_path: Path, room: int) -> None:
    writing = Writing(tmp_path, SmallDisk(room))
    for number, record in enumerate([HEAD, *({"t": "move", "text": f"a{n}"} for n in range(3))]):
        writing.writer.append(number, record)
    patience.until(lambda: writing.full)
    (whole,) = writing.held
    assert whole == (room >= 37) + max(room - 37, 0) // 39
    writing.writer.close()
    assert all(number < whole for number in writing.durable)
    assert [type(error) for error in writing.failed] == [DiskFull], "who ends now says so"


def test_after_an_fsync_that_failed_all_of_it_is_written_again(tmp_path: Path) -> None:
    disk = SmallDisk(10_000, syncs_fail=3)
    writing = Writing(tmp_path, disk)
    writing.writer.append(0, HEAD)
    writing.until_kept(0)
    written = 10_000 - disk.room
    writing.writer.close()
    assert written == writing.path.stat().st_size
    assert [*read(writing.path).records] == [HEAD]
    assert writing.full[-1] is None


# The table.


# The log, and what is told before play.


def test_a_log_on_a_full_disk_says_nothing_and_stops_nothing(tmp_path: Path) -> None:
    log = open_log(tmp_path)
    log.info("first")
    (tmp_path / "host.log").unlink()
    (tmp_path / "host.log").symlink_to("/dev/full")
    full = open_log(tmp_path)
    full.error("nobody hears", exc_info=ValueError("\udcff"))
    full.info("nor this")


def test_a_line_of_the_log_holds_its_values_level_time_and_traceback(tmp_path: Path) -> None:
    log = open_log(tmp_path)
    log.debug("left out")
    log.info("board", port=Path("/dev/x"), name="盤", seen=None)
    log.error("failed", exc_info=ValueError("of e5"))
    logging.getLogger("uvicorn").warning("too many")
    board, failed, other = map(json.loads, (tmp_path / "host.log").read_text("utf-8").splitlines())
    assert datetime.fromisoformat(board.pop("timestamp")).tzinfo == UTC
    assert board == {"pid": os.getpid(), "port": "/dev/x", "name": "盤", "seen": None,
                     "event": "board", "level": "info"}  # fmt: skip
    assert (failed["level"], failed["exception"]) == ("error", "ValueError: of e5")
    assert (other["event"], other["level"], other["by"]) == ("too many", "warning", "uvicorn")
    assert "exception" not in other


def test_a_log_that_cannot_be_opened_stops_nothing(tmp_path: Path) -> None:
    (tmp_path / "host.log").mkdir()
    open_log(tmp_path).info("nobody hears")


def test_little_room_is_told_in_megabytes_and_what_nobody_knows_is_not(tmp_path: Path) -> None:
    def unknown(folder: Path) -> int:
        raise OSError(errno.EIO, "no figures")

    assert little_room(tmp_path, lambda folder: 1_500_000) == 1.5
    assert little_room(tmp_path, lambda folder: 32_000_000) is None
    assert little_room(tmp_path, unknown) is None


def test_a_table_does_not_begin_where_a_quota_leaves_no_room(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert with_room(tmp_path) == tmp_path

    def full(file: int, data: bytes) -> None:
        raise OSError(errno.EDQUOT, os.strerror(errno.EDQUOT))

    monkeypatch.setattr(DISK, "write", full)
    with pytest.raises(DiskFull):
        with_room(tmp_path)
    assert list(tmp_path.iterdir()) == []


# A disk that is truly full.


@pytest.fixture
def small(tmp_path: Path) -> Iterator[Path]:
    """A file system of a megabyte."""
    place = tmp_path / "small"
    place.mkdir()
    mount = shutil.which("mount")
    words = [mount or "mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", str(place)]
    if mount is None or os.name != "posix" or os.geteuid() != 0:
        pytest.skip("only root mounts a small disk")
    if subprocess.run(words, capture_output=True, check=False).returncode:
        pytest.skip("mounting is not allowed here")
    yield place
    subprocess.run(["umount", "-l", str(place)], check=True)


def fill(folder: Path) -> Path:
    """A file that leaves no byte free."""
    ballast = folder / "ballast"
    with ballast.open("wb", buffering=0) as file, suppress(OSError):
        while True:
            file.write(bytes(1 << 12))
    return ballast


@pytest.mark.process
def test_a_disk_that_is_truly_full_takes_the_rest_when_something_is_deleted(small: Path) -> None:
    writing = Writing(small, SmallDisk(1 << 40))
    ballast = fill(small)
    records = [HEAD, *({"t": "move", "text": "x" * 3000, "n": n} for n in range(20))]
    for number, record in enumerate(records):
        writing.writer.append(number, record)
    patience.until(lambda: writing.full)
    assert isinstance(writing.full[0], DiskFull)
    ballast.unlink()
    writing.until_kept(20)
    writing.writer.close()
    assert json.loads(json.dumps(read(writing.path).records)) == records


@pytest.mark.process
@pytest.mark.parametrize(
    "words", [["demo", "--no-browser"], ["play", "control", "--no-browser"], ["sim"]]
)
def test_a_host_that_starts_on_a_truly_full_disk_says_so_and_leaves_all_as_it_was(
    small: Path, words: list[str]
) -> None:
    journals = small / "journals"
    journals.mkdir()
    kept = lines([HEAD, {"t": "move", "text": "a1"}])
    (journals / "game.journal").write_bytes(kept)
    fill(small)
    command = [sys.executable, "-m", "lumiban", *words]
    done = patience.run(command, env=environment(small))
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.startswith(f"lumiban: no space is left on the disk of {small},")
    assert str(small / "flight") in done.stderr
    assert done.stderr.count("\n") == 1
    assert [path.name for path in journals.iterdir()] == ["game.journal"]
    assert (journals / "game.journal").read_bytes() == kept

"""What is forced to the disk, in which order: a file, then its name, before anything is told."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from journals import lines
from lumiban import games
from lumiban.system.disk import Disk
from lumiban.table.history import GameHistory
from lumiban.table.journal import JournalFile
from msgspec import to_builtins

HEAD = to_builtins(
    GameHistory(games.load("control", size=3), ["human", "human"], profile="hex3").head()
)
BODY = [HEAD, {"t": "board", "uid": "u1", "boot": 77}, {"t": "belief", "next": 4}]


class Noted(Disk):
    """The real disk, and what was asked of it: names of files, and of folders with a slash."""

    def __init__(self) -> None:
        super().__init__()
        self.done: list[str] = []
        self._names: dict[int, str] = {}

    def create(self, path: Path) -> int:
        return self._opened("create", path, super().create(path))

    def replace(self, path: Path) -> int:
        return self._opened("create", path, super().replace(path))

    def open(self, path: Path) -> int:
        return self._opened("open", path, super().open(path))

    def _opened(self, what: str, path: Path, file: int) -> int:
        self._names[file] = path.name
        self.done.append(f"{what} {path.name}")
        return file

    def write(self, file: int, data: bytes) -> None:
        super().write(file, data)
        self.done.append(f"write {self._names[file]}")

    def truncate(self, file: int, length: int) -> None:
        super().truncate(file, length)
        self.done.append(f"cut {self._names[file]}")

    def sync(self, file: int) -> None:
        super().sync(file)
        self.done.append(f"sync {self._names[file]}")

    def sync_folder(self, folder: Path) -> None:
        super().sync_folder(folder)
        self.done.append(f"sync {folder.name}/")

    def rename(self, old: Path, new: Path) -> None:
        super().rename(old, new)
        self.done.append(f"rename {new.name}")


def mended(path: Path) -> list[str]:
    disk = Noted()
    file = JournalFile(path, new=False, disk=disk)
    file.mend(file.read())
    file.close()
    return disk.done[1:]


def test_a_new_journal_is_on_disk_with_its_name_before_its_first_record_is_told(
    tmp_path: Path,
) -> None:
    disk = Noted()
    file = JournalFile(tmp_path / "games" / "g.journal", disk=disk)
    # A folder that was made is one whose name its own folder has to keep.
    assert disk.done == [f"sync {tmp_path.name}/", "create g.journal"]
    disk.done.clear()
    file.append(0, HEAD)
    assert file.sync() == 0
    assert disk.done == ["write g.journal", "sync g.journal", "sync games/"]
    disk.done.clear()
    file.append(1, BODY[1])
    assert file.sync() == 1
    assert disk.done == ["write g.journal", "sync g.journal"]
    file.close()


def test_what_is_written_again_after_a_full_disk_is_forced_to_it_too(tmp_path: Path) -> None:
    disk = Noted()
    file = JournalFile(tmp_path / "g.journal", disk=disk)
    file.append(0, HEAD)
    disk.done.clear()
    assert file.sync(rewrites=True) == 0
    file.close()
    steps = ["cut g.journal", "write g.journal", "sync g.journal", f"sync {tmp_path.name}/"]
    assert disk.done == steps
    assert (tmp_path / "g.journal").read_bytes() == lines([HEAD])


def test_what_was_written_and_perhaps_not_synced_is_before_it_is_played_on(tmp_path: Path) -> None:
    path = tmp_path / "g.journal"
    path.write_bytes(lines(BODY))
    assert mended(path) == ["sync g.journal", f"sync {tmp_path.name}/"]


def test_a_torn_end_is_cut_on_the_disk_too(tmp_path: Path) -> None:
    path = tmp_path / "g.journal"
    path.write_bytes(lines(BODY)[:-3])
    assert mended(path) == ["cut g.journal", "sync g.journal", f"sync {tmp_path.name}/"]


def test_a_damaged_journal_is_kept_on_disk_before_its_good_part_takes_its_place(
    tmp_path: Path,
) -> None:
    path = tmp_path / "g.journal"
    path.write_bytes(lines(BODY).replace(b'"u1"', b'"u2"'))
    folder = f"sync {tmp_path.name}/"
    steps = [step for step in mended(path) if "open" not in step]
    kept, fresh = "g.journal.damaged", "g.journal.mending"
    assert steps[:8] == [
        f"create {kept}",
        f"write {kept}",
        f"sync {kept}",
        folder,
        f"create {fresh}",
        f"write {fresh}",
        f"sync {fresh}",
        "rename g.journal",
    ]
    assert folder in steps[8:]


def test_the_real_disk_forces_files_and_folders(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    forced: list[int] = []
    monkeypatch.setattr(os, "fsync", forced.append)
    monkeypatch.setattr("sys.platform", "linux")  # on macOS a file is forced by another call
    disk = Disk()
    file = disk.create(tmp_path / "one")
    disk.sync(file)
    assert forced == [file]
    disk.sync_folder(tmp_path)
    assert len(forced) == 2
    disk.close(file)


def test_a_new_file_is_never_one_that_is_there(tmp_path: Path) -> None:
    (tmp_path / "one").write_text("kept")
    with pytest.raises(FileExistsError):
        Disk().create(tmp_path / "one")
    assert (tmp_path / "one").read_text() == "kept"

"""Backup and restore: everything comes back, nothing that was there is lost, no strange file in."""

from __future__ import annotations

import io
import tarfile
from pathlib import Path
from typing import Any

import pytest
from lumiban.errors import UsageError
from lumiban.library.backup import back_up, restore
from lumiban.system.disk import Disk

TREE = {
    "journals/20260101-game.journal": b"one\n",
    "records/20260101-game.json": b"{}",
    "boards/hex3.toml": b"x",
    "ledger": b"line\n",
    "settings.toml": b"[page]\n",
    "health/ab.json": b"h",
}


def put(root: Path, tree: dict[str, bytes]) -> Path:
    for name, data in tree.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_bytes(data)
    return root


def found(root: Path) -> dict[str, bytes]:
    return {
        path.relative_to(root).as_posix(): path.read_bytes()
        for path in root.rglob("*")
        if path.is_file()
    }


def test_everything_comes_back_and_what_can_be_made_again_is_left_out(tmp_path: Path) -> None:
    more = {"host.log": b"log", "flight/x.gz": b"big", "library.db": b"index"}
    state = put(tmp_path / "state", TREE | more)
    kept = back_up(state, tmp_path / "all.tar.gz")
    assert kept.files == len(TREE)
    other = tmp_path / "other"
    other.mkdir()
    restore(other, tmp_path / "all.tar.gz")
    assert found(other) == TREE
    times = [(root / "ledger").stat().st_mtime // 1 for root in (state, other)]
    assert times[0] == times[1]


def test_what_was_there_before_is_set_aside(tmp_path: Path) -> None:
    back_up(put(tmp_path / "old", TREE), tmp_path / "all.tar.gz")
    state = put(tmp_path / "new", {"journals/b.journal": b"newer", "ledger": b"newer"})
    _, aside = restore(state, tmp_path / "all.tar.gz")
    assert found(aside) == {"journals/b.journal": b"newer", "ledger": b"newer"}
    assert {name: data for name, data in found(state).items() if "before" not in name} == TREE


class Cut(Exception):
    """The power goes."""


class CutDisk(Disk):
    """Stops before its operation number `at`."""

    def __init__(self, at: int) -> None:
        super().__init__()
        self.left = at

    def _count(self) -> None:
        self.left -= 1
        if self.left < 0:
            raise Cut

    def rename(self, old: Path, new: Path) -> None:
        self._count()
        super().rename(old, new)

    def write(self, file: int, data: bytes) -> None:
        self._count()
        super().write(file, data)

    def sync_folder(self, folder: Path) -> None:
        self._count()
        super().sync_folder(folder)


def test_cut_at_any_moment_nothing_is_lost_and_the_same_command_again_ends_it(
    tmp_path: Path,
) -> None:
    back_up(put(tmp_path / "old", TREE), tmp_path / "all.tar.gz")
    newer = {"journals/b.journal": b"newer", "ledger": b"newer", "records/b.json": b"n"}
    cuts = 0
    for at in range(200):
        state = put(tmp_path / f"new-{at}", newer)
        try:
            restore(state, tmp_path / "all.tar.gz", CutDisk(at))
        except Cut:
            cuts += 1
        else:
            break
        assert set(newer.values()) <= set(found(state).values()), at
        restore(state, tmp_path / "all.tar.gz")
        now = found(state)
        assert TREE.items() <= now.items(), at
        assert set(newer.values()) <= set(now.values()), at
    assert cuts > 15


def archive(path: Path, name: str, data: bytes = b"x", **about: Any) -> Path:
    with tarfile.open(path, "w:gz") as out:
        one = tarfile.TarInfo(name)
        one.size = len(data)
        for key, value in about.items():
            setattr(one, key, value)
        out.addfile(one, io.BytesIO(data))
    return path


@pytest.mark.parametrize(
    ("name", "about"),
    [
        ("../evil", {}),
        ("/etc/passwd", {}),
        ("journals/../../evil", {}),
        ("journals/a", {"type": tarfile.SYMTYPE, "linkname": "/etc/passwd"}),
        ("journals", {"type": tarfile.DIRTYPE, "size": 0}),
        ("other/a", {}),
        ("host.log", {}),
        ("journals/-a", {}),
    ],
)
def test_a_strange_file_is_refused_and_nothing_is_changed(
    tmp_path: Path, name: str, about: dict[str, Any]
) -> None:
    state = put(tmp_path / "state", TREE)
    with pytest.raises(UsageError, match="no backup of lumiban"):
        restore(state, archive(tmp_path / "evil.tar.gz", name, **about))
    restored = {name: data for name, data in found(state).items() if "restore" not in name}
    assert restored == TREE


def test_a_damaged_file_is_a_sentence(tmp_path: Path) -> None:
    state = put(tmp_path / "state", TREE)
    back_up(state, tmp_path / "all.tar.gz")
    data = (tmp_path / "all.tar.gz").read_bytes()
    for wrong in (b"", b"no tar", data[: len(data) // 2]):
        (tmp_path / "wrong.tar.gz").write_bytes(wrong)
        with pytest.raises(UsageError, match="no backup of lumiban"):
            restore(state, tmp_path / "wrong.tar.gz")

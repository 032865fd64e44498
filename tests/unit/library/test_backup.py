"""Backup and restore: games come back whole or not at all, nothing that was there is lost, and a
file from anybody is judged before any of it is unpacked."""

from __future__ import annotations

import gzip
import io
import json
import os
import tarfile
import tracemalloc
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from lumiban.errors import LumibanError, UsageError
from lumiban.i18n import text
from lumiban.library import backup
from lumiban.library.backup import Restored, back_up, settle
from lumiban.service import settings
from lumiban.system.disk import DISK, Disk

GAMES = {
    "journals/20260101-game.journal": b"one\n",
    "records/20260101-game.json": b"{}",
    "ledger": b"line\n",
    "health/ab.json": b"h",
}
MACHINE = {"boards/table-1.json": b"x", "firmware/3f2a91.json": b"{}"}
OTHERS = """
[page]
network = "auto"
pin = "493817"
port = 9000
language = "ja"
[light]
brightness = 70
"""
OWN = '# mine\n[page]\nnetwork = "off"\npin = "111222"\n[light]\nbrightness = 90 \n'


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


def restore(state: Path, source: Path, disk: Disk = DISK) -> Restored:
    with source.open("rb") as file:
        return backup.restore(
            state, file, lambda other: settings.with_play(state / settings.FILE, other), disk
        )


def test_what_root_restores_belongs_to_the_service_that_plays_on_with_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    back_up(put(tmp_path / "state", GAMES), tmp_path / "all.tar.gz")
    other = tmp_path / "other"
    other.mkdir()
    if os.geteuid() == 0:
        os.chown(other, 4321, 4321)
    owners: dict[int, tuple[int, int]] = {}

    def chown(path: Path, uid: int, gid: int, *, follow_symlinks: bool = True) -> None:
        assert not follow_symlinks
        owners[path.lstat().st_ino] = (uid, gid)

    monkeypatch.setattr(os, "geteuid", lambda: 0)
    monkeypatch.setattr(os, "chown", chown)
    restore(other, tmp_path / "all.tar.gz")
    owner = other.stat().st_uid, other.stat().st_gid
    restored = list(other.rglob("*"))
    assert len(restored) == len(GAMES) + 3
    assert {owners.get(path.lstat().st_ino) for path in restored} == {owner}


def test_games_come_back_and_what_can_be_made_again_is_left_out(tmp_path: Path) -> None:
    whole = {**GAMES, "calibration/ab.json": b"c", "header/ab.json": b"p"}
    more = {"host.log": b"log", "flight/x.gz": b"big", "library.db": b"index"}
    state = put(tmp_path / "state", whole | MACHINE | more)
    kept = back_up(state, tmp_path / "all.tar.gz")
    assert kept.files == len(whole | MACHINE)
    other = tmp_path / "other"
    other.mkdir()
    done = restore(other, tmp_path / "all.tar.gz")
    assert found(other) == whole
    assert (done.files, done.aside, set(done.left_out)) == (
        len(whole),
        None,
        {"boards", "firmware"},
    )
    times = [(root / "ledger").stat().st_mtime // 1 for root in (state, other)]
    assert times[0] == times[1]


def test_a_backup_is_on_disk_before_it_has_its_name_and_without_room_it_is_not_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    state, out = put(tmp_path / "state", GAMES), tmp_path / "out" / "all.tar.gz"
    out.parent.mkdir()
    synced, sync = [], os.fsync

    def fsync(file: int) -> None:
        synced.append((Path(f"/proc/self/fd/{file}").readlink(), out.exists()))
        sync(file)

    monkeypatch.setattr(os, "fsync", fsync)
    back_up(state, out)
    (beside, before), (folder, after) = synced
    assert (beside.parent, before, folder, after) == (out.parent, False, out.parent, True)
    assert list(out.parent.iterdir()) == [out]
    out.unlink()

    def full(file: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(LumibanError, match=r"all\.tar\.gz cannot be written: No space left"):
        back_up(state, out)
    assert list(out.parent.iterdir()) == []


def test_a_file_that_no_lumiban_names_so_is_in_no_backup(tmp_path: Path) -> None:
    others = {f"journals/{name}": b"x" for name in (".part", "-r", " a", "ä", "a\nb", "a" * 91)}
    ours = {f"journals/{name}": b"x" for name in ("0", "A b-c_d.e", "a" * 90)}
    back_up(put(tmp_path / "state", ours | others), tmp_path / "all.tar.gz")
    (tmp_path / "other").mkdir()
    restore(tmp_path / "other", tmp_path / "all.tar.gz")
    assert found(tmp_path / "other") == ours


def test_network_pin_and_port_stay_and_looks_are_taken(tmp_path: Path) -> None:
    back_up(put(tmp_path / "old", {"settings.toml": OTHERS.encode()}), tmp_path / "all.tar.gz")
    state = put(tmp_path / "new", {"settings.toml": OWN.encode()})
    done = restore(state, tmp_path / "all.tar.gz")
    assert done.left_out == ("page.network", "page.pin", "page.port")
    now = settings.read(state / "settings.toml")
    assert [now.values[name] for name in ("page.network", "page.pin", "page.port")] == [
        "off", "111222", 8700,
    ]  # fmt: skip
    assert (now.text("page.language"), now.number("light.brightness")) == ("ja", 70)
    assert "# mine" in (state / "settings.toml").read_text("utf-8")


@pytest.mark.parametrize("own", [None, "[page", ""])
def test_settings_of_a_backup_never_open_a_table_whose_own_are_missing_or_broken(
    tmp_path: Path, own: str | None
) -> None:
    state = tmp_path / "new"
    put(state, {} if own is None else {"settings.toml": own.encode()}).mkdir(exist_ok=True)
    back_up(put(tmp_path / "old", {"settings.toml": OTHERS.encode()}), tmp_path / "all.tar.gz")
    restore(state, tmp_path / "all.tar.gz")
    now = settings.read(state / "settings.toml")
    assert (now.complaints, now.text("page.network"), now.text("page.pin")) == ((), "off", "")
    assert now.number("light.brightness") == 70


def test_what_was_there_before_is_set_aside(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    back_up(put(tmp_path / "old", GAMES), tmp_path / "all.tar.gz")
    state = put(tmp_path / "new", {"journals/b.journal": b"newer", "ledger": b"newer"})
    aside = restore(state, tmp_path / "all.tar.gz").aside
    assert aside is not None
    assert found(aside) == {"journals/b.journal": b"newer", "ledger": b"newer"}
    assert {name: data for name, data in found(state).items() if "before" not in name} == GAMES
    # In the same second again, it goes beside the first.
    monkeypatch.setattr("time.strftime", lambda form: aside.name[-15:])
    assert restore(state, tmp_path / "all.tar.gz").aside == aside.with_name(f"{aside.name}-2")


class Cut(Exception):
    """The power goes."""


class CutDisk(Disk):
    """Stops before its operation number `at`, by a power cut or with the disk's own error."""

    def __init__(self, at: int, error: type[Exception] = Cut) -> None:
        super().__init__()
        self.left = at
        self.error = error

    def _count(self) -> None:
        self.left -= 1
        if self.left == -1 or (self.left < 0 and self.error is Cut):
            raise self.error(28, "No space left on device")

    def rename(self, old: Path, new: Path) -> None:
        self._count()
        super().rename(old, new)

    def write(self, file: int, data: bytes) -> None:
        self._count()
        super().write(file, data)

    def sync(self, file: int) -> None:
        pass

    def sync_folder(self, folder: Path) -> None:
        self._count()


def test_cut_at_any_moment_it_is_all_or_nothing_at_the_next_start(tmp_path: Path) -> None:
    back_up(put(tmp_path / "old", GAMES), tmp_path / "all.tar.gz")
    newer = {"journals/b.journal": b"newer", "ledger": b"newer", "records/b.json": b"n"}
    ends = []
    for at in range(200):
        state = put(tmp_path / f"new-{at}", newer)
        try:
            restore(state, tmp_path / "all.tar.gz", CutDisk(at))
        except Cut:
            pass
        else:
            break
        settle(state)
        now = {name: data for name, data in found(state).items() if "restore" not in name}
        ends.append(now == GAMES)
        assert now in (newer, GAMES), at
        assert set(newer.values()) <= set(found(state).values()), at
        restore(state, tmp_path / "all.tar.gz")
        now = {name: data for name, data in found(state).items() if "restore" not in name}
        assert now == GAMES, at
        assert set(newer.values()) <= set(found(state).values()), at
    assert ends == sorted(ends)
    assert 5 < sum(ends) < len(ends) - 10, "cuts before and after it counts"


def test_a_call_that_fails_before_it_counts_leaves_nothing_behind(tmp_path: Path) -> None:
    back_up(put(tmp_path / "old", GAMES), tmp_path / "all.tar.gz")
    newer = {"journals/b.journal": b"newer", "ledger": b"newer"}
    refused = 0
    for at in range(0, 200, 3):
        state = put(tmp_path / f"new-{at}", newer)
        with suppress(LumibanError):
            restore(state, tmp_path / "all.tar.gz", CutDisk(at, OSError))
            continue
        refused += found(state) == newer
        settle(state)
        now = {name: data for name, data in found(state).items() if "restore" not in name}
        assert now in (newer, GAMES), at
    assert refused > 3


def archive(path: Path, *entries: tuple[str, bytes, dict[str, Any]], form: int = 0) -> Path:
    with tarfile.open(path, "w:gz", format=form) as out:
        for name, data, about in entries:
            one = tarfile.TarInfo(name)
            one.size = len(data)
            for key, value in about.items():
                setattr(one, key, value)
            out.addfile(one, io.BytesIO(data))
    return path


def link(kind: bytes, to: str = "/etc/passwd") -> dict[str, Any]:
    return {"type": kind, "linkname": to, "size": 0}


ONE = ("journals/a", b"x", dict[str, Any]())
NEWER = json.dumps({"version": backup.VERSION + 1, "lumiban": "9.1"}).encode()
STRANGE: dict[str, tuple[str, tuple[tuple[str, bytes, dict[str, Any]], ...]]] = {
    "above": ("strange", (("../evil", b"x", {}),)),
    "absolute": ("strange", (("/etc/passwd", b"x", {}),)),
    "up and down": ("strange", (("journals/../../evil", b"x", {}),)),
    "a farm of links": (
        "strange",
        (ONE, *((f"journals/{n}", b"", link(tarfile.SYMTYPE)) for n in range(5000))),
    ),
    "hard link": ("strange", (ONE, ("journals/b", b"", link(tarfile.LNKTYPE, "journals/a")))),
    "device": ("strange", (ONE, ("journals/b", b"", {"type": tarfile.BLKTYPE, "devmajor": 8}))),
    "pipe": ("strange", (ONE, ("journals/b", b"", {"type": tarfile.FIFOTYPE}))),
    "folder": ("strange", (("journals", b"", {"type": tarfile.DIRTYPE}), ONE)),
    "a name of its own": ("strange", (ONE, ("journals/-a", b"x", {}))),
    "an escape": ("strange", (ONE, ("journals/\x1b[2J", b"x", {}))),
    "a file where a folder is": ("strange", (ONE, ("records", b"x", {}))),
    "in a file": ("strange", (ONE, ("ledger/a", b"x", {}))),
    "twice": ("twice", (ONE, ONE)),
    "a file that is a folder too": ("twice", (ONE, ("journals/a/b", b"x", {}))),
    "one too large": ("too-big", (("settings.toml", b"#" * 100_001, {}),)),
    "nothing": ("empty", ()),
    "nothing of ours": ("empty", (("host.log", b"x", {}), ("other/a", b"x", {}))),
    "newer": ("newer", (("backup.json", NEWER, {}), ONE)),
    "a wrong head": ("strange", (("backup.json", b"[", {}), ONE)),
    "swells": ("swells", tuple((f"journals/{n}", bytes(400_000), {}) for n in range(4))),
}


@pytest.mark.parametrize("name", STRANGE)
def test_a_strange_file_is_one_sentence_and_nothing_has_changed(tmp_path: Path, name: str) -> None:
    reason, entries = STRANGE[name]
    state = put(tmp_path / "state", GAMES)
    before = {path: path.lstat().st_mtime_ns for path in state.rglob("*")}
    source = archive(tmp_path / "evil.tar.gz", *entries)
    with pytest.raises(UsageError) as error:
        restore(state, source)
    sentence = text(f"restore.{reason}", name="*", most="*", size="*", version="9.1")
    words = sentence.split("*")
    assert all(word in str(error.value) for word in words), str(error.value)
    assert str(error.value).isprintable()
    assert {path: path.lstat().st_mtime_ns for path in state.rglob("*")} == before
    assert found(state) == GAMES


@pytest.mark.slow
@pytest.mark.parametrize("form", [tarfile.GNU_FORMAT, tarfile.PAX_FORMAT])
def test_no_header_makes_it_read_what_it_has_not_judged(tmp_path: Path, form: int) -> None:
    """A name of 50 MB, which Python's own reader would hold in memory."""
    source = tmp_path / "evil.tar.gz"
    with tarfile.open(source, "w:gz", format=form, compresslevel=1) as out:
        out.addfile(tarfile.TarInfo("journals/" + "a" * 50_000_000))
    tracemalloc.start()
    with pytest.raises(UsageError):
        restore(put(tmp_path / "state", GAMES), source)
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert most < 2_000_000


def test_a_header_may_not_count_backwards(tmp_path: Path) -> None:
    head = bytearray(tarfile.TarInfo("journals/a").tobuf(tarfile.USTAR_FORMAT))
    head[124:136] = b"\xff" * 12
    head[148:156] = b" " * 8
    head[148:156] = b"%06o\0 " % sum(head)
    source = tmp_path / "evil.tar.gz"
    source.write_bytes(gzip.compress(bytes(head) + bytes(1024)))
    with pytest.raises(UsageError, match="journals/a"):
        restore(put(tmp_path / "state", GAMES), source)


def damaged(data: bytes) -> dict[str, tuple[str, bytes]]:
    plain = gzip.decompress(data)
    return {
        "empty": ("no-archive", b""),
        "a text": ("no-archive", b"no tar"),
        "cut short": ("damaged", data[: len(data) // 2]),
        "its end cut": ("damaged", data[:-6]),
        "a wrong sum": ("damaged", data[:-8] + bytes(4) + data[-4:]),
        "more behind it": ("damaged", gzip.compress(plain + b"x")),
        "no tar within": ("damaged", gzip.compress(b"x" * 2000)),
        "a header half": ("damaged", gzip.compress(plain[:700])),
    }


@pytest.mark.parametrize("name", damaged(gzip.compress(b"")))
def test_a_damaged_file_is_a_sentence_and_nothing_has_changed(tmp_path: Path, name: str) -> None:
    state = put(tmp_path / "state", GAMES)
    back_up(state, tmp_path / "all.tar.gz")
    reason, data = damaged((tmp_path / "all.tar.gz").read_bytes())[name]
    (tmp_path / "wrong.tar.gz").write_bytes(data)
    with pytest.raises(UsageError) as error:
        restore(state, tmp_path / "wrong.tar.gz")
    assert text(f"restore.{reason}") in str(error.value)
    assert found(state) == GAMES


def test_a_backup_without_room_for_it_is_not_begun(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    back_up(put(tmp_path / "old", GAMES), tmp_path / "all.tar.gz")
    state = put(tmp_path / "state", GAMES)
    monkeypatch.setattr(backup, "free_bytes", lambda folder: 10)
    with pytest.raises(UsageError, match="10 bytes"):
        restore(state, tmp_path / "all.tar.gz")
    assert found(state) == GAMES


def test_a_backup_of_an_earlier_lumiban_has_no_head_and_is_read(tmp_path: Path) -> None:
    entries = [(name, data, dict[str, Any]()) for name, data in (GAMES | MACHINE).items()]
    state = tmp_path / "state"
    state.mkdir()
    restore(state, archive(tmp_path / "old.tar.gz", *entries, form=tarfile.PAX_FORMAT))
    assert found(state) == GAMES

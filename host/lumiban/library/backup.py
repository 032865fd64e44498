"""All that a table keeps, as one file, and back: games, players, ratings, looks, calibrations.

What can be made again is left out: recordings, logs, the library's index. A file to restore from
may be anybody's: it is judged whole before anything is unpacked, what belongs to one machine
(network, PIN, ports) stays as it is here, and what was there before is set aside.
"""

from __future__ import annotations

import gzip
import io
import json
import os
import re
import shutil
import tarfile
import time
import zlib
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from lumiban import __version__
from lumiban.errors import LumibanError, UsageError
from lumiban.i18n import terminal_language, text
from lumiban.system import size_limits
from lumiban.system.disk import DISK, Disk
from lumiban.system.paths import free_bytes
from lumiban.system.size_limits import size_text

FOLDERS = ("journals", "records", "calibration", "health", "header")
"""Folders that are kept and restored, …"""
MACHINES = ("boards", "firmware")
"""… those that are kept and are of one machine, its ports and the programs that it flashed, …"""
LEDGER, SETTINGS, HEAD = "ledger", "settings.toml", "backup.json"
"""… and files. `settings.toml` is that of the state folder, wherever the service reads it; the
head says which lumiban wrote the backup."""
VERSION = 1
"""Version of backups; one of a higher version is not restored."""
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._ -]{0,89}", re.ASCII)
MAX_FILES = 200_000
MAX_BYTES = 4_000_000_000
MAX_ONE = 64_000_000
"""Bytes of one file; a journal has fewer."""
MAX_HEAD = 1000
MAX_SETTINGS = 100_000
MAX_TIMES = 100
"""How many times larger than the backup its files may be; journals are ten times."""
SLACK = 1_000_000
"""Bytes that a backup of any size may hold."""
COMING, READY = "restore.new", "restore.ready"
"""Folder of a restore while it is unpacked, and from the moment at which it counts."""
ASIDE = "before-restore"
_LATEST = 1 << 33

Merge = Callable[[str], tuple[str, tuple[str, ...], tuple[str, ...]]]
"""Own settings with those of a backup's text that are about play and light; these, as they are
told; the names of others that the backup has."""


@dataclass(frozen=True, slots=True)
class Backup:
    """Contents of a backup."""

    files: int
    size: int


@dataclass(frozen=True, slots=True)
class Restored:
    """Outcome of a restore."""

    files: int
    aside: Path | None
    """Folder of what was there before; None where nothing was."""
    left_out: tuple[str, ...]
    """Names of settings, folders and files that the backup holds and that were not restored."""
    settings: tuple[str, ...]
    """The settings that were taken from it, as `name = value`."""


def back_up(state: Path, out: Path) -> Backup:
    """Write everything into one file (.tar.gz), which is whole or not there; LumibanError.

    A table may be in play meanwhile: a journal is kept as far as it was written, which is a state
    that a crash could have left, and is read as such.
    """
    beside = out.with_name(out.name + ".new")
    head = json.dumps({"version": VERSION, "lumiban": __version__}).encode()
    count = size = 0
    try:
        with beside.open("wb") as file:
            with tarfile.open(fileobj=file, mode="w:gz", format=tarfile.USTAR_FORMAT) as archive:
                _add(archive, HEAD, head, time.time())
                for path in _files(state):
                    with suppress(FileNotFoundError):  # it was renamed or removed meanwhile
                        data = path.read_bytes()
                        name = path.relative_to(state).as_posix()
                        _add(archive, name, data, path.stat().st_mtime)
                        count, size = count + 1, size + len(data)
            file.flush()
            os.fsync(file.fileno())
        beside.replace(out)
        DISK.sync_folder(out.parent)
    except OSError as error:
        with suppress(OSError):
            beside.unlink()
        raise LumibanError(f"the backup {out} cannot be written: {error.strerror}") from None
    return Backup(count, size)


def _files(state: Path) -> Iterator[Path]:
    for name in (LEDGER, SETTINGS):
        if (state / name).is_file():
            yield state / name
    for name in (*FOLDERS, *MACHINES):
        for folder, inner, names in os.walk(state / name):
            inner.sort()
            yield from (Path(folder) / one for one in sorted(names) if _NAME.fullmatch(one))


def _add(archive: tarfile.TarFile, name: str, data: bytes, mtime: float) -> None:
    about = tarfile.TarInfo(name)
    about.size, about.mtime = len(data), int(min(max(mtime, 0), _LATEST))
    archive.addfile(about, io.BytesIO(data))


def restore(state: Path, source: BinaryIO, merge: Merge, disk: Disk = DISK) -> Restored:
    """Put games, players, looks and calibrations back from an open file: all or nothing.

    UsageError for a file that is no backup, LumibanError when it cannot be read or written. The
    file is judged to its end before anything is unpacked, and unpacked and on disk before anything
    is moved: cut at any moment, nothing is lost, and `settle` ends what had begun to count.
    """
    coming = state / COMING
    try:
        settle(state, disk)
        judge = _Judge(source)
        need = sum(about.size for about, _ in judge.entries())
        if need > (free := free_bytes(state)):
            raise judge.refusal("no-room", need=size_text(need), free=size_text(free))
        try:
            _remove(coming)
            disk.make_folder(coming / "new")
            disk.make_folder(coming / "old")
            files, left_out, taken = _unpack(judge, coming / "new", merge, disk)
            _give_to_owner(coming, state)
            disk.rename(coming, state / READY)
        except (OSError, LumibanError):
            with suppress(OSError):
                _remove(coming)
            raise
        disk.sync_folder(state)
        return Restored(files, settle(state, disk), left_out, taken)
    except OSError as error:
        where = error.filename or source.name
        raise LumibanError(
            _told("restore.failed", path=where, reason=error.strerror or error)
        ) from None


def settle(state: Path, disk: Disk = DISK) -> Path | None:
    """End a restore that counts and was cut; the folder of what was there before, None where there
    was no such restore, or nothing before it. OSError: it is ended by the next call."""
    ready = state / READY
    if not ready.is_dir():
        return None
    new, old = ready / "new", ready / "old"
    for coming in sorted(new.iterdir()) if new.is_dir() else ():
        place = state / coming.name
        if os.path.lexists(place):
            disk.rename(place, _unused(old / coming.name))
        disk.rename(coming, place)
    disk.sync_folder(state)
    aside = None
    if old.is_dir() and any(old.iterdir()):
        disk.sync_folder(old)
        aside = _unused(state / f"{ASIDE}-{time.strftime('%Y%m%d-%H%M%S')}")
        disk.rename(old, aside)
        disk.sync_folder(state)
    _remove(ready)
    return aside


def _unused(path: Path) -> Path:
    number, free = 1, path
    while os.path.lexists(free):
        number += 1
        free = path.with_name(f"{path.name}-{number}")
    return free


def _give_to_owner(coming: Path, state: Path) -> None:
    """Let what root restores be the service's own before it counts."""
    owner = state.stat()
    if os.geteuid() == 0 != owner.st_uid:
        for path in (coming, *coming.rglob("*")):
            os.chown(path, owner.st_uid, owner.st_gid, follow_symlinks=False)


def _unpack(
    judge: _Judge, into: Path, merge: Merge, disk: Disk
) -> tuple[int, tuple[str, ...], tuple[str, ...]]:
    """Write what is restored into a folder; how many files, what was left out, and the settings
    that were taken."""
    left_out: dict[str, None] = {}
    taken: tuple[str, ...] = ()
    folders = {into}
    count = 0
    for about, stream in judge.entries():
        top = about.name.partition("/")[0]
        if top not in (*FOLDERS, LEDGER, SETTINGS):
            left_out[top] = None
            continue
        data = _exactly(stream, about.size)
        if about.name == SETTINGS:
            merged, taken, others = merge(data.decode("utf-8", "replace"))
            left_out.update(dict.fromkeys(others))
            data = merged.encode()
        place = into / about.name
        if place.parent not in folders:
            disk.make_folder(place.parent)
            folders.add(place.parent)
        disk.put(place, data)
        os.utime(place, (about.mtime, about.mtime))
        count += 1
    for folder in folders:
        disk.sync_folder(folder)
    return count, tuple(left_out), taken


class _Judge:
    """Reads an archive of plain files, header by header, and refuses all else. Nothing of a file
    is read, and no memory taken for it, before its header was found right."""

    def __init__(self, source: BinaryIO) -> None:
        self._source = source
        self._packed = os.fstat(source.fileno()).st_size

    def entries(self) -> Iterator[tuple[tarfile.TarInfo, gzip.GzipFile]]:
        """Each file's header, with a stream from which its bytes may be read; UsageError, OSError.

        The archive's own check sums have been looked at when the last one was given.
        """
        self._source.seek(0)
        if self._source.read(2) != b"\x1f\x8b":
            raise self.refusal("no-archive")
        self._source.seek(0)
        try:
            with gzip.GzipFile(fileobj=self._source, mode="rb") as plain:
                yield from self._checked(plain)
        except (gzip.BadGzipFile, EOFError, zlib.error, tarfile.HeaderError):
            raise self.refusal("damaged") from None

    def refusal(self, id: str, **params: object) -> UsageError:
        """The error that says why this file is not restored."""
        return UsageError(
            _told("restore.refused", path=self._source.name, reason=f"restore.{id}", **params)
        )

    def _checked(self, plain: gzip.GzipFile) -> Iterator[tuple[tarfile.TarInfo, gzip.GzipFile]]:
        seen: set[str] = set()
        at = size = kept = 0
        while (block := _exactly(plain, tarfile.BLOCKSIZE)).strip(b"\0"):
            about = tarfile.TarInfo.frombuf(block, "ascii", "backslashreplace")
            self._check(about, seen)
            seen.add(about.name)
            size += about.size
            if len(seen) > MAX_FILES:
                raise self.refusal("too-many", most=MAX_FILES)
            if size > min(MAX_BYTES, MAX_TIMES * self._packed + SLACK):
                raise self.refusal("swells", size=size_text(self._packed))
            top = about.name.partition("/")[0]
            kept += top in (*FOLDERS, LEDGER, SETTINGS)
            if about.name == HEAD:
                self._check_version(_exactly(plain, about.size))
            else:
                yield about, plain
            whole = -(-about.size // tarfile.BLOCKSIZE) * tarfile.BLOCKSIZE
            at += tarfile.BLOCKSIZE + whole
            plain.seek(at)
        if plain.read(tarfile.RECORDSIZE + 1).strip(b"\0") or plain.read(1):
            raise self.refusal("damaged")
        if not kept:
            raise self.refusal("empty")

    def _check(self, about: tarfile.TarInfo, seen: set[str]) -> None:
        parts = about.name.split("/")
        name = "".join(one if one.isprintable() else "?" for one in about.name[:80])
        misplaced = FOLDERS if len(parts) == 1 else (HEAD, LEDGER, SETTINGS)
        is_named = len(parts) < 5 and all(map(_NAME.fullmatch, parts))
        if not about.isreg() or not is_named or parts[0] in misplaced:
            raise self.refusal("strange", name=name)
        above = {"/".join(parts[:depth]) for depth in range(1, len(parts))}
        if about.name in seen or above & seen:
            raise self.refusal("twice", name=name)
        most = {HEAD: MAX_HEAD, SETTINGS: MAX_SETTINGS}.get(about.name, MAX_ONE)
        if not 0 <= about.size <= most:
            raise self.refusal("too-big", name=name, most=size_text(most))
        about.mtime = min(max(int(about.mtime), 0), _LATEST)

    def _check_version(self, data: bytes) -> None:
        try:
            head = size_limits.from_json(data)
            version, own = head["version"], str(head["lumiban"])[:40]
        except (ValueError, KeyError, TypeError):
            raise self.refusal("strange", name=HEAD) from None
        if not isinstance(version, int) or version > VERSION:
            raise self.refusal("newer", version=own)


def _exactly(stream: gzip.GzipFile, count: int) -> bytes:
    """Exactly `count` bytes; EOFError."""
    data = stream.read(count)
    if len(data) < count:
        raise EOFError
    return data


def _told(id: str, **params: object) -> str:
    return text(id, terminal_language(), **params)


def _remove(folder: Path) -> None:
    with suppress(FileNotFoundError):
        shutil.rmtree(folder)

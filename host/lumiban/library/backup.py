"""All that a table keeps, as one file, and back: games, records, boards, settings.

What can be made again is left out: recordings, logs, the library's index. A file to restore from
may be anybody's: only names that a backup has are taken, within bounds, and what was there before
is set aside, not overwritten.
"""

from __future__ import annotations

import io
import os
import re
import tarfile
import time
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from lumiban.errors import LumibanError, UsageError
from lumiban.system.disk import DISK, Disk
from lumiban.system.size_limits import size_text

FOLDERS = ("journals", "records", "boards", "calibration", "health", "header", "firmware")
"""Folders that are kept, and …"""
FILES = ("ledger", "settings.toml")
"""… files. `settings.toml` is that of the state folder, wherever the service reads it."""
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._ -]{0,150}", re.ASCII)
MOST_FILES = 200_000
MOST_BYTES = 4_000_000_000
MOST_ONE = 64_000_000
"""Bytes of one file; a journal has fewer."""
ASIDE = "before-restore"


@dataclass(frozen=True, slots=True)
class Backup:
    """Contents of a backup."""

    files: int
    size: int


def _files(state: Path) -> Iterator[Path]:
    for name in FILES:
        if (state / name).is_file():
            yield state / name
    for name in FOLDERS:
        for folder, inner, names in os.walk(state / name):
            inner.sort()
            yield from (Path(folder) / one for one in sorted(names) if _NAME.fullmatch(one))


def back_up(state: Path, out: Path) -> Backup:
    """Write everything into one file (.tar.gz), which is whole or not there; LumibanError.

    A table may be in play meanwhile: a journal is kept as far as it was written, which is a state
    that a crash could have left, and is read as such.
    """
    beside = out.with_name(out.name + ".new")
    count = size = 0
    try:
        with beside.open("wb") as file:
            with tarfile.open(fileobj=file, mode="w:gz") as archive:
                for path in _files(state):
                    with suppress(FileNotFoundError):  # it was renamed or removed meanwhile
                        data = path.read_bytes()
                        about = tarfile.TarInfo(path.relative_to(state).as_posix())
                        about.size, about.mtime = len(data), int(path.stat().st_mtime)
                        archive.addfile(about, io.BytesIO(data))
                        count, size = count + 1, size + len(data)
            file.flush()
            os.fsync(file.fileno())
        beside.replace(out)
        DISK.sync_folder(out.parent)
    except OSError as error:
        with suppress(OSError):
            beside.unlink(missing_ok=True)
        raise LumibanError(f"the backup {out} cannot be written: {error.strerror}") from None
    return Backup(count, size)


def restore(state: Path, source: Path, disk: Disk = DISK) -> tuple[Backup, Path]:
    """Put everything back from a file; the folder in which what was there before now lies.

    UsageError for a file that is no backup, LumibanError when it cannot be written. Everything is
    unpacked and on disk before anything is moved: cut at any moment, nothing is lost, and the same
    command again ends it.
    """
    coming = state / "restore.new"
    try:
        _remove(coming)
        disk.make_folder(coming)
        kept = _unpack(source, coming, disk)
        aside = _aside(state)
        disk.make_folder(aside)
        for name in (*FOLDERS, *FILES):
            if (coming / name).exists():
                if (state / name).exists():
                    disk.rename(state / name, aside / name)
                disk.rename(coming / name, state / name)
        disk.sync_folder(aside)
        disk.sync_folder(state)
        _remove(coming)
    except (tarfile.TarError, EOFError) as error:
        raise UsageError(f"{source} is no backup of lumiban, or damaged: {error}") from None
    except OSError as error:
        raise LumibanError(
            f"{error.filename or source} cannot be read or written: {error.strerror or error}"
        ) from None
    return kept, aside


def _aside(state: Path) -> Path:
    stamp = time.strftime("%Y%m%d-%H%M%S")
    number = 1
    while True:
        again = f"-{number}" if number > 1 else ""
        path = state / f"{ASIDE}-{stamp}{again}"
        if not path.exists():
            return path
        number += 1


def _unpack(source: Path, into: Path, disk: Disk) -> Backup:
    count = size = 0
    folders = {into}
    with tarfile.open(source, mode="r:gz") as archive:
        while (about := archive.next()) is not None:
            path = _checked(about, source)
            count, size = count + 1, size + about.size
            if count > MOST_FILES or size > MOST_BYTES:
                raise UsageError(f"{source} holds more than any table keeps: no backup of lumiban")
            data = archive.extractfile(about)
            assert data is not None
            place = into / path
            if place.parent not in folders:
                disk.make_folder(place.parent)
                folders.add(place.parent)
            disk.put(place, data.read())
            os.utime(place, (about.mtime, about.mtime))
    if not count:
        raise UsageError(f"{source} holds nothing: no backup of lumiban")
    for folder in folders:
        disk.sync_folder(folder)
    return Backup(count, size)


def _checked(about: tarfile.TarInfo, source: Path) -> str:
    parts = about.name.split("/")
    whole = len(parts) == 1 and parts[0] in FILES
    inner = 1 < len(parts) < 5 and parts[0] in FOLDERS
    if not about.isfile() or not (whole or inner) or not all(map(_NAME.fullmatch, parts)):
        raise UsageError(f"{source} holds {about.name[:80]!r}: no backup of lumiban")
    if about.size > MOST_ONE:
        raise UsageError(f"{source}: {about.name} has more than {size_text(MOST_ONE)}")
    return about.name


def _remove(folder: Path) -> None:
    import shutil

    with suppress(FileNotFoundError):
        shutil.rmtree(folder)

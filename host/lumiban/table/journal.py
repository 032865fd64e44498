"""One append-only file a game: nothing accepted is ever lost.

Each line is `crc32 length json` (eight hex digits, decimal bytes). A torn last line is cut and
told; an earlier bad line keeps the whole file as `.damaged` and the game goes on from the last
good line. Writing and fsync happen in a thread, since eyes do not wait for the disk.
"""

from __future__ import annotations

import json
import os
from binascii import crc32
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from queue import SimpleQueue
from threading import Thread
from typing import Any

from lumiban.catalogue import text
from lumiban.errors import JournalError

VERSION = 1
"""Version of the records; a higher one is not read."""
SUFFIX = ".journal"

Record = Mapping[str, Any]


def line(record: Record) -> bytes:
    r"""A record as one line of a journal.

    >>> line({"t": "back", "moves": 2})
    b'ba49bf24 22 {"t":"back","moves":2}\n'
    """
    body = json.dumps(record, separators=(",", ":"), ensure_ascii=False).encode()
    return b"%08x %d %s\n" % (crc32(body), len(body), body)


@dataclass(frozen=True, slots=True)
class Note:
    """Something to tell the user about a journal that was not whole: a text id and its figures."""

    id: str
    params: Mapping[str, str | int] = field(default_factory=dict)

    def __str__(self) -> str:
        return text(self.id, "en", **self.params)


@dataclass(frozen=True, slots=True)
class Reading:
    """The good records of a journal, in order, and what was wrong with it."""

    records: tuple[dict[str, Any], ...]
    notes: tuple[Note, ...] = ()


def read(path: Path, *, mend: bool = True) -> Reading:
    """All good records of the journal at `path`.

    With `mend` the file is left whole: a bad last line is cut off; where an earlier line is bad
    the file is kept as `.damaged` and a fresh one holds the good part. JournalError when there
    is no such file, nothing good in it, or when a later lumiban wrote it.
    """
    try:
        data = path.read_bytes()
    except OSError as error:
        raise JournalError(f"cannot read the journal {path}: {error.strerror}") from None
    records, good, fault = _good_part(data)
    if not records:
        raise JournalError(f"{path} holds no complete record of a game: start a new game")
    _check_head(path, records[0])
    if fault is None:
        if mend:
            # Written is not yet on disk: what is built on these records must not outlive them.
            _cut(path, good)
        return Reading(records)
    number = len(records) + 1
    end = data.find(b"\n", good)
    if end < 0 or end == len(data) - 1:
        notes = (Note(f"journal.{fault}-last", {"path": path.name, "line": number}),)
        if mend:
            _cut(path, good)
        return Reading(records, notes)
    kept = path.name
    if mend:
        kept = _set_aside(path, data[:good]).name
    return Reading(records, (Note(f"journal.{fault}", {"path": kept, "line": number}),))


def _good_part(data: bytes) -> tuple[tuple[dict[str, Any], ...], int, str | None]:
    """(records, bytes that hold them, what is wrong with the next line or None)."""
    records: list[dict[str, Any]] = []
    at = 0
    while at < len(data):
        end = data.find(b"\n", at)
        if end < 0:
            return tuple(records), at, "torn"
        record, fault = _open(data[at:end])
        if record is None:
            return tuple(records), at, fault
        records.append(record)
        at = end + 1
    return tuple(records), at, None


def _open(one: bytes) -> tuple[dict[str, Any] | None, str]:
    parts = one.split(b" ", 2)
    try:
        check, length = int(parts[0], 16), int(parts[1])
        body = parts[2]
    except (ValueError, IndexError):
        return None, "torn"
    if len(body) != length:
        return None, "torn"
    if crc32(body) != check:
        return None, "checksum"
    try:
        record = json.loads(body)
    except (ValueError, RecursionError):
        return None, "torn"
    return (record, "") if isinstance(record, dict) else (None, "torn")


def _check_head(path: Path, head: Record) -> None:
    if head.get("t") != "head":
        raise JournalError(f"{path} does not begin like a journal: it is no game of lumiban's")
    version = head.get("version")
    if not isinstance(version, int) or version > VERSION:
        raise JournalError(
            f"{path} is of journal version {version}, this lumiban reads up to {VERSION}: update it"
        )


def _cut(path: Path, length: int) -> None:
    try:
        with path.open("r+b") as file:
            file.truncate(length)
            os.fsync(file.fileno())
    except OSError as error:
        raise JournalError(f"cannot mend the journal {path}: {error.strerror}") from None


def _set_aside(path: Path, good: bytes) -> Path:
    damaged = path.with_name(path.name + ".damaged")
    number = 1
    while damaged.exists():
        number += 1
        damaged = path.with_name(f"{path.name}.damaged-{number}")
    fresh = path.with_name(path.name + ".mending")
    try:
        fresh.write_bytes(good)
        with fresh.open("rb") as file:
            os.fsync(file.fileno())
        path.rename(damaged)
        fresh.rename(path)
    except OSError as error:
        raise JournalError(f"cannot mend the journal {path}: {error.strerror}") from None
    return damaged


class JournalFile:
    """One journal open for writing; `append` hands lines to the system, `sync` to the disk."""

    def __init__(self, path: Path, *, fsync: Callable[[int], None] = os.fsync) -> None:
        self.path = path
        self._fsync = fsync
        self._last = -1
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            self._file = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o644)
            _sync_folder(path.parent)
        except OSError as error:
            raise JournalError(f"cannot write the journal {path}: {error.strerror}") from None

    def append(self, number: int, record: Record) -> None:
        """Write the record of this number behind all others; JournalError."""
        self._last = number
        rest = memoryview(line(record))
        try:
            while rest:
                rest = rest[os.write(self._file, rest) :]
        except OSError as error:
            raise JournalError(f"cannot write the journal {self.path}: {error.strerror}") from None

    def sync(self) -> int:
        """Wait until all is on disk; the number of the last record that is."""
        try:
            self._fsync(self._file)
        except OSError as error:
            raise JournalError(f"cannot write the journal {self.path}: {error.strerror}") from None
        return self._last

    def close(self) -> None:
        """Let go of the file."""
        os.close(self._file)


def _sync_folder(folder: Path) -> None:
    if os.name != "posix":
        return
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


class JournalWriter:
    """Writes journals in a thread; `durable(number)` is called there after each fsync.

    Many records that arrive during one fsync share the next. After a failure `failed(error)` is
    called once and nothing more is written: the table must stop, since nothing would be kept.
    """

    def __init__(
        self,
        durable: Callable[[int], None],
        failed: Callable[[JournalError], None],
        *,
        opener: Callable[[Path], JournalFile] = JournalFile,
    ) -> None:
        self._durable = durable
        self._failed = failed
        self._opener = opener
        self._queue: SimpleQueue[Path | tuple[int, Record] | None] = SimpleQueue()
        self._thread = Thread(target=self._run, name="journal", daemon=True)
        self._thread.start()

    def open(self, path: Path) -> None:
        """The following records belong to this file (made, or gone on with)."""
        self._queue.put(path)

    def append(self, number: int, record: Record) -> None:
        """Write this record; `durable` tells when it is on disk."""
        self._queue.put((number, record))

    def close(self) -> None:
        """Write what is waiting and end the thread."""
        self._queue.put(None)
        self._thread.join()

    def _run(self) -> None:
        file: JournalFile | None = None
        try:
            while True:
                item = self._queue.get()
                wrote = False
                while item is not None:
                    if isinstance(item, Path):
                        if file is not None:
                            self._finish(file, wrote)
                        file, wrote = self._opener(item), False
                    elif file is None:
                        raise JournalError("a record came before its journal was opened")
                    else:
                        file.append(*item)
                        wrote = True
                    if self._queue.empty():
                        break
                    item = self._queue.get()
                if file is not None and wrote:
                    self._durable(file.sync())
                if item is None:
                    break
        except JournalError as error:
            self._failed(error)
        finally:
            if file is not None:
                file.close()

    def _finish(self, file: JournalFile, wrote: bool) -> None:
        if wrote:
            self._durable(file.sync())
        file.close()

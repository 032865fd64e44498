"""The ledger: which games were played in which order, who sat where, and what players declared.

An append-only file beside the records, one line an entry: `check number json`, eight hex digits of
a CRC over the rest of the line. It is what a library cannot find in the records, so a library is
built from both. A line that was cut off or edited by hand fails its check: it is passed over and
told; all others count. The order is the file's, never a clock's, which may jump.
"""

from __future__ import annotations

import fcntl
import json
import os
import time
import unicodedata
from binascii import crc32
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from lumiban.errors import DiskFull, JournalError, UsageError
from lumiban.system import size_limits
from lumiban.system.disk import FULL
from lumiban.table.journal import Note

NAME = "ledger"
MAX_BYTES = 256 * size_limits.MEGABYTE
MAX_LINE = 10_000
LOCK_TIMEOUT_S = 10.0
LOCK_RETRY_S = 0.02
MAX_NAME = 40
"""Letters of a player's name."""

Entry = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class LedgerReading:
    """The good entries of a ledger, in order, and what was wrong with others."""

    entries: tuple[dict[str, Any], ...]
    notes: tuple[Note, ...] = ()


def player_name(text: str) -> str:
    """A player's name as it is kept: one line, trimmed; UsageError for one that is none.

    Any letters will do, markup too: a name is always shown as text.

    >>> player_name("  Aya   Ito "), player_name("<b>Ben</b>")
    ('Aya Ito', '<b>Ben</b>')
    """
    name = " ".join(unicodedata.normalize("NFC", text).split())
    if not name:
        raise UsageError("a player's name has at least one letter")
    if len(name) > MAX_NAME:
        raise UsageError(f"a player's name has at most {MAX_NAME} letters, not {len(name)}")
    # Control and format characters, among them those that turn the direction of writing.
    if any(unicodedata.category(letter)[0] == "C" for letter in name):
        raise UsageError("a player's name holds a character that cannot be shown: leave it out")
    return name


class Ledger:
    """The ledger in a folder, which may be written by several hosts, one entry after another."""

    def __init__(self, folder: Path) -> None:
        self.path = folder / NAME

    def stamp(self) -> str:
        """Value that changes with the file: cheaper to ask for than its bytes."""
        try:
            about = self.path.stat()
        except OSError:
            return ""
        return f"{about.st_ino} {about.st_size} {about.st_mtime_ns}"

    def read(self) -> LedgerReading:
        """The good entries; JournalError when the file cannot be read."""
        try:
            data = size_limits.read(self.path, MAX_BYTES)
        except FileNotFoundError:
            return LedgerReading(())
        except OSError as error:
            raise JournalError(f"cannot read the ledger {self.path}: {error.strerror}") from None
        except size_limits.Unreadable as error:
            raise JournalError(f"the ledger {self.path} {error}: no library is that long") from None
        entries: list[dict[str, Any]] = []
        notes: list[Note] = []
        last: int | None = 0
        for at, line in enumerate(data.split(b"\n"), 1):
            if not line:
                continue
            number, entry = _entry(line)
            if entry is None:
                notes.append(Note("ledger.line", {"path": self.path.name, "line": at}))
                last = None
                continue
            if last is not None and number != last + 1:
                notes.append(Note("ledger.missing", {"path": self.path.name, "line": at}))
            last = number
            entries.append(entry)
        return LedgerReading(tuple(entries), tuple(notes))

    def append(self, entries: Iterable[Entry]) -> None:
        """Write entries behind all others and wait until they are on disk; JournalError."""
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            with self._locked() as file:
                size = os.fstat(file).st_size
                tail = os.pread(file, MAX_LINE, max(0, size - MAX_LINE))
                number = _last_number(tail)
                # What was cut off in writing stays a line of its own.
                data = bytearray(b"\n" if tail and not tail.endswith(b"\n") else b"")
                for place, entry in enumerate(entries, 1):
                    data += _entry_line(number + place, entry)
                os.lseek(file, 0, os.SEEK_END)
                view = memoryview(data)
                while view:
                    view = view[os.write(file, view) :]
                os.fsync(file)
        except OSError as error:
            if error.errno in FULL:
                raise DiskFull(self.path.parent) from None
            raise JournalError(f"cannot write the ledger {self.path}: {error.strerror}") from None

    @contextmanager
    def _locked(self) -> Iterator[int]:
        file = os.open(self.path, os.O_RDWR | os.O_CREAT, 0o644)
        try:
            deadline = time.monotonic() + LOCK_TIMEOUT_S
            while True:
                try:
                    fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
                    break
                except BlockingIOError:
                    if time.monotonic() > deadline:
                        raise JournalError(
                            f"another lumiban has been writing {self.path} for"
                            f" {LOCK_TIMEOUT_S:.0f} s: try again"
                        ) from None
                    time.sleep(LOCK_RETRY_S)
            yield file
        finally:
            os.close(file)


def _entry_line(number: int, entry: Entry) -> bytes:
    body = json.dumps(entry, separators=(",", ":"), ensure_ascii=False).encode()
    numbered = b"%d %s" % (number, body)
    return b"%08x %s\n" % (crc32(numbered), numbered)


def _entry(line: bytes) -> tuple[int, dict[str, Any] | None]:
    """(number, entry) of a line; entry None when it is not as it was written."""
    check, _, numbered = line.partition(b" ")
    number, _, body = numbered.partition(b" ")
    try:
        if len(line) > MAX_LINE or int(check, 16) != crc32(numbered):
            return 0, None
        entry = size_limits.from_json(body)
        return (int(number), entry) if isinstance(entry, dict) else (0, None)
    except ValueError:
        return 0, None


def _last_number(tail: bytes) -> int:
    """The number of the last good line in the end of a ledger."""
    for line in reversed(tail.split(b"\n")):
        number, entry = _entry(line)
        if entry is not None:
            return number
    return 0

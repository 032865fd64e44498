"""One append-only file a game: nothing accepted is ever lost.

The first line is `check length json` (eight hex digits, decimal bytes), in every version. Since
version 2 the others are `check length number json`, and each check covers all lines so far: a
missing, doubled or swapped line is detected. A journal is locked as long as it is open. A torn end
is cut and reported; after any other damage the whole file is kept as `.damaged`, and the game goes
on from the last good line. Writing and fsync happen in a thread, so that the light does not wait
for the disk.
"""

from __future__ import annotations

import os
import re
from binascii import crc32
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from queue import Empty, SimpleQueue
from threading import Event, Thread
from typing import Any

import msgspec
from msgspec import Struct

from lumiban.errors import DiskFull, JournalError, JournalInUse, LaterJournal
from lumiban.i18n import text
from lumiban.system import size_limits
from lumiban.system.disk import DISK, FULL, Disk

# Records: what a journal holds, a line each.

Record = Mapping[str, Any]
"""A record as it is written and read: `t` says of which kind it is."""


class JournalRecord(msgspec.Struct, frozen=True, tag_field="t", omit_defaults=True):
    """A record by its fields. Times are board µs, the clocks' `spent` is ms; cells, kinds and sides
    are numbers."""


class HeadRecord(JournalRecord, frozen=True, kw_only=True, tag="head"):
    """The first line: what is played, by whom, on what."""

    version: int
    game: str
    options: dict[str, Any]
    digest: str = ""
    seats: list[str]
    seed: int
    profile: str
    board: str
    laid: tuple[int, ...] | None = None
    clock: str = ""
    lesson: str = ""
    left: LeftGame | None = None


class LeftGame(msgspec.Struct, frozen=True):
    """A game that was left for a lesson: its `head` and what was played since, to come back to."""

    head: HeadRecord
    records: list[Any]


class MoveRecord(JournalRecord, frozen=True, tag="move"):
    """A move was played; `by` says who told it."""

    side: int
    text: str
    at: int
    by: str
    spent: int | None = None
    unsure: int = 0


class BackRecord(JournalRecord, frozen=True, tag="back"):
    """This many moves were taken back; hands are asked to mend the cells `owed`."""

    moves: int
    by: str = ""
    owed: list[int] = []


class OwedRecord(JournalRecord, frozen=True, tag="owed"):
    """Hands are asked to mend these cells."""

    cells: list[int]


class ClockRecord(JournalRecord, frozen=True, tag="clock"):
    """Time that the running turn has taken by now."""

    spent: int


class FlagRecord(JournalRecord, frozen=True, tag="flag"):
    """The time of this clock is used up."""

    clock: int
    spent: int
    at: int


class SlidingRecord(JournalRecord, frozen=True, tag="sliding"):
    """The pieces are on their way to the middle (`to`), or back from it (`back`)."""

    how: str


class SlideRecord(JournalRecord, frozen=True, tag="slide"):
    """All pieces were shifted by this many columns and rows."""

    way: tuple[int, int]


class SetRecord(JournalRecord, frozen=True, tag="set"):
    """Play goes on from a position that was set up: the game's own `stones`, and the cells that are
    in light."""

    stones: dict[str, Any]
    to_move: int
    light: list[int] = []


class LessonRecord(JournalRecord, frozen=True, tag="lesson"):
    """The lesson goes on with its step of this number; cells in light as in `SetRecord`, cells owed
    as in `BackRecord`."""

    step: int
    light: list[int] = []
    owed: list[int] = []


class SeatRecord(JournalRecord, frozen=True, tag="seat"):
    """Somebody takes a seat."""

    side: int
    who: str


class ChosenRecord(JournalRecord, frozen=True, tag="chosen"):
    """A bot chose a move, which the board does not show yet."""

    side: int
    text: str
    value: float
    visits: int


class MarkersRecord(JournalRecord, frozen=True, tag="markers"):
    """Choice of the markers so far; `stones` are [cell, kind]."""

    stones: list[tuple[int, int]]
    dead: list[int]
    said: list[int]


class CoinRecord(JournalRecord, frozen=True, tag="coin"):
    """A coin put tied events in order: their numbers, as it `fell`, and the `order` in which they
    were judged, which differs where some of them had a sure order."""

    numbers: tuple[int, ...]
    fell: tuple[int, ...]
    order: tuple[int, ...]


class RaceRecord(JournalRecord, frozen=True, tag="race"):
    """`winner` (a side) was first, by `by_us` ± `uncertainty_us`; `cell` is that of the stone which
    was refused for it.

    `is_tie`: the order is unknown, and the coin decided. `came_early`: who was first is the one
    refused, since the other's stone opened the cell.
    """

    cell: int
    winner: int
    by_us: int
    uncertainty_us: int
    is_tie: bool
    came_early: bool


class StopRecord(JournalRecord, frozen=True, tag="stop"):
    """Play stands still for both sides."""

    why: str
    at: int


class GoRecord(JournalRecord, frozen=True, tag="go"):
    """Play goes on after a time out."""

    at: int


class DroppedRecord(JournalRecord, frozen=True, tag="dropped"):
    """A bot's chosen move is void."""


class EventsRecord(JournalRecord, frozen=True, tag="events"):
    """Board events below `next`: [number, cell, kind, time, uncertainty]; `late` came after a
    later one."""

    next: int
    events: list[tuple[int, int, int, int, int]]
    late: list[int] = []


class BoardRecord(JournalRecord, frozen=True, tag="board"):
    """Board that is there, and its boot."""

    uid: str
    boot: int | None


class BeliefRecord(JournalRecord, frozen=True, tag="belief"):
    """The whole picture, a digit a cell, at event `next`."""

    next: int | None
    at: int
    kinds: str
    owed: list[int] = []


class EndRecord(JournalRecord, frozen=True, tag="end"):
    """End of the game."""

    winner: int | None
    reason: str


_KINDS = {kind.__struct_config__.tag: kind for kind in JournalRecord.__subclasses__()}


def record_of(record: Record | JournalRecord) -> JournalRecord | None:
    """The record by its fields; None for one of another lumiban's kind, which is passed over.

    JournalError where fields are missing or wrong: a journal may have been changed by anybody.

    >>> record_of({"t": "back", "moves": 2}), record_of({"t": "flash"})
    (BackRecord(moves=2, by='', owed=[]), None)
    """
    if isinstance(record, JournalRecord):
        return record
    kind = _KINDS.get(str(record.get("t")))
    if kind is None:
        return None
    try:
        return msgspec.convert(record, kind, strict=False)
    except msgspec.ValidationError as error:
        raise JournalError(f"the journal's record {dict(record)!r} is garbled: {error}") from error


# Files.

VERSION = 2
"""Version of the journals that are begun; one of a higher version is not read."""
SUFFIX = ".journal"
MAX_JOURNAL_BYTES = 64 * size_limits.MEGABYTE
"""Bytes of a journal that are read; a game of a thousand moves takes one."""

RETRY_S = 0.5
"""Interval at which a full disk is tried again."""


_LINE = re.compile(rb"([0-9a-fA-F]{8}) (\d{1,9}) (?:(\d{1,9}) )?(\{.*)", re.DOTALL)
"""Check, length, number and record of a line."""


class Chain(Struct, frozen=True):
    """End of a journal: the version of its lines, how many there are, and the last check."""

    version: int = VERSION
    number: int = 0
    check: int = 0

    def next_line(self, record: Record | JournalRecord) -> tuple[bytes, Chain]:
        """A record as the next line, and where the journal ends then."""
        body, number = msgspec.json.encode(record), self.number + 1
        is_numbered = self.number > 0 and self.version >= 2
        covered = b"%d %s" % (number, body) if is_numbered else body
        check = crc32(covered, self.check if is_numbered else 0)
        line = b"%08x %d %s\n" % (check, len(body), covered)
        return line, Chain(self.version, number, check)

    def follow(self, one: bytes) -> tuple[dict[str, Any] | None, Chain, str]:
        """The record in the next line (without its end) and where the journal ends then; else None
        and what is wrong: torn, order or checksum."""
        numbered = self.number > 0 and self.version >= 2
        found = _LINE.fullmatch(one)
        if found is None or (found[3] is not None) != numbered or len(found[4]) != int(found[2]):
            return None, self, "torn"
        number, body = self.number + 1, found[4]
        if numbered and int(found[3]) != number:
            return None, self, "order"
        covered = one[found.start(3) if numbered else found.start(4) :]
        check = crc32(covered, self.check if numbered else 0)
        if check != int(found[1], 16):
            return None, self, "checksum"
        try:
            record = size_limits.from_json(body)
        except size_limits.Unreadable:
            record = None
        if not isinstance(record, dict):
            return None, self, "torn"
        version = self.version if self.number else record.get("version")
        return record, Chain(version if isinstance(version, int) else VERSION, number, check), ""


class Note(Struct, frozen=True):
    """Something to tell the user about a journal that was not whole: a text id and its figures."""

    id: str
    params: Mapping[str, str | int] = {}

    def __str__(self) -> str:
        return text(self.id, "en", **self.params)


class Reading(Struct, frozen=True):
    """The good records of a journal, in order, and what was wrong with it.

    `good` counts their bytes; `is_torn` says that nothing but a line cut off in writing follows
    them.
    """

    records: tuple[dict[str, Any], ...]
    notes: tuple[Note, ...] = ()
    end: Chain = Chain()
    good: int = 0
    is_torn: bool = False


def read(path: Path) -> Reading:
    """All good records of the journal at `path`, which is only read.

    JournalError when there is no such file, nothing good in it, or when a later lumiban wrote it.
    """
    return _read(path, lambda: size_limits.read(path, MAX_JOURNAL_BYTES))


def _read(path: Path, load: Callable[[], bytes]) -> Reading:
    try:
        data = load()
    except OSError as error:
        raise JournalError(f"cannot read the journal {path}: {error.strerror}") from None
    except size_limits.Unreadable as error:
        raise JournalError(f"the journal {path} {error}: no lumiban game is that long") from None
    records, end, good, fault = _parse(data)
    if not records:
        raise JournalError(
            f"{path} holds no complete record of a game that this lumiban knows: start a new game"
        )
    _check_head(path, records[0])
    if not fault:
        return Reading(records, (), end, good)
    # A crash leaves half a line, or the room for it without what was to be there.
    torn = b"\n" not in data[good:]
    id = "journal.torn-last" if torn else f"journal.{fault}"
    note = Note(id, {"path": path.name, "line": len(records) + 1})
    return Reading(records, (note,), end, good, torn)


def _parse(data: bytes) -> tuple[tuple[dict[str, Any], ...], Chain, int, str]:
    """The good lines at a journal's beginning, their end, their bytes, and what is wrong with the
    next."""
    records: list[dict[str, Any]] = []
    chain, at, fault = Chain(), 0, ""
    while at < len(data) and not fault:
        end = data.find(b"\n", at)
        if end < 0:
            fault = "torn"
            break
        record, chain, fault = chain.follow(data[at:end])
        if record is not None:
            records.append(record)
            at = end + 1
    return tuple(records), chain, at, fault


def _check_head(path: Path, head: Record) -> None:
    if head.get("t") != "head":
        raise JournalError(f"{path} does not begin like a journal: it is not a lumiban game")
    version = head.get("version")
    if not isinstance(version, int) or not 1 <= version <= VERSION:
        raise LaterJournal(
            f"{path} is of journal version {version}, this lumiban reads up to {VERSION}: update it"
        )


class JournalFile:
    """One journal open for writing, and locked: `append` hands lines to the system, `sync` to the
    disk.

    A `new` one is made (FileExistsError when there is one of that name); one that is gone on with
    is to be `read` first, and then `mend`ed. JournalInUse while another host has it, JournalError
    when it cannot be had.
    """

    def __init__(self, path: Path, *, new: bool = True, disk: Disk = DISK) -> None:
        self.path = path
        self._disk = disk
        self._last = -1
        self._end = Chain()
        self._is_named = False
        """True if its name is on disk: without it nothing in the file can be found again."""
        self._safe = 0
        """Bytes that are known to be on disk."""
        self._unsafe = bytearray()
        """Lines after them, written or not."""
        try:
            if new:
                if not path.parent.is_dir():
                    disk.make_folder(path.parent)
                self._file = disk.create(path)
            else:
                self._file = disk.open(path)
        except FileExistsError:
            raise
        except OSError as error:
            way_out = "" if new else "; --new begins another game, and leaves it as it is"
            raise _cannot_write(path, error, way_out) from None
        # A file that was mended meanwhile is another one by the same name.
        if not disk.lock(self._file) or not self._is_at_its_path():
            disk.close(self._file)
            raise JournalInUse(f"another host plays the game of the journal {path}", path=path)

    def _is_at_its_path(self) -> bool:
        try:
            return os.path.samestat(os.fstat(self._file), self.path.stat())
        except OSError:
            return False

    def read(self) -> Reading:
        """All good records; JournalError as of `read`."""
        reading = _read(self.path, lambda: self._disk.read(self._file, MAX_JOURNAL_BYTES))
        self._end, self._safe = reading.end, reading.good
        return reading

    def mend(self, reading: Reading) -> tuple[Note, ...]:
        """Leave the file with the good records alone, all of them on disk; return what to tell of
        it.

        Of a torn end nothing is kept. Anything else keeps the whole file as `.damaged`.
        """
        notes = reading.notes
        try:
            if reading.is_torn:
                self._disk.truncate(self._file, reading.good)
            elif notes:
                kept = self._set_aside(reading.good)
                notes = tuple(Note(n.id, {**n.params, "path": kept.name}) for n in notes)
            # Written is not yet on disk: what is built on these records must not outlive them.
            self._sync()
        except OSError as error:
            if error.errno in FULL:
                raise _cannot_write(self.path, error) from None
            raise JournalError(f"cannot repair the journal {self.path}: {error.strerror}") from None
        return notes

    def _set_aside(self, good: int) -> Path:
        """Keep a copy of the file, and put one that holds the good part in its place at once."""
        disk, data = self._disk, self._disk.read(self._file, MAX_JOURNAL_BYTES)
        kept, file = _create_first(disk, self.path.with_name(self.path.name + ".damaged"), "-")
        try:
            disk.write(file, data)
            disk.sync(file)
        finally:
            disk.close(file)
        disk.sync_folder(self.path.parent)
        mended = self.path.with_name(self.path.name + ".mending")
        file = disk.replace(mended)
        try:
            disk.lock(file)
            disk.write(file, data[:good])
            disk.sync(file)
            disk.rename(mended, self.path)
        except OSError:
            disk.close(file)
            raise
        disk.close(self._file)
        self._file, self._is_named = file, False
        return kept

    def append(self, number: int, record: Record) -> int:
        """Write the record of this number behind all others; JournalError, of which DiskFull
        leaves it to `sync`. Returns the number."""
        self._last = number
        one, self._end = self._end.next_line(record)
        self._unsafe += one
        try:
            self._disk.write(self._file, one)
        except OSError as error:
            raise _cannot_write(self.path, error) from None
        return number

    def sync(self, *, rewrites: bool = False) -> int:
        """Wait until all is on disk; the number of the last record that is.

        After a DiskFull all that is not known to be on disk is written again (`rewrites`): a failed
        fsync says nothing of what was written before it.
        """
        try:
            if rewrites:
                self._disk.truncate(self._file, self._safe)
                self._disk.write(self._file, bytes(self._unsafe))
            self._sync()
        except OSError as error:
            raise _cannot_write(self.path, error) from None
        return self._last

    def _sync(self) -> None:
        self._disk.sync(self._file)
        if not self._is_named:
            self._disk.sync_folder(self.path.parent)
            self._is_named = True
        self._safe += len(self._unsafe)
        self._unsafe.clear()

    def close(self) -> None:
        """Close and unlock the file."""
        self._disk.close(self._file)


def _cannot_write(path: Path, error: OSError, way_out: str = "") -> JournalError:
    if error.errno in FULL:
        return DiskFull(path.parent.parent)
    way_out = way_out or "; see to the disk, then start again: the game goes on where it was"
    return JournalError(f"cannot write the journal {path}: {error.strerror}{way_out}")


Opener = Callable[..., JournalFile]
"""What opens journals: `JournalFile` or a kind of it, called likewise."""


def begin(folder: Path, name: str, opener: Opener = JournalFile) -> JournalFile:
    """A new journal in the folder, of this name or, where there is one, of the next; JournalError.

    Nothing waits for the disk: the first `sync` does.
    """
    number = 1
    while True:
        again = f"-again-{number}" if number > 1 else ""
        try:
            return opener(folder / f"{name}{again}{SUFFIX}")
        except FileExistsError:
            number += 1


def _create_first(disk: Disk, path: Path, between: str) -> tuple[Path, int]:
    """A new file at the first of `path`, `path-2`, `path-3` … that is free."""
    number = 1
    while True:
        free = path.with_name(f"{path.name}{between}{number}") if number > 1 else path
        try:
            return free, disk.create(free)
        except FileExistsError:
            number += 1


_Task = JournalFile | tuple[int, Record] | Callable[[], None]


class JournalWriter:
    """Writes journals in a thread; `durable(number)` is called there after each fsync.

    Many records that arrive during one fsync share the next. After a failure `failed(error)` is
    called once and nothing more is written: the table must stop, since nothing would be kept.

    A full disk is no failure: `full(error)` is called, writing is tried again each `retry_s` and
    once more by `close`, and `full(None)` tells that there is room again.
    """

    def __init__(
        self,
        durable: Callable[[int], None],
        failed: Callable[[JournalError], None],
        full: Callable[[DiskFull | None], None] = lambda error: None,
        *,
        retry_s: float = RETRY_S,
    ) -> None:
        self._durable = durable
        self._failed = failed
        self._full = full
        self._retry_s = retry_s
        self._closing = Event()
        self._queue: SimpleQueue[_Task | None] = SimpleQueue()
        self._thread = Thread(target=self._run, name="journal", daemon=True)
        self._thread.start()

    def open(self, file: JournalFile) -> None:
        """The following records belong to this journal, which the writer closes."""
        self._queue.put(file)

    def append(self, number: int, record: Record) -> None:
        """Write this record; `durable` tells when it is on disk."""
        self._queue.put((number, record))

    def then(self, call: Callable[[], None]) -> None:
        """Call this in the thread when all that was appended so far is on disk, unless that
        fails."""
        self._queue.put(call)

    def close(self) -> None:
        """Write what is waiting and end the thread."""
        self._queue.put(None)
        self._closing.set()
        self._thread.join()
        while True:  # after a failure journals may wait that nobody will write
            try:
                left = self._queue.get_nowait()
            except Empty:
                break
            if isinstance(left, JournalFile):
                left.close()

    def _run(self) -> None:
        file: JournalFile | None = None
        wrote = False

        def settle() -> None:
            if file is not None and wrote:
                self._durable(self._patiently(file, file.sync))

        try:
            while (item := self._queue.get()) is not None:
                if isinstance(item, tuple):
                    if file is None:
                        raise JournalError("a record came before its journal was opened")
                    self._patiently(file, partial(file.append, *item))
                    wrote = True
                    if not self._queue.empty():
                        continue
                    settle()
                elif isinstance(item, JournalFile):
                    try:
                        settle()
                    finally:
                        if file is not None:
                            file.close()
                        file = item
                else:
                    settle()
                    item()
                wrote = False
            settle()
        except JournalError as error:
            self._failed(error)
        finally:
            if file is not None:
                file.close()

    def _patiently(self, file: JournalFile, write: Callable[[], int]) -> int:
        """Call `write` and return its result; where the disk is full wait for room and write
        again."""
        try:
            return write()
        except DiskFull as error:
            self._full(error)
        while True:
            ends = self._closing.wait(self._retry_s)
            try:
                last = file.sync(rewrites=True)
            except DiskFull:
                if ends:
                    raise
            else:
                self._full(None)
                return last

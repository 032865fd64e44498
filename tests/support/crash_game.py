"""A table on a disk that may fail at any moment: simulated board, link, session, the writer of
journals and records as the product has them; and what its people were promised."""

from __future__ import annotations

import json
import os
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import patience
from crash_disk import CrashDisk, Tree, clear, put
from lumiban.boards.types import LinkEvent
from lumiban.errors import JournalError, UsageError
from lumiban.games.registry import OURS
from lumiban.system.disk import Disk
from lumiban.table import journal, resume
from lumiban.table import record as files
from lumiban.table.journal import SUFFIX, JournalFile, JournalWriter, begin
from lumiban.table.types import Acknowledge, Append, Finished, NewJournal, Output
from lumiban_fw import wire
from virtual_table import VirtualTable

STATE = "home/state"
JOURNALS = f"{STATE}/journals"
RECORDS = f"{STATE}/records"


@dataclass(frozen=True)
class Promise:
    """What must come back: these records of a journal, and no event asked for anew below
    `next_event` of a boot (−1: nothing was said of events)."""

    journal: str
    records: tuple[str, ...]
    boot: int = -1
    next_event: int = -1


@dataclass(frozen=True)
class RecordPromise:
    """This record of a finished game was told to be there."""

    name: str
    document: str


class DiskTable(VirtualTable):
    """A virtual table whose journals lie on a CrashDisk; the disk takes `fsync_us` for a batch."""

    disk: CrashDisk
    number: int

    @classmethod
    def at(cls, disk: CrashDisk, **more: Any) -> DiskTable:
        """A table on this disk, going on with `back` where it is given."""
        cls = type("Made", (cls,), {"disk": disk})
        return cls(**more)

    def _set(self) -> None:
        self.folder = self.disk.root / JOURNALS
        self.written: list[tuple[str, str]] = []
        """Of every record given out: its journal and its text."""
        self.held: list[tuple[int, int]] = []
        """By number of record: events below which it holds."""
        self.first = 0
        self.told = -1
        self.states: list[bytes] = []
        """STATE frames as the board sent them."""
        self.waiting: list[tuple[int, Callable[[], None]]] = []
        """What the writer is not given yet, each with the number of the record that it follows."""
        self.writer = JournalWriter(self._on_disk, self._failed)
        self.name = ""
        if self.back is not None:
            assert self.back.file is not None
            self.name = self.back.path.name
            before = [as_text(record) for record in journal.read(self.back.path).records]
            self.written = [(self.name, text) for text in before]
            self.told = len(before) - 1
            self.writer.open(self.back.file)
            # A host counts on all that it has read, and the board forgets it.
            resumes = self.back.link_resume
            boot, next_event = (-1, -1) if resumes is None else resumes
            self.disk.say(Promise(self.name, tuple(before), boot, next_event))
        self._wrap_line()

    def _wrap_line(self) -> None:
        rig = self.rig
        assert rig is not None
        to_host = rig.to_host

        def heard() -> bytes:
            data = to_host()
            for frame in data.split(b"\0"):
                for kind, *_ in wire.Decoder().feed(b"\0" + frame + b"\0"):
                    if kind == wire.B_STATE:
                        self.states.append(b"\0" + frame + b"\0")
            return data

        rig.to_host = heard  # type: ignore[method-assign]

    def hear_again(self, frame: bytes) -> None:
        """A frame that the board sent before comes once more."""
        events: list[LinkEvent] = self.link.receive(frame, self.now_us)
        self.step(*events)

    def _on_disk(self, number: int) -> None:
        self.reached = number

    def _failed(self, error: JournalError) -> None:
        raise AssertionError(error)

    def _became_durable(self, number: int) -> None:
        """The disk's time for a batch is over: only now it writes all that it holds."""
        self._let_write(number)
        assert self.reached >= number
        self.told = max(self.told, number)
        self._promise()

    def _hand_over(self, number: int) -> None:
        """Give the writer what waits, up to the record of this number and what belongs to it."""
        while self.waiting and self.waiting[0][0] <= number:
            self.waiting.pop(0)[1]()

    def _let_write(self, number: int) -> None:
        self._hand_over(number)
        done = threading.Event()
        self.writer.then(done.set)
        self.disk.gate.set()
        done.wait()
        self.disk.gate.clear()

    def _promise(self, boot: int = -1, next_event: int = -1) -> None:
        """Bots, hands and pages count on what was told to be on disk."""
        name = self.written[self.told][0]
        texts = [text for of, text in self.written[: self.told + 1] if of == name]
        self.disk.say(Promise(name, tuple(texts), boot, next_event))

    def do(self, output: Output) -> None:
        super().do(output)
        if isinstance(output, NewJournal):
            file = begin(self.folder, output.name, partial(JournalFile, disk=self.disk))
            self.name = file.path.name
            self.waiting.append((len(self.written), partial(self.writer.open, file)))
        elif isinstance(output, Append):
            number, record = output.number, output.record
            self.waiting.append((number, partial(self.writer.append, number, record)))
            assert number == len(self.written)
            self.written.append((self.name, as_text(output.record)))
            if "next" in output.record:
                self.held.append((output.number, output.record["next"]))
        elif isinstance(output, Acknowledge):
            self._promise_events(output.next_event)
        elif isinstance(output, Finished):
            keep = partial(self._keep, self.name.removesuffix(SUFFIX), output.record)
            self.waiting.append((len(self.written) - 1, partial(self.writer.then, keep)))

    def _promise_events(self, next_event: int) -> None:
        """The board forgets these: the journal that the first record with all of them stands in
        must come back as far as that."""
        number = next(n for n, holds in reversed(self.held) if holds <= next_event)
        name = self.written[number][0]
        texts = tuple(text for of, text in self.written[: number + 1] if of == name)
        boot = self.session.board.boot_id
        assert boot is not None
        self.disk.say(Promise(name, texts, boot, next_event))

    def _keep(self, name: str, record: Mapping[str, Any]) -> None:
        files.keep(self.disk.root / RECORDS, name, record, self.disk)
        self.disk.say(RecordPromise(name, json.dumps(record)))

    def kill(self, *, writes: bool = False) -> None:
        """The host's process ends; with `writes` just after it has written, before the sync."""
        if writes:
            self._hand_over(len(self.written))
            self.disk.dies_at_sync = True
            done = threading.Event()
            self.writer.then(done.set)
            self.disk.gate.set()
            patience.until(lambda: done.is_set() or not self.writer._thread.is_alive())
            assert not done.is_set(), "nothing was left to write"
        self.disk.kill()


def as_text(record: Mapping[str, Any]) -> str:
    """A record to compare."""
    return json.dumps(record, sort_keys=True)


def made(disk: CrashDisk) -> None:
    """The folders, as a host makes them at its start."""
    from lumiban.system import paths

    kept, paths.DISK = paths.DISK, disk
    try:
        paths.made(disk.root / STATE)
        paths.made(disk.root / JOURNALS)
    finally:
        paths.DISK = kept


def come_back(disk: CrashDisk) -> resume.ResumedGame:
    """The last game, its journal whole and ours."""
    found = resume.last(disk.root / JOURNALS, None)
    assert found is not None
    return resume.take(found.path, opener=partial(JournalFile, disk=disk))


def start(root: Path, without: str = "") -> CrashDisk:
    """A disk with a home and nothing in it."""
    root.mkdir(parents=True)
    return CrashDisk(root, without).begins_with({"home": None})


def play(disk: CrashDisk) -> None:
    """A game with all that a journal holds, over four lives of the host, and the next one begun."""
    made(disk)
    table = DiskTable.at(disk, options={"size": 2}, fsync_us=120_000, seed=3)
    table.run(lambda table: table.session.board.link == "up" and bool(table.written))
    table.kill(writes=True)  # before anything was synced

    assert table.rig is not None
    table = DiskTable.at(disk, rig=table.rig, back=come_back(disk), fsync_us=400_000, seed=4)
    table.run(lambda table: table.session.board.link == "up")
    for name, kind in (("a1", 1), ("c1", 2), ("a2", 1)):
        table.place(name, kind)
    table.rest(1_000_000)
    assert len(table.session.match.history.played) == 3, table.view["verdict"]
    table.hear_again(table.states[0])
    table.rest(1_000_000)
    table.fsync_us = 10_000_000
    table.lift("a2")  # and back it goes
    table.command("seat", side=0, who="bot:easy")
    table.rest(1_500_000)
    table.kill(writes=True)

    table = DiskTable.at(disk, rig=table.rig, back=come_back(disk), fsync_us=50_000, seed=5)
    table.run(lambda table: len(table.session.match.history.played) >= 3)
    table.command("seat", side=0, who="human")
    table.command("word", side=0, word="resign")
    table.rest(500_000)
    assert table.finished
    table.command("new", seats=["human", "human"])
    for name in ("a1", "c1", "a2", "b1", "b2", "b3", "c2"):
        if table.rig.kinds[table.cell(name)]:
            table.lift(name)
    table.place("b1", 1)
    table.rest(300_000)
    assert len(table.session.match.history.played) == 1, table.view["verdict"]
    table.fsync_us = 10_000_000
    table.place("a1", 2)
    table.kill(writes=True)

    table = DiskTable.at(disk, rig=table.rig, back=come_back(disk), fsync_us=50_000, seed=6)
    table.run(lambda table: table.session.board.link == "up")
    table.rest(300_000)
    table.kill()


# What comes back.


@dataclass(frozen=True)
class Found:
    """After a crash: the journal that is gone on with, what all journals hold, where the link goes
    on, the records of games as they were found and after the start, what was told of damage."""

    journal: str
    records: Mapping[str, tuple[str, ...]]
    boot: int
    next_event: int
    documents: Mapping[str, str]
    late: Mapping[str, str]
    notes: tuple[str, ...]


def date(order: Sequence[str], root: Path) -> None:
    """Files are as old as if they had been written in this order."""
    for second, path in enumerate(order, 1_000_000):
        if (root / path).is_file():
            os.utime(root / path, (second, second))


class HastyDisk(Disk):
    """Waits for nothing: what is looked at need not outlive the look."""

    def sync(self, file: int) -> None:
        """Nothing."""

    def sync_folder(self, folder: Path) -> None:
        """Nothing."""


HASTY = HastyDisk()


def look(tree: Tree, order: Sequence[str], root: Path) -> Found:
    """Let the product go on from what a crash left; whatever it raises is a fault."""
    clear(root)
    put(tree, root)
    date(order, root)
    folder = root / JOURNALS
    back = resume.last(folder, None)
    name, boot, next_event, notes = "", -1, -1, ()
    if back is not None:
        taken = resume.take(back.path, opener=partial(JournalFile, disk=HASTY))
        taken.close()
        name, notes = back.path.name, tuple(note.id for note in taken.notes)
        boot, next_event = taken.link_resume or (-1, -1)
    documents = _documents(root / RECORDS)
    files.keep_missing(folder, root / RECORDS, OURS, disk=HASTY)
    late = _documents(root / RECORDS)
    held = {}
    for path in folder.glob("*" + SUFFIX):
        try:
            held[path.name] = tuple(map(as_text, journal.read(path).records))
        except JournalError:
            continue
    return Found(name, held, boot, next_event, documents, late, notes)


def _documents(folder: Path) -> dict[str, str]:
    found = {}
    for path in folder.glob("*.json"):
        try:
            found[path.stem] = json.dumps(files.read(path))
        except UsageError:
            found[path.stem] = "garbled"
    return found


SEAT = {"t": "seat", "side": 0, "who": "human"}


def go_on(tree: Tree, order: Sequence[str], root: Path, without: str = "") -> tuple[CrashDisk, int]:
    """A host goes on from what a crash left, and writes one record more: the disk, and the
    operation with which that began."""
    root.mkdir()
    disk = CrashDisk(root, without).begins_with(tree)
    began = len(disk.log)
    date(order, root)
    found = resume.last(disk.root / JOURNALS, None)
    assert found is not None
    texts = tuple(map(as_text, journal.read(found.path).records))
    boot, next_event = found.link_resume or (-1, -1)
    disk.say(Promise(found.path.name, texts, boot, next_event))  # by a host before
    back = come_back(disk)
    file = back.file
    assert file is not None
    file.append(len(texts), SEAT)
    file.sync()
    disk.say(Promise(back.path.name, (*texts, as_text(SEAT)), boot, next_event))
    file.close()
    return disk, began


def broken(found: Found, said: Sequence[Any]) -> str:
    """The first promise that is not kept, "" when all are."""
    latest: dict[str, Promise] = {}
    events: dict[tuple[str, int], int] = {}
    for one in said:
        if isinstance(one, RecordPromise):
            if found.documents.get(one.name) != one.document:
                return f"the record {one.name} is not there"
        else:
            before = latest.get(one.journal)
            if before is None or len(before.records) <= len(one.records):
                latest[one.journal] = one
            key = (one.journal, one.boot)
            events[key] = max(events.get(key, -1), one.next_event)
    for name, promise in latest.items():
        held = found.records.get(name, ())
        if held[: len(promise.records)] != promise.records:
            return f"{name} holds {len(held)} records, {len(promise.records)} were promised"
        if '"t": "end"' in promise.records[-1] and name.removesuffix(SUFFIX) not in found.late:
            return f"{name} ended, and has no record"
    if latest:
        last = list(latest)[-1]
        if found.journal != last and found.journal in latest:
            return f"{found.journal} goes on, not {last}"
        if not found.journal:
            return f"{last} is not found"
    for (name, boot), next_event in events.items():
        if found.journal == name and found.boot == boot and found.next_event < next_event:
            return f"event {found.next_event} would be asked for, {next_event} are acknowledged"
    return ""

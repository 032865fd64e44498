"""Every state that a crash may leave of journals and records: what was promised is there.

A host of two games is written as the product writes it, on the rig's disk, and each state given to
the product as it starts the next time. Then the same with one sync of the product left out: some
state must break a promise, or that sync would be for nothing.
"""

from __future__ import annotations

import errno
import json
import os
import re
import shutil
from collections.abc import Iterator, Mapping, Sequence
from functools import cache, partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from lumiban.errors import JournalError, LumibanError, UsageError
from lumiban.games.registry import OURS
from lumiban.system import paths
from lumiban.system.disk import Disk
from lumiban.table import journal, record, resume
from lumiban.table.journal import JournalFile, begin
from lumiban_lab.soak_disk import Crash, CrashDisk, Tree, crashes
from virtual_table import VirtualTable

MEMORY = "/dev/shm" if Path("/dev/shm").is_dir() else None
"""Thousands of small folders: quicker where no disk is behind them."""
STATE = "home/state"
JOURNALS, RECORDS = f"{STATE}/journals", f"{STATE}/records"


@pytest.fixture
def ram() -> Iterator[Path]:
    with TemporaryDirectory(dir=MEMORY) as folder:
        yield Path(folder)


@cache
def game() -> tuple[list[Mapping[str, Any]], dict[str, Any]]:
    """The records of a short game's journal, and its document."""
    table = VirtualTable(options={"size": 2}, seed=3)
    table.run(lambda table: table.session.board.link == "up" and bool(table.records))
    for name, kind in (("a1", 1), ("c1", 2)):
        table.place(name, kind)
    table.command("word", side=0, word="resign")
    records = [json.loads(json.dumps(one)) for _, one in table.records]
    return records, dict(table.finished[0].record)


def begun(disk: CrashDisk, name: str) -> JournalFile:
    return begin(disk.root / JOURNALS, name, partial(JournalFile, disk=disk))


def written(disk: CrashDisk, file: JournalFile, first: int, records: Sequence[Any]) -> None:
    """Steps of two records each; what was synced is promised."""
    name = file.path.name
    for number, one in enumerate(records, first):
        file.append(number, one)
        if number % 2 or number + 1 == first + len(records):
            file.sync()
            disk.say((name, number + 1))


def taken(disk: CrashDisk) -> JournalFile:
    """The last game, gone on with by another host, which counts on what it has read."""
    found = resume.last(disk.root / JOURNALS, None)
    assert found is not None
    back = resume.take(found.path, opener=partial(JournalFile, disk=disk))
    assert back.file is not None
    disk.say((found.path.name, len(journal.read(found.path).records)))
    return back.file


def play(root: Path, without: str = "") -> CrashDisk:
    """A game with its record over two lives of the host, and the next one begun."""
    root.mkdir()
    disk = CrashDisk(root, without)
    play_on(disk)
    return disk


def play_on(disk: CrashDisk) -> None:
    root = disk.root
    disk.begins_with({"home": None})
    kept, paths.DISK = paths.DISK, disk
    try:
        paths.made(root / STATE)
        paths.made(root / JOURNALS)
    finally:
        paths.DISK = kept
    records, document = game()
    file = begun(disk, "1")
    written(disk, file, 0, records[:4])
    file.append(4, records[4])  # and there the host is killed
    file.close()
    file = taken(disk)
    written(disk, file, 5, records[5:])
    file.close()
    record.keep(root / RECORDS, "1", document, disk)
    disk.say("record")
    file = begun(disk, "2")
    written(disk, file, 0, records[:2])
    file.append(2, records[2])
    file.close()
    taken(disk).close()


class HastyDisk(Disk):
    """Waits for nothing: what is looked at need not outlive the look."""

    def sync(self, file: int) -> None:
        """Nothing."""

    def sync_folder(self, folder: Path) -> None:
        """Nothing."""


HASTY = HastyDisk()


def put(tree: Tree, order: Sequence[str], root: Path) -> None:
    """Only this lies in a folder, its files as old as if they had been written in this order."""
    shutil.rmtree(root, ignore_errors=True)
    root.mkdir()
    for path in sorted(tree):
        content = tree[path]
        if content is None:
            (root / path).mkdir()
        else:
            (root / path).write_bytes(content)
    for second, path in enumerate(order, 1_000_000):
        if (root / path).is_file():
            os.utime(root / path, (second, second))


def fault(crash: Crash, tree: Tree, root: Path) -> str:
    """The promise that is not kept when the product goes on from a state; "" when all are."""
    put(tree, crash.order, root)
    records, _ = game()
    back = resume.last(root / JOURNALS, None)
    if back is not None:
        resume.take(back.path, opener=partial(JournalFile, disk=HASTY)).close()
    held: dict[str, list[Any]] = {}
    for path in (root / JOURNALS).glob("*" + journal.SUFFIX):
        try:
            held[path.name] = list(journal.read(path).records)
        except JournalError:
            continue
    latest: dict[str, int] = {}
    for said in crash.said:
        if said == "record":
            if not (root / RECORDS / "1.json").is_file():
                return "the record is not there"
            try:
                record.read(root / RECORDS / "1.json")
            except UsageError:
                return "the record is garbled"
        else:
            latest[said[0]] = said[1]
    for name, count in latest.items():
        there = held.get(name, [])
        if there[:count] != records[:count]:
            return f"{name} holds {len(there)} records, {count} were promised"
    if latest and (back is None or back.path.name < max(latest)):
        return "another game goes on"
    if any(one and one[-1]["t"] == "end" for one in held.values()):
        record.keep_missing(root / JOURNALS, root / RECORDS, OURS, disk=HASTY)
        if not (root / RECORDS / "1.json").is_file():
            return "a game that ended has no record"
    return ""


def faults(disk: CrashDisk, root: Path, since: int = 0) -> tuple[str, int]:
    """The first promise that some state breaks, and how many states were looked at."""
    known: dict[Any, str] = {}
    for crash in crashes(disk.log, since=since):
        for tree in crash.trees:
            key = (tuple(sorted(tree.items())), crash.said)
            if key not in known:
                known[key] = fault(crash, tree, root)
            if known[key]:
                return f"after operation {crash.at}: {known[key]}", len(known)
    return "", len(known)


@pytest.mark.slow
def test_nothing_promised_is_missing_after_any_crash(ram: Path) -> None:
    why, states = faults(play(ram / "played"), ram / "crashed")
    assert why == ""
    assert states > 200


@pytest.mark.slow
@pytest.mark.parametrize("error", [errno.ENOSPC, errno.EIO])
def test_whichever_call_of_the_disk_fails_nothing_promised_is_missing(
    ram: Path, error: int
) -> None:
    whole = play(ram / "whole")
    for call in range(1, whole.calls + 1):
        root = ram / f"call-{call}"
        root.mkdir()
        disk = CrashDisk(root, fails=(call, error))
        with pytest.raises((OSError, LumibanError)):
            play_on(disk)
        tree: Tree = {
            path.relative_to(root).as_posix(): path.read_bytes() if path.is_file() else None
            for path in root.rglob("*")
        }
        said = tuple(op.said for op in disk.log if op.kind == "said")
        touched_ns = {path: (root / path).stat().st_mtime_ns for path in tree}
        order = tuple(sorted(tree, key=touched_ns.__getitem__))
        crash = Crash(call, said, (tree,), order)
        assert fault(crash, tree, ram / "after") == "", f"call {call}"
    assert call > 30


# One sync less.

PLAYED = {
    "a journal's lines": r"sync JournalFile._sync:\d+ < JournalFile.sync",
    "a new journal's name": r"sync_folder JournalFile._sync:\d+ < JournalFile.sync",
    "what was read, before it counts": r"sync JournalFile._sync:\d+ < JournalFile.mend",
    "the state folder and that of journals": r"sync_folder Disk.make_folder:\d+ < made",
    "the folder of records": r"sync_folder Disk.make_folder:\d+ < Disk.put_whole",
    "a record": r"sync keep:\d+ < .*",
    "a record's name": r"sync_folder keep:\d+ < .*",
}
NAME_READ = r"sync_folder JournalFile._sync:\d+ < JournalFile.mend"
SET_ASIDE = {
    "the damaged journal": r"sync JournalFile._set_aside:\d+ < JournalFile.mend",
    "its good part": r"sync JournalFile._set_aside:\d+ < JournalFile.mend",
    "the damaged journal's name": r"sync_folder JournalFile._set_aside:\d+ < JournalFile.mend",
    "the name of the good part": NAME_READ,
}
"""The places of the product that sync, in the order of their lines: what comes of each."""


def place(places: set[str], of: dict[str, str], what: str) -> str:
    """The place that syncs this."""
    found = sorted(one for one in places if re.fullmatch(of[what], one))
    alike = [name for name, pattern in of.items() if pattern == of[what]]
    assert len(found) == len(alike), f"{what}: {found}"
    return found[alike.index(what)]


@pytest.fixture(scope="module")
def played() -> Iterator[CrashDisk]:
    with TemporaryDirectory(dir=MEMORY) as folder:
        yield play(Path(folder) / "played")


@pytest.mark.slow
@pytest.mark.parametrize("what", PLAYED)
def test_without_the_sync_of(what: str, ram: Path, played: CrashDisk) -> None:
    disk = play(ram / "played", place(played.places, PLAYED, what))
    assert faults(disk, ram / "crashed")[0] != ""


def rotten(played: CrashDisk) -> Tree:
    """A game of which a byte in the middle has gone wrong."""
    path = f"{JOURNALS}/2{journal.SUFFIX}"
    whole = (played.root / path).read_bytes()
    lines = whole.splitlines(keepends=True)
    spoilt = lines[0] + lines[1].replace(b'"', b"'", 1) + b"".join(lines[2:])
    return {"home": None, STATE: None, JOURNALS: None, path: spoilt}


def gone_on(tree: Tree, root: Path, without: str = "") -> tuple[CrashDisk, int]:
    """A host goes on from a damaged journal: the disk, and where that begins in its log."""
    root.mkdir()
    disk = CrashDisk(root, without).begins_with(tree)
    since = len(disk.log)
    (path,) = (root / JOURNALS).iterdir()
    good = len(journal.read(path).records)
    disk.say((path.name, good))  # by the host before
    file = taken(disk)
    written(disk, file, good, game()[0][good : good + 1])
    file.close()
    return disk, since


def lost(tree: Tree, root: Path, without: str = "") -> tuple[bool, int]:
    """Whether some crash while a damaged journal is mended loses it or its good part; states."""
    disk, since = gone_on(tree, root / f"disk-{len(without)}", without)
    (spoilt,) = (content for content in tree.values() if content)
    states = 0
    for crash in crashes(disk.log, since=since):
        for state in crash.trees:
            states += 1
            if spoilt not in state.values() or fault(crash, state, root / "crashed"):
                return True, states
    return False, states


def test_a_damaged_journal_is_set_aside_whole_in_any_crash(ram: Path, played: CrashDisk) -> None:
    is_lost, states = lost(rotten(played), ram)
    assert not is_lost
    assert states > 20


@pytest.mark.parametrize("what", SET_ASIDE)
def test_a_damaged_journal_is_not_safe_without_the_sync_of(
    what: str, ram: Path, played: CrashDisk
) -> None:
    tree = rotten(played)
    disk, _ = gone_on(tree, ram / "a")
    assert lost(tree, ram, place(disk.places, SET_ASIDE, what))[0]


def test_no_sync_of_the_product_is_left_out_here(ram: Path, played: CrashDisk) -> None:
    disk, _ = gone_on(rotten(played), ram / "a")
    for one in played.places | disk.places:
        patterns = {*PLAYED.values(), *SET_ASIDE.values()}
        assert any(re.fullmatch(pattern, one) for pattern in patterns), one

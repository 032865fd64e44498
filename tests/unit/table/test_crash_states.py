"""Nothing that was promised is missing in any state that a crash may leave: every fsync counts.

`crash_disk` says what a crash may do, `crash_game` plays a game over several lives of its host on
such a disk and notes what board, bots and people were promised. Here each state is given to the
product as it starts the next time. Then the same with one sync of the product left out: some state
must break a promise, or that sync would be for nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from crash_disk import CrashDisk, Tree, crashes, found_in
from crash_game import JOURNALS, Found, broken, go_on, look, play, start
from lumiban.boards.link import BoardState
from lumiban.table.journal_numbers import JournalNumbers
from lumiban.table.types import Acknowledge

# The threads of hosts that are killed end at once.
pytestmark = pytest.mark.filterwarnings("ignore::pytest.PytestUnhandledThreadExceptionWarning")
MEMORY = "/dev/shm" if Path("/dev/shm").is_dir() else None
"""Thousands of small folders: quicker where no disk is behind them."""


@pytest.fixture
def ram() -> Iterator[Path]:
    """A folder in memory, where there is such a thing."""
    with TemporaryDirectory(dir=MEMORY) as folder:
        yield Path(folder)


Key = tuple[tuple[str, bytes | None], ...]


class Looked:
    """States of one log, each looked at once."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.root.mkdir()
        self.known: dict[Key, Found] = {}
        self.pairs = 0
        """States, counted at every moment at which they may be found."""

    def fault(self, disk: CrashDisk, since: int = 0, *, every_byte: bool = False) -> str:
        """The first promise that some state breaks, "" when all hold in all."""
        for crash in crashes(disk.log, since=since, every_byte=every_byte):
            for tree in crash.trees:
                self.pairs += 1
                key = tuple(sorted(tree.items()))
                if key not in self.known:
                    self.known[key] = look(tree, crash.order, self.root)
                why = broken(self.known[key], crash.said)
                if why:
                    return f"after operation {crash.at}: {why}"
        return ""

    def damaged(self) -> list[Tree]:
        """One state of each kind in which something was to be mended: by what is told of it, in
        which journal, and how many records were good."""
        kinds: dict[tuple[Any, ...], Tree] = {}
        for key, found in self.known.items():
            if found.notes:
                good = len(found.records[found.journal])
                kinds.setdefault((found.journal, found.notes, good), dict(key))
        return list(kinds.values())


@pytest.mark.slow
@pytest.mark.parametrize("every_byte", [False, pytest.param(True, marks=pytest.mark.long)])
def test_nothing_promised_is_missing_after_any_crash(ram: Path, every_byte: bool) -> None:
    disk = start(ram / "played")
    play(disk)
    looked = Looked(ram / "crashed")
    assert looked.fault(disk, every_byte=every_byte) == ""
    print(f"{looked.pairs} states, {len(looked.known)} of them different")
    assert len(looked.known) > (10_000 if every_byte else 500)
    damaged = looked.damaged()
    assert len(damaged) > 20
    # Who goes on from a damaged journal mends it, and the power may go then too.
    states = 0
    for number, tree in enumerate(damaged if every_byte else damaged[::8]):
        states += mended_in_any_crash(tree, ram / f"{number}")
    print(f"{states} states while {len(damaged)} damaged ones were mended")


def mended_in_any_crash(tree: Tree, root: Path, without: str = "") -> int:
    """AssertionError when a crash while this is mended breaks a promise, or nothing is left of a
    journal that was damaged; else how many states there are."""
    root.mkdir()
    order = sorted(path for path in tree if path.endswith(".journal"))
    before = look(tree, order, Looked(root / "before").root)
    spoilt = None
    if any(note != "journal.torn-last" for note in before.notes):
        spoilt = tree[f"{JOURNALS}/{before.journal}"]
    disk, began = go_on(tree, order, root / "disk", without)
    looked = Looked(root / "crashed")
    for crash in crashes(disk.log, since=began, every_byte=False):
        for state in crash.trees:
            looked.pairs += 1
            assert spoilt is None or spoilt in state.values(), "the damaged journal is lost"
            found = look(state, crash.order, looked.root)
            assert broken(found, crash.said) == ""
    return looked.pairs


# One sync less.

PLAYED = {
    "a journal's lines": r"sync JournalFile._sync:\d+ < JournalFile.sync",
    "a new journal's name": r"sync_folder JournalFile._sync:\d+ < JournalFile.sync",
    "what was read, before it counts": r"sync JournalFile._sync:\d+ < JournalFile.mend",
    "the name of what was read": r"sync_folder JournalFile._sync:\d+ < JournalFile.mend",
    "the state folder and that of journals": r"sync_folder Disk.make_folder:\d+ < made",
    "the folder of records": r"sync_folder Disk.make_folder:\d+ < keep",
    "a record": r"sync keep:\d+ < .*",
    "a record's name": r"sync_folder keep:\d+ < .*",
}
SET_ASIDE = {
    "the damaged journal": r"sync JournalFile._set_aside:\d+ < JournalFile.mend",
    "its good part": r"sync JournalFile._set_aside:\d+ < JournalFile.mend",
    "the damaged journal's name": r"sync_folder JournalFile._set_aside:\d+ < JournalFile.mend",
    "the name of the good part": r"sync_folder JournalFile._sync:\d+ < JournalFile.mend",
}
"""The places of the product that sync, in the order of their lines: what comes of each."""


def place(places: dict[str, int], of: dict[str, str], what: str) -> str:
    """The place that syncs this."""
    found = sorted(found for found in places if re.fullmatch(of[what], found))
    alike = [name for name, pattern in of.items() if pattern == of[what]]
    assert len(found) == len(alike), f"{what}: {found}"
    return found[alike.index(what)]


@pytest.fixture(scope="module")
def played() -> Iterator[CrashDisk]:
    with TemporaryDirectory(dir=MEMORY) as folder:
        disk = start(Path(folder) / "played")
        play(disk)
        yield disk


@pytest.mark.slow
@pytest.mark.parametrize("what", PLAYED)
def test_without_the_sync_of(what: str, ram: Path, played: CrashDisk) -> None:
    disk = start(ram / "played", place(played.places, PLAYED, what))
    play(disk)
    assert Looked(ram / "crashed").fault(disk) != ""


def rotten(played: CrashDisk) -> Tree:
    """The journal of a game has a wrong byte in the middle."""
    tree = found_in(played.root)
    path = min(path for path in tree if path.endswith(".journal"))
    text = tree[path]
    assert text is not None
    tree[path] = text.replace(b'"t":"move"', b'"t":"mope"', 1)
    assert tree[path] != text
    return {one: of for one, of in tree.items() if of is None or one == path}


def test_a_damaged_journal_is_set_aside_whole_in_any_crash(ram: Path, played: CrashDisk) -> None:
    assert mended_in_any_crash(rotten(played), ram / "a") > 30


@pytest.mark.one_case
@pytest.mark.parametrize("what", SET_ASIDE)
def test_a_damaged_journal_is_not_safe_without_the_sync_of(
    what: str, ram: Path, played: CrashDisk
) -> None:
    tree = rotten(played)
    (ram / "a").mkdir()
    disk, _ = go_on(tree, [], ram / "a" / "disk")
    without = place(disk.places, SET_ASIDE, what)
    with pytest.raises(AssertionError):
        mended_in_any_crash(tree, ram / "b", without)


@pytest.mark.slow
def test_no_sync_of_the_product_is_left_out_here(ram: Path, played: CrashDisk) -> None:
    disk, _ = go_on(rotten(played), [], ram / "a")
    patterns = {*PLAYED.values(), *SET_ASIDE.values()}
    for one in {*played.places, *disk.places}:
        assert any(re.fullmatch(pattern, one) for pattern in patterns), one


# Other faults that must show.


@contextmanager
def an_old_state_sets_the_event_count_back(patch: pytest.MonkeyPatch) -> Iterator[None]:
    take_state = BoardState.take_state

    def take(belief: BoardState, *args: Any, is_fresh: bool) -> Any:
        belief.told = False  # as if it were the first one since HELLO, and not old at all
        return take_state(belief, *args, is_fresh=True)

    patch.setattr(BoardState, "take_state", take)
    yield


@contextmanager
def events_are_acknowledged_as_they_come(patch: pytest.MonkeyPatch) -> Iterator[None]:
    add = JournalNumbers.holds

    def holds(ledger: JournalNumbers, next_event: int) -> None:
        add(ledger, next_event)
        ledger._held[-1] = (ledger.durable, next_event)

    patch.setattr(JournalNumbers, "holds", holds)
    yield


@contextmanager
def the_first_event_of_a_batch_acknowledges_all(patch: pytest.MonkeyPatch) -> Iterator[None]:
    def on_disk(ledger: JournalNumbers, number: int) -> Acknowledge | None:
        ledger.durable = max(ledger.durable, number)
        return Acknowledge(ledger._held[-1][1]) if ledger._held else None

    patch.setattr(JournalNumbers, "on_disk", on_disk)
    yield


@pytest.mark.slow
@pytest.mark.parametrize(
    "fault",
    [
        an_old_state_sets_the_event_count_back,
        events_are_acknowledged_as_they_come,
        the_first_event_of_a_batch_acknowledges_all,
    ],
)
def test_some_state_shows_that(fault: Any, ram: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    disk = start(ram / "played")
    with fault(monkeypatch):
        play(disk)
    monkeypatch.undo()
    assert Looked(ram / "crashed").fault(disk) != ""

"""The library follows records and ledger, and stays what a rebuild would make of them."""

from __future__ import annotations

import errno
import os
import random
import shutil
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from library_games import game_document
from lumiban.errors import DiskFull, JournalError, UsageError
from lumiban.library.ledger import Ledger
from lumiban.library.library import LibraryGame, opened
from lumiban.table import record

DOCUMENTS = [
    *(game_document(seed) for seed in range(4)),
    game_document(4, "trivia", size=2),
    game_document(5, seats=("bot:easy", "human")),
    game_document(6, seats=("bot:easy", "bot:hard")),
]


def keep(state: Path, name: str, document: int = 0, *, is_entered: bool = True) -> str:
    """A game that ends at a table."""
    record.keep(state / "records", name, DOCUMENTS[document])
    if is_entered:
        Ledger(state).append([{"t": "game", "name": name}])
    return name


@pytest.mark.parametrize(
    ("number", "error"), [(errno.ENOSPC, DiskFull), (errno.EROFS, JournalError)]
)
def test_an_entry_that_finds_no_room_is_told_from_one_that_may_not_be_written(
    number: int, error: type[JournalError], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refused(file: int, data: object) -> int:
        raise OSError(number, "refused")

    monkeypatch.setattr(os, "write", refused)
    with pytest.raises(JournalError) as told:
        Ledger(tmp_path).append([{"t": "game", "name": "one"}])
    assert type(told.value) is error


def followed(state: Path, *notes: str) -> list[LibraryGame]:
    """The games as the library has them, which are, row by row, those of a rebuild."""
    with opened(state) as library:
        games, players = library.games(limit=500), library.players()
        assert [note.id for note in library.notes] == list(notes)
        library.rebuild()
        assert (library.games(limit=500), library.players()) == (games, players)
    return games


@pytest.mark.one_case
@pytest.mark.parametrize("seed", range(6))
def test_whatever_happens_the_library_followed_is_the_library_rebuilt(
    tmp_path: Path, seed: int
) -> None:
    chance = random.Random(seed)
    names: list[str] = []
    for step in range(60):
        what = chance.random()
        if what < 0.5 or not names:
            # A host's clock jumps now and then: later games may have earlier names.
            name = f"2026{chance.randrange(10**4):04d}-{step:06d}-control"
            document = chance.randrange(len(DOCUMENTS) - 1)
            names.append(keep(tmp_path, name, document, is_entered=chance.random() < 0.7))
        elif what < 0.8:
            with opened(tmp_path) as library:
                people = chance.sample(["Aya", "Ben", "Cleo", None], 2)
                if library.game(one := chance.choice(names)).seats[0] != "human":
                    people[0] = None
                library.seat(one, people)
        elif what < 0.9:
            with opened(tmp_path) as library:
                who, rating = chance.choice(["Aya", "Ben", "Dee"]), chance.randrange(0, 900, 100)
                with suppress(UsageError):  # too late
                    library.declare(who, "control", rating)
        elif what < 0.95:
            gone = names.pop(chance.randrange(len(names)))
            (tmp_path / "records" / f"{gone}.json").unlink()
        if chance.random() < 0.3:
            with opened(tmp_path) as library:
                library.games()
    assert len(followed(tmp_path)) == len(names)


def test_a_line_that_was_cut_off_is_told_and_what_follows_counts(tmp_path: Path) -> None:
    keep(tmp_path, "2026-0-control")
    followed(tmp_path)
    path = tmp_path / "ledger"
    whole = path.read_bytes()
    with path.open("ab") as file:
        file.write(whole[: len(whole) // 2])
    followed(tmp_path, "ledger.line")
    keep(tmp_path, "2026-1-control")
    assert [game.name for game in followed(tmp_path)] == ["2026-1-control", "2026-0-control"]
    keep(tmp_path, "2026-2-control")
    followed(tmp_path)  # told, not told again


def test_a_whole_line_without_its_end_counts_once(tmp_path: Path) -> None:
    keep(tmp_path, "2026-0-control")
    keep(tmp_path, "2026-1-control")
    path = tmp_path / "ledger"
    path.write_bytes(path.read_bytes()[:-1])
    followed(tmp_path)
    keep(tmp_path, "2026-2-control")
    assert len(followed(tmp_path)) == 3


@pytest.mark.parametrize("is_gone", [True, False], ids=["file gone", "another file"])
def test_a_ledger_that_changed_before_its_end_counts_as_it_is_now(
    tmp_path: Path, is_gone: bool
) -> None:
    names = [keep(tmp_path, f"2026-{number}-control") for number in range(3)]
    with opened(tmp_path) as library:
        library.seat(names[1], ("Aya", "Ben"))
    followed(tmp_path)
    (tmp_path / "ledger").unlink()
    if not is_gone:
        Ledger(tmp_path).append({"t": "game", "name": name} for name in reversed(names))
    last = keep(tmp_path, "2026-3-control")
    # Where the file is gone, the one that it has again is the first; others have no order.
    order = [last, *names] if is_gone else [*reversed(names), last]
    assert [game.name for game in followed(tmp_path)] == order[::-1]


def test_a_table_that_enters_its_game_before_or_after_its_record_is_seen(tmp_path: Path) -> None:
    keep(tmp_path, "2026-5-control")
    Ledger(tmp_path).append([{"t": "game", "name": "2026-6-control"}])
    keep(tmp_path, "2026-7-control")
    followed(tmp_path)
    keep(tmp_path, "2026-6-control", is_entered=False)  # its record is later than its entry
    assert [game.name[5] for game in followed(tmp_path)] == ["7", "6", "5"]
    record.keep(tmp_path / "records", "2026-1-control", DOCUMENTS[1])
    followed(tmp_path)
    Ledger(tmp_path).append([{"t": "game", "name": "2026-1-control"}])
    assert [game.name[5] for game in followed(tmp_path)] == ["1", "7", "6", "5"]


def test_a_named_games_record_that_goes_and_comes_back_has_its_names(tmp_path: Path) -> None:
    names = [keep(tmp_path, f"2026-{number}-control") for number in range(3)]
    with opened(tmp_path) as library:
        library.seat(names[1], ("Aya", "Ben"))
    path = tmp_path / "records" / f"{names[1]}.json"
    data = path.read_bytes()
    path.unlink()
    assert [game.name for game in followed(tmp_path)] == [names[2], names[0]]
    path.write_bytes(data)
    games = followed(tmp_path)
    assert [game.name for game in games] == names[::-1]
    assert games[1].players == ("Aya", "Ben")


def test_a_first_rating_counts_from_the_first_game_though_practice_came_before_it(
    tmp_path: Path,
) -> None:
    [name] = [keep(tmp_path, "2026-0-control")]
    with opened(tmp_path) as library:
        library.declare("Ben", "control", 900)
        assert library.seat(name, ("Aya", "Ben")).verdict == "practice"
        library.declare("Aya", "control", 800)
        assert library.game(name).verdict == "rated"
    followed(tmp_path)


def test_who_was_named_by_mistake_leaves_no_rating_behind(tmp_path: Path) -> None:
    name = keep(tmp_path, "2026-0-control")
    with opened(tmp_path) as library:
        library.declare("Dee", "control", 0)
        library.seat(name, ("Aya", "Ben"))
        library.seat(name, ("Cleo", None))
        told: dict[str, Any] = {one.player: one.rated_games for one in library.players()}
    assert told == {"Ben": 1, "Cleo": 1, "Dee": 0}
    followed(tmp_path)


def test_entries_that_name_no_file_of_ours_open_none(tmp_path: Path) -> None:
    keep(tmp_path, "2026-0-control")
    followed(tmp_path)
    strange = ["../ledger", ".hidden", "a\0b", "x" * 5000, "none"]
    shutil.copy(tmp_path / "records" / "2026-0-control.json", tmp_path / "outside.json")
    Ledger(tmp_path).append({"t": "game", "name": name} for name in ["../outside", *strange])
    Ledger(tmp_path).append([{"t": "seat", "game": "none", "side": 7, "player": "x"}, {"t": 1}])
    start = {"t": "start", "player": 1, "slug": "control", "rating": 3001}
    player = {"t": "player", "id": 1, "name": "Aya"}
    wrong = [{**player, "id": None}, {**player, "name": ""}, {"t": "player"}, start]
    Ledger(tmp_path).append([*wrong, player])
    with opened(tmp_path) as library:
        assert library.player("Aya") == 1
        assert library.players() == []
    assert len(followed(tmp_path)) == 1
    (tmp_path / "records").joinpath(os.fsdecode(b"\xff.json")).write_text("{}")
    assert len(followed(tmp_path)) == 1


def test_a_ledger_that_cannot_be_read_is_a_sentence_with_its_file(tmp_path: Path) -> None:
    ledger = Ledger(tmp_path)
    ledger.path.mkdir(parents=True)
    with pytest.raises(JournalError, match=rf"cannot read the ledger {ledger.path}: \S"):
        ledger.read()

"""Games that bots play in a loop make room for the next ones; those of people stay for ever."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

import pytest
from lumiban.disk import Disk
from lumiban.runtime.loop_games import MOST_GAMES, NAME, LoopGames

BOTS = {"seats": ["bot:easy", "bot:medium"], "moves": [{"by": "machine"}] * 3}
PEOPLE = (
    {**BOTS, "seats": ["human", "bot:easy"]},
    {**BOTS, "moves": [{"by": "machine"}, {"by": "board"}]},
    {**BOTS, "moves": [{"by": "page"}]},
    {**BOTS, "moves": [{"by": "light"}]},
)


def keep(folder: Path, name: str, told: Any = BOTS) -> None:
    for room, suffix in (("records", ".json"), ("journals", ".journal")):
        (folder / room).mkdir(exist_ok=True)
        (folder / room / (name + suffix)).write_text(json.dumps(told), "utf-8")


def there(folder: Path) -> set[str]:
    records = {path.stem for path in (folder / "records").iterdir()}
    assert records == {path.stem for path in (folder / "journals").iterdir()}
    return records


def test_the_newest_stay_whatever_their_names_and_however_many_there_were(tmp_path: Path) -> None:
    names = [f"{n:03}" for n in range(3 * MOST_GAMES)]
    random.Random(1).shuffle(names)
    games = LoopGames(tmp_path)
    for number, name in enumerate(names):
        keep(tmp_path, name)
        gone = games.finished(name, BOTS)
        assert gone == names[max(number - MOST_GAMES, 0) : max(number - MOST_GAMES + 1, 0)]
    assert there(tmp_path) == set(names[-MOST_GAMES:])


@pytest.mark.parametrize("told", PEOPLE)
def test_a_game_with_a_person_in_it_is_never_deleted(told: Any, tmp_path: Path) -> None:
    games = LoopGames(tmp_path)
    keep(tmp_path, "theirs", told)
    assert games.finished("theirs", told) == []
    keep(tmp_path, "written-down-by-mistake", told)
    (tmp_path / NAME).write_text('["written-down-by-mistake"]', "utf-8")
    for n in range(2 * MOST_GAMES):
        keep(tmp_path, f"loop-{n}")
        games.finished(f"loop-{n}", BOTS)
    assert {"theirs", "written-down-by-mistake"} <= there(tmp_path)


def test_what_is_not_named_as_a_loop_s_stays(tmp_path: Path) -> None:
    keep(tmp_path, "a-match-of-bots-that-somebody-wanted")
    games = LoopGames(tmp_path)
    for n in range(2 * MOST_GAMES):
        keep(tmp_path, f"loop-{n}")
        games.finished(f"loop-{n}", BOTS)
    assert "a-match-of-bots-that-somebody-wanted" in there(tmp_path)


@pytest.mark.parametrize(
    "told", ["", "{}", "[1, 2]", '["../journals/x", "/etc/passwd", ".."]', "[" * 9999, "é" * 90_000]
)
def test_a_list_that_is_damaged_deletes_nothing(told: str, tmp_path: Path) -> None:
    (tmp_path / NAME).write_text(told, "utf-8")
    keep(tmp_path, "x")
    games = LoopGames(tmp_path)
    for n in range(MOST_GAMES):
        keep(tmp_path, f"loop-{n}")
        assert games.finished(f"loop-{n}", BOTS) == []
    assert "x" in there(tmp_path)


def test_killed_between_two_steps_it_leaves_no_journal_of_which_a_record_is_made_again(
    tmp_path: Path,
) -> None:
    class Killed(Disk):
        def __init__(self) -> None:
            super().__init__()
            self.removed: list[Path] = []

        def remove(self, path: Path) -> None:
            self.removed.append(path)
            super().remove(path)
            raise OSError("killed")

    disk = Killed()
    games = LoopGames(tmp_path, disk)
    for n in range(MOST_GAMES):
        keep(tmp_path, f"loop-{n}")
        games.finished(f"loop-{n}", BOTS)
    keep(tmp_path, "last")
    with pytest.raises(OSError, match="killed"):
        games.finished("last", BOTS)
    assert disk.removed == [tmp_path / "journals" / "loop-0.journal"]
    assert (tmp_path / "records" / "loop-0.json").exists()

"""Real services that are struck at their awaits and by the clock; and that it would be seen."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from lumiban.errors import CheckFailed
from lumiban_lab.strikes import House, Memory, living, strikes, until

pytestmark = pytest.mark.process


@pytest.mark.parametrize(
    ("at", "boards", "count"),
    [
        ("awaits", 1, 4),
        ("first", 2, 4),
        pytest.param("awaits", 1, 200, marks=pytest.mark.long),
        pytest.param("first", 2, 80, marks=pytest.mark.long),
        pytest.param("anywhen", 2, 40, marks=pytest.mark.long),
    ],
)
def test_a_service_that_is_struck_loses_nothing_leaves_nothing_and_keeps_its_pages(
    at: str, boards: int, count: int, tmp_path: Path
) -> None:
    found = strikes(tmp_path / "house", count, boards=boards, at=at, seed=count)
    assert sum(found["strikes"].values()) == count + 1
    assert found["moves"] > 0


def test_a_service_that_begins_right_after_a_kill_waits_for_the_tables_of_the_one_before(
    tmp_path: Path,
) -> None:
    house = House(tmp_path / "house", 1)
    first = house.begin()
    try:
        until(house.are_up, "no table comes")
    finally:
        first.kill()
        first.wait()
    second = house.begin()
    try:
        until(house.are_up, "no table comes")  # at the same page, or this says so
        told = list(living(house.home).values())
        assert sum("service.table_process" in one for one in told) == 1, told
    finally:
        second.terminate()
        second.wait()
    until(lambda: not living(house.home), "something lives on")


# The memory itself.


def view(*moves: str, link: str = "up", is_over: bool = False) -> dict[str, Any]:
    told = [{"side": n % 2, "text": text} for n, text in enumerate(moves)]
    return {"moves": told, "link": link, "outcome": {"winner": 0} if is_over else None}


@pytest.mark.parametrize(
    "came",
    [view("a1"), view(), view("a1", "a1"), view("a1", "a1", "b2"), view("b2", "a1", "c3")],
    ids=["missing", "all missing", "another", "doubled", "swapped"],
)
def test_a_game_that_came_back_otherwise_is_found(came: dict[str, Any]) -> None:
    memory = Memory()
    memory.hear(view("a1", "b2"))
    with pytest.raises(CheckFailed, match="came back"):
        memory.hear(came)
    memory.hear(view("a1", link="lost"))  # what the board has yet to tell is waited for
    memory.hear(view("a1", "b2", "c3"))
    assert memory.games == [["0 a1", "1 b2", "0 c3"]]
    memory.hear(view("a1", "b2", "c3", "d4", is_over=True))
    memory.hear(view("e5"))  # the next game
    assert [len(moves) for moves in memory.games] == [4, 1]


def test_journals_without_a_move_are_found(tmp_path: Path) -> None:
    def kept(name: str, *moves: str) -> None:
        records = [{"t": "move", "side": n % 2, "text": text} for n, text in enumerate(moves)]
        lines = b"".join(b"00000000 0 %s\n" % json.dumps(one).encode() for one in records)
        (tmp_path / f"{name}.journal").write_bytes(lines)

    memory = Memory([["0 a1", "1 b2"], ["0 c3"]])
    kept("1", "a1", "b2")
    kept("2", "c3", "d4")
    memory.compare(tmp_path)
    kept("2", "d4")
    with pytest.raises(CheckFailed, match="c3"):
        memory.compare(tmp_path)

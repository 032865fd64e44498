"""Hosts killed by SIGKILL at any moment: no accepted move is missing, none is doubled."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest
from killed_lives import Memory, run

pytestmark = pytest.mark.skipif(os.name != "posix", reason="SIGKILL and ptys")


@pytest.mark.process
@pytest.mark.parametrize(
    ("kills", "moves"), [(3, 2), pytest.param(200, 400, marks=pytest.mark.long)]
)
def test_real_hosts_killed_at_any_moment_lose_and_double_no_move(
    tmp_path: Path, kills: int, moves: int
) -> None:
    lives = run(tmp_path, kills, moves)
    assert lives.kills >= kills
    assert lives.memory.accepted >= moves
    assert lives.memory.compare() == []


# The memory itself.


def view(*moves: str, over: bool = False, link: str = "up") -> dict[str, Any]:
    told = [{"side": n % 2, "text": text} for n, text in enumerate(moves)]
    return {"moves": told, "outcome": {"winner": 0} if over else None, "link": link}


def heard(folder: Path, *views: dict[str, Any]) -> Memory:
    memory = Memory(folder)
    for one in views:
        memory.hear(one)
    return memory


@pytest.mark.parametrize(
    "came",
    [view("a1"), view(), view("a1", "a1"), view("a1", "a1", "b2"), view("b2", "a1", "c3")],
    ids=["missing", "all missing", "another", "doubled", "swapped"],
)
def test_a_game_that_came_back_otherwise_is_found(tmp_path: Path, came: dict[str, Any]) -> None:
    with pytest.raises(AssertionError, match="came back"):
        heard(tmp_path, view("a1", "b2"), came)


def test_what_the_board_has_yet_to_tell_is_waited_for(tmp_path: Path) -> None:
    away = view("a1", link="connecting")
    memory = heard(tmp_path, view("a1", "b2"), away, view("a1", "b2", "c3"))
    assert (memory.short, memory.accepted) == (1, 3)


def test_journals_without_a_move_or_with_one_more_are_found(tmp_path: Path) -> None:
    memory = heard(tmp_path, view("a1", "b2", over=True), view(), view("c3"))
    (tmp_path / "1.journal").write_bytes(kept("a1", "b2"))
    (tmp_path / "2.journal").write_bytes(kept("c3", "d4"))
    assert memory.compare() == []
    (tmp_path / "2.journal").write_bytes(kept("d4"))
    assert memory.compare() == ["['0 c3'] are in no journal", "['0 d4'] were never told"]


def kept(*moves: str) -> bytes:
    records = [{"t": "move", "side": n % 2, "text": text} for n, text in enumerate(moves)]
    return b"".join(b"00000000 0 %s\n" % json.dumps(one).encode() for one in records)

"""Openings through the whole stack: pies, seats that change, turns of two actions, the middle."""

from __future__ import annotations

from pathlib import Path

from virtual_play import SECOND_US, moves, on_disk, play, seats
from virtual_table import VirtualTable

PIE = {"size": 3, "opening": "pie2"}


def test_a_pie_is_set_by_hand_and_who_takes_white_changes_seats(tmp_path: Path) -> None:
    table = VirtualTable(seats=("human", "bot:easy"), options=PIE, seed=2)
    assert table.command("word", side=0, word="done")["id"] == "table.no-such-word"  # type: ignore[index]  # an error
    play(table, ("c3", 1), ("c2", 2))
    # A stone of the pie may still go elsewhere.
    table.lift("c2")
    assert table.view["verdict"]["kind"] == "wait"
    table.place("c4", 2)
    assert moves(table) == ["put wc3", "put bc2", "put bc4"]
    assert table.command("word", side=0, word="done") is None
    table.run(lambda t: t.session.match.history.position.phase == "play")
    taken = moves(table)[-1]
    table.rest(5 * SECOND_US)
    if taken == "take white":
        assert seats(table) == ["bot:easy", "human"]
        assert len(moves(table)) == 6, "the bot is White now and has moved"
    else:
        assert seats(table) == ["human", "bot:easy"]
        assert len(moves(table)) == 5
    back = on_disk(table, tmp_path)
    assert back.history.seats == seats(table)
    assert [str(move) for move in back.history.moves] == moves(table)

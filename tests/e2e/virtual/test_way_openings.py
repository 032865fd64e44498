"""Openings through the whole stack: pies, seats that change, turns of two actions, the middle."""

from __future__ import annotations

from pathlib import Path

import pytest
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


def cell_for_white(table: VirtualTable) -> str:
    history = table.session.match.history
    return next(
        str(m) for m in history.game.moves(history.position, 0) if not str(m).startswith("x")
    )


@pytest.mark.parametrize("word", ["take white", "take black"])
def test_a_person_chooses_a_bots_pie_and_plays_the_side_that_was_taken(
    word: str, tmp_path: Path
) -> None:
    table = VirtualTable(seats=("bot:easy", "human"), options=PIE, seed=3)
    table.run(lambda t: t.session.match.history.position.phase == "choosing")
    # The bot's stones were asked for one by one and stand there.
    assert table.session.match.sensed.kinds == table.session.match.history.game.pieces(
        table.session.match.history.position
    )
    *puts, done = moves(table)
    assert all(text.startswith("put ") for text in puts)
    assert done == "done"
    said = len(moves(table)) + 1
    assert table.command("word", side=1, word=word) is None
    swapped = word == "take white"
    assert seats(table) == (["human", "bot:easy"] if swapped else ["bot:easy", "human"])
    assert on_disk(table, tmp_path).history.seats == seats(table)
    if swapped:
        table.place(cell_for_white(table), 1)
        assert len(moves(table)) == said + 1
    else:
        table.run(lambda t: len(moves(t)) == said + 1)
    # Whoever sits where, a bot answers a person and the game goes on.
    table.run(lambda t: len(moves(t)) >= said + 2 or t.view["to_move"] == [1])

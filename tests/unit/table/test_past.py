"""Looking back: the host tells any earlier position of the game under way, whatever happened."""

from __future__ import annotations

import random
from types import SimpleNamespace
from typing import Any, cast

import pytest
from lumiban import games
from lumiban.table.history import GameHistory
from lumiban.table.past import position_after
from lumiban.table.state import TableState
from virtual_table import VirtualTable


def standing(table: VirtualTable, past: dict[str, Any] | None) -> dict[str, int]:
    assert past is not None
    names = table.view["game"]["names"]
    return {names[cell]: kind for cell, kind in enumerate(past["pieces"]) if kind}


def trivia() -> VirtualTable:
    table = VirtualTable(profile="grid9x9", game="trivia", options={"size": 3})
    table.rest()
    for name, kind in (("b2", 1), ("a1", 2), ("c3", 3)):
        table.place(name, kind)
    return table


def test_each_position_is_told_with_its_last_move() -> None:
    table = trivia()
    assert standing(table, position_after(table.session, 0)) == {}
    assert standing(table, position_after(table.session, 2)) == {"b2": 1, "a1": 2}
    past = position_after(table.session, 3)
    assert standing(table, past) == {"b2": 1, "a1": 2, "c3": 3}
    assert past is not None
    cell = table.view["game"]["names"].index("c3")
    assert {"cell": cell, "meaning": "last", "side": 1} in past["marks"]
    assert past["counts"] == table.view["counts"]


def test_nothing_in_the_past_asks_to_act() -> None:
    table = trivia()
    past = position_after(table.session, 1)
    assert past is not None
    asked = {"may-place", "may-place-neutral", "removable"}
    assert asked.isdisjoint(mark["meaning"] for mark in past["marks"])
    assert asked & {mark["meaning"] for mark in table.view["marks"]}


def test_what_the_game_does_not_hold_is_not_told() -> None:
    table = trivia()
    assert position_after(table.session, 4) is None
    assert position_after(table.session, -1) is None
    assert table.command("takeback") is None
    assert position_after(table.session, 3) is None
    assert standing(table, position_after(table.session, 2)) == {"b2": 1, "a1": 2}


def test_after_a_board_was_taken_as_it_is_the_past_begins_there() -> None:
    table = VirtualTable(options={"size": 3, "opening": "free"})
    table.rest()
    for name, kind in (("c3", 1), ("a1", 2)):
        table.place(name, kind)
    table.place("e3", 2)
    table.place("e1", 1)
    assert table.command("accept-board") is None
    assert standing(table, position_after(table.session, 0)) == {"a1": 2, "c3": 1, "e1": 1, "e3": 2}
    assert position_after(table.session, 1) is None


def test_looking_changes_nothing() -> None:
    table = trivia()
    before = dict(table.view)
    position_after(table.session, 1)
    table.rest()
    assert {**table.view, "v": 0} == {**before, "v": 0}


OVER = [
    ("control", {"size": 3, "opening": "free"}),
    ("evening", {"size": 3}),
    ("trivia", {"size": 3}),
    ("doves", {}),
    ("rengi", {"mode": "free"}),
]


@pytest.mark.parametrize(("slug", "options"), OVER)
def test_the_moves_of_a_game_that_is_over_lead_there_again_when_they_are_tried(
    slug: str, options: dict[str, Any]
) -> None:
    chance = random.Random(slug)
    history = GameHistory(games.load(slug, **options), ["human", "human"], seed=5)
    game = history.game
    for _ in range(5):
        moves = [m for side in (0, 1) for m in game.listed_moves(history.position, side)]
        if moves:
            history.play(chance.choice(moves), 1, "page")
    count = len(history.played)
    assert count >= 4
    made = SimpleNamespace(history=history, outcome=None, lesson=None, hint="legal")
    table = cast("TableState", made)
    line = [(move.side, move.text) for move in history.moves]
    assert position_after(table, 1, line[1:2]) is None, "it is still played"
    loser = game.movers(history.position)[0]
    resigned = game.play(history.position, game.parse(history.position, "resign", loser))
    made.outcome = game.outcome(resigned)
    for start, end in ((0, 1), (1, 1), (1, count), (count - 1, count), (count, count)):
        found, told = position_after(table, start, line[start:end]), position_after(table, end)
        assert found is not None
        assert told is not None
        assert found | {"n": 0} == found | told | {"n": 0}
        position = history.positions[end]
        assert [(one["side"], one["text"]) for one in found["line"]] == line[start:end]
        assert [one["said"] for one in found["line"]] == [
            game.display_text(history.positions[n], history.moves[n]) for n in range(start, end)
        ]
        assert found["to_move"] == list(game.movers(position))
        legal = {
            (
                move.side,
                move.text,
                game.display_text(position, move),
                tuple(game.aims(position, move)),
            )
            for side in game.movers(position)
            for move in (
                *game.listed_moves(position, side),
                *(
                    game.parse(position, word, side)
                    for word in game.words(position, side)
                    if word not in ("resign", "stop", "claim")
                ),
            )
        }
        may = [(m["side"], m["text"], m["said"], tuple(m["cells"])) for m in found["may"]]
        assert (set(may), len(may)) == (legal, len(legal))
        assert found["ends"] is None
    broken = position_after(table, 1, [line[1], (line[1][0], "nonsense"), *line[2:]])
    assert broken is not None
    assert [(one["side"], one["text"]) for one in broken["line"]] == line[1:2]
    ended = position_after(table, count, [(loser, "resign"), line[0]])
    assert ended is not None
    outcome = made.outcome
    assert ended["ends"] == {"id": outcome.text_id, "params": outcome.params(game.sides)}
    assert (ended["to_move"], ended["may"], len(ended["line"])) == ([], [], 1)
    made.lesson = object()
    assert position_after(table, 1, line[1:2]) is None

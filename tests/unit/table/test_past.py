"""Looking back: the host tells any earlier position of the game under way, whatever happened."""

from __future__ import annotations

from typing import Any

from lumiban.table.past import position_after
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

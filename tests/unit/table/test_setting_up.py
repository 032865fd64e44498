"""Before a game begins its pieces are brought to the board: what is missing was not lifted."""

from __future__ import annotations

import pytest
from virtual_table import VirtualTable


def doves() -> VirtualTable:
    """A table whose hands bring what belongs on the board, until they are told to rest."""
    table = VirtualTable(profile="grid9x9", game="doves", options={}, assists=("mend",))
    table.run(stands, 120_000_000)
    table.assists = ()
    table.rest()
    return table


def stands(table: VirtualTable) -> bool:
    return list(table.view["sensed"]) == table.view["pieces"]


@pytest.mark.slow
def test_all_doves_come_to_field_and_trays_one_after_the_other() -> None:
    table = doves()
    assert table.view["verdict"]["kind"] == "agree"
    assert sum(map(bool, table.view["pieces"])) == 12
    assert [len(cells) for cells in table.view["game"]["trays"]] == [5, 5]


@pytest.mark.slow
def test_later_a_dove_that_is_missing_was_lifted() -> None:
    table = doves()
    names, labels = table.view["game"]["names"], table.view["labels"]
    tower, hill = (names[labels.index(letter)] for letter in "TH")
    table.lift(tower)
    assert table.view["prompt"]["steps"] == []
    assert {m["meaning"] for m in table.view["marks"]} >= {"lift-target"}
    table.lift(hill)
    (step,) = table.view["prompt"]["steps"]
    assert step["do"] == "place"
    assert names[step["cell"]] in (tower, hill)

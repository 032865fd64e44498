"""What a board says is wrong with it, and what the table makes of that."""

from __future__ import annotations

from pathlib import Path

import pytest
from lumiban.boards.faults import DRIFT, REFERENCE, STUCK
from lumiban.boards.profile import load
from lumiban.boards.types import Faulty
from lumiban.i18n import LANGUAGES, text
from lumiban_lab.soak_table import SoakTable
from lumiban_sim.rails import Feed
from lumiban_sim.rig import Rig
from session_bench import Bench


@pytest.mark.parametrize(
    ("feed", "id", "said"),
    [
        (Feed(3_000), "table.supply-dark", "3.0 V"),
        (Feed(4_400), "table.supply-low", "4.4 V"),
        (Feed(6_000), "table.supply-none", "5 V"),
        (Feed(6_000, most_mv=0), "table.supply-high", "6.0 V"),
        (Feed(12_000), "table.supply-none", "5 V"),
        (Feed(12_000, most_mv=0), "table.supply-none", "5 V"),
    ],
)
def test_players_of_a_board_that_begins_with_a_wrong_supply_read_what_to_do(
    feed: Feed, id: str, said: str, tmp_path: Path
) -> None:
    rig = Rig(load("hex3"), 4, cold=True, feed=feed)
    table = SoakTable(rig, "control", {"size": 3}, ("human", "human"), seed=4, folder=tmp_path)
    table.rest(3_000_000)
    told = table.view["verdict"]["text"]
    assert told["id"] == id
    for language in LANGUAGES:
        sentence = text(id, language, **told["params"])
        assert said in sentence
        assert "rail" not in sentence
    rig.world.mend_supply(5_000, rig.now_us)
    table.rest(4_000_000)
    assert table.view["verdict"]["text"] is None
    assert table.view["link"] == "up"


def test_strange_faults_of_newer_boards_are_no_harm() -> None:
    bench = Bench()
    bench.connect()
    for what, where in ((0, 0), (77, 200), (REFERENCE, 255), (STUCK, 255), (DRIFT, 255), (255, 1)):
        bench.step(Faulty(what, where))
    bench.put("a1", 1)
    assert bench.moves == ["a1"]

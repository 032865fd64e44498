"""Two tables that hung on a healthy board: their stones and times in the simulator, and their
flights run again. A stone whose time was unsure by just one scan, beside its like, once counted
for nothing."""

from __future__ import annotations

import json
from typing import Any

import pytest
from lumiban.boards.profile import load
from lumiban.table.types import AskBot, BotMove
from lumiban_sim.hands import BRISK
from lumiban_sim.rig import Rig
from places import TESTS
from virtual_table import VirtualTable

FLIGHTS = TESTS / "flights"
GAMES: dict[str, Any] = json.loads((FLIGHTS / "held_stones.json").read_text("utf-8"))
"""Of each flight the game that hung, up to the held stone: (cell, kind, t_us, unsure_us) of each
stone, and what the bots chose."""
BOARD = load("hex5")
SCAN_US = 1_000_000 // BOARD.scan_hz


class Flown(VirtualTable):
    """A table at which bots choose what they chose then, and any legal move afterwards."""

    def _set(self) -> None:
        self.chosen: list[str] = []

    def _think(self, question: AskBot) -> None:
        legal = [str(move) for move in question.game.moves(question.position, question.side)]
        text = self.chosen.pop(0) if self.chosen else legal[0]
        self._inputs.append(BotMove(question.ticket, text))


def flown(name: str) -> Flown:
    told = GAMES[name]
    table = Flown(
        profile="hex5",
        seats=told["seats"],
        options={"size": told["size"]},
        assists=(),
        rig=Rig(BOARD, 1, tempo=BRISK),
    )
    table.chosen = [what[1] for what in told["did"] if what[0] == "chose"]
    table.rest(1_000_000)
    return table


def stand(table: Flown, cell: int, kind: int, unsure_us: int) -> None:
    """A stone comes or goes: by a hand, or from one scan to the next where its time was told so."""
    assert table.rig is not None
    rig = table.rig
    match = table.session.match
    if table.session.bots.question is not None or match.history.seats[match.movers[0]] != "human":
        table.run(lambda table: bool(table.prompt.steps), 10_000_000)
    if unsure_us == SCAN_US:
        rig.world.stand(kind, cell, table.now_us)
    else:
        table._wait_for(rig.hands.place(cell, kind) if kind else rig.hands.lift(cell))
    table.rest(700_000)


@pytest.mark.slow
@pytest.mark.parametrize("name", GAMES)
def test_the_stones_of_a_hung_table_count_and_hands_make_more_moves(name: str) -> None:
    table = flown(name)
    stones = [what[1:] for what in GAMES[name]["did"] if what[0] == "stone"]
    for cell, kind, _, unsure_us in stones:
        stand(table, cell, kind, unsure_us)
    moves = table.session.match.history.moves
    assert len(moves) == len(stones), "a stone that was set did not count"
    table.assists = ("machine",)
    for _ in range(80):
        if len(moves) >= len(stones) + 12:
            break
        match = table.session.match
        if match.movers and match.history.seats[match.movers[0]] == "human":
            place = table.view["legal"]["place"]
            table.place(match.history.game.grid.name(place[0]), match.movers[0] + 1)
        table.rest(1_000_000)
        moves = table.session.match.history.moves
    assert len(moves) >= len(stones) + 10

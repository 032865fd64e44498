"""Markers of Rengi at a table: nobody is ever stuck, and a crash in the middle of a gesture loses
and makes nothing."""

from __future__ import annotations

import random

import pytest
from conversations import talk
from lumiban.games.rengi.game import Rengi
from lumiban.table.light_play import LightPlay
from lumiban.table.types import Agree

LOOP = Rengi(mode="open", begins="first")


@pytest.mark.one_case
@pytest.mark.parametrize("seed", range(6))
def test_at_a_table_stones_anywhere_never_stop_the_game(seed: int) -> None:
    chance = random.Random(seed)
    table, _ = talk("game rengi begins=first mode=free supply=loop list=RB,YG seats human human")
    match = table.session.match
    assert isinstance(match, LightPlay)
    for _ in range(40):
        cell = chance.randrange(182)
        table.sense(cell, 0 if table.lies[cell] else chance.choice([1, 2]))
        if chance.random() < 0.05:
            table.start_board()
        for move in match.history.moves[-1:]:
            assert match.game.why_not(match.history.positions[-2], move.side, move) is None
    if match.outcome is not None:
        return
    for cell in [cell for cell, kind in enumerate(table.lies) if kind]:
        table.sense(cell, 0)
    if match.outcome is None:
        played, side = len(match.history.played), match.movers[0]
        column = 7 * side + 2
        for cell, kind in ((column, 1), (column + 1, 1), (column, 0), (column + 1, 0)):
            table.sense(cell, kind and side + 1)
        assert len(match.history.played) == played + 1
        assert isinstance(match.verdict, Agree)

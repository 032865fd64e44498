"""Bringing the doves back to the middle: the plan is sound, the table guides it, nothing counts."""

from __future__ import annotations

import random

from doves_lines import laid
from hypothesis import given, settings
from hypothesis import strategies as st
from lumiban.games.base import Position
from lumiban.games.doves.floating import DovesOnBoard
from lumiban.table import recentre
from lumiban.table.types import Agree, Repair, Step
from thorough import examples


def walk(game: DovesOnBoard, seed: int, plies: int) -> Position:
    """A position of a random game of the inner rules, wherever it has drifted to."""
    rng = random.Random(seed)
    position = game.start()
    for _ in range(plies):
        movers = game.movers(position)
        if not movers:
            break
        position = game.play(position, rng.choice(game.moves(position, movers[0])))
        if game.is_crowded(position) and game.movers(position):
            position = game.relaid(position, game.drift(position))
    return position


@settings(max_examples=examples(40))
@given(st.integers(0, 1000), st.integers(1, 12))
def test_a_slide_reaches_its_goal_from_any_mess_and_goes_back(seed: int, plies: int) -> None:
    game = laid(9, 9, tray="on")
    walked = walk(game, seed, plies)
    position = game.relaid(walked, (1, 1))
    standing = [sum(map(bool, game.pieces(one))) for one in (walked, position)]
    plan = recentre.slide(game, position)
    if plan is None or standing[0] != standing[1]:  # or so far out that a dove is off the board
        return
    rng = random.Random(seed)
    for way in (plan, plan.turned()):
        start, _ = way.steps[-1]
        dove = way.pictures[-2][start]
        lift = Step("lift", start, dove)
        assert recentre.name_of(way, way.pictures[-2], lift) == way.names[-2][start] != ""
        # Another piece lies where the last dove stood.
        lie = list(way.pictures[-1])
        lie[start] = dove
        assert recentre.follow(way, lie) == Repair((lift,))
        assert recentre.name_of(way, lie, lift) == ""
        lie = list(way.pictures[0])
        full = [cell for cell, kind in enumerate(lie) if kind]
        cell = rng.choice(full)
        lie[cell] = 0
        for _ in range(80):
            verdict = recentre.follow(way, lie)
            if isinstance(verdict, Agree):
                break
            assert isinstance(verdict, Repair)
            step = verdict.plan[0]
            lie[step.cell] = step.kind if step.do == "place" else 0
        assert tuple(lie) == way.pictures[-1]
    assert plan.pictures[-1] == tuple(game.pieces(game.relaid(position, game.drift(position))))

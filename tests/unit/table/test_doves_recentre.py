"""Bringing the doves back to the middle: the plan is sound, the table guides it, nothing counts."""

from __future__ import annotations

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from lumiban import games
from lumiban.games.base import Position
from lumiban.games.doves import floating
from lumiban.games.doves.floating import DovesOnBoard
from lumiban.grid import rectangle
from lumiban.table import recentre
from lumiban.table.types import Agree, Repair
from thorough import examples


def laid(columns: int, rows: int, **options: str) -> DovesOnBoard:
    game = games.load("doves", **options).laid_on(rectangle(columns, rows))
    assert isinstance(game, DovesOnBoard)
    return game


places = st.tuples(st.integers(0, 8), st.integers(0, 8))


@given(st.sets(places, min_size=1, max_size=12), st.integers(-5, 5), st.integers(-5, 5))
def test_each_dove_finds_its_cell_free_and_all_arrive(
    doves: set[tuple[int, int]], columns: int, rows: int
) -> None:
    lie = set(doves)
    for start, end in floating.slides(doves, (columns, rows)):
        assert start in lie
        assert end not in lie
        lie = lie - {start} | {end}
    assert lie == {(c + columns, r + rows) for c, r in doves}


@given(st.integers(0, 12), st.integers(1, 4), st.integers(0, 2), st.integers(6, 15))
def test_the_way_back_ends_in_the_middle_and_is_the_shortest(
    low: int, width: int, first: int, count: int
) -> None:
    way = floating.way_back(low, width, first, count)
    before, after = low + way - first, first + count - (low + way + width)
    assert abs(before - after) <= 1
    assert floating.way_back(low + way, width, first, count) == 0


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


@settings(max_examples=examples(30))
@given(st.integers(0, 10_000), st.integers(0, 30), st.sampled_from([(6, 6), (7, 9), (9, 9)]))
def test_in_the_middle_no_legal_action_leads_off_any_board(
    seed: int, plies: int, size: tuple[int, int]
) -> None:
    game = laid(*size, repetition="off", initial="allowed", tray="off")
    position = walk(game, seed, plies)
    middle = game.relaid(position, game.drift(position))
    assert not game.is_crowded(middle)
    assert game.drift(middle) == (0, 0)
    assert game.unlaid(middle) == game.unlaid(position)


@settings(max_examples=examples(30))
@given(st.integers(0, 10_000), st.integers(0, 40))
def test_the_frame_and_the_board_tell_the_same_story(seed: int, plies: int) -> None:
    """A move's effects, the pieces before and after it, and the picture's reading agree."""
    game = laid(9, 9, repetition="off", initial="allowed", tray="off")
    position = walk(game, seed, plies)
    for side in game.movers(position):
        for move in game.moves(position, side):
            before, after = game.pieces(position), game.pieces(game.play(position, move))
            changed = {
                (c, b, a) for c, (b, a) in enumerate(zip(before, after, strict=True)) if a != b
            }
            assert set(game.effects(position, move)) == changed
            assert game.parse(position, game.display_text(position, move), side) == move


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


@pytest.mark.parametrize("size", [(6, 6), (7, 6)])
def test_positions_at_the_edge_advise_to_go_to_the_middle(size: tuple[int, int]) -> None:
    game = laid(*size, repetition="off", initial="allowed", tray="off")
    position = game.start()
    at_edge = game.relaid(position, (-position.extra[0] - 1, 0))
    assert game.is_crowded(at_edge)
    assert game.drift(at_edge)[0] > 0
    assert game.is_crowded(game.relaid(at_edge, game.drift(at_edge))) is False

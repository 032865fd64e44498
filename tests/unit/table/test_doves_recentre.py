"""Bringing the doves back to the middle: the plan is sound, the table guides it, nothing counts."""

from __future__ import annotations

import random

import pytest
from conversations import Conversation, talk
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

HEAD = "game doves tray=off initial=allowed"
FREE = HEAD + " repetition=off"


def table(text: str) -> Conversation:
    return talk(text)[0]


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


@settings(max_examples=examples(30), deadline=None)
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


@settings(max_examples=examples(30), deadline=None)
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


@settings(max_examples=examples(40), deadline=None)
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


DRIFTED = """
    board b./BA red to move
    hand lifts e5
    red places e6
    hand lifts d6
    green places e7
    hand lifts d5
    red places d6 -> drift may"""


def test_the_table_guides_dove_by_dove_and_no_turn_is_spent() -> None:
    found = table(f"""{FREE} {DRIFTED}
    page recentre -> drift sliding, says table.slide-lift""")
    history = found.session.match.history
    faced = found.session.match.history.position.state
    found.told(["hands", "obey"])
    assert found.view()["drift"] == ""
    assert history.position.state == faced
    assert [move.text for move in history.moves] == ["AN1E1", "bN2E1", "BN1"]
    assert found.session.match.movers == (1,)
    assert isinstance(found.session.match.verdict, Agree)


def test_given_up_the_doves_go_back_the_same_way() -> None:
    found = table(f"{FREE} {DRIFTED}\n    page recentre")
    before = found.session.match.history.position
    for _ in range(3):
        step = found.prompt.steps[0]
        cell = found.session.match.placing.board[step.cell]
        found.sense(cell, step.kind if step.do == "place" else 0)
    found.told(["page", "recentre", "back"])
    assert found.view()["drift"] == "back"
    found.told(["hands", "obey"])
    assert found.session.match.history.position == before
    assert isinstance(found.session.match.verdict, Agree)


def test_nothing_else_is_done_while_the_doves_are_on_their_way() -> None:
    table(f"""{FREE} {DRIFTED}
    page recentre
    page takeback -> declined table.rules-rest
    page recentre -> declined table.rules-rest
    page recentre back -> drift may
    page recentre back -> declined table.nothing-slides""")


def test_a_takeback_after_a_slide_finds_the_doves_where_they_lie_now() -> None:
    found = table(f"{FREE} {DRIFTED}\n    page recentre")
    found.told(["hands", "obey"])
    found.told(["page", "takeback"])
    game = found.session.match.history.game
    assert [(s.do, game.grid.name(s.cell)) for s in found.prompt.steps] == [("lift", "d5")]
    assert len(found.session.match.history.moves) == 2


@pytest.mark.parametrize("size", [(6, 6), (7, 6)])
def test_positions_at_the_edge_advise_to_go_to_the_middle(size: tuple[int, int]) -> None:
    game = laid(*size, repetition="off", initial="allowed", tray="off")
    position = game.start()
    at_edge = game.relaid(position, (-position.extra[0] - 1, 0))
    assert game.is_crowded(at_edge)
    assert game.drift(at_edge)[0] > 0
    assert game.is_crowded(game.relaid(at_edge, game.drift(at_edge))) is False

"""What Evening shows and reads: marks, counts, stones that the board senses."""

from __future__ import annotations

from lumiban.games import BLACK, WHITE, Complete, Kind, Mark, Wrong
from lumiban.games.evening import Evening
from rulings import played


def test_marks_show_more_from_level_to_level() -> None:
    game = Evening(size=3)
    position = played(game, "wc3", "bc4")
    assert game.marks(position, "none") == ()
    legal = game.marks(position, "legal")
    assert {(m.cell, m.side) for m in legal} == {
        (m.code % 19, side) for side in (WHITE, BLACK) for m in game.moves(position, side)
    }
    assert {m.meaning for m in legal} == {"may-place"}
    control = game.marks(position, "control")
    assert set(legal) < set(control)
    assert game.marks(position, "coach") == control
    turns = Evening(size=3, turns="trailing")
    assert {m.side for m in turns.marks(position, "legal")} == {WHITE}
    owned = {m.side for m in turns.marks(position, "control") if m.meaning == "owned"}
    assert owned == {WHITE, BLACK}


def test_in_a_pie_every_empty_cell_may_be_set() -> None:
    game = Evening(size=2, opening="pie")
    position = played(game, "put wb2")
    assert len(game.marks(position, "legal")) == 6
    assert Mark(game.grid.cell("b2"), "may-place") not in game.marks(position, "legal")


def test_counts_are_stones_and_open_cells() -> None:
    game = Evening(size=3)
    assert game.scores(played(game, "wc3")) == ((1, 0), (0, 6))
    assert game.sizes(played(game, "wc3", "bc4")) == ((1,), (1,))
    assert len(game.groups(played(game, "wc3", "bc4"))) == 2


def test_a_stone_where_it_may_not_lie_is_read_with_its_refusal() -> None:
    game = Evening(size=3)
    position = played(game, "wc3")
    for kind, rule in ((Kind.WHITE, "evening.larger-sum"), (Kind.BLACK, None)):
        sensed = list(game.pieces(position))
        sensed[game.grid.cell("c4")] = kind
        reading = game.read(position, sensed)
        if rule is None:
            assert isinstance(reading, Complete)
        else:
            assert isinstance(reading, Wrong)
            assert reading.refusal.rule == rule


def test_a_stone_that_changes_colour_is_no_move() -> None:
    game = Evening(size=3)
    position = played(game, "wc3")
    sensed = list(game.pieces(position))
    sensed[game.grid.cell("c3")] = Kind.BLACK
    reading = game.read(position, sensed)
    assert isinstance(reading, Wrong)
    assert reading.refusal.rule == "evening.occupied"

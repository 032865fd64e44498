"""Control's openings, the pie and two actions a turn, and setting up positions."""

from __future__ import annotations

import pytest
from each import each
from lumiban.errors import GameError
from lumiban.games import (
    BLACK,
    WHITE,
    Complete,
    Kind,
    Move,
    Outcome,
    Partial,
    Wrong,
)
from lumiban.games.control import Control
from rulings import played, refused


def test_a_pie_is_set_by_white_and_chosen_by_black_and_white_moves_next() -> None:
    game = Control(size=3, opening="pie2")
    position = game.start()
    assert game.movers(position) == (WHITE,)
    assert game.moves(position, WHITE) == []
    assert "put wc3" in game.words(position, WHITE)
    assert "done" not in game.words(position, WHITE)
    assert refused(game, position, "done").rule == "control.pie-incomplete"
    assert refused(game, position, "take white", BLACK).rule == "control.not-now"
    assert refused(game, position, "stop").rule == "control.not-now"
    assert refused(game, position, "c3").rule == "control.pie-first"
    position = game.play(position, game.parse(position, "put wc3"))
    assert refused(game, position, "put bc3").rule == "control.occupied"
    assert refused(game, position, "put ba1", BLACK).rule == "control.not-your-turn"
    position = game.play(position, game.parse(position, "put ba1"))
    position = game.play(position, game.parse(position, "put wc4"))
    assert game.pieces(position)[game.grid.cell("c3")] == Kind.EMPTY
    assert game.pieces(position)[game.grid.cell("c4")] == Kind.WHITE
    position = game.play(position, game.parse(position, "done"))
    assert game.movers(position) == (BLACK,)
    assert game.words(position, BLACK) == ("take white", "take black", "resign")
    assert game.words(position, WHITE) == ("resign",)
    taken = game.play(position, game.parse(position, "take white"))
    kept = game.play(position, game.parse(position, "take black"))
    assert (game.swapped(taken), game.swapped(kept)) == (True, False)
    for chosen in (taken, kept):
        assert game.movers(chosen) == (WHITE,)
        assert game.moves(chosen, WHITE)
    assert game.swapped(game.play(taken, game.moves(taken, WHITE)[0]))


def test_stones_set_on_the_board_are_the_words_of_a_pie() -> None:
    game = Control(size=3, opening="pie2")
    position = played(game, "put wc3")
    sensed = list(game.pieces(position))
    sensed[game.grid.cell("a1")] = Kind.BLACK
    assert game.read(position, sensed) == Complete(Move(WHITE, "put ba1"))
    sensed = list(game.pieces(position))
    sensed[game.grid.cell("c3")] = Kind.EMPTY
    assert isinstance(game.read(position, sensed), Partial)
    sensed[game.grid.cell("c4")] = Kind.WHITE
    assert game.read(position, sensed) == Complete(Move(WHITE, "put wc4"))
    choosing = played(game, "put wc3", "put ba1", "done")
    reading = game.read(choosing, sensed)
    assert isinstance(reading, Wrong)
    assert reading.refusal.rule == "simple.choose-first"


# Two actions a turn.


def test_with_12_star_white_does_one_thing_then_each_side_two() -> None:
    game = Control(size=3, opening="12*")
    position = game.start()
    movers = []
    for text in ("a1", "e3", "e2", "b1", "c2", "c5"):
        movers.append(game.movers(position)[0])
        position = game.play(position, game.parse(position, text))
    assert movers == [WHITE, BLACK, BLACK, WHITE, WHITE, BLACK]


def test_with_12_star_who_cannot_make_an_action_loses_at_that_moment() -> None:
    game = Control(size=3, opening="12*")
    texts = ("c3", "e2", "e1", "b4", "c4", "c1", "c2", "a1", "d4", "d1", "d2", "b2", "e3", "b1")
    position = played(game, *texts)
    assert game.outcome(position) == Outcome(WHITE, "no-move")
    board = game.grid_view(position)
    assert (board.mover, board.left) == (BLACK, 1)  # one action was made, the other is owed
    game = Control(size=2, opening="12*")
    # White holds the middle: every cell around it sees one white stone more.
    assert game.outcome(played(game, "b2")) == Outcome(WHITE, "no-move")


# Set-up.


@each(
    ("stones", "to_move", "said"),
    [
        ({"z9": WHITE}, WHITE, "no cell 'z9'"),
        ({"a1": 2}, WHITE, "on a1 stands"),
        ({"a1": WHITE}, 7, "to_move is 0"),
        ({"a1": WHITE}, WHITE, "1 white and 0 black stones with White to move"),
        ({"a1": BLACK}, BLACK, "0 white and 1 black"),
        ({}, BLACK, "only before White's first stone"),
        ({"c3": WHITE}, BLACK, "on the perimeter"),
    ],
)
def test_an_impossible_position_is_refused_with_the_reason(
    stones: dict[str, int], to_move: int, said: str
) -> None:
    with pytest.raises(GameError, match=said):
        Control(size=3).setup(stones, to_move=to_move)


def test_set_up_with_nothing_is_the_start() -> None:
    for opening in ("perimeter", "free", "pie2", "12*"):
        game = Control(size=3, opening=opening)
        assert game.setup({}) == game.start()


def test_with_12_star_the_stones_tell_how_much_of_the_turn_is_left() -> None:
    game = Control(size=3, opening="12*")
    two = game.setup({"c3": WHITE}, to_move=BLACK)
    assert two == played(game, "c3")
    one = game.setup({"c3": WHITE, "e3": BLACK}, to_move=BLACK)
    assert one == played(game, "c3", "e3")
    assert game.grid_view(game.setup({"e3": BLACK}, to_move=WHITE)).left == 2
    with pytest.raises(GameError, match="Before a turn of two actions"):
        game.setup({"c3": WHITE, "d4": WHITE}, to_move=BLACK)

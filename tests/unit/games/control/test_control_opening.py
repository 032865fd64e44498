"""Control's openings, the pie and two actions a turn, and setting up positions."""

from __future__ import annotations

import pytest
from each import each
from lumiban.errors import GameError
from lumiban.games import (
    BLACK,
    WHITE,
)
from lumiban.games.control import Control
from rulings import played

# Two actions a turn.


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

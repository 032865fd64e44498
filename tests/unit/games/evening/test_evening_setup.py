"""Evening's notation, positions set up by hand, and that positions travel."""

from __future__ import annotations

import pytest
from each import each
from lumiban.errors import GameError
from lumiban.games import BLACK, WHITE, IllegalMove
from lumiban.games.evening import Evening
from rulings import played

# Notation.


@each("text", ["", "w", "z9", "wz9", "c4", "stand", "resign x", "xc4", "wc4bc4"])
def test_what_is_no_notation_says_what_would_be(text: str) -> None:
    game = Evening(size=3)
    with pytest.raises(IllegalMove, match="wc4, bc4") as caught:
        game.parse(played(game, "wc3"), text)
    assert caught.value.refusal is not None
    assert caught.value.refusal.rule == "evening.unreadable"


# Set-up.


def test_a_position_set_up_is_one_that_play_leads_to() -> None:
    game = Evening(size=3)
    assert game.setup({}) == game.start()
    assert game.setup({"c3": WHITE, "c4": BLACK}, to_move=BLACK) == played(game, "wc3", "bc4")
    pie = Evening(size=3, opening="pie")
    assert pie.setup({"a1": WHITE, "e3": WHITE}).phase == "play"


@each(
    ("rules", "stones", "said"),
    [
        ({}, {"c3": BLACK}, "in every opening a white stone comes first"),
        ({"opening": "pie"}, {"c3": BLACK}, "in every opening a white stone comes first"),
        ({}, {"a1": WHITE, "e3": BLACK}, r"stone on a1 is not connected to the one on e3"),
        ({}, {"c9": WHITE}, "no cell 'c9' here: c runs from c1 to c5"),
        ({}, {"c3": 2}, "on c3 stands 0 "),
    ],
)
def test_impossible_positions_are_refused_with_the_reason(
    rules: dict[str, str], stones: dict[str, int], said: str
) -> None:
    with pytest.raises(GameError, match=said) as caught:
        Evening(size=3, **rules).setup(stones)
    assert "\n" not in str(caught.value)


def test_set_up_takes_stones_only() -> None:
    with pytest.raises(GameError, match="stones only, not clock"):
        Evening().setup({}, clock=3)


def test_every_position_of_a_small_board_that_a_game_reaches_is_set_up() -> None:
    for turns in ("turnless", "trailing"):
        game = Evening(cells="0,0 1,0 2,0 0,1 1,1", turns=turns)
        reached, todo = {game.start()}, [game.start()]
        for position in todo:
            assert game.setup(game.stones_of(position)) == position
            for side in game.movers(position):
                for move in game.moves(position, side):
                    after = game.play(position, move)
                    if after not in reached:
                        reached.add(after)
                        todo.append(after)
        assert len(reached) > 10

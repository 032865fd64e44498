"""How Evening ends: stands, ties, resigning; and the pie it may begin with."""

from __future__ import annotations

from lumiban.games import BLACK, WHITE, Outcome
from lumiban.games.evening import Evening
from rulings import played

# On size 3, c3 is the middle; its neighbours are c2, c4, b2, b3, d2 and d3.


# Stands and the end.


def test_the_game_is_over_when_both_stand() -> None:
    game = Evening(size=3)
    position = played(game, "wc3", "stand b")
    assert game.outcome(position) == Outcome(WHITE, "evening.larger-groups")
    assert game.movers(position) == ()


def test_any_stone_clears_both_stands() -> None:
    game = Evening(size=3)
    position = played(game, "wc3", "bc4")
    assert game.declined_to_move(position) == ()
    stood = game.play(position, game.parse(position, "stand w"))
    assert game.declined_to_move(stood) == (WHITE,)
    assert stood != position
    move = game.moves(stood, WHITE)[0]
    again = game.play(stood, move)
    assert WHITE not in game.declined_to_move(again) or not game.open_cells(again, WHITE)
    assert again.state[-1] == 0
    both = game.play(stood, game.parse(stood, "stand b"))
    assert game.outcome(both) == Outcome(BLACK, "evening.tie")

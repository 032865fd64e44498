"""How Evening ends: stands, ties, resigning; and the pie it may begin with."""

from __future__ import annotations

import pytest
from lumiban.games import BLACK, WHITE, Complete, Kind, Move, Outcome, Position
from lumiban.games.evening import Evening
from rulings import played, refused

# On size 3, c3 is the middle; its neighbours are c2, c4, b2, b3, d2 and d3.


def any_move(game: Evening, position: Position) -> Move:
    """The first placement that is listed."""
    return next(m for side in game.movers(position) for m in game.moves(position, side))


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


@pytest.mark.parametrize(
    ("rules", "outcome"),
    [
        ({"tie": "even"}, Outcome(BLACK, "evening.tie")),
        ({"tie": "odd-even"}, Outcome(WHITE, "evening.tie-odd")),
        ({"tie": "odd-even", "wins": "stones"}, Outcome(WHITE, "evening.tie-odd")),
    ],
)
def test_ties_go_by_the_rule_for_them(rules: dict[str, str], outcome: Outcome) -> None:
    game = Evening(size=3, **rules)
    assert game.outcome(played(game, "wc3", "bc4", "stand w", "stand b")) == outcome


def test_more_stones_win_where_they_are_what_counts() -> None:
    stones = {"a1": 1, "a2": 1, "a3": 1, "e1": -1, "c3": -1, "e3": -1, "d1": -1}
    for wins, winner, reason in (
        ("stones", BLACK, "evening.more-stones"),
        ("cascade", WHITE, "evening.larger-groups"),
    ):
        game = Evening(size=3, wins=wins, opening="pie")
        position = game.position([stones.get(name, 0) for name in game.grid.names])
        for text in ("stand w", "stand b"):
            position = game.play(position, game.parse(position, text))
        assert game.outcome(position) == Outcome(winner, reason)


# The pie.


def test_in_a_pie_one_sets_any_stones_with_a_white_one_and_the_other_chooses() -> None:
    game = Evening(size=3, opening="pie")
    position = game.start()
    assert game.movers(position) == (WHITE,)
    assert game.moves(position, WHITE) == []
    assert refused(game, position, "done").rule == "evening.pie-needs-white"
    assert refused(game, position, "wc3").rule == "evening.pie-first"
    assert refused(game, position, "stand w").rule == "evening.not-now"
    assert refused(game, position, "lift c3").rule == "evening.empty-cell"
    assert refused(game, position, "put wc3", BLACK).rule == "evening.other-player"
    position = played(game, "put bc3")
    assert "done" not in game.words(position, WHITE)
    assert refused(game, position, "put wc3").rule == "evening.occupied"
    position = played(game, "put bc3", "put we1", "put wa1", "lift e1", "put ba2")
    assert game.scores(position)[WHITE][0] == 1
    assert game.words(position, WHITE)[-2:] == ("done", "resign")
    position = game.play(position, game.parse(position, "done"))
    assert game.movers(position) == (BLACK,)
    assert game.words(position, BLACK) == ("take white", "take black", "resign")
    assert game.outcome(position) is None
    taken, kept = (game.play(position, game.parse(position, f"take {c}")) for c in _COLOURS)
    assert (game.swapped(taken), game.swapped(kept)) == (True, False)
    assert game.movers(taken) == game.movers(kept) == (WHITE, BLACK)
    assert game.swapped(game.play(taken, any_move(game, taken)))


_COLOURS = ("white", "black")


def test_stones_set_and_lifted_on_the_board_are_the_words_of_a_pie() -> None:
    game = Evening(size=3, opening="pie")
    position = played(game, "put wc3")
    sensed = list(game.pieces(position))
    sensed[game.grid.cell("a1")] = Kind.BLACK
    assert game.read(position, sensed) == Complete(Move(WHITE, "put ba1"))
    lifted = list(game.pieces(game.start()))
    reading = game.read(position, lifted)
    assert isinstance(reading, Complete)
    assert reading.move == Move(WHITE, "lift c3")

"""Control at the table: notation, refusals with their proof, words and marks."""

from __future__ import annotations

import pytest
from each import each
from lumiban.games import (
    BLACK,
    WHITE,
    IllegalMove,
    Move,
    Outcome,
)
from lumiban.games.control import Control
from rulings import played, refused


def named(game: Control, cells: tuple[int, ...]) -> set[str]:
    return {game.grid.name(cell) for cell in cells}


# Refusals. On size 3, c3 is the middle; around a1 lie a2, b1 and b2.


def test_a_stone_on_an_enemy_cell_is_refused_and_the_stones_around_prove_it() -> None:
    game = Control(size=3)
    position = game.setup(
        {"a1": WHITE, "b1": WHITE, "a2": BLACK, "e1": WHITE, "e3": BLACK}, to_move=BLACK
    )
    refusal = refused(game, position, "b2")
    assert refusal.rule == "control.enemy-cell"
    assert dict(refusal.params) == {"enemy": 2, "own": 1}
    assert named(game, refusal.cells) == {"a1", "b1", "a2"}


@pytest.mark.parametrize(
    ("text", "rule"),
    [
        ("xa1", "control.own-stone"),
        ("a1", "control.occupied"),
        ("e3", "control.occupied"),
        ("xc3", "control.empty-cell"),
    ],
)
def test_what_stands_on_the_cell_is_the_reason(text: str, rule: str) -> None:
    game = Control(size=3)
    position = game.setup({"a1": WHITE, "e3": BLACK}, to_move=WHITE)
    refusal = refused(game, position, text)
    assert refusal.rule == rule
    assert named(game, refusal.cells) == {text.removeprefix("x")}


def test_under_sight_the_nearest_stone_of_each_line_is_the_proof() -> None:
    game = Control(size=3, sees="sight")
    position = game.setup({"c1": WHITE, "c5": WHITE, "b1": BLACK}, to_move=BLACK)
    refusal = refused(game, position, "c3")
    assert refusal.rule == "control.enemy-cell"
    assert named(game, refusal.cells) == {"c1", "c5"}


# Notation.


@each("text", ["", "x", "z9", "a1b2", "pass", "put", "put xa1", "xx", "a１"])
def test_what_is_no_notation_says_what_would_be(text: str) -> None:
    game = Control(size=3)
    with pytest.raises(IllegalMove, match=r"c4|put wc4") as caught:
        game.parse(game.start(), text)
    assert caught.value.refusal is not None
    assert caught.value.refusal.rule == "control.unreadable"
    assert "\n" not in str(caught.value)


# Words.


def test_both_must_say_stop_one_after_the_other() -> None:
    game = Control(size=3)
    position = played(game, "a1", "stop")
    assert game.outcome(position) is None
    assert game.offers(position) == (BLACK,)
    assert "stop" in game.words(position, WHITE)
    assert "stop" not in game.words(position, BLACK)
    assert refused(game, position, "stop", BLACK).rule == "control.already-offered"
    played_on = game.play(position, game.parse(position, "e3"))
    assert game.offers(played_on) == ()
    assert game.outcome(game.play(played_on, Move(WHITE, "stop"))) is None


def test_a_stop_without_a_side_answers_the_movers_own() -> None:
    game = Control(size=3)
    assert game.outcome(played(game, "a1", "stop", "stop")) == Outcome(WHITE, "agreed")


@each("scoring", ["empty", "territory", "territory-empty"])
@each(("texts", "winner"), [(("b1", "e3"), WHITE), (("a1", "c4"), BLACK)])
def test_an_agreed_end_goes_to_the_larger_count(
    scoring: str, texts: tuple[str, str], winner: int
) -> None:
    game = Control(size=3, scoring=scoring)
    assert game.outcome(played(game, *texts, "stop", "stop")) == Outcome(winner, "agreed")


def test_an_agreed_end_with_equal_counts_is_lost_by_the_side_to_move() -> None:
    game = Control(size=3)
    assert game.scores(played(game, "a1", "e3")) == ((1, 3), (1, 3))
    assert game.outcome(played(game, "a1", "e3", "stop", "stop")) == Outcome(BLACK, "agreed-tie")

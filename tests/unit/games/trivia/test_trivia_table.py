"""Trivia at the table: notation, refusals with their proof, words, marks and a hand's stones."""

from __future__ import annotations

import pytest
from each import each
from lumiban.games import (
    BLACK,
    WHITE,
    Game,
    IllegalMove,
    Kind,
    Move,
    Position,
    Refusal,
)
from lumiban.games.trivia import Trivia
from lumiban.table.referee import judge
from lumiban.table.types import Commit, RefereeContext, Repair, Sensed, Takeback, Verdict
from rulings import refused

GAME = Trivia(size=3)
W, B, R = Kind.WHITE, Kind.BLACK, Kind.NEUTRAL


def line(*texts: str, game: Game = GAME) -> list[Position]:
    """The positions of a game so far, the first one included."""
    positions = [game.start()]
    for text in texts:
        positions.append(game.play(positions[-1], game.parse(positions[-1], text)))
    return positions


def played(*texts: str) -> Position:
    return line(*texts)[-1]


def named(cells: tuple[int, ...]) -> set[str]:
    return {GAME.grid.name(cell) for cell in cells}


# Refusals.


@each(
    ("texts", "text", "rule", "proof"),
    [
        ((), "red a1", "trivia.first-is-white", set()),
        (("b2",), "b2", "trivia.occupied", {"b2"}),
        (("b2",), "red b2", "trivia.occupied", {"b2"}),
        (("b2", "a1", "a2"), "a3", "trivia.red-is-left", {"a1", "a2"}),
        (("b2", "red a1"), "red a2", "trivia.own-is-left", {"a1"}),
        (("b2", "c3", "red a1"), "red a2", "trivia.own-is-left", {"a1"}),
        (("b2",), "xb2", "trivia.no-lift", {"b2"}),
        (("b2",), "xa1", "trivia.empty-cell", {"a1"}),
        (("b2",), "stop", "trivia.already-offered", set()),
    ],
)
def test_the_rule_is_named_with_the_stones_that_prove_it(
    texts: tuple[str, ...], text: str, rule: str, proof: set[str]
) -> None:
    position = played(*texts)
    if rule == "trivia.already-offered":
        position = GAME.play(position, Move(BLACK, "stop"))
        assert refused(GAME, position, text, BLACK).rule == rule
        return
    refusal = refused(GAME, position, text)
    assert refusal.rule == rule
    assert named(refusal.cells) == proof


# Notation.


@each("text", ["", "red", "red d1", "z9", "a1 a2", "redc3", "pass", "a１"])
def test_what_is_no_notation_says_what_would_be(text: str) -> None:
    with pytest.raises(IllegalMove, match=r"red c3") as caught:
        GAME.parse(GAME.start(), text)
    assert caught.value.refusal is not None
    assert "\n" not in str(caught.value)


# A hand's stones.


def seen(
    positions: list[Position], changes: dict[str, int], turned: tuple[str, ...] = ()
) -> Verdict:
    """The verdict on a board that shows the last position but for some cells."""
    kinds = [int(kind) for kind in GAME.pieces(positions[-1])]
    for name, kind in changes.items():
        kinds[GAME.grid.cell(name)] = kind
    sensed = Sensed(tuple(kinds), frozenset(map(GAME.grid.cell, turned)))
    trail = RefereeContext(past=tuple(positions[:-1]), backs=(1,) if len(positions) > 1 else ())
    return judge(GAME, positions[-1], sensed, None, trail, 1_000_000)


@pytest.mark.parametrize("order", ["a1 a2 red-c3", "a1 red-c3 a2", "red-c3 a1 a2"])
def test_the_stones_of_a_turn_are_moves_in_any_order(order: str) -> None:
    positions = line("b2")
    for placed in order.split():
        name = placed.removeprefix("red-")
        verdict = seen(positions, {name: R if placed.startswith("red-") else B})
        assert isinstance(verdict, Commit)
        assert [str(move) for move in verdict.moves] == [placed.replace("-", " ")]
        positions.append(GAME.play(positions[-1], verdict.moves[0]))
    assert GAME.movers(positions[-1]) == (WHITE,)
    assert len({GAME.pieces(played("b2", "a1", "a2", "red c3")), GAME.pieces(positions[-1])}) == 1


def test_a_strong_stone_that_first_read_red_is_a_correction_of_its_move() -> None:
    verdict = seen(line("b2", "red a1"), {"a1": B}, ("a1",))
    assert isinstance(verdict, Takeback)
    assert (verdict.moves, [str(move) for move in verdict.then]) == (1, ["a1"])


@each(
    ("texts", "name", "kind"),
    [
        (("b2", "a1"), "a1", R),  # it slipped: nothing is taken for another move
        (("b2", "a1"), "a1", W),
        (("b2", "red a1", "a2"), "a1", B),  # not the last move
        (("b2", "red a1"), "a1", W),  # no move of Black's
        (("b2", "a1", "a2", "red a3"), "a3", B),  # Black's own are placed
    ],
)
def test_any_other_change_of_kind_without_a_lift_is_mended_and_no_move(
    texts: tuple[str, ...], name: str, kind: int
) -> None:
    verdict = seen(line(*texts), {name: kind}, (name,))
    assert isinstance(verdict, Repair)
    assert verdict.why == Refusal("table.kind-changed", (GAME.grid.cell(name),))

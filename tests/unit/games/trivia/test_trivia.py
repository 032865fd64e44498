"""Trivia against golden positions, a plain second implementation and the facts of its rules."""

from __future__ import annotations

import json
from collections.abc import Iterator
from functools import cache
from itertools import combinations
from typing import Any

import pytest
from hypothesis import strategies as st
from lumiban.errors import GameError
from lumiban.games import (
    BLACK,
    NEUTRAL,
    WHITE,
    Outcome,
    Position,
)
from lumiban.games.trivia import Trivia
from lumiban.search import jit
from lumiban.search.solve import solve
from places import TESTS

GOLDEN = json.loads((TESTS / "golden" / "trivia.json").read_text("utf-8"))
COLOUR = {"w": WHITE, "b": BLACK, "r": NEUTRAL}
sizes = st.integers(2, 9)
all_sizes = pytest.mark.parametrize("size", range(2, 15))
golden = pytest.mark.parametrize("entry", GOLDEN["positions"])


@cache
def trivia(size: int) -> Trivia:
    return Trivia(size=size)


def supply(game: Trivia) -> tuple[int, ...]:
    """White, black and red stones of a whole game."""
    return tuple(game.pieces_needed().counts.values())


# A second implementation, by the letter of the rules.


def schedule(size: int) -> list[tuple[int, int, int]]:
    """(side, own stones, red stones) of every turn of a game."""
    turns = [(WHITE, 1, 0)]
    left = size * size - 1
    while left > 0:
        side = 1 - turns[-1][0]
        turns.append((side, 2, 0) if left == 2 else (side, 2, 1))
        left -= 2 if left == 2 else 3
    assert left == 0
    return turns


def set_up(game: Trivia, rows: list[str], to_move: int = WHITE) -> Position:
    return game.setup(
        {
            game.grid.name(game.grid.at(q, r)): COLOUR[letter]
            for r, row in enumerate(rows)
            for q, letter in enumerate(row)
            if letter in COLOUR
        },
        to_move=to_move,
    )


# The golden positions.


@golden
def test_golden_positions_have_their_groups_and_winner(entry: dict[str, Any]) -> None:
    game = trivia(entry["size"])
    position = set_up(game, entry["rows"])
    white, black = (game.grid_view(position).sizes(side) for side in (WHITE, BLACK))
    assert list(white) == entry["groups_white"]
    assert list(black) == entry["groups_black"]
    assert game.outcome(position) == Outcome(COLOUR[entry["winner"]], "full-board")
    state = game.state(position)
    assert state.outcome() == COLOUR[entry["winner"]] + 1
    assert supply(game) == (entry["n_white"], entry["n_black"], entry["n_red"])
    stones = game.pieces(position)
    assert tuple(stones.count(kind) for kind in game.kinds) == supply(game)


# The facts of the rules.


@all_sizes
def test_the_counts_follow_from_the_size_and_always_differ(size: int) -> None:
    turns = schedule(size)
    white = sum(own for side, own, _ in turns if side == WHITE)
    black = sum(own for side, own, _ in turns if side == BLACK)
    assert supply(trivia(size)) == (white, black, sum(red for *_, red in turns))
    assert white != black


def test_nine_takes_27_white_28_black_26_red() -> None:
    assert supply(trivia(9)) == (27, 28, 26)


def boards_of_three() -> Iterator[list[int]]:
    """Every full board of 3×3: three white, four black and two red stones."""
    for white in combinations(range(9), 3):
        rest = [c for c in range(9) if c not in white]
        for red in combinations(rest, 2):
            yield [1 if c in white else 3 if c in red else 2 for c in range(9)]


def test_over_all_boards_of_3x3_white_wins_36288_orders_of_362880() -> None:
    game = trivia(3)
    orders = 6 * 24 * 2  # of the stones of each colour on a board
    won = {WHITE: 0, BLACK: 0, None: 0}
    for kinds in boards_of_three():
        stones = zip(game.grid.names, (kind - 1 for kind in kinds), strict=True)
        outcome = game.outcome(game.setup(dict(stones)))
        assert outcome is not None
        won[outcome.winner] += orders
    assert won == {WHITE: 36_288, BLACK: 326_592, None: 0}


@pytest.mark.jit
@pytest.mark.parametrize("compiled", [False, pytest.param(True, marks=pytest.mark.long)])
@pytest.mark.parametrize(("size", "winner"), [(2, BLACK), (3, WHITE)])
def test_small_boards_are_won_by_whom_they_should(size: int, winner: int, compiled: bool) -> None:
    if compiled and not jit.available():
        pytest.skip("needs numba")
    game = trivia(size)
    found = solve(game, game.start(), compiled=compiled)
    assert (found.winner, found.is_exact) == (winner, True)


# Setting up.


def test_an_impossible_position_is_refused_with_the_reason() -> None:
    game = trivia(3)
    for stones, to_move, said in [
        (
            {"a1": BLACK},
            WHITE,
            "0 white, 1 black and 0 red: this cannot happen in a game. 1 stones on the board are 1",
        ),
        (
            {"a1": WHITE, "a2": WHITE},
            BLACK,
            "2 stones on the board are 1 white, 0 black and 1 red or 1 white",
        ),
        ({"a1": WHITE}, WHITE, "With these stones it is Black's turn"),
        (
            {f"{x}{y}": NEUTRAL for x in "abc" for y in (1,)},
            WHITE,
            "3 red stones: a game of this size has only 2",
        ),
        ({"a1": 3}, WHITE, r"on a1 stands 0 \(White\), 1 \(Black\) or 2, not 3"),
        ({"d4": WHITE}, BLACK, "no cell 'd4'"),
        ({"a1": WHITE}, 2, r"to_move is 0 \(White\) or 1 \(Black\), not 2"),
    ]:
        with pytest.raises(GameError, match=said):
            game.setup(stones, to_move=to_move)
    with pytest.raises(GameError, match="not left"):
        game.setup({}, left=2)

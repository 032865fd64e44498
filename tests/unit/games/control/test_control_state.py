"""Control's kernel: what it keeps up to date is what a recount finds, on any way to a position."""

from __future__ import annotations

from functools import cache

import pytest
from lumiban.games import Outcome
from lumiban.games.control import Control
from lumiban.games.control.kernel import STONE
from lumiban.search.perft import perft


@cache
def control(**options: int | str) -> Control:
    return Control(**options)


@pytest.mark.parametrize(
    ("size", "nodes"),
    [(3, [12, 174, 2274, 24024]), (5, [24, 1350, 72894])],
)
def test_perft_counts_the_known_numbers(size: int, nodes: list[int]) -> None:
    assert perft(control(size=size), len(nodes), compiled=False) == nodes


def test_the_cycle_of_the_answers_comes_round_after_five_stones() -> None:
    """Three are set and taken away again, as docs/answers says."""
    game = control(size=3, sees="sight")
    position = game.start()
    for text in ["e1", "b1", "c1", "d4", "c5", "e2", "c4", "c2", "xe2", "xc4", "xc2"]:
        assert game.outcome(position) is None
        position = game.play(position, game.parse(position, text))
    assert game.outcome(position) == Outcome(None, "repetition")


def test_want_of_room_for_positions_is_an_error_and_no_result() -> None:
    game = control(size=3, sees="sight")
    state = game.state(game.start())
    out = [0] * game.capacity[0]
    small = state._replace(board=state.board[: STONE + 2 * 19 + 4])
    for _ in range(3):
        small.moves(out)
        small.play(out[0])
    assert small.outcome() == -1
    small.moves(out)
    small.play(out[0])
    assert small.outcome() == -2
    assert small.moves(out) == 0

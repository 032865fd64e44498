"""Control's kernel: what it keeps up to date is what a recount finds, on any way to a position."""

from __future__ import annotations

from functools import cache

import pytest
from lumiban.games import BLACK, WHITE, Outcome
from lumiban.games.control import Control
from lumiban.games.control.kernel import ROOM, STONE


@cache
def control(**options: int | str) -> Control:
    return Control(**options)


# Perft, from the definition.


def perft(game: Control, depth: int) -> list[int]:
    """Numbers of move sequences of each length up to `depth`."""
    states = [game.state(game.start()) for _ in range(depth)]
    outs = [[0] * game.capacity[0] for _ in range(depth)]
    nodes = [0] * depth

    def walk(level: int) -> None:
        count = states[level].moves(outs[level])
        nodes[level] += count
        if level + 1 < depth:
            for move in outs[level][:count]:
                states[level + 1].assign(states[level])
                states[level + 1].play(move)
                walk(level + 1)

    walk(0)
    return nodes


@pytest.mark.parametrize(
    ("size", "nodes"),
    [(3, [12, 174, 2274, 24024]), (5, [24, 1350, 72894])],
)
def test_perft_counts_the_known_numbers(size: int, nodes: list[int]) -> None:
    assert perft(control(size=size), len(nodes)) == nodes


# Sight.

CYCLE = (
    *("e1", "b4", "a3", "c2", "xb4", "c1", "d2", "b2", "e2", "d1", "c3", "a1", "b4", "a2", "d3"),
    *("d4", "e3", "b3", "xd4", "xc3", "xb3", "c4", "b3", "c3", "xc4", "xb3", "xc3"),
)
"""Found by a depth-first search: the six last moves lead back to where they began."""


def test_under_sight_the_stones_can_come_round_and_that_is_a_draw() -> None:
    game = control(size=3, sees="sight")
    position = game.start()
    boards = []
    for text in CYCLE:
        assert game.outcome(position) is None
        boards.append((game.pieces(position), game.movers(position)))
        position = game.play(position, game.parse(position, text))
    assert game.outcome(position) == Outcome(None, "repetition")
    assert game.movers(position) == ()
    assert game.moves(position, WHITE) == []
    assert boards.count((game.pieces(position), (BLACK,))) == 1
    assert boards.index((game.pieces(position), (BLACK,))) == len(CYCLE) - 6


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


def test_a_game_under_sight_always_has_room_for_a_playout() -> None:
    game = control(size=5, sees="sight")
    rng, trace = [3], [0] * (game.capacity[1] + 1)
    longest = 0
    for _ in range(30):
        trace[0] = 0
        assert game.state(game.start()).playout(rng, trace) in (0, 1, 2)
        longest = max(longest, trace[0])
    assert longest < ROOM // 4


# The compiled path.

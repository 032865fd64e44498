"""The solver: known winners, agreement with plain minimax, bounds."""

from __future__ import annotations

from functools import cache

import pytest
from lumiban import games
from lumiban.errors import GameError
from lumiban.games.base import BLACK, WHITE, Game, Position
from lumiban.search import jit
from lumiban.search.solve import exact_keys, solve

needs_numba = pytest.mark.skipif(not jit.available(), reason="numba is not installed")


def openings(game: Game) -> dict[str, Position]:
    start = game.start()
    return {move.text: game.play(start, move) for move in game.moves(start, WHITE)}


@pytest.mark.jit
@pytest.mark.parametrize("compiled", [False, pytest.param(True, marks=needs_numba)])
def test_control_of_side_2_is_whites(compiled: bool) -> None:
    game = games.load("control", size=2)
    found = solve(game, game.start(), compiled=compiled)
    assert (found.winner, found.is_exact) == (WHITE, True)
    assert found.best is not None
    assert solve(game, game.play(game.start(), found.best), compiled=compiled).winner == WHITE


@pytest.mark.jit
@needs_numba
def test_control_of_side_3_is_blacks_against_all_twelve_openings() -> None:
    game = games.load("control", size=3)
    found = {text: solve(game, position) for text, position in openings(game).items()}
    assert len(found) == 12
    assert {solved.winner for solved in found.values()} == {BLACK}
    assert all(solved.is_exact for solved in found.values())


def test_every_position_of_side_2_is_worth_what_minimax_says() -> None:
    game = games.load("control", size=2)

    @cache
    def winner(position: Position) -> int:
        outcome = game.outcome(position)
        if outcome is not None:
            assert outcome.winner is not None
            return outcome.winner
        mover = game.movers(position)[0]
        after = {winner(game.play(position, move)) for move in game.moves(position, mover)}
        return mover if mover in after else 1 - mover

    seen = {game.start()}
    level = [game.start()]
    for _ in range(3):
        level = [
            game.play(position, move)
            for position in level
            for side in game.movers(position)
            for move in game.moves(position, side)
        ]
        seen.update(level)
    for position in sorted(seen, key=lambda p: p.state)[::7]:
        found = solve(game, position, compiled=False)
        assert found.winner == winner(position)
        if found.best is not None:
            assert winner(game.play(position, found.best)) == found.winner


def test_keys_of_small_boards_rest_on_no_hash() -> None:
    for size in (2, 3):
        assert exact_keys(games.load("control", size=size).zobrist_keys)
    assert not exact_keys(games.load("control", size=5).zobrist_keys)


def test_a_game_that_is_over_is_not_searched() -> None:
    game = games.load("control", size=2)
    over = game.play(game.start(), game.parse(game.start(), "resign"))
    found = solve(game, over)
    assert (found.winner, found.nodes, found.best) == (BLACK, 0, None)


def test_games_in_which_positions_come_again_are_refused() -> None:
    game = games.load("control", size=2, sees="sight")
    with pytest.raises(GameError, match="come again"):
        solve(game, game.start())


def test_solving_tells_its_progress_and_can_be_stopped() -> None:
    game = games.load("control", size=3)
    told: list[int] = []
    with pytest.raises(GameError, match="stopped"):
        solve(
            game,
            openings(game)["a1"],
            lambda positions, done, of: told.append(positions),
            compiled=False,
            stop=lambda: len(told) == 5,
        )
    assert len(told) == 5
    assert told == sorted(told)

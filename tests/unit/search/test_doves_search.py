"""Tokyo Doves' alpha-beta: the same as a search without memory, plain as compiled; its bot."""

from __future__ import annotations

from functools import cache
from typing import Any

import doves_plainly as plainly
import pytest
from lumiban.games import Move, Position
from lumiban.games.doves import Doves
from lumiban.search import jit
from lumiban.search.doves.alphabeta import SURE, WEIGHTS, WIN_SCORE
from lumiban.search.doves.bot import DovesEngine, Search, taste, think_doves
from lumiban.search.engine import Question

pytestmark = pytest.mark.jit


needs_numba = pytest.mark.skipif(not jit.available(), reason="numba is not installed")

RULES: tuple[dict[str, str], ...] = (
    {},
    {"repetition": "normal", "initial": "allowed"},
    {"repetition": "weak"},
    {"repetition": "off", "both": "draw"},
    {"remove": "off", "both": "mover-wins"},
)


@cache
def doves(**options: str) -> Doves:
    return Doves(**options)


def searched(game: Doves, position: Any, depth: int, **more: Any) -> Search:
    search = Search(game, position, deepest=depth, **more)
    search.go_on(1 << 40)
    return search


@pytest.mark.parametrize("rules", RULES, ids=str)
@pytest.mark.parametrize(
    ("seed", "plies", "depth"),
    [pytest.param(1, 4, 2, marks=pytest.mark.long), (2, 11, 2), (5, 18, 2), (8, 9, 1)],
)
def test_alpha_beta_finds_what_minimax_finds(
    rules: dict[str, str], seed: int, plies: int, depth: int
) -> None:
    game = doves(**rules)
    position = plainly.wander(game, seed, plies)
    if position is None:
        position = game.start()
    search = searched(game, position, depth)
    wanted = plainly.minimax(plainly.start_of(game, position), search.depth)
    assert search.score == wanted
    assert search.depth == depth or abs(search.score) > SURE


@needs_numba
@pytest.mark.parametrize("rules", RULES, ids=str)
@pytest.mark.parametrize(("seed", "plies"), [(1, 0), (1, 4), (2, 11), (9, 17), (14, 26)])
def test_what_is_remembered_changes_no_score(rules: dict[str, str], seed: int, plies: int) -> None:
    game = doves(**rules)
    position = plainly.wander(game, seed, plies) or game.start()
    full, bare = (searched(game, position, 5, table_bits=bits) for bits in (17, 0))
    assert (full.score, full.depth) == (bare.score, bare.depth)


def test_however_a_search_is_sliced_it_finds_the_same() -> None:
    game = doves()
    position = plainly.wander(game, 9, 14) or game.start()
    whole, sliced = Search(game, position, 3), Search(game, position, 3)
    whole.go_on(900)
    for _ in range(90):
        sliced.go_on(10)
    assert whole.nodes == sliced.nodes == 900
    assert (whole.line, whole.score, whole.depth) == (sliced.line, sliced.score, sliced.depth)


def test_the_expected_line_is_legal_to_its_end() -> None:
    game = doves()
    for seed in range(6):
        position = plainly.wander(game, seed, 12)
        if position is None:
            continue
        for move in searched(game, position, 3).moves():
            position = game.play(position, move)


def test_a_win_in_three_is_seen_and_certain() -> None:
    game = doves()
    position = game.setup(board="amt/HA./b.M/TBY", to_move="red")
    thought = think_doves(game, position, 1, nodes=4_000, longest_us=None)
    assert (thought.move.text, thought.value, thought.is_proven) == ("YE2", 1.0, True)
    assert searched(game, position, 4).score == WIN_SCORE - 3


def test_a_bot_does_not_always_play_the_same_game() -> None:
    """Sixteen games of one level against itself were one and the same before."""
    game = Doves()
    moves = [
        think_doves(game, game.start(), seed, nodes=300, longest_us=None, compiled=False).move
        for seed in range(6)
    ]
    assert len(set(moves)) > 1
    for seed in range(40):
        for own, base in zip(taste(seed), WEIGHTS, strict=True):
            assert abs(own - base) <= abs(base) / 8 + 0.5


def test_a_stop_ends_the_thought_with_a_move() -> None:
    game = doves()
    position = plainly.wander(game, 9, 14) or game.start()
    heard = 0

    def stop() -> bool:
        nonlocal heard
        heard += 1
        return heard > 3

    thought = think_doves(game, position, 1, nodes=1 << 30, longest_us=None, stop=stop)
    assert game.why_not(position, thought.move.side, thought.move) is None
    assert heard <= 8


def test_no_more_nodes_are_spent_than_allowed() -> None:
    game = doves()
    thought = think_doves(game, game.start(), 1, nodes=500, longest_us=None)
    assert thought.playouts == 500


def test_games_of_few_playouts_do_not_all_follow_one_line() -> None:
    game = Doves()
    engine = DovesEngine(game)
    strong = engine.level("strong")

    def thought(position: Position, seed: int, playouts: int) -> Move:
        asked = Question(position, strong, seed, playouts=playouts, compiled=False)
        return engine.search_move(asked, None).move

    openings = {thought(game.start(), seed, 5).text for seed in range(40)}
    assert len(openings) > 10
    assert thought(game.start(), 7, 5) == thought(game.start(), 7, 5)
    # What was set up is thought about, however few the playouts.
    other = game.setup(board="..t/.MB/HYb/Thy", to_move="red")
    searched = think_doves(game, other, 1, nodes=100, longest_us=None, compiled=False)
    assert thought(other, 1, 5) == searched.move

"""Trivia's kernel: what it keeps is what a recount finds; compiled games are the plain ones."""

from __future__ import annotations

import random
from collections import Counter
from functools import cache

from hypothesis import given, settings
from hypothesis import strategies as st
from lumiban.games.trivia import Trivia, TriviaState
from lumiban.games.trivia.kernel import STONE
from lumiban.search.solve import exact_keys
from thorough import examples

law = settings(max_examples=examples(30))
seeds = st.integers(0, 10**9)


on_hexagons = st.integers(-8, -2)
"""Sides of hexagons, told by negative sizes."""


@cache
def trivia(size: int) -> Trivia:
    return Trivia(size=size) if size > 0 else Trivia(cells="hexagons", size=-size)


def test_playouts_draw_turns_evenly() -> None:
    game = trivia(3)
    position = game.play(game.start(), game.parse(game.start(), "b2"))
    root, state = game.state(position), game.state(position)
    rng, trace = [5], [0] * 10
    seen: Counter[tuple[frozenset[int], int]] = Counter()
    expected, turns = 20, 168
    for _ in range(expected * turns):
        state.assign(root)
        trace[0] = 0
        state.playout(rng, trace)
        seen[frozenset(trace[1:3]), trace[3]] += 1
    assert len(seen) == turns
    # Pearson's sum has the mean of its degrees of freedom, and twice that for a variance.
    free = turns - 1
    chi = sum((n - expected) ** 2 / expected for n in seen.values())
    assert abs(chi - free) < 4 * (2 * free) ** 0.5


def test_the_searchs_random_games_draw_stones_of_a_colour_together() -> None:
    game = trivia(9)
    trace = [0] * 83

    def pairs(state: TriviaState, seed: int) -> int:
        """How many pairs of neighbours in the final position are of one player's colour."""
        trace[0] = 0
        state.playout([seed], trace)
        stones = state.board[STONE : STONE + 81]
        steps = enumerate(game.grid.neighbours)
        return sum(stones[c] == stones[j] != 3 for c, near in steps for j in near) // 2

    even = sum(pairs(game.state(game.start()), seed) for seed in range(40))
    drawn = sum(pairs(game.search_state(game.start()), seed) for seed in range(40))
    assert drawn > 1.2 * even


def test_the_search_plays_own_stones_first_and_leaves_no_turn_out() -> None:
    game = trivia(3)
    position = game.play(game.start(), game.parse(game.start(), "b2"))

    def turns(state: TriviaState, made: tuple[int, ...]) -> set[frozenset[int]]:
        if len(made) == 3:
            return {frozenset(made)}
        out = [0] * 19
        found: set[frozenset[int]] = set()
        for move in out[: state.moves(out)]:
            after = TriviaState(*(list(part) for part in state))
            after.play(move)
            found |= turns(after, (*made, move))
        return found

    searched = turns(game.search_state(position), ())
    assert searched == turns(game.state(position), ())
    out = [0] * 19
    assert game.search_state(position).moves(out) == 8
    assert game.state(position).moves(out) == 16


@given(st.integers(2, 14) | on_hexagons, seeds)
@law
def test_a_key_is_made_of_the_numbers_that_the_game_names(size: int, seed: int) -> None:
    game = trivia(size)
    rng = random.Random(seed)
    position = game.start()
    for _ in range(rng.randrange(len(game.grid))):
        position = game.play(position, rng.choice(game.moves(position, game.movers(position)[0])))
    key = 0
    for cell, kind in enumerate(game.pieces(position)):
        if kind:
            key ^= game.zobrist_keys[(kind - 1) * len(game.grid) + cell]
    assert game.state(position).key() == key
    assert len(game.zobrist_keys) == 3 * len(game.grid)


def test_keys_of_small_boards_rest_on_no_hash() -> None:
    assert exact_keys(trivia(2).zobrist_keys)
    assert exact_keys(trivia(3).zobrist_keys)

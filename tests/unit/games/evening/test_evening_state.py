"""Evening's kernel: what it keeps up to date is what a recount finds; playouts, search, solver."""

from __future__ import annotations

import random
from functools import cache
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from lumiban.games import BLACK, WHITE, Position
from lumiban.games.evening import Evening, EveningState
from lumiban.search import jit
from lumiban.search.perft import perft
from lumiban.search.solve import exact_keys, solve
from lumiban.search.uct import Uct
from thorough import examples

law = settings(max_examples=examples(40))
seeds = st.integers(0, 10**9)
needs_numba = pytest.mark.skipif(not jit.available(), reason="numba is not installed")
looks = {
    "sees": st.sampled_from(["groups", "adjacent", "sight"]),
    "wins": st.sampled_from(["cascade", "stones"]),
    "tie": st.sampled_from(["even", "odd-even"]),
    "turns": st.sampled_from(["turnless", "trailing"]),
}
rule_sets = st.fixed_dictionaries({"size": st.integers(2, 6), **looks})


@cache
def evening(**options: int | str) -> Evening:
    return Evening(**options)


def some_way(game: Evening, seed: int, plies: int) -> tuple[Position, EveningState]:
    """A position some plies on, stands included, and the State that was played along."""
    rng = random.Random(seed)
    position = game.start()
    state = game.state(position)
    for _ in range(plies):
        moves = [m for side in game.movers(position) for m in game.moves(position, side)]
        if game.turnless and position.history:
            sides = [s for s in (WHITE, BLACK) if s not in game.declined_to_move(position)]
            moves += [game.parse(position, "stand", side) for side in sides]
        if not moves or game.outcome(position) is not None:
            break
        move = rng.choice(moves)
        position = game.play(position, move)
        state.play(2 * len(game.grid) + move.side if move.is_word else move.code)
    return position, state


@given(rule_sets, seeds, st.integers(0, 60))
@law
def test_a_key_is_made_of_the_numbers_that_the_game_names(
    options: dict[str, Any], seed: int, plies: int
) -> None:
    game = evening(**options)
    position, state = some_way(game, seed, plies)
    numbers, cells = game.zobrist_keys, len(game.grid)
    key = 0
    for cell, stone in enumerate(game.stones(position)):
        if stone:
            key ^= numbers[cell if stone > 0 else cells + cell]
    for side in (WHITE, BLACK):
        if position.state[-1] >> side & 1:
            key ^= numbers[2 * cells + side]
    assert state.key() == game.state(position).key() == key


@pytest.mark.parametrize("size", [5, 6])
def test_random_moves_are_spread_evenly_over_all_of_them(size: int) -> None:
    game = evening(size=size, turns="trailing")
    position, root = some_way(game, 8, 15)
    state = game.state(position)
    out = [0] * game.capacity[0]
    listed = out[: root.moves(out)]
    assert len(listed) > 3
    seen = dict.fromkeys(listed, 0)
    rng, trace, expected = [size], [0] * (game.capacity[1] + 2), 30
    for _ in range(expected * len(listed)):
        state.assign(root)
        trace[0] = 0
        state.playout(rng, trace)
        seen[trace[1]] += 1
    # Pearson's sum has the mean of its degrees of freedom, and twice that for a variance.
    free = len(listed) - 1
    chi = sum((n - expected) ** 2 / expected for n in seen.values())
    assert abs(chi - free) < 4 * (2 * free) ** 0.5


# Counting and solving.


@pytest.mark.jit
@pytest.mark.parametrize("compiled", [False, pytest.param(True, marks=needs_numba)])
def test_perft_counts_the_known_numbers(compiled: bool) -> None:
    game = evening(turns="trailing", tie="odd-even", size=3)
    assert perft(game, 6, compiled=compiled) == [19, 84, 174, 792, 2292, 10248]


@pytest.mark.jit
@pytest.mark.parametrize("size", [2, 3])
@pytest.mark.parametrize(
    "compiled", [False, pytest.param(True, marks=[needs_numba, pytest.mark.long])]
)
def test_the_trailing_form_by_odd_and_even_is_whites(size: int, compiled: bool) -> None:
    game = evening(turns="trailing", tie="odd-even", size=size)
    found = solve(game, game.start(), compiled=compiled)
    assert (found.winner, found.is_exact) == (WHITE, True)
    assert found.best is not None


def test_the_keys_of_small_boards_tell_all_positions_apart() -> None:
    assert exact_keys(evening(size=3, turns="trailing").zobrist_keys)
    assert exact_keys(evening(size=3).zobrist_keys)


# The compiled path.


@pytest.mark.jit
@needs_numba
@pytest.mark.parametrize("turns", ["turnless", "trailing"])
def test_compiled_thinking_is_the_plain_one(turns: str) -> None:
    game = evening(size=4, turns=turns)
    position, _ = some_way(game, 5, 6)
    plain, compiled = (Uct(game, position, 3, 300, c) for c in (False, True))
    plain.grow(300)
    compiled.grow(300)
    assert compiled.compiled
    assert list(plain.tree.visits) == list(compiled.tree.visits)
    assert list(plain.tree.move) == list(compiled.tree.move)

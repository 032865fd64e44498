"""Rengi's State: the same rules as the Position, playouts, keys, and the compiled text."""

from __future__ import annotations

import random
from functools import cache
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from lumiban.games.kernel import play_out
from lumiban.games.rengi import Rengi
from lumiban.games.rengi.arrays import FACED, FACES
from lumiban.games.rengi.options import MODES
from lumiban.search import jit
from lumiban.search.bot import think
from lumiban.search.perft import perft
from thorough import examples

needs_numba = pytest.mark.skipif(not jit.available(), reason="numba is not installed")
law = settings(max_examples=examples(25))
seeds = st.integers(0, 10**9)
rule_sets = st.fixed_dictionaries(
    {
        "mode": st.sampled_from(MODES),
        "ojama_unit": st.sampled_from(["by-mode", "1", "6", "mixed"]),
        "interrupt": st.sampled_from(["on", "off"]),
        "normal_pass": st.sampled_from(["on", "off"]),
        "wall_cross": st.sampled_from([1, 2, 3]),
        "otsuri": st.sampled_from(["on", "off"]),
    }
)


@cache
def rengi(options: tuple[tuple[str, Any], ...]) -> Rengi:
    return Rengi(**dict(options))


@given(seeds)
@law
def test_keys_tell_positions_apart_but_not_how_they_came(seed: int) -> None:
    game = rengi((("mode", "free"),))
    rng = random.Random(seed)
    one, other = game.start(), game.start()
    mine = [f"{rng.choice(('RB', 'YG'))}{column}.0" for column in (1, 2, 4)]
    yours = [f"{rng.choice(('BY', 'GR'))}{column}.0" for column in (3, 5, 6)]
    for first, second in zip(mine, yours, strict=True):
        for text in (first, second):
            one = game.play(one, game.parse(one, text))
    for first, second in zip(mine[::-1], yours[::-1], strict=True):
        for text in (first, second):
            assert game.state(one).key() != game.state(other).key()
            other = game.play(other, game.parse(other, text))
    assert game.state(one).key() == game.state(other).key()


def test_a_state_without_room_to_remember_says_so() -> None:
    game = rengi((("mode", "free"), ("normal_pass", "on"), ("pass_draw", 10)))
    state = game.state(game.start())
    state.board[FACED] = len(state.board) - FACES
    state.play(game.parse(game.start(), "RB1.0").code)
    assert state.outcome() == -2


@pytest.mark.slow
@pytest.mark.parametrize("mode", MODES)
def test_a_bot_answers_in_every_mode_with_few_playouts(mode: str) -> None:
    game = Rengi(mode=mode)
    position = game.start(2)
    for number in range(3):
        side = game.movers(position)[0]
        seen = game.view(position, side)
        thought = think(game, seen, "easy", number, playouts=3, compiled=False)
        move = game.parse(position, str(thought.move))
        assert game.why_not(position, side, move) is None
        position = game.play(position, move)


@pytest.mark.slow
def test_a_bot_fires_a_long_chain_that_stands_ready() -> None:
    """The opponent's field is nearly full; three or four steps are enough."""
    ready = (
        "....../.R.R../.R.GB./.R.GB./.Y.GR./.B.RB./.R.YG./.Y.RG./.B.YG./.G.RY./.B.RY./.BYRY./.BYYG."
    )
    high = "/".join(
        ["......"] * 3 + ["YG.GYR", "BYRYBR", "GBBBYG"] + ["RYGRBY", "YBRBGR"] * 3 + ["GRYGRB"]
    )
    game = Rengi(mode="open", list="BY,RG,BY,RG")
    position = game.setup(fields=(ready, high))
    thought = think(game, position, "medium", 1, playouts=150, compiled=False)
    chain = game.chain(position, thought.move)
    assert len(chain.steps) >= 3


@pytest.mark.jit
@needs_numba
@given(rule_sets, seeds)
@settings(max_examples=6)
def test_compiled_games_are_the_plain_ones(options: dict[str, Any], seed: int) -> None:
    game = rengi(tuple(options.items()))
    runs = []
    for compiled in (False, True):
        root, state = (game.state(game.start(seed)) for _ in "12")
        trace: Any = [0] * (game.capacity[1] + 2)
        rng: Any = [seed]
        run: Any = play_out
        if compiled:
            assert jit.fits(root)  # by the library that all tests share
            run = jit.compiled(play_out, type(root))
            root, state = jit.compiled_state(root), jit.compiled_state(state)
            trace, rng = jit.ints(trace), jit.ints(rng)
        moves = int(run(root, state, rng, trace, 3))
        used = FACES + int(state.board[FACED])
        runs.append((moves, list(trace)[: int(trace[0]) + 1], list(rng), list(state.board[:used])))
    assert runs[0] == runs[1]


@pytest.mark.jit
@needs_numba
def test_compiled_perft_counts_like_the_plain_one() -> None:
    """Passes and positions faced included: moves, plays and keys are the compiled ones."""
    game = Rengi(mode="shodai")
    position = game.start(1)
    assert perft(game, 3, position=position) == perft(game, 3, position=position, compiled=False)

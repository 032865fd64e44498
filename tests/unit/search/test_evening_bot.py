"""Evening's bot in free play: whether it stands."""

from __future__ import annotations

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from lumiban.games.base import Position
from lumiban.games.evening import Evening
from lumiban.search.bot import think
from lumiban.search.solve import solve
from thorough import examples


def at_random(seed: int, size: int, stones: int) -> tuple[Evening, Position]:
    """A turnless game after so many stones of the trailing form, by chance."""
    game = Evening(size=size)
    form = game.with_turns()
    assert form is not None
    chance = random.Random(seed)
    position = form.start()
    for _ in range(stones):
        moves = [m for side in form.movers(position) for m in form.moves(position, side)]
        if not moves:
            break
        position = form.play(position, chance.choice(moves))
    return game, game.position(form.stones(position))


def winner(game: Evening, position: Position) -> int | None:
    """Who wins if who trails places in turn, by the solver."""
    form = game.with_turns()
    assert form is not None
    return solve(form, form.position(game.stones(position)), compiled=False).winner


@settings(max_examples=examples(40))
@given(st.integers(0, 1 << 30), st.integers(2, 3), st.integers(1, 9), st.sampled_from([1, 20, 200]))
def test_who_trails_never_stands_while_a_stone_would_win(
    seed: int, size: int, stones: int, playouts: int
) -> None:
    """The other side stands; however little a bot has thought, it goes on if that is worth it."""
    game, position = at_random(seed, size, stones if size == 3 else min(stones, 4))
    leads = game.leader(position)
    position = game.play(position, game.parse(position, "stand", leads)) if (
        "stand" in game.words(position, leads)
    ) else position  # fmt: skip
    asked = None if game.outcome(position) else game.bot_position(position, 1 - leads)
    if asked is None:
        return
    thought = think(*asked, "strong", seed, playouts=playouts, compiled=False)
    if thought.move.is_word:
        assert winner(game, position) == leads


@pytest.mark.slow
@settings(max_examples=examples(12))
@given(st.integers(0, 1 << 30), st.integers(3, 8))
def test_who_leads_gives_no_won_game_away_by_a_stone_or_by_none(seed: int, stones: int) -> None:
    game, position = at_random(seed, 3, stones)
    leads = game.leader(position)
    asked = None if game.outcome(position) else game.bot_position(position, leads)
    if asked is None or asked[0].button_word(asked[1], leads) is None:
        return
    thought = think(*asked, "strong", seed, playouts=1_000, compiled=False)
    if winner(game, position) != leads:
        return
    if not thought.move.is_word:
        after = game.play(position, game.parse(position, thought.move.text))
        assert winner(game, after) == leads

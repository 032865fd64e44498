"""Laws that every game of Rengi keeps, whatever its mode and options."""

from __future__ import annotations

import random
from collections.abc import Iterator

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from lumiban.games.base import Move, Position
from lumiban.games.rengi import Rengi
from lumiban.games.rengi.kernel import Event
from lumiban.games.rengi.options import MODES
from rengi_at_random import random_options, unripe
from rengi_by_the_paper import to_text
from thorough import examples

law = settings(max_examples=examples(12))
modes = st.sampled_from(MODES)
seeds = st.integers(0, 10**9)
Ply = tuple[Position, Move, tuple[Event, ...], Position]
MAX_PLIES = 600


def begun(mode: str, seed: int, **fixed: int) -> tuple[Rengi, Position, random.Random]:
    """A game with random options, half of them with long chains and ojama about to come."""
    rng = random.Random(seed)
    game = Rengi(**random_options(rng, mode) | fixed)
    position = game.start(seed)
    if seed % 2:
        position = game.setup(
            to_move=game.movers(position)[0],
            fields=[to_text(unripe(rng)) for _ in "12"],
            waiting=[rng.choice((0, 7, 45)) for _ in "12"],
            seed=seed,
        )
    return game, position, rng


def plies(game: Rengi, position: Position, rng: random.Random) -> Iterator[Ply]:
    """A game played at random, hands that fire liked better, to its end."""
    for _ in range(MAX_PLIES):
        if game.outcome(position) is not None:
            return
        listed = game.moves(position, game.movers(position)[0])
        some = rng.sample(listed, min(len(listed), 4))
        move = max(some, key=lambda move: len(game.chain(position, move).steps))
        after = game.play(position, move)
        yield position, move, game.story(position, move), after
        position = after


@law
@given(modes, seeds)
def test_no_more_than_the_cap_falls_between_two_hands(mode: str, seed: int) -> None:
    game, position, rng = begun(mode, seed, cap_rows=1, rate=4, komi=0)
    fallen = [0, 0]
    for _, move, story, _ in plies(game, position, rng):
        fallen[move.side] = 0
        for event in story:
            if event.kind == "fell":
                fallen[event.side] += event.ojama
        assert max(fallen) <= 6 * game.rule("cap_rows"), position.history


@pytest.mark.slow
@law
@given(modes.filter(lambda mode: "free" not in mode), seeds)
def test_both_players_read_the_same_list(mode: str, seed: int) -> None:
    game = Rengi(mode=mode)
    position = game.start(seed)
    read: tuple[list[str], list[str]] = ([], [])
    for _, move, _, _ in plies(game, position, random.Random(seed)):
        if move.text != "pass":
            read[move.side].append(move.text[:2])
    shorter = min(map(len, read))
    assert shorter > 5
    assert read[0][:shorter] == read[1][:shorter]
    loop = game.rule("loop")
    for pairs in read:
        assert pairs[loop:] == pairs[: max(0, len(pairs) - loop)]

"""Analysis of Rengi: values by the duel, chains named with what they send, slices of any size."""

from __future__ import annotations

from typing import Any

import pytest
from lumiban.games.rengi.arrays import MOVER
from lumiban.search import jit
from lumiban.search.analysis import Analysis, analyse, looking_at
from lumiban.search.anytime_analysis import Variation
from lumiban.search.rengi.bot import RengiLooking
from rengi_positions import facing, field_of, ready, rengi, with_pair_first

needs_numba = pytest.mark.skipif(not jit.available(), reason="numba is not installed")


def analysed(game: Any, position: Any, budget: int, **more: Any) -> Analysis:
    view = game.view(position, position.state[MOVER])
    more = {"compiled": False, "seed": 2, **more}
    return analyse(game, view, budget=budget, **more)


def said(line: Variation) -> dict[str, dict[str, Any]]:
    return {word.what: dict(word.params) for word in line.does}


def killing() -> tuple[Any, Any]:
    """A field ready for six steps against one that has room for little more."""
    mine, colour, _ = ready(6)
    game = rengi("open", list=with_pair_first(colour))
    theirs = field_of("O.....", *["OOOOOO"] * 10)
    return game, game.setup(fields=(mine, theirs), to_move="first")


@pytest.mark.jit
@needs_numba
def test_a_chain_that_kills_comes_first_with_its_steps_and_ojama() -> None:
    game, position = killing()
    best = analysed(game, position, 30_000, compiled=True).lines[0]
    chain = game.chain(position, best.move)
    fires = said(best)["rengi.fires"]
    assert (fires["n"], fires["ojama"]) == (len(chain.steps), chain.ojama)
    assert len(chain.steps) >= 5
    assert best.value > 0.8


@pytest.mark.jit
@needs_numba
def test_values_come_from_the_duel_best_first_and_lines_can_be_played() -> None:
    game, position, _ = facing(3, 6)
    found = analysed(game, position, 30_000, top=9, compiled=True)
    values = [line.value for line in found.lines]
    assert values == sorted(values, reverse=True)
    assert all(0.0 <= value <= 1.0 for value in values)
    assert found.unit == "positions"
    for line in found.lines:
        now = position
        for move in line.moves:
            assert game.why_not(now, move.side, move) is None
            now = game.play(now, move)


@pytest.mark.jit
@needs_numba
def test_a_chain_expected_of_the_other_side_is_named() -> None:
    """Whatever the first player does, the second one has six steps ready."""
    game, position, _ = facing(3, 6)
    words = [said(line) for line in analysed(game, position, 60_000, compiled=True).lines]
    assert any(word.get("rengi.lets", {"n": 0})["n"] >= 5 for word in words)


@pytest.mark.jit
@needs_numba
def test_a_hand_that_builds_names_a_chain_that_can_be_fired_as_it_says() -> None:
    game = rengi("open")
    position = game.start(3)
    looking = looking_at(game, game.view(position, 0), 1, 60_000)
    assert isinstance(looking, RengiLooking)
    looking.grow(60_000)
    aimed = [one.aim for one in looking.judged if one.aim is not None]
    told = [said(line)["rengi.leads"] for line in looking.lines(50)]
    assert len(aimed) == len(told) == len(looking.judged) > 5
    assert [(aim.steps, len(aim.hands)) for aim in aimed] == [
        (word["n"], word["hands"]) for word in told
    ]
    for aim in aimed:
        now, steps = position, 0
        hands = list(aim.hands)
        while hands:
            move = game.move_of(now, hands[0])
            if now.state[MOVER] == 0:
                steps = len(game.chain(now, move).steps)
                hands.pop(0)
            else:
                # What the other side does meanwhile is of no matter, as long as it fires nothing.
                quiet = (m for m in game.moves(now, 1) if not game.chain(now, m).steps)
                move = next(quiet)
            now = game.play(now, move)
        assert steps == aim.steps

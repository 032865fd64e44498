"""Tokyo Doves' bans and claims: the start, repetitions, turned positions, what is undone."""

from __future__ import annotations

from dataclasses import replace

import pytest
from doves_lines import played, refusal_of, refused
from lumiban.games.doves import Doves
from lumiban.games.doves.game import GREEN, RED

ROUND = ("+AE1", "+aN2W1", "-A", "-a")
"""Back to the start after four actions; the third brings Green nothing seen before."""


@pytest.mark.parametrize("repetition", ["normal", "strong"])
def test_strong_bars_turned_positions_that_normal_allows(repetition: str) -> None:
    game = Doves(repetition=repetition, initial="allowed")
    position = played(game, game.start(), "BE1")
    # Red faced the bosses side by side; now Green would make it so, turned.
    assert refusal_of(game, position, "bW1") == (
        "doves.faced-turned" if repetition == "strong" else None
    )
    same = "doves.faced" if repetition == "normal" else "doves.faced-turned"
    assert refusal_of(game, position, "bN1") == same


def test_a_claim_undoes_the_action_and_bars_it_for_this_turn() -> None:
    game = Doves(repetition="weak", initial="allowed")
    before = played(game, game.start(), *ROUND[:3])
    assert game.words(before, GREEN) == ("resign",)
    position = played(game, before, "-a")
    assert game.words(position, RED) == ("claim", "resign")
    assert game.words(position, GREEN) == ("resign",)
    claimed = played(game, position, "claim")
    assert game.board_text(claimed) == game.board_text(before)
    assert game.movers(claimed) == (GREEN,)
    assert refused(game, claimed, "-a")[0] == "barred"
    barred = {move.text for move in game.moves(before, GREEN)} - {
        move.text for move in game.moves(claimed, GREEN)
    }
    assert barred == {"-a"}
    assert refused(game, claimed, "claim")[0] == "nothing-to-claim"
    # The bar is for this turn only.
    later = played(game, claimed, "+tN2E1", "+AW1", "-t", "-A")
    assert refusal_of(game, later, "-a") is None


def test_a_claim_with_no_other_action_left_loses() -> None:
    game = Doves(repetition="weak", initial="allowed")
    before = played(game, game.start(), *ROUND[:3])
    position = played(game, before, "-a")
    codes = [move.code for move in game.moves(before, GREEN) if move.text != "-a"]
    # All others barred by claims before it in this turn.
    last = position.extra[0]
    position = replace(position, extra=(last, 0, *codes))
    claimed = played(game, position, "claim")
    outcome = game.outcome(claimed)
    assert outcome is not None
    assert (outcome.winner, outcome.reason) == (RED, "no-move")


def test_claims_belong_to_the_weak_ban() -> None:
    game = Doves()
    assert refused(game, game.start(), "claim")[0] == "no-claims"


def test_undoing_a_claimed_action_is_told_cell_by_cell() -> None:
    game = Doves(repetition="weak", initial="allowed")
    position = played(game, game.start(), *ROUND)
    claim = game.parse(position, "claim")
    columns, rows = game.shift(position, claim)
    kinds = list(game.pieces(position))
    for cell, before, after in game.effects(position, claim):
        assert kinds[cell] == before
        kinds[cell] = after
    then = game.pieces(game.play(position, claim))
    moved = {cell + columns + 6 * rows: kind for cell, kind in enumerate(kinds) if kind}
    assert moved == {cell: kind for cell, kind in enumerate(then) if kind}

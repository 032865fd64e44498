"""How Tokyo Doves ends: a boss surrounded, both, one's own."""

from __future__ import annotations

from doves_lines import FREE, at
from lumiban.games.doves import Doves
from lumiban.games.doves.game import GREEN, RED


def test_the_enemy_boss_surrounded_wins_and_both_are_the_movers_loss() -> None:
    board = "..t/.MB/HYb/Thy"
    reasons = {}
    for both in ("mover-loses", "mover-wins", "draw"):
        game = Doves(**FREE, both=both)
        position = at(game, board)
        ends = {
            (o.winner, o.reason)
            for move in game.moves(position, RED)
            if (o := game.outcome(game.play(position, move))) is not None
        }
        reasons[both] = {end for end in ends if end[1].startswith("both")}
    assert reasons == {
        "mover-loses": {(GREEN, "both-surrounded")},
        "mover-wins": {(RED, "both-surrounded")},
        "draw": {(None, "both-drawn")},
    }

"""Random games of Rengi for the search: hands only, and not for ever."""

from __future__ import annotations

from typing import Any

from lumiban.games.kernel import below, kernel
from lumiban.games.rengi.duel import advance, make_hand, make_pass
from lumiban.games.rengi.hands import generate
from lumiban.games.rengi.plan import ENDED, PASS

LONGEST = 240
"""Plies after which a playout is called a draw."""


@kernel
def play_out(plan: Any, board: Any, room: Any, moves: Any, rng: Any, trace: Any) -> int:
    """Play at random until the game is over; returns the outcome's code, 0 when it goes on.

    Nobody passes who has a hand, and positions are not remembered: chance repeats none four times.
    """
    for _ in range(LONGEST):
        n = generate(plan, board, room, moves)
        if n == 0:
            break
        if n > 1 and moves[n - 1] == PASS:
            n -= 1
        move = moves[below(rng, n)]
        trace[0] += 1
        trace[trace[0]] = move
        if move == PASS:
            make_pass(plan, board, room)
        else:
            make_hand(plan, board, room, move)
        advance(plan, board, room)
    code: int = board[ENDED] - 1
    return max(code, 0)

"""How the bot thinks in Rengi: round after round, until its bound, and what it plays then."""

from __future__ import annotations

import random
import time
from collections.abc import Callable
from typing import TYPE_CHECKING

from lumiban.games.base import Move, Position
from lumiban.games.rengi.rules import MOVER, PASS
from lumiban.search.lenience import gives_away
from lumiban.search.rengi_levels import RengiStrength, strengths
from lumiban.search.rengi_rounds import WIDEST, Judged, Rounds
from lumiban.search.think import Thought

if TYPE_CHECKING:
    from lumiban.games.rengi import Rengi

FIELDS_A_PLAYOUT = 20
"""A budget is told in playouts; so many fields tried take about as long."""
_FULL = "strong"
_GROWS = 2.3
"""How many times as long the next round takes."""
_POOREST_OF = 3
"""In a game that is given away the hand is the poorest of so many."""


def think_rengi(
    game: Rengi,
    position: Position,
    level: str,
    seed: int,
    *,
    playouts: int | None = None,
    longest_us: int | None = None,
    compiled: bool = True,
    stop: Callable[[], bool] | None = None,
    progress: Callable[[int, int], None] | None = None,
    strength: RengiStrength | None = None,
) -> Thought:
    """The hand or pass to make in a `game.view`, as this level plays.

    With `playouts` it tries at most about 20 fields for each of them, however long that lasts, and
    the same seed gives the same thought, plain and compiled; `longest_us` takes the place of the
    level's time, and full strength then widens its beams as long as there is time. `stop()` is
    asked every few milliseconds and ends the thought with what it has. `strength` plays otherwise
    than the level says. The mover must have a hand.
    """
    began = _now_us()
    how = strength or strengths(game)[level]
    moves = game.moves(position, position.state[MOVER])
    if len(moves) == 1:
        return Thought(moves[0], 0.5, 0, 0, (moves[0],))
    chance = random.Random(f"rengi {seed} {len(position.history)}")
    hands = [move for move in moves if move.code != PASS]
    if gives_away(position, how.gives_away):
        some = chance.sample(hands, min(_POOREST_OF, len(hands)))
        poor = _poorest(game, position, how, some)
        return Thought(poor, 0.5, 0, 0, (poor,))
    if chance.random() < how.slips:
        slip = chance.choice(hands)
        return Thought(slip, 0.5, 0, 0, (slip,))
    open_end = level == _FULL and strength is None and (playouts or longest_us) is not None
    budget = None if playouts is None else playouts * FIELDS_A_PLAYOUT
    longest = (longest_us or how.longest_us) if playouts is None else None
    search = Rounds(
        game, position, how, seed, compiled=compiled, widest=WIDEST if open_end else None
    )
    beams = search.beams

    def late() -> bool:
        if progress is not None:
            progress(beams.tried // FIELDS_A_PLAYOUT, max(1, playouts or longest or 0))
        if stop is not None and stop():
            return True
        return longest is not None and _now_us() >= began + longest

    round_began, tried = began, 0
    for whole in search.rounds():
        if late():
            break
        if whole:
            now = _now_us()
            if budget is not None:
                if beams.tried + _GROWS * (beams.tried - tried) > budget:
                    break
            elif longest is not None and now + _GROWS * (now - round_began) > began + longest:
                break
            round_began, tried = now, beams.tried
    if not search.judged:
        # There was no time for a round: the hand that leaves the best field of those seen.
        for _ in search.glance():
            if late():
                break
    return _thought(game, position, search, search.judged[0])


def expected(game: Rengi, position: Position, search: Rounds, judged: Judged) -> tuple[Move, ...]:
    """The moves expected, the judged one first, as far as the rules and what is known allow."""
    first = game.move_of(position, judged.code)
    moves, now = [first], position
    for code in judged.line[1:]:
        now = game.play(now, moves[-1])
        if search.hidden or game.outcome(now) is not None:
            break
        move = game.move_of(now, code)
        if game.why_not(now, move.side, move) is not None:
            break
        moves.append(move)
    return tuple(moves)


def _poorest(game: Rengi, position: Position, how: RengiStrength, hands: list[Move]) -> Move:
    """The one of these hands that leaves the poorest field, in plain Python: they are few."""
    search = Rounds(game, position, how, 0, compiled=False)
    for _ in search.glance([hand.code for hand in hands]):
        pass
    return game.move_of(position, search.judged[-1].code)


def _thought(game: Rengi, position: Position, search: Rounds, best: Judged) -> Thought:
    pv = expected(game, position, search, best)
    tried = search.beams.tried // FIELDS_A_PLAYOUT
    return Thought(pv[0], min(1.0, max(0.0, best.value)), tried, tried, pv)


def _now_us() -> int:
    return time.monotonic_ns() // 1000


def warm(game: Rengi) -> None:
    """Compile all that a thought needs, or read it from the cache, by a very short thought."""
    think_rengi(game, game.start(), _FULL, 0, playouts=1)

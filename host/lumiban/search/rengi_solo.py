"""Building a chain alone, hand after hand, from a loop that is known: how long can it get?"""

from __future__ import annotations

import time
from dataclasses import dataclass

from lumiban.games.rengi import Rengi
from lumiban.games.rengi.field import FIELD_SIZE, OUT_SIZE, is_dead, place_pair, resolve
from lumiban.games.rengi.rules import GHOST_C, PAIRS, PLACEMENTS, STAY14, SUPPLY
from lumiban.search.rengi_plans import Beams, Plans, Shot

WORTH_ENDING = 6
"""A chain of so many steps ends a solo; a shorter one was in the way."""
WIDTH, DEPTH = 400, 16


@dataclass(frozen=True, slots=True)
class Solo:
    """What came of one solo."""

    steps: int
    """Of its longest chain."""
    points: int
    hand: int
    """The hand that fired it, from 1."""
    seconds: tuple[float, ...]
    """CPU time of each hand."""


def solo(
    game: Rengi,
    seed: int,
    *,
    hands: int = 40,
    width: int = WIDTH,
    depth: int = DEPTH,
    compiled: bool = True,
) -> Solo:
    """Build alone with the loop of this seed and fire within so many hands.

    It builds on as long as a longer chain is in reach than the longest way to a chain found so
    far, and goes that way when it is not, or when there are no more hands to look at.
    """
    plan = game.state(game.start(seed)).plan
    loop = tuple(plan[SUPPLY : SUPPLY + 2 * plan[PAIRS]])
    beams = Beams(plan, seed=seed, compiled=compiled)
    field, out = [0] * FIELD_SIZE, [0] * OUT_SIZE
    best = (0, 0, 0)
    aim: Shot | None = None
    seconds: list[float] = []
    for made in range(hands):
        began = time.process_time()
        at = 2 * (made % plan[PAIRS]) if loop else 0
        ahead = min(depth, hands - made)
        plans = beams.run(field, loop[at:] + loop[:at], 0, width, ahead)
        aim = _better(aim, plans)
        code = _next(aim, plans, hands - made <= depth)
        seconds.append(time.process_time() - began)
        if code is None:
            break
        goes = aim is not None and aim.hands[0] == code and len(aim.hands) > 1
        aim = Shot(aim.hands[1:], aim.points, aim.steps, aim.left) if aim and goes else None
        pair, place = divmod(code, PLACEMENTS)
        place_pair(field, 0, pair // 4 + 1, pair % 4 + 1, place // 4, place % 4, plan[STAY14])
        steps = resolve(field, 0, plan[GHOST_C], out)
        if steps > best[0]:
            best = (steps, out[1], made + 1)
        if steps >= WORTH_ENDING or is_dead(field, 0):
            break
    return Solo(*best, tuple(seconds))


def _better(aim: Shot | None, plans: Plans) -> Shot | None:
    """The longer of the chain that is aimed at and the longest found now."""
    for shot in plans.shots:
        if aim is None or shot.steps > aim.steps:
            aim = shot
    return aim


def _next(aim: Shot | None, plans: Plans, last: bool) -> int | None:
    if aim is not None and (last or not plans.lead or plans.reach < aim.steps):
        return aim.hands[0]
    if plans.lead:
        return plans.lead[0]
    return plans.roots[0].hand if plans.roots else None

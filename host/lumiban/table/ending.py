"""The end of a game explained in light: what decided it is counted step by step.

A step follows from the position and the time since the end alone. Each round begins with the
board as it stands at the end, the winner's light on what won. Hands that touch a piece end it: the
board no longer shows the position.
"""

from __future__ import annotations

from lumiban.games.base import Mark
from lumiban.games.registry import RuleFault
from lumiban.games.types import TIME
from lumiban.table.free_play import FreePlay
from lumiban.table.limits import END_STEP_US
from lumiban.table.referee import unmasked
from lumiban.table.turn_play import TurnPlay

REST_STEPS = 2
"""Steps for which each round first shows the end as it stands."""
ROUNDS = 20
"""Rounds after which a board that nobody touches rests."""
QUIET = "none"
"""Hint level at which the light explains nothing."""


def steps(match: TurnPlay, hint: str) -> tuple[tuple[Mark, ...], ...]:
    """The marks of each step; () where nothing was counted, hints are off or a hand is at work."""
    outcome = match.outcome
    if outcome is None or outcome.reason == TIME or hint == QUIET or _is_touched(match):
        return ()
    try:
        return match.game.final_steps(match.position)
    except RuleFault:  # the game is over, and its light may stay as it is: `games check` tells why
        return ()


def step(match: TurnPlay, hint: str, since_us: int | None) -> tuple[Mark, ...] | None:
    """The marks of the step at this time since the end, µs; None while the end is shown as it
    stands, and where nothing is explained."""
    if since_us is None:
        return None
    told = steps(match, hint)
    ends, shown = ROUNDS * (REST_STEPS + len(told)), since_us // END_STEP_US
    at = shown % (REST_STEPS + len(told)) - REST_STEPS
    return told[at] if at >= 0 and shown < ends else None


def is_new_step(was_us: int, now_us: int) -> bool:
    """True if a step ended between these two times since the end."""
    return was_us // END_STEP_US != now_us // END_STEP_US


def due_us(match: TurnPlay, hint: str, since_us: int | None) -> int | None:
    """Time since the end at which the next step is to be shown, µs; None where there is none."""
    told = () if since_us is None else steps(match, hint)
    if since_us is None or not told:
        return None
    after = since_us // END_STEP_US + 1
    return after * END_STEP_US if after <= ROUNDS * (REST_STEPS + len(told)) else None


def _is_touched(match: TurnPlay) -> bool:
    """True if a piece of the end does not stand where it stood, or another one does."""
    if match.is_in_light:
        return False
    should = match.should
    seen = unmasked(match.sensed.kinds, should)
    in_light = match.light if isinstance(match, FreePlay) else ()
    return any(seen[cell] != kind for cell, kind in enumerate(should) if cell not in in_light)

"""The weak ban: a repetition stands until the other side claims it, before their action.

A Position under `weak` keeps in `extra` the action just done (−1 when the last thing was no
action), how many actions claims have barred in this turn, these, and those that were barred in
the turn before; its `state` ends with the keys of all positions faced, this one last.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from lumiban.games.api import Position, Refusal
from lumiban.games.doves.keys import doves_of

if TYPE_CHECKING:
    from lumiban.games.doves.game import Doves

CLAIM = "claim"
NOTHING_DONE = (-1, 0)
"""`extra` when there is nothing to claim and nothing is barred."""


def barred(position: Position) -> tuple[int, ...]:
    """The actions that claims have undone in this turn."""
    return position.extra[2 : 2 + position.extra[1]] if position.extra else ()


def after(position: Position, code: int) -> tuple[int, ...]:
    """`extra` after an action in this position."""
    return (code, 0, *barred(position))


def claimable(position: Position) -> bool:
    """Whether the side to move has faced this position before and may have it undone."""
    if not position.extra or position.extra[0] < 0:
        return False
    faced = position.state[13:]
    return faced[-1] in faced[:-1]


def why_not(game: Doves, position: Position, side: int) -> Refusal | None:
    """Why `side` may not claim, or None."""
    if game.options["repetition"] != "weak":
        return Refusal("doves.no-claims")
    if side not in game.movers(position):
        return Refusal("doves.not-your-turn")
    if not claimable(position):
        return Refusal("doves.nothing-to-claim")
    return None


def undone(position: Position) -> Position:
    """The position before the last action, which is barred now."""
    faced = position.state[13:-1]
    code, count, *rest = position.extra
    bars = (*rest[count:], code)
    return replace(
        position,
        state=(1 - position.state[0], *doves_of(faced[-1]), *faced),
        extra=(-1, len(bars), *bars),
    )

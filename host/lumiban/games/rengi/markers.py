"""Hands of Rengi said with two marker stones, followed event by event.

The first stone in a column of the mover's own field is the axis, the second in the same or a
neighbouring column the child, above or below for an upright pair. Lifting both makes the hand; one
that is lifted and set elsewhere corrects it. Nothing here knows what the rules allow but by asking
`why_not`, and a stone that says nothing is dead until it is lifted.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from lumiban.games.base import Refusal
from lumiban.games.light_game import Gesture, GestureResult

HOLD_US = 3_000_000
"""Time in µs that a marker must lie on the cell that resigns."""
NOWHERE = -1
UP, DOWN = 1, 0


@dataclass(frozen=True, slots=True)
class Pair:
    """The pair as the markers say it so far."""

    axis: int = NOWHERE
    """Cell of the grid, also while its stone is in the air."""
    axis_up: int = DOWN
    axis_colour: int = 0
    child: int = NOWHERE
    child_up: int = DOWN
    child_colour: int = 0
    armed: int = 0
    """The colour that the next stone brings, 0 for none chosen."""
    touched: int = NOWHERE
    """The cell between the fields on which a marker lies to say something."""
    since_us: int = 0
    scrolled: int = 0
    """Number of pairs by which the loop between the fields is scrolled on."""
    asked: int = 0
    """Number of the pair of its own, from the one in hand as 1, that the player who is not to move
    has asked to see, 0 for none."""
    asker: int = NOWHERE
    """The cell on which that player's marker lies, as long as it does."""

    @property
    def is_whole(self) -> bool:
        """True if axis and child are known, in the air or not."""
        return NOWHERE not in (self.axis, self.child)


NOTHING = Pair()


def restarted(pair: Pair, *, armed: int = 0) -> Pair:
    """No block is placed any more; what was touched or scrolled beside the fields stays."""
    since_us = 0 if pair.touched == NOWHERE else pair.since_us
    return replace(
        NOTHING,
        armed=armed,
        touched=pair.touched,
        since_us=since_us,
        scrolled=pair.scrolled,
        asked=pair.asked,
        asker=pair.asker,
    )


def with_pair(gesture: Gesture, pair: Pair) -> Gesture:
    """The gesture with this pair said."""
    if pair == NOTHING:
        return replace(gesture, said=())
    return replace(
        gesture,
        said=(
            pair.axis,
            pair.axis_up,
            pair.axis_colour,
            pair.child,
            pair.child_up,
            pair.child_colour,
            pair.armed,
            pair.touched,
            pair.since_us,
            pair.scrolled,
            pair.asked,
            pair.asker,
        ),
    )


def pair_of(gesture: Gesture) -> Pair:
    """Pair that the markers have chosen so far."""
    return Pair(*gesture.said) if gesture.said else NOTHING


def slipped(gesture: Gesture, cell: int) -> Gesture:
    """The stone there reads as another kind without a lift: that says nothing, whatever it was."""
    pair = pair_of(gesture)
    gesture = replace(gesture, dead=gesture.dead - {cell})
    if cell == pair.touched:
        pair = replace(pair, touched=NOWHERE)
    elif cell == pair.asker:
        pair = replace(pair, asker=NOWHERE)
    elif cell == pair.axis and not pair.axis_up:
        pair = replace(pair, axis_up=UP)
    elif cell == pair.child and not pair.child_up:
        pair = replace(pair, child_up=UP)
    if pair.axis_up and (pair.child_up or pair.child == NOWHERE):
        pair = restarted(pair, armed=pair.axis_colour)
    return with_pair(gesture, pair)


def dead(gesture: Gesture, cell: int, rule: str) -> GestureResult:
    """A marker that says nothing by this rule, until it is lifted."""
    return GestureResult(
        replace(gesture, dead=gesture.dead | {cell}), refusal=Refusal(rule, (cell,))
    )

"""When a bot may think on the opponent's time: once a turn of a person's, until they have moved."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lumiban.table import seats
from lumiban.table.sight import UP

if TYPE_CHECKING:
    from lumiban.table.session import Session

LEVELS = frozenset({"hard", "strong"})
"""Levels of bots that do."""


def follow(session: Session) -> None:
    """Begin as a person's turn begins, and stop as soon as anything has changed.

    In free play a bot thinks at any time anyway, so that there is nothing to begin.
    """
    bots, match = session.bots, session.match
    course = match.course
    on = session.settings.ponder and not match.free and session.sight.link == UP
    if bots.pondering is not None and not (on and bots.ponders_about(course)):
        stop = bots.stop_pondering()
        if stop is not None:
            session.put(stop)
    people = seats.people(course.seats)
    movers = match.movers
    if not on or bots.question is not None or match.machine is not None or not course.played:
        return
    if len(movers) != 1 or movers[0] not in people or bots.has_pondered(course):
        return
    for side, who in enumerate(course.seats):
        if seats.level_of(who) in LEVELS:
            session.put(bots.ponder(course, side))
            return

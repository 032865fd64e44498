"""How soon a bot acts where there are no turns: like a person, and no hand is starved.

It places no sooner than its reaction time after the last stone, and two stones in a row no
quicker than the other side places; it holds still while a hand is at work above the board. One
that leads places at most one stone for each of the other's. Times are board µs.
"""

from __future__ import annotations

from itertools import pairwise
from statistics import median
from typing import TYPE_CHECKING

from lumiban.table import seats

if TYPE_CHECKING:
    from lumiban.table.turnless_match import TurnlessMatch

REACTION_US = {
    "gentle": 1_800_000,
    "easy": 1_300_000,
    "medium": 1_000_000,
    "hard": 700_000,
    "strong": 450_000,
}
"""Reaction times by level, where nothing else is set."""
LEAST_US, MOST_US = 250_000, 10_000_000
"""Bounds of a reaction time: nobody is quicker than the first."""
JITTER = (80, 130)
"""A reaction takes so many hundredths of the time set, by chance."""
WATCHED_US = 1_200_000
"""Two bots by themselves take at least as long, so that one can follow."""
PRESSES = frozenset({"medium", "hard", "strong"})
"""Levels that also place while they lead, where that is worth it."""
GAPS_US = (800_000, 4_000_000)
"""A person's time between stones counts as no less and no more than this."""
SUPPOSED_US = 1_500_000
"""And as this before much is known of it."""
LOOKED_AT = 9
"""So many of a side's latest stones tell its pace."""
AT_REST_US = 400_000
"""A hand that was seen no later than this before now is at work."""
HOLD_US = 3_000_000
"""No longer does a bot hold still for one hand."""


def reaction_us(match: TurnlessMatch, side: int) -> int:
    """What this bot takes now; the game's seed and its ply decide how the time set varies."""
    course = match.course
    level = seats.level_of(course.seats[side]) or ""
    base = match.settings.reaction_us or REACTION_US.get(level, SUPPOSED_US)
    if not seats.people(course.seats):
        base = max(base, WATCHED_US)
    chance = seats.thought_seed(2 * course.seed + side, len(course.played)) >> 31
    low, high = JITTER
    spread = (chance % 1000 + (chance >> 12) % 1000) * (high - low) // 1998
    return max(LEAST_US, base * (low + spread) // 100)


def presses(match: TurnlessMatch, side: int) -> bool:
    """Whether this bot may place though it leads: the other side's stone was the last to come."""
    stones = _stones(match)
    level = seats.level_of(match.course.seats[side])
    return level in PRESSES and bool(stones) and stones[0][1] != side


def place_us(match: TurnlessMatch, side: int) -> int:
    """When this bot places at the soonest, if nothing else happens."""
    stones = _stones(match)
    if not stones:
        return match.last_us
    takes = reaction_us(match, side)
    last = stones[0][0]
    due = last + takes
    own = next((at for at, whose in stones if whose == side), None)
    if stones[0][1] == side:
        due = last + max(takes, pace_us(match, 1 - side))
    elif seats.people(match.course.seats):
        # Stones that follow each other closely put a bot off no further than this.
        since = [at for at, whose in stones if own is None or at > own]
        due = max(min(due, since[-1] + 2 * takes), last + LEAST_US)
        if own is not None:
            due = max(due, own + takes)
    return max(due, hand_free_us(match))


def hand_free_us(match: TurnlessMatch) -> int:
    """Until when a hand is at work that was seen after the last stone."""
    sight = match.sight
    if sight.hand_us <= match.last_us:
        return 0
    return min(sight.hand_us + AT_REST_US, max(sight.hand_since_us, match.last_us) + HOLD_US)


def pace_us(match: TurnlessMatch, side: int) -> int:
    """How long this side takes from a stone to its own next one: the median of the last ones."""
    stones = _stones(match)
    gaps = [at - before for (at, whose), (before, _) in pairwise(stones) if whose == side]
    low, high = GAPS_US
    known = [min(max(gap, low), high) for gap in gaps[:LOOKED_AT]]
    return int(median([*known, *[SUPPOSED_US] * max(1, 3 - len(known))]))


def _stones(match: TurnlessMatch) -> list[tuple[int, int]]:
    """Board time and side of the stones that counted, the latest first, as far back as the
    board's clock has run without a break."""
    found: list[tuple[int, int]] = []
    if match.last_us == 0:
        return found
    for played in reversed(match.course.played):
        if played.move.is_word:
            continue
        if played.at_us > (found[-1][0] if found else match.last_us):
            break
        found.append((played.at_us, played.move.side))
        if len(found) == 4 * LOOKED_AT:
            break
    return found

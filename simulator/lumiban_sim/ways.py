"""The ways that hands take with a piece: down onto a seat and up from it, at human speeds."""

from __future__ import annotations

import random
from dataclasses import dataclass
from math import sqrt

from lumiban_sim.motion import Leg, Place, straight

CARRY_MM = 45.0
"""Height at which stones travel; no sensor feels them there."""
LAST_MM = 10.0
"""The stretch above the seat that hands go with care."""


@dataclass(frozen=True, slots=True)
class Tempo:
    """How hands move: ranges of speed in m/s, of pauses in µs, and the error on landing in mm.

    `touch` is the speed of the last LAST_MM on the way down and the first on the way up; that
    speed changes by up to `waver` (a share of it) either way while it goes down. A stone starts
    upwards at a share `start` of it. Higher up hands are faster.
    """

    travel: float = 0.8
    touch: tuple[float, float] = (0.05, 0.4)
    waver: float = 0.1
    start: tuple[float, float] = (0.5, 1.0)
    pause_us: tuple[int, int] = (40_000, 120_000)
    error_mm: float = 1.0


@dataclass(frozen=True, slots=True)
class Manner:
    """What is unusual in how one stone is set down."""

    hover_mm: float = 0.0
    """At this height above its seat the hand hesitates …"""
    hover_us: int = 0
    """… for so long."""
    drop_mm: float = 0.0
    """At this height the hand lets go, and the stone falls; 0: it is set down."""


PLAIN = Manner()
SLIDE_MM = 2.5
"""A stone that slides from cell to cell goes over their rims at this height."""
FALL_MM_MS2 = 9.81e-3
HUMAN = Tempo()
BRISK = Tempo(travel=1.5, touch=(0.15, 0.4), pause_us=(20_000, 60_000))
"""Somebody who has played this before."""


def down(
    tempo: Tempo,
    begin_us: int,
    over: Place,
    chance: random.Random,
    manner: Manner = PLAIN,
) -> tuple[Leg, ...]:
    """Down from `over` onto the seat below: swiftly from rest, then at touching speed."""
    speed = chance.uniform(*tempo.touch)
    change = chance.uniform(-tempo.waver, tempo.waver)
    legs: list[Leg] = []
    near = over
    if over.h > LAST_MM:
        near = over._replace(h=LAST_MM)
        swift = _swift(speed)
        begin, begin_us = begin_us, begin_us + _lasting(over.h - LAST_MM, swift)
        legs.append(Leg(begin, begin_us, over, near, 0.0, speed * (1.0 + change) / swift))
    if manner.hover_us and manner.hover_mm < near.h:
        rest = near._replace(h=manner.hover_mm)
        rest_us = begin_us + 2 * _lasting(near.h - rest.h, speed)
        legs.append(Leg(begin_us, rest_us, near, rest, 1.5, 0.0))
        legs.append(Leg(rest_us, rest_us + manner.hover_us, rest, rest))
        begin_us, near = rest_us + manner.hover_us, rest
    if manner.drop_mm and manner.drop_mm < near.h:
        last = near._replace(h=manner.drop_mm)
        last_us = begin_us + _lasting(near.h - last.h, speed)
        legs.append(Leg(begin_us, last_us, near, last, 1.0, 0.0))
        begin_us, near = last_us, last
    if manner.drop_mm:
        legs.append(fall(begin_us, near))
        return tuple(legs)
    end_us = begin_us + _lasting(near.h, speed)
    legs.append(Leg(begin_us, end_us, near, over._replace(h=0.0), 1.0 + change, 1.0 - change))
    return tuple(legs)


def fall(begin_us: int, start: Place) -> Leg:
    """A stone let go falls onto its seat.

    >>> fall(0, Place(0, 0, 10)).end_us
    45152
    """
    lasting = round(sqrt(2 * start.h / FALL_MM_MS2) * 1000)
    return Leg(begin_us, begin_us + max(lasting, 1), start, start._replace(h=0.0), 0.0, 2.0)


def across(begin_us: int, seat: Place, goal: Place, speed: float) -> tuple[Leg, ...]:
    """A stone that slides from one seat into another, straight over the cells between, in m/s."""
    rim = seat._replace(h=seat.h + SLIDE_MM)
    end = goal._replace(h=goal.h + SLIDE_MM)
    rise = straight(begin_us, seat, rim, speed)
    slide = straight(rise.end_us, rim, end, speed)
    return rise, slide, straight(slide.end_us, end, goal, speed)


def up(
    tempo: Tempo, begin_us: int, seat: Place, bowl: Place, chance: random.Random
) -> tuple[Leg, ...]:
    """Up from where a piece lies, gathering speed, and over to the bowl."""
    speed = chance.uniform(*tempo.touch)
    start = chance.uniform(*tempo.start)
    near = seat._replace(h=seat.h + LAST_MM)
    over = seat._replace(h=max(CARRY_MM, near.h + 1.0))
    swift = _swift(speed)
    near_us = begin_us + _lasting(LAST_MM, speed)
    over_us = near_us + _lasting(over.h - near.h, swift)
    return (
        Leg(begin_us, near_us, seat, near, start, 2.0 - start),
        Leg(near_us, over_us, near, over, speed * (2.0 - start) / swift, 0.5),
        straight(over_us, over, bowl, tempo.travel),
    )


def later(leg: Leg, by_us: int) -> Leg:
    """The same leg, so many µs later."""
    return Leg(
        leg.begin_us + by_us, leg.end_us + by_us, leg.start, leg.end, leg.leaving, leg.arriving
    )


def _lasting(way_mm: float, speed: float) -> int:
    """How many µs a way takes at a mean speed in m/s."""
    return max(round(way_mm / speed * 1000), 1)


def _swift(touch: float) -> float:
    """Mean speed high above the board of a hand that touches it at this speed, in m/s."""
    return 1.5 * touch + 0.1

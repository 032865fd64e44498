"""How a piece moves: legs, one after the other, each from one place to the next.

Heights are of the piece's underside above its seat. A leg says how fast it leaves and arrives, so
that a stone can be set down with some speed left, as people do.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import hypot
from typing import NamedTuple


class Place(NamedTuple):
    """A point over the board, in mm: x to the right, y down from the middle, h above the seat."""

    x: float
    y: float
    h: float


@dataclass(frozen=True, slots=True)
class Leg:
    """One stretch of a way, from `begin_us` to `end_us`.

    `leaving` and `arriving` are the speeds at its ends as multiples of its mean speed, each from
    0 (from rest, to rest) to 3.
    """

    begin_us: int
    end_us: int
    start: Place
    end: Place
    leaving: float = 1.0
    arriving: float = 1.0

    @property
    def upright(self) -> bool:
        """Whether only the height changes."""
        return self.start.x == self.end.x and self.start.y == self.end.y

    def share(self, t_us: int) -> float:
        """The part of the way that is done at `t_us`, 0 to 1.

        >>> here, there = Place(0, 0, 40), Place(0, 0, 0)
        >>> leg = Leg(0, 100, here, there, leaving=0.0, arriving=0.0)
        >>> leg.share(-5), leg.share(50), leg.share(100)
        (0.0, 0.5, 1.0)
        """
        if t_us <= self.begin_us:
            return 0.0
        if t_us >= self.end_us:
            return 1.0
        u = (t_us - self.begin_us) / (self.end_us - self.begin_us)
        bend = self.leaving + self.arriving - 2.0
        return u * (self.leaving + u * (3.0 - 2.0 * self.leaving - self.arriving + u * bend))

    def at(self, t_us: int) -> Place:
        """Where the piece is at `t_us`."""
        s = self.share(t_us)
        if s >= 1.0:
            return self.end
        a, b = self.start, self.end
        return Place(a.x + s * (b.x - a.x), a.y + s * (b.y - a.y), a.h + s * (b.h - a.h))

    def when_low(self, height_mm: float) -> tuple[int, int] | None:
        """First and last µs of the part that lies below a height; None when there is none."""
        low, high = sorted((self.start.h, self.end.h))
        if low >= height_mm:
            return None
        if high <= height_mm:
            return self.begin_us, self.end_us
        early, late = self.begin_us, self.end_us
        falling = self.start.h > self.end.h
        while late - early > 1:
            middle = (early + late) // 2
            if (self.at(middle).h < height_mm) == falling:
                late = middle
            else:
                early = middle
        return (late, self.end_us) if falling else (self.begin_us, early)


def straight(begin_us: int, start: Place, end: Place, speed: float, at_least_us: int = 0) -> Leg:
    """A leg at an even speed in m/s (that is, mm a ms), taking `at_least_us`."""
    way = hypot(end.x - start.x, end.y - start.y, end.h - start.h)
    return Leg(begin_us, begin_us + max(round(way / speed * 1000), at_least_us, 1), start, end)

"""Intervals that hold whenever they are looked at, so that a study may stop early and stay honest.

A 95 % interval of the usual kind is right once, after a number of games that was fixed before. Who
looks again and again and stops when it suits sees a difference where there is none in far more than
one of twenty studies. A *confidence sequence* holds at all looks together.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from math import log, sqrt

from lumiban.study.plan import StopTable

ALPHA = 0.05
TUNED_FOR = 400
"""The number of values at which the sequence is narrowest."""


@dataclass(frozen=True, slots=True)
class Estimate:
    """A mean with its 95 % confidence sequence."""

    count: int
    mean: float
    low: float
    high: float

    @property
    def radius(self) -> float:
        """Half the width, to the side that is farther."""
        return max(self.high - self.mean, self.mean - self.low)

    @property
    def excludes_even(self) -> bool:
        """True if one half lies outside."""
        return not self.low <= 0.5 <= self.high


def estimate(values: Iterable[float]) -> Estimate:
    """The mean of values in [0, 1] with an interval that holds at every number of them.

    The asymptotic confidence sequence of Waudby-Smith, Arbour, Sinha, Kennedy and Ramdas
    ("Time-uniform central limit theory and asymptotic confidence sequences", theorem 2.2): a normal
    mixture, narrowest near `TUNED_FOR` values. The deviation is taken with one zero and one one
    added, so that a few equal values prove nothing.

    >>> found = estimate([1, 0] * 200)
    >>> found.mean, round(found.low, 2), round(found.high, 2)
    (0.5, 0.42, 0.58)
    """
    known = list(values)
    count = len(known)
    if count == 0:
        return Estimate(0, 0.5, 0.0, 1.0)
    mean = sum(known) / count
    padded = [*known, 0.0, 1.0]
    middle = sum(padded) / len(padded)
    deviation = sqrt(sum((value - middle) ** 2 for value in padded) / len(padded))
    # Their equation for the best mixture at a number of values: rho² as a function of alpha and it.
    rho_squared = (-2 * log(ALPHA) + log(-2 * log(ALPHA) + 1)) / TUNED_FOR
    scaled = count * rho_squared + 1
    radius = deviation * sqrt(2 * scaled / (count**2 * rho_squared) * log(sqrt(scaled) / ALPHA))
    return Estimate(count, mean, max(0.0, mean - radius), min(1.0, mean + radius))


def is_known(estimate: Estimate, stop: StopTable) -> bool:
    """True if a condition needs no more pairs by the study's rule.

    >>> is_known(estimate([0.5] * 400), StopTable(pairs=400))
    True
    """
    if estimate.count >= stop.pairs:
        return True
    if estimate.count < stop.least:
        return False
    return estimate.radius <= stop.within or (stop.even and estimate.excludes_even)

"""Shares and their intervals."""

from __future__ import annotations

from math import sqrt

Z95 = 1.959964
"""Two-sided 95 % of the normal distribution."""


def wilson(score: float, games: int, z: float = Z95) -> tuple[float, float]:
    """The interval that holds the true share, given `score` (draws count half) of `games`.

    Wilson's score interval (1927); (0, 1) when nothing was played.

    >>> tuple(round(end, 3) for end in wilson(50, 100))
    (0.404, 0.596)
    """
    if games == 0:
        return 0.0, 1.0
    share = score / games
    square = z * z / games
    middle = share + square / 2
    half = z * sqrt(share * (1 - share) / games + square / (4 * games))
    low, high = (middle - half) / (1 + square), (middle + half) / (1 + square)
    return max(0.0, min(low, share)), min(1.0, max(high, share))


def elo(share: float) -> float | None:
    """The rating difference that this share stands for (Elo 1978); None at 0 and 1.

    >>> round(elo(0.75))
    191
    """
    from math import log10

    return None if not 0 < share < 1 else 400 * log10(share / (1 - share))

"""How much a search does at once: slices so short that a stop is soon heard."""

from __future__ import annotations

SLICE_US = 12_000
"""How long a slice of work should take: a stop is heard after one, and threads wait for each
other at its end (slices of 8 ms cost two of them 4 % of their rate)."""
MOST_IN_SLICE = 1 << 14
"""So many games of a tree at once; fewer keep two threads from slices of their full time."""


def next_portion(portion: int, took_us: int, most: int) -> int:
    """The size of the next slice after one of `portion` that took so long: at most twice it.

    >>> next_portion(100, 2_000, 10_000), next_portion(100, 16_000, 10_000)
    (200, 75)
    """
    return max(1, min(most, 2 * portion, portion * SLICE_US // max(1, took_us)))

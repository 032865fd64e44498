"""The fifteen presets of Rengi's clocks, as data: no clock runs at the table yet.

A clock has initial time, then byoyomi for each hand, then consideration time that never comes
back. All gone loses; a hand may be `GRACE_S` late.
"""

from __future__ import annotations

from typing import NamedTuple

GRACE_S = 1


class Preset(NamedTuple):
    """Times of one clock, in seconds."""

    initial_s: int
    byoyomi_s: int
    """For each hand."""
    consideration_s: int
    """Spent beyond that, once in a game."""


PRESETS = {
    "short-1": Preset(0, 10, 300),
    "short-2": Preset(0, 15, 300),
    "short-3": Preset(0, 20, 300),
    "standard-1": Preset(0, 30, 600),
    "standard-2": Preset(0, 30, 900),
    "standard-3": Preset(0, 30, 1800),
    "standard-4": Preset(600, 30, 300),
    "standard-5": Preset(900, 30, 300),
    "standard-6": Preset(1800, 30, 300),
    "long-1": Preset(0, 60, 3600),
    "long-2": Preset(0, 60, 7200),
    "long-3": Preset(0, 60, 10800),
    "long-4": Preset(3600, 60, 1200),
    "long-5": Preset(7200, 60, 1200),
    "long-6": Preset(10800, 60, 1200),
}
"""By name."""

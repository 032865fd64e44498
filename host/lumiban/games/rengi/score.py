"""What a step of a chain is worth in Rengi, and how many ojama points make.

The tables are those of Puyo Puyo Tsu as the author's page gives them (golden/rengi.json, `bonus`).
"""

from __future__ import annotations

from lumiban.games.kernel import kernel

CHAIN = (0, 8, 16, 32, 64, 96, 128, 160, 192, 224, 256, 288, 320, 352, 384, 416, 448, 480, 512)
"""The chain bonus of step 1, 2, …; no field of 78 cells has more than 19 steps."""
CONNECTION = (0, 0, 0, 0, 0, 2, 3, 4, 5, 6, 7, 10)
"""The connection bonus by the size of a group; the last is for 11 and more."""
COLOURS = (0, 0, 3, 6, 12, 24)
"""The colour bonus by the number of colours that go in one step."""

RATE = 70
"""Points for one ojama, outside margin time."""
ALL_CLEAR = 2100
"""Points for an empty field, paid with the next erasure."""
MARGIN = (
    (0, 70),
    (96, 52),
    (112, 34),
    (128, 25),
    (144, 16),
    (160, 12),
    (176, 8),
    (192, 6),
    (208, 4),
    (224, 3),
    (240, 2),
    (256, 1),
)
"""Margin time: from so many seconds of play on, so many points make one ojama."""


@kernel
def step_points(step: int, blocks: int, connected: int, colours: int) -> int:
    """Points of one step: `blocks` × 10 × (chain + connection + colour bonus, at least 1).

    `step` counts from 1, `connected` is the sum of connection bonuses over the step's groups.

    >>> step_points(1, 4, 0, 1), step_points(2, 13, 7, 2)
    (40, 2340)
    """
    bonus = CHAIN[min(step, 19) - 1] + connected + COLOURS[colours]
    return blocks * 10 * max(1, bonus)


@kernel
def ojama(points: int, rate: int, sent: int) -> int:
    """How many ojama points of a chain make beyond those it has `sent` already.

    >>> ojama(360, 70, 0), ojama(1000, 70, 5)
    (5, 9)
    """
    return points // rate - sent


def margin_rate(seconds: float) -> int:
    """Points for one ojama after so many seconds of play, in margin time.

    >>> margin_rate(95.9), margin_rate(96), margin_rate(1000)
    (70, 52, 1)
    """
    return next(rate for since, rate in reversed(MARGIN) if seconds >= since or since == 0)

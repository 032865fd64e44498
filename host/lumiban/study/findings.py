"""What a study found: each condition's share with its interval, its counters, and what it cost."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from math import sqrt
from statistics import fmean, stdev
from typing import Any

from lumiban.study.match import UNFINISHED, Z95
from lumiban.study.plan import Condition, Plan
from lumiban.study.results import Results
from lumiban.study.sequential import Estimate, estimate

ANSWERED, LEANING, OPEN = "answered", "leaning", "open"
ANSWERED_WITHIN = 0.03
"""Known to three points is an answer, whichever it is."""
LEANING_PAIRS = 400
"""Fewer pairs lean nowhere, whatever they say."""


@dataclass(frozen=True, slots=True)
class Mean:
    """A counter's mean with the 95 % interval of the normal distribution, and the largest value."""

    mean: float
    low: float
    high: float
    most: float


@dataclass(frozen=True, slots=True)
class Finding:
    """What is known of one condition."""

    condition: Condition
    share: Estimate
    """Of the first player's points; where a player plays itself, of the side's that begins."""
    games: int
    draws: int
    unfinished: int
    reasons: dict[str, int]
    counts: dict[str, Mean]
    """By name: `plies`, `choices` (a ply) and the game's counters."""
    cpu_s: float

    @property
    def verdict(self) -> str:
        """`answered`: known to ± 3 points; `leaning`: the interval leaves out an even result,
        after 400 pairs or more; else `open`."""
        if self.share.count and self.share.radius <= ANSWERED_WITHIN:
            return ANSWERED
        if self.share.count >= LEANING_PAIRS and self.share.excludes_even:
            return LEANING
        return OPEN

    @property
    def games_an_hour(self) -> float:
        """Games that one core plays in an hour; 0 before the first."""
        return 3600 * self.games / self.cpu_s if self.cpu_s else 0.0

    def as_json(self) -> dict[str, Any]:
        """The figures by name; shares and intervals rounded to four digits."""
        return {
            "condition": self.condition.number,
            "label": self.condition.label,
            "varied": dict(self.condition.varied),
            "pairs": self.share.count,
            "games": self.games,
            "share": round(self.share.mean, 4),
            "interval": [round(self.share.low, 4), round(self.share.high, 4)],
            "verdict": self.verdict,
            "draws": self.draws,
            "unfinished": self.unfinished,
            "reasons": self.reasons,
            "counts": {
                name: {
                    "mean": round(one.mean, 4),
                    "interval": [round(one.low, 4), round(one.high, 4)],
                    "most": one.most,
                }
                for name, one in self.counts.items()
            },
            "cpu_s": round(self.cpu_s, 1),
            "games_an_hour": round(self.games_an_hour),
        }


def findings(plan: Plan, results: Results) -> list[Finding]:
    """What is known of each condition, in their order."""
    return [_finding(results, condition) for condition in plan.conditions]


def _finding(results: Results, condition: Condition) -> Finding:
    games = results.games(condition.number)
    counts: dict[str, list[float]] = {}
    for game in games:
        counts.setdefault("plies", []).append(game.plies)
        counts.setdefault("choices", []).append(game.choices / game.plies if game.plies else 0.0)
        for name, value in game.counts.items():
            counts.setdefault(name, []).append(value)
    reasons = Counter(game.reason for game in games)
    return Finding(
        condition,
        estimate(results.pair_points(condition.number)),
        len(games),
        sum(game.winner is None for game in games),
        reasons[UNFINISHED],
        dict(reasons.most_common()),
        {name: mean_of(values) for name, values in counts.items()},
        results.cpu_s(condition.number),
    )


def mean_of(values: Sequence[float]) -> Mean:
    """The mean of some values with its interval.

    >>> mean_of([1, 2, 3]).mean
    2.0
    """
    mean = fmean(values)
    half = Z95 * stdev(values) / sqrt(len(values)) if len(values) > 1 else 0.0
    return Mean(mean, mean - half, mean + half, max(values))

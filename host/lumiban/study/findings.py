"""Findings of a study: each condition's share with its interval, its counters, and its cost."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import sqrt
from statistics import NormalDist
from typing import Any

from lumiban.study.chunks import PlayedGame
from lumiban.study.match import UNFINISHED, wilson
from lumiban.study.plan import Condition, Plan
from lumiban.study.results import Results
from lumiban.study.sequential import ALPHA, Estimate, estimate

ANSWERED, LEANING, OPEN = "answered", "leaning", "open"
ANSWERED_WITHIN = 0.03
"""Known to three points is an answer, whichever it is."""
LEANING_PAIRS = 100
"""Fewer pairs lean nowhere, whatever they say."""


ByPair = Mapping[int, Sequence[float]]
"""A counter's values: by the number of a pair those of its games."""


@dataclass(frozen=True, slots=True)
class Mean:
    """A counter's mean over games, and how sure it is.

    The two games of a pair have their chance in common, so that the pairs are what is independent.
    """

    mean: float
    error: float
    """The standard error by pairs."""
    pairs: int
    games: int
    most: float
    is_share: bool
    """True if each value is 0 or 1."""

    def interval(self) -> tuple[float, float]:
        """Interval of the mean at 95 % confidence; a number of pairs that was not chosen by this
        counter is taken for granted.

        That of the normal distribution; for shares Wilson's, with as many games as would have
        this error were they independent (Korn and Graubard, "Confidence intervals for proportions
        with small expected number of positive counts", 1998), so that 0 of 800 is not never.
        """
        z = NormalDist().inv_cdf(1 - ALPHA / 2)
        if not self.is_share:
            return self.mean - z * self.error, self.mean + z * self.error
        spread = self.mean * (1 - self.mean)
        like = self.games if not self.error else min(self.games, spread / self.error**2)
        if not spread:
            like = self.pairs
        return wilson(self.mean * like, like, z)

    @property
    def low(self) -> float:
        """The lower end of the 95 % interval."""
        return self.interval()[0]

    @property
    def high(self) -> float:
        """The upper end of the 95 % interval."""
        return self.interval()[1]


@dataclass(frozen=True, slots=True)
class Finding:
    """Finding on one condition."""

    condition: Condition
    share: Estimate
    """Of the first player's points; where a player plays itself, of the side's that begins."""
    games: int
    draws: int
    unfinished: int
    reasons: dict[str, int]
    counts: dict[str, Mean]
    """By name: `plies`, `choices` (a ply), `drawn`, how games `ended_`, the game's counters."""
    base: Condition
    """Condition to compare with: the first one that the same players played."""
    cpu_s: float

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
            "draws": self.draws,
            "unfinished": self.unfinished,
            "reasons": self.reasons,
            "counts": {
                name: {
                    "mean": round(one.mean, 4),
                    "interval": [round(end, 4) for end in one.interval()],
                    "most": one.most,
                }
                for name, one in self.counts.items()
            },
            "cpu_s": round(self.cpu_s, 1),
        }


ENDED = "ended_"
"""Begins the name of a counter that is 1 where a game ended for this reason, else 0."""


def findings(plan: Plan, results: Results) -> list[Finding]:
    """Finding on each condition, in their order."""
    played = [results.games(condition.number) for condition in plan.conditions]
    reasons = {game.reason for games in played for game in games}
    for names in plan.tables.answers.values():
        reasons |= {name.removeprefix(ENDED) for name in names if name.startswith(ENDED)}
    return [
        _finding(
            results,
            condition,
            games,
            _counted(games, sorted(reasons)),
            base_of(condition, plan.conditions),
        )
        for condition, games in zip(plan.conditions, played, strict=True)
    ]


def base_of(condition: Condition, conditions: Sequence[Condition]) -> Condition:
    """The first condition that the same players played: compared with another strength's, the
    strength would be counted for the rule."""
    players = condition.first, condition.second
    return next(one for one in conditions if (one.first, one.second) == players)


def _counted(games: Sequence[PlayedGame], reasons: Sequence[str]) -> dict[str, ByPair]:
    counts: dict[str, dict[int, list[float]]] = {}
    for game in games:
        ended = {ENDED + reason: int(game.reason == reason) for reason in reasons}
        own = {
            "plies": game.plies,
            "choices": game.choices / game.plies if game.plies else 0.0,
            "drawn": int(game.winner is None),
        }
        for name, value in {**own, **ended, **game.counts}.items():
            counts.setdefault(name, {}).setdefault(game.pair, []).append(value)
    return dict(counts)


def _finding(
    results: Results,
    condition: Condition,
    games: Sequence[PlayedGame],
    counted: Mapping[str, ByPair],
    base: Condition,
) -> Finding:
    reasons = Counter(game.reason for game in games)
    return Finding(
        condition,
        estimate(results.pair_points(condition.number)),
        len(games),
        sum(game.winner is None for game in games),
        reasons[UNFINISHED],
        dict(reasons.most_common()),
        {name: mean_of(values) for name, values in counted.items()},
        base,
        results.cpu_s(condition.number),
    )


def mean_of(values: ByPair) -> Mean:
    """The mean over all games, with its error by pairs.

    That of a ratio of two sums over clusters (Cochran, "Sampling Techniques", 1977, 6.3), since a
    game may lack a counter.

    >>> found = mean_of({0: [1, 1], 1: [3, 3], 2: [2, 2]})
    >>> found.mean, round(found.error, 3), found.pairs
    (2.0, 0.577, 3)
    """
    games = sum(map(len, values.values()))
    mean = sum(map(sum, values.values())) / games
    pairs = len(values)
    squares = sum((sum(several) - len(several) * mean) ** 2 for several in values.values())
    error = sqrt(squares * pairs / (pairs - 1)) / games if pairs > 1 else 0.0
    each = [value for several in values.values() for value in several]
    return Mean(mean, error, pairs, games, max(each), {*each} <= {0, 1})

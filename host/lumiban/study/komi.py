"""The value of an option at which a game is even: root finding over pairs of games.

The more of it, the less the side that begins scores: points at the start for the other one. Values
are halved; at each one a study is played until its interval leaves out an even result, or until the
share is known so well that it counts as even.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

import msgspec

from lumiban.errors import UsageError
from lumiban.study.experiment import Advance, run_study
from lumiban.study.plan import Plan, plan_from
from lumiban.study.results import Results
from lumiban.study.sequential import Estimate, estimate
from lumiban.study.versions import versions


@dataclass(frozen=True, slots=True)
class Even:
    """Values at which a game is even: between two neighbouring ones, or at one that could not be
    told from it. `low` is None where even the least value is too much, `high` where the most is not
    enough."""

    low: int | None
    high: int | None
    tried: dict[int, Estimate]
    """The score of the side that begins, by value, in the order in which they were tried."""


def even_value(values: Sequence[int], share_at: Callable[[int], Estimate]) -> Even:
    """Search sorted values for the place where the share falls through one half.

    >>> found = even_value(range(100), lambda value: estimate([float(value < 37)] * 500))
    >>> found.low, found.high
    (36, 37)
    """
    tried: dict[int, Estimate] = {}

    def lean(value: int) -> int:
        share = tried[value] = share_at(value)
        return 0 if not share.excludes_even else 1 if share.mean > 0.5 else -1

    low, high = 0, len(values) - 1
    for end, needed in ((low, 1), (high, -1)):
        leans = lean(values[end])
        if leans == 0:
            return Even(values[end], values[end], tried)
        if leans != needed:
            too_much = leans < 0
            return Even(None if too_much else values[-1], values[0] if too_much else None, tried)
    while high - low > 1:
        middle = (low + high) // 2
        leans = lean(values[middle])
        if leans == 0:
            return Even(values[middle], values[middle], tried)
        low, high = (middle, high) if leans > 0 else (low, middle)
    return Even(values[low], values[high], tried)


def find_even(
    plan: Plan,
    option: str,
    values: Sequence[int],
    folder: Path,
    *,
    jobs: int = 1,
    cluster: str | None = None,
    advance: Callable[[Advance], None] = lambda so_far: None,
) -> Even:
    """Play the study at one value after another; the results of each stay in `folder`.

    UsageError when the study has more than one condition, or compares two players.
    """
    if len(plan.conditions) != 1 or plan.conditions[0].is_match:
        raise UsageError("a value is looked for with one condition, in which a player plays itself")

    def share_at(value: int) -> Estimate:
        tables = msgspec.to_builtins(plan.tables)
        tables["options"] = {**tables["options"], option: value}
        tables["stop"]["even"] = True
        at = plan_from(tables, f"{plan.name}-{option}-{value}")
        with closing(Results(folder / f"{at.name}.sqlite", at, versions())) as results:
            run_study(at, results, jobs=jobs, cluster=cluster, advance=advance)
            return estimate(results.pair_points(0))

    return even_value(values, share_at)

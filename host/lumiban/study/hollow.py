"""Hollow studies: games that cannot answer what was asked, however many of them there are.

A share or counter says something of a game only where it does not hang on the bots' strength, so
two strengths that are a factor of eight apart must agree; where the bots can use the option asked
about; where the conditions' games differ at all; and where the outcome is not settled beforehand.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import groupby

from lumiban.errors import UsageError
from lumiban.study.findings import Finding
from lumiban.study.plan import Condition
from lumiban.study.sequential import Estimate

APART = 8
"""Ratio of playouts between the stronger and the weaker of two strengths."""
MOST_WON = 0.97
"""A side that scores more than this has settled the games."""
UNUSABLE: dict[str, frozenset[int | str]] = {"opening": frozenset({"pie2"})}
"""By option the values that none of our bots can use: they lay the two stones of a pie
without looking for an even position."""
ONE_STRENGTH, DISAGREE, ONE_SIDED = "one-strength", "strengths-disagree", "one-sided"
SAME_GAMES, BOTS_CANNOT, NOT_ASKED = "same-games", "bots-cannot", "not-asked"
COMPARES: dict[int, frozenset[str]] = {
    1: frozenset({"tie"}),
    9: frozenset({"opening"}),
    15: frozenset({"cells"}),
    17: frozenset({"size"}),
    18: frozenset({"hand_table"}),
    19: frozenset({"pass_plan"}),
    20: frozenset({"ojama_unit", "mixed_from"}),
    21: frozenset({"margin"}),
    23: frozenset({"interrupt"}),
    24: frozenset({"ghost_ojama"}),
    25: frozenset({"wall_cross"}),
    27: frozenset({"loop"}),
    36: frozenset({"repetition"}),
    37: frozenset({"both"}),
    39: frozenset({"initial"}),
    40: frozenset({"remove"}),
}
"""By question the options of which one must differ from condition to condition: the question is
how they compare."""


def unusable(conditions: Iterable[Condition]) -> tuple[str, int | str] | None:
    """The first option and value that no bot can use, None where there is none."""
    for condition in conditions:
        for name, value in condition.options:
            if value in UNUSABLE.get(name, ()):
                return name, value
    return None


def refuse_unusable(conditions: Sequence[Condition]) -> None:
    """UsageError for a study that asks of our bots what none of them can do."""
    reasons = unusable(conditions)
    if reasons is not None:
        name, value = reasons
        raise UsageError(
            f"the study is hollow: no bot of ours can use {conditions[0].slug}'s option"
            f" {name} = {value!r}, so its games would say nothing of it"
        )


def asks(conditions: Iterable[Condition], question: int) -> bool:
    """True if a study compares what a question compares."""
    compared = COMPARES.get(question)
    varied = {name for condition in conditions for name, _ in condition.varied}
    return compared is None or bool(compared & varied)


def why_hollow(
    findings: Sequence[Finding], differences: Mapping[int, Estimate | None], by: str
) -> str | None:
    """The reason why games say nothing of a question, None where they do.

    `by` is what answers it: `share`, `difference` (from `differences`, by condition), or a counter.
    """
    played = [one for one in findings if one.games]
    if not played:
        return None
    if unusable(one.condition for one in played) is not None:
        return BOTS_CANNOT
    if any(not 1 - MOST_WON <= one.share.mean <= MOST_WON for one in played):
        return ONE_SIDED
    if _are_the_same(played):
        return SAME_GAMES
    for group in _by_strength(played):
        least, most = group[0], group[-1]
        if _playouts(most) < APART * max(1, _playouts(least)):
            return ONE_STRENGTH
        if not _agree(least, most, differences, by):
            return DISAGREE
    return None


def _playouts(one: Finding) -> int:
    return one.condition.first.playouts or 0


def _by_strength(played: Sequence[Finding]) -> list[list[Finding]]:
    """Conditions that differ in strength alone, the weakest of each first."""

    def rules(one: Finding) -> tuple[str, ...]:
        condition = one.condition
        return (repr(condition.options), repr(condition.opening), condition.first.name)

    ordered = sorted(played, key=lambda one: (rules(one), _playouts(one)))
    return [list(group) for _, group in groupby(ordered, key=rules)]


def _are_the_same(played: Sequence[Finding]) -> bool:
    """True if two conditions of one strength have one score and games of one length."""
    seen = set()
    for one in played:
        plies = one.counts.get("plies")
        figures = (
            _playouts(one),
            one.share.mean,
            one.share.count,
            None if plies is None else plies.mean,
        )
        if figures in seen:
            return True
        seen.add(figures)
    return False


def _agree(
    least: Finding, most: Finding, differences: Mapping[int, Estimate | None], by: str
) -> bool:
    """True if each of two strengths lies in the other's interval, on the same side of even."""
    if by in ("share", "difference"):
        pair = [
            one.share if by == "share" else differences.get(one.condition.number)
            for one in (least, most)
        ]
        one, other = pair
        if one is None or other is None:
            return by == "difference"
        is_one_sign = (one.mean - 0.5) * (other.mean - 0.5) >= 0
        return is_one_sign and _lie_in(one, other)
    first, second = (finding.counts.get(by) for finding in (least, most))
    if first is None or second is None:
        return False
    return first.low <= second.mean <= first.high and second.low <= first.mean <= second.high


def _lie_in(one: Estimate, other: Estimate) -> bool:
    return one.low <= other.mean <= one.high and other.low <= one.mean <= other.high

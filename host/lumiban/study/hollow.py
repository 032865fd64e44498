"""The law of studies: what games between bots say of a game, and what they cannot say.

A figure says something of a game only where it does not hang on who played. So the same rules are
played at two strengths, one with eight times the playouts of the other.

*Who wins*, a share of points or of games, or how far it is from that under other rules: both
strengths put the same side ahead, or both lie within five points of an even result.

*How much or how often*, a counter: both strengths' intervals are narrow, and how far they are from
each other is told with the figure. What grows with thought is published as that.

Games that can say neither are hollow, however many of them there are.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from math import hypot

from lumiban.errors import UsageError
from lumiban.study.findings import (
    ANSWERED,
    ANSWERED_WITHIN,
    LEANING,
    LEANING_PAIRS,
    OPEN,
    Finding,
    Mean,
)
from lumiban.study.plan import Condition
from lumiban.study.sequential import Estimate

HOLLOW = "hollow"
SHARE, DIFFERENCE = "share", "difference"
APART = 8
"""Ratio of playouts between the stronger and the weaker of two strengths."""
EVEN_WITHIN = 0.05
"""A share whose interval lies within five points of one half is even, and so is a difference."""
NARROW = {ANSWERED: (0.03, 0.03), LEANING: (0.1, 0.05)}
"""By verdict how narrow a counter's interval must be, to either side: as a part of an amount, or
in points of a share. A change between strengths that is smaller than the wider one is none."""
WHO_WINS = frozenset({"first_attacker_won", "first_row_attacker_won"})
"""Counters that are shares of games won."""
MAX_WON = 0.97
"""A player who scores more than this against another shows nothing but that."""
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


@dataclass(frozen=True, slots=True)
class Judgement:
    """Worth of the games under one set of rules, by their weakest and their strongest players."""

    weak: Finding
    strong: Finding
    verdict: str
    """`answered`, `leaning`, `open` or `hollow`."""
    why: str
    """What both strengths say: `ahead`, `behind`, `even` or `undecided`; `grows`, `falls`, `steady`
    or `unclear`; of hollow games the reason."""
    change: tuple[float, float, float] | None = None
    """Of a counter how much more the stronger strength has, with its 95 % interval."""


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


def judge(
    findings: Sequence[Finding], differences: Mapping[int, Estimate | None], by: str
) -> list[Judgement]:
    """Judgement on each set of rules that was played, in their order.

    `by` is what is told: `share`, `difference` (from `differences`, by condition; none of the rules
    that others are compared with), or a counter.
    """
    played = [one for one in findings if one.games]
    same = _are_the_same(played)
    judged = []
    for group in _by_rules(played):
        weak, strong = group[0], group[-1]
        if by == DIFFERENCE and differences.get(strong.condition.number) is None:
            continue
        why = SAME_GAMES if same else _why_hollow(weak, strong)
        if why is not None:
            judged.append(Judgement(weak, strong, HOLLOW, why))
        elif by == SHARE:
            judged.append(_who_wins(weak, strong, (weak.share, strong.share), EVEN_WITHIN))
        elif by == DIFFERENCE:
            apart = tuple(differences.get(one.condition.number) for one in (weak, strong))
            judged.append(_who_wins(weak, strong, apart, EVEN_WITHIN / 2))  # two points count one
        elif {by} & WHO_WINS & {*weak.counts} & {*strong.counts}:
            won = [one.counts[by] for one in (weak, strong)]
            shares = [Estimate(one.pairs, one.mean, *one.interval()) for one in won]
            judged.append(_who_wins(weak, strong, shares, EVEN_WITHIN))
        else:
            judged.append(_how_much(weak, strong, by))
    return judged


def verdict_on(judged: Sequence[Judgement]) -> str:
    """What a study is worth: `answered` where it is for all of its rules, `leaning` where it says
    anything, `hollow` where it can say nothing."""
    verdicts = {one.verdict for one in judged}
    if verdicts <= {ANSWERED}:
        return ANSWERED if verdicts else OPEN
    if verdicts & {ANSWERED, LEANING}:
        return LEANING
    return OPEN if OPEN in verdicts else HOLLOW


def _why_hollow(weak: Finding, strong: Finding) -> str | None:
    if unusable([strong.condition]) is not None:
        return BOTS_CANNOT
    if _playouts(strong) < APART * max(1, _playouts(weak)):
        return ONE_STRENGTH
    shares = (weak.share.mean, strong.share.mean)
    if strong.condition.is_match and not all(1 - MAX_WON <= one <= MAX_WON for one in shares):
        return ONE_SIDED
    return None


def _playouts(one: Finding) -> int:
    return one.condition.first.playouts or 0


def _by_rules(played: Sequence[Finding]) -> list[list[Finding]]:
    """Conditions that differ in strength alone, the weakest of each first; players of a match are
    as far apart under each."""

    def rules(one: Finding) -> tuple[object, ...]:
        condition, second = one.condition, one.condition.second
        ratio = 1.0 if second is None else _playouts(one) / (second.playouts or 1)
        return (condition.options, condition.opening, condition.first.name, ratio)

    first_of = {rules(one): at for at, one in reversed([*enumerate(played)])}
    ordered = sorted(played, key=lambda one: (first_of[rules(one)], _playouts(one)))
    return [list(group) for _, group in groupby(ordered, key=rules)]


def _are_the_same(played: Sequence[Finding]) -> bool:
    """True if two conditions of one strength have one score and games of one length."""
    figures = [(_playouts(one), one.share, one.counts.get("plies")) for one in played]
    return len({*figures}) < len(figures)


def _who_wins(
    weak: Finding, strong: Finding, both: Sequence[Estimate | None], even: float
) -> Judgement:
    may_be = [_may_be(one, even) for one in both]
    agreed = [name for name in ("ahead", "behind", "even") if all(name in one for one in may_be)]
    if agreed:
        within = ANSWERED_WITHIN * even / EVEN_WITHIN
        is_known = all(one is not None and one.radius <= within for one in both)
        return Judgement(weak, strong, ANSWERED if is_known else LEANING, agreed[0])
    if all(may_be):
        return Judgement(weak, strong, HOLLOW, DISAGREE)
    return Judgement(weak, strong, OPEN, "undecided")


def _may_be(one: Estimate | None, even: float) -> set[str]:
    """What an interval allows to say; nothing before `LEANING_PAIRS`."""
    if one is None or one.count < LEANING_PAIRS:
        return set()
    said = {"ahead" if one.low > 0.5 else "behind"} if one.excludes_even else set()
    return said | ({"even"} if 0.5 - even <= one.low and one.high <= 0.5 + even else set())


def _how_much(weak: Finding, strong: Finding, name: str) -> Judgement:
    less, more = weak.counts.get(name), strong.counts.get(name)
    if less is None or more is None:
        return Judgement(weak, strong, OPEN, "undecided")
    apart = more.mean - less.mean
    # Newcombe, "Interval estimation for the difference between independent proportions" (1998),
    # method 10; of amounts it is the usual one.
    low = apart - hypot(more.mean - more.low, less.high - less.mean)
    high = apart + hypot(more.high - more.mean, less.mean - less.low)
    is_steady = max(-low, high) <= _narrow(more, LEANING)
    why = "steady" if is_steady else "grows" if low > 0 else "falls" if high < 0 else "unclear"
    verdict = OPEN
    if _is_known(less, LEANING) and _is_known(more, LEANING):
        is_answer = is_steady and _is_known(less, ANSWERED) and _is_known(more, ANSWERED)
        verdict = ANSWERED if is_answer else LEANING
    return Judgement(weak, strong, verdict, why, (apart, low, high))


def _narrow(mean: Mean, verdict: str) -> float:
    part, points = NARROW[verdict]
    return points if mean.is_share else part * abs(mean.mean)


def _is_known(mean: Mean, verdict: str) -> bool:
    low, high = mean.interval()
    radius = max(mean.mean - low, high - mean.mean)
    return mean.pairs >= LEANING_PAIRS and radius <= _narrow(mean, verdict)

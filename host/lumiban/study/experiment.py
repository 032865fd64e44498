"""A study under way: chunks are given out breadth first, judged in order, and kept one by one."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from lumiban.errors import UsageError
from lumiban.study.chunks import Chunk, FailedChunk, PlayedChunk, play_chunk
from lumiban.study.plan import Condition, Plan
from lumiban.study.results import Results
from lumiban.study.sequential import Estimate, estimate, is_known
from lumiban.study.versions import must_be_ours
from lumiban.study.workers import Workers, workers


@dataclass
class _Standing:
    """Progress of a condition: the pairs that are kept, and those that came before their turn."""

    condition: Condition
    points: list[float]
    kept: int
    """Chunks that are judged and kept."""
    given: int
    """Chunks that were given out, kept ones among them."""
    known: bool
    early: dict[int, PlayedChunk] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Advance:
    """Progress of a study: pairs that are kept of those that there may be at most, their cost, and
    the condition that a chunk was just kept of."""

    pairs: int
    most_pairs: int
    cpu_s: float
    """Of this run, over all processes."""
    condition: Condition
    found: Estimate


def run_study(
    plan: Plan,
    results: Results,
    *,
    jobs: int = 1,
    cluster: str | None = None,
    advance: Callable[[Advance], None] = lambda so_far: None,
) -> None:
    """Play all that is missing until each condition is known.

    The results are the same on any machine, in whatever order chunks are done, and however often
    the study was broken off. UsageError when a rule fails, or when a worker has other rules or
    another Python than this process.
    """
    standings = [_standing(plan, results, condition) for condition in plan.conditions]
    if all(one.known for one in standings):
        return
    cpu_s = 0.0
    with workers(play_chunk, jobs, cluster) as some:
        under_way = _give(plan, standings, some, 0)
        while under_way:
            chunk, played = some.answer()
            under_way -= 1
            standing = standings[chunk.condition.number]
            if isinstance(played, FailedChunk):
                raise UsageError(played.why)
            must_be_ours(played.versions)
            cpu_s += played.cpu_s
            if not standing.known:
                standing.early[chunk.number] = played
            while not standing.known and standing.kept in standing.early:
                _keep(plan, results, standing, standing.early.pop(standing.kept))
                advance(_advance(plan, standings, standing, cpu_s))
            under_way = _give(plan, standings, some, under_way)


def _standing(plan: Plan, results: Results, condition: Condition) -> _Standing:
    points, kept = results.pair_points(condition.number), results.chunks(condition.number)
    return _Standing(condition, points, kept, kept, _is_known(plan, points, kept))


def _is_known(plan: Plan, points: list[float], kept: int) -> bool:
    return kept == plan.chunks or (kept > 0 and is_known(estimate(points), plan.tables.stop))


def _keep(plan: Plan, results: Results, standing: _Standing, played: PlayedChunk) -> None:
    results.add(played)
    for first, second in zip(played.games[::2], played.games[1::2], strict=True):
        standing.points.append((first.point + second.point) / 2)
    standing.kept += 1
    standing.known = _is_known(plan, standing.points, standing.kept)
    if standing.known:
        standing.early.clear()


def _give(
    plan: Plan, standings: list[_Standing], some: Workers[Chunk, object], under_way: int
) -> int:
    """Give out chunks until nobody waits; the condition with the fewest comes next, so that all
    conditions grow together and few chunks are played beyond a stop."""
    while under_way < some.at_once:
        open_ones = [one for one in standings if not one.known and one.given < plan.chunks]
        if not open_ones:
            break
        standing = min(open_ones, key=lambda one: one.given)
        pairs = plan.pairs_of(standing.given)
        some.give(
            Chunk(
                standing.condition,
                standing.given,
                pairs.start,
                len(pairs),
                plan.tables.seed,
                plan.tables.most_plies,
            )
        )
        standing.given += 1
        under_way += 1
    return under_way


def _advance(plan: Plan, standings: list[_Standing], latest: _Standing, cpu_s: float) -> Advance:
    limit = plan.tables.stop.pairs
    return Advance(
        sum(len(one.points) for one in standings),
        sum(len(one.points) if one.known else limit for one in standings),
        cpu_s,
        latest.condition,
        estimate(latest.points),
    )

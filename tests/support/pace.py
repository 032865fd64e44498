"""Pace of this machine: what a claim of speed is measured in, so that no machine's pace breaks it.

A claim is `work` in units of a fixed piece of plain Python, both timed in turns: a slower machine,
or one that slows down meanwhile, slows both.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import cache
from typing import TypeVar

Result = TypeVar("Result")

UNIT = 10_000
"""Passes of the loop of one unit: some 0.5 ms of a machine of 2023."""


def unit() -> int:
    """One unit of work: calls, dicts and integers, as rules and tables are made of."""
    counts: dict[int, int] = {}
    for at in range(UNIT):
        counts[at & 255] = counts.get(at & 255, 0) + at
    return len(counts)


@cache
def unit_ns() -> int:
    """Processor time of one unit, as this process found it when it first asked."""
    return min(_timed(unit)[1] for _ in range(5))


def timed(work: Callable[[], Result]) -> tuple[Result, float]:
    """What `work` gives, and its processor time in units of the same moment."""
    _, before_ns = _timed(unit)
    result, spent_ns = _timed(work)
    _, after_ns = _timed(unit)
    return result, 2 * spent_ns / (before_ns + after_ns)


def _timed(work: Callable[[], Result]) -> tuple[Result, int]:
    begun_ns = time.thread_time_ns()  # a process's is coarse once a timer of its time has run
    result = work()
    return result, time.thread_time_ns() - begun_ns

"""Gain of another core: threads of one search against as many processes of it.

Processes share nothing but the machine: what they reach together is the machine's bound, and a
machine that has other work to do slows both alike. So both are measured in turns. Run as a
module, this is one of those processes: for each line on stdin it grows a tree and tells of it.
"""

from __future__ import annotations

import json
import subprocess
import sys
import time
from collections.abc import Callable
from statistics import median

from lumiban import games
from lumiban.games.base import Game
from lumiban.search import jit
from lumiban.search.tree import MAX_IN_SLICE, next_portion
from lumiban.search.tree_searches import new_search
from lumiban.system.child import python

from lumiban_lab.speed import Row

PLAYOUTS = 40_000
"""Of each tree, grown by slices as a bot grows it."""


def thread_rows(
    game: Game, threads: int, seconds: float, progress: Callable[[str], None] | None = None
) -> list[Row]:
    """Iterations per second in one thread, in several, and in as many processes, measured in turns.

    By the clock the best of each counts; by CPU time, of which other programs take none, the
    middle one, times the number of threads.
    """
    trees = PLAYOUTS if jit.available() else PLAYOUTS // 100
    command = [
        *python("lumiban_lab.threads"), game.slug, str(trees),
        json.dumps(dict(game.options)),
    ]  # fmt: skip
    others = [
        subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        for _ in range(threads)
    ]
    clock: dict[str, list[float]] = {"one": [], "threads": [], "processes": []}
    cpu: dict[str, list[float]] = {"one": [], "threads": []}
    try:
        grown(game, 1, 64)
        _both(others)
        until = time.perf_counter() + 3 * seconds
        while not clock["one"] or time.perf_counter() < until:
            if progress is not None:
                progress(f"{game.slug} {threads} threads")
            for name, count in (("one", 1), ("threads", threads)):
                done, took, busy = grown(game, count, count * trees)
                clock[name].append(done / took)
                cpu[name].append(count * done / busy)
            clock["processes"].append(_both(others))
    finally:
        for other in others:
            assert other.stdin is not None
            other.stdin.close()
            other.wait()

    def measured_row(what: str, rate: float, single: float) -> Row:
        return Row(
            game.slug, dict(game.options), what, "iterations", round(rate, 1), round(single, 1),
            jit.available(),
        )  # fmt: skip

    one = max(clock["one"])
    return [
        measured_row(f"{threads} threads", max(clock["threads"]), one),
        measured_row(f"{threads} processes", max(clock["processes"]), one),
        measured_row(
            f"{threads} threads against processes",
            max(clock["threads"]),
            max(clock["processes"]),
        ),
        measured_row(f"{threads} threads by CPU time", median(cpu["threads"]), median(cpu["one"])),
    ]


def grown(game: Game, threads: int, playouts: int) -> tuple[int, float, float]:
    """Grow a tree in each thread; (iterations, seconds by the clock, seconds of CPU time)."""
    search = new_search(game, game.start(), 1, playouts, threads=threads)
    search.grow(threads)
    portion, done = 64, 0
    began, busy = time.perf_counter(), time.process_time()
    while search.playouts < playouts:
        sliced = time.perf_counter()
        part = search.grow(min(portion, playouts - search.playouts))
        done += part
        if part == 0:  # proven
            break
        took_us = int((time.perf_counter() - sliced) * 1e6)
        portion = next_portion(portion, took_us, MAX_IN_SLICE)
    return done, time.perf_counter() - began, time.process_time() - busy


def _both(others: list[subprocess.Popen[str]]) -> float:
    """Iterations per second of all processes together."""
    for other in others:
        assert other.stdin is not None
        other.stdin.write("\n")
        other.stdin.flush()
    spans: list[tuple[float, float, int]] = []
    for other in others:
        assert other.stdout is not None
        spans.append(json.loads(other.stdout.readline()))
    first, last = min(began for began, _, _ in spans), max(ended for _, ended, _ in spans)
    return sum(done for _, _, done in spans) / (last - first)


def grow_for_parent(slug: str, playouts: int, options: dict[str, int | str]) -> None:
    """Grow a tree for each line of stdin; tell when it began and ended, and how large it is."""
    game = games.load(slug, **options)
    grown(game, 1, 64)
    for _ in sys.stdin:
        began = time.monotonic()
        done, _, _ = grown(game, 1, playouts)
        print(json.dumps([began, time.monotonic(), done]), flush=True)


if __name__ == "__main__":
    grow_for_parent(sys.argv[1], int(sys.argv[2]), json.loads(sys.argv[3]))

"""What the scheduler of a study costs, and two workers against one: `python cluster_speed.py`.

Overhead: processor time of all processes beside what the chunks themselves took, over many small
chunks, told as a share of chunks of ten seconds. Speed: the same games on one worker and on two, in
turns, by the clock; on a machine that does other things too both are slowed alike.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from contextlib import closing
from pathlib import Path
from statistics import median
from typing import Any

import psutil
from distributed import LocalCluster
from lumiban.study.experiment import run_study
from lumiban.study.plan import plan_from
from lumiban.study.results import Results
from lumiban.study.versions import versions

CHUNK_S = 10


def tables(pairs: int, chunk: int, size: int) -> dict[str, Any]:
    return {
        "title": "Speed",
        "game": "control",
        "chunk": chunk,
        "options": {"size": size},
        "first": {"level": "random"},
        "stop": {"pairs": pairs, "least": pairs},
    }


def played(pairs: int, chunk: int, size: int, **how: Any) -> float:
    """Plays a study; the processor time of its chunks."""
    plan = plan_from(tables(pairs, chunk, size), "speed")
    with (
        tempfile.TemporaryDirectory() as folder,
        closing(Results(Path(folder, "kept.sqlite"), plan, versions())) as kept,
    ):
        run_study(plan, kept, **how)
        return kept.cpu_s(0)


def family_s() -> float:
    """Processor time of this process and all that it began and that still runs."""
    own = psutil.Process()
    each = [own, *own.children(recursive=True)]
    return sum(one.cpu_times().user + one.cpu_times().system for one in each)


def overhead_s(chunks: int, cluster: str) -> float:
    """Processor time a chunk of ten pairs costs beside its games, on this cluster."""
    played(20, 10, 2, cluster=cluster)
    before = family_s()
    in_games = played(10 * chunks, 10, 2, cluster=cluster)
    return (family_s() - before - in_games) / chunks


def main() -> None:
    asked = argparse.ArgumentParser()
    asked.add_argument("--chunks", type=int, default=200)
    asked.add_argument("--pairs", type=int, default=120)
    asked.add_argument("--rounds", type=int, default=3)
    of = asked.parse_args()
    clusters = {
        count: LocalCluster(n_workers=count, threads_per_worker=1, dashboard_address=":0")
        for count in (1, 2)
    }
    each = overhead_s(of.chunks, clusters[1].scheduler_address)
    print(f"overhead: {1000 * each:.1f} ms a chunk, {each / CHUNK_S:.2%} of {CHUNK_S} s")
    ratios = []
    for cluster in clusters.values():
        played(8, 1, 5, cluster=cluster.scheduler_address)
    for _ in range(of.rounds):
        took = {}
        for count, cluster in clusters.items():
            began = time.perf_counter()
            in_games = played(of.pairs, 4, 5, cluster=cluster.scheduler_address)
            took[count] = time.perf_counter() - began
            print(f"{count} workers: {took[count]:.2f} s, {in_games:.2f} s of processor time")
        ratios.append(took[1] / took[2])
    print(f"two workers against one: {median(ratios):.2f} times as fast (median of {of.rounds})")
    for cluster in clusters.values():
        cluster.close()


if __name__ == "__main__":
    main()

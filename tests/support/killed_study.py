"""A study that is killed at a point: `python killed_study.py FILE RESULTS POINT`.

Even points lie between two chunks, odd ones within one: its first game is written.
"""

from __future__ import annotations

import os
import signal
import sys
from contextlib import closing
from pathlib import Path

from lumiban.study.chunks import PlayedChunk
from lumiban.study.experiment import run_study
from lumiban.study.plan import load_plan
from lumiban.study.results import Results
from lumiban.study.versions import versions

POINTS = 10


def die() -> None:
    os.kill(os.getpid(), signal.SIGKILL)


class KilledResults(Results):
    """Results whose process ends while they are kept."""

    point = 0
    kept = games = 0

    def add(self, chunk: PlayedChunk) -> None:
        self.kept += 1
        last = self.kept == 1 + self.point // 4
        if last and self.point % 2:
            self._db.set_trace_callback(self._heard)
        super().add(chunk)
        if last:
            die()

    def _heard(self, statement: str) -> None:
        self.games += statement.startswith("INSERT INTO games")
        if self.games == 2:
            die()


def main() -> None:
    plan = load_plan(Path(sys.argv[1]))
    with closing(KilledResults(Path(sys.argv[2]), plan, versions())) as results:
        results.point = int(sys.argv[3])
        run_study(plan, results)


if __name__ == "__main__":
    main()

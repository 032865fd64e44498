"""A bot's process watched from outside: what it answers, and what it has spent."""

from __future__ import annotations

import os
import select
import time
from pathlib import Path

from lumiban.search.pipe import Answer
from lumiban.search.worker import Worker


def wait(worker: Worker, seconds: float = 60.0) -> list[Answer]:
    """What is answered next, woken by the descriptor alone."""
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        select.select([worker.fileno()], [], [], until - time.monotonic())
        if answers := worker.answers():
            return answers
    raise AssertionError("no answer in time")


def spent_s(pid: int) -> float:
    """Seconds of CPU that a process has used: nothing that others do counts for it."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

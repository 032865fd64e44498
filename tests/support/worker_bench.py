"""A bot's process watched from outside: what it answers, and what it has spent."""

from __future__ import annotations

import os
import select
from pathlib import Path

from lumiban.search.worker import SearchProcess
from lumiban.search.worker_messages import Answer


def wait(worker: SearchProcess) -> list[Answer]:
    """What is answered next, woken by the descriptor alone."""
    while True:
        heard(worker)
        if answers := worker.answers():
            return answers


def heard(worker: SearchProcess) -> None:
    """Wait until the worker's descriptor says that there is something to hear."""
    select.select([worker.fileno()], [], [])


def spent_s(pid: int) -> float:
    """Seconds of CPU that a process has used: nothing that others do counts for it."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

"""Patience with a process of ours that has not said anything yet: simulator, page, header's driver.

A limit by the clock takes a busy machine for a dead process. Here only that time counts in which
the process slept although it could have run, and, for one that turns in a circle, what it worked.
While it ran, waited for a core or for the disk, it had no chance to answer.
"""

from __future__ import annotations

import asyncio
import subprocess
import time
from collections.abc import Callable, Collection
from contextlib import suppress
from pathlib import Path
from typing import Any

from lumiban.system import processes

LOOK_S = 0.5
"""Between two looks; of a longer while no more than `STEP_S` counts, as we slept too, or the whole
machine, and heard nothing that it may have said."""
STEP_S = 1.0
NO_CHANCE = "RDTt"
"""States of a thread that runs or waits for a core, waits for the disk, or was stopped."""


class ProcessPatience:
    """How long a process may sleep, in sum, before it is given up, and how long it may work.

    Without /proc all the time that it lives counts as slept.
    """

    def __init__(
        self,
        pid: int,
        idle_s: float,
        work_s: float,
        *,
        clock: Callable[[], float] = time.monotonic,
        proc: Path = processes.PROC,
    ) -> None:
        self._pid = pid
        self._idle_s, self._work_s = idle_s, work_s
        self._clock = clock
        self._proc = proc
        self._idled_s = self._worked_s = 0.0
        self._at_s = clock()
        self._ran_s, self._queued_s, _ = self._spent()

    def is_over(self) -> bool:
        """Whether it had every chance to speak, or is no more; looks at it anew."""
        now_s = self._clock()
        passed_s, self._at_s = min(now_s - self._at_s, STEP_S), now_s
        ran_s, queued_s, is_asleep = self._spent()
        # What a thread spent that has ended nobody tells any more.
        worked_s = max(0.0, ran_s - self._ran_s)
        waited_s = max(0.0, queued_s - self._queued_s)
        self._ran_s, self._queued_s = ran_s, queued_s
        self._worked_s += worked_s
        if is_asleep:
            self._idled_s += max(0.0, passed_s - worked_s - waited_s)
        if self._idled_s >= self._idle_s or self._worked_s >= self._work_s:
            return True
        return not processes.runs(self._pid)

    def _spent(self) -> tuple[float, float, bool]:
        """Seconds that its threads ran and waited for a core, and whether all of them sleep."""
        ran_ns = queued_ns = 0
        is_asleep = True
        with suppress(OSError, ValueError, IndexError):  # a thread may end while it is looked at
            for thread in (self._proc / str(self._pid) / "task").iterdir():
                state = (thread / "stat").read_text("utf-8").rpartition(")")[2].split()[0]
                is_asleep = is_asleep and state not in NO_CHANCE
                run, delay, _ = (thread / "schedstat").read_text("utf-8").split()
                ran_ns += int(run)
                queued_ns += int(delay)
        return ran_ns / 1e9, queued_ns / 1e9, is_asleep


async def first_line(process: subprocess.Popen[bytes], patience: ProcessPatience) -> bytes:
    """The next line that a process says, b"" at its end; TimeoutError when patience is over."""
    assert process.stdout is not None
    reading = asyncio.create_task(asyncio.to_thread(process.stdout.readline))
    if not await one_is_done([reading], lambda: process.poll() is None and patience.is_over()):
        reading.cancel()
        raise TimeoutError
    return reading.result()


async def one_is_done(
    waiting: Collection[asyncio.Future[Any]], is_over: Callable[[], bool]
) -> bool:
    """Wait until one of these is done, or until patience is over, at which it looks now and then.

    Whether one is done.
    """
    while True:
        done, _ = await asyncio.wait(waiting, timeout=LOOK_S, return_when=asyncio.FIRST_COMPLETED)
        if done or is_over():
            return bool(done)

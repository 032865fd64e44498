"""Control task: how late this computer runs what is due, while a board on a port is tested.

A thread sleeps for `STEP_S` again and again; what it oversleeps, the tests oversleep as well. It
knows nothing of the board, so that a slow board cannot look like a busy computer.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable

STEP_S = 0.005
BUSY_US = 30_000
"""A computer that was once as late as this may have made a test fail."""


class Lateness:
    """Lateness of one run, µs; `clock` and `sleep` are in seconds."""

    def __init__(
        self,
        clock: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        self._clock = clock
        self._sleep = sleep
        self._stopped = False
        self._worst_us = 0
        self._thread = threading.Thread(target=self._watch, name="lateness", daemon=True)

    def start(self) -> None:
        """Begin to watch."""
        self._thread.start()

    def stop(self) -> None:
        """End it."""
        self._stopped = True
        self._thread.join()

    def step(self) -> None:
        """Sleep once and note by how much too long."""
        before = self._clock()
        self._sleep(STEP_S)
        late_us = max(0, round((self._clock() - before - STEP_S) * 1e6))
        self._worst_us = max(self._worst_us, late_us)

    def take_worst_us(self) -> int:
        """The worst since the last call."""
        worst, self._worst_us = self._worst_us, 0
        return worst

    def _watch(self) -> None:
        while not self._stopped:
            self.step()

"""Token bucket: how fast the messages of pages are followed."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable


class Pace:
    """Lets `burst` messages by at once and then `rate` a second; the others wait.

    `clock` is in seconds.

    >>> now = 0.0
    >>> pace = Pace(10.0, 2, clock=lambda: now)
    >>> [round(pace.take(), 3) for _ in range(4)]
    [0.0, 0.0, 0.1, 0.2]
    """

    def __init__(
        self, rate: float, burst: int, *, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._rate = rate
        self._burst = burst
        self._clock = clock
        self._left = float(burst)
        self._at = clock()

    def take(self) -> float:
        """Count a message; returns after how many seconds it is its turn."""
        now = self._clock()
        self._left = min(self._burst, self._left + (now - self._at) * self._rate) - 1
        self._at = now
        return max(0.0, -self._left / self._rate)

    async def wait(self) -> None:
        """Count a message and wait for its turn."""
        wait_s = self.take()
        if wait_s > 0:
            await asyncio.sleep(wait_s)

"""A board's own time as the time of the table: an emulated chip is slower than the world.

A second of such a chip takes half a minute. Link, table and hands count seconds by their asyncio
loop; in this one they count the chip's, so that nothing is too late that is not late for the chip.
"""

from __future__ import annotations

import asyncio
import selectors
import time
from collections.abc import Callable

POLL_S = 0.005
"""Between two looks at another's clock."""
ALIVE_S = 1.0
"""Between two looks at whether it still goes."""


class _Selector(selectors.DefaultSelector):
    """Waits as long as it is told, or only until it is time to look at the clock again."""

    polls: Callable[[], bool] = staticmethod(lambda: False)

    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        if self.polls() and timeout is not None and timeout > 0:
            timeout = POLL_S
        return super().select(timeout)


class BoardTimeLoop(asyncio.SelectorEventLoop):
    """A loop whose clock is the machine's until it is told to `follow` another; never goes back.

    >>> loop = BoardTimeLoop()
    >>> board_us = 5_000_000
    >>> loop.follow(lambda: board_us, lambda: True)
    >>> before = loop.time()
    >>> board_us += 250_000
    >>> round(loop.time() - before, 6)
    0.25
    >>> loop.leave()
    >>> loop.time() - before >= 0.25
    True
    >>> loop.close()
    """

    def __init__(self) -> None:
        self._clock: Callable[[], int] | None = None
        self._ahead = 0.0
        self._alive: Callable[[], bool] = lambda: True
        self._looked = 0.0
        selector = _Selector()
        selector.polls = self._follows
        super().__init__(selector)

    def follow(self, clock: Callable[[], int], alive: Callable[[], bool]) -> None:
        """From now on time goes by as on `clock` (µs), for as long as that is `alive`."""
        now = self.time()
        self._alive, self._looked = alive, time.monotonic()
        self._ahead = now - clock() / 1e6
        self._clock = clock

    def leave(self) -> None:
        """From now on time goes by as everywhere."""
        now = self.time()
        self._clock = None
        self._ahead = now - time.monotonic()

    def time(self) -> float:
        """Seconds, by the clock that is followed."""
        if self._clock is not None:
            return self._clock() / 1e6 + self._ahead
        return time.monotonic() + self._ahead

    def _follows(self) -> bool:
        now = time.monotonic()
        if self._clock is not None and now - self._looked >= ALIVE_S:
            self._looked = now
            if not self._alive():
                self.leave()
        return self._clock is not None


def follow(clock: Callable[[], int], alive: Callable[[], bool]) -> None:
    """Let the running loop, a `BoardTimeLoop`, follow this clock; TypeError when it is none."""
    loop = asyncio.get_running_loop()
    if not isinstance(loop, BoardTimeLoop):
        raise TypeError("this loop's time cannot be a board's")
    loop.follow(clock, alive)


def leave() -> None:
    """Let the running loop follow no board's clock any more, if it did."""
    loop = asyncio.get_running_loop()
    if isinstance(loop, BoardTimeLoop):
        loop.leave()

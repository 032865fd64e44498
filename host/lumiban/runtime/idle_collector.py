"""Garbage collection in a table's process: between stones, on new objects only.

Left alone it looks through all that the process ever imported, 23 to 34 ms in which no stone is
answered, whenever enough has been made. Here all that there is when the table begins is set aside,
and so is, a moment after each burst of steps, what that burst left: so little was made since that
looking takes less than a millisecond. What was set aside and became garbage later, circles only,
is found when a game has ended and nothing is going on.
"""

from __future__ import annotations

import gc
from collections.abc import Callable

IDLE_S = 0.2
"""Time after a step until the table has likely nothing to do: hands take longer."""
REST_S = 2.0
"""Time after a step until nobody waits for a light."""
SELDOM = 1000
"""Collections of the middle generation until a whole one comes by itself; usual is 10. A table that
never comes to rest is collected so, after some millions of objects."""


class IdleCollector:
    """Collects what steps leave behind when they are over. `start` begins, `stop` ends it.

    `call_later` is the loop's, `now` its clock in seconds.
    """

    def __init__(
        self, call_later: Callable[[float, Callable[[], None]], object], now: Callable[[], float]
    ) -> None:
        self._call_later = call_later
        self._now = now
        self._stepped_at = 0.0
        self._is_waiting = False
        self._runs = False
        self._has_ended = False
        """True if a game has ended since all was looked through."""
        self._usual = gc.get_threshold()

    def start(self) -> None:
        """Set aside all that there is."""
        young, middle, _ = self._usual = gc.get_threshold()
        self._runs = True
        gc.set_threshold(young, middle, SELDOM)
        gc.collect()
        gc.freeze()

    def stop(self) -> None:
        """Collect as usual again."""
        if self._runs:
            self._runs = False
            gc.set_threshold(*self._usual)
            gc.unfreeze()

    def stepped(self) -> None:
        """A step was followed."""
        self._stepped_at = self._now()
        if self._runs and not self._is_waiting:
            self._is_waiting = True
            self._call_later(IDLE_S, self._look)

    def game_ended(self) -> None:
        """Its history is garbage now, or soon."""
        self._has_ended = True

    def _look(self) -> None:
        self._is_waiting = False
        if not self._runs:
            return
        quiet_s = self._now() - self._stepped_at
        wanted_s = REST_S if self._has_ended else IDLE_S
        if quiet_s >= REST_S and self._has_ended:
            self._has_ended = False
            gc.unfreeze()
        if quiet_s >= IDLE_S:
            gc.collect()
            gc.freeze()
        if quiet_s < wanted_s:
            self._is_waiting = True
            self._call_later(max(wanted_s - quiet_s, IDLE_S / 4), self._look)

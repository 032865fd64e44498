"""Readings that the host gives in place of the sensors': for tests on a board without hands."""

from array import array

from lumiban_fw import wire
from lumiban_fw.events import NEVER
from lumiban_fw.layout import Layout
from lumiban_fw.wire import Nak

TYPE_CHECKING = False
if TYPE_CHECKING:
    from lumiban_fw.hal import Hal

WAITING = 32
"""INJECT frames that may wait for their time."""
AT_ONCE_US = 8_000
"""Frames of so long are prepared together: a burst takes no more."""


class Injected:
    """Readings of the senses while `on`: counts and references as last injected."""

    def __init__(self, layout: Layout) -> None:
        self.on = False
        self._counts = array("H", [wire.HALF_SCALE] * layout.cells)
        self._references = array("H", [wire.HALF_SCALE] * layout.rows)
        self._waiting: "list[tuple[int, int, int]]" = []

    def switch(self, on: bool) -> None:
        """Begin, with 2048 everywhere, or end."""
        self.on = on
        self._waiting = []
        for k in range(len(self._counts)):
            self._counts[k] = wire.HALF_SCALE
        for k in range(len(self._references)):
            self._references[k] = wire.HALF_SCALE

    def add(self, at_us: int, step_us: int, first: int, readings: "list[int]") -> None:
        """Take in one INJECT; Nak says why not."""
        if not self.on:
            raise Nak(wire.NAK_BUSY)
        n = len(readings)
        last = first if step_us else first + n - 1
        rows = first >= wire.FIRST_BUTTON
        end = len(self._references) + wire.FIRST_BUTTON if rows else len(self._counts)
        if n == 0 or last >= end or max(readings) > wire.FULL_SCALE:
            raise Nak(wire.NAK_VALUE)
        if len(self._waiting) + n > WAITING * wire.READINGS_A_FRAME:
            raise Nak(wire.NAK_FULL)
        waiting = self._waiting
        for k in range(n):
            item = (at_us + k * step_us, first if step_us else first + k, readings[k])
            # Later frames mostly come later: look from the end.
            at = len(waiting)
            while at > 0 and waiting[at - 1][0] > item[0]:
                at -= 1
            waiting.insert(at, item)

    def due_us(self) -> int:
        """Time in µs at which the next reading changes."""
        return self._waiting[0][0] if self._waiting else NEVER

    def put(self, t_us: int, counts: "array[int]", references: "array[int]") -> None:
        """Replace a frame taken at `t_us`."""
        self._advance(t_us)
        counts[:] = self._counts
        references[:] = self._references

    def prepare(self, hal: "Hal", epoch_us: int) -> int:
        """Replace frames that `hal` would take in next, as many as read the same; how many."""
        t_us = hal.next_us(epoch_us)
        if t_us < 0:
            return 0
        self._advance(t_us)
        for_us = AT_ONCE_US
        if self._waiting:
            for_us = min(for_us, self._waiting[0][0] - t_us)
        return hal.put(self._counts, self._references, for_us)

    def _advance(self, t_us: int) -> None:
        """Read what is due at `t_us`."""
        waiting = self._waiting
        done = 0
        while done < len(waiting) and waiting[done][0] <= t_us:
            _, place, reading = waiting[done]
            if place >= wire.FIRST_BUTTON:
                self._references[place - wire.FIRST_BUTTON] = reading
            else:
                self._counts[place] = reading
            done += 1
        if done:
            self._waiting = waiting[done:]

    def shift(self, by_us: int) -> None:
        """Move the moment from which times count."""
        self._waiting = [(t - by_us, place, reading) for t, place, reading in self._waiting]

"""Raw readings for the host, for calibration and self-test: FIELD frames, as asked."""

from lumiban_fw import wire
from lumiban_fw.events import NEVER
from lumiban_fw.layout import Layout
from lumiban_fw.link import Link

TYPE_CHECKING = False
if TYPE_CHECKING:
    from array import array

MIN_PERIOD_MS = 5
CROWDED = 8
"""With more frames than this in the queue, a moment is left out."""


class Field:
    """Request of the host for reports of the fields, and the time of the next one."""

    def __init__(self, layout: Layout, link: Link) -> None:
        self.due_us = NEVER
        self._layout = layout
        self._link = link
        self._first = 0
        self._end = 0
        self._period_us = 0

    def ask(self, first: int, count: int, period_ms: int, now_us: int) -> None:
        """GET_FIELD."""
        self._first = min(first, self._layout.cells)
        self._end = min(first + count, self._layout.cells)
        self._period_us = max(period_ms, MIN_PERIOD_MS) * 1000 if period_ms else 0
        self.due_us = now_us if self._end > self._first else NEVER

    def stop(self) -> None:
        """Tell no more."""
        self.due_us = NEVER

    def tell(self, t_us: int, full_us: int, counts: "array[int]", references: "array[int]") -> None:
        """Send one frame, taken at `t_us` (`full_us` on the wire)."""
        self.due_us = t_us + self._period_us if self._period_us else NEVER
        if self._link.backlog() > CROWDED:
            return
        step = wire.READINGS_A_FRAME
        for first in range(self._first, self._end, step):
            some = [counts[k] for k in range(first, min(first + step, self._end))]
            self._link.send(wire.B_FIELD, wire.pack_field(full_us, first, some))
        some = list(references)
        self._link.send(wire.B_FIELD, wire.pack_field(full_us, wire.FIRST_BUTTON, some))

    def shift(self, by_us: int) -> None:
        """Move the moment from which times count."""
        if self.due_us != NEVER:
            self.due_us -= by_us

"""The firmware in a world whose quiet frames are left out: noise alone keeps it at no work.

On a board of many cells nearly every frame has one whose noise leaves its band. The firmware then
looks at the next frame, for it may be the first of RUN beyond the band; where no field changes it
never is. Such frames were three of four that a soak ran.
"""

from __future__ import annotations

from array import array

from lumiban_fw.board import Board
from lumiban_fw.buffers import BAND, LAST
from lumiban_fw.events import NEVER
from lumiban_fw.hal import Hal

AFTER_FEEDING = 100
"""Frames, many times as many as make a change certain."""


class CalmBoard(Board):
    """A `Board` that asks for no frame only because a cell's noise left its band in the last one.

    For a chip that runs every frame while a field changes: there all is as on a `Board`. A run of
    frames beyond a band ends where frames were left out, for in them it would have ended.
    """

    def __init__(self, hal: Hal) -> None:
        super().__init__(hal)
        self._no_runs = array("i", [-1] * self.layout.cells)
        self._fed = 0
        """Frames that are still to be seen after those which the host fed: what lies there may
        differ from what was believed, and counts once it has been seen often enough."""

    def quiet(self) -> bool:
        """Whether readings that differ by noise alone from now on would make no event."""
        return super().quiet() or (self._beliefs and self._only_noise())

    def _only_noise(self) -> bool:
        sense = self.sense
        return (
            sense._saw[1] > 0
            and sense.ready
            and not self._fed  # what is fed changes where no field does
            and self.services.field_us() == NEVER  # raw readings are told frame by frame
            and not (sense.moving or sense._rows.held or sense.found or sense.working())
            and self._release.empty()
            and self._buttons.held_us < 0
        )

    def turn(self, at_us: int) -> int:
        """`Board.turn`, after any time of which nothing was seen."""
        if self._short(at_us) - self._last_frame_us >= 2 * self._frame_us:
            self.sense._bands[LAST::BAND] = self._no_runs
        was_fed, last_us = self.services.injects(), self._last_frame_us
        now_us = super().turn(at_us)
        if was_fed or self.services.injects():
            self._fed = AFTER_FEEDING
        elif self._fed and self._last_frame_us != last_us:
            self._fed -= 1
        return now_us

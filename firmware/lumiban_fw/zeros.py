"""What each cell reads without a piece of its own: calibration, drift, and its neighbours' fields.

A sensor's zero is counts above its row's reference. It is what was calibrated, never what is read
at power-on, for pieces may stand there. A piece takes a little of the field of the cells around
it (layout.py has the shares); that is noted when it has settled, not in every frame.
"""

from array import array

from lumiban_fw.calibration import Calibration
from lumiban_fw.layout import Layout

DRIFT_UT = 3000
"""A zero follows its sensor so far from its calibration, no further."""
_ONE = 256
"""Drift and shares are kept in 1/256 counts."""


class Zeros:
    """Zeros and gains of all cells; `zero` in counts, `gain` in µT a count times 65536."""

    def __init__(self, layout: Layout, calibration: "Calibration | None" = None) -> None:
        n = layout.cells
        self.strong_ut = 0
        """What a white or black piece of this board shows when it stands; 0: not taught."""
        offsets: "array[int] | list[int]" = layout.baseline
        self.gain = array("i", [layout.gain_q16] * n)
        if calibration is not None:
            offsets = calibration.offsets
            self.strong_ut = calibration.strong_ut
            for cell in range(n):
                if calibration.gains[cell]:
                    self.gain[cell] = calibration.gains[cell]
        self.zero = array("h", offsets)
        self._calibrated = array("h", offsets)
        self._drift = array("i", bytes(4 * n))
        self._near = array("i", bytes(4 * n))
        self._own = array("h", bytes(2 * n))
        self._layout = layout

    def ut(self, cell: int, count: int) -> int:
        """The field (µT) that a count above the reference means."""
        return ((count - self.zero[cell]) * self.gain[cell]) >> 16

    def stand(self, cell: int, count: int, moved: "list[tuple[int, int]]") -> None:
        """A cell settled with its own piece at `count` (at its zero when it is empty).

        Notes what that adds to the cells around; `moved` takes (cell, counts) of zeros that
        changed by a whole count.
        """
        own = count - self.zero[cell]
        change = own - self._own[cell]
        if change == 0:
            return
        self._own[cell] = own
        near = self._layout.near
        at = self._layout.near_at[cell]
        for k in range(at + 1, at + 1 + 2 * near[at], 2):
            other = (cell + near[k]) & 0xFF
            self._near[other] += change * self._layout.shares[near[k + 1]] // _ONE
            by = self._sum(other)
            if by:
                moved.append((other, by))

    def before(self, cell: int, alone: int) -> int:
        """The count of an empty cell before a piece came: with what its neighbours add.

        `alone` is what it last read at rest.
        """
        zero = self.zero[cell]
        # More than all neighbours can add is a piece held above.
        if (abs(alone - zero) * self.gain[cell]) >> 15 < self._layout.off_ut:
            return alone
        return zero

    def drift(self, cell: int, step: int) -> bool:
        """Let a zero follow its sensor by `step`/256 counts; False at the end of its range."""
        drift = self._drift[cell] + step
        ut = drift * self.gain[cell] >> 24
        if not -DRIFT_UT <= ut <= DRIFT_UT:
            return False
        self._drift[cell] = drift
        self._sum(cell)
        return True

    def _sum(self, cell: int) -> int:
        zero = self._calibrated[cell] + ((self._drift[cell] + self._near[cell] + _ONE // 2) >> 8)
        by = zero - self.zero[cell]
        self.zero[cell] = zero
        return by

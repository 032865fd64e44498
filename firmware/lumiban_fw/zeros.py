"""What each cell reads without a piece of its own: calibration, drift, and its neighbours' fields.

A sensor's zero is counts above its row's reference. It is what was calibrated, never what is read
at power-on, for pieces may stand there. A piece takes a little of the field of the cells around
it (layout.py has the shares); that is noted when it has settled, not in every frame.
"""

from array import array

from lumiban_fw.calibration import Calibration
from lumiban_fw.kernels import share
from lumiban_fw.layout import Layout

DRIFT_UT = 3000
"""A zero follows its sensor so far from its calibration, no further."""
_ONE = 256
"""Drift and shares are kept in 1/256 counts."""

TYPE_CHECKING = False
if TYPE_CHECKING:
    Rest = tuple[array[int], array[int], array[int], bytearray]
    """Bands, settled values, since when, and marks: of the cells that rest."""


class Baselines:
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
        self._shares = array("i", layout.shares)
        self._zeros = (self._near, self._drift, self._calibrated, self.zero)

    def ut(self, cell: int, count: int) -> int:
        """The field (µT) that a count above the reference means."""
        return ((count - self.zero[cell]) * self.gain[cell]) >> 16

    def stand(self, cell: int, count: int, still: int, since: int, rest: "Rest") -> None:
        """A cell settled with its own piece at `count` (at its zero when it is empty).

        Notes what that adds to the cells around; those of `rest` that rest since `since` take it
        into their settled values and bands, `still` wide on each side, and are marked.
        """
        own = count - self.zero[cell]
        change = own - self._own[cell]
        if change == 0:
            return
        self._own[cell] = own
        layout = self._layout
        at = layout.near_at[cell]
        share(cell, at, change, still, since, layout.near, self._shares, self._zeros, rest)

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
        self.zero[cell] = self._calibrated[cell] + (drift + self._near[cell] + _ONE // 2 >> 8)
        return True

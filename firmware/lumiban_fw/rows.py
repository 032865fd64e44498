"""Rows whose reference is off cannot be read: their cells keep what they held until it is back."""

from array import array

from lumiban_fw.kernels import note
from lumiban_fw.layout import Layout
from lumiban_fw.ways import HALF_SCALE, MASK, REFERENCE_OFF, RING
from lumiban_fw.wire import FAULT_GONE, FAULT_REFERENCE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from lumiban_fw.sense import Sense

REFERENCE_FRAMES = 3
"""Bad frames in a row that make a fault; the cells are held from the first."""


class Rows:
    """Watches the references of all rows and holds the cells of those that are off."""

    def __init__(self, layout: Layout, sense: "Sense") -> None:
        self._layout = layout
        self._sense = sense
        self.held = 0
        """One bit for each row that is held."""
        self.grounds = array("b", bytes(layout.rows * RING))
        """The last RING references of each row, above HALF_SCALE."""
        self._bad = [0] * layout.rows
        self._good_us = [-1] * layout.rows
        self._freed_no = [0] * layout.rows

    def note(self, references: "array[int]", no: int) -> int:
        """Keep the references (H) of frame `no`; the rows that are off, one bit each."""
        bad: int = note(references, self.grounds, no & MASK, RING, HALF_SCALE, REFERENCE_OFF)
        return bad

    def frozen(self, row: int) -> bool:
        """Whether a row is held."""
        return bool(self.held >> row & 1)

    def freed(self, row: int) -> int:
        """The number of the frame from which on a row was readable."""
        return self._freed_no[row]

    def watch(self, bad: int, now_us: int, no: int) -> bool:
        """Take in whose references are off (one bit each); whether a row is about to be held
        or freed.

        One row is freed in a frame: all cells of a board would take the chip 40 ms.
        """
        waiting = False
        fresh = bad & ~self.held
        if fresh:
            self._freeze(fresh)
        freed = False
        for row in range(self._layout.rows):
            if bad >> row & 1:
                self._good_us[row] = -1
                if self._bad[row] < REFERENCE_FRAMES:
                    waiting = True
                    self._bad[row] += 1
                    if self._bad[row] == REFERENCE_FRAMES:
                        self._sense.faults.append((FAULT_REFERENCE, row))
            elif self.held >> row & 1:
                waiting = True
                if self._good_us[row] < 0:
                    self._good_us[row] = now_us
                elif not freed and now_us - self._good_us[row] >= self._layout.settle_us:
                    freed = True
                    self._thaw(row, no)
        return waiting

    def _freeze(self, rows: int) -> None:
        """Hold the cells of some rows, one bit each."""
        self.held |= rows
        row = self._layout.row
        for cell in range(len(row)):
            if rows >> row[cell] & 1:
                self._sense.drop(cell)
                self._sense.hold(cell)

    def _thaw(self, row: int, no: int) -> None:
        self.held &= ~(1 << row)
        self._freed_no[row] = no
        if self._bad[row] >= REFERENCE_FRAMES:
            self._sense.faults.append((FAULT_REFERENCE | FAULT_GONE, row))
        self._bad[row] = 0
        for cell in range(self._layout.cells):
            if self._layout.row[cell] == row:
                self._sense.free(cell)

    def shift(self, by_us: int) -> None:
        """Move the moment from which times count."""
        for row in range(self._layout.rows):
            if self._good_us[row] >= 0:
                self._good_us[row] = max(self._good_us[row] - by_us, 0)

    def forget_frames(self) -> None:
        """Numbers of frames begin anew."""
        for row in range(self._layout.rows):
            self._freed_no[row] = 0

"""What the senses notice about themselves: drift, stuck sensors, all baselines moving together.

One cell is looked at every few frames, so the work is the same whatever the board's size.
"""

from array import array

from lumiban_fw.wire import EMPTY, FAULT_BROWN_OUT, FAULT_DRIFT, FAULT_GONE, FAULT_STUCK, MASKED

TYPE_CHECKING = False
if TYPE_CHECKING:
    from lumiban_fw.sense import Sense

EMPTY_US = 60_000_000
"""A zero follows its sensor only while the cell has been empty and at rest for so long."""
DRIFT_UT_A_MINUTE = 100
LOOK_US = 4_000_000
"""A zero moves once in this time at most."""
SAME = 10
"""A sensor that reads the same so often in a row is stuck; noise alone lets it change."""
FEW = 8
"""With fewer cells than this nothing is said about all of them together."""
SHAKEN_US = 3_000_000
"""Baselines that have not come back after so long have come to stay."""


class Health:
    """Looks after the cells of one `Sense`."""

    def __init__(self, sense: "Sense") -> None:
        n = sense.layout.cells
        self.low_rail = False
        """The supply is too low to believe a motion; told by the board."""
        self._sense = sense
        self._at = 0
        self._drift_us = 0
        """When the round of all cells began in which zeros moved last …"""
        self._drifts = False
        """… and whether it is this one."""
        self._seen = array("h", [0] * n)
        self._same = bytearray(n)
        self._stuck = 0
        self._ends = array("i", [0, 0])
        self._ranged = bytearray(n)
        self._shaken_us = -1
        self._calm_us = -1

    def shift(self, by_us: int) -> None:
        """Move the moment from which times count."""
        self._drift_us = max(self._drift_us - by_us, -LOOK_US)
        if self._shaken_us >= 0:
            self._shaken_us = max(self._shaken_us - by_us, 0)
        if self._calm_us >= 0:
            self._calm_us = max(self._calm_us - by_us, 0)

    def visit(self) -> None:
        """Look at the next cell."""
        sense = self._sense
        if self._shaken_us >= 0 and sense.moving == 0 and not self.low_rail:
            self._calm(sense.now_us)
        cell = self._at
        self._at = cell + 1 if cell + 1 < len(self._same) else 0
        if cell == 0:
            self._drifts = sense.now_us - self._drift_us >= LOOK_US
            if self._drifts:
                self._drift_us = sense.now_us
        if sense.frozen(sense.layout.row[cell]) or sense.kinds[cell] == MASKED:
            return
        if sense.touched[cell]:
            sense.touched[cell] = 0
            sense.judge_again(cell)
        self._look_stuck(cell, sense.raw(cell))
        if self._drifts and self._shaken_us < 0:
            if sense.kinds[cell] == EMPTY and sense.rests(cell, EMPTY_US):
                self._track(cell, sense.reading(cell))

    def _look_stuck(self, cell: int, raw: int) -> None:
        same = self._same[cell]
        if raw != self._seen[cell]:
            self._seen[cell] = raw
            self._same[cell] = 0
            if same > SAME:
                self._stuck -= 1
                if same == SAME + 2:
                    self._sense.faults.append((FAULT_STUCK | FAULT_GONE, cell))
        elif same < SAME:
            self._same[cell] = same + 1
        elif same == SAME:
            self._same[cell] = SAME + 1
            self._stuck += 1
        elif same == SAME + 1 and 2 * self._stuck < len(self._same):
            # In a world without noise all sensors read the same; only one that is alone is stuck.
            self._same[cell] = SAME + 2
            self._sense.faults.append((FAULT_STUCK, cell))

    def _track(self, cell: int, count: int) -> None:
        sense = self._sense
        off = count - sense.zeros.zero[cell]
        if off == 0:
            return
        step = (DRIFT_UT_A_MINUTE * (LOOK_US // 1_000_000) << 24) // (60 * sense.zeros.gain[cell])
        if sense.zeros.drift(cell, step if off > 0 else -step):
            if self._ranged[cell]:
                self._ranged[cell] = 0
                sense.faults.append((FAULT_DRIFT | FAULT_GONE, cell))
        elif not self._ranged[cell]:
            self._ranged[cell] = 1
            sense.faults.append((FAULT_DRIFT, cell))

    def alert(self) -> bool:
        """Whether `shaken` must be asked although few cells move."""
        return self.low_rail or self._shaken_us >= 0

    def shaken(self, cells: bytearray, moving: int) -> bool:
        """Whether most cells have moved alike, as no hands do: then nothing settles.

        A field that is strong enough to be a white or black piece is believed.
        """
        sense = self._sense
        n = len(self._same)
        if n < FEW or not sense.ready:
            return False
        now_us = sense.now_us
        if self._alike(cells, moving) or self.low_rail:
            self._calm_us = -1
            if self._shaken_us < 0:
                self._shaken_us = now_us
                sense.faults.append((FAULT_BROWN_OUT, 0))
            return now_us - self._shaken_us < SHAKEN_US
        if self._shaken_us >= 0 and not self._calm(now_us):
            return now_us - self._shaken_us < SHAKEN_US
        return False

    def _calm(self, now_us: int) -> bool:
        """Cells do not move alike any more: whether they have not for long enough."""
        if self._calm_us < 0:
            self._calm_us = now_us
        if now_us - self._calm_us < self._sense.layout.settle_us:
            return False
        self._shaken_us = self._calm_us = -1
        self._sense.faults.append((FAULT_BROWN_OUT | FAULT_GONE, 0))
        return True

    def _alike(self, cells: bytearray, moving: int) -> bool:
        sense = self._sense
        if 2 * moving <= len(self._same):
            return False
        total: int = sense.spread(cells, moving, self._ends)
        mean = total // moving
        size = mean if mean > 0 else -mean
        ut = size * sense.layout.gain_q16 >> 16
        if ut < sense.layout.still_ut // 2 or ut > 2 * sense.layout.on_ut:
            return False
        return self._ends[1] - self._ends[0] <= size + 3 * sense.still

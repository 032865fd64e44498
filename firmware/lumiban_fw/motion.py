"""The cells on their way: what they have read since they left their settled fields.

buffers.py says where the numbers stand; the loop over all of them is the kernel `follow`.
"""

from array import array

from lumiban_fw.buffers import (
    ANCHOR,
    AT,
    CELL_WORDS,
    FIRST,
    FREE,
    LONG_AGO_US,
    MASK,
    MEAN,
    MOVING,
    REST_SUM,
    REST_US,
    SAMPLES,
    START,
    STILL,
    SUM,
    TOTAL,
    TRACE,
    TRACE_LEN,
    TRACES,
)
from lumiban_fw.calibration import Calibration
from lumiban_fw.kernels import earliest, follow, ranks, share, start_all
from lumiban_fw.layout import Layout


class MovingCells:
    """`tally[MOVING]` cells move: the first of `cells`, in the order in which they began.

    `still` is the half width of the band of rest, in counts.
    """

    def __init__(self, layout: Layout, still: int) -> None:
        n = layout.cells
        self.tally = array("i", [0, TRACES, 0, MEAN * still, layout.settle_us])
        self.cells = bytearray(n)
        self.moves = bytearray(n)
        """1 for a cell that moves."""
        self.early = array("h", bytes(2 * n * MEAN))
        """The first readings of a cell beyond its band; the last MEAN of one that moves."""
        self.state = array("i", bytes(4 * n * CELL_WORDS))
        self.traces = array("h", bytes(2 * TRACES * TRACE_LEN))
        self.free = bytearray(range(TRACES))
        self._layout = layout
        whole = memoryview(self.traces)
        self._rings = [whole[k * TRACE_LEN : (k + 1) * TRACE_LEN] for k in range(TRACES)]

    def begin(self, cell: int, start_us: int, first: int, now_us: int, count: int) -> None:
        """A cell begins to move; `first` is the number of the first frame of its way."""
        state = self.state
        base = cell * CELL_WORDS
        state[base + START] = start_us
        state[base + FIRST] = first
        state[base + STILL] = now_us
        state[base + SUM] = state[base + ANCHOR] = MEAN * count
        state[base + TOTAL] = state[base + SAMPLES] = state[base + AT] = 0
        state[base + TRACE] = -1
        for k in range(cell * MEAN, cell * MEAN + MEAN):
            self.early[k] = count
        if not self.moves[cell]:
            self.moves[cell] = 1
            self.cells[self.tally[MOVING]] = cell
            self.tally[MOVING] += 1

    def all(self, counts: "array[int]", references: "array[int]", first: int, now_us: int) -> None:
        """All cells begin to move with the frame of number `first`."""
        start_all(counts, references, self._layout.row, self.state, self.early, first, now_us)
        n = len(self.cells)
        self.tally[MOVING] = n
        self.cells[:] = bytes(range(n))
        self.moves[:] = b"\1" * n

    def follow(
        self,
        counts: "array[int]",
        references: "array[int]",
        no: int,
        now_us: int,
        out: bytearray,
    ) -> int:
        """Take in frame `no`; how many cells rested long enough, written to `out`."""
        tally = self.tally
        n: int = follow(
            counts,
            references,
            self._layout.row,
            self.cells,
            tally[MOVING],
            self.state,
            self.early,
            self.traces,
            no & MASK,
            now_us,
            tally[REST_SUM],
            tally[REST_US],
            out,
        )
        return n

    def mark(self, mark: int, oldest: int) -> int:
        """The least beginning of a motion, but not before `oldest`; `mark` when that is less."""
        least: int = earliest(self.cells, self.tally[MOVING], self.state, mark)
        return least if least == mark or least > oldest else oldest

    def start_us(self, cell: int) -> int:
        """Time in µs at which a cell's motion began."""
        return self.state[cell * CELL_WORDS + START]

    def still_us(self, cell: int) -> int:
        """Since when a moving cell's field rests."""
        return self.state[cell * CELL_WORDS + STILL]

    def first(self, cell: int) -> int:
        """Number of the first frame of a cell's way."""
        return self.state[cell * CELL_WORDS + FIRST]

    def samples(self, cell: int) -> int:
        """Number of the newest frames that are surely at rest."""
        return self.state[cell * CELL_WORDS + SAMPLES]

    def value(self, cell: int) -> int:
        """The count at which a cell rests."""
        base = cell * CELL_WORDS
        samples = self.state[base + SAMPLES]
        if samples == 0:
            return self.state[base + SUM] // MEAN
        return (2 * self.state[base + TOTAL] + samples) // (2 * samples)

    def end(self, cell: int) -> None:
        """A cell moves no more. Call `close_ranks` after one or more of these."""
        ring = self.state[cell * CELL_WORDS + TRACE]
        if ring >= 0:
            self.give_back(ring)
            self.state[cell * CELL_WORDS + TRACE] = -1
        self.moves[cell] = 0

    def close_ranks(self) -> None:
        """Take the cells that rest again out of those that move."""
        self.tally[MOVING] = ranks(self.cells, self.moves, self.tally[MOVING])

    def lend(self, cell: int) -> int:
        """The number of the ring of a cell's way, which is kept until `give_back`; -1: none."""
        ring = self.state[cell * CELL_WORDS + TRACE]
        self.state[cell * CELL_WORDS + TRACE] = -1
        return ring

    def trace(self, number: int) -> "memoryview[int]":
        """A ring's counts."""
        return self._rings[number]

    def give_back(self, number: int) -> None:
        """A lent ring is free again."""
        self.free[self.tally[FREE]] = number
        self.tally[FREE] += 1

    def shift(self, by_us: int) -> None:
        """Move the moment from which times count."""
        for k in range(self.tally[MOVING]):
            base = self.cells[k] * CELL_WORDS
            for at in (base + START, base + STILL):
                self.state[at] = max(self.state[at] - by_us, -LONG_AGO_US)


# What each cell reads without a piece of its own: calibration, drift, and its neighbours' fields.
#
# A sensor's zero is counts above its row's reference. It is what was calibrated, never what is read
# at power-on, for pieces may stand there. A piece takes a little of the field of the cells around
# it (layout.py has the shares); that is noted when it has settled, not in every frame.


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
        """Field of a standing white or black piece of this board; 0: not taught."""
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

"""The cells on their way: what they have read since they left their settled fields.

ways.py says where the numbers stand; the loop over all of them is the kernel `follow`.
"""

from array import array

from lumiban_fw.kernels import earliest, follow, ranks, start_all
from lumiban_fw.layout import Layout
from lumiban_fw.ways import (
    ANCHOR,
    AT,
    FIRST,
    FREE,
    LONG_AGO_US,
    MASK,
    MEAN,
    MOVING,
    REST_SUM,
    REST_US,
    RING,
    SAMPLES,
    START,
    STILL,
    SUM,
    TOTAL,
    TRACE,
    TRACES,
    WAY,
)


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
        self.state = array("i", bytes(4 * n * WAY))
        self.traces = array("h", bytes(2 * TRACES * RING))
        self.free = bytearray(range(TRACES))
        self._layout = layout
        whole = memoryview(self.traces)
        self._rings = [whole[k * RING : (k + 1) * RING] for k in range(TRACES)]

    def begin(self, cell: int, start_us: int, first: int, now_us: int, count: int) -> None:
        """A cell begins to move; `first` is the number of the first frame of its way."""
        state = self.state
        base = cell * WAY
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
        """When a cell's motion began."""
        return self.state[cell * WAY + START]

    def still_us(self, cell: int) -> int:
        """Since when a moving cell's field rests."""
        return self.state[cell * WAY + STILL]

    def first(self, cell: int) -> int:
        """Number of the first frame of a cell's way."""
        return self.state[cell * WAY + FIRST]

    def samples(self, cell: int) -> int:
        """How many of the newest frames are surely at rest."""
        return self.state[cell * WAY + SAMPLES]

    def value(self, cell: int) -> int:
        """The count at which a cell rests."""
        base = cell * WAY
        samples = self.state[base + SAMPLES]
        if samples == 0:
            return self.state[base + SUM] // MEAN
        return (2 * self.state[base + TOTAL] + samples) // (2 * samples)

    def end(self, cell: int) -> None:
        """A cell moves no more. Call `close_ranks` after one or more of these."""
        ring = self.state[cell * WAY + TRACE]
        if ring >= 0:
            self.give_back(ring)
            self.state[cell * WAY + TRACE] = -1
        self.moves[cell] = 0

    def close_ranks(self) -> None:
        """Take the cells that rest again out of those that move."""
        self.tally[MOVING] = ranks(self.cells, self.moves, self.tally[MOVING])

    def lend(self, cell: int) -> int:
        """The number of the ring of a cell's way, which is kept until `give_back`; -1: none."""
        ring = self.state[cell * WAY + TRACE]
        self.state[cell * WAY + TRACE] = -1
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
            base = self.cells[k] * WAY
            for at in (base + START, base + STILL):
                self.state[at] = max(self.state[at] - by_us, -LONG_AGO_US)

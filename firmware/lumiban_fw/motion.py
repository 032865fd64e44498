"""The cells on their way: what they have read since they left their settled fields.

ways.py says where the numbers stand; the loop over all of them is the kernel `follow`.
"""

from array import array

from lumiban_fw.kernels import awake, earliest, follow
from lumiban_fw.layout import Layout
from lumiban_fw.ways import (
    ANCHOR,
    AT,
    FIRST,
    MASK,
    MEAN,
    RING,
    SAMPLES,
    START,
    STILL,
    SUM,
    TOTAL,
    TRACE,
    WAY,
)

TRACES = 16
"""Moving cells whose way is kept; those beyond get a time without a fit."""
LONG_AGO_US = 1 << 28
"""Ages are told apart up to this only (4.5 minutes)."""


class Motions:
    """`count` cells move: the first of `cells`, in the order in which they began."""

    def __init__(self, layout: Layout) -> None:
        n = layout.cells
        self.count = 0
        self.cells = bytearray(n)
        self.moves = bytearray(n)
        """1 for a cell that moves."""
        self._layout = layout
        self.early = array("h", bytes(2 * n * MEAN))
        """The first readings of a cell beyond its band; the last MEAN of one that moves."""
        self._state = array("i", bytes(4 * n * WAY))
        self._traces = array("h", bytes(2 * TRACES * RING))
        whole = memoryview(self._traces)
        self._rings = [whole[k * RING : (k + 1) * RING] for k in range(TRACES)]
        self._free = list(range(TRACES))

    def begin(self, cell: int, start_us: int, first: int, now_us: int, count: int) -> None:
        """A cell begins to move; `first` is the number of the first frame of its way."""
        state = self._state
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
            self.cells[self.count] = cell
            self.count += 1

    def all(self, counts: "array[int]", references: "array[int]", first: int, now_us: int) -> None:
        """All cells begin to move with the frame of number `first`."""
        awake(counts, references, self._layout.row, self._state, self.early, first, now_us)
        self.count = len(self.cells)
        for cell in range(self.count):
            self.cells[cell] = cell
            self.moves[cell] = 1

    def trace(self, cell: int, first: int) -> int:
        """A ring with the readings of `early`, the first of a cell's way; −1: no ring is free."""
        if not self._free:
            return -1
        ring = self._free.pop()
        for k in range(MEAN):
            self._traces[ring * RING + ((first + k) & MASK)] = self.early[cell * MEAN + k]
        return ring

    def keep(self, cell: int, ring: int) -> None:
        """Keep the way of a cell that began to move in a ring of `trace`."""
        self._state[cell * WAY + TRACE] = ring

    def follow(
        self,
        counts: "array[int]",
        references: "array[int]",
        no: int,
        now_us: int,
        still: int,
        out: bytearray,
    ) -> int:
        """Take in frame `no`; how many cells rested long enough, written to `out`."""
        n: int = follow(
            counts,
            references,
            self._layout.row,
            self.cells,
            self.count,
            self._state,
            self.early,
            self._traces,
            no & MASK,
            now_us,
            MEAN * still,
            self._layout.settle_us,
            out,
        )
        return n

    def mark(self, mark: int, oldest: int) -> int:
        """The least beginning of a motion, but not before `oldest`; `mark` when that is less."""
        least: int = earliest(self.cells, self.count, self._state, mark)
        return least if least == mark or least > oldest else oldest

    def start_us(self, cell: int) -> int:
        """When a cell's motion began."""
        return self._state[cell * WAY + START]

    def still_us(self, cell: int) -> int:
        """Since when a moving cell's field rests."""
        return self._state[cell * WAY + STILL]

    def first(self, cell: int) -> int:
        """Number of the first frame of a cell's way."""
        return self._state[cell * WAY + FIRST]

    def samples(self, cell: int) -> int:
        """How many of the newest frames are surely at rest."""
        return self._state[cell * WAY + SAMPLES]

    def value(self, cell: int) -> int:
        """The count at which a cell rests."""
        base = cell * WAY
        samples = self._state[base + SAMPLES]
        if samples == 0:
            return self._state[base + SUM] // MEAN
        return (2 * self._state[base + TOTAL] + samples) // (2 * samples)

    def end(self, cell: int) -> None:
        """A cell moves no more. Call `close_ranks` after one or more of these."""
        ring = self._state[cell * WAY + TRACE]
        if ring >= 0:
            self._free.append(ring)
            self._state[cell * WAY + TRACE] = -1
        self.moves[cell] = 0

    def close_ranks(self) -> None:
        """Take the cells that rest again out of those that move."""
        n = 0
        for k in range(self.count):
            cell = self.cells[k]
            if self.moves[cell]:
                self.cells[n] = cell
                n += 1
        self.count = n

    def lend(self, cell: int) -> int:
        """The number of the ring of a cell's way, which is kept until `give_back`; -1: none."""
        ring = self._state[cell * WAY + TRACE]
        self._state[cell * WAY + TRACE] = -1
        return ring

    def ring(self, number: int) -> "memoryview[int]":
        """A ring's counts."""
        return self._rings[number]

    def give_back(self, number: int) -> None:
        """A lent ring is free again."""
        self._free.append(number)

    def shift(self, by_us: int) -> None:
        """Move the moment from which times count."""
        for k in range(self.count):
            base = self.cells[k] * WAY
            for at in (base + START, base + STILL):
                self._state[at] = max(self._state[at] - by_us, -LONG_AGO_US)

"""One cell on its way: what it has read since it left its settled field, and whether it rests."""

from array import array

MEAN = 8
"""Readings whose mean must be at rest."""
TRACE = 512
"""Frames kept of each way."""
MASK = TRACE - 1


class Motion:
    """One cell on its way from one settled field to the next."""

    def __init__(self) -> None:
        self.cell = 0
        self.start_us = 0
        self.first = 0
        self.trace: "array[int] | None" = None
        self.still_us = 0
        self._window = [0] * MEAN
        self._at = 0
        self._sum = 0
        self._anchor = 0
        self._total = 0
        self._samples = 0

    def begin(self, cell: int, start_us: int, first: int, now_us: int, count: int) -> None:
        """Start with the newest count; `first` is the number of the first frame of the way."""
        self.cell = cell
        self.start_us = start_us
        self.first = first
        self.still_us = now_us
        for k in range(MEAN):
            self._window[k] = count
        self._sum = self._anchor = MEAN * count
        self._total = 0
        self._samples = 0

    def follow(self, count: int, no: int, now_us: int, still: int, settle_us: int) -> int:
        """Take in a count; return for how long (µs) the field has been at rest.

        `still` is MEAN times the band's half width in counts.
        """
        if self.trace is not None:
            self.trace[no & MASK] = count
        k = self._at
        self._at = (k + 1) % MEAN
        self._sum += count - self._window[k]
        self._window[k] = count
        off = self._sum - self._anchor
        if off > still or off < -still:
            self._anchor = self._sum
            self.still_us = now_us
            self._total = 0
            self._samples = 0
            return 0
        rest = now_us - self.still_us
        # The first half may still hold the end of the way; the mean is of what follows.
        if rest >= settle_us >> 1:
            self._total += count
            self._samples += 1
        return rest

    def resting(self) -> int:
        """How many of the newest frames are surely at rest."""
        return self._samples

    def mean(self) -> int:
        """The settled count."""
        if self._samples == 0:
            return self._sum // MEAN
        return (2 * self._total + self._samples) // (2 * self._samples)

"""When a change of a cell happened, in short steps: on an RP2040 the whole takes up to 40 ms."""

from array import array

from lumiban_fw.contact import UNSURE_US, contact_steps
from lumiban_fw.kernels import sink
from lumiban_fw.layout import Layout
from lumiban_fw.seat import ground_steps, seat_steps, steady_steps
from lumiban_fw.ways import CLOCK, LONG_AGO_US, MASK, RING

GAPS = 16
"""So many times without frames are kept."""
SOON = 64
"""What so few frames more will overwrite is no longer relied upon: a turn may take in 32."""
NEAR = 160
"""Frames before a piece rests that are all told above the mean of the reference, or none."""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from lumiban_fw.contact import Steps
    from lumiban_fw.motion import MovingCells


class Trajectory:
    """One cell's way from one settled field to the next, as it was when it settled.

    `last` is the newest frame's number; `old` and `value` are the settled counts before and
    after, `zero` what the cell reads without its piece, `resting` how many of the newest frames
    are surely at rest, `freed` the frame from which on its row was readable, `now` the newest
    frame while its time is worked out.
    """

    def __init__(self, trace: "memoryview[int]", ring: int, cell: int) -> None:
        self.trace = trace
        self.ring = ring
        self.cell = cell
        self.falling = False
        self.start_us = 0
        self.still_us = 0
        self.first = 0
        self.last = 0
        self.now = 0
        self.resting = 0
        self.freed = 0
        self.old = 0
        self.value = 0
        self.zero = 0
        self.still = 0
        self.gain = 0

    def age(self) -> int:
        """How many frames ago the first began of which a count is held."""
        return self.now - max(self.first, self.last - RING + 1)


def way_of(motions: "MovingCells", ring: int, cell: int, falling: bool, last: int) -> Trajectory:
    """The way that a cell's motion took up to frame `last`."""
    way = Trajectory(motions.trace(ring), ring, cell)
    way.falling = falling
    way.start_us = motions.start_us(cell)
    way.still_us = motions.still_us(cell)
    way.first = motions.first(cell)
    way.last = way.now = last
    way.resting = motions.samples(cell)
    return way


class Gaps:
    """The last times in which no frame was seen: what lies there may have been anywhere in it.

    >>> gaps = Gaps()
    >>> gaps.note(1_000, 9_000)
    >>> gaps.widen(8_000, 500), gaps.widen(9_400, 500), gaps.widen(9_600, 500)
    (7000, 8400, 500)
    """

    def __init__(self) -> None:
        self._ends = array("i", [-LONG_AGO_US] * (2 * GAPS))

    def note(self, from_us: int, to_us: int) -> None:
        """No frame was seen between these two times."""
        ends = self._ends
        for k in range(2 * GAPS - 1, 1, -1):
            ends[k] = ends[k - 2]
        ends[0] = from_us
        ends[1] = to_us

    def shift(self, by_us: int) -> None:
        """Move the moment from which times count."""
        sink(self._ends, by_us, -LONG_AGO_US)

    def widen(self, t_us: int, uncertainty: int) -> int:
        """How far off a time may be that is off by no more than this if every frame was seen."""
        wide = uncertainty
        ends = self._ends
        for k in range(0, len(ends), 2):
            if ends[k] < t_us + uncertainty and ends[k + 1] > t_us - uncertainty:
                wide = max(wide, t_us - ends[k], ends[k + 1] - t_us)
        return min(wide, UNSURE_US)


def unfitted(way: Trajectory) -> "tuple[int, int]":
    """As `estimate_time`, from the ends of the way alone."""
    return way.start_us if way.falling else way.still_us, UNSURE_US


def estimate_time(
    way: Trajectory, times: "array[int]", grounds: "array[int]", layout: Layout
) -> "Steps[tuple[int, int]]":
    """(when it happened, how far off that may be), both in µs; every frame was seen."""
    trace = way.trace
    falling = way.falling
    row = layout.row[way.cell]
    zero = way.zero
    settled = (way.old if falling else way.value) - zero
    half_um = layout.weak_um
    if (abs(settled) * way.gain) >> 16 >= layout.strong_ut:
        half_um = layout.strong_um
    last = way.last
    first = max(way.first, last - RING + 1)
    if not falling and _since(way, first) >= 0:
        mean = yield from ground_steps(trace, grounds, row * RING, first, last, way.resting)
        since = _since(way, first)
        if mean is not None and since >= 0:
            yield from steady_steps(trace, grounds, row * RING, since, last, mean)
    got = yield from contact_steps(trace, times, first, last, zero, settled, falling, half_um)
    if got is None:
        at_first = (trace[first & MASK] - zero) * 2
        past = (at_first < settled if settled > 0 else at_first > settled) == falling
        # Not where it paused on the way: then the first frames of the way are not there.
        whole = 4 * abs((way.value if falling else way.old) - zero) < abs(settled)
        if past and whole and first == way.first and first > way.freed:
            # It was there, or gone, from one frame to the next.
            return way.start_us, 1_000_000 // layout.scan_hz
        return unfitted(way)
    fit_us, uncertainty, way_us = got
    if way_us and not falling:
        better = yield from seat_steps(
            trace, times, first, last, zero, settled, fit_us, way_us, way.still
        )
        if better is not None:
            fit_us, uncertainty, way_us = better
    if falling:
        # A hand gathers speed on its way up, so the parting may lie before what the line
        # says; the field cannot leave its band before it.
        uncertainty += way_us >> 3
        latest = _parted_us(way, times, first)
    else:
        # What is within the band counts as rest, so the band's share of the way may follow:
        # near the seat a part x of the field is 1.35 x of the half height; twice that, for
        # the mean lags behind.
        latest = way.still_us + 3 * way_us * way.still // abs(settled)
    # No event may lie before the motion: the watermark went on until there.
    t_us = max(min(fit_us, latest), way.start_us)
    return t_us, min(uncertainty + abs(t_us - fit_us), UNSURE_US)


def _since(way: Trajectory, first: int) -> int:
    """The frame from `first` on since which all references of a way are still there; -1 if those
    near the seat are not. They are overwritten while its time waits for others to be worked out.
    """
    since = max(first, way.now - RING + SOON)
    return since if since == first or since <= way.last - way.resting - NEAR else -1


def _parted_us(way: Trajectory, times: "array[int]", first: int) -> int:
    """When a cell's field left its old band for good."""
    no = way.last
    while no >= first:
        off = way.trace[no & MASK] - way.old
        if -way.still <= off <= way.still:
            return times[(no + 1) & CLOCK]
        no -= 1
    return way.start_us

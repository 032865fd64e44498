"""Time at which a piece touched its seat, or left it, from the field on its way down or up.

A strong magnet is felt long before a weak one, so no fixed threshold is fair to both. What is
fair is the piece's own scale: the field divided by its settled value. That ratio falls with the
height above the seat along one curve for all our magnets once heights are counted in units of the
height at which it is one half (`HEIGHT`, made from the field on the axis of a cylinder magnet;
6×3 and 4×2 at 5 to 7 mm differ by under 1 %). So the frames between 25 and 75 % become heights,

    h = half_um · HEIGHT(B / settled) / 1024,

a straight line t → h is fitted through them by least squares, its slope is the speed v of the
hand, and the piece met its seat where the line meets h = 0: half_um / v after the field passed
50 % on the way down, as much before it on the way up. Noise of the field is noise of the height
divided by the curve's steepness, so each frame weighs by the square of that.

For a piece that comes down this is a first estimate; `refine_contact_steps` makes it sharper.
"""

from array import array

from lumiban_fw.buffers import CLOCK, LONG_AGO_US, MASK, TRACE_LEN
from lumiban_fw.kernels import (
    curve_sums,
    ground_sums,
    line_sums,
    rest_sums,
    sink,
    take_off,
    walk,
)
from lumiban_fw.layout import Layout
from lumiban_fw.motion import MovingCells
from lumiban_fw.wire import UNSURE_MAX_US

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Generator
    from typing import TypeVar


HEIGHT = array("H", [
    2295, 2173, 2059, 1953, 1855, 1763, 1676, 1595, 1518, 1445, 1376, 1310, 1248, 1188, 1131,
    1076, 1024, 974, 925, 879, 834, 791, 749, 709, 670, 633, 596, 561, 527, 493, 461, 430, 399,
    369,
])  # fmt: skip
"""Height in 1/1024 of the half height, at B/settled = 16/64, 17/64 … 49/64."""

UNSURE_US = UNSURE_MAX_US
"""The uncertainty of a time that could not be fitted; the most that an event can say."""


FITTED = 16
"""Frames that a step fits a line to. On an RP2040 a step takes about 0.5 ms."""
_sums = array("i", bytes(44))
"""Sums of a kernel, until the step ends."""

if TYPE_CHECKING:
    T = TypeVar("T")
    Steps = Generator[None, None, T]
    """Work that is done in short steps, one each time it is asked for the next."""


def finish(steps: "Steps[T]") -> "T":
    """Do all steps; what they return."""
    while True:
        try:
            next(steps)
        except StopIteration as done:
            value: T = done.value
            return value


def root(n: int) -> int:
    """The largest integer whose square is at most `n`.

    >>> [root(n) for n in (0, 1, 15, 16, 10**12)]
    [0, 1, 3, 4, 1000000]
    """
    if n < 2:
        return n
    x = 1
    while x * x <= n:
        x <<= 1
    while True:
        y = (x + n // x) >> 1
        if y >= x:
            return x
        x = y


def contact(
    trace: "array[int] | memoryview[int]",
    times: "array[int]",
    first: int,
    last: int,
    zero: int,
    settled: int,
    falling: bool,
    half_um: int,
) -> "tuple[int, int, int] | None":
    """Time (µs) at which the piece met its seat, or left it when `falling`; its uncertainty; and
    the time it took from the half height to the seat.

    `trace` (counts) is a ring of TRACE_LEN frames, `times` (µs) one of CLOCK + 1; frames `first` to
    `last` are held. `zero` is the count without a piece, `settled` the piece's own settled count
    above it. None when the field did not pass 50 % in these frames.
    """
    return finish(contact_steps(trace, times, first, last, zero, settled, falling, half_um))


def contact_steps(
    trace: "array[int] | memoryview[int]",
    times: "array[int]",
    first: int,
    last: int,
    zero: int,
    settled: int,
    falling: bool,
    half_um: int,
) -> "Steps[tuple[int, int, int] | None]":
    """`contact` in short steps."""
    size = abs(settled)
    half = size >> 1
    low = (size + 3) >> 2
    # Counts that are at least the half; the last passage counts: a stone may waver before it
    # comes down for good.
    edge, far = (zero + half, zero + 8192) if settled > 0 else (zero - 8192, zero - half)
    no = walk(trace, last, first - 1, -1, edge, far, falling)
    no = walk(trace, no, first - 1, -1, edge, far, not falling) + 1
    if no <= first:
        return None
    yield
    edge, far = (zero + low, zero + size - low) if settled > 0 else (zero - size + low, zero - low)
    start = walk(trace, no - 1, first - 1, -1, edge, far, True) + 1
    end = walk(trace, no, last + 1, 1, edge, far, True)
    frame_us = times[no & CLOCK] - times[(no - 1) & CLOCK]
    n = end - start
    if n < 3:
        # Faster than the frames can follow: all of the height lies within two of them.
        before = trace[(no - 1) & MASK] - zero
        after = trace[no & MASK] - zero
        part = frame_us * ((half if settled > 0 else -half) - before) // (after - before)
        return times[(no - 1) & CLOCK] + part, min(2 * frame_us, UNSURE_US), 0
    origin = times[no & CLOCK]
    sw = st = sh = stt = shh = sth = 0
    for k in range(start, end, FITTED):
        yield
        line_sums(
            trace, times, HEIGHT, k, min(k + FITTED, end), zero, settled, half_um, origin, _sums
        )
        sw += _sums[0]
        st += (_sums[1] << 10) + _sums[2]
        sh += _sums[3]
        stt += (_sums[4] << 20) + (_sums[5] << 11) + _sums[6]
        sth += (_sums[7] << 10) + _sums[8]
        shh += (_sums[9] << 7) + _sums[10]
    yield
    # All weights times the sums about the mean, so that all stays whole.
    stt = sw * stt - st * st
    shh = sw * shh - sh * sh
    sth = sw * sth - st * sh
    if stt == 0 or sth == 0 or (sth > 0) != falling:
        return times[no & CLOCK], UNSURE_US, 0
    # Line h = h̄ + v (t − t̄), v = sth / stt; it meets the seat at t̄ − h̄ / v.
    met = (st * sth - sh * stt) // (sw * sth)
    # Variance of that: (spread of h about the line) / v² · (1/Σw + (met − t̄)² / Stt).
    rest = shh - sth * sth // stt
    if rest < 0:
        rest = 0
    lever = met - st // sw
    variance = rest * stt // sth * stt // sth * (stt + sw * sw * lever * lever) // stt
    sigma = root(abs(variance) // (sw * sw * (n - 2)))
    way_us = abs(half_um * stt // sth)
    return origin + met, min(4 * sigma + frame_us // 2, UNSURE_US), way_us


# The moment of contact from all of a piece's way down to its seat, and how far off it may be.
#
# `contact` reads the middle of the way and goes on to the seat in a straight line: sound for any
# hand, but at 2 ms apart too coarse to tell two hands from each other. Once it is known roughly
# when a piece met its seat, the frames near it say more: there the field is steepest.


SHARE = array("H", [
    4096, 3906, 3727, 3559, 3400, 3250, 3109, 2976, 2850, 2731, 2619, 2512, 2411, 2315, 2224,
    2138, 2056, 1978, 1904, 1834, 1767, 1703, 1642, 1584, 1529, 1476, 1425, 1377, 1331, 1287,
    1245, 1204, 1166, 1129, 1093, 1059, 1026, 995, 965, 936, 908,
])  # fmt: skip
"""B/settled in 1/4096, at heights 0, 1/16, 2/16 … 40/16 of the half height."""
APPROACH_FRAMES = 96
"""Frames of a way that are looked at, the last before the seat."""
REST_FRAMES = 8
"""Frames at rest that say what a piece's own field is."""
SWAY = 180
"""The part of a way by which hands that speed up or slow down, and the curve, put the time off."""
SPACED = 29
"""Four times the variance of the time over noise², in way times the time between two frames, when
frames are spaced evenly over the curve: Σs²x² / (Σs² Σs²x² − (Σs²x)²), s its slope."""
PRIOR_FRAMES = 90
"""With n frames the variance is (n² + PRIOR_FRAMES) / n² of that: where there are few, a reading
that is far off takes the next with it, beyond the seat or before the first that is looked at."""
KNOWN = 16
"""Frames' worth of what is known of the noise beforehand: 0.3 of the width of rest."""
WHILE_US = 1 << 29
"""A way that takes so long is none."""
STRAY = 29
"""1/16 counts that what moves on the cells around adds or takes, by the curve's steepness."""


def steady(
    trace: "array[int] | memoryview[int]",
    grounds: "array[int]",
    at: int,
    first: int,
    last: int,
    still: int,
) -> None:
    """Take the reference's noise out of a trace whose reference stood still.

    `trace` holds counts above the reference, `grounds` from place `at` on the reference itself;
    both are rings of TRACE_LEN, and frames `first` to `last` are held, the last `still` of them
    at rest. A reading above its reference has the noise of both. If the reference is the same
    while the piece comes and while it rests, but for noise, its mean serves better: the trace is
    then told above that. If the ground moves with the lights, it is left as it is.
    """
    mean = ground_mean(trace, grounds, at, first, last, still)
    if mean is not None:
        take_off(trace, grounds, at, first, last, mean)


def ground_mean(
    trace: "array[int] | memoryview[int]",
    grounds: "array[int]",
    at: int,
    first: int,
    last: int,
    still: int,
) -> "int | None":
    """The mean of a reference that stood still; None if it did not, or if the trace is best left
    as it is. Looks at APPROACH_FRAMES frames of the way, and at the rest."""
    middle = last - still + 1
    start = max(first, middle - APPROACH_FRAMES)
    n = middle - start
    if still < REST_FRAMES or n < 1:
        return None
    ground_sums(trace, grounds, at, start, middle, last, _sums)
    before, after, squares, above, both = _sums[:5]
    # Each is `still` squared times a variance: of the reference, and how much more the readings
    # have without it than with it.
    spread = still * squares - after * after
    if spread + 2 * (still * both - after * above) >= 0:
        return None
    ground = grounds[at + (last & MASK)]
    # The two means may differ by four times what the noise allows.
    off = before * still - (after + ground * still) * n
    if off * off * still > 16 * spread * n * (n + still):
        return None
    return (before + after + ground * still) // (n + still)


def refine_contact_steps(
    trace: "array[int] | memoryview[int]",
    times: "array[int]",
    first: int,
    last: int,
    zero: int,
    settled: int,
    met_us: int,
    way_us: int,
    still: int,
) -> "Steps[tuple[int, int, int] | None]":
    """A better time of contact than that of `contact`: from all of the way down to the seat.

    In short steps. `met_us` and `way_us` are what `contact` said, `still` is the half width of the
    band of rest in counts, the rest is as there. At x half heights above the seat,
    x = (met − t) / way, the field is SHARE(x) of the settled one. Where it is not, met and way are
    corrected by least squares (Gauss and Newton), three times. The noise is measured while the
    piece stands. None when there are too few frames, or what they show is no such way.
    """
    value = settled << 4
    noise = 0
    for turn in range(3):
        yield
        if way_us >= WHILE_US or not -WHILE_US < met_us < WHILE_US:
            return None
        # The last frame before it met: times only grow.
        end, beyond = first - 1, last + 1
        while beyond - end > 1:
            no = (end + beyond) >> 1
            if times[no & CLOCK] < met_us:
                end = no
            else:
                beyond = no
        if turn == 1:
            # It is known by now from where on it stood: its own value is the mean of that.
            resting = rest(trace, end + 3, last, zero)
            if resting is None or 2 * abs(resting[0]) < abs(value):
                return None
            value, noise = resting
            # A few frames at rest say little of the noise: it is known roughly beforehand.
            n = last - end - 2
            noise = (n * noise + KNOWN * (16 * (3 * still) ** 2 // 100)) // (n + KNOWN)
            yield
        n = curve_sums(trace, times, SHARE, first, end, zero, value, met_us, way_us, _sums)
        no = end - n
        sw, sx, sxx = _sums[0], _sums[1], (_sums[2] << 10) + _sums[3]
        sy, sxy = _sums[4] << 6, (_sums[5] << 16) + (_sums[6] << 6)
        syy = (_sums[7] << 10) + _sums[8]
        yield
        spread = sw * sxx - sx * sx
        turned = spread + sw * sxy - sx * sy
        if n < 3 or spread <= 0 or not spread < 2 * turned < 4 * spread:
            return None
        # The true height is x + a + b x, with a the least squares' offset and 1 + b =
        # turned / spread: its zero lies a / (1 + b) before x = 0, its unit is that much shorter.
        shift = (sxx * sy - sx * sxy) * way_us // (turned << 10)
        if not -way_us < 2 * shift < way_us:
            return None
        met_us += shift
        sure = (noise << 28) // (value * value)
        # Few frames scatter by themselves: only what is well beyond the noise is told of them.
        strewn = syy // (n - 2)
        strewn = max(sure, strewn if strewn > 2 * sure else 0)
        variance = (strewn * sxx * way_us * way_us // spread) >> 8
        # The frames' own say in this is as noisy as they are: of evenly spaced ones it would be
        # this, and with few it turns out to be worse.
        every_us = (times[end & CLOCK] - times[(no + 1) & CLOCK]) // (n - 1)
        even = SPACED * (n * n + PRIOR_FRAMES) * every_us * way_us * sure // (n * n) >> 26
        variance = max(variance, even)
        way_us = max(way_us * spread // turned, 1)
    variance += (way_us // SWAY) ** 2 + (way_us * STRAY // value) ** 2
    return met_us, min(root(16 * variance) + abs(shift), UNSURE_US), way_us


def rest(
    trace: "array[int] | memoryview[int]", first: int, last: int, zero: int
) -> "tuple[int, int] | None":
    """Mean (1/16 counts) and variance (1/16 counts²) of a field at rest; None when it is short.

    >>> rest(array("h", [12, 10, 14, 12, 10, 14, 12, 12] + [0] * (TRACE_LEN - 8)), 0, 7, 2)
    (160, 36)
    """
    n = last + 1 - first
    if n < REST_FRAMES:
        return None
    rest_sums(trace, first, last, _sums)
    total = _sums[0]
    squares = (_sums[1] << 16) + _sums[2]
    above = trace[last & MASK] - zero
    return ((total + n * above) << 4) // n, ((n * squares - total * total) << 4) // (n * (n - 1))


# When a change of a cell happened, in short steps: on an RP2040 a piece that is put down takes
# 8 ms, one that is lifted 3.


CROWD = 2
"""More times than these that wait are a crowd."""
GAPS = 16
"""Number of times without frames that are kept."""
SOON = 64
"""Frames before overwriting at which a count is no longer relied upon: a turn may take in 32."""
SEAT_FRAMES = 160
"""Frames before a piece rests that are all told above the mean of the reference, or none."""


class Trajectory:
    """One cell's way from one settled field to the next, as it was when it settled.

    `last` is the newest frame's number; `old` and `value` are the settled counts before and
    after, `zero` what the cell reads without its piece, `resting` how many of the newest frames
    are surely at rest, `freed` the frame from which on its row was readable, `now` the newest
    frame while its time is worked out.
    """

    def __init__(self, trace: "memoryview[int]", trace_no: int, cell: int) -> None:
        self.trace = trace
        self.trace_no = trace_no
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
        """Age in frames of the first frame of which a count is held."""
        return self.now - max(self.first, self.last - TRACE_LEN + 1)


def trajectory_of(
    motions: "MovingCells", trace_no: int, cell: int, falling: bool, last: int
) -> Trajectory:
    """The way that a cell's motion took up to frame `last`."""
    way = Trajectory(motions.trace(trace_no), trace_no, cell)
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
        """Uncertainty of a time that would be off by no more than this if every frame was seen."""
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
    first = max(way.first, last - TRACE_LEN + 1)
    if not falling and _since(way, first) >= 0:
        at = row * TRACE_LEN
        mean = ground_mean(trace, grounds, at, first, last, way.resting)
        if mean is not None:
            take_off(trace, grounds, at, _since(way, first), last, mean)
        yield
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
        better = yield from refine_contact_steps(
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
    since = max(first, way.now - TRACE_LEN + SOON)
    return since if since == first or since <= way.last - way.resting - SEAT_FRAMES else -1


def _parted_us(way: Trajectory, times: "array[int]", first: int) -> int:
    """Time in µs at which a cell's field left its old band for good."""
    low, high = way.old - way.still, way.old + way.still
    no = walk(way.trace, way.last, first - 1, -1, low, high, False)
    return way.start_us if no < first else times[(no + 1) & CLOCK]


# Events that are certain, while it is being worked out when each happened.


class TimingQueue:
    """One after the other, in the order in which they were `add`ed.

    `times` are those of the last frames, `grounds` the rings of all rows' references, `gaps` what
    was not seen.
    """

    def __init__(
        self,
        layout: Layout,
        motions: MovingCells,
        times: "array[int]",
        grounds: "array[int]",
        gaps: Gaps,
    ) -> None:
        self._gaps = gaps
        self._layout = layout
        self._motions = motions
        self._times = times
        self._grounds = grounds
        self._jobs: "list[tuple[Trajectory, int]]" = []
        self._job: "Steps[tuple[int, int]] | None" = None
        """The work on the first of them, once it has begun."""

    def any(self) -> bool:
        """True if there is work to do."""
        return len(self._jobs) > 0

    def crowded(self) -> bool:
        """True if more than a few wait."""
        return len(self._jobs) > CROWD

    def add(self, way: Trajectory, kind: int) -> None:
        """A cell has taken a way and holds a new kind since."""
        self._jobs.append((way, kind))

    def work(self, steps: int, no: int, found: "list[tuple[int, int, int, int]]") -> None:
        """Do at most `steps` short steps after frame `no`; `found` takes (time, cell, kind,
        uncertainty)."""
        while self._jobs and steps > 0:
            way, kind = self._jobs[0]
            steps -= 1
            way.now = no
            if self._job is None:
                self._job = estimate_time(way, self._times, self._grounds, self._layout)
            try:
                # It has waited for so long that its times are overwritten, or about to be.
                got = unfitted(way) if way.age() > CLOCK - SOON else next(self._job)
            except StopIteration as done:
                got = done.value
            except MemoryError:
                got = unfitted(way)
            if got is not None:
                self._job = None
                t_us, uncertainty = got
                uncertainty = self._gaps.widen(t_us, uncertainty)
                found.append((t_us, way.cell, kind, uncertainty))
                self._motions.give_back(way.trace_no)
                self._jobs.pop(0)

    def mark(self, mark: int, oldest: int) -> int:
        """The least beginning of a way, but not before `oldest`; `mark` when that is less."""
        for k in range(len(self._jobs)):
            start = self._jobs[k][0].start_us
            if start < mark:
                mark = start if start > oldest else oldest
        return mark

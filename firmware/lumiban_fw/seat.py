"""The moment of contact from all of a piece's way down to its seat, and how far off it may be.

`contact.py` reads the middle of the way and goes on to the seat in a straight line: sound for
any hand, but at 2 ms apart too coarse to tell two hands from each other. Once it is known roughly
when a piece met its seat, the frames near it say more: there the field is steepest.
"""

from array import array

from lumiban_fw.contact import FITTED, SEEN, UNSURE_US, finish, root

TYPE_CHECKING = False
if TYPE_CHECKING:
    from lumiban_fw.contact import Steps

SHARE = (
    4096, 3906, 3727, 3559, 3400, 3250, 3109, 2976, 2850, 2731, 2619, 2512, 2411, 2315, 2224,
    2138, 2056, 1978, 1904, 1834, 1767, 1703, 1642, 1584, 1529, 1476, 1425, 1377, 1331, 1287,
    1245, 1204, 1166, 1129, 1093, 1059, 1026, 995, 965, 936, 908,
)  # fmt: skip
"""B/settled in 1/4096, at heights 0, 1/16, 2/16 … 40/16 of the half height."""
FAR = 2300
"""Height in 1/1024 of the half height from which a way down is looked at: a quarter of B."""
MOST = 96
"""Frames of a way that are looked at, the last before the seat."""
LEAST = 8
"""Frames at rest that say what a piece's own field is."""
SWAY = 180
"""The part of a way by which hands that speed up or slow down, and the curve, put the time off."""
SPACED = 29
"""Four times the variance of the time over noise², in way times the time between two frames, when
frames are spaced evenly over the curve: Σs²x² / (Σs² Σs²x² − (Σs²x)²), s its slope."""
FEW = 90
"""With n frames the variance is (n² + FEW) / n² of that: where there are few, a reading that is far
off takes the next with it, beyond the seat or before the first that is looked at."""
KNOWN = 16
"""Frames' worth of what is known of the noise beforehand: 0.3 of the width of rest."""
QUARTER = 7
"""A step ends after so many (and one) frames whose squares are summed."""
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
    both are rings of one length, and frames `first` to `last` are held, the last `still` of them
    at rest. A reading above its reference has the noise of both. If the reference is the same
    while the piece comes and while it rests, but for noise, its mean serves better: the trace is
    then told above that. If the ground moves with the lights, it is left as it is.
    """
    mean = finish(ground_steps(trace, grounds, at, first, last, still))
    if mean is not None:
        finish(steady_steps(trace, grounds, at, first, last, mean))


def ground_steps(
    trace: "array[int] | memoryview[int]",
    grounds: "array[int]",
    at: int,
    first: int,
    last: int,
    still: int,
) -> "Steps[int | None]":
    """The mean of a reference that stood still, in short steps; None if it did not, or if the
    trace is best left as it is. Looks at MOST frames of the way, and at the rest."""
    mask = len(trace) - 1
    middle = last - still + 1
    start = max(first, middle - MOST)
    n = middle - start
    if still < LEAST or n < 1:
        return None
    before = after = both = squares = apart = above = 0
    for no in range(start, middle):
        if not no & SEEN:
            yield
        before += grounds[at + (no & mask)]
    base = trace[last & mask]
    ground = grounds[at + (last & mask)]
    for no in range(middle, last + 1):
        if not no & QUARTER:
            yield
        g = grounds[at + (no & mask)] - ground
        c = trace[no & mask] - base
        after += g
        squares += g * g
        above += c
        apart += c * c
        both += (g + c) * (g + c)
    together = after + above
    # Each is `still` squared times a variance: of the reference, the readings and both.
    spread = still * squares - after * after
    if still * both - together * together >= still * apart - above * above:
        return None
    # The two means may differ by four times what the noise allows.
    off = before * still - (after + ground * still) * n
    if off * off * still > 16 * spread * n * (n + still):
        return None
    return (before + after + ground * still) // (n + still)


def steady_steps(
    trace: "array[int] | memoryview[int]",
    grounds: "array[int]",
    at: int,
    first: int,
    last: int,
    mean: int,
) -> "Steps[None]":
    """Tell a trace above the mean of its reference, in short steps."""
    mask = len(trace) - 1
    for no in range(first, last + 1):
        if not no & SEEN:
            yield
        trace[no & mask] += grounds[at + (no & mask)] - mean


def seat(
    trace: "array[int] | memoryview[int]",
    times: "array[int]",
    first: int,
    last: int,
    zero: int,
    settled: int,
    met_us: int,
    way_us: int,
    still: int,
) -> "tuple[int, int, int] | None":
    """A better time of contact than that of `contact`: from all of the way down to the seat.

    `met_us` and `way_us` are what `contact` said, `still` is the half width of the band of rest in
    counts, the rest is as there. At x half heights above
    the seat, x = (met − t) / way, the field is SHARE(x) of the settled one. Where it is not, met
    and way are corrected by least squares (Gauss and Newton), three times. The noise is measured
    while the piece stands. None when there are too few frames, or what they show is no such way.
    """
    return finish(seat_steps(trace, times, first, last, zero, settled, met_us, way_us, still))


def seat_steps(
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
    """`seat` in short steps."""
    mask = len(trace) - 1
    clock = len(times) - 1
    value = settled << 4
    noise = 0
    for turn in range(3):
        end = last
        while end >= first and times[end & clock] >= met_us:
            end -= 1
            if not end & SEEN:
                yield
        if turn == 1:
            # It is known by now from where on it stood: its own value is the mean of that.
            resting = yield from rest_steps(trace, end + 3, last, zero)
            if resting is None or 2 * abs(resting[0]) < abs(value):
                return None
            value, noise = resting
            # A few frames at rest say little of the noise: it is known roughly beforehand.
            n = last - end - 2
            noise = (n * noise + KNOWN * (16 * (3 * still) ** 2 // 100)) // (n + KNOWN)
        sw = sx = sxx = sy = sxy = syy = 0
        no = end
        while no >= first and end - no < MOST:
            if not no & FITTED:
                yield
            x = ((met_us - times[no & clock]) << 10) // way_us
            if x > FAR:
                break
            k = x >> 6
            slope = SHARE[k] - SHARE[k + 1]
            share = SHARE[k] - ((slope * (x & 63)) >> 6)
            off = share - ((trace[no & mask] - zero) << 16) // value
            w = slope * slope
            y = (slope * off) << 6
            sw += w
            sx += w * x
            sxx += w * x * x
            sy += y
            sxy += y * x
            syy += off * off
            no -= 1
        n = end - no
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
        every_us = (times[end & clock] - times[(no + 1) & clock]) // (n - 1)
        even = SPACED * (n * n + FEW) * every_us * way_us * sure // (n * n) >> 26
        variance = max(variance, even)
        way_us = max(way_us * spread // turned, 1)
    variance += (way_us // SWAY) ** 2 + (way_us * STRAY // value) ** 2
    return met_us, min(root(16 * variance) + abs(shift), UNSURE_US), way_us


def rest(
    trace: "array[int] | memoryview[int]", first: int, last: int, zero: int
) -> "tuple[int, int] | None":
    """Mean (1/16 counts) and variance (1/16 counts²) of a field at rest; None when it is short.

    >>> rest(array("h", [12, 10, 14, 12, 10, 14, 12, 12]), 0, 7, 2)
    (160, 36)
    """
    return finish(rest_steps(trace, first, last, zero))


def rest_steps(
    trace: "array[int] | memoryview[int]", first: int, last: int, zero: int
) -> "Steps[tuple[int, int] | None]":
    """`rest` in short steps."""
    n = last + 1 - first
    if n < LEAST:
        return None
    mask = len(trace) - 1
    total = squares = 0
    for no in range(first, last + 1):
        if not no & QUARTER:
            yield
        count = trace[no & mask] - zero
        total += count
        squares += count * count
    return (total << 4) // n, ((n * squares - total * total) << 4) // (n * (n - 1))

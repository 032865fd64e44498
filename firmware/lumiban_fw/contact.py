"""When a piece touched its seat, or left it, from the field on its way down or up.

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

For a piece that comes down this is the first estimate only; seat.py makes it sharper.
"""

from array import array

from lumiban_fw.wire import UNSURE_MOST_US

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Generator
    from typing import TypeVar

HEIGHT = (
    2295, 2173, 2059, 1953, 1855, 1763, 1676, 1595, 1518, 1445, 1376, 1310, 1248, 1188, 1131,
    1076, 1024, 974, 925, 879, 834, 791, 749, 709, 670, 633, 596, 561, 527, 493, 461, 430, 399,
    369,
)  # fmt: skip
"""Height in 1/1024 of the half height, at B/settled = 16/64, 17/64 … 49/64."""

WEIGHT = array("B", [(256 // (HEIGHT[k] - HEIGHT[k + 1])) ** 2 for k in range(33)])

UNSURE_US = UNSURE_MOST_US
"""The uncertainty of a time that could not be fitted; the most that an event can say."""


SEEN = 15
"""A step ends after so many (and one) frames that are only looked at …"""
FITTED = 1
"""… or that are fitted. On an RP2040 a step takes about 0.3 ms."""

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
            return done.value  # type: ignore[no-any-return]  # StopIteration tells no type


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


def height_um(ratio: int, half_um: int) -> int:
    """Height above the seat at which the field is `ratio`/1024 of the settled one.

    `ratio` is 256 to 768; `half_um` is the height for 512.

    >>> height_um(512, 2160), height_um(256, 2160)
    (2160, 4841)
    """
    k = (ratio >> 4) - 16
    h = HEIGHT[k]
    h -= ((h - HEIGHT[k + 1]) * (ratio & 15)) >> 4
    return (h * half_um) >> 10


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
    """When (µs) the piece met its seat, or left it when `falling`; how far off that may be; and
    how long it took from the half height to the seat.

    `trace` (counts) and `times` (µs) are rings whose length is a power of two; frames `first` to
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
    mask = len(trace) - 1
    clock = len(times) - 1
    sign = 1
    if settled < 0:
        sign = -1
        settled = -settled
    half = settled >> 1
    # The last passage counts: a stone may waver before it comes down for good.
    no = last
    before = after = (trace[no & mask] - zero) * sign
    while no > first:
        if not no & SEEN:
            yield
        before = (trace[(no - 1) & mask] - zero) * sign
        if (before >= half > after) if falling else (before < half <= after):
            break
        after = before
        no -= 1
    else:
        return None
    low = (settled + 3) >> 2
    high = settled - low
    start = no
    while start > first and low <= (trace[(start - 1) & mask] - zero) * sign <= high:
        start -= 1
        if not start & SEEN:
            yield
    end = no
    while end <= last and low <= (trace[end & mask] - zero) * sign <= high:
        end += 1
        if not end & SEEN:
            yield
    frame_us = times[no & clock] - times[(no - 1) & clock]
    n = end - start
    if n < 3:
        # Faster than the frames can follow: all of the height lies within two of them.
        part = frame_us * (half - before) // (after - before)
        return times[(no - 1) & clock] + part, min(2 * frame_us, UNSURE_US), 0
    origin = times[no & clock]
    sw = st = sh = stt = shh = sth = 0
    for k in range(start, end):
        if not k & FITTED:
            yield
        t = times[k & clock] - origin
        ratio = (trace[k & mask] - zero) * sign * 1024 // settled
        h = height_um(ratio, half_um)
        w = WEIGHT[(ratio >> 4) - 16]
        sw += w
        st += w * t
        sh += w * h
        stt += w * t * t
        shh += w * h * h
        sth += w * t * h
    # All weights times the sums about the mean, so that all stays whole.
    stt = sw * stt - st * st
    shh = sw * shh - sh * sh
    sth = sw * sth - st * sh
    if stt == 0 or sth == 0 or (sth > 0) != falling:
        return times[no & clock], UNSURE_US, 0
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

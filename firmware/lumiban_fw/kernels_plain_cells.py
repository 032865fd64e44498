"""The senses' hot loops in plain Python, as kernels_plain.py has those of the lights and the wire.

`senses` are the buffers of Sense, in the order of ways.py.
"""

from array import array

from lumiban_fw.ways import (
    ALONE_US,
    ANCHOR,
    AT,
    BAND,
    BEYOND,
    CLOCK,
    FAR,
    FIRST,
    FREE,
    HALF_SCALE,
    HIGH,
    LAST,
    LOW,
    MASK,
    MEAN,
    MOVING,
    NO_PIECE,
    REFERENCE_OFF,
    REST_SUM,
    REST_US,
    RING,
    RUN,
    SAMPLES,
    START,
    STILL,
    SUM,
    TOTAL,
    TRACE,
    UNSURE,
    WAY,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from lumiban_fw.ways import Senses


def watch(
    counts: "array[int]",
    references: "array[int]",
    row: bytearray,
    bands: "array[int]",
    early: "array[int]",
    times: "array[int]",
    no: int,
    out: bytearray,
    saw: "array[int]",
) -> int:
    """Look in frame `no` for cells whose count above their row's reference left their band.

    `counts` and `references` H, `row` and `out` B, `bands` i (ways.py), `early` h: the counts of
    the first RUN frames beyond the band, `times` i. Returns how many cells begin to move now, and
    writes which to `out`; `saw` (i) takes when the first of all runs began, and their number.
    """
    seen = begun = base = 0
    mark = times[no & CLOCK]
    for i in range(len(row)):
        d = counts[i] - references[row[i]]
        if d < bands[base + LOW] or d > bands[base + HIGH]:
            seen += 1
            run = bands[base + BEYOND]
            run = -run if d < bands[base + LOW] else run
            if run < 0 or bands[base + LAST] != no - 1:
                run = 0
            early[i * RUN + run] = d
            run += 1
            bands[base + BEYOND] = -run if d < bands[base + LOW] else run
            bands[base + LAST] = no
            start = times[(no - run + 1) & CLOCK]
            if start < mark:
                mark = start
            if run == RUN:
                bands[base + LAST] = -1
                out[begun] = i
                begun += 1
        base += BAND
    saw[0] = mark
    saw[1] = seen
    return begun


def note(
    references: "array[int]", rings: "array[int]", at: int, length: int, middle: int, off: int
) -> int:
    """Write how far each row's reference (H) is from `middle`, at most 127, into `rings` (b): to
    place `at` of its ring of `length`. Returns the rows further off than `off` ≤ 127, one bit each.

    >>> rings = array("b", [0] * 6)
    >>> note(array("H", [5, 900]), rings, 1, 3, 6, 0), list(rings)
    (3, [0, -1, 0, 0, 127, 0])
    """
    bad = 0
    for row in range(len(references)):
        d = references[row] - middle
        rings[at] = max(min(d, 127), -128)
        at += length
        if d > off or d < -off:
            bad |= 1 << row
    return bad


def earliest(moving: bytearray, m: int, state: "array[int]", mark: int) -> int:
    """The least time at which one of the first `m` cells of `moving` (B) began; at most `mark`."""
    for k in range(m):
        start = state[moving[k] * WAY + START]
        if start < mark:
            mark = start
    return mark


def spread(
    counts: "array[int]",
    references: "array[int]",
    row: bytearray,
    moving: bytearray,
    m: int,
    settled: "array[int]",
    out: "array[int]",
) -> int:
    """How far the first `m` cells of `moving` (B) are from what they settled at (i): the sum.

    `out` (i) takes the least and the greatest.
    """
    total, least, most = 0, 1 << 20, -(1 << 20)
    for k in range(m):
        cell = moving[k]
        by = counts[cell] - references[row[cell]] - settled[cell]
        total += by
        if by < least:
            least = by
        if by > most:
            most = by
    out[0] = least
    out[1] = most
    return total


def start_all(
    counts: "array[int]",
    references: "array[int]",
    row: bytearray,
    state: "array[int]",
    windows: "array[int]",
    first: int,
    now: int,
) -> None:
    """Let all cells begin to move with what they read in frame `first`, taken at `now`."""
    base = 0
    for i in range(len(row)):
        count = counts[i] - references[row[i]]
        state[base + START] = state[base + STILL] = now
        state[base + FIRST] = first
        state[base + SUM] = state[base + ANCHOR] = MEAN * count
        state[base + TOTAL] = state[base + SAMPLES] = state[base + AT] = 0
        state[base + TRACE] = -1
        for k in range(i * MEAN, i * MEAN + MEAN):
            windows[k] = count
        base += WAY


def gather(raw: "array[int]", first: int, place: bytearray, out: "array[int]") -> None:
    """Copy the readings at `first` + each of `place` (B) from `raw` (H) to `out` (H).

    >>> out = array("H", [0, 0])
    >>> gather(array("H", [9, 8, 7, 6]), 1, bytearray([2, 0]), out)
    >>> list(out)
    [6, 8]
    """
    for i in range(len(place)):
        out[i] = raw[first + place[i]]


def follow(
    counts: "array[int]",
    references: "array[int]",
    row: bytearray,
    moving: bytearray,
    m: int,
    state: "array[int]",
    windows: "array[int]",
    traces: "array[int]",
    at: int,
    now: int,
    still: int,
    settle: int,
    out: bytearray,
) -> int:
    """Take one frame into the ways of the first `m` cells of `moving` (see ways.py).

    `state` i, `windows` and `traces` h, the rest as in `watch`. `at` is the frame's place there,
    `still` MEAN times the band's half width in counts, `settle` how long (µs) a field must rest.
    Writes the cells that rested so long into `out` and returns how many they are.
    """
    n = 0
    for k in range(m):
        cell = moving[k]
        base = cell * WAY
        count = counts[cell] - references[row[cell]]
        ring = state[base + TRACE]
        if ring >= 0:
            traces[ring * RING + at] = count
        slot = state[base + AT]
        state[base + AT] = slot + 1 if slot + 1 < MEAN else 0
        slot += cell * MEAN
        total = state[base + SUM] + count - windows[slot]
        state[base + SUM] = total
        windows[slot] = count
        total -= state[base + ANCHOR]
        if total > still or total < -still:
            state[base + ANCHOR] = state[base + SUM]
            state[base + STILL] = now
            state[base + TOTAL] = 0
            state[base + SAMPLES] = 0
        else:
            rest = now - state[base + STILL]
            # The first half may still hold the end of the way; the mean is of what follows.
            if rest >= settle >> 1:
                state[base + TOTAL] += count
                state[base + SAMPLES] += 1
            if rest >= settle:
                out[n] = cell
                n += 1
    return n


def burst(
    mine: "tuple[array[int], bytearray, bytearray]",
    senses: "Senses",
    slot: int,
    slots: int,
    frames: int,
    n: int,
    no: int,
    t: int,
    period: int,
) -> int:
    """Take in up to `n` frames that a capture holds, all cells of each and those that move.

    `mine` are the capture's readings (H), the place of each cell and of each reference in a frame
    (B); it holds `frames` frames, a power of two, of `slots` readings each, the first to take at
    `slot`. `no` is the number of the frame before, `t` the time of the first, `period` what lies
    between two. Ends after a frame in which a cell begins to move, and before one with a
    reference that is off. Returns how many frames, and 256 times how many cells begin to move
    (they are in `out`, and that frame is not yet followed); `saw` is as in `watch`, and at 2 how
    many cells rested long enough in the last frame (they are in `out`, if none begins to move).
    """
    raw, cells, places = mine
    counts, references, row, grounds, bands, early, times, out, saw = senses[:9]
    state, traces, moving, _, _, tally = senses[9:15]
    done = begun = rested = 0
    while done < n and begun == 0:
        no += 1
        first = slot * slots
        gather(raw, first, places, references)
        if note(references, grounds, no & MASK, RING, HALF_SCALE, REFERENCE_OFF):
            break
        times[no & CLOCK] = t
        gather(raw, first, cells, counts)
        begun = watch(counts, references, row, bands, early, times, no, out, saw)
        if begun == 0 and tally[MOVING]:
            rested = follow(
                counts,
                references,
                row,
                moving,
                tally[MOVING],
                state,
                early,
                traces,
                no & MASK,
                t,
                tally[REST_SUM],
                tally[REST_US],
                out,
            )
        t += period
        slot = (slot + 1) & (frames - 1)
        done += 1
    saw[2] = rested
    return begun << 8 | done


def start_motion(senses: "Senses", begun: int, no: int, now: int) -> None:
    """The first `begun` cells of `out` begin to move with frame `no`, taken at `now`.

    Their ways start RUN frames before; each that finds a trace free has it kept. Their bands are
    opened: nobody looks whether they leave them again.
    """
    counts, references, row, _, bands, early, times, out, _ = senses[:9]
    state, traces, moving, moves, free, tally, kinds, settled, settled_us, alone = senses[9:]
    first = no - RUN + 1
    start = times[first & CLOCK]
    for k in range(begun):
        cell = out[k]
        if kinds[cell] == NO_PIECE and start - settled_us[cell] >= ALONE_US:
            alone[cell] = settled[cell]
        count = counts[cell] - references[row[cell]]
        base = cell * WAY
        state[base + START] = start
        state[base + FIRST] = first
        state[base + STILL] = now
        state[base + SUM] = state[base + ANCHOR] = MEAN * count
        state[base + TOTAL] = state[base + SAMPLES] = state[base + AT] = 0
        state[base + TRACE] = -1
        if tally[FREE]:
            tally[FREE] -= 1
            ring = free[tally[FREE]]
            state[base + TRACE] = ring
            for at in range(RUN):
                traces[ring * RING + (first + at & MASK)] = early[cell * RUN + at]
        else:
            tally[UNSURE] += 1
        for at in range(cell * MEAN, cell * MEAN + MEAN):
            early[at] = count
        moves[cell] = 1
        moving[tally[MOVING]] = cell
        tally[MOVING] += 1
        bands[cell * BAND + LOW] = -FAR
        bands[cell * BAND + HIGH] = FAR


def ranks(moving: bytearray, moves: bytearray, n: int) -> int:
    """Keep of the first `n` of `moving` (B) those that still move; how many they are.

    >>> cells = bytearray([2, 0, 1])
    >>> ranks(cells, bytearray([1, 0, 1]), 3), list(cells[:2])
    (2, [2, 0])
    """
    left = 0
    for k in range(n):
        cell = moving[k]
        if moves[cell]:
            moving[left] = cell
            left += 1
    return left


def share(
    of: int,
    at: int,
    change: int,
    still: int,
    since: int,
    near: bytes,
    shares: "array[int]",
    zeros: "tuple[array[int], array[int], array[int], array[int]]",
    rest: "tuple[array[int], array[int], array[int], bytearray]",
) -> None:
    """The own field of cell `of` changed by `change` counts: those around it read a little of that.

    `near` (B) has from `at` on how many they are, and (how much further, modulo 256; which of
    `shares`) of each. `zeros` are what is added to each cell's zero and its drift, both in 1/256
    counts (i), its calibrated zero and its zero (h). Of cells that rest since `since` the settled
    value and the band follow: `rest` are bands, settled values, since when (i), and marks of those
    that followed (B).
    """
    added, drift, calibrated, zero = zeros
    bands, settled, settled_us, touched = rest
    for k in range(at + 1, at + 1 + 2 * near[at], 2):
        cell = of + near[k] & 255
        added[cell] += change * shares[near[k + 1]] >> 8
        now = calibrated[cell] + (drift[cell] + added[cell] + 128 >> 8)
        by = now - zero[cell]
        if by == 0:
            continue
        zero[cell] = now
        # One that moves settles with what it reads; one that settled just now did so.
        if bands[cell * BAND + HIGH] != FAR and settled_us[cell] <= since:
            settled[cell] += by
            bands[cell * BAND + LOW] = settled[cell] - still
            bands[cell * BAND + HIGH] = settled[cell] + still
            touched[cell] = 1

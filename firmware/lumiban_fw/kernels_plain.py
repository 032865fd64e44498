"""The hot loops in plain Python: what runs on CPython and in the MicroPython VM.

The signatures are the contract with the compiled twins (kernels_viper.py): same names, same
arguments, same results to the bit. Buffers are bytearrays (B) and arrays of one fixed type (H, h,
i), made once and never grown. Nothing here allocates.
"""

from array import array

from lumiban_fw.buffers import (
    ALONE_US,
    ANCHOR,
    AT,
    BAND,
    BEYOND,
    CELL_WORDS,
    CLOCK,
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
    RUN,
    SAMPLES,
    START,
    STILL,
    SUM,
    TOTAL,
    TRACE,
    TRACE_LEN,
    UNSURE,
    UNWATCHED,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from lumiban_fw.buffers import Senses


def sink(times: "array[int]", by: int, least: int) -> None:
    """Take `by` from all times (i), to `least` at the lowest."""
    for k in range(len(times)):
        times[k] = max(times[k] - by, least)


def glow(
    indices: bytearray,
    levels: bytearray,
    palette: bytearray,
    drive: bytearray,
    strip: bytearray,
    sums: "array[int]",
    rgb: bytearray,
) -> int:
    """Fill `rgb` from palette index and level (0 to 255) of each light; return the sum of it.

    All B but `sums` (i), which takes the sum of each strip. `drive` maps a colour value to what
    the LED gets.
    """
    for s in range(len(sums)):
        sums[s] = 0
    total = 0
    k = 0
    for i in range(len(indices)):
        at = indices[i] * 3
        level = levels[i]
        if at == 0 or level == 0:
            r = g = b = 0
        elif level == 255:
            r = drive[palette[at]]
            g = drive[palette[at + 1]]
            b = drive[palette[at + 2]]
        else:
            # x / 255 to the nearest, without a division.
            x = palette[at] * level + 128
            r = drive[(x + (x >> 8)) >> 8]
            x = palette[at + 1] * level + 128
            g = drive[(x + (x >> 8)) >> 8]
            x = palette[at + 2] * level + 128
            b = drive[(x + (x >> 8)) >> 8]
        rgb[k] = r
        rgb[k + 1] = g
        rgb[k + 2] = b
        k += 3
        light = r + g + b
        total += light
        sums[strip[i]] += light
    return total


def beyond(sums: "array[int]", most: "array[int]") -> int:
    """Number of `sums` that are more than `most` allows (both i)."""
    n = 0
    for s in range(len(sums)):
        if sums[s] > most[s]:
            n += 1
    return n


def used(indices: bytearray, effects: bytearray) -> int:
    """The effects of all lights that have a colour (both B), one bit each.

    >>> used(bytearray([1, 0, 2]), bytearray([3, 5, 0]))
    9
    """
    bits = 0
    for i in range(len(indices)):
        if indices[i]:
            bits |= 1 << effects[i]
    return bits


def scale(rgb: bytearray, part: int) -> None:
    """Scale all of `rgb` (B) to part/65536, rounding down; `part` is at most 65536."""
    for i in range(len(rgb)):
        rgb[i] = rgb[i] * part >> 16


def beat(effects: bytearray, now: bytearray, levels: bytearray) -> None:
    """Give each light (B) the level that its effect has now; `now` (B) has one for each effect."""
    for i in range(len(effects)):
        levels[i] = now[effects[i]]


def chase(
    effects: bytearray, which: int, wave: bytearray, at: int, step: int, levels: bytearray
) -> None:
    """Give each light (B) whose effect is `which` its level in `wave` (B).

    The first light is at place `at` of the wave, each other `step` places behind the one before.

    >>> levels = bytearray(4)
    >>> chase(bytearray([7, 7, 0, 7]), 7, bytearray([9, 8, 7, 6]), 1, 1, levels)
    >>> list(levels)
    [8, 9, 0, 7]
    """
    n = len(wave)
    for i in range(len(effects)):
        if effects[i] == which:
            levels[i] = wave[at]
        at -= step
        if at < 0:
            at += n


def crc16(data: bytes, n: int) -> int:
    """CRC-16/CCITT-FALSE of the first `n` bytes.

    >>> hex(crc16(b"123456789", 9))
    '0x29b1'
    """
    crc = 0xFFFF
    for i in range(n):
        x = ((crc >> 8) ^ data[i]) & 0xFF
        x ^= x >> 4
        crc = ((crc << 8) ^ (x << 12) ^ (x << 5) ^ x) & 0xFFFF
    return crc


def stuff(data: bytes, n: int, out: bytearray) -> int:
    """Consistent-overhead byte stuffing of the first `n` ≤ 254 bytes; returns how many it makes.

    `out` (B) needs a byte more than `data`, and one for the closing zero that is not written.
    """
    code = 0
    k = 1
    run = 1
    for i in range(n):
        byte = data[i]
        if byte:
            out[k] = byte
            k += 1
            run += 1
        else:
            out[code] = run
            code = k
            k += 1
            run = 1
    out[code] = run
    return k


def unstuff(data: bytes, n: int, out: bytearray) -> int:
    """Undo `stuff` of `n` bytes; returns how many it makes, −1 when a run points past the end.

    >>> out = bytearray(4)
    >>> unstuff(bytes.fromhex("02010202"), 4, out), out.hex()
    (3, '01000200')
    """
    i = 0
    k = 0
    while i < n:
        run = data[i]
        if run == 0 or i + run > n:
            return -1
        for j in range(i + 1, i + run):
            out[k] = data[j]
            k += 1
        i += run
        if i < n and run < 255:
            out[k] = 0
            k += 1
    return k


# The senses' loops; those above are of the lights and the wire.
#
# `senses` are the buffers of Sense, in the order of buffers.py.


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

    `counts` and `references` H, `row` and `out` B, `bands` i (buffers.py), `early` h: the counts of
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
        start = state[moving[k] * CELL_WORDS + START]
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
    """Distance of the first `m` cells of `moving` (B) from the values they settled at (i): the sum.

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
        base += CELL_WORDS


def gather(raw: "array[int]", first: int, place: bytearray, out: "array[int]") -> None:
    """Copy the readings at `first` + each of `place` (B) from `raw` (H) to `out` (H).

    >>> out = array("H", [0, 0])
    >>> gather(array("H", [9, 8, 7, 6]), 1, bytearray([2, 0]), out)
    >>> list(out)
    [6, 8]
    """
    for i in range(len(place)):
        out[i] = raw[first + place[i]]


def scatter(raw: "array[int]", first: int, place: bytearray, readings: "array[int]") -> None:
    """Copy `readings` (H) to `first` + each of `place` (B) of `raw` (H): `gather` undone.

    >>> raw = array("H", [9, 8, 7, 6])
    >>> scatter(raw, 1, bytearray([2, 0]), array("H", [1, 2]))
    >>> list(raw)
    [9, 2, 7, 1]
    """
    for i in range(len(place)):
        raw[first + place[i]] = readings[i]


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
    """Take one frame into the ways of the first `m` cells of `moving` (see buffers.py).

    `state` i, `windows` and `traces` h, the rest as in `watch`. `at` is the frame's place there,
    `still` MEAN times the band's half width in counts, `settle` how long (µs) a field must rest.
    Writes the cells that rested so long into `out` and returns how many they are.
    """
    n = 0
    for k in range(m):
        cell = moving[k]
        base = cell * CELL_WORDS
        count = counts[cell] - references[row[cell]]
        ring = state[base + TRACE]
        if ring >= 0:
            traces[ring * TRACE_LEN + at] = count
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
        if note(references, grounds, no & MASK, TRACE_LEN, HALF_SCALE, REFERENCE_OFF):
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
        base = cell * CELL_WORDS
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
                traces[ring * TRACE_LEN + (first + at & MASK)] = early[cell * RUN + at]
        else:
            tally[UNSURE] += 1
        for at in range(cell * MEAN, cell * MEAN + MEAN):
            early[at] = count
        moves[cell] = 1
        moving[tally[MOVING]] = cell
        tally[MOVING] += 1
        bands[cell * BAND + LOW] = -UNWATCHED
        bands[cell * BAND + HIGH] = UNWATCHED


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
        if bands[cell * BAND + HIGH] != UNWATCHED and settled_us[cell] <= since:
            settled[cell] += by
            bands[cell * BAND + LOW] = settled[cell] - still
            bands[cell * BAND + HIGH] = settled[cell] + still
            touched[cell] = 1


# The loops over the frames of one cell's way, from which contact.py works out a time.


CURVE_FRAMES = 96
"""Frames of a way down that `curve_sums` looks at, the last before the seat."""
CURVE_HEIGHT = 2300
"""Height in 1/1024 of the half height from which it is looked at: a quarter of the field."""
FAR_OFF = 65_535
"""So far (1/4096 of the settled field) off its curve no way lies: what follows fits 32 bits."""
MAX_GONE_US = 1 << 20
"""Nor does a way take so long from there."""


def walk(
    trace: "array[int] | memoryview[int]",
    no: int,
    end: int,
    by: int,
    low: int,
    high: int,
    within: bool,
) -> int:
    """Go from frame `no` by `by` (1 or -1) while counts are, or are not, within low and high.

    The first frame that is otherwise, or `end`, which is not looked at. A trace (h) is a ring of
    TRACE_LEN frames, `times` (i) one of CLOCK + 1, here as below.

    >>> trace = array("h", [9, 9, 1, -1, 2, 9, 9, 9] + [0] * (TRACE_LEN - 8))
    >>> walk(trace, 7, -1, -1, -2, 2, False), walk(trace, 4, -1, -1, -2, 2, True)
    (4, 1)
    """
    while no != end and (low <= trace[no & MASK] <= high) == within:
        no += by
    return no


def rest_sums(
    trace: "array[int] | memoryview[int]", first: int, last: int, sums: "array[int]"
) -> None:
    """Sums (i) over frames `first` to `last` of what their counts are above the last one's: plain,
    and squared (in 65536, and the rest).

    >>> sums = array("i", [0] * 3)
    >>> trace = array("h", [600, 305, 295, 300] + [0] * (TRACE_LEN - 4))
    >>> rest_sums(trace, 0, 3, sums), list(sums)
    (None, [300, 1, 24514])
    """
    base = trace[last & MASK]
    total = squares = 0
    for no in range(first, last + 1):
        off = trace[no & MASK] - base
        total += off
        squares += off * off
    sums[0] = total
    sums[1] = squares >> 16
    sums[2] = squares & 65535


def ground_sums(
    trace: "array[int] | memoryview[int]",
    grounds: "array[int]",
    at: int,
    first: int,
    middle: int,
    last: int,
    sums: "array[int]",
) -> None:
    """Sums (i) of a reference, whose ring (b) begins at place `at`.

    From `first` on before `middle`: plain. From there to `last`, above the last: plain, squared,
    of the trace above its last, of the product of both.
    """
    before = 0
    for no in range(first, middle):
        before += grounds[at + (no & MASK)]
    base = trace[last & MASK]
    ground = grounds[at + (last & MASK)]
    after = squares = above = both = 0
    for no in range(middle, last + 1):
        g = grounds[at + (no & MASK)] - ground
        c = trace[no & MASK] - base
        after += g
        squares += g * g
        above += c
        both += g * c
    sums[0] = before
    sums[1] = after
    sums[2] = squares
    sums[3] = above
    sums[4] = both


def take_off(
    trace: "array[int] | memoryview[int]",
    grounds: "array[int]",
    at: int,
    first: int,
    last: int,
    mean: int,
) -> None:
    """Tell frames `first` to `last` of a trace above `mean` in place of its reference."""
    for no in range(first, last + 1):
        trace[no & MASK] += grounds[at + (no & MASK)] - mean


def line_sums(
    trace: "array[int] | memoryview[int]",
    times: "array[int]",
    heights: "array[int]",
    first: int,
    end: int,
    zero: int,
    settled: int,
    half_um: int,
    origin: int,
    sums: "array[int]",
) -> None:
    """Sums (i) of a straight line t → h through up to 16 frames, from `first` on before `end`.

    The field of each is 16/64 to 48/64 of the `settled` one, `heights` (H) has what height in
    1/1024 of the half one that means, and t counts from `origin`. Weights w; t = 1024 t1 + t2, and
    h = 128 h1 + h2: Σw, Σw t1, Σw t2, Σw h, Σw t1², Σw t1 t2, Σw t2², Σw h t1, Σw h t2, Σw h h1,
    Σw h h2.
    """
    sums[:] = array("i", bytes(44))
    for no in range(first, end):
        ratio = ((trace[no & MASK] - zero) << 10) // settled
        k = (ratio >> 4) - 16
        step = heights[k] - heights[k + 1]
        h = ((heights[k] - ((step * (ratio & 15)) >> 4)) * half_um) >> 10
        w = (256 // step) ** 2
        t = times[no & CLOCK] - origin
        t1, t2 = t >> 10, t & 1023
        h1, h2 = h >> 7, h & 127
        of = (1, t1, t2, h, t1 * t1, t1 * t2, t2 * t2, h * t1, h * t2, h * h1, h * h2)
        for i in range(11):
            sums[i] += w * of[i]


def curve_sums(
    trace: "array[int] | memoryview[int]",
    times: "array[int]",
    shares: "array[int]",
    first: int,
    end: int,
    zero: int,
    value: int,
    met_us: int,
    way_us: int,
    sums: "array[int]",
) -> int:
    """Sums (i) of how far a way down lies off its curve, from frame `end` back to `first` at most.

    `value` is the settled field in 1/16 counts, `met_us` when it was met, `way_us` the way from
    the half height to there; `shares` (H) has the field, in 1/4096 of that, at heights 0, 1/16 … of
    the half height. With x the height (1/1024 of the half one), s the curve's fall and d the
    distance from it in those units: Σs², Σs²x, Σs²x² (in 1024, and the rest), Σsd, Σxsd and Σd²
    (likewise). How many frames they are; 0, whatever the sums, if one is FAR_OFF or the times are.
    """
    sw = sx = sxx = more = sy = sxy = syy = 0
    no = end
    while no >= first and end - no < CURVE_FRAMES:
        gone = met_us - times[no & CLOCK]
        if gone > MAX_GONE_US:
            return 0
        x = (gone << 10) // way_us
        if x > CURVE_HEIGHT:
            break
        k = x >> 6
        slope = shares[k] - shares[k + 1]
        share = shares[k] - ((slope * (x & 63)) >> 6)
        off = share - ((trace[no & MASK] - zero) << 16) // value
        if not -FAR_OFF <= off <= FAR_OFF:
            return 0
        w = slope * slope * x
        sw += slope * slope
        sx += w
        sxx += (w >> 10) * x
        more += (w & 1023) * x
        sy += slope * off
        sxy += x * slope * off
        syy += off * off
        no -= 1
    parts = (sw, sx, sxx, more, sy, sxy >> 10, sxy & 1023, syy >> 10, syy & 1023)
    for i in range(9):
        sums[i] = parts[i]
    return end - no

"""The hot loops as machine code for the RP2040: twins of kernels_plain.py, which tells of them.

Viper's numbers are 32 bits with sign and wrap; ptr8 and ptr16 read without sign, ptr32 with. It
knows no bounds and no len() of a pointer: lengths come from the object. It divides as Python does,
by a call.
"""

import micropython
from micropython import const


@micropython.viper
def sink(times: object, by: int, least: int):
    of = ptr32(times)
    for k in range(int(len(times))):
        t = of[k] - by
        if t < least:
            t = least
        of[k] = t


@micropython.viper
def glow(
    indices: object,
    levels: ptr8,
    palette: ptr8,
    drive: ptr8,
    strip: ptr8,
    sums: object,
    rgb: ptr8,
) -> int:
    index = ptr8(indices)
    sum_of = ptr32(sums)
    for s in range(int(len(sums))):
        sum_of[s] = 0
    total = 0
    k = 0
    for i in range(int(len(indices))):
        at = index[i] * 3
        level = levels[i]
        r = 0
        g = 0
        b = 0
        if at != 0 and level != 0:
            if level == 255:
                r = drive[palette[at]]
                g = drive[palette[at + 1]]
                b = drive[palette[at + 2]]
            else:
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
        s = strip[i]
        sum_of[s] = sum_of[s] + light
    return total


@micropython.viper
def beyond(sums: object, most: ptr32) -> int:
    of = ptr32(sums)
    n = 0
    for s in range(int(len(sums))):
        if of[s] > most[s]:
            n += 1
    return n


@micropython.viper
def used(indices: object, effects: ptr8) -> int:
    index = ptr8(indices)
    bits = 0
    for i in range(int(len(indices))):
        if index[i]:
            bits |= 1 << effects[i]
    return bits


@micropython.viper
def scale(rgb: object, part: int):
    of = ptr8(rgb)
    for i in range(int(len(rgb))):
        of[i] = of[i] * part >> 16


@micropython.viper
def beat(effects: object, now: ptr8, levels: ptr8):
    effect = ptr8(effects)
    for i in range(int(len(effects))):
        levels[i] = now[effect[i]]


@micropython.viper
def chase(effects: object, which: int, wave: object, at: int, step: int, levels: ptr8):
    effect = ptr8(effects)
    places = ptr8(wave)
    n = int(len(wave))
    for i in range(int(len(effects))):
        if effect[i] == which:
            levels[i] = places[at]
        at -= step
        if at < 0:
            at += n


@micropython.viper
def crc16(data: ptr8, n: int) -> int:
    crc = 0xFFFF
    for i in range(n):
        x = ((crc >> 8) ^ data[i]) & 0xFF
        x ^= x >> 4
        crc = ((crc << 8) ^ (x << 12) ^ (x << 5) ^ x) & 0xFFFF
    return crc


@micropython.viper
def stuff(data: ptr8, n: int, out: ptr8) -> int:
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


@micropython.viper
def unstuff(data: ptr8, n: int, out: ptr8) -> int:
    i = 0
    k = 0
    while i < n:
        run = data[i]
        if run == 0 or i + run > n:
            return -1
        j = i + 1
        i += run
        while j < i:
            out[k] = data[j]
            k += 1
            j += 1
        if i < n and run < 255:
            out[k] = 0
            k += 1
    return k


# The senses' loops; those above are of the lights and the wire.

# As in buffers.py: constants of another file would be looked up at every use.
_MEAN = const(8)
_TRACE_LEN = const(512)
_MASK = const(511)
_CLOCK = const(1023)
_RUN = const(8)
_BAND = const(4)
_UNWATCHED = const(1048576)
_MOVING = const(0)
_FREE = const(1)
_UNSURE = const(2)
_NO_PIECE = const(0)
_ALONE_US = const(300000)
_SIGN = const(32768)
_STILL = const(2)
_SUM = const(3)
_ANCHOR = const(4)
_TOTAL = const(5)
_SAMPLES = const(6)
_TRACE = const(7)
_AT = const(8)
_CELL_WORDS = const(9)


@micropython.viper
def note(references: object, rings: ptr8, at: int, length: int, middle: int, off: int) -> int:
    of = ptr16(references)
    bad = 0
    for row in range(int(len(references))):
        d = of[row] - middle
        if d > off or d < 0 - off:
            bad |= 1 << row
            if d > 127:
                d = 127
            elif d < 0 - 128:
                d = 0 - 128
        rings[at] = d
        at += length
    return bad


@micropython.viper
def earliest(moving: ptr8, m: int, state: ptr32, mark: int) -> int:
    for k in range(m):
        start = state[moving[k] * _CELL_WORDS]
        if start < mark:
            mark = start
    return mark


@micropython.viper
def spread(
    counts: ptr16,
    references: ptr16,
    row: ptr8,
    moving: ptr8,
    m: int,
    settled: ptr32,
    out: ptr32,
) -> int:
    total = 0
    least = 1 << 20
    most = 0 - least
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


@micropython.viper
def start_all(
    counts: ptr16,
    references: ptr16,
    row: object,
    state: ptr32,
    windows: ptr16,
    first: int,
    now: int,
):
    rows = ptr8(row)
    base = 0
    k = 0
    for i in range(int(len(row))):
        count = counts[i] - references[rows[i]]
        state[base] = now
        state[base + 1] = first
        state[base + _STILL] = now
        state[base + _SUM] = _MEAN * count
        state[base + _ANCHOR] = _MEAN * count
        state[base + _TOTAL] = 0
        state[base + _SAMPLES] = 0
        state[base + _TRACE] = 0 - 1
        state[base + _AT] = 0
        base += _CELL_WORDS
        for _ in range(_MEAN):
            windows[k] = count
            k += 1


@micropython.asm_thumb
def _gather(r0, r1, r2, r3):
    # r0: the frame; r1: places; r2: where to; r3: how many.
    label(LOOP)
    ldrb(r4, [r1, 0])
    add(r4, r4, r4)
    add(r4, r4, r0)
    ldrh(r5, [r4, 0])
    strh(r5, [r2, 0])
    add(r1, 1)
    add(r2, 2)
    sub(r3, 1)
    bne(LOOP)


@micropython.viper
def gather(raw: object, first: int, place: object, out: object):
    n = int(len(place))
    if n:
        _gather(int(ptr8(raw)) + 2 * first, place, out, n)


@micropython.asm_thumb
def _scatter(r0, r1, r2, r3):
    # As `_gather`, the other way.
    label(LOOP)
    ldrb(r4, [r1, 0])
    add(r4, r4, r4)
    add(r4, r4, r0)
    ldrh(r5, [r2, 0])
    strh(r5, [r4, 0])
    add(r1, 1)
    add(r2, 2)
    sub(r3, 1)
    bne(LOOP)


@micropython.viper
def scatter(raw: object, first: int, place: object, readings: object):
    n = int(len(place))
    if n:
        _scatter(int(ptr8(raw)) + 2 * first, place, readings, n)


@micropython.viper
def start_motion(senses: object, begun: int, no: int, now: int):
    counts = ptr16(senses[0])
    references = ptr16(senses[1])
    row = ptr8(senses[2])
    bands = ptr32(senses[4])
    early = ptr16(senses[5])
    out = ptr8(senses[7])
    state = ptr32(senses[9])
    traces = ptr16(senses[10])
    moving = ptr8(senses[11])
    moves = ptr8(senses[12])
    free = ptr8(senses[13])
    tally = ptr32(senses[14])
    kinds = ptr8(senses[15])
    settled = ptr32(senses[16])
    settled_us = ptr32(senses[17])
    alone = ptr16(senses[18])
    first = no - _RUN + 1
    times = ptr32(senses[6])
    start = times[first & _CLOCK]
    for k in range(begun):
        cell = out[k]
        if kinds[cell] == _NO_PIECE and start - settled_us[cell] >= _ALONE_US:
            alone[cell] = settled[cell]
        count = counts[cell] - references[row[cell]]
        base = cell * _CELL_WORDS
        state[base] = start
        state[base + 1] = first
        state[base + _STILL] = now
        state[base + _SUM] = _MEAN * count
        state[base + _ANCHOR] = _MEAN * count
        state[base + _TOTAL] = 0
        state[base + _SAMPLES] = 0
        state[base + _AT] = 0
        ring = 0 - 1
        if tally[_FREE] != 0:
            tally[_FREE] = tally[_FREE] - 1
            ring = free[tally[_FREE]]
            at = 0
            while at < _RUN:
                traces[ring * _TRACE_LEN + (first + at & _MASK)] = early[cell * _RUN + at]
                at += 1
        else:
            tally[_UNSURE] = tally[_UNSURE] + 1
        state[base + _TRACE] = ring
        at = 0
        while at < _MEAN:
            early[cell * _MEAN + at] = count
            at += 1
        moves[cell] = 1
        moving[tally[_MOVING]] = cell
        tally[_MOVING] = tally[_MOVING] + 1
        bands[cell * _BAND] = 0 - _UNWATCHED
        bands[cell * _BAND + 1] = _UNWATCHED


@micropython.viper
def ranks(moving: ptr8, moves: ptr8, n: int) -> int:
    left = 0
    for k in range(n):
        cell = moving[k]
        if moves[cell]:
            moving[left] = cell
            left += 1
    return left


@micropython.viper
def share(
    of: int,
    at: int,
    change: int,
    still: int,
    since: int,
    near: ptr8,
    shares: ptr32,
    zeros: object,
    rest: object,
):
    added = ptr32(zeros[0])
    drift = ptr32(zeros[1])
    calibrated = ptr16(zeros[2])
    zero = ptr16(zeros[3])
    bands = ptr32(rest[0])
    settled = ptr32(rest[1])
    settled_us = ptr32(rest[2])
    touched = ptr8(rest[3])
    end = at + 1 + 2 * near[at]
    k = at + 1
    while k < end:
        cell = of + near[k] & 255
        added[cell] = added[cell] + (change * shares[near[k + 1]] >> 8)
        now = calibrated[cell] + (drift[cell] + added[cell] + 128 >> 8)
        # Half words with sign, of which viper knows nothing.
        by = (now - zero[cell] + _SIGN & 65535) - _SIGN
        k += 2
        if by != 0:
            zero[cell] = now
            if bands[cell * _BAND + 1] != _UNWATCHED and settled_us[cell] <= since:
                settled[cell] = settled[cell] + by
                bands[cell * _BAND] = settled[cell] - still
                bands[cell * _BAND + 1] = settled[cell] + still
                touched[cell] = 1


# The loops over one cell's way.

_CURVE_FRAMES = const(96)
_CURVE_HEIGHT = const(2300)
_FAR_OFF = const(65535)
_MAX_GONE_US = const(1048576)


@micropython.viper
def walk(trace: ptr16, no: int, end: int, by: int, low: int, high: int, within: int) -> int:
    low += _SIGN
    high += _SIGN
    while no != end:
        count = trace[no & _MASK] ^ _SIGN
        inside = 1
        if count < low or count > high:
            inside = 0
        if inside != within:
            break
        no += by
    return no


@micropython.viper
def rest_sums(trace: ptr16, first: int, last: int, sums: ptr32):
    base = trace[last & _MASK] ^ _SIGN
    total = 0
    squares = 0
    more = 0
    while first <= last:
        off = (trace[first & _MASK] ^ _SIGN) - base
        total += off
        more += off * off
        squares += more >> 16
        more &= 65535
        first += 1
    sums[0] = total
    sums[1] = squares
    sums[2] = more


@micropython.viper
def ground_sums(
    trace: ptr16, grounds: ptr8, at: int, first: int, middle: int, last: int, sums: ptr32
):
    base = trace[last & _MASK] ^ _SIGN
    ground = (grounds[at + (last & _MASK)] ^ 128) - 128
    for k in range(5):
        sums[k] = 0
    while first <= last:
        g = (grounds[at + (first & _MASK)] ^ 128) - 128
        if first < middle:
            sums[0] = sums[0] + g
        else:
            g -= ground
            c = (trace[first & _MASK] ^ _SIGN) - base
            sums[1] = sums[1] + g
            sums[2] = sums[2] + g * g
            sums[3] = sums[3] + c
            sums[4] = sums[4] + g * c
        first += 1


@micropython.viper
def take_off(trace: ptr16, grounds: ptr8, at: int, first: int, last: int, mean: int):
    mean += 128
    while first <= last:
        k = first & _MASK
        trace[k] = trace[k] + (grounds[at + k] ^ 128) - mean
        first += 1


@micropython.viper
def line_sums(
    trace: ptr16,
    times: ptr32,
    heights: ptr16,
    first: int,
    end: int,
    zero: int,
    settled: int,
    half_um: int,
    origin: int,
    sums: ptr32,
):
    zero += _SIGN
    for i in range(11):
        sums[i] = 0
    while first < end:
        ratio = ((trace[first & _MASK] ^ _SIGN) - zero << 10) // settled
        k = (ratio >> 4) - 16
        h = heights[k]
        step = h - heights[k + 1]
        h = (h - (step * (ratio & 15) >> 4)) * half_um >> 10
        w = 256 // step
        w *= w
        t2 = times[first & _CLOCK] - origin
        t1 = t2 >> 10
        t2 &= 1023
        sums[0] = sums[0] + w
        sums[4] = sums[4] + w * t1 * t1
        sums[5] = sums[5] + w * t1 * t2
        sums[6] = sums[6] + w * t2 * t2
        sums[1] = sums[1] + w * t1
        sums[2] = sums[2] + w * t2
        w *= h
        sums[3] = sums[3] + w
        sums[7] = sums[7] + w * t1
        sums[8] = sums[8] + w * t2
        sums[9] = sums[9] + w * (h >> 7)
        sums[10] = sums[10] + w * (h & 127)
        first += 1


@micropython.viper
def curve_sums(
    trace: ptr16,
    times: ptr32,
    shares: ptr16,
    first: int,
    end: int,
    zero: int,
    value: int,
    met_us: int,
    way_us: int,
    sums: ptr32,
) -> int:
    zero += _SIGN
    for i in range(9):
        sums[i] = 0
    n = 0
    while end >= first and n < _CURVE_FRAMES:
        x = met_us - times[end & _CLOCK]
        if x > _MAX_GONE_US:
            return 0
        x = (x << 10) // way_us
        if x > _CURVE_HEIGHT:
            break
        k = x >> 6
        off = shares[k]
        slope = off - shares[k + 1]
        off -= slope * (x & 63) >> 6
        off -= ((trace[end & _MASK] ^ _SIGN) - zero << 16) // value
        if off > _FAR_OFF or off < 0 - _FAR_OFF:
            return 0
        far = off >> 10
        near = off & 1023
        w = slope * slope
        sums[0] = sums[0] + w
        w *= x
        sums[1] = sums[1] + w
        sums[2] = sums[2] + (w >> 10) * x
        sums[3] = sums[3] + (w & 1023) * x
        sums[4] = sums[4] + slope * off
        w = x * slope
        slope = sums[6] + w * near
        sums[5] = sums[5] + w * far + (slope >> 10)
        sums[6] = slope & 1023
        w = sums[8] + off * near
        sums[7] = sums[7] + off * far + (w >> 10)
        sums[8] = w & 1023
        end -= 1
        n += 1
    return n

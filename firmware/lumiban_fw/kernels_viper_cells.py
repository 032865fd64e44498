"""The senses' hot loops as kernels_viper.py has those of the lights: kernels_plain_cells.py tells
of them."""

import micropython
from micropython import const

# As in ways.py: constants of another file would be looked up at every use.
_MEAN = const(8)
_RING = const(512)
_MASK = const(511)
_CLOCK = const(2047)
_RUN = const(8)
_BAND = const(4)
_FAR = const(1048576)
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
_WAY = const(9)


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
        start = state[moving[k] * _WAY]
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
        base += _WAY
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
        base = cell * _WAY
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
                traces[ring * _RING + (first + at & _MASK)] = early[cell * _RUN + at]
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
        bands[cell * _BAND] = 0 - _FAR
        bands[cell * _BAND + 1] = _FAR


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
            if bands[cell * _BAND + 1] != _FAR and settled_us[cell] <= since:
                settled[cell] = settled[cell] + by
                bands[cell * _BAND] = settled[cell] - still
                bands[cell * _BAND + 1] = settled[cell] + still
                touched[cell] = 1

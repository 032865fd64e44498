"""The hot loops in plain Python: what runs on CPython and in the MicroPython VM.

The signatures are the contract with the compiled twins (kernels_viper.py): same names, same
arguments, same results to the bit. Buffers are bytearrays (B) and arrays of one fixed type (H, h,
i), made once and never grown. Nothing here allocates.
"""

from array import array

from lumiban_fw.ways import (
    ANCHOR,
    AT,
    MEAN,
    RING,
    SAMPLES,
    STILL,
    SUM,
    TOTAL,
    TRACE,
    WAY,
    WINDOW,
)


def outside(
    counts: "array[int]",
    references: "array[int]",
    row: bytearray,
    low: "array[int]",
    high: "array[int]",
    out: bytearray,
) -> int:
    """Write into `out` the cells whose count above their row's reference left low..high.

    `counts` and `references` H, `row` and `out` B, `low` and `high` i; returns how many there are.

    >>> counts, refs = array("H", [2048, 2090]), array("H", [2048])
    >>> low, high, out = array("i", [-9, -9]), array("i", [9, 9]), bytearray(2)
    >>> outside(counts, refs, bytearray(2), low, high, out), out[0]
    (1, 1)
    """
    n = 0
    for i in range(len(row)):
        d = counts[i] - references[row[i]]
        if d < low[i] or d > high[i]:
            out[n] = i
            n += 1
    return n


def astray(references: "array[int]", middle: int, off: int) -> int:
    """The rows whose reference (H) is further than `off` from `middle`, one bit each.

    >>> astray(array("H", [2048, 1900, 2047]), 2048, 128)
    2
    """
    bad = 0
    for row in range(len(references)):
        d = references[row] - middle
        if d > off or d < -off:
            bad |= 1 << row
    return bad


def note(references: "array[int]", rings: "array[int]", at: int, length: int) -> None:
    """Write each row's reference (H) to place `at` of its ring of `length` in `rings` (H).

    >>> rings = array("H", [0] * 6)
    >>> note(array("H", [5, 7]), rings, 1, 3)
    >>> list(rings)
    [0, 5, 0, 0, 7, 0]
    """
    for row in range(len(references)):
        rings[row * length + at] = references[row]


def gather(raw: "array[int]", first: int, place: bytearray, out: "array[int]") -> None:
    """Copy the readings at `first` + each of `place` (B) from `raw` (H) to `out` (H).

    >>> out = array("H", [0, 0])
    >>> gather(array("H", [9, 8, 7, 6]), 1, bytearray([2, 0]), out)
    >>> list(out)
    [6, 8]
    """
    for i in range(len(place)):
        out[i] = raw[first + place[i]]


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


def follow(
    counts: "array[int]",
    references: "array[int]",
    row: bytes,
    moving: bytearray,
    m: int,
    state: "array[int]",
    traces: "array[int]",
    at: int,
    now: int,
    still: int,
    settle: int,
    out: bytearray,
) -> int:
    """Take one frame into the ways of the first `m` cells of `moving` (see ways.py).

    `state` i, `traces` h, the rest as in `outside`. `at` is the frame's place in the traces,
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
        slot += base + WINDOW
        total = state[base + SUM] + count - state[slot]
        state[base + SUM] = total
        state[slot] = count
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

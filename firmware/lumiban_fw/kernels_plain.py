"""The hot loops in plain Python: what runs on CPython and in the MicroPython VM.

The signatures are the contract with the compiled twins (kernels_viper.py): same names, same
arguments, same results to the bit. Buffers are bytearrays (B) and arrays of one fixed type (H, h,
i), made once and never grown. Nothing here allocates.
"""

from array import array


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
    """How many of `sums` are more than `most` allows (both i)."""
    n = 0
    for s in range(len(sums)):
        if sums[s] > most[s]:
            n += 1
    return n


def cover(
    indices: bytearray,
    effects: bytearray,
    shown: bytearray,
    moves: bytearray,
    top: bytearray,
    layer: int,
) -> None:
    """Lay a layer (indices and effects, all B) over what is shown, where it has a colour."""
    for i in range(len(indices)):
        if indices[i]:
            shown[i] = indices[i]
            moves[i] = effects[i]
            top[i] = layer


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

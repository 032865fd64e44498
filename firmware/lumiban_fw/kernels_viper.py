"""The hot loops as machine code for the RP2040: twins of kernels_plain.py, which tells of them.

Viper's numbers are 32 bits with sign and wrap; ptr8 and ptr16 read without sign, ptr32 with. It
knows no division of its own, no bounds and no len() of a pointer: lengths come from the object.
"""

import micropython


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
def cover(indices: object, effects: ptr8, shown: ptr8, moves: ptr8, top: ptr8, layer: int):
    index = ptr8(indices)
    for i in range(int(len(indices))):
        if index[i]:
            shown[i] = index[i]
            moves[i] = effects[i]
            top[i] = layer


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

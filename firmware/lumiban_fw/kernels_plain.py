"""The hot loops in plain Python: what runs on CPython and in the MicroPython VM."""


def outside(
    counts: "list[int]",
    references: "list[int]",
    row: "list[int]",
    low: "list[int]",
    high: "list[int]",
    out: "list[int]",
) -> int:
    """Write into `out` the cells whose count above their row's reference left low..high.

    All in ADC counts; returns how many there are.

    >>> out = [0, 0]
    >>> outside([2048, 2090], [2048], [0, 0], [-9, -9], [9, 9], out), out[0]
    (1, 1)
    """
    n = 0
    for i in range(len(row)):
        d = counts[i] - references[row[i]]
        if d < low[i] or d > high[i]:
            out[n] = i
            n += 1
    return n


def glow(
    indices: bytearray,
    levels: bytearray,
    palette: bytearray,
    drive: bytearray,
    strip: "list[int]",
    sums: "list[int]",
    rgb: bytearray,
) -> int:
    """Fill `rgb` from palette index and level (0 to 255) of each light; return the sum of it.

    `drive` maps a colour value to what the LED gets; `sums` takes the sum of each strip.
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
            r = drive[(palette[at] * level + 127) // 255]
            g = drive[(palette[at + 1] * level + 127) // 255]
            b = drive[(palette[at + 2] * level + 127) // 255]
        rgb[k] = r
        rgb[k + 1] = g
        rgb[k + 2] = b
        k += 3
        light = r + g + b
        total += light
        sums[strip[i]] += light
    return total


def scale(rgb: bytearray, part: int, whole: int) -> None:
    """Scale all of `rgb` to part/whole, rounding down."""
    for i in range(len(rgb)):
        rgb[i] = rgb[i] * part // whole

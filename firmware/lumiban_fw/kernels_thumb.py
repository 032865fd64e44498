"""The two loops that run for every cell of every frame, in the RP2040's own instructions.

Viper keeps its numbers on the stack: 170 cycles a cell where these take 26. Twins of
kernels_plain.py, as those of kernels_viper.py are.
"""

from array import array

import micropython
from micropython import const

_CLOCK = const(2047)
_RUN = const(8)
_BAND = const(4)

_told = array("I", bytes(16))
_beyond = bytearray(240)


@micropython.asm_thumb
def _sift(r0, r1, r2):
    # r0: addresses of row, bands, `_beyond`, and the number of cells; r1: counts; r2: references.
    # Writes for each cell beyond its band how many cells were left; returns the end of that.
    ldr(r3, [r0, 0])
    ldr(r4, [r0, 4])
    ldr(r5, [r0, 12])
    ldr(r0, [r0, 8])
    label(LOOP)
    ldrb(r6, [r3, 0])
    add(r6, r6, r6)
    add(r6, r6, r2)
    ldrh(r6, [r6, 0])
    ldrh(r7, [r1, 0])
    sub(r7, r7, r6)
    ldr(r6, [r4, 0])
    cmp(r7, r6)
    blt(BEYOND)
    ldr(r6, [r4, 4])
    cmp(r7, r6)
    bgt(BEYOND)
    label(NEXT)
    add(r1, 2)
    add(r3, 1)
    add(r4, 16)
    sub(r5, 1)
    bne(LOOP)
    b(END)
    label(BEYOND)
    strb(r5, [r0, 0])
    add(r0, 1)
    b(NEXT)
    label(END)


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
def watch(
    counts: object,
    references: object,
    row: object,
    bands: object,
    early: ptr16,
    times: ptr32,
    no: int,
    out: ptr8,
    saw: ptr32,
) -> int:
    cells = int(len(row))
    seen = 0
    begun = 0
    mark = times[no & _CLOCK]
    if cells:
        told = ptr32(_told)
        told[0] = int(ptr8(row))
        told[1] = int(ptr8(bands))
        told[2] = int(ptr8(_beyond))
        told[3] = cells
        seen = int(_sift(_told, counts, references)) - told[2]
    count = ptr16(counts)
    of = ptr16(references)
    rows = ptr8(row)
    band = ptr32(bands)
    found = ptr8(_beyond)
    for k in range(seen):
        i = cells - found[k]
        base = i * _BAND
        d = count[i] - of[rows[i]]
        run = band[base + 2]
        if d < band[base]:
            run = 0 - run
        if run < 0 or band[base + 3] != no - 1:
            run = 0
        early[i * _RUN + run] = d
        run += 1
        if d < band[base]:
            band[base + 2] = 0 - run
        else:
            band[base + 2] = run
        band[base + 3] = no
        start = times[(no - run + 1) & _CLOCK]
        if start < mark:
            mark = start
        if run == _RUN:
            band[base + 3] = 0 - 1
            out[begun] = i
            begun += 1
    saw[0] = mark
    saw[1] = seen
    return begun


@micropython.viper
def gather(raw: object, first: int, place: object, out: object):
    n = int(len(place))
    if n:
        _gather(int(ptr8(raw)) + 2 * first, place, out, n)

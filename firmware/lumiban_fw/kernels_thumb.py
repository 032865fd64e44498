"""The loops that run for every cell of every frame, in the RP2040's own instructions.

Viper takes 170 cycles a cell where these take 30. kernels_plain.py tells of them; what they
work on stands in `_words`, a word each, as `burst` puts it there.
"""

from array import array

import micropython
from micropython import const

_MASK = const(511)
_CLOCK = const(1023)
_MOVING = const(0)
_REST_SUM = const(3)
_REST_US = const(4)

# At 25 the least good reference, at 27 TRACE_LEN, at 31 CLOCK.
_words = array("i", [0] * 25 + [1921, 0, 512, 0, 0, 0, 1023])
_each = bytearray(range(240))  # more than a board's cells


@micropython.asm_thumb
def _note(r0):  # References of the frame into theirs and into the rings; not 0: one is off.
    mov(r7, 0)
    str(r7, [r0, 112])
    ldr(r1, [r0, 4])
    ldr(r2, [r0, 0])
    ldr(r3, [r0, 8])
    ldr(r4, [r0, 16])
    ldr(r5, [r0, 12])
    label(LOOP)
    ldrb(r6, [r1, 0])
    add(r6, r6, r6)
    add(r6, r6, r2)
    ldrh(r6, [r6, 0])
    strh(r6, [r3, 0])
    ldr(r7, [r0, 100])
    sub(r6, r6, r7)
    blt(UNDER)
    cmp(r6, 254)
    bgt(OVER)
    label(NEXT)
    sub(r6, 127)
    strb(r6, [r4, 0])
    add(r1, 1)
    add(r3, 2)
    ldr(r7, [r0, 108])
    add(r4, r4, r7)
    sub(r5, 1)
    bne(LOOP)
    b(END)
    label(UNDER)
    str(r5, [r0, 112])
    mov(r6, 0)
    sub(r6, 1)
    b(NEXT)
    label(OVER)
    str(r5, [r0, 112])
    mov(r6, 254)
    b(NEXT)
    label(END)
    ldr(r0, [r0, 112])


@micropython.asm_thumb
def _watch(r0):  # Cells of the frame into counts, each compared with its band; see `watch`.
    ldr(r1, [r0, 20])
    ldr(r2, [r0, 0])
    ldr(r3, [r0, 24])
    ldr(r4, [r0, 32])
    ldr(r5, [r0, 28])
    label(LOOP)
    ldrb(r7, [r5, 0])
    add(r7, r7, r7)
    ldr(r6, [r0, 8])
    add(r7, r7, r6)
    ldrh(r7, [r7, 0])
    ldrb(r6, [r1, 0])
    add(r6, r6, r6)
    add(r6, r6, r2)
    ldrh(r6, [r6, 0])
    strh(r6, [r3, 0])
    sub(r6, r6, r7)
    ldr(r7, [r4, 0])
    cmp(r6, r7)
    blt(BEYOND)
    ldr(r7, [r4, 4])
    cmp(r6, r7)
    bgt(BEYOND)
    label(NEXT)
    add(r1, 1)
    add(r5, 1)
    add(r3, 2)
    add(r4, 16)
    ldr(r7, [r0, 116])
    cmp(r3, r7)
    bne(LOOP)
    b(END)
    label(BEYOND)
    push({r1, r2, r3, r5})
    ldr(r1, [r4, 8])
    ldr(r7, [r4, 0])
    mov(r2, 0)
    cmp(r6, r7)
    bge(ABOVE)
    sub(r1, r2, r1)
    label(ABOVE)
    cmp(r1, 0)
    blt(ANEW)
    ldr(r3, [r0, 52])
    sub(r3, 1)
    ldr(r5, [r4, 12])
    cmp(r5, r3)
    beq(RUNS)
    label(ANEW)
    mov(r1, 0)
    label(RUNS)
    ldr(r3, [r0, 32])
    sub(r3, r4, r3)
    ldr(r5, [r0, 44])
    add(r3, r3, r5)
    add(r3, r3, r1)
    add(r3, r3, r1)
    strh(r6, [r3, 0])
    add(r1, 1)
    mov(r3, r1)
    cmp(r6, r7)
    bge(UP)
    sub(r3, r2, r3)
    label(UP)
    str(r3, [r4, 8])
    ldr(r3, [r0, 52])
    str(r3, [r4, 12])
    sub(r3, r3, r1)
    add(r3, 1)
    ldr(r5, [r0, 124])
    and_(r3, r5)
    lsl(r3, r3, 2)
    ldr(r5, [r0, 48])
    add(r3, r3, r5)
    ldr(r3, [r3, 0])
    ldr(r7, [r0, 60])
    ldr(r5, [r7, 0])
    cmp(r3, r5)
    bge(LATER)
    str(r3, [r7, 0])
    label(LATER)
    ldr(r5, [r7, 4])
    add(r5, 1)
    str(r5, [r7, 4])
    cmp(r1, 8)
    bne(DONE)
    sub(r2, 1)
    str(r2, [r4, 12])
    ldr(r3, [r0, 32])
    sub(r3, r4, r3)
    lsr(r3, r3, 4)
    ldr(r5, [r0, 56])
    strb(r3, [r5, 0])
    add(r5, 1)
    str(r5, [r0, 56])
    label(DONE)
    pop({r1, r2, r3, r5})
    b(NEXT)
    label(END)


@micropython.asm_thumb
def _follow(r0):  # Readings of cells that move into their ways; the end of `out` comes back.
    ldr(r1, [r0, 64])
    ldr(r2, [r0, 56])
    ldr(r3, [r0, 84])
    label(LOOP)
    ldrb(r4, [r1, 0])
    ldr(r5, [r0, 28])
    add(r5, r5, r4)
    ldrb(r5, [r5, 0])
    add(r5, r5, r5)
    ldr(r6, [r0, 8])
    add(r5, r5, r6)
    ldrh(r5, [r5, 0])
    add(r6, r4, r4)
    ldr(r7, [r0, 24])
    add(r6, r6, r7)
    ldrh(r6, [r6, 0])
    sub(r5, r6, r5)
    lsl(r6, r4, 3)
    add(r6, r6, r4)
    lsl(r6, r6, 2)
    ldr(r7, [r0, 68])
    add(r6, r6, r7)
    ldr(r7, [r6, 28])
    cmp(r7, 0)
    blt(UNTRACED)
    lsl(r7, r7, 10)
    ldr(r4, [r0, 72])
    add(r7, r7, r4)
    ldr(r4, [r0, 76])
    add(r7, r7, r4)
    strh(r5, [r7, 0])
    label(UNTRACED)
    ldrb(r7, [r1, 0])
    lsl(r7, r7, 3)
    ldr(r4, [r6, 32])
    add(r7, r7, r4)
    add(r7, r7, r7)
    add(r4, 1)
    cmp(r4, 8)
    bne(WITHIN)
    mov(r4, 0)
    label(WITHIN)
    str(r4, [r6, 32])
    ldr(r4, [r0, 44])
    add(r7, r7, r4)
    ldrh(r4, [r7, 0])
    strh(r5, [r7, 0])
    lsl(r4, r4, 16)
    asr(r4, r4, 16)
    ldr(r7, [r6, 12])
    add(r7, r7, r5)
    sub(r7, r7, r4)
    str(r7, [r6, 12])
    ldr(r4, [r6, 16])
    sub(r4, r7, r4)
    bge(POSITIVE)
    ldr(r4, [r6, 16])
    sub(r4, r4, r7)
    label(POSITIVE)
    cmp(r4, r3)
    bgt(MOVED)
    ldr(r4, [r0, 80])
    ldr(r7, [r6, 8])
    sub(r4, r4, r7)
    ldr(r7, [r0, 96])
    cmp(r4, r7)
    blt(NEXT)
    ldr(r7, [r6, 20])
    add(r7, r7, r5)
    str(r7, [r6, 20])
    ldr(r7, [r6, 24])
    add(r7, 1)
    str(r7, [r6, 24])
    ldr(r7, [r0, 88])
    cmp(r4, r7)
    blt(NEXT)
    ldrb(r4, [r1, 0])
    strb(r4, [r2, 0])
    add(r2, 1)
    b(NEXT)
    label(MOVED)
    str(r7, [r6, 16])
    ldr(r7, [r0, 80])
    str(r7, [r6, 8])
    mov(r7, 0)
    str(r7, [r6, 20])
    str(r7, [r6, 24])
    label(NEXT)
    add(r1, 1)
    ldr(r7, [r0, 92])
    cmp(r1, r7)
    bne(LOOP)
    mov(r0, r2)


@micropython.viper
def watch(
    counts: object,
    references: object,
    row: object,
    bands: object,
    early: object,
    times: object,
    no: int,
    out: object,
    saw: object,
) -> int:
    mark = ptr32(saw)
    mark[0] = ptr32(times)[no & _CLOCK]
    mark[1] = 0
    cells = int(len(row))
    if cells == 0:
        return 0
    words = ptr32(_words)
    words[0] = int(ptr8(counts))
    words[2] = int(ptr8(references))
    words[5] = int(ptr8(_each))
    words[6] = words[0]
    words[7] = int(ptr8(row))
    words[8] = int(ptr8(bands))
    words[11] = int(ptr8(early))
    words[12] = int(ptr8(times))
    words[13] = no
    first = int(ptr8(out))
    words[14] = first
    words[15] = int(ptr8(saw))
    words[29] = words[6] + 2 * cells
    _watch(_words)
    return words[14] - first


@micropython.viper
def follow(
    counts: object,
    references: object,
    row: object,
    moving: object,
    m: int,
    state: object,
    windows: object,
    traces: object,
    at: int,
    now: int,
    still: int,
    settle: int,
    out: object,
) -> int:
    if m == 0:
        return 0
    words = ptr32(_words)
    words[2] = int(ptr8(references))
    words[6] = int(ptr8(counts))
    words[7] = int(ptr8(row))
    first = int(ptr8(out))
    words[14] = first
    words[11] = int(ptr8(windows))
    words[16] = int(ptr8(moving))
    words[17] = int(ptr8(state))
    words[18] = int(ptr8(traces))
    words[19] = 2 * at
    words[20] = now
    words[21] = still
    words[22] = settle
    words[23] = words[16] + m
    words[24] = settle >> 1
    return int(_follow(_words)) - first


@micropython.viper
def burst(
    mine: object,
    senses: object,
    slot: int,
    slots: int,
    frames: int,
    n: int,
    no: int,
    t: int,
    period: int,
) -> int:
    words = ptr32(_words)
    raw = int(ptr8(mine[0]))
    words[1] = int(ptr8(mine[2]))
    words[2] = int(ptr8(senses[1]))
    words[3] = int(len(senses[1]))
    grounds = int(ptr8(senses[3]))
    words[5] = int(ptr8(mine[1]))
    words[6] = int(ptr8(senses[0]))
    words[7] = int(ptr8(senses[2]))
    words[8] = int(ptr8(senses[4]))
    words[11] = int(ptr8(senses[5]))
    words[12] = int(ptr8(senses[6]))
    out = int(ptr8(senses[7]))
    words[15] = int(ptr8(senses[8]))
    tally = ptr32(senses[14])
    words[16] = int(ptr8(senses[11]))
    words[17] = int(ptr8(senses[9]))
    words[18] = int(ptr8(senses[10]))
    words[21] = tally[_REST_SUM]
    words[22] = tally[_REST_US]
    words[23] = words[16] + tally[_MOVING]
    words[24] = tally[_REST_US] >> 1
    words[29] = words[6] + 2 * int(len(senses[2]))
    clock = ptr32(senses[6])
    saw = ptr32(senses[8])
    done = 0
    begun = 0
    saw[2] = 0
    while done < n and begun == 0:
        no += 1
        words[0] = raw + 2 * slot * slots
        words[4] = grounds + (no & _MASK)
        if int(_note(_words)) != 0:
            break
        clock[no & _CLOCK] = t
        saw[0] = t
        saw[1] = 0
        words[13] = no
        words[14] = out
        _watch(_words)
        begun = words[14] - out
        if begun == 0 and tally[_MOVING] != 0:
            words[19] = 2 * (no & _MASK)
            words[20] = t
            saw[2] = int(_follow(_words)) - out
        t += period
        slot = (slot + 1) & (frames - 1)
        done += 1
    return begun << 8 | done

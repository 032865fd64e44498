"""The two programs of the chip's PIO machines.

Their words stand in `docs/firmware-chip.md` and are frozen in tests, which also run them.
"""

import rp2

SLOT_HZ = 5_000_000
"""Clock of `addresses` for a slot of 1 µs, which is 5 of its cycles. For one of n µs it is the
n-th part: the system's 125 MHz by 25 n, exactly."""
LIGHT_HZ = 8_000_000
"""Clock of `ws2812`: ten cycles a bit."""


@rp2.asm_pio(
    out_init=(rp2.PIO.OUT_LOW,) * 8,
    out_shiftdir=rp2.PIO.SHIFT_RIGHT,
    autopull=True,
    pull_thresh=8,
)
def addresses():  # type: ignore[no-untyped-def]  # PIO's assembler takes no annotations
    """Put out a byte (mux channel, and row times 16) for 5 cycles, and the next one."""
    wrap_target()
    out(pins, 8)[4]
    wrap()


@rp2.asm_pio(
    sideset_init=rp2.PIO.OUT_LOW,
    out_shiftdir=rp2.PIO.SHIFT_LEFT,
    autopull=True,
    pull_thresh=8,
)
def ws2812():  # type: ignore[no-untyped-def]  # PIO's assembler takes no annotations
    """A bit is ten cycles: high for 3 if it is 0 and for 7 if it is 1. Waits while it is low."""
    wrap_target()
    label("bit")
    out(x, 1).side(0)[2]
    jmp(not_x, "zero").side(1)[2]
    jmp("bit").side(1)[3]
    label("zero")
    nop().side(0)[3]
    wrap()

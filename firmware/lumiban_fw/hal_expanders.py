"""MCP23017s on a Pico's I²C: sixteen switches each, with the chip's own pull-ups.

Loaded by `hal_switches` on boards whose description names them, and by no other.
"""

from machine import I2C, Pin

TYPE_CHECKING = False
if TYPE_CHECKING:
    from array import array
    from collections.abc import Callable

PULL_UPS, PORT_A = 0x0C, 0x12
"""Registers of both ports, one after the other."""
FIRST_ADDRESS = 0x20
BUS_HZ = 400_000
ANSWER_US = 2_000
"""A chip that does not answer holds up the board no longer."""
AWAY_FRAMES = 50
"""Frames after which one that has not answered twice is asked again."""
UNREAD = 1 << 16
"""Bit of a word whose chip did not tell its inputs."""
PULLED = b"\xff\xff"


def reader(pins: bytes, jumpers: bytes, looks: "array[int]") -> "Callable[[], None]":
    """Function that reads both ports of each chip into a word of `looks`, in the order of cells.

    `pins` are SDA and SCL, `jumpers` the address pins A2 to A0 of each chip as a number. The word
    of a chip that does not answer is UNREAD. One whose supply dipped has lost its pull-ups and may
    answer as before: they are read with the ports, and it is UNREAD until they are set again.
    """
    # Of the pins, every second pair is the second bus.
    bus = I2C(pins[0] >> 1 & 1, sda=Pin(pins[0]), scl=Pin(pins[1]), freq=BUS_HZ, timeout=ANSWER_US)
    told = bytearray(PORT_A + 2 - PULL_UPS)
    misses = [1] * len(jumpers)
    """Frames since each last told its inputs."""

    def read() -> None:
        for k in range(len(looks)):
            looks[k] = UNREAD
            missed = misses[k]
            misses[k] += 1
            if missed > 1 and missed % AWAY_FRAMES:
                continue
            at = FIRST_ADDRESS + jumpers[k]
            try:
                if missed:
                    bus.writeto_mem(at, PULL_UPS, PULLED)
                bus.readfrom_mem_into(at, PULL_UPS, told)
            except OSError:
                continue
            misses[k] = 1
            if told[0] & told[1] == 0xFF:
                misses[k] = 0
                looks[k] = told[-2] | told[-1] << 8

    return read

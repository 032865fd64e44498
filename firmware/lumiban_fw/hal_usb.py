"""USB serial that never waits.

MicroPython tells whether a byte can be written, not how many, and waits up to half a second for a
host that does not read. But the chip's own register tells whether the host took the last packet.
When it did, TinyUSB's buffer is empty and takes BUFFER bytes; until it does again, what was
written since is what may still be there.
"""

import select
import sys

import micropython

BUFFER = 256
"""Bytes that TinyUSB holds for the host."""
AT_ONCE = 63
"""Bytes read in one go, a full frame: reading costs 60 µs a byte, following it 4 ms."""


@micropython.viper
def _taken() -> int:
    """Whether the host took the last packet: the IN buffer of endpoint 2 is the firmware's."""
    return 1 - ((ptr32(0x50100090)[0] >> 10) & 1)


class Usb:
    """The line to the host."""

    def __init__(self) -> None:
        micropython.kbd_intr(-1)  # 0x03 is data
        self._in = sys.stdin.buffer
        self._out = sys.stdout.buffer
        self._poll = select.poll()
        self._poll.register(sys.stdin, select.POLLIN)
        self._byte = bytearray(1)
        self._held = 0

    def read(self) -> bytes:
        """Bytes that came, at most AT_ONCE of them."""
        poll = self._poll.ipoll
        for _ in poll(0):
            break
        else:
            return b""
        got = bytearray(AT_ONCE)
        one = self._byte
        take = self._in.readinto
        n = 0
        while n < AT_ONCE:
            take(one)
            got[n] = one[0]
            n += 1
            for _ in poll(0):
                break
            else:
                break
        return bytes(got[:n])

    def room(self) -> int:
        """How many bytes can be written without waiting."""
        if _taken():
            self._held = 0
        return BUFFER - self._held

    def write(self, data: bytes) -> None:
        """Send at most `room()` bytes."""
        self._held += len(data)
        self._out.write(data)

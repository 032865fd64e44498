"""The lights of a board on the Pi's header: a chain of WS2812Bs whose signal is made by SPI0.

A light takes 24 bits, each a pulse whose length is the bit. SPI's data line at GPIO10 makes them,
four bits of SPI for each bit of colour: 1000 or 1110. So each byte of SPI begins with a pulse and
ends low, and where the bus pauses between two bytes only a low becomes longer, which a light does
not mind before 0.05 ms. Three bits would cross the bytes' borders, and the pause lengthen a pulse.

The rate is one that the dividers of all Pis come near to: 3.289 MHz up to the Pi 4 with its core at
250 or 500 MHz, 3.226 MHz on a Pi 5 at 200. A pulse then lasts 304 to 310 ns or 912 to 930, inside
both data sheets of the WS2812B (short: 250 to 550 ns, in version 5 220 to 380; long: 650 to 950,
580 to 1000). The core's clock has to be asked to be steady (`pins.check_clock`): at a slower one
the short pulses are long ones, and all lights white.
"""

from __future__ import annotations

import contextlib
import errno
import threading

from lumiban.boards.gpio.buses import LIGHTS_PATH, SpiDevice
from lumiban.boards.gpio.interface import Chain
from lumiban.boards.ports import localized
from lumiban.errors import BoardError

LED_HZ = 3_300_000
RESET_BYTES = 140
"""0.34 ms of silence before and after: after 0.28 ms a light shows what it has taken."""
AGAIN_S = 1.0
"""Lights that could not be reached are tried again after so long."""
PULSES = tuple(
    sum((0b1110 if byte >> bit & 1 else 0b1000) << 4 * bit for bit in range(8)).to_bytes(4, "big")
    for byte in range(256)
)
"""Bits sent for each byte of colour."""


def signal(rgb: bytes) -> bytes:
    """The bytes on SPI for a picture of r, g, b of each light; lights take green first.

    >>> signal(bytes((0, 255, 0)))[RESET_BYTES:-RESET_BYTES].hex()
    'eeeeeeee8888888888888888'
    """
    grb = bytearray(rgb)
    grb[0::3], grb[1::3] = rgb[1::3], rgb[0::3]
    silence = bytes(RESET_BYTES)
    return silence + b"".join(map(PULSES.__getitem__, grb)) + silence


class SpiLights:
    """All lights of a board as one chain; `show` returns when the picture has gone out.

    BoardError where the bus is not ours, or takes no picture of that many lights at once: a pause
    within a picture would end it.
    """

    def __init__(self, lights: int) -> None:
        self._device = SpiDevice(LIGHTS_PATH, LED_HZ)
        self._dark = bytes(3 * lights)
        try:
            self.show(self._dark)
        except OSError as error:
            self._device.close()
            if error.errno != errno.EMSGSIZE:
                raise
            need = len(signal(self._dark))
            raise BoardError(localized("gpio.lights.many", lights=lights, bytes=need)) from None

    def show(self, rgb: bytes) -> None:
        """Light them: r, g, b of each; OSError."""
        self._device.exchange(signal(rgb))

    def close(self) -> None:
        """Put them out."""
        try:
            self.show(self._dark)
        finally:
            self._device.close()


class NoLights:
    """A board without lights: its pictures are shown by the page alone."""

    is_dark = False

    def show(self, rgb: bytes) -> None:
        """Nothing is lit."""

    def close(self) -> None:
        """Nothing is put out."""


class Background:
    """Shows pictures on a chain in a thread: a picture takes milliseconds, and the sensors must not
    wait for it. One that comes meanwhile takes the place of one that waits. While a picture cannot
    be shown the lights are `is_dark`, and it is tried again."""

    def __init__(self, chain: Chain, *, again_s: float = AGAIN_S) -> None:
        self.is_dark = False
        self._chain = chain
        self._again_s = again_s
        self._next: bytes | None = None
        self._ends = False
        self._wake = threading.Condition()
        self._thread = threading.Thread(target=self._run, name="lights", daemon=True)
        self._thread.start()

    def show(self, rgb: bytes) -> None:
        """Let this picture be shown, without waiting."""
        with self._wake:
            self._next = bytes(rgb)
            self._wake.notify()

    def close(self) -> None:
        """End the thread after its last picture and put the lights out."""
        with self._wake:
            self._ends = True
            self._wake.notify()
        self._thread.join()
        with contextlib.suppress(OSError):
            self._chain.close()

    def _run(self) -> None:
        shown = b""
        while True:
            with self._wake:
                while self._next is None and not self._ends:
                    if not self._wake.wait(self._again_s if self.is_dark else None):
                        self._next = shown
                picture, self._next = self._next, None
            if picture is None:
                return
            shown = picture
            try:
                self._chain.show(picture)
                self.is_dark = False
            except OSError:
                self.is_dark = True

"""The lights of a board on the Pi's header: a chain of WS2812Bs whose signal is made by SPI0.

A light takes 24 bits, each a pulse: short for 0, long for 1 (data sheet: 0.25 to 0.55 µs and 0.65
to 0.95 µs). SPI's data line at GPIO10 gives them where each bit of colour goes out as three bits at
2.4 MHz: 100 or 110. Nothing else of the bus is used. The bits come at that rate only while the
chip's core runs at a steady clock, which up to the Pi 4 has to be asked for (`pins.check_clock`):
at a slower one the short pulses are long ones, and all lights white.
"""

from __future__ import annotations

import contextlib
import threading
from typing import Protocol

from lumiban.boards.gpio.kernel import Kernel
from lumiban.boards.gpio.spi import open_device

LED_BUS = 0
LED_HZ = 2_400_000
RESET_BYTES = 100
"""0.33 ms of silence before and after: after 0.28 ms a light shows what it has taken."""
AGAIN_S = 1.0
"""Lights that could not be reached are tried again after so long."""
PULSES = tuple(
    sum((0b110 if byte >> bit & 1 else 0b100) << 3 * bit for bit in range(8)).to_bytes(3, "big")
    for byte in range(256)
)
"""Bits sent for each byte of colour."""


def signal(rgb: bytes) -> bytes:
    """The bytes on SPI for a picture of r, g, b of each light; lights take green first.

    >>> signal(bytes((0, 255, 0)))[RESET_BYTES:-RESET_BYTES].hex()
    'db6db6924924924924'
    """
    grb = bytearray(rgb)
    grb[0::3], grb[1::3] = rgb[1::3], rgb[0::3]
    silence = bytes(RESET_BYTES)
    return silence + b"".join(map(PULSES.__getitem__, grb)) + silence


class Lamps:
    """All lights of a board as one chain; `show` returns when the picture has gone out."""

    def __init__(self, kernel: Kernel, lights: int) -> None:
        self._device = open_device(kernel, LED_BUS, 0)
        self._dark = bytes(3 * lights)
        self._message = self._device.message([signal(self._dark)], LED_HZ)
        self._message.send()

    def show(self, rgb: bytes) -> None:
        """Light them: r, g, b of each; OSError."""
        self._message.fill(signal(rgb))
        self._message.send()

    def close(self) -> None:
        """Put them out."""
        try:
            self.show(self._dark)
        finally:
            self._device.close()


class ShownLamps(Protocol):
    """Lights that show pictures and can be put out."""

    def show(self, rgb: bytes) -> None:
        """Light all lights: r, g, b of each."""

    def close(self) -> None:
        """Put them out."""


class NoLamps:
    """A board without lights: its pictures are shown by the page alone."""

    is_dark = False

    def show(self, rgb: bytes) -> None:
        """Nothing is lit."""

    def close(self) -> None:
        """Nothing is put out."""


class Background:
    """Shows pictures on `lamps` in a thread: a picture takes milliseconds, and the sensors must not
    wait for it. One that comes meanwhile takes the place of one that waits. While a picture cannot
    be shown the lights are `is_dark`, and it is tried again."""

    def __init__(self, lamps: ShownLamps, *, again_s: float = AGAIN_S) -> None:
        self.is_dark = False
        self._lamps = lamps
        self._again_s = again_s
        self._next: bytes | None = None
        self._ends = False
        self._wake = threading.Condition()
        self._thread = threading.Thread(target=self._run, name="lamps", daemon=True)
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
            self._lamps.close()

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
                self._lamps.show(picture)
                self.is_dark = False
            except OSError:
                self.is_dark = True

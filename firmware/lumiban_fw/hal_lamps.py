"""The LEDs: one chain over all strips, put out by a PIO machine that DMA feeds.

A frame of 182 lights takes 5.5 ms on the wire and 0.1 ms of the CPU; interrupts stay on.
"""

import rp2
from machine import Pin

from lumiban_fw.pio_programs import LIGHT_HZ, ws2812

DATA_PIN, OFF_PIN, POWER_PIN = 14, 15, 18
"""The chain, its driver's output enable (low is on), and the switch of the LED rail."""
_MACHINE = 4
_REQUEST = 8
"""The first machine of the second PIO, and its request for data."""


class Lamps:
    """The chain of lights; dark until the first picture."""

    def __init__(self) -> None:
        self._machine = rp2.StateMachine(
            _MACHINE, ws2812, freq=LIGHT_HZ, sideset_base=Pin(DATA_PIN)
        )
        self._machine.active(1)
        self._dma = rp2.DMA()
        self._ctrl = self._dma.pack_ctrl(size=0, inc_write=False, treq_sel=_REQUEST, irq_quiet=True)
        self._off = Pin(OFF_PIN, Pin.OUT, value=1)
        self._power = Pin(POWER_PIN, Pin.OUT, value=0)
        self._lit = False

    def busy(self) -> bool:
        """Whether a picture is still on its way."""
        return bool(self._dma.active())

    def show(self, grb: bytearray) -> None:
        """Put out a picture, green first, straight from where it stands; when not `busy`."""
        self._dma.config(
            read=grb,
            write=self._machine,
            count=len(grb),
            ctrl=self._ctrl,
            trigger=True,
        )
        if not self._lit:
            self._lit = True
            self._power.value(1)
            self._off.value(0)

    def dark(self) -> None:
        """Cut the lights' power."""
        self._off.value(1)
        self._power.value(0)
        self._lit = False

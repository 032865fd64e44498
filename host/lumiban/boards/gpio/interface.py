"""Interface between a board on the header and whatever moves its pins, buses and lights.

`HeaderBoard` asks for nothing else. The kernel's devices are one way to it (`kernel`, `buses`,
`lights`), RPi.GPIO and adafruit-circuitpython-neopixel another (`libraries`), the simulator a
third; a board of your own takes any object that has these methods (examples/own_board.py).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol


class Inputs(Protocol):
    """Pins that are read together, each with its pull-up."""

    def bits(self) -> int:
        """Levels of all, bit 0 the first pin; OSError while they cannot be read."""


class Outputs(Protocol):
    """Pins that are driven together."""

    def put(self, bits: int, mask: int = -1) -> None:
        """Drive the pins of `mask` to these levels, bit 0 the first pin; a 1 lets go of a pin with
        an open drain. OSError."""


class PinAccess(Protocol):
    """The header's pins, by their GPIO (BCM) numbers. BoardError for one that cannot be had."""

    def inputs(self, pins: Sequence[int]) -> Inputs:
        """Claim pins as inputs that are pulled up."""

    def outputs(self, pins: Sequence[int], levels: int, *, has_open_drain: bool = False) -> Outputs:
        """Claim pins as outputs of these levels, as bits. With an open drain a pin is drawn low by
        0 and floats by 1: two that are wired together never fight."""

    def close(self) -> None:
        """Give all pins back."""


class Registers(Protocol):
    """A bus of registers; a chip's own select line frames each exchange."""

    def exchange(self, data: bytes) -> bytes:
        """Bytes that come in while these go out; OSError."""


class Expanders(Protocol):
    """A bus of chips with registers, by address; OSError where a chip does not answer."""

    def write(self, address: int, register: int, data: bytes) -> None:
        """Write to a chip's registers, from `register` on."""

    def read(self, address: int, register: int, count: int) -> bytes:
        """Read `count` of a chip's registers, from `register` on."""


class Buses(Protocol):
    """The header's buses, and time. BoardError for a bus that cannot be had."""

    def spi(self) -> Registers:
        """The bus on SPI1 and its first select line."""

    def i2c(self) -> Expanders:
        """The bus on GPIO2 and 3."""

    def sleep_us(self, us: int) -> None:
        """Let at least so much time go by."""

    def close(self) -> None:
        """Give all buses back."""


class Chain(Protocol):
    """A chain of lights."""

    def show(self, rgb: bytes) -> None:
        """Light all: r, g, b of each, 0 to 255. May take as long as the signal; OSError."""

    def close(self) -> None:
        """Put them out and give them back."""

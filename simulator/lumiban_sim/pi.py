"""The 40-pin header of a simulated Pi, and what hangs on it: muxes, ADCs, buttons, lights.

`pi_kernel` is the system whose calls end here. Everything is known by its pin alone; a select line
at the wrong pin reads the wrong cells, as it would, and lights take what pulses they are given.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from lumiban.boards.gpio.lights import LED_BUS
from lumiban.boards.gpio.pins import LED_SPI, NONE, Pins
from lumiban.boards.limits import MIDDLE
from lumiban.boards.profile import Profile
from lumiban_fw.layout import REFERENCE

from lumiban_sim.switches import SwitchWiring

I2C_HZ = 400_000

Sensed = tuple[Sequence[int], Sequence[int]]


@dataclass(frozen=True, slots=True)
class Costs:
    """Durations of calls: assumptions for a Pi 4, to be replaced by measured figures."""

    pin_us: int = 8
    """Of a call for pins, however many."""
    transfer_us: int = 20
    """Of a call of spidev, besides its bits."""
    again_us: int = 11
    """Of each further transfer of that call: the kernel lifts the select line for 10 µs."""


class Pi:
    """One Pi with a board on its header.

    `sensed` gives the ADC counts of all cells and of the rows' references now, `shine` is told
    what the lights show, `down` which buttons are pressed. `spent_us` is the time that calls have
    taken, those for lights apart: they are made by a thread of their own.
    """

    def __init__(
        self,
        profile: Profile,
        pins: Pins,
        *,
        sensed: Callable[[], Sensed] | None = None,
        shine: Callable[[bytes], None] = lambda _: None,
        down: Callable[[], int] = lambda: 0,
        costs: Costs | None = None,
    ) -> None:
        self.pins = pins
        self.levels: dict[int, int] = {}
        """Of the pins that are outputs."""
        self.pulled: dict[int, int] = {}
        """Pull-ups (1) and none (0) of the pins that are inputs."""
        self.pixels: tuple[bytes, ...] = ()
        """The three bytes that each light took off the chain."""
        self.busy: set[int] = set()
        """Pins that another program holds."""
        self.noted: Callable[[int, int], None] | None = None
        """Told of each pin that is driven, and its level."""
        self.spent_us = 0
        self.calls = 0
        """Calls of the kernel to drive pins, and for SPI."""
        self.clock = 1.0
        """SPI's rate as a part of what was asked for: less where the core's clock is not steady."""
        self.costs = costs or Costs()
        self._lights = profile.lights
        quiet = [MIDDLE] * len(profile.cells), [MIDDLE] * profile.rows
        self._sensed = sensed or (lambda: quiet)
        self._shine = shine
        self._down = down
        self._cell = {(cell.row, cell.channel): n for n, cell in enumerate(profile.cells)}
        self._rows = profile.rows
        self._switches: SwitchWiring | None = None
        if profile.is_of_switches:
            self._switches = SwitchWiring(
                profile, pins, self._closed, self.levels.get, now_us=lambda: self.spent_us
            )

    def _closed(self) -> bytearray:
        """The switches, 1 for closed: readings that are not of an open one."""
        return bytearray(count != MIDDLE for count in self._sensed()[0])

    @property
    def shorts(self) -> int:
        """Number of times that a pin driven high was connected to one driven low."""
        return self._switches.shorts if self._switches is not None else 0

    @property
    def switches(self) -> SwitchWiring:
        """The switches as they are wired; ValueError on a board without."""
        if self._switches is None:
            raise ValueError("no board of switches")
        return self._switches

    # Pins.

    def spend(self) -> None:
        """A call for pins is made."""
        self.calls += 1
        self.spent_us += self.costs.pin_us

    def out(self, pin: int, level: int) -> None:
        """Drive a pin."""
        self._changes(pin)
        self.pulled.pop(pin, None)
        self.levels[pin] = level
        if self.noted is not None:
            self.noted(pin, level)
        if self._switches is not None:
            self._switches.out(pin, level)
        if pin in (self.pins.dark, self.pins.power):
            self._light()

    def claim(self, pin: int, pull: int) -> None:
        """Make a pin an input, with its pull-up or without."""
        self._changes(pin)
        self.levels.pop(pin, None)
        self.pulled[pin] = pull

    def _changes(self, pin: int) -> None:
        """A row of switches is about to be driven otherwise."""
        if self._switches is not None and pin in self.pins.drive and pin in self.levels:
            self._switches.changes()

    def free(self, pin: int) -> None:
        """Give a pin back: it floats."""
        self.levels.pop(pin, None)
        self.pulled.pop(pin, None)
        if pin in (self.pins.dark, self.pins.power):
            self._light()

    def read(self, pin: int) -> int:
        """The level of a pin; a pressed button draws it to ground."""
        if pin in self.pins.buttons and self._down() >> self.pins.buttons.index(pin) & 1:
            return 0
        drawn = self._switches.read(pin) if self._switches is not None else None
        if drawn is not None and self.pulled.get(pin):
            return drawn
        return self.levels.get(pin, self.pulled.get(pin, 0))

    # Sensors.

    def transfer(
        self, bus: int, select: int, words: bytes, hz: int, *, again: bool = False
    ) -> bytes:
        """Bytes that come in on SPI while these go out; `again` in the same call of the kernel."""
        if bus == LED_BUS and self.pins.led == LED_SPI:
            self._signal(words, hz * self.clock)
            return bytes(len(words))
        self.calls += not again
        self.spent_us += self.costs.again_us if again else self.costs.transfer_us
        self.spent_us += len(words) * 8 * 1_000_000 // hz
        if bus != self.pins.spi:
            return bytes(len(words))
        if self._switches is not None:
            return self._switches.transfer(words)
        return mcp3208(words, lambda channel: self._volts(8 * select + channel))

    def _volts(self, row: int) -> int:
        """The count of the strip at this input, by where its mux stands."""
        channel = sum(self.levels.get(pin, 0) << n for n, pin in enumerate(self.pins.columns))
        counts, references = self._sensed()
        if row >= self._rows:
            return 0
        if channel == REFERENCE:
            return references[row]
        cell = self._cell.get((row, channel))
        return 0 if cell is None else counts[cell]

    def i2c_write(self, address: int, register: int, data: Sequence[int]) -> None:
        """Bytes for a register of a chip on I²C; OSError where none answers."""
        self._spend_on_i2c(2 + len(data))
        if self._switches is None:
            raise OSError(121, "Remote I/O error")
        self._switches.write(address, register, data)

    def i2c_read(self, address: int, register: int, length: int) -> list[int]:
        """Bytes of a chip's registers; OSError where none answers."""
        self._spend_on_i2c(3 + length)
        if self._switches is None:
            raise OSError(121, "Remote I/O error")
        return self._switches.ask(address, register, length)

    def _spend_on_i2c(self, count: int) -> None:
        """Time of so many bytes, of nine bits each."""
        self.spent_us += self.costs.transfer_us + 9 * count * 1_000_000 // I2C_HZ

    # Lights.

    def _signal(self, words: bytes, hz: float) -> None:
        """Pulses leave SPI's data line: each light takes 24 of them and passes on the rest."""
        taken = bits_of_pulses(words, hz)
        chain = [taken[at : at + 24] for at in range(0, len(taken), 24)]
        self.pixels = tuple(int(one, 2).to_bytes(3, "big") for one in chain if len(one) == 24)
        self._light()

    def _light(self) -> None:
        lit = bytearray(3 * self._lights)
        dark = self.pins.dark != NONE and self.levels.get(self.pins.dark, 1)
        power = self.pins.power == NONE or self.levels.get(self.pins.power, 0)
        if power and not dark:
            for n, (green, red, blue) in enumerate(self.pixels[: self._lights]):
                lit[3 * n : 3 * n + 3] = bytes((red, green, blue))
        self._shine(bytes(lit))


LONG_US = 0.6
"""A WS2812B takes a pulse that is longer than this for a 1."""


def bits_of_pulses(words: bytes, hz: float) -> str:
    """The bits that lights see in a signal of SPI at this rate.

    >>> bits_of_pulses(bytes((0b11010010, 0b01100000)), 2_400_000)
    '1001'
    >>> bits_of_pulses(bytes((0b11010010, 0b01100000)), 1_000_000)
    '1111'
    """
    line = f"{int.from_bytes(words, 'big'):0{8 * len(words)}b}"
    long = LONG_US * hz / 1e6
    return "".join("01"[len(pulse) > long] for pulse in re.findall("1+", line))


def mcp3208(words: bytes, count: Callable[[int], int]) -> bytes:
    """Response of an MCP3208, bit by bit (data sheet, figure 6-1): nothing until the start bit,
    then it takes SGL and three address bits, samples, and gives a zero and twelve bits.

    >>> mcp3208(bytes((0b00000110, 0b01000000, 0)), lambda channel: 1000 + channel).hex()
    '0003e9'
    """
    asked, bits = int.from_bytes(words, "big"), 8 * len(words)
    start = asked.bit_length()  # bits that are left from the start bit on, the highest that is set
    if start < 6 or not asked >> (start - 2) & 1:
        return bytes(len(words))
    value = count(asked >> (start - 5) & 7)
    last = start - 19
    answer = value << last if last >= 0 else value >> -last
    return (answer & ((1 << bits) - 1)).to_bytes(len(words), "big")

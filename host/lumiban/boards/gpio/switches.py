"""Switches on the Pi's header: what their wiring says of each cell, as readings of sensors.

A reed or Hall switch only tells whether a piece stands there. Five wirings are read, all known from
boards that people build: a matrix driven by pins or by a 74HC595, a chain of 74HC165, expanders
MCP23017 on I²C, and a pin a cell. A closed switch draws its input to ground everywhere.

For the firmware a closed switch is a neutral piece in the middle of its range (`SWITCH_UT`), an
open one no field at all: its rules of settling, order and faults are the same as for sensors that
measure. `table/switch_kinds.py` finds out what the pieces are.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Sequence
from typing import Any, Protocol

from lumiban_fw.wire import HALF_SCALE

from lumiban.boards.gpio.pins import PinError, Pins, errors_of
from lumiban.boards.gpio.spi import open_device
from lumiban.boards.ports import localized
from lumiban.boards.profile import SWITCH_UT, Profile
from lumiban.errors import BoardError

I2C_BUS = 1
"""The one on GPIO2 and 3."""
PULL_UPS, PORT_A = 0x0C, 0x12
"""Registers of an MCP23017 (data sheet, table 3-3, IOCON.BANK = 0); port B follows port A."""
EXPANDER_PINS = 16


class Wiring(Protocol):
    """What reads all switches once."""

    def read(self, closed: bytearray) -> None:
        """Set `closed`, by cell, to 1 where a switch is closed."""

    def close(self) -> None:
        """Give back what is not a pin."""


class SwitchScanner:
    """Reads frames of switches, as `hal.Scanner` does of sensors."""

    def __init__(self, profile: Profile, wiring: Wiring) -> None:
        self._wiring = wiring
        self._closed = bytearray(len(profile.cells))
        self._counts = (HALF_SCALE, HALF_SCALE + (SWITCH_UT << 16) // profile.gain_q16)

    def read(
        self, counts: array[int], references: array[int], clock: Callable[[], int]
    ) -> tuple[int, int]:
        """Fill in the counts of all cells and of the rows' references; when it began and ended.

        A frame takes a millisecond or two, and a contact no shorter to come to rest: its readings
        all count as of its beginning.
        """
        begin = clock()
        closed, values = self._closed, self._counts
        self._wiring.read(closed)
        for cell, is_closed in enumerate(closed):
            counts[cell] = values[is_closed]
        for row in range(len(references)):
            references[row] = HALF_SCALE
        return begin, clock()


def open_wiring(profile: Profile, pins: Pins, gpio: Any, spidev: Any, smbus: Any) -> Wiring:
    """The switches of a board, set up; BoardError when the system does not give them.

    `gpio`, `spidev` and `smbus` are the modules RPi.GPIO, spidev and smbus2; the last may be None
    where no expander is wired.
    """
    switches = profile.switches
    if switches is None:
        raise ValueError(f"{profile.name} is no board of switches")
    places = [(cell.row, cell.channel) for cell in profile.cells]
    if switches.wiring == "none":
        return NoSwitches()
    if switches.wiring == "mcp23017":
        return Expanders(places, switches.addresses, smbus)
    if switches.wiring == "direct":
        return Direct(pins.sense, gpio)
    if switches.wiring == "matrix":
        return Matrix(places, pins, gpio, has_diodes=switches.diodes)
    bus = open_device(spidev, pins.spi, 0)
    if switches.wiring == "74hc595":
        return RegisterMatrix(places, pins, gpio, bus)
    return Registers(places, pins, gpio, bus)


def in_order(places: Sequence[tuple[int, int]]) -> list[int]:
    """The cells as registers and expanders count them: strip by strip, each by its channels.

    >>> in_order([(1, 0), (0, 1), (0, 0)])
    [2, 1, 0]
    """
    return sorted(range(len(places)), key=lambda cell: places[cell])


class NoSwitches:
    """A panel of lights alone: nothing is ever closed."""

    def read(self, closed: bytearray) -> None:
        """Nothing to read."""

    def close(self) -> None:
        """Nothing to give back."""


class Direct:
    """A pin a cell, in the order of cells."""

    def __init__(self, sense: Sequence[int], gpio: Any) -> None:
        self._pins = tuple(sense)
        self._input = gpio.input
        claim_inputs(self._pins, gpio)

    def read(self, closed: bytearray) -> None:
        """Read all pins."""
        ask = self._input
        for cell, pin in enumerate(self._pins):
            closed[cell] = not ask(pin)

    def close(self) -> None:
        """All are pins."""


class Matrix:
    """Rows are drawn low one after the other, columns are read.

    With diodes the other rows are driven high. Without them two closed switches of a column would
    connect a high row to a low one: there the other rows float.
    """

    def __init__(
        self, places: Sequence[tuple[int, int]], pins: Pins, gpio: Any, *, has_diodes: bool
    ) -> None:
        self._gpio = gpio
        self._drive = pins.drive
        self._floats = not has_diodes
        self._cells = _by_row(places, pins.sense)
        claim_inputs(pins.sense, gpio)
        for pin in self._drive:
            if self._floats:
                claim_inputs((pin,), gpio, pulled=False)
            else:
                _claim(gpio, pin, gpio.OUT, initial=1)

    def read(self, closed: bytearray) -> None:
        """Read row by row."""
        gpio, ask = self._gpio, self._gpio.input
        for row, cells in enumerate(self._cells):
            pin = self._drive[row]
            if self._floats:
                gpio.setup(pin, gpio.OUT, initial=0)
            else:
                gpio.output(pin, 0)
            for cell, column in cells:
                closed[cell] = not ask(column)
            if self._floats:
                gpio.setup(pin, gpio.IN, pull_up_down=gpio.PUD_OFF)
            else:
                gpio.output(pin, 1)

    def close(self) -> None:
        """All are pins."""


class RegisterMatrix:
    """A matrix whose rows are outputs of a chain of 74HC595, low while they are read.

    The bus's first select line is the registers' RCLK: they take over what was shifted in when it
    rises, at the end of a transfer. The first byte ends in the farthest register.
    """

    def __init__(self, places: Sequence[tuple[int, int]], pins: Pins, gpio: Any, bus: Any) -> None:
        self._bus = bus
        self._input = gpio.input
        self._cells = _by_row(places, pins.sense)
        size = (len(self._cells) + 7) // 8
        full = (1 << 8 * size) - 1
        self._rows = [
            tuple((full ^ 1 << row).to_bytes(size, "big")) for row in range(len(self._cells))
        ]
        self._idle = tuple(full.to_bytes(size, "big"))
        claim_inputs(pins.sense, gpio)

    def read(self, closed: bytearray) -> None:
        """Read row by row."""
        ask, shift = self._input, self._bus.xfer2
        for word, cells in zip(self._rows, self._cells, strict=True):
            shift(word)
            for cell, column in cells:
                closed[cell] = not ask(column)
        shift(self._idle)

    def close(self) -> None:
        """Give the bus back."""
        self._bus.close()


class Registers:
    """A chain of 74HC165: `load` low lets them take their inputs, then all bits are shifted in.

    The register whose output goes to the Pi comes first, its input H before G to A; the first cell
    is input A of that register.
    """

    def __init__(self, places: Sequence[tuple[int, int]], pins: Pins, gpio: Any, bus: Any) -> None:
        self._bus = bus
        self._output = gpio.output
        self._load = pins.load
        self._order = in_order(places)
        self._asked = (0,) * ((len(places) + 7) // 8)
        _claim(gpio, self._load, gpio.OUT, initial=1)

    def read(self, closed: bytearray) -> None:
        """Take all inputs at once and shift them in."""
        self._output(self._load, 0)
        self._output(self._load, 1)
        told = self._bus.xfer2(self._asked)
        for at, cell in enumerate(self._order):
            closed[cell] = not told[at >> 3] >> (at & 7) & 1

    def close(self) -> None:
        """Give the bus back."""
        self._bus.close()


class Expanders:
    """MCP23017s on I²C, 16 cells each: A0 to A7, then B0 to B7, with their own pull-ups."""

    def __init__(
        self, places: Sequence[tuple[int, int]], addresses: Sequence[int], smbus: Any
    ) -> None:
        self._addresses = tuple(addresses)
        self._order = in_order(places)
        try:
            self._bus = smbus.SMBus(I2C_BUS)
        except FileNotFoundError:
            raise BoardError(localized("gpio.i2c.absent")) from None
        except PermissionError:
            raise BoardError(localized("gpio.i2c.forbidden")) from None
        for address in self._addresses:
            try:
                self._bus.write_i2c_block_data(address, PULL_UPS, [0xFF, 0xFF])
            except OSError:
                self._bus.close()
                said = localized("gpio.i2c.silent", address=f"0x{address:02x}")
                raise BoardError(said) from None

    def read(self, closed: bytearray) -> None:
        """Read both ports of each chip; one that does not answer reads as open."""
        order = self._order
        for chip, address in enumerate(self._addresses):
            try:
                low, high = self._bus.read_i2c_block_data(address, PORT_A, 2)
            except OSError:
                low = high = 0xFF
            bits = low | high << 8
            for cell in order[EXPANDER_PINS * chip : EXPANDER_PINS * (chip + 1)]:
                closed[cell] = not bits & 1
                bits >>= 1

    def close(self) -> None:
        """Give the bus back."""
        self._bus.close()


def claim_inputs(pins: Sequence[int], gpio: Any, *, pulled: bool = True) -> None:
    """Make pins inputs, with pull-ups or floating; PinError for one that another holds."""
    for pin in pins:
        _claim(gpio, pin, gpio.IN, pull_up_down=gpio.PUD_UP if pulled else gpio.PUD_OFF)


def _claim(gpio: Any, pin: int, direction: int, **how: int) -> None:
    try:
        gpio.setup(pin, direction, **how)
    except errors_of(gpio) as error:
        raise PinError("busy", pin=pin, detail=str(error)) from None


def _by_row(places: Sequence[tuple[int, int]], sense: Sequence[int]) -> list[list[tuple[int, int]]]:
    """Of each row (cell, pin of its column)."""
    rows: list[list[tuple[int, int]]] = [[] for _ in range(1 + max(row for row, _ in places))]
    for cell, (row, column) in enumerate(places):
        rows[row].append((cell, sense[column]))
    return rows

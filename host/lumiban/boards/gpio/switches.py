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
from typing import Protocol

from lumiban_fw.wire import HALF_SCALE

from lumiban.boards.gpio.kernel import Chip, I2c
from lumiban.boards.gpio.pins import Pins
from lumiban.boards.gpio.spi import SpiDevice, open_device
from lumiban.boards.ports import localized
from lumiban.boards.profile import SWITCH_UT, Profile
from lumiban.errors import BoardError

I2C_PATH = "/dev/i2c-1"
"""The bus on GPIO2 and 3."""
PULL_UPS, PORT_A = 0x0C, 0x12
"""Registers of an MCP23017 (data sheet, table 3-3, IOCON.BANK = 0); port B follows port A."""
PULLED = b"\xff\xff"
EXPANDER_PINS = 16
AWAY_FRAMES = 50
"""A chip that does not answer is asked again after so many frames: each time may take a second."""
SETTLE_US = 60
"""From the choice of a row until its columns are read: they rise again by pull-ups of 50 to 80 kΩ
against the 200 pF of a metre of wire, and a Hall switch whose power was off has to wake."""


class Wiring(Protocol):
    """Reader of all switches at once."""

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


def open_wiring(profile: Profile, pins: Pins, chip: Chip) -> Wiring:
    """The switches of a board, set up; BoardError when the system does not give them."""
    switches = profile.switches
    if switches is None:
        raise ValueError(f"{profile.name} is no board of switches")
    places = [(cell.row, cell.channel) for cell in profile.cells]
    if switches.wiring == "none":
        return NoSwitches()
    if switches.wiring == "mcp23017":
        return Expanders(places, switches.addresses, I2c(chip.kernel, I2C_PATH))
    if switches.wiring == "direct":
        return Direct(pins.sense, chip)
    if switches.wiring == "matrix":
        return Matrix(places, pins, chip, has_diodes=switches.diodes)
    bus = open_device(chip.kernel, pins.spi, 0)
    if switches.wiring == "74hc595":
        return RegisterMatrix(places, pins, chip, bus)
    return Registers(places, pins, chip, bus)


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

    def __init__(self, sense: Sequence[int], chip: Chip) -> None:
        self._lines = chip.inputs(sense)

    def read(self, closed: bytearray) -> None:
        """Read all pins."""
        bits = self._lines.bits()
        for cell in range(len(closed)):
            closed[cell] = not bits >> cell & 1

    def close(self) -> None:
        """All are pins."""


class Matrix:
    """Rows are drawn low one after the other, columns are read.

    With diodes the other rows are driven high. Without them two closed switches of a column would
    connect a high row to a low one: there the other rows float.
    """

    def __init__(
        self, places: Sequence[tuple[int, int]], pins: Pins, chip: Chip, *, has_diodes: bool
    ) -> None:
        self._floats = not has_diodes
        self._cells = _by_row(places)
        self._columns = chip.inputs(pins.sense)
        self._rows = [
            chip.inputs([pin], pulled=False) if self._floats else chip.output([pin], 1)
            for pin in pins.drive
        ]
        self._sleep_us = chip.kernel.sleep_us

    def read(self, closed: bytearray) -> None:
        """Read row by row."""
        for row, cells in zip(self._rows, self._cells, strict=True):
            if self._floats:
                row.drive(0)
            else:
                row.put(0)
            self._sleep_us(SETTLE_US)
            bits = self._columns.bits()
            if self._floats:
                row.release()
            else:
                row.put(1)
            for cell, column in cells:
                closed[cell] = not bits >> column & 1

    def close(self) -> None:
        """All are pins."""


class RegisterMatrix:
    """A matrix whose rows are outputs of a chain of 74HC595, low while they are read.

    The bus's first select line is the registers' RCLK: they take over what was shifted in when it
    rises, at the end of a transfer. The first byte ends in the farthest register.
    """

    def __init__(
        self, places: Sequence[tuple[int, int]], pins: Pins, chip: Chip, bus: SpiDevice
    ) -> None:
        self._bus = bus
        self._cells = _by_row(places)
        size = (len(self._cells) + 7) // 8
        full = (1 << 8 * size) - 1
        words = [full ^ 1 << row for row in range(len(self._cells))]
        self._choose = [bus.message([word.to_bytes(size, "big")]) for word in words]
        self._rest = bus.message([full.to_bytes(size, "big")])
        self._columns = chip.inputs(pins.sense)
        self._sleep_us = chip.kernel.sleep_us

    def read(self, closed: bytearray) -> None:
        """Read row by row."""
        for choose, cells in zip(self._choose, self._cells, strict=True):
            choose.send()
            self._sleep_us(SETTLE_US)
            bits = self._columns.bits()
            for cell, column in cells:
                closed[cell] = not bits >> column & 1
        self._rest.send()

    def close(self) -> None:
        """Give the bus back."""
        self._bus.close()


class Registers:
    """A chain of 74HC165: `load` low lets them take their inputs, then all bits are shifted in.

    The register whose output goes to the Pi comes first, its input H before G to A; the first cell
    is input A of that register.
    """

    def __init__(
        self, places: Sequence[tuple[int, int]], pins: Pins, chip: Chip, bus: SpiDevice
    ) -> None:
        self._bus = bus
        self._order = in_order(places)
        self._ask = bus.message([bytes((len(places) + 7) // 8)])
        self._load = chip.output([pins.load], 1)

    def read(self, closed: bytearray) -> None:
        """Take all inputs at once and shift them in."""
        self._load.put(0)
        self._load.put(1)
        (reply,) = self._ask.send()
        for at, cell in enumerate(self._order):
            closed[cell] = not reply[at >> 3] >> (at & 7) & 1

    def close(self) -> None:
        """Give the bus back."""
        self._bus.close()


class Expanders:
    """MCP23017s on I²C, 16 cells each: A0 to A7, then B0 to B7, with their own pull-ups.

    Each frame reads the pull-ups with the inputs: a chip whose supply dipped has lost them, answers
    as before, and would show a closed switch at every open input. What it then says is not taken,
    and they are set anew. A chip that does not answer reads as open.
    """

    def __init__(
        self, places: Sequence[tuple[int, int]], addresses: Sequence[int], bus: I2c
    ) -> None:
        self._bus = bus
        self._addresses = tuple(addresses)
        self._order = in_order(places)
        self._waits = [0] * len(self._addresses)
        """Frames until each is asked again."""
        for address in self._addresses:
            try:
                bus.write(address, PULL_UPS, PULLED)
            except OSError:
                bus.close()
                message = localized("gpio.i2c.silent", address=f"0x{address:02x}")
                raise BoardError(message) from None

    def read(self, closed: bytearray) -> None:
        """Read both ports of each chip."""
        order = self._order
        for chip in range(len(self._addresses)):
            bits = self._inputs(chip)
            for cell in order[EXPANDER_PINS * chip : EXPANDER_PINS * (chip + 1)]:
                closed[cell] = not bits & 1
                bits >>= 1

    def _inputs(self, chip: int) -> int:
        opened = (1 << EXPANDER_PINS) - 1
        if self._waits[chip]:
            self._waits[chip] -= 1
            return opened
        address = self._addresses[chip]
        try:
            registers = self._bus.read(address, PULL_UPS, PORT_A + 2 - PULL_UPS)
            if registers[:2] != PULLED:
                self._bus.write(address, PULL_UPS, PULLED)
                return opened
        except OSError:
            self._waits[chip] = AWAY_FRAMES - 1
            return opened
        return int.from_bytes(registers[-2:], "little")

    def close(self) -> None:
        """Give the bus back."""
        self._bus.close()


def _by_row(places: Sequence[tuple[int, int]]) -> list[list[tuple[int, int]]]:
    """Of each row (cell, its column)."""
    rows: list[list[tuple[int, int]]] = [[] for _ in range(1 + max(row for row, _ in places))]
    for cell, (row, column) in enumerate(places):
        rows[row].append((cell, column))
    return rows

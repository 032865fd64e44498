"""Switches on the Pi's header: what their wiring says of each cell, as readings of sensors.

A reed or Hall switch only tells whether a piece stands there. Five wirings are read, all known from
boards that people build: a matrix driven by pins or by a 74HC595, a chain of 74HC165, expanders
MCP23017 on I²C, and a pin a cell. A closed switch draws its input to ground everywhere.

For the firmware a closed switch is a neutral piece in the middle of its range (`SWITCH_UT`), an
open one no field at all: its rules of settling, order and faults are the same as for sensors that
measure. What cannot be read is neither: the rows of such cells have no reference in that frame, and
the firmware holds what it knew of them. `table/switch_kinds.py` finds out what the pieces are.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Collection, Sequence
from typing import Protocol

from lumiban_fw.wire import HALF_SCALE

from lumiban.boards.gpio import interface
from lumiban.boards.gpio.interface import Buses, PinAccess
from lumiban.boards.gpio.pins import Pins
from lumiban.boards.ports import localized
from lumiban.boards.profile import SWITCH_UT, Profile
from lumiban.errors import BoardError

PULL_UPS, PORT_A = 0x0C, 0x12
"""Registers of an MCP23017 (data sheet, table 3-3, IOCON.BANK = 0); port B follows port A."""
PULLED = b"\xff\xff"
EXPANDER_PINS = 16
AWAY_FRAMES = 50
"""Frames after which a chip that has not answered twice is asked again: each time may take a
second, where something holds the bus."""
SETTLE_US = 60
"""From the choice of a row until its columns are read: they rise again by pull-ups of 50 to 80 kΩ
against the 200 pF of a metre of wire, and a Hall switch whose power was off has to wake."""


Unread = Collection[int]
"""Cells that could not be read in a frame."""


class Wiring(Protocol):
    """Reader of all switches at once."""

    def read(self, closed: bytearray) -> Unread:
        """Set `closed`, by cell, to 1 where a switch is closed. OSError when none can be read."""


class SwitchScanner:
    """Reads frames of switches."""

    def __init__(self, profile: Profile, wiring: Wiring) -> None:
        self._wiring = wiring
        self._closed = bytearray(len(profile.cells))
        self._rows = [cell.row for cell in profile.cells]
        self._counts = (HALF_SCALE, HALF_SCALE + (SWITCH_UT << 16) // profile.gain_q16)

    def read(
        self, counts: array[int], references: array[int], clock: Callable[[], int]
    ) -> tuple[int, int]:
        """Fill in the counts of all cells and of the rows' references; when it began and ended.

        A frame takes a millisecond or two, and a contact no shorter to come to rest: its readings
        all count as of its beginning. The reference of a row with a cell that was not read is 0.
        """
        begin = clock()
        closed, values = self._closed, self._counts
        try:
            unread = self._wiring.read(closed)
        except OSError:
            unread = range(len(closed))
        for cell, is_closed in enumerate(closed):
            counts[cell] = values[is_closed]
        for row in range(len(references)):
            references[row] = HALF_SCALE
        for cell in unread:
            references[self._rows[cell]] = 0
        return begin, clock()


def open_wiring(profile: Profile, pins: Pins, access: PinAccess, buses: Buses) -> Wiring:
    """The switches of a board, set up; BoardError when the system does not give them."""
    switches = profile.switches
    if switches is None:
        raise ValueError(f"{profile.name} is no board of switches")
    places = [(cell.row, cell.channel) for cell in profile.cells]
    if switches.wiring == "none":
        return NoSwitches()
    if switches.wiring == "mcp23017":
        return Expanders(places, switches.addresses, buses.i2c())
    if switches.wiring == "direct":
        return Direct(access.inputs(pins.sense))
    if switches.wiring == "matrix":
        return Matrix(places, pins, access, buses)
    if switches.wiring == "74hc595":
        return RegisterMatrix(places, pins, access, buses)
    return Registers(places, pins, access, buses)


def in_order(places: Sequence[tuple[int, int]]) -> list[int]:
    """The cells as registers and expanders count them: strip by strip, each by its channels.

    >>> in_order([(1, 0), (0, 1), (0, 0)])
    [2, 1, 0]
    """
    return sorted(range(len(places)), key=lambda cell: places[cell])


class NoSwitches:
    """A panel of lights alone: nothing is ever closed."""

    def read(self, closed: bytearray) -> Unread:
        """Nothing to read."""
        return ()


class Direct:
    """A pin a cell, in the order of cells."""

    def __init__(self, inputs: interface.Inputs) -> None:
        self._inputs = inputs

    def read(self, closed: bytearray) -> Unread:
        """Read all pins."""
        bits = self._inputs.bits()
        for cell in range(len(closed)):
            closed[cell] = not bits >> cell & 1
        return ()


class Matrix:
    """Rows with open drains are drawn low one after the other, columns are read.

    No row is ever driven high: two closed switches of a column would connect it to the row that is
    low. With a diode at each switch nothing else follows; without them the rows that float show
    a fourth piece where three stand on the corners of a rectangle.
    """

    def __init__(
        self, places: Sequence[tuple[int, int]], pins: Pins, access: PinAccess, buses: Buses
    ) -> None:
        self._cells = _by_row(places)
        self._columns = access.inputs(pins.sense)
        self._released = (1 << len(pins.drive)) - 1
        self._rows = access.outputs(pins.drive, self._released, has_open_drain=True)
        self._sleep_us = buses.sleep_us

    def read(self, closed: bytearray) -> Unread:
        """Read row by row."""
        for row, cells in enumerate(self._cells):
            self._rows.put(self._released ^ 1 << row)
            self._sleep_us(SETTLE_US)
            bits = self._columns.bits()
            for cell, column in cells:
                closed[cell] = not bits >> column & 1
        self._rows.put(self._released)
        return ()


class RegisterMatrix:
    """A matrix whose rows are outputs of a chain of 74HC595, low while they are read.

    The bus's select line is the registers' RCLK: they take over what was shifted in when it rises,
    at the end of a transfer. The first byte ends in the farthest register.
    """

    def __init__(
        self, places: Sequence[tuple[int, int]], pins: Pins, access: PinAccess, buses: Buses
    ) -> None:
        self._cells = _by_row(places)
        self._bytes = (len(self._cells) + 7) // 8
        self._exchange = buses.spi().exchange
        self._columns = access.inputs(pins.sense)
        self._sleep_us = buses.sleep_us

    def read(self, closed: bytearray) -> Unread:
        """Read row by row."""
        full = (1 << 8 * self._bytes) - 1
        for row, cells in enumerate(self._cells):
            self._exchange((full ^ 1 << row).to_bytes(self._bytes, "big"))
            self._sleep_us(SETTLE_US)
            bits = self._columns.bits()
            for cell, column in cells:
                closed[cell] = not bits >> column & 1
        self._exchange(full.to_bytes(self._bytes, "big"))
        return ()


class Registers:
    """A chain of 74HC165: `load` low lets them take their inputs, then all bits are shifted in.

    The register whose output goes to the Pi comes first, its input H before G to A; the first cell
    is input A of that register.
    """

    def __init__(
        self, places: Sequence[tuple[int, int]], pins: Pins, access: PinAccess, buses: Buses
    ) -> None:
        self._order = in_order(places)
        self._exchange = buses.spi().exchange
        self._load = access.outputs([pins.load], 1)

    def read(self, closed: bytearray) -> Unread:
        """Take all inputs at once and shift them in."""
        self._load.put(0)
        self._load.put(1)
        reply = self._exchange(bytes((len(self._order) + 7) // 8))
        for at, cell in enumerate(self._order):
            closed[cell] = not reply[at >> 3] >> (at & 7) & 1
        return ()


class Expanders:
    """MCP23017s on I²C, 16 cells each: A0 to A7, then B0 to B7, with their own pull-ups.

    Each frame reads the pull-ups with the inputs: a chip whose supply dipped has lost them, answers
    as before, and would show a closed switch at every open input. What it then says is not taken,
    and they are set again. BoardError at the start for a chip that does not answer.
    """

    def __init__(
        self,
        places: Sequence[tuple[int, int]],
        addresses: Sequence[int],
        bus: interface.Expanders,
    ) -> None:
        self._bus = bus
        order = in_order(places)
        self._chips = [
            (address, order[EXPANDER_PINS * chip : EXPANDER_PINS * (chip + 1)])
            for chip, address in enumerate(addresses)
        ]
        self._misses = dict.fromkeys(addresses, 0)
        """Frames since each chip last told its inputs."""
        for address in addresses:
            try:
                bus.write(address, PULL_UPS, PULLED)
            except OSError:
                message = localized("gpio.i2c.silent", address=f"0x{address:02x}")
                raise BoardError(message) from None

    def read(self, closed: bytearray) -> Unread:
        """Read both ports of each chip."""
        unread: list[int] = []
        for address, cells in self._chips:
            bits = self._inputs(address)
            if bits is None:
                unread += cells
                continue
            for cell in cells:
                closed[cell] = not bits & 1
                bits >>= 1
        return unread

    def _inputs(self, address: int) -> int | None:
        """The levels of a chip's inputs; None when it does not tell them."""
        missed = self._misses[address]
        self._misses[address] += 1
        if missed > 1 and missed % AWAY_FRAMES:
            return None
        try:
            if missed:
                self._bus.write(address, PULL_UPS, PULLED)
            registers = self._bus.read(address, PULL_UPS, PORT_A + 2 - PULL_UPS)
        except OSError:
            return None
        self._misses[address] = int(registers[:2] != PULLED)
        return None if self._misses[address] else int.from_bytes(registers[-2:], "little")


def _by_row(places: Sequence[tuple[int, int]]) -> list[list[tuple[int, int]]]:
    """Of each row (cell, its column)."""
    rows: list[list[tuple[int, int]]] = [[] for _ in range(1 + max(row for row, _ in places))]
    for cell, (row, column) in enumerate(places):
        rows[row].append((cell, column))
    return rows

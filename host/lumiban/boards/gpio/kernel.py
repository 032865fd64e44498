"""Pins of a Pi's header, as Linux gives them: by its own device, without a library.

    chip = open_chip()
    row = chip.outputs([21], 1, has_open_drain=True)
    columns = chip.inputs([4, 17, 27])
    row.put(0); columns.bits()

Pins are lines of a /dev/gpiochip (linux/gpio.h, version 2 of its calls), known by their GPIO
numbers on every model. A request holds lines until it is closed: no other program can have them.
"""

from __future__ import annotations

import ctypes
import errno
import fcntl
import os
from collections.abc import Sequence
from pathlib import Path

from lumiban.boards.gpio.pins import PinError
from lumiban.boards.ports import localized
from lumiban.errors import BoardError

HEADER_CHIPS = ("pinctrl-bcm2", "pinctrl-rp1")
"""First letters of the labels of the chips that have the header's pins: up to the Pi 4, and the Pi
5. Their numbers differ by model and by kernel."""
CONSUMER = b"lumiban"
MAX_LINES, MAX_ATTRIBUTES, NAME = 64, 10, 32
USED = 1
"""Flag of a line that a program or the kernel itself has."""
INPUT, OUTPUT, OPEN_DRAIN, PULL_UP = 1 << 2, 1 << 3, 1 << 6, 1 << 8
"""Flags of a request."""
_VALUES = 2
"""Kind of an attribute: the levels that outputs have from the beginning."""
_READ_WRITE, _READ, _MAGIC = 3, 2, 0xB4


class ChipInfo(ctypes.Structure):
    """`struct gpiochip_info`."""

    _fields_ = (
        ("name", ctypes.c_char * NAME),
        ("label", ctypes.c_char * NAME),
        ("lines", ctypes.c_uint32),
    )


class Attribute(ctypes.Structure):
    """`struct gpio_v2_line_config_attribute`: what holds for the lines of a mask."""

    _fields_ = (
        ("id", ctypes.c_uint32),
        ("padding", ctypes.c_uint32),
        ("value", ctypes.c_uint64),
        ("mask", ctypes.c_uint64),
    )


class Config(ctypes.Structure):
    """`struct gpio_v2_line_config`."""

    _fields_ = (
        ("flags", ctypes.c_uint64),
        ("num_attrs", ctypes.c_uint32),
        ("padding", ctypes.c_uint32 * 5),
        ("attrs", Attribute * MAX_ATTRIBUTES),
    )


class LineRequest(ctypes.Structure):
    """`struct gpio_v2_line_request`."""

    _fields_ = (
        ("offsets", ctypes.c_uint32 * MAX_LINES),
        ("consumer", ctypes.c_char * NAME),
        ("config", Config),
        ("num_lines", ctypes.c_uint32),
        ("event_buffer_size", ctypes.c_uint32),
        ("padding", ctypes.c_uint32 * 5),
        ("fd", ctypes.c_int32),
    )


class LineInfo(ctypes.Structure):
    """`struct gpio_v2_line_info`."""

    _fields_ = (
        ("name", ctypes.c_char * NAME),
        ("consumer", ctypes.c_char * NAME),
        ("offset", ctypes.c_uint32),
        ("num_attrs", ctypes.c_uint32),
        ("flags", ctypes.c_uint64),
        ("attrs", (ctypes.c_uint64 * 2) * MAX_ATTRIBUTES),
        ("padding", ctypes.c_uint32 * 4),
    )


class Values(ctypes.Structure):
    """`struct gpio_v2_line_values`."""

    _fields_ = (("bits", ctypes.c_uint64), ("mask", ctypes.c_uint64))


def call(number: int, size: int, direction: int = _READ_WRITE) -> int:
    """The kernel's number for a call of gpio with an argument of this size in bytes.

    >>> hex(call(0x07, ctypes.sizeof(LineRequest))), hex(call(0x0E, ctypes.sizeof(Values)))
    ('0xc250b407', '0xc010b40e')
    """
    return direction << 30 | size << 16 | _MAGIC << 8 | number


GET_CHIP = call(0x01, ctypes.sizeof(ChipInfo), _READ)
GET_LINE_INFO = call(0x05, ctypes.sizeof(LineInfo))
GET_LINES = call(0x07, ctypes.sizeof(LineRequest))
GET_VALUES = call(0x0E, ctypes.sizeof(Values))
SET_VALUES = call(0x0F, ctypes.sizeof(Values))


def opened(path: str, group: str, absent: str = "") -> int:
    """Descriptor of a device; BoardError says what to do where it cannot be opened."""
    try:
        return os.open(path, os.O_RDWR | os.O_CLOEXEC)
    except FileNotFoundError:
        raise BoardError(absent) from None
    except OSError as error:
        raise refusal(path, error, group) from None


def refusal(path: str, error: OSError, group: str) -> BoardError:
    """Reason why a device that is there cannot be opened, with what to do: the file's rights are
    not the user's (EACCES), the system keeps the device from this service (EPERM), or something
    else."""
    if error.errno == errno.EPERM:
        return BoardError(localized("gpio.device.policy", path=path))
    if error.errno == errno.EACCES:
        return BoardError(localized("gpio.device.forbidden", path=path, group=group))
    if error.errno == errno.EBUSY:
        return BoardError(localized("gpio.device.busy", path=path))
    return BoardError(localized("gpio.device.broken", path=path, detail=error.strerror or error))


class Lines:
    """Lines that are held; their levels are bits, in the order in which they were asked for."""

    def __init__(self, fd: int, count: int) -> None:
        self._fd = fd
        self._all = (1 << count) - 1
        self._told = bytearray(ctypes.sizeof(Values))
        self._values = Values.from_buffer(self._told)

    def bits(self) -> int:
        """The levels of all, read in one call."""
        self._values.mask = self._all
        fcntl.ioctl(self._fd, GET_VALUES, self._told)
        bits: int = self._values.bits
        return bits

    def put(self, bits: int, mask: int = -1) -> None:
        """Drive the lines of a mask to these levels, in one call; with an open drain 1 lets go."""
        self._values.bits = bits
        self._values.mask = mask & self._all
        fcntl.ioctl(self._fd, SET_VALUES, self._told)

    def close(self) -> None:
        """Give the lines back."""
        os.close(self._fd)


def configured(flags: int, bits: int, mask: int) -> Config:
    """The description of lines with these flags; outputs begin with these levels."""
    config = Config(flags=flags)
    if flags & OUTPUT:
        config.num_attrs = 1
        config.attrs[0] = Attribute(id=_VALUES, value=bits, mask=mask)
    return config


class Chip:
    """The header's pins. Whatever was claimed is given back by `close`."""

    def __init__(self, fd: int) -> None:
        self._fd = fd
        self._held: list[Lines] = []

    def inputs(self, pins: Sequence[int]) -> Lines:
        """Claim pins as inputs with pull-ups; PinError for one that is not free."""
        return self._claim(pins, INPUT | PULL_UP, 0)

    def outputs(self, pins: Sequence[int], levels: int, *, has_open_drain: bool = False) -> Lines:
        """Claim pins as outputs of these levels, as bits; PinError for one that is not free."""
        return self._claim(pins, OUTPUT | (OPEN_DRAIN if has_open_drain else 0), levels)

    def _claim(self, pins: Sequence[int], flags: int, levels: int) -> Lines:
        mask = (1 << len(pins)) - 1
        request = LineRequest(num_lines=len(pins), consumer=CONSUMER)
        request.offsets[: len(pins)] = list(pins)
        request.config = configured(flags, levels & mask, mask)
        buffer = bytearray(request)
        try:
            fcntl.ioctl(self._fd, GET_LINES, buffer)
        except OSError as error:
            raise self._why_not(pins, error) from None
        lines = Lines(LineRequest.from_buffer(buffer).fd, len(pins))
        self._held.append(lines)
        return lines

    def _why_not(self, pins: Sequence[int], error: OSError) -> PinError:
        """The first of the pins that somebody has, and who that is; else what the kernel said."""
        for pin in pins:
            buffer = bytearray(LineInfo(offset=pin))
            try:
                fcntl.ioctl(self._fd, GET_LINE_INFO, buffer)
            except OSError:
                continue
            info = LineInfo.from_buffer(buffer)
            if info.flags & USED:
                by = info.consumer.decode("utf-8", "replace") or "?"
                return PinError("busy", pin=pin, by=by)
        return PinError("broken", pin=pins[0], detail=error.strerror or str(error))

    def close(self) -> None:
        """Give all pins back."""
        for lines in self._held:
            lines.close()
        self._held.clear()
        os.close(self._fd)


def open_chip() -> Chip:
    """The chip with the header's pins; BoardError when there is none or it is not ours."""
    refused: BoardError | None = None
    for path in sorted(map(str, Path("/dev").glob("gpiochip*"))):
        try:
            fd = opened(path, "gpio", localized("gpio.device.no-chip"))
        except BoardError as error:
            refused = refused or error
            continue
        buffer = bytearray(ctypes.sizeof(ChipInfo))
        try:
            fcntl.ioctl(fd, GET_CHIP, buffer)
        except OSError as error:
            refused = refused or refusal(path, error, "gpio")
        label = ChipInfo.from_buffer(buffer).label.decode("ascii", "replace")
        if label.startswith(HEADER_CHIPS):
            return Chip(fd)
        os.close(fd)
    raise refused or BoardError(localized("gpio.device.no-chip"))

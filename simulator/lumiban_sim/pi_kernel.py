"""The system of a simulated Pi: devices of pins, SPI and I²C whose calls end at its header."""

from __future__ import annotations

import ctypes
import errno
import os
from collections.abc import Callable

from lumiban.boards.gpio.kernel import (
    GET_CHIP,
    GET_LINE_INFO,
    GET_LINES,
    GET_VALUES,
    I2C_SLAVE,
    OUTPUT,
    PULL_UP,
    SET_CONFIG,
    SET_VALUES,
    USED,
    ChipInfo,
    Config,
    LineInfo,
    LineRequest,
    Values,
)
from lumiban.boards.gpio.pins import Machine, steady_clock
from lumiban.boards.gpio.spi import SET_MODE, TRANSFER_BYTES, Transfer, request
from lumiban.boards.gpio.switches import I2C_PATH

from lumiban_sim.pi import Pi

PI_4 = Machine(
    "Raspberry Pi 4 Model B Rev 1.1",
    4,
    "10000000abcdef01",
    config=frozenset(steady_clock(Machine(generation=4))),
)
PI_5 = Machine("Raspberry Pi 5 Model B Rev 1.0", 5, "20000000abcdef01")
CHIPS = {"/dev/gpiochip0": b"pinctrl-bcm2711", "/dev/gpiochip1": b"raspberrypi-exp-gpio"}
"""The chips of a Pi 4 with their labels; a Pi 5 has others."""
LINES = 58
SPI = {f"/dev/spidev{bus}.{select}": (bus, select) for bus in (0, 1) for select in (0, 1)}


def said(number: int) -> OSError:
    """An error of the system, in its words."""
    return OSError(number, os.strerror(number))


class PiKernel:
    """The calls of a process on this Pi. `absent` are paths that are not there, `refused` the error
    that opening a path gives."""

    def __init__(self, pi: Pi, chips: dict[str, bytes] | None = None) -> None:
        self.pi = pi
        self.absent: set[str] = set()
        self.refused: dict[str, int] = {}
        self.open_files: dict[int, Callable[[int, bytearray | int], None]] = {}
        """Handler of each open device, by its number."""
        self._chips = CHIPS if chips is None else chips
        self._held: dict[int, tuple[int, ...]] = {}
        """The pins that each request holds."""
        self._register: dict[int, tuple[int, int]] = {}
        """Of each open bus of I²C, whom bytes are for and which of its registers is next."""

    def chips(self) -> list[str]:
        """The paths of all chips with pins."""
        return [path for path in self._chips if path not in self.absent]

    def open(self, path: str) -> int:
        """Open a device."""
        if path in self.absent:
            raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), path)
        if path in self.refused:
            raise said(self.refused[path])
        fd = self._next()
        if path in self._chips:
            self.open_files[fd] = lambda code, told: self._ask_chip(self._chips[path], code, told)
        elif path in SPI:
            self.open_files[fd] = lambda code, told: self._ask_spi(*SPI[path], code, told)
        elif path == I2C_PATH:
            self.open_files[fd] = lambda code, told: self._choose(fd, code, told)
        else:
            raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), path)
        return fd

    def _next(self) -> int:
        return max(self.open_files, default=2) + 1

    def close(self, fd: int) -> None:
        """Close a device; the pins of a request float."""
        del self.open_files[fd]
        for pin in self._held.pop(fd, ()):
            self.pi.free(pin)

    def ioctl(self, fd: int, code: int, told: bytearray | int) -> None:
        """Ask a device."""
        self.open_files[fd](code, told)

    def sleep_us(self, us: int) -> None:
        """Let time go by."""
        self.pi.spent_us += us

    # Pins.

    def _ask_chip(self, label: bytes, code: int, told: bytearray | int) -> None:
        assert isinstance(told, bytearray)
        if code == GET_CHIP:
            info = ChipInfo.from_buffer(told)
            info.label, info.lines = label, LINES
        elif code == GET_LINE_INFO:
            line = LineInfo.from_buffer(told)
            if line.offset in self._taken():
                line.flags, line.consumer = USED, b"other"
        elif code == GET_LINES:
            wish = LineRequest.from_buffer(told)
            pins = tuple(wish.offsets[: wish.num_lines])
            if self._taken() & set(pins):
                raise said(errno.EBUSY)
            wish.fd = fd = self._next()
            self._held[fd] = pins
            self.open_files[fd] = lambda code, told: self._ask_lines(pins, code, told)
            self._configure(pins, wish.config)
        else:
            raise said(errno.ENOTTY)

    def _taken(self) -> set[int]:
        return self.pi.busy.union(*self._held.values())

    def _ask_lines(self, pins: tuple[int, ...], code: int, told: bytearray | int) -> None:
        assert isinstance(told, bytearray)
        self.pi.spend()
        if code == SET_CONFIG:
            self._configure(pins, Config.from_buffer(told))
        elif code == GET_VALUES:
            values = Values.from_buffer(told)
            asked = [n for n in range(len(pins)) if values.mask >> n & 1]
            values.bits = sum(self.pi.read(pins[n]) << n for n in asked)
        elif code == SET_VALUES:
            values = Values.from_buffer(told)
            for n, pin in enumerate(pins):
                if values.mask >> n & 1:
                    self.pi.out(pin, values.bits >> n & 1)
        else:
            raise said(errno.ENOTTY)

    def _configure(self, pins: tuple[int, ...], config: Config) -> None:
        for n, pin in enumerate(pins):
            if config.flags & OUTPUT:
                self.pi.out(pin, config.attrs[0].value >> n & 1 if config.num_attrs else 0)
            else:
                self.pi.claim(pin, int(bool(config.flags & PULL_UP)))

    # Buses.

    def _ask_spi(self, bus: int, select: int, code: int, told: bytearray | int) -> None:
        assert isinstance(told, bytearray)
        if code == SET_MODE:
            return
        count = len(told) // TRANSFER_BYTES
        if code != request(count) or not count:
            raise said(errno.ENOTTY)
        for n, transfer in enumerate((Transfer * count).from_buffer(told)):
            if transfer.cs_change != (n + 1 < count):
                raise OSError(errno.EINVAL, "not selected anew, or left selected")
            words = ctypes.string_at(transfer.tx_buf, transfer.len)
            got = self.pi.transfer(bus, select, words, transfer.speed_hz, again=n > 0)
            ctypes.memmove(transfer.rx_buf, bytes(got), transfer.len)

    def _choose(self, fd: int, code: int, told: bytearray | int) -> None:
        if code != I2C_SLAVE or not isinstance(told, int):
            raise said(errno.ENOTTY)
        self._register[fd] = (told, 0)

    def write(self, fd: int, data: bytes) -> None:
        """Bytes for a chip on I²C: a register, and what goes into it and those that follow."""
        address, _ = self._register[fd]
        self.pi.i2c_write(address, data[0], data[1:])
        self._register[fd] = (address, data[0])

    def read(self, fd: int, count: int) -> bytes:
        """Bytes of a chip on I²C, from the register on that was written last."""
        address, register = self._register[fd]
        return bytes(self.pi.i2c_read(address, register, count))

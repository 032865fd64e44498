"""SPI and I²C of the Pi's header, by the kernel's devices (linux/spi/spidev.h, linux/i2c-dev.h)."""

from __future__ import annotations

import ctypes
import errno
import fcntl
import os
import time
from contextlib import ExitStack

from lumiban.boards.gpio.kernel import opened
from lumiban.boards.ports import localized
from lumiban.errors import BoardError

SPI_HZ = 1_000_000
"""Registers of the 74HC series are good for 4 MHz and more at 3.3 V over short wires."""
LIGHTS_PATH, REGISTERS_PATH, I2C_PATH = "/dev/spidev0.0", "/dev/spidev1.0", "/dev/i2c-1"
_WRITE, _MAGIC = 1, 0x6B
SET_MODE = _WRITE << 30 | 1 << 16 | _MAGIC << 8 | 1
"""SPI_IOC_WR_MODE: a byte, 0 for a clock that rests low and data taken over when it rises."""
I2C_SLAVE = 0x0703
"""Whom the next bytes on an I²C bus are for."""


class Transfer(ctypes.Structure):
    """`struct spi_ioc_transfer`; what stands behind `bits_per_word` is 0.

    >>> ctypes.sizeof(Transfer), hex(SEND)
    (32, '0x40206b00')
    """

    _fields_ = (
        ("tx_buf", ctypes.c_uint64),
        ("rx_buf", ctypes.c_uint64),
        ("len", ctypes.c_uint32),
        ("speed_hz", ctypes.c_uint32),
        ("delay_usecs", ctypes.c_uint16),
        ("bits_per_word", ctypes.c_uint8),
    )


SEND = _WRITE << 30 | ctypes.sizeof(Transfer) << 16 | _MAGIC << 8
"""SPI_IOC_MESSAGE(1)."""


class SpiDevice:
    """An open device of SPI; BoardError when it is not there or not ours."""

    def __init__(self, path: str, hz: int = SPI_HZ) -> None:
        self._fd = opened(path, "spi", localized(f"gpio.spi.absent-{path[-3]}", path=path))
        self._hz = hz
        try:
            fcntl.ioctl(self._fd, SET_MODE, bytearray(1))
        except BaseException:  # whatever it was: the device goes back
            self.close()
            raise

    def exchange(self, data: bytes) -> bytes:
        """Bytes that come in while these go out; OSError."""
        out = ctypes.create_string_buffer(data, len(data))
        back = ctypes.create_string_buffer(len(data))
        transfer = Transfer(
            tx_buf=ctypes.addressof(out),
            rx_buf=ctypes.addressof(back),
            len=len(data),
            speed_hz=self._hz,
            bits_per_word=8,
        )
        fcntl.ioctl(self._fd, SEND, bytearray(transfer))
        return back.raw

    def close(self) -> None:
        """Give the device back."""
        os.close(self._fd)


class I2c:
    """A bus of I²C; OSError when a chip on it does not answer, BoardError when the kernel itself
    holds a chip."""

    def __init__(self, path: str = I2C_PATH) -> None:
        self._fd = opened(path, "i2c", localized("gpio.i2c.absent", path=path))

    def write(self, address: int, register: int, data: bytes) -> None:
        """Write bytes to a chip's registers, from one on."""
        try:
            fcntl.ioctl(self._fd, I2C_SLAVE, address)
        except OSError as error:
            if error.errno == errno.EBUSY:
                raise BoardError(localized("gpio.i2c.held", address=f"0x{address:02x}")) from None
            raise
        os.write(self._fd, bytes((register,)) + data)

    def read(self, address: int, register: int, count: int) -> bytes:
        """Read `count` bytes of a chip's registers, from `register` on."""
        self.write(address, register, b"")
        return os.read(self._fd, count)

    def close(self) -> None:
        """Give the bus back."""
        os.close(self._fd)


class LinuxBuses:
    """The buses as Linux gives them; each is opened when it is asked for."""

    def __init__(self) -> None:
        self._open = ExitStack()

    def spi(self) -> SpiDevice:
        """The bus on SPI1 and its first select line."""
        device = SpiDevice(REGISTERS_PATH)
        self._open.callback(device.close)
        return device

    def i2c(self) -> I2c:
        """The bus on GPIO2 and 3."""
        bus = I2c()
        self._open.callback(bus.close)
        return bus

    def sleep_us(self, us: int) -> None:
        """Let at least so much time go by."""
        time.sleep(us / 1e6)  # until a wire has risen: nothing tells that it has

    def close(self) -> None:
        """Give all buses back."""
        self._open.close()

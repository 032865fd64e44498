"""Devices on the Pi's SPI: many conversions of an ADC, bytes of registers, the lights' signal.

    adc = open_device(Linux(), 1, 0)
    message = adc.message([question(0), question(1)])
    for _, high, low in message.send(): ...

A call of the system costs about as much as the conversion that it asks for. The kernel's spidev
takes a list of transfers in one call, and can lift the ADC's select line between two of them, as a
conversion needs it (linux/spi/spidev.h: SPI_IOC_MESSAGE, struct spi_ioc_transfer).
"""

from __future__ import annotations

import ctypes
from collections.abc import Sequence

from lumiban.boards.gpio.kernel import Kernel, refusal
from lumiban.boards.ports import localized
from lumiban.errors import BoardError

SPI_HZ = 1_000_000
"""The MCP3208 is good for 1 MHz at 2.7 V and 2 MHz at 5 V; it runs at 3.3 V."""
TRANSFER_BYTES = 32
_WRITE, _MAGIC = 1, 0x6B
SET_MODE = _WRITE << 30 | 1 << 16 | _MAGIC << 8 | 1
"""SPI_IOC_WR_MODE: a byte, 0 for a clock that rests low and data taken over when it rises."""


class Transfer(ctypes.Structure):
    """One transfer of a message, as the kernel has it.

    >>> ctypes.sizeof(Transfer)
    32
    """

    _fields_ = (
        ("tx_buf", ctypes.c_uint64),
        ("rx_buf", ctypes.c_uint64),
        ("len", ctypes.c_uint32),
        ("speed_hz", ctypes.c_uint32),
        ("delay_usecs", ctypes.c_uint16),
        ("bits_per_word", ctypes.c_uint8),
        ("cs_change", ctypes.c_uint8),
        ("tx_nbits", ctypes.c_uint8),
        ("rx_nbits", ctypes.c_uint8),
        ("word_delay_usecs", ctypes.c_uint8),
        ("pad", ctypes.c_uint8),
    )


def request(transfers: int) -> int:
    """The kernel's number for a message of so many transfers.

    >>> hex(request(1)), hex(request(8))
    ('0x40206b00', '0x41006b00')
    """
    return _WRITE << 30 | transfers * TRANSFER_BYTES << 16 | _MAGIC << 8


class Message:
    """Transfers that are made together, over and over; `words` are the bytes that go out in each,
    all of the same number."""

    def __init__(self, kernel: Kernel, fd: int, words: Sequence[Sequence[int]], hz: int) -> None:
        count, length = len(words), len(words[0])
        self._out = (ctypes.c_uint8 * (count * length))(*[byte for one in words for byte in one])
        self._in = (ctypes.c_uint8 * (count * length))()
        transfers = (Transfer * count)()
        for n, transfer in enumerate(transfers):
            transfer.tx_buf = ctypes.addressof(self._out) + n * length
            transfer.rx_buf = ctypes.addressof(self._in) + n * length
            transfer.len = length
            transfer.speed_hz = hz
            transfer.bits_per_word = 8
            transfer.cs_change = n + 1 < count  # the ADC converts when it is selected anew
        self._transfers = bytearray(transfers)
        self._request = request(count)
        self._kernel = kernel
        self._fd = fd
        self._length = length

    def fill(self, data: bytes) -> None:
        """Let these bytes go out from now on, as many as before."""
        ctypes.memmove(self._out, data, len(self._out))

    def send(self) -> list[bytes]:
        """Bytes received, transfer by transfer."""
        self._kernel.ioctl(self._fd, self._request, self._transfers)
        data, length = bytes(self._in), self._length
        return [data[at : at + length] for at in range(0, len(data), length)]


class SpiDevice:
    """A device that is open."""

    def __init__(self, kernel: Kernel, fd: int) -> None:
        self._kernel = kernel
        self._fd = fd

    def message(self, words: Sequence[Sequence[int]], hz: int = SPI_HZ) -> Message:
        """Transfers to this device, each of these bytes."""
        return Message(self._kernel, self._fd, words, hz)

    def close(self) -> None:
        """Give the device back."""
        self._kernel.close(self._fd)


def open_device(kernel: Kernel, bus: int, select: int) -> SpiDevice:
    """A device of a bus by its select line; BoardError when it is not there or not ours."""
    path = f"/dev/spidev{bus}.{select}"
    try:
        fd = kernel.open(path)
        kernel.ioctl(fd, SET_MODE, bytearray(1))
    except FileNotFoundError:
        raise BoardError(localized(f"gpio.spi.absent-{bus}", path=path)) from None
    except OSError as error:
        raise refusal(path, error, "spi") from None
    return SpiDevice(kernel, fd)

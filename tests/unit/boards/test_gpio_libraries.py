"""Other movers of a header's pins and lights, and its buses, by stand-ins of what they call."""

from __future__ import annotations

import ctypes
import errno
import os
import struct
import sys
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest
from lumiban.boards.gpio import buses, libraries, lights
from lumiban.boards.gpio.kernel import open_chip
from lumiban.boards.gpio.pins import MOVERS, PinError
from lumiban.errors import BoardError

BCM, IN, OUT, PUD_UP = 11, 1, 0, 22
"""As RPi.GPIO has them."""


class RpiGpio(ModuleType):
    """RPi.GPIO: who asks what of which pin, in order."""

    BCM, IN, OUT, PUD_UP = BCM, IN, OUT, PUD_UP

    def __init__(self) -> None:
        super().__init__("RPi.GPIO")
        self.told: list[tuple[object, ...]] = []
        self.low: set[int] = set()

    def setmode(self, mode: int) -> None:
        self.told.append(("mode", mode))

    def setwarnings(self, on: bool) -> None:
        self.told.append(("warnings", on))

    def setup(self, pin: int, how: int, **more: int) -> None:
        if pin > 27:
            raise ValueError("no such channel")
        self.told.append(("setup", pin, how, *more.items()))

    def output(self, pin: int, level: int) -> None:
        self.told.append(("output", pin, level))

    def input(self, pin: int) -> int:
        return int(pin not in self.low)

    def cleanup(self, pins: list[int]) -> None:
        self.told.append(("cleanup", *pins))


def test_pins_are_read_and_driven_by_rpi_gpio(monkeypatch: pytest.MonkeyPatch) -> None:
    gpio = RpiGpio()
    monkeypatch.setitem(sys.modules, "RPi", ModuleType("RPi"))
    monkeypatch.setitem(sys.modules, "RPi.GPIO", gpio)
    pins = libraries.PINS_BY["rpi-gpio"]()
    columns = pins.inputs([4, 17, 27])
    gpio.low = {17}
    assert columns.bits() == 0b101
    lights = pins.outputs([5, 6], 0b10)
    lights.put(0b10)
    lights.put(0b01, mask=0b01)
    rows = pins.outputs([20, 21], 0b11, has_open_drain=True)
    rows.put(0b10)
    rows.put(0b11)
    pins.close()
    pull = ("pull_up_down", PUD_UP)
    assert gpio.told == [
        ("mode", BCM), ("warnings", False),
        ("setup", 4, IN, pull), ("setup", 17, IN, pull), ("setup", 27, IN, pull),
        ("setup", 5, OUT, ("initial", 0)), ("setup", 6, OUT, ("initial", 1)),
        ("output", 5, 0), ("output", 6, 1), ("output", 5, 1),
        ("setup", 20, IN), ("setup", 21, IN),
        ("setup", 20, OUT, ("initial", 0)), ("setup", 20, IN),
        ("cleanup", 4, 17, 27, 5, 6, 20, 21),
    ]  # fmt: skip
    with pytest.raises(PinError, match=r"28.*no such channel"):
        pins.inputs([28])
    unused = libraries.RpiGpioPins()
    unused.close()
    assert gpio.told[-1] == ("warnings", False), "nothing is given back that was not claimed"


class Pixels(list[Any]):
    """A chain of adafruit-circuitpython-neopixel; `shown` is what it has shown."""

    def __init__(self, pin: str, count: int, *, auto_write: bool, pixel_order: str) -> None:
        super().__init__([None] * count)
        assert (pin, auto_write, pixel_order) == ("pin 10", False, "GRB")
        self.shown: list[list[Any]] = []
        self.is_broken = self.is_off = False

    def show(self) -> None:
        if self.is_broken:
            raise RuntimeError("transfer failed")
        self.shown.append([*self])

    def deinit(self) -> None:
        self.is_off = True


def test_lights_shine_by_neopixel(monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[Pixels] = []

    def pixels(*words: Any, **more: Any) -> Pixels:
        made.append(Pixels(*words, **more))
        return made[-1]

    monkeypatch.setitem(sys.modules, "board", SimpleNamespace(D10="pin 10"))
    monkeypatch.setitem(sys.modules, "neopixel", SimpleNamespace(NeoPixel=pixels, GRB="GRB"))
    chain = libraries.LIGHTS_BY["neopixel"](2)
    chain.show(bytes((1, 2, 3, 4, 5, 6)))
    assert made[0].shown == [[(0, 0, 0)] * 2, [(1, 2, 3), (4, 5, 6)]]
    made[0].is_broken = True
    with pytest.raises(OSError, match="transfer failed"):
        chain.show(bytes(6))
    chain.close()
    assert made[0].is_off


@pytest.mark.parametrize(
    ("mover", "module", "package"),
    [("rpi-gpio", "RPi", "rpi-lgpio"), ("neopixel", "neopixel", "adafruit-circuitpython-neopixel")],
)
def test_a_library_that_is_not_there_or_not_for_this_machine_is_named(
    monkeypatch: pytest.MonkeyPatch, mover: str, module: str, package: str
) -> None:
    def load() -> object:
        return libraries.PINS_BY[mover]() if mover == "rpi-gpio" else libraries.LIGHTS_BY[mover](1)

    monkeypatch.setitem(sys.modules, module, None)
    with pytest.raises(BoardError, match=package):
        load()

    def not_a_pi(name: str) -> object:
        raise RuntimeError("not a Pi")

    monkeypatch.setattr(libraries, "import_module", not_a_pi)
    with pytest.raises(BoardError, match="not a Pi"):
        load()


def test_each_mover_that_pins_may_name_is_there() -> None:
    named = {"pins_by": tuple(libraries.PINS_BY), "lights_by": tuple(libraries.LIGHTS_BY)}
    assert named == MOVERS
    assert libraries.PINS_BY["kernel"] is open_chip


def test_the_libraries_that_are_there_are_told_with_their_versions(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def version(name: str) -> str:
        if name != "RPi.GPIO":
            raise libraries.metadata.PackageNotFoundError(name)
        return "0.7.1"

    monkeypatch.setattr(libraries.metadata, "version", version)
    assert libraries.all_found() == ("RPi.GPIO 0.7.1",)


TRANSFER = struct.Struct("=QQIIHBBBBBB")
"""`struct spi_ioc_transfer` of linux/spi/spidev.h."""


class Devices:
    """The kernel's devices of both buses: an SPI that sends back what came, one up, and an I²C chip
    at 0x20 with registers; `errno` is what the next call fails with."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.told: list[tuple[object, ...]] = []
        self.registers = bytearray(range(32))
        self.errno = self.at = 0
        self.hz, self.sent = 1_000_000, list[bytes]()
        monkeypatch.setattr(os, "open", self.open)
        monkeypatch.setattr(os, "close", lambda fd: self.told.append(("close", fd)))
        monkeypatch.setattr(os, "read", lambda fd, n: bytes(self.registers[self.at :][:n]))
        monkeypatch.setattr(os, "write", self.write)
        monkeypatch.setattr("fcntl.ioctl", self.ioctl)

    def open(self, path: str, flags: int) -> int:
        assert flags & (os.O_RDWR | os.O_CLOEXEC) == os.O_RDWR | os.O_CLOEXEC
        if self.errno:
            raise OSError(self.errno, os.strerror(self.errno))
        self.told.append(("open", path))
        return 100 + len(self.told)

    def write(self, fd: int, data: bytes) -> None:
        self.at = data[0]
        self.registers[self.at : self.at + len(data) - 1] = data[1:]

    def ioctl(self, fd: int, request: int, data: Any) -> None:
        if self.errno:
            raise OSError(self.errno, os.strerror(self.errno))
        if request == 0x0703:  # I2C_SLAVE
            self.told.append(("chip", data))
        elif request == 0x40016B01:  # SPI_IOC_WR_MODE
            self.told.append(("mode", bytes(data)))
        else:
            assert request == 0x40206B00  # SPI_IOC_MESSAGE(1)
            out, back, count, hz, delay, bits, *rest = TRANSFER.unpack(bytes(data))
            assert (hz, delay, bits, any(rest)) == (self.hz, 0, 8, False)
            sent = ctypes.string_at(out, count)
            self.sent.append(sent)
            ctypes.memmove(back, bytes(one + 1 for one in sent), count)


def test_both_buses_are_spoken_to_by_the_kernel_s_calls(monkeypatch: pytest.MonkeyPatch) -> None:
    there = Devices(monkeypatch)
    header = buses.LinuxBuses()
    assert header.spi().exchange(b"\1\2\3") == b"\2\3\4"
    bus = header.i2c()
    bus.write(0x20, 5, b"ab")
    assert bus.read(0x20, 4, 4) == b"\4ab\7"
    assert there.told == [
        ("open", "/dev/spidev1.0"), ("mode", b"\0"), ("open", "/dev/i2c-1"),
        ("chip", 0x20), ("chip", 0x20),
    ]  # fmt: skip
    slept = list[float]()
    monkeypatch.setattr("time.sleep", slept.append)
    header.sleep_us(60)
    assert slept == [60e-6]
    there.errno = errno.EBUSY
    with pytest.raises(BoardError, match="0x20"):
        bus.write(0x20, 0, b"")
    there.errno = errno.EIO
    with pytest.raises(OSError, match="rror"):
        bus.write(0x20, 0, b"")
    there.errno = 0
    header.close()
    assert [one[0] for one in there.told[5:]] == ["close", "close"]


@pytest.mark.parametrize(
    ("number", "said"),
    [(errno.ENOENT, "SPI"), (errno.EACCES, "spi"), (errno.EPERM, "/dev/spidev1.0"),
     (errno.EBUSY, "/dev/spidev1.0"), (errno.ENODEV, "No such device")],
)  # fmt: skip
def test_a_bus_that_cannot_be_opened_says_why(
    monkeypatch: pytest.MonkeyPatch, number: int, said: str
) -> None:
    Devices(monkeypatch).errno = number
    with pytest.raises(BoardError, match=said):
        buses.LinuxBuses().spi()


def test_lights_by_spi_are_dark_before_and_after_and_their_bus_is_given_back(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    there = Devices(monkeypatch)
    there.hz = lights.LED_HZ
    chain = libraries.LIGHTS_BY["spi"](3)
    picture, dark = bytes(range(1, 10)), bytes(9)
    chain.show(picture)
    chain.close()
    assert there.sent == [lights.signal(one) for one in (dark, picture, dark)]
    assert there.told == [("open", "/dev/spidev0.0"), ("mode", b"\0"), ("close", 101)]
    for number, error, said in ((errno.EMSGSIZE, BoardError, "3"), (errno.EIO, OSError, "rror")):
        monkeypatch.setattr("fcntl.ioctl", there.ioctl)
        there.told.clear()

        def refuses(fd: int, request: int, data: Any, number: int = number) -> None:
            if request == 0x40206B00:
                raise OSError(number, os.strerror(number))

        monkeypatch.setattr("fcntl.ioctl", refuses)
        with pytest.raises(error, match=said):
            lights.SpiLights(3)
        assert there.told[-1] == ("close", 101)

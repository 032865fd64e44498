"""The lowest modules that the Pi's libraries call, on a simulated header.

Real Blinka and neopixel run over `gpiod` and `_rpi_ws281x` from here, real rpi-lgpio over `lgpio`;
`spidev` and RPi.GPIO are themselves the lowest, and stand in whole. `libraries()` loads all of
them so, once in a process; `on(pi)` says which Pi is meant from then on.
"""

from __future__ import annotations

import ctypes
import enum
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import cache
from importlib import import_module
from importlib.machinery import ModuleSpec
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

from lumiban.boards.gpio.pins import (
    CLASSIC,
    MODERN,
    Libraries,
    Machine,
    is_importable,
    load,
    owners,
)
from lumiban.boards.gpio.spi import TRANSFER_BYTES, Transfer, request

from lumiban_sim.pi import Pi

PI_4 = Machine("Raspberry Pi 4 Model B Rev 1.1", 4, "10000000abcdef01")
PI_5 = Machine("Raspberry Pi 5 Model B Rev 1.0", 5, "20000000abcdef01")
_REVISION = {PI_4: "c03111", PI_5: "c04170"}
_BOARD = {PI_4: "RASPBERRY_PI_4B", PI_5: "RASPBERRY_PI_5"}
_meant: list[Pi] = []


def on(pi: Pi) -> Pi:
    """Let the libraries drive this Pi; returns it."""
    _meant[:] = [pi]
    return pi


def meant() -> Pi:
    """The Pi that the libraries drive; RuntimeError before `on`."""
    if not _meant:
        raise RuntimeError("no simulated Pi: call pi_modules.on(pi) first")
    return _meant[0]


def lacking() -> str:
    """Which of the real libraries is missing here; "" when none is."""
    for module, package in (("board", "Adafruit-Blinka"), ("neopixel", "neopixel")):
        if not is_importable(module):
            return f"no stand-in for a Pi: {package} is not installed"
    return ""


@cache
def libraries(owner: str = "", model: Machine = PI_4) -> Libraries:
    """The libraries on stand-ins. `owner` is whose `RPi` it is: else rpi-lgpio's where it is
    installed, a stand-in for RPi.GPIO elsewhere. Blinka remembers the first model of a process.
    """
    modern = MODERN in owners()
    with _in_place(owner or (MODERN if modern else CLASSIC), model):
        found = replace(load(model, has_i2c=True), ioctl=ioctl)
        pins = import_module("adafruit_blinka.microcontroller.generic_linux.raspberry_pi_pin")
        pins._chip_paths = lambda: [Path("/dev/gpiochip0")]  # type: ignore[attr-defined]
        if not model.has_pio:
            lights = import_module("adafruit_blinka.microcontroller.bcm283x.neopixel")
            lights.time = SimpleNamespace(sleep=_sleep)  # type: ignore[attr-defined]
        return found


@contextmanager
def _in_place(owner: str, model: Machine) -> Iterator[None]:
    """While it lasts, imports find the stand-ins, and the machine looks like this Pi."""
    import adafruit_platformdetect  # type: ignore[import-untyped, import-not-found, unused-ignore]

    stand_ins = {module.__name__: module for module in _modules(owner, model)}
    names = {*stand_ins, "RPi", "RPi.GPIO"}
    before = {name: sys.modules.pop(name) for name in names if name in sys.modules}
    environment = {
        "BLINKA_FORCECHIP": "BCM2XXX",
        "BLINKA_FORCEBOARD": _BOARD[model],
        "BLINKA_SKIP_DEPENDENCY_CHECK": "1",
        "RPI_LGPIO_REVISION": _REVISION[model],
        "RPI_LGPIO_CHIP": "0",
    }
    told = {name: os.environ.get(name) for name in environment}
    detector = adafruit_platformdetect.Detector
    field = detector.get_cpuinfo_field
    sys.modules.update(stand_ins)
    os.environ.update(environment)
    detector.get_cpuinfo_field = lambda self, name: (
        _REVISION[model] if name == "Revision" else field(self, name)
    )
    try:
        yield
    finally:
        detector.get_cpuinfo_field = field
        for name in names:
            sys.modules.pop(name, None)
        sys.modules.update(before)
        for name, value in told.items():
            if value is None:
                os.environ.pop(name, None)
            else:
                os.environ[name] = value


def _sleep(seconds: float) -> None:
    """A library sleeps while a picture is on its way: in a thread of its own, on a real Pi."""
    meant().slept_us += round(seconds * 1e6)


def _modules(owner: str, model: Machine) -> list[ModuleType]:
    lights = _pi5_lights() if model.has_pio else _ws281x()
    found = [
        _spidev(),
        _smbus2(),
        _gpiod("pinctrl-rp1" if model.has_pio else "pinctrl-bcm2711"),
        lights,
    ]
    if owner == MODERN:
        return [*found, _lgpio()]
    gpio = _rpi_gpio()
    package = _module("RPi", GPIO=gpio, __path__=[])
    return [*found, package, gpio]


def _module(name: str, **content: Any) -> ModuleType:
    made = ModuleType(name)
    made.__spec__ = ModuleSpec(name, None)
    vars(made).update(content)
    return made


def _rpi_gpio() -> ModuleType:
    """RPi.GPIO 0.7, as far as a board needs it: pins in BCM numbers."""
    state = SimpleNamespace(mode=None, set_up=set())

    def setup(pin: int, direction: int, pull_up_down: int = 20, initial: int | None = None) -> None:
        if state.mode is None:
            raise RuntimeError("Please set pin numbering mode using GPIO.setmode(GPIO.BOARD)")
        if pin in meant().busy:
            raise RuntimeError("No access to /dev/mem")
        state.set_up.add(pin)
        if direction == 0:
            meant().out(pin, int(initial or 0))
        else:
            meant().claim(pin, int(pull_up_down == 22))

    def output(pin: int, value: int) -> None:
        if pin not in state.set_up:
            raise RuntimeError("The GPIO channel has not been set up as an OUTPUT")
        meant().out(pin, int(value))

    def setmode(mode: int) -> None:
        state.mode = mode

    def cleanup() -> None:
        for pin in state.set_up:
            meant().free(pin)
        state.set_up.clear()
        state.mode = None

    return _module(
        "RPi.GPIO",
        VERSION="0.7.1",
        BCM=11,
        BOARD=10,
        IN=1,
        OUT=0,
        PUD_OFF=20,
        PUD_DOWN=21,
        PUD_UP=22,
        setmode=setmode,
        setwarnings=lambda _: None,
        setup=setup,
        output=output,
        input=lambda pin: meant().read(pin),
        cleanup=cleanup,
    )


def _lgpio() -> ModuleType:
    """lgpio, as rpi-lgpio calls it."""
    modes: dict[int, int] = {}
    pull_up, is_input, is_output = 0x20, 0x100, 0x200

    class Error(Exception):
        """lgpio.error."""

    def claim_input(_: int, pin: int, flags: int = 0) -> int:
        refuse(pin)
        modes[pin] = is_input
        meant().claim(pin, int(bool(flags & pull_up)))
        return 0

    def claim_output(_: int, pin: int, level: int = 0, flags: int = 0) -> int:
        refuse(pin)
        modes[pin] = is_output
        meant().out(pin, int(level))
        return 0

    def refuse(pin: int) -> None:
        if pin in meant().busy:
            raise Error("'GPIO busy'")

    def write(_: int, pin: int, level: int) -> int:
        meant().out(pin, int(level))
        return 0

    def free(_: int, pin: int) -> int:
        modes.pop(pin, None)
        meant().free(pin)
        return 0

    return _module(
        "lgpio",
        SET_PULL_UP=pull_up,
        SET_PULL_DOWN=0x40,
        SET_PULL_NONE=0x80,
        GPIO_BUSY=-79,
        error=Error,
        error_text=lambda code: f"lgpio error {code}",
        gpiochip_open=lambda _: 0,
        gpiochip_close=lambda _: 0,
        gpio_get_chip_info=lambda _: (0, 54, "gpiochip0", "pinctrl-bcm2711"),
        gpio_get_mode=lambda _, pin: modes.get(pin, 0),
        gpio_claim_input=claim_input,
        gpio_claim_output=claim_output,
        gpio_read=lambda _, pin: meant().read(pin),
        gpio_write=write,
        gpio_free=free,
    )


def _spidev() -> ModuleType:
    class SpiDev:
        """A device of the kernel's spidev."""

        max_speed_hz = 500_000
        mode = 0

        def open(self, bus: int, select: int) -> None:
            if bus not in (0, 1):
                raise FileNotFoundError(2, "No such file or directory")
            self._bus, self._select = bus, select

        def xfer2(self, words: list[int] | tuple[int, ...]) -> list[int]:
            got = meant().transfer(self._bus, self._select, bytes(words), self.max_speed_hz)
            if isinstance(words, list):
                words[:] = got  # as the real one: a list is overwritten
                return words
            return list(got)

        def fileno(self) -> int:
            return FIRST_FD + 16 * self._bus + self._select

        def close(self) -> None:
            pass

    return _module("spidev", SpiDev=SpiDev)


FIRST_FD = 1 << 20
"""No program has so many files open: these descriptors are the stand-in's."""


def ioctl(fd: int, code: int, told: bytes | bytearray) -> int:
    """The kernel's side of a message on SPI."""
    bus, select = divmod(fd - FIRST_FD, 16)
    count = len(told) // TRANSFER_BYTES
    if code != request(count) or not count:
        raise OSError(25, "Inappropriate ioctl for device")
    for n, transfer in enumerate((Transfer * count).from_buffer_copy(told)):
        if transfer.cs_change != (n + 1 < count):
            raise OSError(22, "the ADC was not selected anew, or stays selected")
        words = ctypes.string_at(transfer.tx_buf, transfer.len)
        got = meant().transfer(bus, select, words, transfer.speed_hz, again=n > 0)
        ctypes.memmove(transfer.rx_buf, bytes(got), transfer.len)
    return 0


def _smbus2() -> ModuleType:
    """smbus2, which talks to the kernel's I²C."""

    class SMBus:
        """A bus of the kernel's."""

        def __init__(self, bus: int) -> None:
            if bus != 1:
                raise FileNotFoundError(2, "No such file or directory")

        def write_i2c_block_data(self, address: int, register: int, data: list[int]) -> None:
            meant().i2c_write(address, register, data)

        def read_i2c_block_data(self, address: int, register: int, length: int) -> list[int]:
            return meant().i2c_read(address, register, length)

        def close(self) -> None:
            pass

    return _module("smbus2", SMBus=SMBus)


def _gpiod(label: str) -> ModuleType:
    """libgpiod 2: Blinka's way to the pin of the lights."""

    class Value(enum.Enum):
        INACTIVE = 0
        ACTIVE = 1

    names = ("AS_IS", "UNKNOWN", "DISABLED", "INPUT", "OUTPUT", "PULL_UP", "PULL_DOWN")
    some = SimpleNamespace(**{name: name for name in names})
    drive = SimpleNamespace(PUSH_PULL="PUSH_PULL", OPEN_DRAIN="OPEN_DRAIN")
    line = SimpleNamespace(Value=Value, Direction=some, Bias=some, Drive=drive)

    class LineSettings:
        direction = "AS_IS"
        bias = "AS_IS"
        drive = "PUSH_PULL"
        output_value = Value.INACTIVE

    class Request:
        def __init__(self, pins: list[int]) -> None:
            self._pins = pins

        def reconfigure_lines(self, config: dict[int, Any]) -> None:
            for pin, settings in config.items():
                if settings.direction == "OUTPUT":
                    meant().out(pin, settings.output_value.value)
                else:
                    meant().claim(pin, int(settings.bias == "PULL_UP"))

        def set_value(self, pin: int, value: Value) -> None:
            meant().out(pin, value.value)

        def get_value(self, pin: int) -> Value:
            return Value(meant().read(pin))

        def release(self) -> None:
            if _meant:
                for pin in self._pins:
                    meant().free(pin)

    class Chip:
        def __init__(self, path: str) -> None:
            self.path = path

        def get_info(self) -> SimpleNamespace:
            return SimpleNamespace(label=label, num_lines=58, name="gpiochip0")

        def request_lines(self, config: dict[int, Any], consumer: str) -> Request:
            return Request(list(config))

        def close(self) -> None:
            pass

    return _module("gpiod", __version__="2.2.2", line=line, LineSettings=LineSettings, Chip=Chip)


def _pi5_lights() -> ModuleType:
    """Blinka's way to the light signals of a Pi 5, made in its I/O chip."""

    def write(pin: Any, data: bytearray) -> None:
        chain = [bytes(data[at : at + 3]) for at in range(0, len(data), 3)]
        meant().signal(pin._pin.id, chain)

    return _module("adafruit_raspberry_pi5_neopixel_write", neopixel_write=write)


def _ws281x() -> ModuleType:
    """rpi_ws281x's C module: each rendering hands the chain's bytes to the Pi."""
    needs_root = -5

    def new() -> SimpleNamespace:
        return SimpleNamespace(channels=(SimpleNamespace(), SimpleNamespace()))

    def begin(strip: SimpleNamespace) -> int:
        for channel in strip.channels:
            channel.leds = [0] * channel.count
            if channel.count and channel.gpionum != 10 and not meant().root:
                return needs_root
        return 0

    def set_led(channel: SimpleNamespace, at: int, colour: int) -> int:
        channel.leds[at] = colour
        return 0

    def render(strip: SimpleNamespace) -> int:
        for channel in strip.channels:
            if channel.count:
                chain = [colour.to_bytes(3, "big") for colour in channel.leds]
                meant().signal(channel.gpionum, chain)
        return 0

    content: dict[str, Any] = {
        "WS2811_SUCCESS": 0,
        "WS2811_STRIP_RGB": 0x100800,
        "SK6812_STRIP_RGBW": 0x18100800,
        "new_ws2811_t": new,
        "delete_ws2811_t": lambda _: None,
        "ws2811_channel_get": lambda strip, number: strip.channels[number],
        "ws2811_init": begin,
        "ws2811_fini": lambda _: None,
        "ws2811_led_set": set_led,
        "ws2811_render": render,
        "ws2811_get_return_t_str": lambda code: f"error {code}",
    }
    for name in ("count", "gpionum", "invert", "brightness", "strip_type"):
        content[f"ws2811_channel_t_{name}_set"] = _setter(name)
        content[f"ws2811_channel_t_{name}_get"] = _getter(name)
    for name in ("freq", "dmanum"):
        content[f"ws2811_t_{name}_set"] = _setter(name)
    return _module("_rpi_ws281x", **content)


def _setter(name: str) -> Any:
    return lambda thing, value: setattr(thing, name, value)


def _getter(name: str) -> Any:
    return lambda thing: getattr(thing, name)

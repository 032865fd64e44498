"""Libraries that move a header's pins and lights in place of the kernel's own devices.

Chosen by `--pins-by rpi-gpio` and `--lights-by neopixel`. They come from the system's packages or
the maker's environment and are loaded only when they are asked for:

- **RPi.GPIO**, which rpi-lgpio provides on newer kernels. It has no open drain: a row that is let
  go is made an input.
- **adafruit-circuitpython-neopixel** on Blinka. It drives the chain at GPIO10 by SPI as we do, by
  means of rpi_ws281x up to the Pi 4 and of its own package on a Pi 5.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from importlib import import_module, metadata
from typing import Any

from lumiban.boards.gpio.interface import Chain, PinAccess
from lumiban.boards.gpio.kernel import open_chip
from lumiban.boards.gpio.lights import SpiLights
from lumiban.boards.gpio.pins import LED_SPI, MOVERS, PinError
from lumiban.boards.ports import localized
from lumiban.errors import BoardError

KERNEL, RPI_GPIO = MOVERS["pins_by"]
SPI, NEOPIXEL = MOVERS["lights_by"]
PACKAGES = {
    RPI_GPIO: ("rpi-lgpio", "RPi.GPIO"),
    NEOPIXEL: ("adafruit-circuitpython-neopixel",),
}
"""Distributions that provide a library, the first the one to install."""


def all_found() -> tuple[str, ...]:
    """Names and versions of the distributions here that provide these libraries."""
    here = []
    for name in sum(PACKAGES.values(), ()):
        with suppress(metadata.PackageNotFoundError):
            here.append(f"{name} {metadata.version(name)}")
    return tuple(here)


def _loaded(library: str, module: str) -> Any:
    try:
        return import_module(module)
    except ImportError as error:
        params = {"library": library, "package": PACKAGES[library][0], "detail": error}
        raise BoardError(localized("gpio.library.absent", **params)) from None
    except (RuntimeError, NotImplementedError) as error:  # as both say that this is no Pi of theirs
        params = {"library": library, "detail": error}
        raise BoardError(localized("gpio.library.broken", **params)) from None


class RpiGpioInputs:
    """Inputs with pull-ups."""

    def __init__(self, gpio: Any, pins: Sequence[int]) -> None:
        self._gpio = gpio
        self._pins = tuple(pins)

    def bits(self) -> int:
        """The levels of all, read one after the other."""
        return sum(bool(self._gpio.input(pin)) << n for n, pin in enumerate(self._pins))


class RpiGpioOutputs:
    """Outputs; with an open drain a 1 makes a pin an input."""

    def __init__(self, gpio: Any, pins: Sequence[int], *, has_open_drain: bool) -> None:
        self._gpio = gpio
        self._pins = tuple(pins)
        self._has_open_drain = has_open_drain
        self._driven = {} if not has_open_drain else dict.fromkeys(pins, 1)
        """Levels as last put."""

    def put(self, bits: int, mask: int = -1) -> None:
        """Drive the pins of a mask whose levels change, one after the other."""
        for n, pin in enumerate(self._pins):
            level = bits >> n & 1
            if not mask >> n & 1 or self._driven.get(pin) == level:
                continue
            self._driven[pin] = level
            if not self._has_open_drain:
                self._gpio.output(pin, level)
            elif level:
                self._gpio.setup(pin, self._gpio.IN)
            else:
                self._gpio.setup(pin, self._gpio.OUT, initial=0)


class RpiGpioPins:
    """The header's pins by RPi.GPIO."""

    def __init__(self) -> None:
        self._gpio = _loaded(RPI_GPIO, "RPi.GPIO")
        self._gpio.setmode(self._gpio.BCM)
        self._gpio.setwarnings(False)
        self._claimed: list[int] = []

    def _claim(self, pins: Sequence[int], how: int, **options: Any) -> None:
        for pin in pins:
            try:
                self._gpio.setup(pin, how, **options)
            except Exception as error:  # noqa: BLE001  # the library's own, of many kinds
                raise PinError("broken", pin=pin, detail=error) from None
            self._claimed.append(pin)

    def inputs(self, pins: Sequence[int]) -> RpiGpioInputs:
        """Claim pins as inputs with pull-ups; PinError."""
        self._claim(pins, self._gpio.IN, pull_up_down=self._gpio.PUD_UP)
        return RpiGpioInputs(self._gpio, pins)

    def outputs(
        self, pins: Sequence[int], levels: int, *, has_open_drain: bool = False
    ) -> RpiGpioOutputs:
        """Claim pins as outputs of these levels, as bits; PinError."""
        outputs = RpiGpioOutputs(self._gpio, pins, has_open_drain=has_open_drain)
        if has_open_drain:
            self._claim(pins, self._gpio.IN)
        else:
            for n, pin in enumerate(pins):
                self._claim([pin], self._gpio.OUT, initial=levels >> n & 1)
        outputs.put(levels)
        return outputs

    def close(self) -> None:
        """Give all pins back."""
        if self._claimed:
            self._gpio.cleanup(self._claimed)


class NeopixelLights:
    """The chain at GPIO10 by adafruit-circuitpython-neopixel."""

    def __init__(self, lights: int) -> None:
        neopixel = _loaded(NEOPIXEL, "neopixel")
        pin = getattr(_loaded(NEOPIXEL, "board"), f"D{LED_SPI}")
        try:
            self._pixels = neopixel.NeoPixel(
                pin, lights, auto_write=False, pixel_order=neopixel.GRB
            )
            self.show(bytes(3 * lights))
        except Exception as error:  # noqa: BLE001  # the library's own, of many kinds
            params = {"library": NEOPIXEL, "detail": error}
            raise BoardError(localized("gpio.library.broken", **params)) from None

    def show(self, rgb: bytes) -> None:
        """Light all: r, g, b of each; OSError."""
        self._pixels[:] = [tuple(rgb[at : at + 3]) for at in range(0, len(rgb), 3)]
        try:
            self._pixels.show()
        except RuntimeError as error:  # as rpi_ws281x tells of a transfer that failed
            raise OSError(str(error)) from None

    def close(self) -> None:
        """Put them out."""
        self._pixels.deinit()


PINS_BY: Mapping[str, Callable[[], PinAccess]] = {KERNEL: open_chip, RPI_GPIO: RpiGpioPins}
LIGHTS_BY: Mapping[str, Callable[[int], Chain]] = {SPI: SpiLights, NEOPIXEL: NeopixelLights}

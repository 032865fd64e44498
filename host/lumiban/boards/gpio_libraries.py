"""The libraries that drive the Pi's header: loaded when they are needed, told apart when missing.

`RPi.GPIO` and `rpi-lgpio` both bring a package named `RPi`: exactly one may be installed.
"""

from __future__ import annotations

import importlib
import importlib.util
import re
import shlex
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib import metadata
from typing import Any

from lumiban.boards.gpio_machine import Machine
from lumiban.boards.gpio_pins import check_dma
from lumiban.boards.ports import said
from lumiban.errors import BoardError

CLASSIC, MODERN = "RPi.GPIO", "rpi-lgpio"
"""The two owners of the package `RPi`."""
PI5_LIGHTS = ("adafruit_raspberry_pi5_neopixel_write", "Adafruit-Blinka-Raspberry-Pi5-Neopixel")
LIGHTS = ("_rpi_ws281x", "rpi-ws281x")
NEEDED = (
    ("spidev", "spidev"),
    ("board", "Adafruit-Blinka>=10,<11"),
    ("neopixel", "adafruit-circuitpython-neopixel"),
    ("gpiod", "gpiod>=2.2.2,<3"),
)
"""Module and what to install for it, on every Pi."""


class LibraryError(BoardError):
    """A library is missing, superfluous or does not work; `reason` is a slug."""

    def __init__(self, reason: str, **params: object) -> None:
        super().__init__(said(f"gpio.library.{reason}", **params))
        self.reason = reason


@dataclass(frozen=True, slots=True)
class Libraries:
    """The modules: `RPi.GPIO`, `spidev`, Blinka's `board`, `neopixel`."""

    gpio: Any
    spidev: Any
    board: Any
    neopixel: Any


def owners() -> tuple[str, ...]:
    """Which of the two owners of `RPi` are installed."""
    names = {_plain(found.metadata["Name"] or "") for found in metadata.distributions()}
    return tuple(name for name in (CLASSIC, MODERN) if _plain(name) in names)


def there(module: str) -> bool:
    """Whether a module could be imported."""
    try:
        return importlib.util.find_spec(module) is not None
    except (ImportError, ValueError):
        return False


def check(
    on: Machine,
    installed: Sequence[str] | None = None,
    has: Callable[[str], bool] = there,
) -> None:
    """LibraryError for the first library that is wrong or missing on this Pi."""
    found = owners() if installed is None else installed
    if len(found) > 1:
        # They overwrite each other's files: both go, then one comes back.
        remove = pip("uninstall", "-y", *found)
        raise LibraryError("both", remove=remove, install=pip("install", MODERN))
    if on.generation >= 5 and CLASSIC in found:
        change = f"{pip('uninstall', '-y', CLASSIC)} && {pip('install', MODERN)}"
        raise LibraryError("classic-on-5", change=change)
    if not has("RPi"):
        raise LibraryError("missing", name="RPi.GPIO", install=pip("install", MODERN))
    for module, package in (*NEEDED, PI5_LIGHTS if on.has_pio else LIGHTS):
        if not has(module):
            raise LibraryError("missing", name=module, install=pip("install", package))


def load(on: Machine) -> Libraries:
    """Import them; LibraryError says which is missing or does not work here."""
    check(on)
    found = Libraries(*[_import(name) for name in ("RPi.GPIO", "spidev", "board", "neopixel")])
    if not on.has_pio:
        lights = _import("adafruit_blinka.microcontroller.bcm283x.neopixel")
        check_dma(lights.LED_DMA_NUM)
    return found


def errors_of(gpio: Any) -> tuple[type[Exception], ...]:
    """What this `RPi.GPIO` raises for a pin that it cannot have: rpi-lgpio has its own."""
    below = getattr(gpio, "lgpio", None)
    return (RuntimeError, OSError, *([below.error] if below is not None else []))


def pip(*words: str) -> str:
    """The command that does this in the environment that runs us."""
    return shlex.join([sys.executable, "-m", "pip", *words])


def _import(name: str) -> Any:
    try:
        return importlib.import_module(name)
    except (ImportError, RuntimeError, NotImplementedError, OSError) as error:
        detail = " ".join(str(error).split()) or type(error).__name__
        raise LibraryError("broken", name=name, detail=detail) from None


def _plain(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()

"""Uses of the pins of the Pi's header, and choices that cannot work, with the reason.

Pins go by their GPIO (BCM) numbers. `PLACE` gives where each is on the 40-pin header. What machine
this is, as far as a board on its header cares, is asked here too.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from typing import Any

from lumiban.boards.gpio import config_txt
from lumiban.boards.ports import localized
from lumiban.boards.profile import Profile
from lumiban.boards.profile_file import Header
from lumiban.errors import BoardError, UsageError

PLACE = {
    2: 3, 3: 5, 4: 7, 14: 8, 15: 10, 17: 11, 18: 12, 27: 13, 22: 15, 23: 16, 24: 18, 10: 19,
    9: 21, 25: 22, 11: 23, 8: 24, 7: 26, 0: 27, 1: 28, 5: 29, 6: 31, 12: 32, 13: 33, 19: 35,
    16: 36, 26: 37, 20: 38, 21: 40,
}  # fmt: skip
"""Place on the header of each GPIO."""
PICO_PLACE = {
    0: 1, 1: 2, 2: 4, 3: 5, 4: 6, 5: 7, 6: 9, 7: 10, 8: 11, 9: 12, 10: 14, 11: 15, 12: 16, 13: 17,
    14: 19, 15: 20, 16: 21, 17: 22, 18: 24, 19: 25, 20: 26, 21: 27, 22: 29, 26: 31, 27: 32, 28: 34,
}  # fmt: skip
"""Place on a Pico's edge of each of its GP numbers."""
NONE = -1
"""In place of a pin: not wired."""
SPI_LIGHTS = {"clock": 11, "in": 9, "out": 10, "first": 8, "second": 7}
"""Pins of SPI0, whose data line makes the lights' signal."""
SPI_REGISTERS = {"clock": 21, "in": 19, "out": 20, "first": 18}
"""Pins of SPI1, where registers hang; its first select line is their RCLK."""
I2C = {"i2c-data": 2, "i2c-clock": 3}
RESERVED_PINS = {0: "hat", 1: "hat", 2: "i2c", 3: "i2c", 14: "uart", 15: "uart"}
"""Pins that are taken whatever is chosen, and the sentence that says by what."""
LED_SPI = 10
"""Pin at which the lights' signal comes out: SPI0 makes it."""
MAX_BUTTONS = 4


class PinError(BoardError):
    """A pin that cannot be had, or a choice of pins that cannot work; `reason` is a slug."""

    def __init__(self, reason: str, **params: object) -> None:
        super().__init__(localized(f"gpio.pin.{reason}", **params))
        self.reason = reason


@dataclass(frozen=True, slots=True)
class Pins:
    """Wiring of a Pi's header or a Pico, as pin numbers; −1 for an unused one.

    >>> from lumiban.boards.profile import load
    >>> parse("led=-1", of_profile(load("breadboard8"))).led
    -1
    """

    led: int = NONE
    buttons: tuple[int, ...] = ()
    """To ground; two a seat."""
    power: int = NONE
    """High: the lights' supply is on."""
    good: int = NONE
    """Low: the 5 V supply sags."""
    dark: int = NONE
    """Low: the light signal goes out to the strips."""
    drive: tuple[int, ...] = ()
    """Rows of a matrix of switches, each low while it is read."""
    sense: tuple[int, ...] = ()
    """Its columns; or switches with a pin each."""
    load: int = NONE
    """Registers take over what stands at them."""
    pins_by: str = "kernel"
    """What moves the pins, by its name in `libraries.PINS_BY` …"""
    lights_by: str = "spi"
    """… and the lights, by its name in `libraries.LIGHTS_BY`."""
    has_spi: bool = False
    """Registers hang on SPI1."""
    has_i2c: bool = False
    """Expanders of switches hang on I²C, GPIO2 and 3."""

    def roles(self) -> Iterator[tuple[str, int]]:
        """Purpose of each wired pin, in words, those of buses included."""
        for name, pin in SPI_REGISTERS.items() if self.has_spi else ():
            yield localized(f"gpio.role.{name}"), pin
        for name, pin in I2C.items() if self.has_i2c else ():
            yield localized(f"gpio.role.{name}"), pin
        for name, pins in (("drive", self.drive), ("sense", self.sense), ("button", self.buttons)):
            for number, pin in enumerate(pins):
                yield localized(f"gpio.role.{name}", number=number + 1), pin
        for name in ("load", "led", "power", "good", "dark"):
            if (pin := getattr(self, name)) != NONE:
                yield localized(f"gpio.role.{name}"), pin


def of_profile(profile: Profile) -> Pins:
    """The pins of a board of switches, as its profile has them; BoardError for a board whose
    sensors measure, as no header reads those.

    >>> from lumiban.boards.profile import load
    >>> of_profile(load("breadboard8")).led
    10
    """
    switches, header = profile.switches, profile.header
    if switches is None:
        raise BoardError(localized("gpio.measures", profile=profile.name))
    if switches.on == "pico":
        header = Header(led=profile.pins.data, buttons=profile.pins.buttons)
    return Pins(
        led=header.led if profile.has_lights else NONE,
        buttons=header.buttons,
        power=header.power,
        good=header.good,
        dark=header.dark,
        drive=switches.drive,
        sense=switches.sense,
        load=NONE if switches.load is None else switches.load,
        has_spi=switches.on == "header" and switches.wiring in ("74hc165", "74hc595"),
        has_i2c=switches.wiring == "mcp23017",
    )


_MANY = ("buttons", "drive", "sense")
MOVERS = {"pins_by": ("kernel", "rpi-gpio"), "lights_by": ("spi", "neopixel")}
"""Names of what can move pins, and lights; the first without a library."""


def parse(wish: str, usual: Pins | None = None) -> Pins:
    """Pins by key=value, parted by spaces; `usual` is the board's own wiring; UsageError.

    >>> parse("buttons=27,4 power=-1").buttons, parse("pins-by=rpi-gpio").pins_by
    ((27, 4), 'rpi-gpio')
    """
    keys = [field.name for field in fields(Pins) if not field.name.startswith("has_")]
    changes: dict[str, Any] = {}
    for word in wish.split():
        name, equals, value = word.partition("=")
        key = name.replace("-", "_")
        try:
            if key in MOVERS:
                changes[key] = MOVERS[key][MOVERS[key].index(value)]
                continue
            numbers = tuple(int(part) for part in value.split(",") if part)
        except ValueError:
            key, numbers = "", ()
        if key not in keys or not equals or (len(numbers) != 1 and key not in _MANY):
            known = ", ".join(key.replace("_", "-") for key in keys)
            raise UsageError(localized("gpio.pins.word", word=word, keys=known))
        changes[key] = numbers if key in _MANY else numbers[0]
    return replace(usual or Pins(), **changes)


def check_pins(pins: Pins, on: Machine) -> None:
    """PinError when these pins cannot work on this Pi: says which, why and what to do."""
    if len(pins.buttons) > MAX_BUTTONS:
        raise PinError("buttons", count=len(pins.buttons), most=MAX_BUTTONS)
    users: dict[int, str] = {}
    for role, pin in pins.roles():
        if pin not in PLACE:
            raise PinError("none", pin=pin, role=role)
        if pin in RESERVED_PINS and not (pins.has_i2c and pin in I2C.values()):
            raise PinError(RESERVED_PINS[pin], pin=pin, role=role)
        if pin in users:
            raise PinError("twice", pin=pin, one=users[pin], other=role)
        users[pin] = role
    if pins.led == NONE:
        return
    if pins.led != LED_SPI:
        raise PinError("no-signal", pin=pins.led)
    for name, pin in SPI_LIGHTS.items():
        if pin in users and name != "out":
            raise PinError("led-bus", pin=pin, role=users[pin])
    check_clock(on)


CONFIG = ("boot/firmware/config.txt", "boot/config.txt")
"""Paths of a Pi's boot settings: since Raspberry Pi OS 12, and before."""


def check_clock(on: Machine) -> None:
    """PinError where lights by SPI could all turn white, as the chip's clock is not steady."""
    if missing := on.unsteady:
        raise PinError("clock", lines=" ".join(missing), file=f"/{on.config_file}")


@dataclass(frozen=True, slots=True)
class Machine:
    """A machine; `model` is "" when it is no Raspberry Pi."""

    model: str = ""
    generation: int = 0
    """4 for a Pi 4, 400 or CM4; 1 for the first and the Zero; 0 unknown."""
    serial: str = ""
    """Its own number, 16 hexadecimal digits."""
    config: Mapping[str, str] = field(default_factory=dict)
    """The settings of its start that hold on it, by name."""
    config_file: str = ""
    """Path of the settings, below the root."""

    @property
    def unsteady(self) -> tuple[str, ...]:
        """Lines that its config.txt lacks for SPI's rate not to change with the load.

        >>> Machine(generation=4).unsteady, Machine(generation=5).unsteady
        (('core_freq=500', 'core_freq_min=500'), ())
        """
        return config_txt.unsteady(self.generation, self.config)

    @property
    def uid(self) -> bytes:
        """Its number as a board's, 8 bytes."""
        digits = self.serial.rjust(16, "0")[-16:]
        return bytes.fromhex(digits) if re.fullmatch("[0-9a-fA-F]{16}", digits) else bytes(8)


def look(root: Path = Path("/")) -> Machine:
    """This machine, by what its kernel tells in files below `root`."""
    tree = root / "proc/device-tree"
    model = _text(tree / "model")
    serial = _text(tree / "serial-number")
    if not serial:
        match = re.search(r"^Serial\s*:\s*([0-9a-f]+)$", _text(root / "proc/cpuinfo"), re.M)
        serial = match[1] if match else ""
    is_pi = "Raspberry Pi" in model
    config_file = next((path for path in CONFIG if _text(root / path)), CONFIG[0])
    boot = (root / config_file).parent
    return Machine(
        model=model if is_pi else "",
        generation=config_txt.generation(model) if is_pi else 0,
        serial=serial,
        config=config_txt.settings(
            _text(root / config_file), model, serial, lambda name: _text(boot / name)
        ),
        config_file=config_file,
    )


def must_be_pi(on: Machine) -> None:
    """BoardError on any other machine."""
    if not on.model:
        raise BoardError(localized("gpio.no-pi"))


def _text(path: Path) -> str:
    try:
        return path.read_bytes().rstrip(b"\0").decode("utf-8", "replace").strip()
    except OSError:
        return ""

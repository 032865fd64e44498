"""Uses of the pins of the Pi's header, and choices that cannot work, with the reason.

Pins go by their GPIO (BCM) numbers. `PLACE` gives where each is on the 40-pin header. What machine
this is, as far as a board on its header cares, is asked here too.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Any

from lumiban.boards.gpio.clock import LINES
from lumiban.boards.gpio.kernel import PinError
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
SPI = {
    0: {"clock": 11, "in": 9, "out": 10, "first": 8, "second": 7},
    1: {"clock": 21, "in": 19, "out": 20, "first": 18, "second": 17},
}
"""The pins of both buses; the last two select the ADCs."""
I2C = {"i2c-data": 2, "i2c-clock": 3}
RESERVED_PINS = {0: "hat", 1: "hat", 2: "i2c", 3: "i2c", 14: "uart", 15: "uart"}
"""Pins that are taken whatever is chosen, and the sentence that says by what."""
LED_SPI = 10
"""Pin at which the lights' signal comes out: SPI0 makes it."""
MOST_BUTTONS = 4


@dataclass(frozen=True, slots=True)
class Pins:
    """Wiring of a Pi's header or a Pico, as pin numbers; −1 for an unused one. `spi` is the bus of
    the two ADCs, 0 or 1, or of registers; −1 where the board needs none.

    >>> parse("led=-1").led, Pins().columns
    (-1, (5, 6, 13, 26))
    """

    spi: int = 1
    led: int = LED_SPI
    columns: tuple[int, ...] = (5, 6, 13, 26)
    """S0 to S3 of all strips' muxes."""
    buttons: tuple[int, ...] = (27, 4, 16, 12)
    """To ground; two a seat."""
    power: int = 22
    """High: the lights' supply is on."""
    good: int = 23
    """Low: the 5 V supply sags."""
    dark: int = 25
    """Low: the light signal goes out to the strips."""
    drive: tuple[int, ...] = ()
    """Rows of a matrix of switches, each low while it is read."""
    sense: tuple[int, ...] = ()
    """Its columns; or switches with a pin each."""
    load: int = NONE
    """Registers take over what stands at them."""
    has_i2c: bool = False
    """Expanders of switches hang on I²C, GPIO2 and 3."""

    def roles(self) -> Iterator[tuple[str, int]]:
        """Purpose of each wired pin, in words, the bus of the ADCs included."""
        for name, pin in SPI[self.spi].items() if self.spi != NONE else ():
            yield localized(f"gpio.role.{name}", spi=self.spi), pin
        for name, pin in I2C.items() if self.has_i2c else ():
            yield localized(f"gpio.role.{name}"), pin
        for number, pin in enumerate(self.drive):
            yield localized("gpio.role.drive", number=number + 1), pin
        for number, pin in enumerate(self.sense):
            yield localized("gpio.role.sense", number=number + 1), pin
        if self.load != NONE:
            yield localized("gpio.role.load"), self.load
        if self.led != NONE:
            yield localized("gpio.role.led"), self.led
        for number, pin in enumerate(self.columns):
            yield localized("gpio.role.column", number=number), pin
        for number, pin in enumerate(self.buttons):
            yield localized("gpio.role.button", number=number + 1), pin
        for name, pin in (("power", self.power), ("good", self.good), ("dark", self.dark)):
            if pin != NONE:
                yield localized(f"gpio.role.{name}"), pin


WIRINGS = {"rootless": Pins()}
"""By name: lights from SPI0 and ADCs on SPI1."""


def of_profile(profile: Profile) -> Pins:
    """The pins that a board has unless others are asked for: a board of switches tells its own.

    >>> from lumiban.boards.profile import load
    >>> of_profile(load("hex5")) == Pins(), of_profile(load("breadboard8")).led
    (True, 10)
    """
    switches, header = profile.switches, profile.header
    if switches is None:
        return WIRINGS["rootless"]
    if switches.on == "pico":
        header = Header(led=profile.pins.data, buttons=profile.pins.buttons)
    return Pins(
        spi=1 if switches.on == "header" and switches.wiring in ("74hc165", "74hc595") else NONE,
        led=header.led if profile.has_lights else NONE,
        columns=(),
        buttons=header.buttons,
        power=header.power,
        good=header.good,
        dark=header.dark,
        drive=switches.drive,
        sense=switches.sense,
        load=NONE if switches.load is None else switches.load,
        has_i2c=switches.wiring == "mcp23017",
    )


def parse(wish: str, usual: Pins | None = None) -> Pins:
    """Pins by the name of a wiring and key=value, parted by spaces; UsageError.

    `usual` is the board's own wiring, which stands where none is named.

    >>> parse("rootless buttons=27,4 power=-1").buttons
    (27, 4)
    """
    pins = WIRINGS["rootless"] if usual is None else usual
    keys = [field.name for field in fields(Pins) if field.name != "has_i2c"]
    for number, word in enumerate(wish.split()):
        key, equals, value = word.partition("=")
        if not equals and number == 0 and word in WIRINGS:
            pins = WIRINGS[word]
            continue
        try:
            numbers = tuple(int(part) for part in value.split(",") if part)
        except ValueError:
            key, numbers = "", ()
        many = key in ("columns", "buttons", "drive", "sense")
        if (
            key not in keys
            or not (numbers or (many and equals))
            or (len(numbers) != 1 and not many)
        ):
            wirings, known = ", ".join(WIRINGS), ", ".join(keys)
            raise UsageError(localized("gpio.pins.word", word=word, wirings=wirings, keys=known))
        change: dict[str, Any] = {key: numbers if many else numbers[0]}
        pins = replace(pins, **change)
    return pins


def check_pins(pins: Pins, on: Machine) -> None:
    """PinError when these pins cannot work on this Pi: says which, why and what to do."""
    of_switches = bool(pins.sense or pins.has_i2c or pins.load != NONE) or not pins.columns
    if pins.spi not in SPI and not (of_switches and pins.spi == NONE):
        raise PinError("bus", spi=pins.spi)
    if len(pins.columns) != 4 and not of_switches:
        raise PinError("columns", count=len(pins.columns))
    if len(pins.buttons) > MOST_BUTTONS:
        raise PinError("buttons", count=len(pins.buttons), most=MOST_BUTTONS)
    if pins.spi == 0 and pins.led == LED_SPI:
        raise PinError("led-on-adc", pin=pins.led)
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
    for name, pin in SPI[0].items():
        if pin in users and name != "out":
            raise PinError("led-bus", pin=pin, role=users[pin])
    check_clock(on)


CONFIG = ("boot/firmware/config.txt", "boot/config.txt")
"""Paths of a Pi's boot settings: since Raspberry Pi OS 12, and before."""


def steady_clock(on: Machine) -> tuple[str, ...]:
    """The lines of config.txt without which SPI's rate changes with the load of this Pi.

    >>> steady_clock(Machine(generation=4)), steady_clock(Machine(generation=5))
    (('core_freq=500', 'core_freq_min=500'), ())
    """
    return LINES.get(on.generation, ())


def check_clock(on: Machine) -> None:
    """PinError where lights by SPI could all turn white, as the chip's clock is not steady."""
    missing = [line for line in steady_clock(on) if line not in on.config]
    if missing:
        raise PinError("clock", lines=" ".join(missing), file=f"/{on.config_file}")


@dataclass(frozen=True, slots=True)
class Machine:
    """A machine; `model` is "" when it is no Raspberry Pi."""

    model: str = ""
    generation: int = 0
    """4 for a Pi 4, 400 or CM4; 1 for the first and the Zero; 0 unknown."""
    serial: str = ""
    """Its own number, 16 hexadecimal digits."""
    config: frozenset[str] = frozenset()
    """The settings of its start, line by line, without blanks."""
    config_file: str = CONFIG[0]
    """Path of the settings, below the root."""

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
    config_file = next((path for path in CONFIG if (root / path).exists()), CONFIG[0])
    return Machine(
        model=model if is_pi else "",
        generation=generation(model) if is_pi else 0,
        serial=serial,
        config=settings_of(_text(root / config_file)),
        config_file=config_file,
    )


def settings_of(text: str) -> frozenset[str]:
    r"""The lines of a config.txt that count, whatever section they are in.

    >>> sorted(settings_of("# a\r\n core_freq = 250\r\n[pi4]\narm_boost=1 # why\n"))
    ['[pi4]', 'arm_boost=1', 'core_freq=250']
    """
    lines = (re.sub(r"\s", "", line.partition("#")[0]) for line in text.splitlines())
    return frozenset(line for line in lines if line)


def generation(model: str) -> int:
    """The family of a Pi by the name that its device tree has.

    >>> generation("Raspberry Pi 4 Model B Rev 1.1"), generation("Raspberry Pi Zero 2 W Rev 1.0")
    (4, 3)
    >>> generation("Raspberry Pi 400 Rev 1.0"), generation("Raspberry Pi Compute Module 5")
    (4, 5)
    """
    if "Zero 2" in model:
        return 3
    if "Zero" in model or "Model" in model.removeprefix("Raspberry Pi ")[:5]:
        return 1
    match = re.search(r"Raspberry Pi (?:Compute Module )?(\d)", model)
    return int(match[1]) if match else 0


def must_be_pi(on: Machine) -> None:
    """BoardError on any other machine."""
    if not on.model:
        raise BoardError(localized("gpio.no-pi"))


def _text(path: Path) -> str:
    try:
        return path.read_bytes().rstrip(b"\0").decode("utf-8", "replace").strip()
    except OSError:
        return ""

"""Which pin of the Pi's header does what, and which choices cannot work, with the reason.

Pins go by their GPIO (BCM) numbers, as the libraries count them. `PLACE` gives where each is on
the 40-pin header.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, fields, replace
from typing import Any

from lumiban.boards.gpio_machine import Machine
from lumiban.boards.ports import said
from lumiban.errors import BoardError, UsageError

PLACE = {
    2: 3, 3: 5, 4: 7, 14: 8, 15: 10, 17: 11, 18: 12, 27: 13, 22: 15, 23: 16, 24: 18, 10: 19,
    9: 21, 25: 22, 11: 23, 8: 24, 7: 26, 0: 27, 1: 28, 5: 29, 6: 31, 12: 32, 13: 33, 19: 35,
    16: 36, 26: 37, 20: 38, 21: 40,
}  # fmt: skip
"""Place on the header of each GPIO."""
NONE = -1
"""In place of a pin: not wired."""
SPI = {
    0: {"clock": 11, "in": 9, "out": 10, "first": 8, "second": 7},
    1: {"clock": 21, "in": 19, "out": 20, "first": 18, "second": 17},
}
"""The pins of both buses; the last two select the ADCs."""
KEPT = {0: "hat", 1: "hat", 2: "i2c", 3: "i2c", 14: "uart", 15: "uart"}
"""Pins that are taken whatever is chosen, and the sentence that says by what."""
LED_SPI, LED_PCM, LED_PWM = 10, 21, (18, 12, 13, 19)
"""Where a light signal can come out up to the Pi 4: from SPI0, from PCM, from PWM."""
MOST_BUTTONS = 4
DMA_OF_SD_CARD = 5


class PinError(BoardError):
    """A choice of pins that cannot work; `reason` is a slug."""

    def __init__(self, reason: str, **params: object) -> None:
        super().__init__(said(f"gpio.pin.{reason}", **params))
        self.reason = reason


@dataclass(frozen=True, slots=True)
class Pins:
    """What is wired where; −1 for what is not. `spi` is the bus of the two ADCs, 0 or 1.

    >>> parse("pwm led=12").led, Pins().columns
    (12, (5, 6, 13, 26))
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

    def roles(self) -> Iterator[tuple[str, int]]:
        """What each wired pin is for, in words, the bus of the ADCs included."""
        for name, pin in SPI[self.spi].items():
            yield said(f"gpio.role.{name}", spi=self.spi), pin
        yield said("gpio.role.led"), self.led
        for number, pin in enumerate(self.columns):
            yield said("gpio.role.column", number=number), pin
        for number, pin in enumerate(self.buttons):
            yield said("gpio.role.button", number=number + 1), pin
        for name, pin in (("power", self.power), ("good", self.good), ("dark", self.dark)):
            if pin != NONE:
                yield said(f"gpio.role.{name}"), pin


WIRINGS = {
    "rootless": Pins(),
    "pwm": Pins(spi=0, led=18, columns=(5, 6, 13, 19), buttons=(17, 27, 4, 16)),
}
"""By name: lights from SPI0 and ADCs on SPI1, which needs no root; lights from PWM and ADCs on
SPI0, which does."""


def parse(wish: str) -> Pins:
    """Pins by the name of a wiring and key=value, parted by spaces; UsageError.

    >>> parse("rootless buttons=27,4 power=-1").buttons
    (27, 4)
    """
    pins = WIRINGS["rootless"]
    keys = [field.name for field in fields(Pins)]
    for number, word in enumerate(wish.split()):
        key, equals, value = word.partition("=")
        if not equals and number == 0 and word in WIRINGS:
            pins = WIRINGS[word]
            continue
        try:
            told = tuple(int(part) for part in value.split(",") if part)
        except ValueError:
            key, told = "", ()
        many = key in ("columns", "buttons")
        if key not in keys or not (told or (many and equals)) or (len(told) != 1 and not many):
            wirings, known = ", ".join(WIRINGS), ", ".join(keys)
            raise UsageError(said("gpio.pins.word", word=word, wirings=wirings, keys=known))
        change: dict[str, Any] = {key: told if many else told[0]}
        pins = replace(pins, **change)
    return pins


def check(pins: Pins, on: Machine) -> None:
    """PinError when these pins cannot work on this Pi: says which, why and what to do."""
    if pins.spi not in SPI:
        raise PinError("bus", spi=pins.spi)
    if len(pins.columns) != 4:
        raise PinError("columns", count=len(pins.columns))
    if len(pins.buttons) > MOST_BUTTONS:
        raise PinError("buttons", count=len(pins.buttons), most=MOST_BUTTONS)
    if pins.spi == 0 and pins.led == LED_SPI:
        raise PinError("led-on-adc", pin=pins.led)
    users: dict[int, str] = {}
    for role, pin in pins.roles():
        if pin not in PLACE:
            raise PinError("none", pin=pin, role=role)
        if pin in KEPT:
            raise PinError(KEPT[pin], pin=pin, role=role)
        if pin in users:
            raise PinError("twice", pin=pin, one=users[pin], other=role)
        users[pin] = role
    if pins.led == LED_SPI and not on.has_pio:
        for name, pin in SPI[0].items():
            if pin in users and name != "out":
                raise PinError("led-bus", pin=pin, role=users[pin])
    _check_led(pins.led, on)


def _check_led(led: int, on: Machine) -> None:
    if on.has_pio:
        return  # a Pi 5 makes the signal in its I/O chip, on any pin
    if led == LED_SPI:
        return
    if led in LED_PWM:
        if on.audio:
            raise PinError("audio", pin=led)
        if not on.root:
            raise PinError("root-pwm", pin=led)
    elif led == LED_PCM:
        if not on.root:
            raise PinError("root-pcm", pin=led)
    else:
        raise PinError("no-signal", pin=led)


def check_dma(channel: int) -> None:
    """PinError for the DMA channel that writes to the SD card."""
    if channel == DMA_OF_SD_CARD:
        raise PinError("dma", channel=channel)

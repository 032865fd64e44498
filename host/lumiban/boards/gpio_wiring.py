"""The wiring of a board on the Pi's header as tables, made from its profile and its pins."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from lumiban.boards.gpio_pins import NONE, PLACE, SPI, Pins
from lumiban.boards.gpio_scan import INPUTS
from lumiban.boards.profile import Profile
from lumiban.catalogue import text


def header_table(pins: Pins, profile: Profile, language: str = "en") -> str:
    """Which pin of the header goes where, in Markdown; without the second ADC where none is needed.

    >>> from lumiban.boards.profile import load
    >>> header_table(Pins(), load("hex3")).splitlines()[2]
    '| 21 | 40 | ADC 1: CLK |'
    """
    bus = SPI[pins.spi]
    second = profile.rows > INPUTS
    adcs = text("gpio.wire.adcs" if second else "gpio.wire.adc", language, number=1)
    other = text("gpio.wire.adc", language, number=2)
    rows = [
        (bus["clock"], f"{adcs}: CLK"),
        (bus["in"], f"{adcs}: DOUT"),
        (bus["out"], f"{adcs}: DIN"),
        (bus["first"], f"{text('gpio.wire.adc', language, number=1)}: CS"),
        *([(bus["second"], f"{other}: CS")] if second else []),
        *[
            (pin, text("gpio.wire.column", language, number=n))
            for n, pin in enumerate(pins.columns)
        ],
        (pins.led, text("gpio.wire.led", language)),
        (pins.dark, text("gpio.wire.dark", language)),
        (pins.power, text("gpio.wire.power", language)),
        (pins.good, text("gpio.wire.good", language)),
        *[
            (pin, text("gpio.wire.button", language, number=n + 1))
            for n, pin in enumerate(pins.buttons)
        ],
    ]
    wired = [(f"{pin}", f"{PLACE[pin]}", what) for pin, what in rows if pin != NONE]
    return _table(_head("gpio.wire.head", language), wired)


def strips_table(profile: Profile, language: str = "en") -> str:
    """Which strip is which input of which ADC, and what is on its mux and its chain of lights."""
    rows = []
    for row in range(profile.rows):
        cells = sorted(
            (cell.channel, number, cell.light)
            for number, cell in enumerate(profile.cells)
            if cell.row == row
        )
        names = [profile.grid.name(number) for _, number, _ in cells]
        lights = sorted(light for _, _, light in cells)
        adc, at = divmod(row, INPUTS)
        told = _range(names, language), _range(lights, language)
        rows.append((f"{row}", f"{adc + 1}", f"CH{at}", *told))
    return _table(_head("gpio.wire.strips", language), rows)


def _range(among: Sequence[object], language: str) -> str:
    if not among:
        return ""
    return text("gpio.wire.range", language, first=among[0], last=among[-1])


def _head(id: str, language: str) -> tuple[str, ...]:
    return tuple(text(id, language).split(" | "))


def _table(head: tuple[str, ...], rows: Iterable[tuple[str, ...]]) -> str:
    lines = [head, ("---",) * len(head), *rows]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)

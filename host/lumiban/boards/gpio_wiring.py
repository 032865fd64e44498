"""The wiring of a board on the Pi's header as tables, made from its profile and its pins."""

from __future__ import annotations

from collections.abc import Iterable

from lumiban.boards.gpio_pins import NONE, PLACE, SPI, Pins
from lumiban.boards.gpio_scan import INPUTS
from lumiban.boards.profile import Profile


def header_table(pins: Pins, profile: Profile) -> str:
    """Which pin of the header goes where, in Markdown; without the second ADC where none is needed.

    >>> from lumiban.boards.profile import load
    >>> header_table(Pins(), load("hex3")).splitlines()[2]
    '| 21 | 40 | ADC 1: CLK |'
    """
    bus = SPI[pins.spi]
    second = profile.rows > INPUTS
    rows = [
        (bus["clock"], f"{'both ADCs' if second else 'ADC 1'}: CLK"),
        (bus["in"], f"{'both ADCs' if second else 'ADC 1'}: DOUT"),
        (bus["out"], f"{'both ADCs' if second else 'ADC 1'}: DIN"),
        (bus["first ADC"], "ADC 1: CS"),
        *([(bus["second ADC"], "ADC 2: CS")] if second else []),
        *[(pin, f"all strips: S{n}") for n, pin in enumerate(pins.columns)],
        (pins.led, "level shifter, then the first strip: LED_DIN"),
        (pins.dark, "level shifter: OE (low: the signal goes out)"),
        (pins.power, "switch of the lights' supply (high: on)"),
        (pins.good, "supervisor of the supply (low: sags)"),
        *[(pin, f"button {n + 1}, to ground") for n, pin in enumerate(pins.buttons)],
    ]
    wired = [(f"{pin}", f"{PLACE[pin]}", what) for pin, what in rows if pin != NONE]
    return _table(("GPIO", "pin", "goes to"), wired)


def strips_table(profile: Profile) -> str:
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
        told = f"{names[0]} to {names[-1]}", f"{lights[0]} to {lights[-1]}"
        rows.append((f"{row}", f"{adc + 1}", f"CH{at}", *told))
    return _table(("strip", "ADC", "AOUT to", "cells, from channel 0", "lights"), rows)


def _table(head: tuple[str, ...], rows: Iterable[tuple[str, ...]]) -> str:
    lines = [head, ("---",) * len(head), *rows]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)

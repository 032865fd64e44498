"""The wiring of a board on the Pi's header, or of switches on a Pico, as tables.

All is made from profile and pins. `header_table` says where each pin goes, `cells_table` where each
cell's sensor is read, both in Markdown; `drawing` draws the same.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from lumiban.boards.gpio.pins import I2C, NONE, PICO_PLACE, PLACE, SPI_REGISTERS, Pins
from lumiban.boards.gpio.switches import EXPANDER_PINS, in_order
from lumiban.boards.profile import PICO_BUS, Profile
from lumiban.i18n import text

REGISTER_PINS = 8
"""Of one 74HC165 or 74HC595."""


def header_table(pins: Pins, profile: Profile, language: str = "en") -> str:
    """Table of the header's pins, in Markdown.

    >>> from lumiban.boards.gpio.pins import of_profile
    >>> from lumiban.boards.profile import load
    >>> board = load("breadboard8")
    >>> header_table(of_profile(board), board).splitlines()[2]
    '| 21 | 40 | row 1 of the switches |'
    """
    rows = [
        *_of_switches(pins, profile, language),
        (pins.led, text("gpio.wire.led", language)),
        (pins.dark, text("gpio.wire.dark", language)),
        (pins.power, text("gpio.wire.power", language)),
        (pins.good, text("gpio.wire.good", language)),
        *[
            (pin, text("gpio.wire.button", language, number=n + 1))
            for n, pin in enumerate(pins.buttons)
        ],
    ]
    place = PICO_PLACE if _is_on_pico(profile) else PLACE
    wired = [(f"{pin}", f"{place[pin]}", what) for pin, what in rows if pin != NONE]
    head = "gpio.wire.head-pico" if _is_on_pico(profile) else "gpio.wire.head"
    return _table(_head(head, language), wired)


def _is_on_pico(profile: Profile) -> bool:
    return profile.switches is not None and profile.switches.on == "pico"


def pin_prefix(profile: Profile) -> str:
    """Letters before the number of a pin."""
    return "GP" if _is_on_pico(profile) else "GPIO"


def _of_switches(pins: Pins, profile: Profile, language: str) -> Iterator[tuple[int, str]]:
    """(pin, where it goes) of the switches."""
    switches = profile.switches
    if switches is None:
        return
    bus = PICO_BUS if _is_on_pico(profile) else SPI_REGISTERS
    if switches.wiring == "74hc165":
        yield bus["clock"], text("gpio.wire.165-clock", language)
        yield bus["in"], text("gpio.wire.165-out", language)
        yield pins.load, text("gpio.wire.165-load", language)
    elif switches.wiring == "74hc595":
        yield bus["clock"], text("gpio.wire.595-clock", language)
        yield bus["out"], text("gpio.wire.595-in", language)
        yield bus["first"], text("gpio.wire.595-latch", language)
    elif switches.wiring == "mcp23017":
        for name, pin in I2C.items():
            at = bus[name] if _is_on_pico(profile) else pin
            yield at, text(f"gpio.wire.{name}", language)
    for number, pin in enumerate(pins.drive):
        yield pin, text("gpio.wire.drive", language, number=number + 1)
    names = profile.grid.names
    for number, pin in enumerate(pins.sense):
        if switches.is_matrix:
            yield pin, text("gpio.wire.sense", language, number=number + 1)
        else:
            yield pin, text("gpio.wire.direct", language, cell=names[number])


def cells_table(profile: Profile, language: str = "en") -> str:
    """Table of the input that reads each cell's switch and of its light, in Markdown: a row of the
    table a row of the board, from the left."""
    inputs = switch_inputs(profile)
    rows = []
    for row in range(profile.rows):
        cells = [n for n, cell in enumerate(profile.cells) if cell.row == row]
        cells.sort(key=lambda n: profile.cells[n].channel)
        lights = [profile.cells[n].light for n in cells]
        names = [profile.grid.name(n) for n in cells]
        ends = (inputs[cells[0]], inputs[cells[-1]]) if profile.has_sensors else ()
        rows.append(
            (f"{row + 1}", _range(names, language), _range(ends, language) or "–",
             _range(lights, language) if profile.has_lights else "–")
        )  # fmt: skip
    return _table(_head("gpio.wire.rows", language), rows)


def switch_inputs(profile: Profile) -> list[str]:
    """Input of each cell's switch, by cell: row and column, or a chip's input.

    >>> from lumiban.boards.profile import load
    >>> switch_inputs(load("breadboard8"))[9], switch_inputs(load("reed-hex3"))[16]
    ('R2 C2', 'U2 A0')
    """
    switches = profile.switches
    if switches is None:
        raise ValueError(f"{profile.name} is no board of switches")
    if switches.is_matrix:
        return [f"R{cell.row + 1} C{cell.channel + 1}" for cell in profile.cells]
    if switches.wiring == "none":
        return ["–"] * len(profile.cells)
    if switches.wiring == "direct":
        return [f"{pin_prefix(profile)}{pin}" for pin in switches.sense]
    inputs = [""] * len(profile.cells)
    for at, cell in enumerate(in_order([(cell.row, cell.channel) for cell in profile.cells])):
        if switches.wiring == "mcp23017":
            chip, pin = divmod(at, EXPANDER_PINS)
            inputs[cell] = f"U{chip + 1} {'AB'[pin // 8]}{pin % 8}"
        else:
            chip, pin = divmod(at, REGISTER_PINS)
            inputs[cell] = f"U{chip + 1} {'ABCDEFGH'[pin]}"
    return inputs


def _range(among: Sequence[object], language: str) -> str:
    if not among:
        return ""
    return text("gpio.wire.range", language, first=among[0], last=among[-1])


def _head(id: str, language: str) -> tuple[str, ...]:
    return tuple(text(id, language).split(" | "))


def _table(head: tuple[str, ...], rows: Iterable[tuple[str, ...]]) -> str:
    lines = [head, ("---",) * len(head), *rows]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)

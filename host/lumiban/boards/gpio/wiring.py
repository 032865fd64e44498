"""The wiring of a board on the Pi's header, or of switches on a Pico: tables and a drawing.

All is made from profile and pins. `header_table` says where each pin goes, `cells_table` where each
cell's sensor is read, both in Markdown; `drawing` is the board from above as SVG, with its switches
and the way of its lights' signal.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from math import sqrt
from xml.sax.saxutils import escape

from lumiban.boards.gpio.pins import I2C, NONE, PICO_PLACE, PLACE, SPI, Pins
from lumiban.boards.gpio.switches import EXPANDER_PINS, in_order
from lumiban.boards.profile import PICO_BUS, Profile
from lumiban.errors import UsageError
from lumiban.i18n import text

INPUTS = 8
"""Of one MCP3208."""
REGISTER_PINS = 8
"""Of one 74HC165 or 74HC595."""


def header_table(pins: Pins, profile: Profile, language: str = "en") -> str:
    """Which pin of the header goes where, in Markdown; without the second ADC where none is needed.

    >>> from lumiban.boards.profile import load
    >>> header_table(Pins(), load("hex3")).splitlines()[2]
    '| 21 | 40 | ADC 1: CLK |'
    """
    sensors = _of_switches if profile.is_of_switches else _of_adcs
    rows = [
        *sensors(pins, profile, language),
        (pins.led, text(f"gpio.wire.{'panel' if profile.is_of_switches else 'led'}", language)),
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


def _gpio(profile: Profile) -> str:
    """What stands before the number of a pin."""
    return "GP" if _is_on_pico(profile) else "GPIO"


def _of_adcs(pins: Pins, profile: Profile, language: str) -> Iterator[tuple[int, str]]:
    """(pin, where it goes) of the sensors that measure."""
    bus = SPI[pins.spi]
    has_second = profile.rows > INPUTS
    first, second = (text("gpio.wire.adc", language, number=number) for number in (1, 2))
    adcs = text("gpio.wire.adcs", language) if has_second else first
    yield bus["clock"], f"{adcs}: CLK"
    yield bus["in"], f"{adcs}: DOUT"
    yield bus["out"], f"{adcs}: DIN"
    yield bus["first"], f"{first}: CS"
    if has_second:
        yield bus["second"], f"{second}: CS"
    for number, pin in enumerate(pins.columns):
        yield pin, text("gpio.wire.column", language, number=number)


def _of_switches(pins: Pins, profile: Profile, language: str) -> Iterator[tuple[int, str]]:
    """(pin, where it goes) of the switches."""
    switches = profile.switches
    if switches is None:
        return
    bus = PICO_BUS if _is_on_pico(profile) else SPI.get(pins.spi, {})
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
    """Where each cell's sensor is read, in Markdown: a row of the table a strip of the board."""
    if profile.switches is None:
        return strips_table(profile, language)
    inputs = switch_inputs(profile)
    rows = []
    for row in range(profile.rows):
        cells = [n for n, cell in enumerate(profile.cells) if cell.row == row]
        cells.sort(key=lambda n: profile.cells[n].channel)
        lights = sorted(profile.cells[n].light for n in cells)
        names = [profile.grid.name(n) for n in cells]
        told = (inputs[cells[0]], inputs[cells[-1]]) if profile.has_sensors else ()
        rows.append(
            (f"{row + 1}", _range(names, language), _range(told, language) or "–",
             _range(lights, language) if profile.has_lights else "–")
        )  # fmt: skip
    return _table(_head("gpio.wire.rows", language), rows)


def switch_inputs(profile: Profile) -> list[str]:
    """Where each cell's switch goes, by cell: row and column, or a chip's input.

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
        return [f"{_gpio(profile)}{pin}" for pin in switches.sense]
    told = [""] * len(profile.cells)
    for at, cell in enumerate(in_order([(cell.row, cell.channel) for cell in profile.cells])):
        if switches.wiring == "mcp23017":
            chip, pin = divmod(at, EXPANDER_PINS)
            told[cell] = f"U{chip + 1} {'AB'[pin // 8]}{pin % 8}"
        else:
            chip, pin = divmod(at, REGISTER_PINS)
            told[cell] = f"U{chip + 1} {'ABCDEFGH'[pin]}"
    return told


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


SCALE = 2.2
"""Pixels a millimetre of the drawing."""
MARGIN = 150
INK, LINE, DRIVE, SENSE, LIGHT = "#222", "#bbb", "#b4520a", "#0a5ab4", "#3a8a3a"


def drawing(pins: Pins, profile: Profile, language: str = "en") -> str:
    """The board from above as SVG: cells with where their switches go, and the lights' chain.

    UsageError for a board whose sensors stand on strips of our own: its kit has drawings.
    """
    if profile.switches is None:
        raise UsageError(text("gpio.wire.no-drawing", language, profile=profile.name))
    xs = [cell.x_mm * SCALE for cell in profile.cells]
    ys = [cell.y_mm * SCALE for cell in profile.cells]
    width, height = max(xs) - min(xs) + 2 * MARGIN, max(ys) - min(ys) + 2 * MARGIN
    places = [(x - min(xs) + MARGIN, y - min(ys) + MARGIN) for x, y in zip(xs, ys, strict=True)]
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:.0f} {height:.0f}" '
        f'font-family="sans-serif" font-size="11" fill="{INK}">',
        f'<rect width="{width:.0f}" height="{height:.0f}" fill="#fff"/>',
        *_cells(profile, places),
        *(_lines(pins, profile, places) if profile.switches.is_matrix else []),
        *(_chain(pins, profile, places, language) if pins.led != NONE else []),
        f'<text x="12" y="22" font-size="15">{escape(profile.name)}</text>',
        f'<text x="12" y="{height - 12:.0f}">{escape(text("gpio.wire.from-above", language))}'
        "</text>",
        "</svg>",
    ]
    return "\n".join(parts) + "\n"


Point = tuple[float, float]


def _cells(profile: Profile, places: Sequence[Point]) -> Iterator[str]:
    """Each cell with its name and where its switch goes."""
    half = profile.pitch_mm * SCALE / 2 - 1
    inputs = switch_inputs(profile)
    for (x, y), name, told in zip(places, profile.grid.names, inputs, strict=True):
        if profile.grid.is_hex:
            far = half * 2 / sqrt(3)
            corners = [(0, -far), (half, -far / 2), (half, far / 2), (0, far), (-half, far / 2),
                       (-half, -far / 2)]  # fmt: skip
            path = " ".join(f"{x + dx:.1f},{y + dy:.1f}" for dx, dy in corners)
            yield f'<polygon points="{path}" fill="none" stroke="{LINE}"/>'
        else:
            yield (
                f'<rect x="{x - half:.1f}" y="{y - half:.1f}" width="{2 * half:.1f}" '
                f'height="{2 * half:.1f}" fill="none" stroke="{LINE}"/>'
            )
        yield _label(x - half * 0.5, y - half * 0.5, name, weight="bold")
        if profile.switches is not None and profile.switches.is_matrix:
            yield from _crossing(x, y, has_diode=profile.switches.diodes)
        else:
            yield _label(x, y + half * 0.75, told, size=9)


ROW_OFF, COLUMN_OFF = 6, 8
"""Of a matrix: its row's line below a cell's middle, its column's beside it."""


def _crossing(x: float, y: float, *, has_diode: bool) -> Iterator[str]:
    """A switch from a column's line, and its diode with the ring towards the row's."""
    column, row = x + COLUMN_OFF, y + ROW_OFF
    low, left = row + 16, column - 22
    yield _wire([(column, low), (column - 6, low)], INK)
    yield _wire([(column - 6, low), (left + 6, low - 5)], INK)
    yield _wire([(left + 6, low), (left, low), (left, row)], INK)
    if has_diode:
        yield (
            f'<path d="M{left - 4:.1f} {row + 11:.1f}h8l-4 -7z" fill="{INK}"/>'
            f'<path d="M{left - 4:.1f} {row + 4:.1f}h8" stroke="{INK}" stroke-width="1.4"/>'
        )


def _lines(pins: Pins, profile: Profile, places: Sequence[Point]) -> Iterator[str]:
    """Rows and columns of a matrix, each with its pin at its end."""
    switches = profile.switches
    if switches is None:
        return
    for row in range(profile.rows):
        on = [places[n] for n, cell in enumerate(profile.cells) if cell.row == row]
        start, y = min(x for x, _ in on) - MARGIN * 0.4, on[0][1] + ROW_OFF
        yield _wire([(start, y), (max(x for x, _ in on), y)], DRIVE)
        source = (
            f"{_gpio(profile)}{pins.drive[row]}" if pins.drive else f"595 Q{'ABCDEFGH'[row % 8]}"
        )
        yield _label(start - 34, y + 4, f"R{row + 1} {source}", colour=DRIVE)
    for column, pin in enumerate(pins.sense):
        on = [places[n] for n, cell in enumerate(profile.cells) if cell.channel == column]
        x, end = on[0][0] + COLUMN_OFF, max(y for _, y in on) + MARGIN * 0.35
        yield _wire([(x, min(y for _, y in on)), (x, end)], SENSE)
        yield _label(x, end + 12, f"C{column + 1}", colour=SENSE)
        yield _label(x, end + 25, f"{_gpio(profile)}{pin}", colour=SENSE)


def _chain(pins: Pins, profile: Profile, places: Sequence[Point], language: str) -> Iterator[str]:
    """The way of the lights' signal from cell to cell."""
    order = sorted(range(len(places)), key=lambda cell: profile.cells[cell].light)
    way = [(places[cell][0] - 9, places[cell][1] - 6) for cell in order]
    start = (way[0][0], way[0][1] - MARGIN * 0.35)
    yield _wire([start, *way], LIGHT, dash="4 3")
    for x, y in way:
        yield f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3" fill="{LIGHT}"/>'
    told = f"{_gpio(profile)}{pins.led} → {text('gpio.wire.chain', language)}"
    yield (
        f'<text x="{start[0] - 6:.1f}" y="{start[1] - 6:.1f}" fill="{LIGHT}">{escape(told)}</text>'
    )


def _wire(points: Sequence[Point], colour: str, *, dash: str = "") -> str:
    way = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
    dashed = f' stroke-dasharray="{dash}"' if dash else ""
    return f'<polyline points="{way}" fill="none" stroke="{colour}" stroke-width="1.4"{dashed}/>'


def _label(
    x: float, y: float, words: str, *, size: int = 11, colour: str = INK, weight: str = "normal"
) -> str:
    return (
        f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="middle" font-size="{size}" '
        f'font-weight="{weight}" fill="{colour}">{escape(words)}</text>'
    )

"""Symbols of a schematic: what stands for each part, and where its pins are.

Lengths are in steps of 1.27 mm, KiCad's usual grid, y down as on the sheet. Passive parts and
transistors have the signs everybody knows; everything else is a box with named pins. A symbol is
drawn in the direction in which it is used (`turned`), so that no sheet turns any.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import Literal

from lumiban_hw.parts import Part, Role
from lumiban_hw.pcb.board_file import num, quoted

STEP_MM = 1.27
Spot = tuple[float, float]
Out = Literal["L", "R", "U", "D"]
"""The side on which a pin leaves its symbol."""
TOWARDS: Mapping[Out, Spot] = {"L": (-1, 0), "R": (1, 0), "U": (0, -1), "D": (0, 1)}
_ANGLE = {"L": 0, "R": 180, "U": 270, "D": 90}
"""KiCad's angle of a pin points from its end into the body."""
_QUARTER: Mapping[Out, Out] = {"U": "L", "L": "D", "D": "R", "R": "U"}
_FLIPPED: Mapping[Out, Out] = {"L": "R", "R": "L", "U": "U", "D": "D"}
SUPPLY_OUT = ("VOUT", "3V3")
"""Outputs that supply others."""


@dataclass(frozen=True, slots=True)
class Pin:
    """A pin's end, to which wires go."""

    number: str
    x: float
    y: float
    out: Out
    name: str = ""
    length: float = 1.0
    hidden: bool = False
    """Lies under another pin of the same name."""


@dataclass(frozen=True, slots=True)
class Stroke:
    """A line through points; `filled` in the background's colour; a circle has one point."""

    points: tuple[Spot, ...]
    radius: float = 0.0
    filled: bool = False


@dataclass(frozen=True, slots=True)
class Symbol:
    """A sign with pins; `ref_at` and `value_at` are where its texts begin or stand."""

    name: str
    pins: tuple[Pin, ...]
    strokes: tuple[Stroke, ...]
    ref_at: Spot
    value_at: Spot
    justify: Literal["left", "centre"] = "left"
    shows_names: bool = False
    shows_numbers: bool = False

    def pin(self, number: str) -> Pin:
        """The pin of this number; KeyError."""
        for pin in self.pins:
            if pin.number == number:
                return pin
        raise KeyError(f"{self.name} has no pin {number}")


def turned(symbol: Symbol, name: str, quarters: int = 0, *, flipped: bool = False) -> Symbol:
    """The same sign turned anticlockwise, then flipped left to right; texts above and below."""
    pins, strokes = list(symbol.pins), list(symbol.strokes)
    for _ in range(quarters):
        pins = [replace(p, x=p.y, y=-p.x, out=_QUARTER[p.out]) for p in pins]
        strokes = [replace(s, points=tuple((y, -x) for x, y in s.points)) for s in strokes]
    if flipped:
        pins = [replace(p, x=-p.x, out=_FLIPPED[p.out]) for p in pins]
        strokes = [replace(s, points=tuple((-x, y) for x, y in s.points)) for s in strokes]
    made = replace(symbol, name=name, pins=tuple(pins), strokes=tuple(strokes))
    if quarters % 2:
        high = max(abs(y) for s in strokes for _, y in s.points)
        made = replace(made, ref_at=(0, -high - 1.2), value_at=(0, high + 1.2), justify="centre")
    return made


def path(*points: Spot) -> Stroke:
    """An open or closed line."""
    return Stroke(points)


def rectangle(x0: float, y0: float, x1: float, y1: float) -> Stroke:
    """A body."""
    return Stroke(((x0, y0), (x1, y0), (x1, y1), (x0, y1), (x0, y0)), filled=True)


_ENDS = (Pin("1", 0, -3, "U", "", 1), Pin("2", 0, 3, "D", "", 1))
_BESIDE: tuple[Spot, Spot] = ((1.4, -0.9), (1.4, 0.9))
_FET_STROKES = (
    path((-1.2, -1.5), (-1.2, 1.5)), path((-3, 0), (-1.2, 0)),
    path((-0.6, -1.8), (-0.6, -0.8)), path((-0.6, -0.5), (-0.6, 0.5)),
    path((-0.6, 0.8), (-0.6, 1.8)),
    path((-0.6, -1.3), (1, -1.3), (1, -2)), path((-0.6, 1.3), (1, 1.3), (1, 2)),
    path((-0.6, 0), (1, 0)),
)  # fmt: skip
_P_ARROW = (path((1, 0), (1, -1.3)), path((0.6, -0.4), (1, 0), (0.6, 0.4), (0.6, -0.4)))
_N_ARROW = (
    path((1, 0), (1, 1.3)),
    path((-0.1, -0.4), (-0.5, 0), (-0.1, 0.4), (-0.1, -0.4)),
)


def _diode(name: str, *more: Stroke) -> Symbol:
    """Anode, pad 2, below; cathode, pad 1, above."""
    bar = path((-1, -0.8), (1, -0.8))
    arrow = path((-1, 0.9), (1, 0.9), (0, -0.8), (-1, 0.9))
    return Symbol(name, _ENDS, (bar, arrow, *_STRAIGHT, *more), *_BESIDE)


def _ray(x: float) -> Stroke:
    """An arrow away from a diode that shines."""
    return path((x, 0.4), (x + 0.9, -0.5), (x + 0.5, -0.4), (x + 0.8, -0.1), (x + 0.9, -0.5))


_STRAIGHT = (path((0, -2), (0, -0.8)), path((0, 2), (0, 0.9)))
_BOTH_WAYS = (
    path((-1.2, 0), (1.2, 0)),
    path((-0.9, 1.4), (0.9, 1.4), (0, 0), (-0.9, 1.4)),
    path((-0.9, -1.4), (0.9, -1.4), (0, 0), (-0.9, -1.4)),
)


SIGNS = {
    one.name: one
    for one in (
        Symbol("R", _ENDS, (rectangle(-0.8, -2, 0.8, 2),), *_BESIDE),
        Symbol(
            "C", _ENDS,
            (path((-1.4, -0.5), (1.4, -0.5)), path((-1.4, 0.5), (1.4, 0.5)),
             path((0, -2), (0, -0.5)), path((0, 2), (0, 0.5))),
            (1.8, -0.9), (1.8, 0.9),
        ),
        Symbol(
            "C_can", _ENDS,
            (rectangle(-1.4, -0.9, 1.4, -0.4),
             path((-1.4, 0.4), (1.4, 0.4), (1.4, 0.9), (-1.4, 0.9), (-1.4, 0.4)),
             path((0, -2), (0, -0.9)), path((0, 2), (0, 0.4)),
             path((-1.8, -1.5), (-1.0, -1.5)), path((-1.4, -1.9), (-1.4, -1.1))),
            (1.8, -0.9), (1.8, 0.9),
        ),
        Symbol("Fuse", _ENDS, (rectangle(-0.7, -1.8, 0.7, 1.8), path((0, -2), (0, 2))), *_BESIDE),
        Symbol(
            "Fuse_resettable", _ENDS,
            (rectangle(-0.7, -1.8, 0.7, 1.8), path((-1.4, 2), (-1.4, 1.4), (1.2, -1.4))), *_BESIDE,
        ),
        _diode("D"),
        _diode("D_zener", path((-1, -0.8), (-1, -0.3)), path((1, -0.8), (1, -1.3))),
        _diode("D_light", *(_ray(x) for x in (1.4, 2.2))),
        Symbol("D_surge", _ENDS, (*_BOTH_WAYS, *_STRAIGHT), *_BESIDE),
        Symbol(
            "PFET",
            (Pin("4", -4, 0, "L", "G"), Pin("1", 1, -3, "U", "S"),
             *(Pin(n, 1, -3, "U", "S", hidden=True) for n in "23"), Pin("5", 1, 3, "D", "D"),
             *(Pin(n, 1, 3, "D", "D", hidden=True) for n in "678")),
            (*_FET_STROKES, *_P_ARROW), (2, -0.9), (2, 0.9),
        ),
        Symbol(
            "NFET",
            (Pin("1", -4, 0, "L", "G"), Pin("2", 1, 3, "D", "S"), Pin("3", 1, -3, "U", "D")),
            (*_FET_STROKES, *_N_ARROW), (2, -0.9), (2, 0.9),
        ),
        Symbol(
            "PNP", (Pin("1", -4, 0, "L", "B"), Pin("2", 1, -3, "U", "E"), Pin("3", 1, 3, "D", "C")),
            (path((-3, 0), (-1, 0)), path((-1, -1.5), (-1, 1.5)),
             path((-1, -0.6), (1, -1.8), (1, -2)),
             path((-1, 0.6), (1, 1.8), (1, 2)), path((-0.5, -1.4), (-0.7, -0.8), (-0.1, -0.7))),
            (2, -0.9), (2, 0.9),
        ),
        Symbol(
            "Shunt",
            (Pin("1", 0, -3, "U", "K"), Pin("3", 0, 3, "D", "A"), Pin("2", -3, 0, "L", "REF")),
            (path((-1, 0.9), (1, 0.9), (0, -0.8), (-1, 0.9)),
             path((-1.3, -0.4), (-1, -0.8), (1, -0.8), (1.3, -1.2)), path((-2, 0), (-0.5, 0)),
             path((0, -2), (0, -0.8)), path((0, 2), (0, 0.9))),
            *_BESIDE,
        ),
    )
}  # fmt: skip
"""Two-pin parts stand upright, pad 1 above; transistors have their source or emitter above."""


def box(
    name: str,
    names: Mapping[str, str],
    *,
    left: Sequence[str] = (),
    right: Sequence[str] = (),
    top: Sequence[str] = (),
    bottom: Sequence[str] = (),
    wide: float = 8,
) -> Symbol:
    """A body with pins by their numbers; "" is a gap."""
    rows = max(len(left), len(right), 1)
    high = rows + 1 if rows > 1 else 3  # half of the height: pins lie two steps apart
    if top and bottom:
        high = max(high, 5)  # for the names of both
    half = wide / 2
    pins: list[Pin] = []
    for numbers, x, out in ((left, -half - 2, "L"), (right, half + 2, "R")):
        for k, number in enumerate(numbers):
            if number:
                y = 2 * k - (rows - 1)
                pins.append(Pin(number, x, y, out, names.get(number, number), 2))  # type: ignore[arg-type]
    for numbers, y, out in ((top, -high - 2, "U"), (bottom, high + 2, "D")):
        for k, number in enumerate(numbers):
            if number:
                x = 2 * k - (len(numbers) - 1)
                pins.append(Pin(number, x, y, out, names.get(number, number), 2))  # type: ignore[arg-type]
    above = -high - 1.0
    value_at = (1.0 if bottom else -half, high + 1.2)  # beside a pin that leaves below
    return Symbol(
        name, tuple(pins), (rectangle(-half, -high, half, high),), (-half, above), value_at,
        shows_names=True, shows_numbers=True,
    )  # fmt: skip


def names_of(part: Part) -> dict[str, str]:
    """The names of a part's pins by number."""
    return {number: name for number, (name, _) in part.pins.items()}


def kind(part: Part, number: str, name: str) -> str:
    """KiCad's name for a pin of this role."""
    role: Role = part.role(number)
    if role == "out" and name in SUPPLY_OUT:
        return "power_out"
    return {
        "supply": "power_in", "ground": "power_in", "in": "input", "out": "output",
        "passive": "passive", "open": "no_connect",
    }[role]  # fmt: skip


def mm(value: float) -> str:
    """Steps as KiCad's millimetres."""
    return num(value * STEP_MM)


def symbol_text(symbol: Symbol, part: Part, prefix: str) -> str:
    """A symbol as `lib_symbols` holds it, with the pins' kinds of one part; y is up there."""
    fields = (
        ("Reference", prefix, symbol.ref_at), ("Value", part.value, symbol.value_at),
        ("Footprint", f"lumiban:{part.land}", (0, 0)), ("Datasheet", "", (0, 0)),
        ("Description", "", (0, 0)), ("MPN", part.number, (0, 0)),
    )  # fmt: skip
    shown = ("Reference", "Value")
    lines = [f"(symbol {quoted('lumiban:' + symbol.name)}"]
    if not symbol.shows_numbers:
        lines.append("(pin_numbers (hide yes))")
    hide = "" if symbol.shows_names else " (hide yes)"
    lines.append(f"(pin_names (offset 0.5){hide})")
    lines.append("(exclude_from_sim no) (in_bom yes) (on_board yes)")
    for name, words, (x, y) in fields:
        hidden = "" if name in shown else " (hide yes)"
        lines.append(
            f'(property "{name}" {quoted(words)} (at {mm(x)} {mm(-y)} 0)'
            f" (effects (font (size 1.27 1.27)){_justified(symbol)}{hidden}))"
        )
    inner = symbol.name
    lines.append(f"(symbol {quoted(inner + '_0_1')}")
    lines += [_stroke(stroke) for stroke in symbol.strokes]
    lines.append(f") (symbol {quoted(inner + '_1_1')}")
    for pin in symbol.pins:
        name = pin.name or "~"
        hidden = " (hide yes)" if pin.hidden else ""
        lines.append(
            f"(pin {kind(part, pin.number, pin.name)} line (at {mm(pin.x)} {mm(-pin.y)}"
            f" {_ANGLE[pin.out]}) (length {mm(pin.length)}){hidden}"
            f" (name {quoted(name)} (effects (font (size 1 1))))"
            f" (number {quoted(pin.number)} (effects (font (size 0.9 0.9)))))"
        )
    lines.append(") (embedded_fonts no))")
    return "\n".join(lines)


def _justified(symbol: Symbol) -> str:
    return " (justify left)" if symbol.justify == "left" else ""


def _stroke(stroke: Stroke) -> str:
    fill = "background" if stroke.filled else "none"
    points = " ".join(f"(xy {mm(x)} {mm(-y)})" for x, y in stroke.points)
    return f"(polyline (pts {points}) (stroke (width 0.2) (type default)) (fill (type {fill})))"


GROUND, SUPPLY, FLAG = "GND", "5V", "PWR_FLAG"


@cache
def power_text(net: str) -> str:
    """The symbol of a supply's or ground's net, or the flag that says that a net is supplied."""
    flag = net == FLAG
    strokes: Iterable[Stroke]
    if net == GROUND:
        strokes = (path((0, 0), (0, 1)), path((-1, 1), (1, 1), (0, 2), (-1, 1)))
        place = (0.0, 2.8)
    elif flag:
        strokes = (path((0, 0), (0, -1), (-0.8, -1.5), (0, -2), (0.8, -1.5), (0, -1)),)
        place = (0.0, -2.8)
    else:
        strokes = (path((0, 0), (0, -1.4)), path((-0.6, -0.8), (0, -1.6), (0.6, -0.8)))
        place = (0.0, -2.4)
    kind = "power_out" if flag else "power_in"
    towards = _ANGLE["U" if net == GROUND else "D"]
    x, y = place
    shapes = "\n".join(_stroke(stroke) for stroke in strokes)
    return (
        f"(symbol {quoted('lumiban:power_' + net)} (power) (pin_numbers (hide yes))"
        " (pin_names (offset 0) (hide yes)) (exclude_from_sim no) (in_bom no) (on_board yes)\n"
        f'(property "Reference" "#PWR" (at 0 0 0) (effects (font (size 1 1)) (hide yes)))'
        f'(property "Value" {quoted(net)} (at {mm(x)} {mm(-y)} 0) (effects (font (size 1 1))))'
        '(property "Footprint" "" (at 0 0 0) (effects (font (size 1 1)) (hide yes)))'
        '(property "Datasheet" "" (at 0 0 0) (effects (font (size 1 1)) (hide yes)))'
        '(property "Description" "" (at 0 0 0) (effects (font (size 1 1)) (hide yes)))\n'
        f"(symbol {quoted(f'power_{net}_0_1')}\n{shapes})\n(symbol {quoted(f'power_{net}_1_1')}\n"
        f"(pin {kind} line (at 0 0 {towards}) (length 0)"
        f" (name {quoted(net)} (effects (font (size 1 1))))"
        ' (number "1" (effects (font (size 1 1)))))) (embedded_fonts no))'
    )

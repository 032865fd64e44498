"""SVG written by hand: charts over axes, stacked bars, and a canvas for drawings.

Equal data make equal bytes, on every machine.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from html import escape

COLOURS = ("#b5532f", "#2f62b5", "#3b7d46", "#7a4fa3", "#b08a1e", "#4a4a4a")
WIDE, HIGH = 640, 400
LEFT, RIGHT, TOP, BOTTOM = 62, 16, 54, 52
LEGEND_LINE_PX = 19
"""From one line of a legend to the next."""
STYLE = (
    "text{font:13px sans-serif;fill:#222}.t{font-weight:bold;font-size:15px}"
    ".m{text-anchor:middle}.e{text-anchor:end}.g{stroke:#ddd}.a{stroke:#444;fill:none}"
    ".l{fill:none;stroke-width:2}.b{fill-opacity:.13}"
)

Point = tuple[float, float]


ACROSS = 2
"""Names that a legend below a diagram has side by side."""


@dataclass(frozen=True)
class Chart:
    """Lines over an x and a y axis; `log` for a y axis by powers of ten."""

    title: str
    x: str
    y: str
    lines: Mapping[str, Sequence[Point]]
    levels: Mapping[str, float] = field(default_factory=dict)
    """Named heights, drawn across."""
    walls: Mapping[str, float] = field(default_factory=dict)
    """Named places on the x axis, drawn upright."""
    log: bool = False
    low: float | None = None
    """Beginning of the y axis, unless at the least value."""
    left: bool = False
    """Names of lines stand at the left instead of the right."""
    below: bool = False
    """… or below the diagram, where nobody knows where curves will run."""

    def svg(self) -> str:
        """The picture."""
        points = [point for line in self.lines.values() for point in line]
        x0, x1 = min(p[0] for p in points), max(p[0] for p in points)
        heights = [p[1] for p in points] + list(self.levels.values())
        low = min(heights) if self.low is None else self.low
        marks = powers(low, max(heights)) if self.log else ticks(low, max(heights))
        y0, y1 = marks[0], marks[-1]

        def at(point: Point) -> Point:
            part = (
                math.log(max(point[1], y0) / y0) / math.log(y1 / y0)
                if self.log
                else (max(point[1], y0) - y0) / (y1 - y0)
            )
            across = (WIDE - LEFT - RIGHT) * (point[0] - x0) / (x1 - x0)
            return LEFT + across, HIGH - BOTTOM - (HIGH - TOP - BOTTOM) * part

        out = []
        for mark in marks:
            y = at((x0, mark))[1]
            out.append(f'<path class="g" d="M{LEFT} {y:.1f}H{WIDE - RIGHT}"/>')
            out.append(_text(LEFT - 8, y + 4, f"{mark:g}", "e"))
        for mark in ticks(x0, x1):
            if x0 <= mark <= x1:
                x = at((mark, y0))[0]
                out.append(f'<path class="g" d="M{x:.1f} {TOP}V{HIGH - BOTTOM}"/>')
                out.append(_text(x, HIGH - BOTTOM + 18, f"{mark:g}", "m"))
        above = -99.0
        for name, height in sorted(self.levels.items(), key=lambda one: -one[1]):
            y = at((x0, height))[1]
            out.append(
                f'<path stroke="#444" stroke-dasharray="5 4" d="M{LEFT} {y:.1f}H{WIDE - RIGHT}"/>'
            )
            out.append(
                _text(WIDE - RIGHT - 4, y - 5 if y - above > LEGEND_LINE_PX else y + 15, name, "e")
            )
            above = y
        for n, (name, place) in enumerate(self.walls.items()):
            x = at((place, y0))[0]
            out.append(
                f'<path stroke="#444" stroke-dasharray="5 4" d="M{x:.1f} {TOP}V{HIGH - BOTTOM}"/>'
            )
            y, before = TOP + 14 + LEGEND_LINE_PX * (n % 3), x > WIDE - 300
            out.append(_text(x - 4 if before else x + 4, y, name, "e" if before else ""))
        for colour, line in zip(COLOURS * 3, self.lines.values(), strict=False):
            drawn = [p for p in line if p[1] >= y0]
            way = "L".join("{:.1f} {:.1f}".format(*at(p)) for p in drawn)
            out.append(f'<path class="l" stroke="{colour}" d="M{way}"/>')
        out += self._names()
        out.append(f'<path class="a" d="M{LEFT} {TOP}V{HIGH - BOTTOM}H{WIDE - RIGHT}"/>')
        out.append(_text((LEFT + WIDE - RIGHT) / 2, HIGH - 12, self.x, "m"))
        out.append(_text(LEFT - 50, TOP - 8, self.y, ""))
        rows = -(-len(self.lines) // ACROSS) if self.below else 0
        return _framed(self.title, out, HIGH + LEGEND_LINE_PX * rows + 10 * self.below)

    def _names(self) -> list[str]:
        """The legend."""
        if not self.below:
            return _legend(self.lines, LEFT + 24 if self.left else WIDE - 200)
        out = []
        step = (WIDE - LEFT) / ACROSS
        for n, (name, colour) in enumerate(zip(self.lines, COLOURS * 3, strict=False)):
            x, y = LEFT + n % ACROSS * step, HIGH + 10 + LEGEND_LINE_PX * (n // ACROSS)
            out.append(f'<path class="l" stroke="{colour}" d="M{x:.0f} {y - 4}h22"/>')
            out.append(_text(x + 28, y, name, ""))
        return out


@dataclass(frozen=True)
class Bars:
    """Bars that lie, each stacked of the same parts; `levels` are drawn from top to bottom."""

    title: str
    x: str
    bars: Mapping[str, Mapping[str, float]]
    levels: Mapping[str, float] = field(default_factory=dict)

    def svg(self) -> str:
        """The picture."""
        sums = [sum(parts.values()) for parts in self.bars.values()]
        marks = ticks(0, max([*sums, *self.levels.values()]) * 1.02)
        left, row = 96, 40
        names = list(next(iter(self.bars.values())))
        top = TOP + LEGEND_LINE_PX * (1 + len(self.levels)) + 8
        end = top + row * len(self.bars)

        def at(value: float) -> float:
            return left + (WIDE - left - 40) * value / marks[-1]

        out = []
        for mark in marks:
            out.append(f'<path class="g" d="M{at(mark):.1f} {top}V{end}"/>')
            out.append(_text(at(mark), end + 18, f"{mark:g}", "m"))
        for n, (name, parts) in enumerate(self.bars.items()):
            y, sofar = top + n * row + 6, 0.0
            out.append(_text(left - 8, y + 18, name, "e"))
            for colour, value in zip(COLOURS * 2, parts.values(), strict=False):
                x0, x1 = at(sofar), at(sofar + value)
                out.append(
                    f'<rect x="{x0:.1f}" y="{y}" width="{x1 - x0:.1f}" height="{row - 12}"'
                    f' fill="{colour}"/>'
                )
                sofar += value
            label = f"{sofar:.2g}" if sofar < 10 else f"{sofar:.1f}"
            inside = at(sofar) > WIDE - 90
            out.append(
                _text(at(sofar) + (-6 if inside else 6), y + 18, label, "e" if inside else "",
                      "fill:#fff" if inside else "")
            )  # fmt: skip
        for n, (name, value) in enumerate(sorted(self.levels.items(), key=lambda one: -one[1])):
            y, x = TOP + LEGEND_LINE_PX * (n + 1), at(value)
            out.append(
                f'<path stroke="#222" stroke-dasharray="5 4" d="M{x:.1f} {y - 11:.1f}V{end}"/>'
            )
            beyond = n == 0 and x < WIDE - 160
            out.append(_text(x + 4 if beyond else x - 4, y, name, "" if beyond else "e"))
        step = (WIDE - left) / len(names)
        for n, (name, colour) in enumerate(zip(names, COLOURS * 2, strict=False)):
            x = left + n * step
            out.append(f'<rect x="{x:.0f}" y="{end + 56}" width="12" height="12" fill="{colour}"/>')
            out.append(_text(x + 17, end + 67, name, ""))
        out.append(_text((left + WIDE - 40) / 2, end + 38, self.x, "m"))
        return _framed(self.title, out, end + 82)


def _legend(names: Mapping[str, object], x: float) -> list[str]:
    out = []
    for n, (name, colour) in enumerate(zip(names, COLOURS * 3, strict=False)):
        y = TOP + 14 + LEGEND_LINE_PX * n
        out.append(f'<path class="l" stroke="{colour}" d="M{x} {y - 4}h22"/>')
        out.append(_text(x + 28, y, name, ""))
    return out


def _text(x: float, y: float, words: str, kind: str, style: str = "") -> str:
    kind = f' class="{kind}"' if kind else ""
    style = f' style="{style}"' if style else ""
    return f'<text{kind}{style} x="{x:.1f}" y="{y:.1f}">{escape(words)}</text>'


def _framed(title: str, out: Sequence[str], high: float) -> str:
    head = (
        f'<svg xmlns="http://www.w3.org/2000/svg" role="img" viewBox="0 0 {WIDE} {high:g}"'
        f' width="{WIDE}"><title>{escape(title)}</title><style>{STYLE}</style>'
        f'<rect width="{WIDE}" height="{high:g}" fill="#fff"/>'
    )
    return "\n".join([head, _text(14, 24, title, "t"), *out, "</svg>\n"])


def ticks(low: float, high: float) -> list[float]:
    """Round numbers from at or below `low` to at or above `high`, five to ten of them.

    >>> ticks(0, 47)
    [0.0, 10.0, 20.0, 30.0, 40.0, 50.0]
    """
    step = 10.0 ** math.floor(math.log10((high - low) / 4))
    step *= next(f for f in (1, 2, 2.5, 5, 10) if (high - low) / (f * step) <= 8)
    first, last = math.floor(low / step + 1e-9), math.ceil(high / step - 1e-9)
    return [round(n * step, 9) for n in range(first, last + 1)]


def powers(low: float, high: float) -> list[float]:
    """1, 2 and 5 times powers of ten that enclose both.

    >>> powers(0.7, 40)
    [0.5, 1.0, 2.0, 5.0, 10.0, 20.0, 50.0]
    """
    steps = [f * 10.0**p for p in range(-6, 7) for f in (1, 2, 5)]
    first = max(n for n, step in enumerate(steps) if step <= low * (1 + 1e-9))
    last = min(n for n, step in enumerate(steps) if step >= high * (1 - 1e-9))
    return [float(f"{step:g}") for step in steps[first : last + 1]]


# A small canvas for the guide's pictures: shapes and words as SVG, alike on every machine.

INK, FAINT, PAPER, BOARD = "#22262a", "#9aa0a6", "#fbfaf7", "#e8efe2"
STEPS = ("#b5532f", "#c48a1a", "#3f7d4e", "#2f62b5", "#7a4fa3")
"""The colours of steps, in their order; each picture also numbers what it colours."""


class Canvas:
    """A picture of this size in pixels, drawn from its back to its front."""

    def __init__(self, title: str, width: float, height: float) -> None:
        self._lines = [
            f'<svg xmlns="http://www.w3.org/2000/svg" role="img" width="{width:g}" '
            f'height="{height:g}" viewBox="0 0 {width:g} {height:g}" '
            'font-family="sans-serif">',
            f"<title>{escape(title)}</title>",
            f'<rect width="{width:g}" height="{height:g}" fill="{PAPER}"/>',
        ]

    def text(
        self,
        at: Point,
        words: str,
        size: float = 13,
        *,
        anchor: str = "start",
        colour: str = INK,
        bold: bool = False,
    ) -> None:
        """Words, their middle at the height of `at`; `anchor` is start, middle or end."""
        heavy = ' font-weight="bold"' if bold else ""
        side = "" if anchor == "start" else f' text-anchor="{anchor}"'
        self._lines.append(
            f'<text x="{_n(at[0])}" y="{_n(at[1] + 0.36 * size)}" font-size="{_n(size)}"{side} '
            f'fill="{colour}"{heavy}>{escape(words)}</text>'
        )

    def polyline(
        self, points: Sequence[Point], colour: str = INK, width: float = 1.5, *, dash: str = ""
    ) -> None:
        """A line along these points."""
        way = "L".join(f"{_n(x)} {_n(y)}" for x, y in points)
        broken = f' stroke-dasharray="{dash}"' if dash else ""
        self._lines.append(
            f'<path d="M{way}" fill="none" stroke="{colour}" stroke-width="{_n(width)}" '
            f'stroke-linejoin="round" stroke-linecap="round"{broken}/>'
        )

    def area(self, points: Sequence[Point], fill: str, edge: str = "none") -> None:
        """A filled shape."""
        way = "L".join(f"{_n(x)} {_n(y)}" for x, y in points)
        self._lines.append(f'<path d="M{way}z" fill="{fill}" stroke="{edge}"/>')

    def box(
        self,
        a: Point,
        b: Point,
        fill: str = "none",
        edge: str = INK,
        *,
        width: float = 1.0,
        round_: float = 0,
        dash: str = "",
    ) -> None:
        """A rectangle between two corners, in any order."""
        (x0, x1), (y0, y1) = sorted((a[0], b[0])), sorted((a[1], b[1]))
        more = f' rx="{_n(round_)}"' if round_ else ""
        more += f' stroke-dasharray="{dash}"' if dash else ""
        self._lines.append(
            f'<rect x="{_n(x0)}" y="{_n(y0)}" width="{_n(x1 - x0)}" height="{_n(y1 - y0)}" '
            f'fill="{fill}" stroke="{edge}" stroke-width="{_n(width)}"{more}/>'
        )

    def dot(self, at: Point, radius: float, fill: str, edge: str = "none") -> None:
        """A disc."""
        self._lines.append(
            f'<circle cx="{_n(at[0])}" cy="{_n(at[1])}" r="{_n(radius)}" fill="{fill}" '
            f'stroke="{edge}"/>'
        )

    def badge(self, at: Point, word: str, fill: str = INK) -> None:
        """A number or letter in a disc."""
        self.dot(at, 9, fill, PAPER)
        self.text(at, word, 12, anchor="middle", colour=PAPER, bold=True)

    def arrow(self, a: Point, b: Point, colour: str = INK, width: float = 1.5) -> None:
        """A line with a head at its end."""
        length = ((b[0] - a[0]) ** 2 + (b[1] - a[1]) ** 2) ** 0.5
        ux, uy = (b[0] - a[0]) / length, (b[1] - a[1]) / length
        foot = (b[0] - 8 * ux, b[1] - 8 * uy)
        self.polyline([a, foot], colour, width)
        wings = [(foot[0] - 4 * uy, foot[1] + 4 * ux), (foot[0] + 4 * uy, foot[1] - 4 * ux)]
        self.area([b, *wings], colour)

    def svg(self) -> str:
        """The picture."""
        return "\n".join([*self._lines, "</svg>\n"])


def _n(value: float) -> str:
    return f"{round(value, 1):g}"

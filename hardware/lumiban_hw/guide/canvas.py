"""A small canvas for the guide's pictures: shapes and words as SVG, alike on every machine."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

Point = tuple[float, float]

INK, FAINT, PAPER, BOARD = "#22262a", "#9aa0a6", "#fbfaf7", "#e8efe2"
STEPS = ("#b5532f", "#c48a1a", "#3f7d4e", "#2f62b5", "#7a4fa3")
"""The colours of steps, in their order; each picture also numbers what it colours."""


class Canvas:
    """A picture of so many pixels, drawn from its back to its front."""

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

"""A board from shop parts as its builder sees it: cells, switches, their lines and the way of the
lights' signal, as SVG.

From above, or from below, where it is drilled and soldered: then left is right, and only words are
not turned over. Printed at its own size a pitch of the drawing is one of the board, and a cross
stands where a piece's middle is.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import sqrt
from xml.sax.saxutils import escape

from lumiban.boards.gpio.pins import NONE, Pins
from lumiban.boards.gpio.wiring import pin_prefix, switch_inputs
from lumiban.boards.profile import Profile
from lumiban.errors import UsageError
from lumiban.i18n import text

SCALE = 2.2
"""Units of the drawing a millimetre."""
MARGIN = 150
INK, LINE, DRIVE, SENSE, LIGHT = "#222", "#bbb", "#b4520a", "#0a5ab4", "#3a8a3a"
ROW_OFF, COLUMN_OFF = 6, 8
"""Of a matrix: its row's line below a cell's middle, its column's beside it."""
CROSS = 3

Point = tuple[float, float]


def drawing(
    pins: Pins, profile: Profile, language: str = "en", *, is_from_below: bool = False
) -> str:
    """The wiring of a board of switches as a picture that any browser shows and prints.

    UsageError for a board whose sensors stand on strips of our own: its kit has drawings.
    """
    if profile.switches is None:
        raise UsageError(text("gpio.wire.no-drawing", language, profile=profile.name))
    xs = [cell.x_mm * SCALE for cell in profile.cells]
    ys = [cell.y_mm * SCALE for cell in profile.cells]
    size = max(xs) - min(xs) + 2 * MARGIN, max(ys) - min(ys) + 2 * MARGIN
    places = [(x - min(xs) + MARGIN, y - min(ys) + MARGIN) for x, y in zip(xs, ys, strict=True)]
    sheet = _Sheet(size, is_from_below=is_from_below)
    _cells(sheet, profile, places)
    if profile.switches.is_matrix:
        _lines(sheet, pins, profile, places)
    if pins.led != NONE:
        _chain(sheet, pins, profile, places, text("gpio.wire.chain", language))
    side = "below" if is_from_below else "above"
    foot = [text(f"gpio.wire.{what}", language) for what in (f"from-{side}", "true-size")]
    sheet.title(profile.name, foot)
    return sheet.svg()


class _Sheet:
    """Drawing, in units from the upper left corner of the view from above."""

    def __init__(self, size: Point, *, is_from_below: bool) -> None:
        self._width, self._height = size
        self._is_turned = is_from_below
        self._parts: list[str] = []

    def _x(self, x: float) -> float:
        return self._width - x if self._is_turned else x

    def _corners(self, points: Sequence[Point]) -> str:
        return " ".join(f"{self._x(x):.1f},{y:.1f}" for x, y in points)

    def wire(self, points: Sequence[Point], colour: str, *, dash: str = "") -> None:
        """A line along these points."""
        dashed = f' stroke-dasharray="{dash}"' if dash else ""
        self._parts.append(
            f'<polyline points="{self._corners(points)}" fill="none" stroke="{colour}" '
            f'stroke-width="1.4"{dashed}/>'
        )

    def shape(self, points: Sequence[Point], *, fill: str = "none", line: str = "none") -> None:
        """A closed shape."""
        self._parts.append(
            f'<polygon points="{self._corners(points)}" fill="{fill}" stroke="{line}"/>'
        )

    def dot(self, at: Point, colour: str) -> None:
        """A point that one sees."""
        self._parts.append(
            f'<circle cx="{self._x(at[0]):.1f}" cy="{at[1]:.1f}" r="3" fill="{colour}"/>'
        )

    def label(
        self,
        x: float,
        y: float,
        words: str,
        *,
        size: int = 11,
        colour: str = INK,
        bold: bool = False,
    ) -> None:
        """Words with their middle there."""
        weight = "bold" if bold else "normal"
        self._parts.append(
            f'<text x="{self._x(x):.1f}" y="{y:.1f}" text-anchor="middle" font-size="{size}" '
            f'font-weight="{weight}" fill="{colour}">{escape(words)}</text>'
        )

    def title(self, name: str, foot: Sequence[str]) -> None:
        """Words above and below everything."""
        self._parts.append(f'<text x="12" y="22" font-size="15">{escape(name)}</text>')
        for up, words in enumerate(reversed(foot)):
            y = self._height - 12 - 16 * up
            self._parts.append(f'<text x="12" y="{y:.0f}">{escape(words)}</text>')

    def svg(self) -> str:
        """The whole picture, of the board's own size."""
        width, height = f"{self._width:.0f}", f"{self._height:.0f}"
        return "\n".join(
            [
                f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" '
                f'width="{self._width / SCALE:.1f}mm" height="{self._height / SCALE:.1f}mm" '
                f'font-family="sans-serif" font-size="11" fill="{INK}">',
                f'<rect width="{width}" height="{height}" fill="#fff"/>',
                *self._parts,
                "</svg>\n",
            ]
        )


def _cells(sheet: _Sheet, profile: Profile, places: Sequence[Point]) -> None:
    """Each cell with its name and where its switch goes."""
    half = profile.pitch_mm * SCALE / 2 - 1
    far = half * 2 / sqrt(3)
    corners = [(-half, -half), (half, -half), (half, half), (-half, half)]
    if profile.grid.is_hex:
        corners = [(0, -far), (half, -far / 2), (half, far / 2), (0, far), (-half, far / 2),
                   (-half, -far / 2)]  # fmt: skip
    inputs = switch_inputs(profile)
    for (x, y), name, input_name in zip(places, profile.grid.names, inputs, strict=True):
        sheet.shape([(x + dx, y + dy) for dx, dy in corners], line=LINE)
        sheet.wire([(x - CROSS, y), (x + CROSS, y)], LINE)
        sheet.wire([(x, y - CROSS), (x, y + CROSS)], LINE)
        sheet.label(x - half * 0.5, y - half * 0.5, name, bold=True)
        if profile.switches is not None and profile.switches.is_matrix:
            if profile.switches.sensor == "hall":
                _hall(sheet, x, y)
            else:
                _crossing(sheet, x, y, has_diode=profile.switches.diodes)
        else:
            sheet.label(x, y + half * 0.75, input_name, size=9)


def _crossing(sheet: _Sheet, x: float, y: float, *, has_diode: bool) -> None:
    """A switch from a column's line, and its diode with the ring towards the row's."""
    column, row = x + COLUMN_OFF, y + ROW_OFF
    low, left = row + 16, column - 22
    sheet.wire([(column, low), (column - 6, low)], INK)
    sheet.wire([(column - 6, low), (left + 6, low - 5)], INK)
    sheet.wire([(left + 6, low), (left, low), (left, row)], INK)
    if has_diode:
        sheet.shape([(left - 4, row + 11), (left + 4, row + 11), (left, row + 4)], fill=INK)
        sheet.wire([(left - 4, row + 4), (left + 4, row + 4)], INK)


def _hall(sheet: _Sheet, x: float, y: float) -> None:
    """A Hall switch: its supply from the row's line, its open output to the column's, a ground."""
    column, row = x + COLUMN_OFF, y + ROW_OFF
    left, right, top, low = column - 30, column - 10, row + 8, row + 22
    sheet.shape([(left, top), (right, top), (right, low), (left, low)], line=INK)
    sheet.label((left + right) / 2, low - 3, "H", size=9)
    sheet.wire([(left + 5, top), (left + 5, row)], DRIVE)
    sheet.wire([(right, low - 7), (column, low - 7)], SENSE)
    ground = (left + right) / 2
    sheet.wire([(ground, low), (ground, low + 5)], INK)
    sheet.wire([(ground - 5, low + 5), (ground + 5, low + 5)], INK)


def _lines(sheet: _Sheet, pins: Pins, profile: Profile, places: Sequence[Point]) -> None:
    """Rows and columns of a matrix, each with its pin at its end."""
    prefix = pin_prefix(profile)
    for row in range(profile.rows):
        on = [places[n] for n, cell in enumerate(profile.cells) if cell.row == row]
        start, y = min(x for x, _ in on) - MARGIN * 0.4, on[0][1] + ROW_OFF
        sheet.wire([(start, y), (max(x for x, _ in on), y)], DRIVE)
        source = f"{prefix}{pins.drive[row]}" if pins.drive else f"595 Q{'ABCDEFGH'[row % 8]}"
        sheet.label(start - 34, y + 4, f"R{row + 1} {source}", colour=DRIVE)
    for column, pin in enumerate(pins.sense):
        on = [places[n] for n, cell in enumerate(profile.cells) if cell.channel == column]
        x, end = on[0][0] + COLUMN_OFF, max(y for _, y in on) + MARGIN * 0.35
        sheet.wire([(x, min(y for _, y in on)), (x, end)], SENSE)
        sheet.label(x, end + 12, f"C{column + 1}", colour=SENSE)
        sheet.label(x, end + 25, f"{prefix}{pin}", colour=SENSE)


def _chain(sheet: _Sheet, pins: Pins, profile: Profile, places: Sequence[Point], goal: str) -> None:
    """The way of the lights' signal from cell to cell."""
    order = sorted(range(len(places)), key=lambda cell: profile.cells[cell].light)
    way = [(places[cell][0] - 9, places[cell][1] - 6) for cell in order]
    start = (way[0][0], way[0][1] - MARGIN * 0.35)
    sheet.wire([start, *way], LIGHT, dash="4 3")
    for at in way:
        sheet.dot(at, LIGHT)
    label = f"{pin_prefix(profile)}{pins.led} → {goal}"
    sheet.label(start[0], start[1] - 6, label, colour=LIGHT)

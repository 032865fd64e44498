"""The guide's pictures: a whole table, circuit boards to solder and measure, a strip on a bench."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise

from lumiban.boards.profile import MAX_STRIPS, Profile

from lumiban_hw.parts import PICO, TEST_PAD
from lumiban_hw.pcb.drawing import Board, Placed
from lumiban_hw.pcb.strip import HEAD_MM, HEIGHT_MM, TAIL_MM
from lumiban_hw.pieces.design import BLACK_BODY, KNOB_MM, NEUTRAL_BODY, WHITE_BODY, Body
from lumiban_hw.plans import strips
from lumiban_hw.stack import STACK, gap_mm
from lumiban_hw.svg import BOARD, FAINT, INK, PAPER, STEPS, Canvas, Point
from lumiban_hw.wiring import bench

BY_LIGHT = "#3f7d4e"


def layout_picture(profile: Profile) -> str:
    """The strips from above with their names and rows, the cells, and the way of the lights."""
    plans, scale = strips(profile), 3.2
    rows = [sorted((c for c in profile.cells if c.row == n), key=lambda c: c.x_mm)
            for n in range(profile.rows)]  # fmt: skip
    left = min(row[0].x_mm for row in rows) - HEAD_MM
    right = max(row[-1].x_mm for row in rows) + TAIL_MM
    top, bottom = rows[0][0].y_mm - HEIGHT_MM / 2, rows[-1][0].y_mm + HEIGHT_MM / 2
    margin = 160.0
    width, height = (right - left) * scale + margin + 30, (bottom - top) * scale + 96
    canvas = Canvas(f"{profile.name}: strips, cells and the chain of lights", width, height)
    canvas.text((20, 22), f"{profile.name} from above", 16, bold=True)

    def px(x: float, y: float) -> Point:
        return margin + (x - left) * scale, 50 + (y - top) * scale

    for n, (plan, row) in enumerate(zip(plans, rows, strict=True), 1):
        y = row[0].y_mm
        a = px(row[0].x_mm - HEAD_MM, y - HEIGHT_MM / 2)
        b = px(row[-1].x_mm + TAIL_MM, y + HEIGHT_MM / 2)
        canvas.box(a, b, BOARD)
        plug = px(row[0].x_mm - HEAD_MM + 24, y - 4.5)
        canvas.box((plug[0] - 42, plug[1] - 11), (plug[0] + 6, plug[1] + 11), "none", STEPS[4],
                   width=2, dash="5 4")  # fmt: skip
        canvas.text((20, px(0, y)[1] - 8), f"row {n}, socket J{n}", 13, bold=True)
        canvas.text((20, px(0, y)[1] + 9), plan.name, 13)
    chain = sorted(profile.cells, key=lambda c: c.light)
    spots = [px(c.x_mm, c.y_mm - 6) for c in chain]
    for (a, b), (one, other) in zip(pairwise(spots),
                                    pairwise(chain), strict=True):  # fmt: skip
        canvas.polyline([a, b], BY_LIGHT, 1.5, dash="" if one.row == other.row else "4 4")
        middle = ((a[0] * 0.45 + b[0] * 0.55), (a[1] * 0.45 + b[1] * 0.55))
        if one.row == other.row:
            canvas.arrow(a, middle, BY_LIGHT)
    for cell in chain:
        at = px(cell.x_mm, cell.y_mm)
        light = px(cell.x_mm, cell.y_mm - 6)
        canvas.box((light[0] - 7, light[1] - 7), (light[0] + 7, light[1] + 7), "#fff", BY_LIGHT)
        number = profile.cells.index(cell)
        canvas.dot((at[0], at[1] + 7), 11, "#fff", INK)
        canvas.text((at[0], at[1] + 7), profile.grid.name(number), 11, anchor="middle")
    y = height - 14
    canvas.polyline([(20, y), (50, y)], BY_LIGHT)
    canvas.text((56, y), "the lights' data: along a strip; dashed, through the base board", 12)
    return canvas.svg()


def table_picture(profile: Profile, base: Board) -> str:
    """The base board with all that is plugged into it on a table of this profile."""
    plans, scale = strips(profile), 5.0
    left, top, right, bottom = base.outline
    at = (60.0, 96.0)
    canvas = Canvas(f"{profile.name}: what is plugged into the base board", 1060, 640)
    canvas.text((20, 22), f"{profile.name}: what is plugged into the base board", 16, bold=True)

    def px(point: Point) -> Point:
        return at[0] + (point[0] - left) * scale, at[1] + (point[1] - top) * scale

    canvas.box(px((left, top)), px((right, bottom)), BOARD)
    for placed in base.parts:
        if placed.ref[0] in "JA" or placed.ref == "F20":
            corners = placed.at(*placed.land.body[:2]), placed.at(*placed.land.body[2:])
            canvas.box(px(corners[0]), px(corners[1]), "#fff", FAINT)
    for n in range(1, MAX_STRIPS + 1):
        socket = base.part(f"J{n}")
        x, y = px(socket.pad("1"))
        middle = x + 1.27 * scale
        if n <= len(plans):
            canvas.polyline([(middle, y + 30), (middle, 62 + 16 * (n % 2))], "#888", 9)
            canvas.polyline([(middle - 4, y + 30), (middle - 4, 62 + 16 * (n % 2))], "#c22f2f", 2)
            canvas.text((middle, 48 + 16 * (n % 2)), plans[n - 1].name, 12, anchor="middle")
        else:
            a, b = px(socket.pad("6")), px(socket.pad("8"))
            canvas.polyline([a, b], "#c22f2f", 8)
        canvas.text((middle, px((0, 18))[1]), f"J{n}", 11, anchor="middle")
    plus, minus = px(base.part("J20").pad("1")), px(base.part("J20").pad("2"))
    canvas.polyline([plus, (24, plus[1]), (24, 560)], "#c22f2f", 4)
    canvas.polyline([minus, (42, minus[1]), (42, 560)], "#222", 4)
    canvas.text((14, 574), "+", 16, bold=True, colour="#c22f2f")
    canvas.text((44, 574), "−", 16, bold=True)
    canvas.text((14, 594), "5 V supply, on the plug of J20", 13)
    fuse = base.part("F20")
    f = px(fuse.at(4.96, 1.7))
    canvas.text(f, "fuse", 12, anchor="middle")
    for n in range(1, 5):
        spot = px(base.part(f"J{20 + n}").pad("1"))
        x = spot[0] + 6
        canvas.polyline([(x, spot[1] + 6), (x, 552)], INK, 2)
        canvas.dot((x, 562), 10, "#fff", INK)
        canvas.dot((x, 562), 5, INK)
        canvas.text((x, 584), f"button {n}", 12, anchor="middle")
        canvas.text((x, spot[1] - 24), f"J{20 + n}", 11, anchor="middle")
    a = px(base.part("A1").at(0, 0))
    canvas.text((a[0], a[1]), "Pico", 14, anchor="middle", bold=True)
    end = px((right, 47.0))
    canvas.polyline([(end[0] - 8, a[1]), (end[0] + 36, a[1]), (end[0] + 36, 560)], "#555", 5)
    canvas.text((end[0] + 44, 578), "USB to the Pi or computer", 13, anchor="end")
    canvas.polyline([(20, 622), (50, 622)], "#c22f2f", 8)
    canvas.text((58, 622), "jumper cap on ways 6 and 8 of each socket without a strip", 12)
    return canvas.svg()


def magnet_picture(profile: Profile) -> str:
    """A white, a black and a neutral piece on their cells, cut through the middle."""
    scale, base_y = 15.0, 300.0
    title = "White, black and neutral pieces on a cell, cut through the middle"
    canvas = Canvas(title, 960, 400)
    canvas.text((20, 22), "Three pieces on their cells, cut through the middle", 16, bold=True)

    def y(mm: float) -> float:
        return base_y - mm * scale

    up = STACK.grid_mm + STACK.floor_mm
    pieces = (
        ("white: south down", WHITE_BODY, "#fdfdf8"), ("black: north down", BLACK_BODY, "#3b3f46"),
        ("neutral: either way", NEUTRAL_BODY, "#d9a441"),
    )  # fmt: skip
    for k, (name, body, colour) in enumerate(pieces):
        x = 165.0 + k * 300
        canvas.box((x - 130, y(0)), (x + 130, y(-STACK.board_mm)), "#2e6b45")
        canvas.box((x - 22, y(0)), (x + 22, y(1.1)), "#333")
        canvas.text((x - 34, y(0.7)), "sensor", 12, anchor="end")
        for side in (-1, 1):
            edge = x + side * 130
            canvas.box((edge, y(0)), (edge - side * 14, y(STACK.grid_mm)), "#d9d2c3", FAINT)
            rim = x + side * STACK.recess_wide_mm / 2 * 12
            canvas.box((rim, y(up)), (edge, y(up + STACK.recess_mm)), "#cfd8dc", FAINT)
        canvas.box((x - 130, y(STACK.grid_mm)), (x + 130, y(up)), "#f3efe6", FAINT)
        _piece(canvas, (x, y(up)), body, colour, scale)
        canvas.text((x, y(up + 8.6)), name, 14, anchor="middle", bold=True)
        size = f"magnet {body.magnet.diameter_mm:g} × {body.magnet.length_mm:g} mm"
        canvas.text((x, base_y + 48), size, 13, anchor="middle")
    low, hall = y(up + STACK.skin_mm), y(STACK.hall_mm)
    for level in (low, hall):
        canvas.polyline([(300, level), (330, level)], INK, 1)
    canvas.polyline([(315, hall), (315, low)], INK, 1.5)
    words = f"gap {gap_mm():g} mm as drawn, {profile.gap_mm:g} mm in the profile"
    canvas.text((315, base_y + 76), words + "; sizes upwards are to scale", 13, anchor="middle")
    return canvas.svg()


def _piece(canvas: Canvas, foot: Point, body: Body, colour: str, scale: float) -> None:
    """A piece with its magnet and cap: a dome on white, a groove in black, a bar on neutral."""
    x, ground = foot

    def y(mm: float) -> float:
        return ground - mm * scale

    half, top = STACK.piece_wide_mm / 2 * 12, body.top()
    canvas.box((x - half, y(0)), (x + half, y(top)), colour, INK, round_=4)
    if body is WHITE_BODY:
        steps = [n / 12 for n in range(-12, 13)]
        dome = [(x + n * (half - 10), y(top + KNOB_MM * (1 - n * n))) for n in steps]
        canvas.area(dome, colour, INK)
    elif body is BLACK_BODY:
        for side in (-1, 1):
            canvas.box((x + side * 40, y(top)), (x + side * 64, y(top - KNOB_MM)), PAPER)
    else:
        canvas.box((x - 70, y(top)), (x + 70, y(top + KNOB_MM)), colour, INK)
    wide, long = body.magnet.diameter_mm / 2 * 12, body.magnet.length_mm
    low = STACK.skin_mm
    if not body.up:
        canvas.box((x - wide, y(low)), (x + wide, y(low + long)), "#8c8c8c")
        return
    down = "S" if body.up == "N" else "N"
    for pole, at in ((down, low), (body.up, low + long / 2)):
        fill = "#c22f2f" if pole == "N" else "#4b7fd1"
        canvas.box((x - wide, y(at)), (x + wide, y(at + long / 2)), fill)
        middle = (x, y(at + long / 4))
        canvas.text(middle, pole, 13, anchor="middle", colour=PAPER, bold=True)


# Pictures of circuit boards for soldering and measuring them, from their drawings.

Window = tuple[float, float, float, float]
"""Left, top, right and bottom of what is shown, in mm."""


@dataclass(frozen=True)
class Step:
    """Parts that are soldered one after another: what they are, and who belongs to them."""

    says: str
    holds: Callable[[Placed], bool]


CLEAR_PX = 14.0
"""A badge that is so far from a pad leaves it to be seen."""
LARGE = ("Can10", "FuseMini")
STRIP_STEPS = (
    Step("U1, U2: multiplexer, regulator", lambda p: p.ref in ("U1", "U2")),
    Step("S: sensors", lambda p: p.ref[0] == "S"),
    Step("C, R: capacitors, resistors", lambda p: p.ref[0] in "CR"),
    Step("D: lights", lambda p: p.ref[0] == "D"),
    Step("J1: plug, from below", lambda p: p.ref == "J1"),
)
BASE_STEPS = (
    Step("ICs and FETs", lambda p: p.ref[0] in "UQ"),
    Step("small resistors, capacitors, diodes, fuses",
         lambda p: p.ref[0] in "RD" or (p.ref[0] in "CF" and p.part.land not in LARGE)),
    Step("sockets of the strips and buttons", lambda p: p.ref[0] == "J" and p.ref != "J20"),
    Step("terminal, fuse holder, large capacitors",
         lambda p: p.ref == "J20" or p.part.land in LARGE),
    Step("sockets of the Pico", lambda p: p.ref == "A1"),
)  # fmt: skip


@dataclass(frozen=True)
class Mark:
    """A place to measure at: a pad, under a letter."""

    letter: str
    ref: str
    pad: str
    net: str

    @property
    def is_printed(self) -> bool:
        """True if the pad is there for a probe, with its letter beside it."""
        return self.ref == f"TP{self.letter}"


def _pads(**nets: str) -> tuple[Mark, ...]:
    """Pads for a probe, by their letters."""
    return tuple(Mark(letter, f"TP{letter}", "1", net) for letter, net in nets.items())


STRIP_MARKS = (
    *_pads(A="5V", B="GND", C="3V3", D="H15"),
    Mark("E", "S1", "2", "H0"), Mark("F", "J1", "10", "AOUT"),
)  # fmt: skip
BASE_MARKS = _pads(G="GND", H="VIN", K="VF", L="5V", M="5VL", N="VSYS", P="3V3", Q="RAIL")


class View:
    """A window of a board on a canvas."""

    def __init__(self, canvas: Canvas, board: Board, window: Window, at: Point, scale: float):
        self.canvas, self.board, self.window, self.at, self.scale = (
            canvas, board, window, at, scale,
        )  # fmt: skip

    def px(self, point: Point) -> Point:
        """A place on the board as one on the canvas."""
        left, top, _, _ = self.window
        return (
            self.at[0] + (point[0] - left) * self.scale,
            self.at[1] + (point[1] - top) * self.scale,
        )

    def _inside(self, point: Point, slack: float = 0.0) -> bool:
        left, top, right, bottom = self.window
        return (
            left - slack <= point[0] <= right + slack and top - slack <= point[1] <= bottom + slack
        )

    def draw(self, steps: Iterable[Step], words: float = 1.0, only: Sequence[str] = ()) -> None:
        """Board, holes, parts (or `only` these) in the colours of their steps, words in silk."""
        canvas, board = self.canvas, self.board
        left, top, right, bottom = board.outline
        w = self.window
        canvas.box(self.px((max(left, w[0]), max(top, w[1]))),
                   self.px((min(right, w[2]), min(bottom, w[3]))), BOARD)  # fmt: skip
        for hole in board.holes:
            if self._inside(hole.at):
                canvas.dot(self.px(hole.at), hole.diameter / 2 * self.scale, "#fff", INK)
        for placed in board.parts:
            if only and placed.ref not in only:
                continue
            is_shown = placed.part.number or placed.part is TEST_PAD
            if is_shown and self._inside((placed.x, placed.y), 1.0):
                self._part(placed, list(steps))
        for text in board.texts:
            if words and text.side == "F" and self._inside(text.at, -1.5):
                size = text.size * 1.15 * self.scale * words
                canvas.text(self.px(text.at), text.words, size, anchor="middle")

    def _part(self, placed: Placed, steps: list[Step]) -> None:
        mine = next((n for n, step in enumerate(steps) if step.holds(placed)), None)
        colour = FAINT if mine is None else STEPS[mine]
        land = placed.land
        corners = self.px(placed.at(*land.body[:2])), self.px(placed.at(*land.body[2:]))
        if placed.part is not TEST_PAD:
            self.canvas.box(*corners, "none" if land.below else "#fff", colour,
                            width=2, dash="5 4" if land.below else "")  # fmt: skip
        for pad in land.pads:
            at = self.px(placed.at(pad.x, pad.y))
            turned = placed.turn % 180 == 90
            wide, high = (pad.height, pad.width) if turned else (pad.width, pad.height)
            if pad.shape == "round":
                self.canvas.dot(at, wide / 2 * self.scale, colour)
                self.canvas.dot(at, pad.drill / 2 * self.scale, "#fff")
            else:
                dx, dy = wide / 2 * self.scale, high / 2 * self.scale
                self.canvas.box((at[0] - dx, at[1] - dy), (at[0] + dx, at[1] + dy), colour, "none")
        if land.mark:
            self.canvas.dot(self.px(placed.at(*land.mark)), 0.35 * self.scale, "#c22f2f")

    def mark(self, mark: Mark, away: Point | None = None) -> None:
        """A letter beside a pad: where it is printed, or `away` in mm with a line to it."""
        placed = self.board.part(mark.ref)
        if placed.nets.get(mark.pad) != mark.net:
            raise ValueError(f"{mark.ref}.{mark.pad} is on {placed.nets.get(mark.pad)}")
        spot = placed.pad(mark.pad)
        if away is None:
            printed = next(text.at for text in self.board.texts if text.words == mark.letter)
            dx, dy = printed[0] - spot[0], printed[1] - spot[1]
            far = max(1.0, CLEAR_PX / self.scale / math.hypot(dx, dy))
            self.canvas.badge(self.px((spot[0] + far * dx, spot[1] + far * dy)), mark.letter)
            return
        letter = self.px((spot[0] + away[0], spot[1] + away[1]))
        self.canvas.polyline([self.px(spot), letter], INK, 1.5)
        self.canvas.dot(self.px(spot), 3, INK)
        self.canvas.badge(letter, mark.letter)


def legend(canvas: Canvas, steps: Iterable[Step], y: float, letter: str) -> None:
    """The steps with their numbers and colours, three in a row; below them pin 1 and a letter."""
    for n, step in enumerate(steps):
        at = (34.0 + n % 3 * 330, y + n // 3 * 24)
        canvas.badge(at, str(n + 1), STEPS[n])
        canvas.text((at[0] + 15, at[1]), step.says, 13)
    y += 24
    canvas.dot((694, y), 5, "#c22f2f")
    canvas.text((706, y), "pin 1", 13)
    canvas.badge((780, y), letter)
    canvas.text((795, y), "measuring points", 13)


def strip_picture(board: Board) -> str:
    """The head and the first cell of a strip from above: steps and places to measure at."""
    scale, window = 21.0, (-33.4, -14.2, 13.2, 14.0)
    canvas = Canvas(f"{board.name}: head and first cell, from above", 1020, 690)
    canvas.text((20, 22), f"{board.name}: the head and the first cell, from above", 16, bold=True)
    view = View(canvas, board, window, (20, 40), scale)
    view.draw(STRIP_STEPS)
    away = {"E": (-2.0, 5.2), "F": (1.4, -5.2)}
    for mark in STRIP_MARKS:
        view.mark(mark, away.get(mark.letter))
    legend(canvas, STRIP_STEPS, 644, "A")
    return canvas.svg()


def cell_picture(board: Board) -> str:
    """One cell of a strip: what its sensor's and its light's pins are."""
    canvas = Canvas("The pins of sensor and light in a cell", 470, 300)
    at, middle = (20.0, 40.0), board.part("S2").x
    view = View(canvas, board, (middle - 12.5, -10.0, middle + 12.5, 4.6), at, 17.0)
    canvas.text((at[0], 20), f"{board.name}: a cell", 16, bold=True)
    view.draw((), words=0, only=("D2", "S2", "C102", "C202"))
    for ref, far, right in (("D2", 1.2, 2.6), ("S2", 3.7, 1.2)):
        placed = board.part(ref)
        low = 0.0 if ref[0] == "D" else 2.6
        canvas.text(view.px((placed.x, placed.y + low)), placed.part.value, 12, anchor="middle")
        for number, (name, _) in placed.part.pins.items():
            x, y = placed.pad(number)
            aside = right if x > placed.x else -far
            canvas.text(view.px((x + aside, y)), name, 13, bold=True, colour="#2f62b5",
                        anchor="start" if aside > 0 else "end")  # fmt: skip
    canvas.dot((250, 20), 5, "#c22f2f")
    canvas.text((262, 20), "pin 1, as on the board", 13)
    return canvas.svg()


def base_picture(board: Board) -> str:
    """The whole base board from above: steps and places to measure at."""
    scale, window = 5.6, board.outline
    canvas = Canvas("The base board from above", 1065, 590)
    canvas.text((20, 22), "The base board, from above", 16, bold=True)
    view = View(canvas, board, window, (20, 40), scale)
    view.draw(BASE_STEPS, words=1.25)
    for mark in BASE_MARKS:
        view.mark(mark)
    legend(canvas, BASE_STEPS, 544, "G")
    return canvas.svg()


# The wiring of one strip to a Pico on a bench, drawn from the profile's pins.

MEANS = {
    "5V": "5 V", "GND": "ground", "DIN": "data to the first light", "RET": "from the last light",
    "AOUT": "the selected sensor", "S0": "channel, bit 0", "S1": "channel, bit 1",
    "S2": "channel, bit 2", "S3": "channel, bit 3",
}  # fmt: skip
COLOURS = {
    "5V": "#c22f2f", "GND": "#333333", "DIN": "#3f7d4e", "AOUT": "#7a4fa3", "S0": "#b5532f",
    "S1": "#c48a1a", "S2": "#2f8fb5", "S3": "#2f62b5", "RAIL": "#b53f8c",
}  # fmt: skip
WAYS_X, WAY_PX, WAYS_Y, TOP = 292.0, 34.0, 92.0, 108.0
LEFT_X, RIGHT_X, PIN_PX = 650.0, 840.0, 24.0
LANE_X, LANE_PX = 400.0, 26.0
FAR_X, OVER_Y = 1056.0, 64.0


def bench_picture(profile: Profile) -> str:
    """The ribbon's fourteen ways on the left, the Pico from above on the right, wires between."""
    rows = bench(profile)
    ways = [row for row in rows if row[0]]
    canvas = Canvas(f"{profile.name} on a bench: from the ribbon's plug to the Pico", 1090, 620)
    canvas.text((30, 26), "The ribbon's free end", 16, bold=True)
    canvas.text((30, 46), "wire 1 is the coloured one", 13, colour=FAINT)
    canvas.text((LEFT_X + 95, 26), "Raspberry Pi Pico from above", 16, anchor="middle", bold=True)
    _pico(canvas, {pin for *_, pin, _ in rows if pin})
    for n, (way, net, *_) in enumerate(ways):
        y = WAYS_Y + n * WAY_PX
        colour = COLOURS.get(net, FAINT)
        canvas.box((84, y - 13), (WAYS_X - 10, y + 13), "#fff", colour, round_=4)
        canvas.badge((102, y), way, colour)
        canvas.text((120, y), net, 13, bold=True)
        canvas.text((166, y), "" if net in ("5V", "GND") else MEANS[net], 10, colour="#555")
        stripe = "#c22f2f" if way == "1" else "#c9c9c9"
        canvas.polyline([(30, y), (84, y)], stripe, 5)
    lane = 0
    for net in dict.fromkeys(row[1] for row in ways):
        mine = [(WAYS_Y + n * WAY_PX, row) for n, row in enumerate(ways) if row[1] == net]
        y, (*_, pin, note) = mine[0]
        if not pin:
            canvas.polyline([(WAYS_X - 10, y), (WAYS_X + 6, y)], FAINT, 2)
            canvas.text((WAYS_X + 12, y), note, 12, colour="#a33")
            continue
        at = place(pin)
        x = LANE_X + lane * LANE_PX
        lane += 1
        for y, _ in mine:
            canvas.polyline([(WAYS_X - 10, y), (x, y)], COLOURS[net], 2.5)
        ys = [y for y, _ in mine]
        over = OVER_Y if net == "5V" else OVER_Y - 16
        far = RIGHT_X + 70 if net == "5V" else FAR_X
        end = [(x, over), (far, over), (far, at[1]), at] if at[0] > LEFT_X else [(x, at[1]), at]
        for start in (min(ys), max(ys)):
            canvas.polyline([(x, start), *end], COLOURS[net], 2.5)
        for y in ys[1:] if len(ys) > 1 else ():
            canvas.dot((x, y), 4, COLOURS[net])
    _divider(canvas, rows)
    return canvas.svg()


def place(pin: str) -> Point:
    """Place where a wire meets a pin of the Pico."""
    n = int(pin)
    if n <= 20:
        return LEFT_X, TOP + (n - 1) * PIN_PX
    return RIGHT_X, TOP + (40 - n) * PIN_PX


def _pico(canvas: Canvas, used: set[str]) -> None:
    canvas.box((LEFT_X + 12, TOP - 18), (RIGHT_X - 12, TOP + 19 * PIN_PX + 18), "#dfe9dc", round_=8)
    middle = (LEFT_X + RIGHT_X) / 2
    canvas.box((middle - 24, TOP - 30), (middle + 24, TOP + 4), "#c9c9c9", round_=3)
    canvas.text((middle, TOP - 12), "USB", 12, anchor="middle")
    for pin, (name, _) in PICO.pins.items():
        x, y = place(pin)
        left = x < middle
        strong = pin in used
        canvas.box((x, y - 8), (x + (26 if left else -26), y + 8), "#e8d28a" if strong else "#fff",
                   INK if strong else FAINT, round_=3)  # fmt: skip
        canvas.text((x + (13 if left else -13), y), pin, 10, anchor="middle",
                    colour=INK if strong else FAINT)  # fmt: skip
        canvas.text((x + (32 if left else -32), y), name, 12, bold=strong,
                    anchor="start" if left else "end", colour=INK if strong else FAINT)  # fmt: skip


def _divider(canvas: Canvas, rows: list[tuple[str, str, str, str, str]]) -> None:
    """Two resistors: from 5 V to the pin that sees the supply, and from there to ground."""
    rail = next(pin for _, net, _, pin, _ in rows if net == "RAIL")
    (x, y), top, ground = place(rail), place(PICO.pad("VBUS")), place(PICO.pad("AGND"))
    node, colour = (x + 130, ground[1]), COLOURS["RAIL"]
    canvas.polyline([(x, y), (node[0], y), node], colour, 2.5)
    canvas.polyline([(x + 70, top[1]), (node[0], top[1]), node], colour, 2.5)
    canvas.polyline([ground, node], colour, 2.5)
    canvas.dot(node, 4, colour)
    half = (top[1] + ground[1]) / 2
    canvas.box((node[0] - 9, half - 26), (node[0] + 9, half + 26), "#fff", colour, width=2)
    canvas.text((node[0] + 16, half), "10 kΩ", 13)
    canvas.box((x + 36, ground[1] - 9), (x + 88, ground[1] + 9), "#fff", colour, width=2)
    canvas.text((x + 62, ground[1]), "10 kΩ", 12, anchor="middle")

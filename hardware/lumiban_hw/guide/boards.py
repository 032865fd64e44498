"""Pictures of circuit boards for whoever solders and measures them, from their drawings."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from lumiban_hw.guide.canvas import BOARD, FAINT, INK, STEPS, Canvas, Point
from lumiban_hw.pcb.board import Board, Placed

Window = tuple[float, float, float, float]
"""Left, top, right and bottom of what is shown, in mm."""


@dataclass(frozen=True)
class Step:
    """Parts that are soldered one after another: what they are, and who belongs to them."""

    says: str
    holds: Callable[[Placed], bool]


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


STRIP_MARKS = (
    Mark("A", "C2", "1", "5V"), Mark("B", "C2", "2", "GND"), Mark("C", "C3", "1", "3V3"),
    Mark("D", "R3", "1", "H15"), Mark("E", "S1", "2", "H0"), Mark("F", "J1", "10", "AOUT"),
)  # fmt: skip
BASE_MARKS = (
    Mark("G", "J20", "2", "GND"), Mark("H", "J20", "1", "VIN"), Mark("K", "F20", "2", "VF"),
    Mark("L", "C20", "1", "5V"), Mark("M", "C22", "1", "5VL"), Mark("N", "D1", "1", "VSYS"),
    Mark("P", "C2", "1", "3V3"), Mark("Q", "R6", "1", "RAIL"),
)  # fmt: skip


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
            if placed.part.number and self._inside((placed.x, placed.y), 1.0):
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

    def mark(self, mark: Mark, away: Point) -> None:
        """A letter beside a pad, `away` in mm, with a line to it."""
        placed = self.board.part(mark.ref)
        if placed.nets.get(mark.pad) != mark.net:
            raise ValueError(f"{mark.ref}.{mark.pad} is on {placed.nets.get(mark.pad)}")
        spot = placed.pad(mark.pad)
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
    away = {"A": (0.6, -3.2), "B": (-1.4, -3.2), "C": (1.0, 3.4), "D": (2.6, 4.2),
            "E": (-2.0, 5.2), "F": (1.4, -5.2)}  # fmt: skip
    for mark in STRIP_MARKS:
        view.mark(mark, away[mark.letter])
    legend(canvas, STRIP_STEPS, 644, "A")
    return canvas.svg()


def cell_picture(there: Board, back: Board) -> str:
    """One cell of a strip whose lights run to the right, and of one whose lights run back."""
    scale = 17.0
    canvas = Canvas("The pins of sensor and light in a cell", 920, 300)
    for k, board in enumerate((there, back)):
        at = (20 + k * 450, 40)
        middle = board.part("S2").x
        view = View(canvas, board, (middle - 12.5, -10.0, middle + 12.5, 4.6), at, scale)
        canvas.text((at[0], 20), f"{board.name}: a cell", 16, bold=True)
        view.draw((), words=0, only=("D2", "S2", "C102", "C202"))
        for ref, far in (("D2", 2.4 if board is back else 1.2), ("S2", 3.7)):
            placed = board.part(ref)
            low = 0.0 if ref[0] == "D" else 2.6
            canvas.text(view.px((placed.x, placed.y + low)), placed.part.value, 12, anchor="middle")
            for number, (name, _) in placed.part.pins.items():
                x, y = placed.pad(number)
                right = 2.6 if ref[0] == "D" and board is there else 1.2
                aside = right if x > placed.x else -far
                canvas.text(view.px((x + aside, y)), name, 13, bold=True, colour="#2f62b5",
                            anchor="start" if aside > 0 else "end")  # fmt: skip
    canvas.dot((700, 20), 5, "#c22f2f")
    canvas.text((712, 20), "pin 1, as on the board", 13)
    return canvas.svg()


def base_picture(board: Board) -> str:
    """The whole base board from above: steps and places to measure at."""
    scale, window = 5.6, board.outline
    canvas = Canvas("The base board from above", 1065, 590)
    canvas.text((20, 22), "The base board, from above", 16, bold=True)
    view = View(canvas, board, window, (20, 40), scale)
    view.draw(BASE_STEPS, words=1.25)
    away: Mapping[str, Point] = {
        "G": (5.0, 4.2), "H": (6.4, -3.2), "K": (0.0, 11.0), "L": (3.0, 9.0), "M": (-5.0, -7.0),
        "N": (7.0, 0.8), "P": (-4.4, -3.4), "Q": (-4.6, 1.0),
    }  # fmt: skip
    for mark in BASE_MARKS:
        view.mark(mark, away[mark.letter])
    legend(canvas, BASE_STEPS, 544, "G")
    return canvas.svg()

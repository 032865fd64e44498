"""Pictures of a whole table: where each strip lies, where each cable goes, how pieces are told."""

from __future__ import annotations

from itertools import pairwise

from lumiban.boards.profile import MOST_STRIPS, Profile

from lumiban_hw.guide.canvas import BOARD, FAINT, INK, PAPER, STEPS, Canvas, Point
from lumiban_hw.pcb.board import Board
from lumiban_hw.pcb.strip import HEAD_MM, HEIGHT_MM, TAIL_MM
from lumiban_hw.pieces.design import BLACK_BODY, KNOB_MM, NEUTRAL_BODY, WHITE_BODY, Body
from lumiban_hw.plans import strips
from lumiban_hw.stack import STACK, gap_mm

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
    for n in range(1, MOST_STRIPS + 1):
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

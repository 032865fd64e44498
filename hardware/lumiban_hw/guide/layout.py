"""Pictures of a whole table: where each strip lies, where each cable goes, how pieces are told."""

from __future__ import annotations

from itertools import pairwise

from lumiban.boards.profile import MOST_STRIPS, Profile

from lumiban_hw.guide.canvas import BOARD, FAINT, INK, STEPS, Canvas, Point
from lumiban_hw.magnetics import STRONG, WEAK, Magnet
from lumiban_hw.pcb.board import Board
from lumiban_hw.pcb.strip import HEAD_MM, HEIGHT_MM, TAIL_MM
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
        canvas.line([a, b], BY_LIGHT, 1.5, dash="" if one.row == other.row else "4 4")
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
    canvas.line([(20, y), (50, y)], BY_LIGHT)
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
            canvas.line([(middle, y + 30), (middle, 62 + 16 * (n % 2))], "#888", 9)
            canvas.line([(middle - 4, y + 30), (middle - 4, 62 + 16 * (n % 2))], "#c22f2f", 2)
            canvas.text((middle, 48 + 16 * (n % 2)), plans[n - 1].name, 12, anchor="middle")
        else:
            a, b = px(socket.pad("6")), px(socket.pad("8"))
            canvas.line([a, b], "#c22f2f", 8)
        canvas.text((middle, px((0, 18))[1]), f"J{n}", 11, anchor="middle")
    plus, minus = px(base.part("J20").pad("1")), px(base.part("J20").pad("2"))
    canvas.line([plus, (24, plus[1]), (24, 560)], "#c22f2f", 4)
    canvas.line([minus, (42, minus[1]), (42, 560)], "#222", 4)
    canvas.text((14, 574), "+", 16, bold=True, colour="#c22f2f")
    canvas.text((44, 574), "−", 16, bold=True)
    canvas.text((14, 594), "5 V supply, in the terminal J20", 13)
    fuse = base.part("F20")
    f = px(fuse.at(4.96, 1.7))
    canvas.text(f, "fuse", 12, anchor="middle")
    for n in range(1, 5):
        spot = px(base.part(f"J{20 + n}").pad("1"))
        x = spot[0] + 6
        canvas.line([(x, spot[1] + 6), (x, 552)], INK, 2)
        canvas.dot((x, 562), 10, "#fff", INK)
        canvas.dot((x, 562), 5, INK)
        canvas.text((x, 584), f"button {n}", 12, anchor="middle")
        canvas.text((x, spot[1] - 24), f"J{20 + n}", 11, anchor="middle")
    a = px(base.part("A1").at(0, 0))
    canvas.text((a[0], a[1]), "Pico", 14, anchor="middle", bold=True)
    end = px((right, 47.0))
    canvas.line([(end[0] - 8, a[1]), (end[0] + 36, a[1]), (end[0] + 36, 560)], "#555", 5)
    canvas.text((end[0] + 44, 578), "USB to the Pi or computer", 13, anchor="end")
    canvas.line([(20, 622), (50, 622)], "#c22f2f", 8)
    canvas.text((58, 622), "jumper cap on ways 6 and 8 of each socket without a strip", 12)
    return canvas.svg()


def magnet_picture(profile: Profile) -> str:
    """A white, a black and a neutral piece on their cells, cut through the middle."""
    scale, base_y = 15.0, 300.0
    canvas = Canvas("White, black and neutral pieces on a cell, cut through the middle", 960, 400)
    canvas.text((20, 22), "Three pieces on their cells, cut through the middle", 16, bold=True)
    pieces: tuple[tuple[str, str, Magnet], ...] = (
        ("white: south down", "N S", STRONG), ("black: north down", "S N", STRONG),
        ("neutral: either way", "? ?", WEAK),
    )  # fmt: skip
    for k, (name, poles, magnet) in enumerate(pieces):
        x = 165.0 + k * 300

        def y(mm: float) -> float:
            return base_y - mm * scale

        floor, up = STACK.grid_mm, STACK.grid_mm + STACK.floor_mm
        canvas.box((x - 130, y(0)), (x + 130, y(-STACK.board_mm)), "#2e6b45")
        canvas.box((x - 22, y(0)), (x + 22, y(1.1)), "#333")
        canvas.text((x - 34, y(0.7)), "sensor", 12, anchor="end")
        for side in (-1, 1):
            edge = x + side * 130
            canvas.box((edge, y(0)), (edge - side * 14, y(floor)), "#d9d2c3", FAINT)
            rim = x + side * STACK.recess_wide_mm / 2 * 12
            canvas.box((rim, y(up)), (edge, y(up + STACK.recess_mm)), "#cfd8dc", FAINT)
        canvas.box((x - 130, y(floor)), (x + 130, y(up)), "#f3efe6", FAINT)
        half = STACK.piece_wide_mm / 2 * 12
        fill = ("#fff", "#3b3f46", "#b8563a")[k]
        canvas.box((x - half, y(up)), (x + half, y(up + 6)), fill, INK, round_=6)
        low = up + STACK.skin_mm
        w = magnet.diameter_mm / 2 * 12
        middle = low + magnet.length_mm / 2
        canvas.box((x - w, y(low)), (x + w, y(middle)), "#c22f2f" if poles[2] == "N" else "#4b7fd1")
        canvas.box((x - w, y(middle)), (x + w, y(low + magnet.length_mm)),
                   "#c22f2f" if poles[0] == "N" else "#4b7fd1")  # fmt: skip
        if k == 2:
            canvas.box((x - w, y(low)), (x + w, y(low + magnet.length_mm)), "#9a9a9a")
        for pole, at in ((poles[2], low + 0.25 * magnet.length_mm),
                         (poles[0], low + 0.75 * magnet.length_mm)):  # fmt: skip
            canvas.text((x, y(at)), pole, 13, anchor="middle", colour="#fff", bold=True)
        canvas.text((x, y(up + 7.4)), name, 14, anchor="middle", bold=True)
        size = f"magnet {magnet.diameter_mm:g} × {magnet.length_mm:g} mm"
        canvas.text((x, base_y + 48), size, 13, anchor="middle")
    canvas.line(
        [(300, base_y - STACK.hall_mm * scale), (330, base_y - STACK.hall_mm * scale)], INK, 1
    )
    low = base_y - (STACK.grid_mm + STACK.floor_mm + STACK.skin_mm) * scale
    canvas.line([(300, low), (330, low)], INK, 1)
    canvas.line([(315, base_y - STACK.hall_mm * scale), (315, low)], INK, 1.5)
    canvas.text((316, base_y + 74), f"gap {gap_mm():g} mm as drawn, {profile.gap_mm:g} mm in the "
                "profile; sizes upwards are to scale", 13, anchor="middle")  # fmt: skip
    return canvas.svg()

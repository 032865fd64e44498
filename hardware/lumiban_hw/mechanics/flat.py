"""Flat drawings for a laser cutter, as DXF and SVG in millimetres, and a reader for both.

Written from the design without OpenSCAD; sheets are whole, since lasers are larger than printers.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

from lumiban_hw.mechanics.box import M3_FREE, Box, BoxGeometry
from lumiban_hw.mechanics.design import Design
from lumiban_hw.mechanics.mesh import Spot

CUT, MARK = "CUT", "MARK"
"""Layers: cut through, and letters to engrave."""
NEAR_MM = 0.05
"""Corners no farther apart are one."""
Circle = tuple[Spot, float]
"""Middle and diameter."""


@dataclass(frozen=True)
class Sheet:
    """Parts cut out of one sheet."""

    name: str
    outlines: tuple[tuple[Spot, ...], ...]
    """Closed lines."""
    circles: tuple[Circle, ...]
    marks: tuple[tuple[Spot, ...], ...] = ()
    """Open lines to engrave."""


def sheets(design: Design) -> tuple[Sheet, ...]:
    """The floor, the recess sheet and the rim of a box."""
    plan = design.plan
    screws = tuple((post, M3_FREE) for post in design.posts.tall)
    recesses = tuple((cell, plan.stack.recess_wide_mm) for cell in plan.cells)
    inside, outside = (_corners(plan.sheet),), (_corners(plan.outer),)
    marks = tuple(stroke for letter in design.letters for stroke in letter.strokes)
    return (
        Sheet("floor", inside, screws),
        Sheet("recess", inside, (*screws, *recesses)),
        Sheet("rim", (*outside, *field(plan)), screws, marks),
    )


def _corners(box: Box) -> tuple[Spot, ...]:
    left, bottom, right, top = box
    return ((left, bottom), (right, bottom), (right, top), (left, top))


def field(plan: BoxGeometry) -> tuple[tuple[Spot, ...], ...]:
    """The outlines of all cells together: sides that only one cell has, one after the other."""
    known: dict[Spot, Spot] = {}
    own: dict[tuple[Spot, Spot], None] = {}
    for cell in range(len(plan.cells)):
        corners = [_same(known, corner) for corner in plan.corners(cell)]
        for a, b in pairwise([*corners, corners[0]]):
            if (b, a) in own:
                del own[b, a]
            else:
                own[a, b] = None
    after = dict(own)
    outlines = []
    while after:
        here = next(iter(after))[0]
        following = dict(after.keys())
        loop = []
        while here in following:
            loop.append(here)
            there = following.pop(here)
            del after[here, there]
            here = there
        outlines.append(tuple(loop))
    return tuple(outlines)


def _same(known: dict[Spot, Spot], spot: Spot) -> Spot:
    """The corner that was told first for this place; cells round theirs each for itself."""
    column, row = round(spot[0]), round(spot[1])
    for x in (column, column - 1, column + 1):
        for y in (row, row - 1, row + 1):
            there = known.get((x, y))
            if there and math.dist(there, spot) < NEAR_MM:
                return there
    known[column, row] = spot
    return spot


def write(sheet: Sheet, folder: Path) -> None:
    """`NAME.dxf` and `NAME.svg`."""
    (folder / f"{sheet.name}.dxf").write_text(dxf(sheet), "ascii")
    (folder / f"{sheet.name}.svg").write_text(svg(sheet), "utf-8")


def dxf(sheet: Sheet) -> str:
    """The drawing as DXF (AutoCAD R12), which every cutter's program reads."""
    words: list[object] = [0, "SECTION", 2, "HEADER", 9, "$ACADVER", 1, "AC1009"]
    words += [9, "$INSUNITS", 70, 4, 0, "ENDSEC", 0, "SECTION", 2, "ENTITIES"]
    lines = [(CUT, line, 1) for line in sheet.outlines] + [(MARK, line, 0) for line in sheet.marks]
    for layer, line, closed in lines:
        words += [0, "POLYLINE", 8, layer, 66, 1, 70, closed]
        for x, y in line:
            words += [0, "VERTEX", 8, layer, 10, f"{x:.3f}", 20, f"{y:.3f}"]
        words += [0, "SEQEND"]
    for (x, y), wide in sheet.circles:
        words += [0, "CIRCLE", 8, CUT, 10, f"{x:.3f}", 20, f"{y:.3f}", 40, f"{wide / 2:.3f}"]
    words += [0, "ENDSEC", 0, "EOF"]
    return "".join(f"{word}\n" for word in words)


def svg(sheet: Sheet) -> str:
    """The drawing as SVG: red is cut, blue is engraved."""
    xs, ys = zip(*(spot for line in sheet.outlines for spot in line), strict=True)
    left, top = min(xs) - 1, max(ys) + 1
    wide, high = max(xs) + 1 - left, top - min(ys) + 1
    out = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{wide:.3f}mm" height="{high:.3f}mm" '
        f'viewBox="{left:.3f} {-top:.3f} {wide:.3f} {high:.3f}" fill="none" stroke-width="0.1">'
    ]
    for lines, colour, end in ((sheet.outlines, "#f00", "Z"), (sheet.marks, "#00f", "")):
        for line in lines:
            out.append(f'<path stroke="{colour}" d="M{_path(line)}{end}"/>')
    for (x, y), size in sheet.circles:
        out.append(f'<circle stroke="#f00" cx="{x:.3f}" cy="{-y:.3f}" r="{size / 2:.3f}"/>')
    return "\n".join([*out, "</svg>", ""])


def _path(line: Sequence[Spot]) -> str:
    return " L".join(f"{x:.3f} {-y:.3f}" for x, y in line)


def circles(path: Path) -> list[Circle]:
    """The circles in a DXF or SVG file, read without knowledge of how it was made."""
    svg = path.read_text("utf-8")
    if path.suffix == ".svg":
        matches = re.findall(r'<circle [^>]*cx="(\S+)" cy="(\S+)" r="(\S+)"', svg)
        return [((float(x), -float(y)), 2 * float(r)) for x, y, r in matches]
    out: list[Circle] = []
    entity: dict[int, str] = {}
    for code, word in [*_pairs(svg), (0, "")]:
        if code == 0:
            if entity.get(0) == "CIRCLE":
                out.append(((float(entity[10]), float(entity[20])), 2 * float(entity[40])))
            entity = {}
        entity[code] = word
    return out


def _pairs(text: str) -> Iterable[tuple[int, str]]:
    lines = text.splitlines()
    return ((int(code), word.strip()) for code, word in zip(lines[::2], lines[1::2], strict=True))

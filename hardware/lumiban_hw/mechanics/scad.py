"""A design as text for OpenSCAD: sizes and places as data, then the modules that draw the parts."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from lumiban_hw.mechanics import box
from lumiban_hw.mechanics.cuts import FAR_MM, FLANGE_MM, Cuts, straight
from lumiban_hw.mechanics.design import Design
from lumiban_hw.mechanics.letters import THICK_MM
from lumiban_hw.mechanics.mesh import Spot

WHOLE = ((-FAR_MM, -FAR_MM), (FAR_MM, -FAR_MM), (FAR_MM, FAR_MM), (-FAR_MM, FAR_MM))
FLANGE_DEEP_MM = 12.0
CORNER_MM = 3.0
"""Radius of the tray's upright edges."""

MODULES = """\
module area(b) translate([b[0], b[1]]) square([b[2] - b[0], b[3] - b[1]]);
module at_all(spots) for (spot = spots) translate(spot) children();
module bores(spots, d) at_all(spots) circle(d = d, $fn = 16);
module outline() offset(r = corner, $fn = 16) offset(delta = -corner) area(outer);

// Cells, each with this much more on every side.
module cells(more) at_all(middles) offset(delta = more) polygon(shape);

// One piece of a part: where a column and a row of its bands cross.
module column(bands) polygon(bands[0][piece % len(bands[0])]);
module row(bands) polygon(bands[1][floor(piece / len(bands[0]))]);
module one_piece(bands) intersection() {
  children();
  offset(delta = -play / 2) column(bands);
  offset(delta = -play / 2) row(bands);
}

// A post with a web to the wall beside it.
module posts(spots, more = 0) intersection() {
  offset(delta = 1) area(inner);
  for (spot = spots) {
    west = spot[0] - inner[0]; east = inner[2] - spot[0];
    south = spot[1] - inner[1]; north = inner[3] - spot[1];
    near = min(west, east, south, north);
    to = near == west ? [-1, 0] : near == east ? [1, 0] : near == south ? [0, -1] : [0, 1];
    translate(spot) offset(delta = more) hull() {
      circle(d = post, $fn = 16);
      translate(to * post) square(post, center = true);
    }
  }
}

module walls() difference() {
  cells(grid_wall / 2);
  at_all(middles) offset(delta = -grid_wall / 2) polygon(shape);
}

module grid_plan() difference() {
  union() { walls(); bores(cell_screws, boss); }
  bores(cell_screws, m2_bite);
}

// A wall on a cut goes whole to the piece that comes first.
module grid_piece() difference() {
  intersection() {
    children();
    offset(delta = grid_wall / 2) intersection() { column(grid_bands); row(grid_bands); }
  }
  columns = len(grid_bands[0]);
  for (k = [0 : 1 : piece - 1])
    offset(delta = grid_wall / 2 + play) intersection() {
      polygon(grid_bands[0][k % columns]);
      polygon(grid_bands[1][floor(k / columns)]);
    }
}

module grid() difference() {
  linear_extrude(grid_high) grid_piece() grid_plan();
  translate([0, 0, -1]) linear_extrude(notch + 1) for (b = notches) area(b);
}

module floor_sheet() linear_extrude(floor_high) one_piece(floor_bands) difference() {
  area(sheet);
  bores(tall_posts, m3_free);
}

module recess_sheet() linear_extrude(recess_high) one_piece(recess_bands) difference() {
  area(sheet);
  bores(tall_posts, m3_free);
  at_all(middles) circle(d = recess_wide, $fn = 64);
}

module deck() linear_extrude(deck_high) one_piece(deck_bands) difference() {
  area(sheet);
  for (b = windows) area(b);
  posts(tall_posts, play + 0.2);
  bores(cell_screws, m2_free);
  bores(head_screws, m2_bite);
  bores(ledges, m3_free);
}

module stroke(spots) for (k = [1 : len(spots) - 1]) hull() {
  translate(spots[k - 1]) circle(d = thick, $fn = 6);
  translate(spots[k]) circle(d = thick, $fn = 6);
}

module rim() {
  linear_extrude(rim_high) one_piece(rim_bands) difference() {
    outline();
    cells(0.3);
    bores(tall_posts, m3_free);
  }
  translate([0, 0, rim_high - sunk]) linear_extrude(relief + sunk)
    one_piece(rim_bands) for (letter = letters) for (line = letter[1]) stroke(line);
}

module tray_wall() difference() {
  rise(wall_high) difference() { outline(); area(inner); }
  translate([inner[2] - 1, usb[0] - usb_wide[0] / 2, usb[1] - usb_wide[1] / 2])
    cube([tray_thick + 2, usb_wide[0], usb_wide[1]]);
  for (g = glands) translate([inner[0] + 1, g[0], g[1]]) rotate([0, -90, 0])
    cylinder(d = gland, h = tray_thick + 2, $fn = 24);
  for (b = buttons) translate([b[0], b[1] < 0 ? inner[1] + 1 : inner[3] - 1, room / 2])
    rotate([b[1] < 0 ? 90 : -90, 0, 0]) cylinder(d = button, h = tray_thick + 2, $fn = 24);
}

// Bolts go along the turn: 0 along x, 90 along y.
module flanges() difference() {
  rise(room - 1) for (f = flange_areas) area(f[0]);
  for (f = flange_areas) for (z = [room * 0.25, room * 0.7])
    translate([(f[0][0] + f[0][2]) / 2, (f[0][1] + f[0][3]) / 2, z])
      rotate([0, 90, f[1]]) cylinder(d = m3_free, h = 99, center = true, $fn = 16);
}

// From a little inside the floor upwards, so that it is one body with it.
module rise(high) translate([0, 0, -sunk]) linear_extrude(high + sunk)
  one_piece(tray_bands) children();

module tray() {
  linear_extrude(tray_thick) one_piece(tongue_bands) outline();
  translate([0, 0, tray_thick]) {
    tray_wall();
    if (len(flange_areas) > 0) flanges();
    rise(post_high) difference() { posts(tall_posts); bores(tall_posts, m3_bite); }
    rise(room) difference() {
      union() { posts(ledges); bores(props, post); }
      bores(ledges, m3_bite);
    }
    rise(stand_high) difference() { bores(stands, stand); bores(stands, stand_bite); }
  }
}

// Turned over for printing: what its walls leave room for lies open above, without bridges.
if (part == "grid") translate([0, 0, grid_high]) rotate([180, 0, 0]) grid();
if (part == "floor") floor_sheet();
if (part == "recess") recess_sheet();
if (part == "deck") deck();
if (part == "rim") rim();
if (part == "tray") tray();
"""


def text(design: Design) -> str:
    """The .scad file of a design; `part` and `piece` choose what it draws."""
    return "\n".join([*_head(design), *_sizes(design), *_places(design), "", MODULES])


def _head(design: Design) -> list[str]:
    counts = ", ".join(f"{part} {design.cuts(part).pieces}" for part in _parts(design))
    return [
        f"// lumiban, box of {design.plan.profile.name}: generated from its profile.",
        "// Millimetres, x to the right, y up, from the board's middle; each part lies on z = 0.",
        f"// Parts and how many pieces each has: {counts}.",
        "// openscad -o tray.stl -D 'part=\"tray\"' -D piece=0 FILE",
        "",
        'part = "grid";',
        "piece = 0;",
        "",
    ]


def _parts(design: Design) -> list[str]:
    return list(dict.fromkeys(part for part, _ in design.pieces()))


def _sizes(design: Design) -> list[str]:
    plan, stack = design.plan, design.plan.stack
    post = plan.room + box.DECK_MM + stack.board_mm + stack.grid_mm
    sizes: dict[str, float] = {
        "grid_high": stack.grid_mm, "grid_wall": box.GRID_WALL_MM, "notch": box.NOTCH_MM,
        "boss": box.BOSS_MM, "floor_high": stack.floor_mm, "recess_high": stack.recess_mm,
        "recess_wide": stack.recess_wide_mm, "deck_high": box.DECK_MM, "rim_high": box.RIM_MM,
        "relief": box.RELIEF_MM, "thick": THICK_MM, "tray_thick": box.TRAY_MM, "room": plan.room,
        "wall_high": post + stack.floor_mm + stack.recess_mm, "post_high": post,
        "post": box.POST_MM, "corner": CORNER_MM, "play": stack.play_mm,
        "sunk": 0.5, "stand_high": box.BASE_STAND_MM,
        "stand": 5.0 if plan.alone else box.BASE_POST_MM,
        "stand_bite": box.M2_BITE if plan.alone else box.M3_BITE,
        "m2_free": box.M2_FREE, "m2_bite": box.M2_BITE, "m3_free": box.M3_FREE,
        "m3_bite": box.M3_BITE, "gland": box.GLAND_MM, "button": box.BUTTON_MM,
    }  # fmt: skip
    return [f"{name} = {_number(value)};" for name, value in sizes.items()]


def _places(design: Design) -> list[str]:
    plan, posts = design.plan, design.posts
    tray = design.cuts("tray")
    y, z = plan.usb
    wide, high = box.USB_MM
    variables: dict[str, str] = {
        "outer": _list(plan.outer), "inner": _list(plan.inner), "sheet": _list(plan.sheet),
        "shape": _lists(plan.shape), "middles": _lists(plan.cells),
        "cell_screws": _lists(h for row in plan.rows for h in row.holes[1:]),
        "head_screws": _lists(row.holes[0] for row in plan.rows),
        "windows": _lists(plan.windows), "notches": _lists(plan.notches),
        "tall_posts": _lists(posts.tall), "ledges": _lists(posts.ledges),
        "props": _lists(posts.props), "stands": _lists(plan.below_bores),
        "usb": _list((y, z)), "usb_wide": _list((wide, high)),
        "glands": _lists([plan.gland] if plan.gland else []),
        "buttons": _lists(plan.buttons),
        "grid_bands": _bands(design.cuts("grid")),
        "floor_bands": _bands(design.cuts("floor")),
        "recess_bands": _bands(design.cuts("recess")),
        "deck_bands": _bands(design.cuts("deck")),
        "rim_bands": _bands(design.cuts("rim")),
        "tray_bands": _bands(straight(tray.xs, tray.ys, lambda at, upright: ())),
        "tongue_bands": _bands(tray),
        "flange_areas": "[" + ", ".join(
            f"[{_list(area)}, {turn}]" for area, turn in _flanges(design)
        ) + "]",
        "letters": "[\n" + ",\n".join(
            f'  ["{one.words}", [{", ".join(_lists(line) for line in one.strokes)}]]'
            for one in design.letters
        ) + "\n]",
    }  # fmt: skip
    return [f"{name} = {value};" for name, value in variables.items()]


def _flanges(design: Design) -> list[tuple[box.Box, int]]:
    """Blocks where a cut of the tray meets a wall, and how their bolts are turned."""
    left, bottom, right, top = design.plan.inner
    tray, deep = design.cuts("tray"), FLANGE_DEEP_MM
    flanges: list[tuple[box.Box, int]] = []
    for x in tray.xs:
        flanges.append(((x - FLANGE_MM, bottom - 1, x + FLANGE_MM, bottom + deep), 0))
        flanges.append(((x - FLANGE_MM, top - deep, x + FLANGE_MM, top + 1), 0))
    for y in tray.ys:
        flanges.append(((left - 1, y - FLANGE_MM, left + deep, y + FLANGE_MM), 90))
        flanges.append(((right - deep, y - FLANGE_MM, right + 1, y + FLANGE_MM), 90))
    return flanges


def _number(value: float) -> str:
    return f"{round(value, 3) + 0.0:g}" if abs(value) < 1000 else f"{value:.3f}"


def _list(values: Iterable[float]) -> str:
    return "[" + ", ".join(_number(value) for value in values) + "]"


def _lists(rows: Iterable[Sequence[float]]) -> str:
    return "[" + ", ".join(_list(row) for row in rows) + "]"


def _bands(cuts: Cuts) -> str:
    columns: Sequence[Sequence[Spot]] = cuts.columns or (WHOLE,)
    rows: Sequence[Sequence[Spot]] = cuts.rows or (WHOLE,)
    parts = (", ".join(_lists(band) for band in bands) for bands in (columns, rows))
    return "[" + ", ".join(f"[{part}]" for part in parts) + "]"

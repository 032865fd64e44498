"""Designs of the pieces, and their OpenSCAD text: three bodies, a cap for each kind to be felt."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from lumiban_hw.magnetics import STRONG, WEAK, Magnet
from lumiban_hw.stack import STACK, Stack

Spot = tuple[float, float]
Pole = Literal["N", "S", ""]

RIM_MM = 1.0
"""Wall round the cap."""
CAP_MM = 1.4
"""Depth in mm of a cap in its body, and least thickness over the magnet."""
MARK_MM = 0.4
"""Depth in mm of the pole's letter in the ledge."""
CHAMFER_MM = 0.4
HEAD_MM = 4.0
"""Height in mm of a dove above its body."""
KNOB_MM = 1.4
"""Height of a bump, depth of a dimple or groove."""


@dataclass(frozen=True, slots=True)
class Body:
    """The lower part: `up` is the pole that faces up as the magnet is put in; "" for
    either."""

    name: str
    magnet: Magnet
    up: Pole

    def pocket(self, stack: Stack = STACK) -> tuple[float, float]:
        """Diameter and height of the magnet's room."""
        return self.magnet.diameter_mm + stack.pocket_mm, self.magnet.length_mm + stack.pocket_mm

    def ledge(self, stack: Stack = STACK) -> float:
        """Height of the ledge on which the cap lies."""
        return stack.skin_mm + self.pocket(stack)[1]

    def top(self, stack: Stack = STACK) -> float:
        """Height of the rim."""
        return self.ledge(stack) + CAP_MM


WHITE_BODY = Body("body-white", STRONG, "N")
"""South down: the sensor's output rises, which the firmware calls white."""
BLACK_BODY = Body("body-black", STRONG, "S")
NEUTRAL_BODY = Body("body-neutral", WEAK, "")
BODIES = (WHITE_BODY, BLACK_BODY, NEUTRAL_BODY)


@dataclass(frozen=True, slots=True)
class Piece:
    """A piece: a body and the cap that is glued on it."""

    name: str
    body: Body
    group: str
    """Pieces of one group may lie on one table, and fingers must tell them apart."""

    @property
    def cap(self) -> str:
        """The name of its cap."""
        return f"cap-{self.name}"


DOVES = {
    "b": "flower of five petals", "a": "star of eight points", "y": "plus", "m": "square",
    "t": "bar", "h": "crescent",
}  # fmt: skip
"""The outline of each kind of dove, by the letter of its notation."""


def _pieces() -> tuple[Piece, ...]:
    sides = {"white": WHITE_BODY, "black": BLACK_BODY}
    pieces = [Piece(colour, body, "stones") for colour, body in sides.items()]
    pieces.append(Piece("neutral", NEUTRAL_BODY, "stones"))
    pieces += [Piece(f"marker-{colour}", body, "markers") for colour, body in sides.items()]
    for colour, body in (("red", WHITE_BODY), ("green", BLACK_BODY)):
        pieces += [Piece(f"dove-{kind}-{colour}", body, "doves") for kind in DOVES]
    return tuple(pieces)


PIECES = _pieces()
"""All that games on our boards take, by the names that `lumiban hardware pieces` tells."""

PARTS = (*(body.name for body in BODIES), *(piece.cap for piece in PIECES))
"""Everything that is printed."""


def printed(pieces: Mapping[str, int]) -> dict[str, int]:
    """Number of prints of each part for these numbers of pieces; KeyError for an unknown piece.

    >>> printed({"white": 30, "dove-b-red": 1})
    {'body-white': 31, 'cap-white': 30, 'cap-dove-b-red': 1}
    """
    known = {piece.name: piece for piece in PIECES}
    counts: dict[str, int] = {}
    for name, count in pieces.items():
        for part in (known[name].body.name, known[name].cap):
            counts[part] = counts.get(part, 0) + count
    return {part: counts[part] for part in PARTS if part in counts}


LETTERS: dict[Pole, tuple[Spot, ...]] = {
    "N": ((0, 0), (0.8, 0), (0.8, 2), (1.8, 0), (2.6, 0), (2.6, 3.4), (1.8, 3.4), (1.8, 1.4),
          (0.8, 3.4), (0, 3.4)),
    "S": ((0, 0), (2.6, 0), (2.6, 2.1), (0.8, 2.1), (0.8, 2.6), (2.6, 2.6), (2.6, 3.4), (0, 3.4),
          (0, 1.3), (1.8, 1.3), (1.8, 0.8), (0, 0.8)),
}  # fmt: skip
"""Outlines of the poles' letters, from their lower left corner."""
LETTER_AT: Spot = (-1.3, 3.9)
"""Place of that corner on the ledge."""


# The pieces as OpenSCAD text, from which every part is rendered.

_SHAPES = """\
// Bodies: a cup; the magnet lies on its skin, the cap on its ledge.
module body(magnet_wide, magnet_high, up) {
  pocket = magnet_wide + pocket_play;
  ledge = skin + magnet_high + pocket_play;
  top = ledge + cap_deep;
  difference() {
    rotate_extrude() polygon([
      [0, 0], [piece_wide / 2 - chamfer, 0], [piece_wide / 2, chamfer], [piece_wide / 2, top],
      [piece_wide / 2 - rim, top], [piece_wide / 2 - rim, ledge], [pocket / 2, ledge],
      [pocket / 2, skin], [0, skin]]);
    translate([letter_at[0], letter_at[1], ledge - mark_deep])
      linear_extrude(mark_deep + 1) letter(up);
  }
}

// The pole that looks up while the magnet is put in.
module letter(up) {
  if (up == "N") polygon(letter_n);
  if (up == "S") polygon(letter_s);
}

// Caps: a disc that sits in the body, and what fingers feel above it.
cap_wide = piece_wide - 2 * rim - 2 * play;

module turned(points) {
  rotate_extrude()
    polygon(concat([[0, 0], [cap_wide / 2, 0], [cap_wide / 2, cap_deep]], points));
}

module dome() {
  turned([for (a = [6:6:90]) [cap_wide / 2 * cos(a), cap_deep + 3.4 * sin(a)]]);
}

module ring() {
  high = cap_deep + 1.2;
  turned([[cap_wide / 2 - 0.6, high], [5.6, high], [4.9, high - knob], [3.7, high - knob],
          [3, high], [0, high]]);
}

module cross() {
  union() {
    cylinder(d = cap_wide, h = cap_deep);
    linear_extrude(cap_deep + knob)
      for (turn = [0, 90]) rotate(turn) square([13, 3.2], center = true);
  }
}

// Markers: a stem for two fingers, so that little light is hidden.
module stem(points) {
  high = cap_deep + 12;
  turned(concat([[cap_wide / 2 - 0.8, cap_deep + 0.8], [3, cap_deep + 1.6]], points));
}

module marker_white() {
  stem(concat([[3, cap_deep + 8]],
    [for (a = [-40:10:90]) [4 * cos(a), cap_deep + 11 + 4 * sin(a)]]));
}

module marker_black() {
  stem(concat([[3, cap_deep + 3]],
    [for (k = [0:3]) for (p = [[2.1, 0.7], [2.1, 1.7], [3, 2.4], [3, 3]])
      [p[0], cap_deep + 3 + 3 * k + p[1]]],
    [[0, cap_deep + 15]]));
}

// Doves: outlines that differ wherever they are turned to.
module flower() {
  rounded() { circle(d = 8); for (k = [0:4]) rotate(72 * k) translate([4.6, 0]) circle(d = 5.4); }
}
module star() {
  polygon([for (k = [0:15]) let (r = k % 2 ? 4.7 : 7.7) [r * cos(22.5 * k), r * sin(22.5 * k)]]);
}
module plus() {
  rounded() for (turn = [0, 90]) rotate(turn) square([14.4, 5.2], center = true);
}
module tile() { square(10.6, center = true); }
module bar() { square([14, 6], center = true); }
module crescent() {
  difference() { circle(d = 14.8); translate([4.6, 0]) circle(d = 8.6); }
}
module rounded() { offset(r = -0.8) offset(r = 0.8) children(); }

module soft() { offset(r = 0.5, $fn = 20) offset(r = -0.5) children(); }

module outline(kind) soft() {
  if (kind == "b") flower();
  if (kind == "a") star();
  if (kind == "y") plus();
  if (kind == "m") tile();
  if (kind == "t") bar();
  if (kind == "h") crescent();
}

// Red has a bump on top, green a dimple; on the crescent they lie where it is broadest.
module dove(kind, side) {
  high = cap_deep + head;
  at = kind == "h" ? [-3.6, 0] : [0, 0];
  difference() {
    union() {
      cylinder(d = cap_wide, h = cap_deep);
      linear_extrude(high) outline(kind);
      if (side == "red") translate([at[0], at[1], high - 0.4])
        cylinder(d1 = 5.2, d2 = 4.4, h = knob + 0.4, $fn = 24);
    }
    if (side == "green") translate([at[0], at[1], high - knob])
      cylinder(d1 = 4.4, d2 = 5.2, h = knob + 0.4, $fn = 24);
  }
}
"""
_CAPS = {
    "white": "dome()", "black": "ring()", "neutral": "cross()", "marker-white": "marker_white()",
    "marker-black": "marker_black()",
}  # fmt: skip


def source(stack: Stack = STACK) -> str:
    """The file `pieces.scad`: every part, chosen by the variable `part`."""
    sizes = {
        "piece_wide": stack.piece_wide_mm, "skin": stack.skin_mm, "pocket_play": stack.pocket_mm,
        "play": stack.play_mm, "rim": RIM_MM, "cap_deep": CAP_MM, "chamfer": CHAMFER_MM,
        "mark_deep": MARK_MM, "head": HEAD_MM, "knob": KNOB_MM,
    }  # fmt: skip
    lines = [
        "// Pieces of a lumiban board. Made by `lumiban hardware build`; sizes in mm.",
        "// Choose a part here, or render with -D 'part=\"cap-white\"'.",
        f'part = "{PARTS[0]}"; // [{", ".join(PARTS)}]',
        "$fn = 64;",
        "",
        *(f"{name} = {value:g};" for name, value in sizes.items()),
        f"letter_at = [{LETTER_AT[0]:g}, {LETTER_AT[1]:g}];",
        *(f"letter_{pole.lower()} = {_points(spots)};" for pole, spots in LETTERS.items()),
        "",
        _SHAPES,
    ]
    for body in BODIES:
        magnet = body.magnet
        lines.append(
            f'if (part == "{body.name}")'
            f' body({magnet.diameter_mm:g}, {magnet.length_mm:g}, "{body.up}");'
        )
    for piece in PIECES:
        made = _CAPS.get(piece.name)
        if made is None:
            _, kind, side = piece.name.split("-")
            lines.append(f"// {DOVES[kind]}")
            made = f'dove("{kind}", "{side}")'
        lines.append(f'if (part == "{piece.cap}") {made};')
    return "\n".join(lines) + "\n"


def _points(spots: tuple[tuple[float, float], ...]) -> str:
    return "[" + ", ".join(f"[{x:g}, {y:g}]" for x, y in spots) + "]"

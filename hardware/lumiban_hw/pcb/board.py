"""The drawing of a circuit board: parts with nets, tracks, vias, zones, holes and texts.

Millimetres, x to the right, y down, as seen from above; layers `F` (top) and `B` (bottom). A
drawing knows nothing of KiCad: it is turned into JSON, which `kicad` takes.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from itertools import pairwise
from typing import Any, Literal

from lumiban_hw.parts import Part
from lumiban_hw.pcb.lands import LANDS, Land

Point = tuple[float, float]
Layer = Literal["F", "B"]

TRACK_MM = 0.2
CLEARANCE_MM = 0.15
"""Least distance between copper of two nets; ordinary makers ask for 0.127."""
VIA_MM, VIA_DRILL_MM = 0.5, 0.3
HEAD_MM = {3.2: 3.5, 2.2: 2.3}
"""Rule area by hole: M3 pan heads reach 2.8 to 3.0 mm from the middle, M2 ones 1.9 to 2.0 mm."""
EDGE_MM = 0.3
"""Least distance of copper from the board's edge."""


@dataclass(frozen=True)
class Placed:
    """A part on the board, turned anticlockwise by `turn` degrees, with the net of each pad."""

    ref: str
    part: Part
    x: float
    y: float
    turn: int
    nets: Mapping[str, str]

    @property
    def land(self) -> Land:
        """Its land pattern."""
        return LANDS[self.part.land]

    def at(self, x: float, y: float) -> Point:
        """A place of the land pattern on the board."""
        angle = math.radians(self.turn)
        c, s = round(math.cos(angle)), round(math.sin(angle))
        return round(self.x + x * c + y * s, 4), round(self.y - x * s + y * c, 4)

    def pad(self, number: str) -> Point:
        """Middle of the first pad of this number; KeyError."""
        for pad in self.land.pads:
            if pad.number == number:
                return self.at(pad.x, pad.y)
        raise KeyError(f"{self.ref} has no pad {number}")


@dataclass(frozen=True, slots=True)
class Track:
    """A straight piece of copper with round ends."""

    net: str
    layer: Layer
    a: Point
    b: Point
    width: float


@dataclass(frozen=True, slots=True)
class Via:
    """A plated hole between both layers."""

    net: str
    at: Point
    size: float = VIA_MM
    drill: float = VIA_DRILL_MM


@dataclass(frozen=True, slots=True)
class Zone:
    """An area that is filled with copper of a net; the higher rank is filled first."""

    net: str
    layer: Layer
    outline: tuple[Point, ...]
    rank: int = 0
    solid: bool = False
    """Joined to its pads all round, for much current, rather than by four spokes."""


@dataclass(frozen=True, slots=True)
class Hole:
    """A hole without copper, for a screw."""

    at: Point
    diameter: float

    @property
    def head_mm(self) -> float:
        """Radius of its rule area, which holds no copper: a washer's or pan head's and 0.5 mm for
        its play. Solder mask does not insulate."""
        return HEAD_MM[round(self.diameter, 1)]


@dataclass(frozen=True, slots=True)
class Text:
    """Words in silk; `side` B reads from below."""

    words: str
    at: Point
    size: float = 1.0
    side: Layer = "F"
    turn: int = 0


@dataclass
class Board:
    """A board while it is drawn; the outline is a box (left, top, right, bottom)."""

    name: str
    title: str
    outline: tuple[float, float, float, float]
    parts: list[Placed] = field(default_factory=list)
    tracks: list[Track] = field(default_factory=list)
    vias: list[Via] = field(default_factory=list)
    zones: list[Zone] = field(default_factory=list)
    holes: list[Hole] = field(default_factory=list)
    texts: list[Text] = field(default_factory=list)

    def place(
        self, ref: str, part: Part, at: Point, turn: int = 0, nets: Mapping[str, str] | None = None
    ) -> Placed:
        """Put a part; `nets` by the names of its pins, or by pad number."""
        pads = {}
        for name, net in (nets or {}).items():
            numbers = [n for n, (called, _) in part.pins.items() if called == name] or [name]
            pads.update(dict.fromkeys(numbers, net))
        placed = Placed(ref, part, *at, turn % 360, pads)
        self.parts.append(placed)
        return placed

    def track(
        self, net: str, points: Sequence[Point], layer: Layer = "F", width: float = TRACK_MM
    ) -> None:
        """Copper along these points."""
        for a, b in pairwise(points):
            if math.dist(a, b) > 1e-4:
                self.tracks.append(Track(net, layer, a, b, width))

    def via(self, net: str, at: Point, size: float = VIA_MM, drill: float = VIA_DRILL_MM) -> None:
        """A via."""
        self.vias.append(Via(net, (round(at[0], 4), round(at[1], 4)), size, drill))

    def down(self, placed: Placed, pad: str, dx: float, dy: float, width: float = 0.4) -> None:
        """A short track from a pad to a via beside it, to the plane of the pad's net."""
        a = placed.pad(pad)
        b = (a[0] + dx, a[1] + dy)
        self.track(placed.nets[pad], [a, b], width=width)
        self.via(placed.nets[pad], b)

    def zone(
        self,
        net: str,
        layer: Layer,
        outline: Iterable[Point],
        rank: int = 0,
        *,
        solid: bool = False,
    ) -> None:
        """Fill an area."""
        self.zones.append(Zone(net, layer, tuple(outline), rank, solid))

    def part(self, ref: str) -> Placed:
        """The part of this name; KeyError."""
        for placed in self.parts:
            if placed.ref == ref:
                return placed
        raise KeyError(ref)

    def nets(self) -> dict[str, list[tuple[str, str]]]:
        """(part, pad) of each net, as drawn."""
        found: dict[str, list[tuple[str, str]]] = {}
        for placed in self.parts:
            for number, net in placed.nets.items():
                found.setdefault(net, []).append((placed.ref, number))
        return found

    def document(self) -> dict[str, Any]:
        """The drawing as JSON can hold it."""
        said = asdict(self)
        said["parts"] = [
            {
                "ref": p.ref,
                "value": p.part.value,
                "land": asdict(p.land),
                "x": p.x,
                "y": p.y,
                "turn": p.turn,
                "nets": dict(p.nets),
                "soldered": bool(p.part.number),
            }
            for p in self.parts
        ]
        return said

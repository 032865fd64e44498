"""The drawing of a circuit board: parts with nets, tracks, vias, zones, holes and texts.

Millimetres, x to the right, y down, as seen from above; layers `F` (top) and `B` (bottom). A
drawing knows nothing of KiCad: it is turned into JSON, which `kicad` takes. Land patterns say
where the pads of a package lie; `label` puts the names of parts where they cover nothing else.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Literal

from lumiban_hw.parts import TEST_PAD, Part

Point = tuple[float, float]
Layer = Literal["F", "B"]

REVISION = "3"
"""Of the boards, as it stands on their silkscreen."""
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
    edges: list[tuple[Point, Point]] = field(default_factory=list)
    """Cut edges, if they are not the outline: a panel's."""
    bites: list[Hole] = field(default_factory=list)
    """Small holes along which a panel's tabs break."""

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

    def test_pad(self, letter: str, net: str, at: Point, beside: Point) -> Placed:
        """A pad for a probe, with its letter in silk so far beside it."""
        self.texts.append(Text(letter, (round(at[0] + beside[0], 2), round(at[1] + beside[1], 2))))
        return self.place(f"TP{letter}", TEST_PAD, at, nets={"1": net})

    def part(self, ref: str) -> Placed:
        """The part of this name; KeyError."""
        for placed in self.parts:
            if placed.ref == ref:
                return placed
        raise KeyError(ref)

    def nets(self) -> dict[str, list[tuple[str, str]]]:
        """(part, pad) of each net, as drawn."""
        pads_by_net: dict[str, list[tuple[str, str]]] = {}
        for placed in self.parts:
            for number, net in placed.nets.items():
                pads_by_net.setdefault(net, []).append((placed.ref, number))
        return pads_by_net


# Land patterns: where the pads of a package lie, in mm from its middle or first pin, y down.
# Dimensions follow the makers' recommended patterns (IPC-7351, nominal density).

Shape = Literal["rect", "round"]


@dataclass(frozen=True, slots=True)
class Pad:
    """One pad; a `drill` of 0 is a pad of the top side alone."""

    number: str
    x: float
    y: float
    width: float
    height: float
    shape: Shape = "rect"
    drill: float = 0.0


@dataclass(frozen=True, slots=True)
class Land:
    """A package's pads and the box its body takes (left, top, right, bottom).

    `below`: the part is put in from below; the pads are then already as seen from above.
    """

    name: str
    pads: tuple[Pad, ...]
    body: tuple[float, float, float, float]
    below: bool = False
    mark: tuple[float, float] | None = None
    """Place of the dot that shows pin 1."""
    ticks: tuple[tuple[float, float, float, float], ...] = ()
    """Lines in silk from (x, y) to (x, y): the key of a plug."""


def _two(name: str, half: float, width: float, height: float, body: tuple[float, float]) -> Land:
    x, y = body[0] / 2, body[1] / 2
    pads = (Pad("1", -half, 0, width, height), Pad("2", half, 0, width, height))
    return Land(name, pads, (-x, -y, x, y))


def _polar(name: str, half: float, width: float, height: float, body: tuple[float, float]) -> Land:
    made = _two(name, half, width, height, body)
    return Land(name, made.pads, made.body, mark=(-half - width / 2 - 0.5, 0))


def _dual(
    name: str, pins: int, pitch: float, half: float, pad: tuple[float, float], body: float
) -> Land:
    """Two columns of pins, counted down the left and up the right."""
    rows = pins // 2
    top = -(rows - 1) * pitch / 2
    pads = [Pad(str(k + 1), -half, top + k * pitch, *pad) for k in range(rows)]
    pads += [Pad(str(pins - k), half, top + k * pitch, *pad) for k in range(rows)]
    edge = -top + pitch * 0.6
    first = (-half - pad[0] / 2 - 0.5, top)
    return Land(name, tuple(pads), (-body / 2, -edge, body / 2, edge), mark=first)


def _box_header(name: str, below: bool) -> Land:
    """A boxed 2 × 7 pin header with a key, 2.54 mm; odd pins in the first column."""
    side = -1 if below else 1
    pads = tuple(
        Pad(
            str(2 * row + 1 + column),
            side * 2.54 * column,
            2.54 * row,
            1.7,
            1.7,
            "round" if row or column else "rect",
            1.0,
        )
        for row in range(7)
        for column in range(2)
    )
    left, right = sorted((side * -3.18, side * 5.72))
    key = tuple((side * -3.18, y, side * -1.9, y) for y in (5.4, 9.84))
    return Land(name, pads, (left, -5.1, right, 20.34), below, (side * -1.7, -1.7), key)


def _in_line(
    name: str, pins: int, pitch: float, pad: float, drill: float, body: Iterable[float]
) -> Land:
    pads = tuple(
        Pad(str(k + 1), k * pitch, 0, pad, pad, "round" if k else "rect", drill)
        for k in range(pins)
    )
    left, top, right, bottom = body
    return Land(name, pads, (left, top, right, bottom), mark=(0, top - 0.6))


def _pico() -> Land:
    """A Raspberry Pi Pico in two sockets of 20, its USB plug at the top."""
    top = -9.5 * 2.54
    pads = [
        Pad(str(k + 1), -8.89, top + 2.54 * k, 1.7, 1.7, "round" if k else "rect", 1.0)
        for k in range(20)
    ]
    pads += [Pad(str(40 - k), 8.89, top + 2.54 * k, 1.7, 1.7, "round", 1.0) for k in range(20)]
    return Land("Pico", tuple(pads), (-10.5, -25.5, 10.5, 25.5), mark=(-11.0, top))


def _fuse_holder() -> Land:
    """A holder for a mini blade fuse with two pins an end (Keystone 3568)."""
    pads = tuple(
        Pad(number, x, y, 2.78, 2.78, "round", 1.78)
        for number, x in (("1", 0.0), ("2", 9.92))
        for y in (0.0, 3.4)
    )
    return Land("FuseMini", pads, (-3.0, -1.7, 12.9, 5.1))


def _sot23(name: str, left: tuple[str, ...], right: tuple[str, ...], half: float) -> Land:
    """The small three and five pin packages; pins by the side they stand on, from the top."""
    size = (1.475, 0.6) if len(left) == 2 else (1.325, 0.6)
    rows = {1: (0.0,), 2: (-0.95, 0.95), 3: (-0.95, 0.0, 0.95)}
    pads = [Pad(n, -half, y, *size) for n, y in zip(left, rows[len(left)], strict=True)]
    pads += [Pad(n, half, y, *size) for n, y in zip(right, rows[len(right)], strict=True)]
    return Land(name, tuple(pads), (-0.7, -1.5, 0.7, 1.5), mark=(-half - 1.2, -0.95))


def _light() -> Land:
    """WS2812B, 5 × 5 mm."""
    spots = (("1", -1, -1), ("2", -1, 1), ("3", 1, 1), ("4", 1, -1))
    pads = tuple(Pad(n, 2.45 * x, 1.6 * y, 1.5, 1.0) for n, x, y in spots)
    return Land("WS2812B", pads, (-2.6, -2.6, 2.6, 2.6), mark=(-3.0, -2.9))


LANDS = {
    land.name: land
    for land in (
        _two("0603", 0.8, 0.85, 0.95, (1.6, 0.8)),
        _two("0805", 0.95, 1.0, 1.4, (2.0, 1.25)),
        _two("1206", 1.45, 1.15, 1.75, (3.2, 1.6)),
        _polar("SMA", 2.0, 2.5, 1.8, (4.5, 2.6)),
        _polar("SMB", 2.15, 2.5, 2.3, (4.6, 3.8)),
        _polar("SOD-123", 1.65, 0.9, 1.2, (2.7, 1.6)),
        _polar("LED0805", 0.95, 1.0, 1.4, (2.0, 1.25)),
        _sot23("SOT-23", ("1", "2"), ("3",), 0.9375),
        _sot23("SOT-23-5", ("1", "2", "3"), ("5", "4"), 1.1375),
        _dual("SOIC-8", 8, 1.27, 2.475, (1.95, 0.6), 3.9),
        _dual("TSSOP-24", 24, 0.65, 2.8625, (1.475, 0.4), 4.4),
        _light(),
        _box_header("Box14", below=False),
        _box_header("Box14below", below=True),
        _in_line("XH2", 2, 2.5, 1.75, 1.0, (-2.45, -3.4, 4.95, 2.35)),
        _in_line("Screw2", 2, 5.08, 2.6, 1.4, (-3.54, -4.3, 8.62, 4.3)),
        _in_line("Can10", 2, 5.0, 2.0, 1.0, (-2.5, -5.0, 7.5, 5.0)),
        _pico(),
        _fuse_holder(),
        Land("TestPad", (Pad("1", 0, 0, 1.5, 1.5, "round"),), (-0.75, -0.75, 0.75, 0.75)),
        Land("Fiducial", (Pad("", 0, 0, 1.0, 1.0, "round"),), (-1, -1, 1, 1)),
    )
}
"""Every land pattern by its name."""


# Names of parts in silk: each beside its part, where it covers nothing else.

SIZES_MM = (1.0, 0.8)
_GAP_MM = 0.3
_EDGE_MM = 0.6

Box = tuple[float, float, float, float]


def label(board: Board) -> None:
    """Add the name of every soldered part that no text names yet; where there is no room, none."""
    named = {word for text in board.texts for word in text.words.split()}
    taken = [*_bodies(board), *(_of_text(text) for text in board.texts if text.side == "F")]
    for placed in board.parts:
        if not placed.part.number or placed.ref in named or placed.land.below:
            continue
        text = _beside(board, placed, taken)
        if text:
            board.texts.append(text)
            taken.append(_of_text(text))


def _beside(board: Board, placed: Placed, taken: list[Box]) -> Text | None:
    left, top, right, bottom = _around(placed)
    edge = board.outline
    x, y = (left + right) / 2, (top + bottom) / 2
    for size in SIZES_MM:
        wide, high = _width(placed.ref, size) / 2 + _GAP_MM, size / 2 + _GAP_MM
        for at in (
            (right + wide, y), (x, top - high), (x, bottom + high), (left - wide, y),
            (right + wide, top), (right + wide, bottom), (left - wide, top), (left - wide, bottom),
        ):  # fmt: skip
            text = Text(placed.ref, (round(at[0], 2), round(at[1], 2)), size)
            box = _of_text(text)
            inside = (
                box[0] > edge[0] + _EDGE_MM
                and box[1] > edge[1] + _EDGE_MM
                and box[2] < edge[2] - _EDGE_MM
                and box[3] < edge[3] - _EDGE_MM
            )
            if inside and not any(_meet(box, other) for other in taken):
                return text
    return None


def _bodies(board: Board) -> Iterator[Box]:
    """Areas that silk must avoid: pads of both sides, bodies on top, holes."""
    for placed in board.parts:
        yield _around(placed)
    for hole in board.holes:
        (x, y), r = hole.at, hole.diameter / 2 + 0.3
        yield x - r, y - r, x + r, y + r


def _around(placed: Placed) -> Box:
    """The box around a part's pads and, on the top side, its body and the dot at its first pin."""
    land = placed.land
    corners = []
    for pad in land.pads:
        w, h = pad.width / 2, pad.height / 2
        corners += [placed.at(pad.x - w, pad.y - h), placed.at(pad.x + w, pad.y + h)]
    if not land.below:
        left, top, right, bottom = land.body
        corners += [placed.at(left, top), placed.at(right, bottom)]
        if land.mark:
            corners += [placed.at(land.mark[0] + d, land.mark[1] + d) for d in (-0.25, 0.25)]
    xs, ys = [x for x, _ in corners], [y for _, y in corners]
    return min(xs), min(ys), max(xs), max(ys)


def _width(words: str, size: float) -> float:
    """KiCad's stroke letters are about as wide as nine tenths of their height."""
    return 0.95 * size * len(words)


def _of_text(text: Text) -> Box:
    wide, high = _width(text.words, text.size) / 2, text.size / 2 + 0.15
    if text.turn % 180:
        wide, high = high, wide
    x, y = text.at
    return x - wide, y - high, x + wide, y + high


def _meet(a: Box, b: Box) -> bool:
    return a[0] < b[2] and b[0] < a[2] and a[1] < b[3] and b[1] < a[3]

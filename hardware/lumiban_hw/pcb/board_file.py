"""A drawing as KiCad's own board file and its project: s-expressions, written without KiCad.

The format is KiCad 9's, as its documentation of file formats says. Everything has an identity made
from its name (`identity`), so that the same drawing is the same file, byte for byte, and a symbol
of the schematic can be told to be this footprint.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from uuid import NAMESPACE_URL, uuid5

from lumiban_hw.pcb.drawing import (
    CLEARANCE_MM,
    EDGE_MM,
    TRACK_MM,
    VIA_DRILL_MM,
    VIA_MM,
    Board,
    Hole,
    Land,
    Pad,
    Placed,
    Point,
    Text,
    Track,
    Via,
    Zone,
)

FORMAT = "20241229"
"""The format's version that KiCad 9 writes."""
CORNER_MM = (100.0, 60.0)
"""Place of the board's upper left corner on KiCad's page."""
CORNERS = 24
"""Of a rule area, which is to be round."""
COPPER = {"F": "F.Cu", "B": "B.Cu"}
LAYERS = (
    (0, "F.Cu", "signal", ""), (2, "B.Cu", "signal", ""),
    (5, "F.SilkS", "user", "F.Silkscreen"), (7, "B.SilkS", "user", "B.Silkscreen"),
    (13, "F.Paste", "user", ""), (15, "B.Paste", "user", ""),
    (1, "F.Mask", "user", ""), (3, "B.Mask", "user", ""),
    (25, "Edge.Cuts", "user", ""), (27, "Margin", "user", ""),
    (31, "F.CrtYd", "user", "F.Courtyard"), (29, "B.CrtYd", "user", "B.Courtyard"),
    (35, "F.Fab", "user", ""), (33, "B.Fab", "user", ""),
)  # fmt: skip
LOOSE = "unconnected-("
"""Prefix of KiCad's name for a net that has a single pin, on purpose."""


def identity(*names: str) -> str:
    """A UUID that is always the same for these names.

    >>> identity("strip5", "S1")[:8] == identity("strip5", "S1")[:8] != identity("base", "S1")[:8]
    True
    """
    return str(uuid5(NAMESPACE_URL, "lumiban/" + "/".join(names)))


def quoted(words: str) -> str:
    r"""A text as the format takes it.

    >>> print(quoted('a "b"'))
    "a \"b\""
    """
    escaped = words.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    return f'"{escaped}"'


def num(value: float) -> str:
    """A number without useless digits; millimetres to a tenth of a micrometre.

    >>> num(1.50), num(-0.00001), num(10)
    ('1.5', '0', '10')
    """
    digits = f"{value:.4f}".rstrip("0").rstrip(".")
    return "0" if digits in ("-0", "") else digits


def loose_net(placed: Placed, number: str) -> str:
    """The net that KiCad gives to a pin that is connected to nothing.

    Schematic and board agree by this name as by any other.
    """
    name = placed.part.pins.get(number, ("", ""))[0]
    return f"{LOOSE}{placed.ref}-{name + '-' if name else ''}Pad{number})"


def board_text(board: Board, symbols: Mapping[str, str] | None = None) -> str:
    """The whole `.kicad_pcb`; zones are not filled yet.

    `symbols` is the path of each part's symbol in the schematic, by the part's name.
    """
    return "\n".join(_Writer(board, symbols or {}).lines()) + "\n"


def project_text(board: Board, sheets: Iterable[tuple[str, str]] = ()) -> str:
    """The `.kicad_pro` beside it: least widths and distances; `sheets` are identity and name."""
    rules = {
        "min_clearance": CLEARANCE_MM,
        "min_track_width": TRACK_MM,
        "min_via_diameter": VIA_MM,
        "min_through_hole_diameter": VIA_DRILL_MM,
        "min_copper_edge_clearance": EDGE_MM,
        "min_hole_clearance": 0.2,
        "min_hole_to_hole": 0.25,
        "min_via_annular_width": (VIA_MM - VIA_DRILL_MM) / 2,
        "min_resolved_spokes": 1,  # ground pins hang on a track as well
        "min_text_height": 0.8,
        "min_text_thickness": 0.08,
        "solder_mask_to_copper_clearance": 0.0,
    }
    usual = {
        "name": "Default",
        "clearance": CLEARANCE_MM,
        "track_width": TRACK_MM,
        "via_diameter": VIA_MM,
        "via_drill": VIA_DRILL_MM,
        "diff_pair_gap": 0.25,
        "diff_pair_via_gap": 0.25,
        "diff_pair_width": TRACK_MM,
        "microvia_diameter": 0.3,
        "microvia_drill": 0.1,
        "bus_width": 12,
        "wire_width": 6,
        "line_style": 0,
        "pcb_color": "rgba(0, 0, 0, 0.000)",
        "schematic_color": "rgba(0, 0, 0, 0.000)",
        "priority": 2147483647,
    }
    # Land patterns and symbols are ours and stand in the files: there is no library to compare.
    here = {"lib_footprint_issues": "ignore", "lib_footprint_mismatch": "ignore"}
    there = {"lib_symbol_issues": "ignore", "footprint_link_issues": "ignore"}
    project = {
        "board": {"design_settings": {"rules": rules, "rule_severities": here}},
        "erc": {"rule_severities": there},
        "meta": {"filename": f"{board.name}.kicad_pro", "version": 3},
        "net_settings": {
            "classes": [usual],
            "meta": {"version": 4},
            "net_colors": None,
            "netclass_assignments": None,
            "netclass_patterns": [],
        },
        "sheets": [list(one) for one in sheets],
    }
    return json.dumps(project, indent=2) + "\n"


class _Writer:
    """Lines of one board; places are turned into those of KiCad's page here alone."""

    def __init__(self, board: Board, symbols: Mapping[str, str]) -> None:
        self.board = board
        self.symbols = symbols
        self.left = CORNER_MM[0] - board.outline[0]
        self.top = CORNER_MM[1] - board.outline[1]
        names = {net for placed in board.parts for net in placed.nets.values()}
        names |= {track.net for track in board.tracks} | {via.net for via in board.vias}
        names |= {zone.net for zone in board.zones}
        names |= {loose_net(placed, pad.number) for placed, pad in self._loose()}
        self.nets = {name: n for n, name in enumerate(["", *sorted(names - {""})])}
        self._count: dict[str, int] = {}

    def lines(self) -> Iterator[str]:
        board = self.board
        yield f'(kicad_pcb (version {FORMAT}) (generator "lumiban") (generator_version "9.0")'
        yield "(general (thickness 1.6) (legacy_teardrops no))"
        yield '(paper "A3")'
        yield f"(title_block (title {quoted(board.title)}))"
        yield "(layers"
        for number, name, kind, called in LAYERS:
            yield f"({number} {quoted(name)} {kind}{' ' + quoted(called) if called else ''})"
        yield ")"
        origin = self._xy((board.outline[0], board.outline[3]))
        yield (
            "(setup (pad_to_mask_clearance 0) (allow_soldermask_bridges_in_footprints no)"
            f" (aux_axis_origin {origin}) (grid_origin {origin}))"
        )
        for name, n in self.nets.items():
            yield f"(net {n} {quoted(name)})"
        for placed in board.parts:
            yield from self._part(placed)
        for n, hole in enumerate([*board.holes, *board.bites], 1):
            yield from self._hole(hole, n)
        for track in board.tracks:
            yield self._track(track)
        for via in board.vias:
            yield self._via(via)
        for zone in board.zones:
            yield self._zone(zone)
        for hole in board.holes:
            yield self._rule_area(hole)
        for text in board.texts:
            yield self._text(text)
        corners = _corners(board.outline)
        for a, b in board.edges or zip(corners, [*corners[1:], corners[0]], strict=True):
            yield (
                f"(gr_line (start {self._xy(a)}) (end {self._xy(b)})"
                f' (stroke (width 0.1) (type solid)) (layer "Edge.Cuts") {self._id("edge")})'
            )
        yield ")"

    def _loose(self) -> Iterator[tuple[Placed, Pad]]:
        """Pads of parts that have a symbol, and no net."""
        for placed in self.board.parts:
            if placed.part.number:
                for pad in placed.land.pads:
                    if pad.number and not placed.nets.get(pad.number):
                        yield placed, pad

    def _id(self, kind: str) -> str:
        self._count[kind] = self._count.get(kind, 0) + 1
        return f'(uuid "{identity(self.board.name, kind, str(self._count[kind]))}")'

    def _xy(self, at: Point) -> str:
        return f"{num(at[0] + self.left)} {num(at[1] + self.top)}"

    def _net(self, name: str) -> str:
        return f"(net {self.nets[name]} {quoted(name)})" if name else ""

    def _part(self, placed: Placed) -> Iterator[str]:
        """A part with its pads, its outline and its texts."""
        land, ref = placed.land, placed.ref
        soldered = bool(placed.part.number)
        turn = f" {placed.turn}" if placed.turn else ""
        yield f'(footprint {quoted("lumiban:" + land.name)} (layer "F.Cu")'
        yield f'(uuid "{identity(self.board.name, "part", ref)}")'
        yield f"(at {self._xy((placed.x, placed.y))}{turn})"
        properties = {
            "Reference": ref,
            "Value": placed.part.value,
            "Datasheet": "",
            "Description": "",
        }
        if soldered:
            properties["MPN"] = placed.part.number
        for name, words in properties.items():
            layer = "F.SilkS" if name == "Reference" else "F.Fab"
            yield (
                f"(property {quoted(name)} {quoted(words)} (at 0 0 0) (layer {quoted(layer)})"
                f" (hide yes) {self._id('field')}"
                " (effects (font (size 1 1) (thickness 0.15))))"
            )
        if ref in self.symbols:
            yield f"(path {quoted(self.symbols[ref])})"
        through = any(pad.drill for pad in land.pads)
        kind = "through_hole" if through else "smd"
        away = "" if soldered else " board_only exclude_from_pos_files exclude_from_bom"
        yield f"(attr {kind}{away})"
        yield from self._silk(land, soldered=soldered)
        for pad in land.pads:
            net = placed.nets.get(pad.number, "")
            if not net and soldered and pad.number:
                net = loose_net(placed, pad.number)
            yield self._pad(pad, placed.turn, net, pasted=soldered)
        yield ")"

    def _silk(self, land: Land, *, soldered: bool) -> Iterator[str]:
        side = "B" if land.below else "F"
        silk, court = f"{side}.SilkS", f"{side}.CrtYd"
        if soldered:
            yield from self._lines(_corners(_court(land)), court, 0.05)
            for a, b in _body(land):
                yield self._fp_line(a, b, silk, 0.12)
        for x0, y0, x1, y1 in land.ticks:
            yield self._fp_line((x0, y0), (x1, y1), silk, 0.12)
        if land.mark and soldered:
            x, y = land.mark
            yield (
                f"(fp_circle (center {num(x)} {num(y)}) (end {num(x + 0.15)} {num(y)})"
                f" (stroke (width 0.2) (type solid)) (fill no) (layer {quoted(silk)})"
                f" {self._id('dot')})"
            )

    def _lines(self, corners: Sequence[Point], layer: str, width: float) -> Iterator[str]:
        for a, b in zip(corners, [*corners[1:], corners[0]], strict=True):
            yield self._fp_line(a, b, layer, width)

    def _fp_line(self, a: Point, b: Point, layer: str, width: float) -> str:
        return (
            f"(fp_line (start {num(a[0])} {num(a[1])}) (end {num(b[0])} {num(b[1])})"
            f" (stroke (width {num(width)}) (type solid)) (layer {quoted(layer)})"
            f" {self._id('line')})"
        )

    def _pad(self, pad: Pad, turn: int, net: str, *, pasted: bool) -> str:
        """A pad; its angle in the file is the board's, its place the footprint's."""
        kind = "thru_hole" if pad.drill else "smd"
        shape = "rect" if pad.shape == "rect" else "circle"
        angle = f" {turn}" if turn else ""
        drill = f" (drill {num(pad.drill)})" if pad.drill else ""
        layers = '"*.Cu" "*.Mask"' if pad.drill else '"F.Cu" "F.Mask" "F.Paste"'
        # A fiducial has bare laminate around its dot.
        bare = "" if pad.number else " (solder_mask_margin 0.5) (clearance 0.6)"
        if not pasted and not pad.drill:  # a fiducial or test pad stays without solder
            layers = '"F.Cu" "F.Mask"'
        return (
            f"(pad {quoted(pad.number)} {kind} {shape} (at {num(pad.x)} {num(pad.y)}{angle})"
            f" (size {num(pad.width)} {num(pad.height)}){drill} (layers {layers})"
            f" {self._net(net)}{bare} {self._id('pad')})"
        )

    def _hole(self, hole: Hole, number: int) -> Iterator[str]:
        """A hole without copper, for a screw."""
        wide = num(hole.diameter)
        yield '(footprint "lumiban:Hole" (layer "F.Cu")'
        yield f'(uuid "{identity(self.board.name, "hole", str(number))}")'
        yield f"(at {self._xy(hole.at)})"
        for name, words in (("Reference", f"H{number}"), ("Value", "hole")):
            yield (
                f'(property "{name}" {quoted(words)} (at 0 0 0) (layer "F.Fab") (hide yes)'
                f" {self._id('field')} (effects (font (size 1 1) (thickness 0.15))))"
            )
        yield "(attr board_only exclude_from_pos_files exclude_from_bom)"
        yield (
            f'(pad "" np_thru_hole circle (at 0 0) (size {wide} {wide}) (drill {wide})'
            f' (layers "F&B.Cu" "*.Mask") {self._id("pad")})'
        )
        yield ")"

    def _track(self, track: Track) -> str:
        return (
            f"(segment (start {self._xy(track.a)}) (end {self._xy(track.b)})"
            f" (width {num(track.width)}) (layer {quoted(COPPER[track.layer])})"
            f" (net {self.nets[track.net]}) {self._id('track')})"
        )

    def _via(self, via: Via) -> str:
        return (
            f"(via (at {self._xy(via.at)}) (size {num(via.size)}) (drill {num(via.drill)})"
            f' (layers "F.Cu" "B.Cu") (net {self.nets[via.net]}) {self._id("via")})'
        )

    def _zone(self, zone: Zone) -> str:
        """An area of copper, filled later."""
        joined = "yes " if zone.solid else ""
        rank = f" (priority {zone.rank})" if zone.rank else ""
        return (
            f"(zone (net {self.nets[zone.net]}) (net_name {quoted(zone.net)})"
            f" (layer {quoted(COPPER[zone.layer])}) {self._id('zone')} (hatch edge 0.5){rank}"
            f" (connect_pads {joined}(clearance 0.2)) (min_thickness 0.2)"
            " (filled_areas_thickness no) (fill yes (thermal_gap 0.25)"
            f" (thermal_bridge_width 0.4)) {self._polygon(zone.outline)})"
        )

    def _rule_area(self, hole: Hole) -> str:
        """No copper around a place, in both layers: under a screw's head."""
        reach = hole.head_mm / math.cos(math.pi / CORNERS)  # its sides touch the circle outside
        angles = [2 * math.pi * n / CORNERS for n in range(CORNERS)]
        ring = [
            (hole.at[0] + reach * math.cos(a), hole.at[1] + reach * math.sin(a)) for a in angles
        ]
        return (
            f'(zone (net 0) (net_name "") (layers "F.Cu" "B.Cu") {self._id("zone")}'
            " (hatch edge 0.5) (connect_pads (clearance 0)) (min_thickness 0.25)"
            " (filled_areas_thickness no) (keepout (tracks not_allowed) (vias not_allowed)"
            " (pads allowed) (copperpour not_allowed) (footprints allowed))"
            f" (fill (thermal_gap 0.5) (thermal_bridge_width 0.5)) {self._polygon(ring)})"
        )

    def _polygon(self, outline: Iterable[Point]) -> str:
        return f"(polygon (pts {' '.join(f'(xy {self._xy(at)})' for at in outline)}))"

    def _text(self, text: Text) -> str:
        turn = f" {text.turn}" if text.turn else ""
        mirror = " (justify mirror)" if text.side == "B" else ""
        thick = max(0.12, text.size * 0.15)
        layer = f"{text.side}.SilkS"
        return (
            f"(gr_text {quoted(text.words)} (at {self._xy(text.at)}{turn}) (layer {quoted(layer)})"
            f" {self._id('text')} (effects (font (size {num(text.size)} {num(text.size)})"
            f" (thickness {num(thick)})){mirror}))"
        )


Box = tuple[float, float, float, float]


def _corners(box: Box) -> list[Point]:
    left, top, right, bottom = box
    return [(left, top), (right, top), (right, bottom), (left, bottom)]


def _court(land: Land) -> Box:
    """The box around a body and its pads, with some room."""
    left, top, right, bottom = land.body
    return (
        min([left] + [p.x - p.width / 2 for p in land.pads]) - 0.2,
        min([top] + [p.y - p.height / 2 for p in land.pads]) - 0.2,
        max([right] + [p.x + p.width / 2 for p in land.pads]) + 0.2,
        max([bottom] + [p.y + p.height / 2 for p in land.pads]) + 0.2,
    )


def _body(land: Land) -> Iterator[tuple[Point, Point]]:
    """A body's outline, left out where pads lie."""
    corners = _corners(land.body)
    for a, b in zip(corners, [*corners[1:], corners[0]], strict=True):
        yield from uncovered(a, b, land.pads)


def uncovered(a: Point, b: Point, pads: Iterable[Pad]) -> list[tuple[Point, Point]]:
    """The pieces of a level or upright line that keep 0.2 mm off all pads.

    >>> uncovered((0, 0), (4, 0), [Pad("1", 2, 0, 1, 1)])
    [((0, 0), (1.3, 0)), ((2.7, 0), (4, 0))]
    """
    along = 0 if a[1] == b[1] else 1
    low, high = sorted((a[along], b[along]))
    fixed = a[1 - along]
    cuts = []
    for pad in pads:
        middle, half = (pad.x, pad.y), (pad.width / 2 + 0.2, pad.height / 2 + 0.2)
        if abs(middle[1 - along] - fixed) < half[1 - along]:
            cuts.append((middle[along] - half[along], middle[along] + half[along]))
    pieces, start = [], low
    for begin, end in sorted(cuts):
        if begin > start:
            pieces.append((start, min(begin, high)))
        start = max(start, end)
    if start < high:
        pieces.append((start, high))
    both = [((p, fixed), (q, fixed)) if along == 0 else ((fixed, p), (fixed, q)) for p, q in pieces]
    return [(p, q) for p, q in both if abs(p[0] - q[0]) + abs(p[1] - q[1]) > 0.2]

"""A row strip: cells with sensor and light, and a head with multiplexer, regulator and plug.

Sensors speak to the multiplexer on one lane each, at the bottom; lights take their data from cell
to cell, at the top, away from the head, and one track brings it back. The plug is put in from
below, so that nothing stands above the light grid. Millimetres from the sensor of the first cell.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

from lumiban_fw.layout import REFERENCE

from lumiban_hw import parts as p
from lumiban_hw.pcb.drawing import REVISION, Board, Hole, Point, Text, label
from lumiban_hw.pcb.router import LAYERS, End, Maze, ends

HEIGHT_MM = 21.4
HEAD_MM = 33.0
"""From the first sensor to the strip's left edge."""
TAIL_MM = 12.0
"""From the last sensor to the right edge."""
LIGHT_Y = -6.0
RAIL_Y = -2.2
LANE_Y = 1.2
"""The lane of channel 8; each further lane lies half a millimetre lower."""
MUX: Point = (-21.0, 6.2)
PLUG: Point = (-9.0, -4.53)
UNDER: Point = (MUX[0], 9.45)
ISLE: Point = (-6.0, 0.4)
WEST: Point = (-27.6, 9.7)
"""Vias to ground: under the multiplexer, between lights' and sensors' lanes, left of the head."""
USUAL_PITCH_MM = 25.0
SCREW_MM = 2.2
PLUG_NETS = {
    "1": "5V", "2": "5V", "3": "5V", "4": "GND", "5": "GND", "6": "DIN", "7": "GND", "8": "RET",
    "9": "GND", "10": "AOUT", "11": "S3", "12": "S0", "13": "S2", "14": "S1",
}  # fmt: skip
"""The plug's fourteen ways; the base board's sockets have the same."""


@dataclass(frozen=True)
class StripPlan:
    """Differences between one strip and another: cells from left to right."""

    places: tuple[float, ...]
    """Each cell's distance from the first."""
    channels: tuple[int, ...]

    @property
    def name(self) -> str:
        """Such as strip9; strips that are wired otherwise tell their channels."""
        n = len(self.places)
        name = f"strip{n}"
        if self.channels != tuple(range(n)):
            name += "-" + "".join(f"{c:x}" for c in self.channels)
        gaps = {round(b - a, 3) for a, b in pairwise(self.places)} or {USUAL_PITCH_MM}
        if gaps != {USUAL_PITCH_MM}:
            suffixes = (
                [f"{x:g}" for x in self.places[1:]] if len(gaps) > 1 else [f"p{gaps.pop():g}"]
            )
            name += "-" + "-".join(suffixes)
        return name


def lane(channel: int) -> float:
    """Place of a channel's lane: those of the multiplexer's two sides alternate."""
    return LANE_Y + (channel - 8 if channel >= 8 else 7.5 - channel)


def draw(plan: StripPlan, *, routed: bool = True) -> Board:
    """The finished drawing of a strip; Unroutable when it cannot be routed.

    Not `routed`, the head's tracks are left out: enough for parts, places and pictures.
    """
    last = plan.places[-1]
    box = (-HEAD_MM, -HEIGHT_MM / 2, last + TAIL_MM, HEIGHT_MM / 2)
    board = Board(plan.name, f"lumiban {plan.name} rev {REVISION}", box)
    _head(board, plan)
    for n, x in enumerate(plan.places):
        _cell(board, plan, n, x)
    _lanes(board, plan)
    _lights(board, plan)
    _bores(board, plan)
    _copper(board)
    if routed:
        _route_head(board)
    _words(board, plan)
    return board


def _data(plan: StripPlan, n: int) -> tuple[str, str]:
    """Nets of data in and out of the light of cell `n`, counted from the left."""
    return f"LED{n}", "RET" if n == len(plan.places) - 1 else f"LED{n + 1}"


def _cell(board: Board, plan: StripPlan, n: int, x: float) -> None:
    into, out = _data(plan, n)
    light = board.place(
        f"D{n + 1}", p.LIGHT, (x, LIGHT_Y), 180,
        {"VDD": "5V", "VSS": "GND", "DIN": into, "DOUT": out},
    )  # fmt: skip
    board.down(light, "3", -1.3, 0)
    spot = (x + 4.1, -5.6)
    near = board.place(f"C{n + 101}", p.DECOUPLING, spot, 90, {"1": "5V", "2": "GND"})
    board.down(near, "2", 1.2, 0)
    a, b = light.pad("1"), near.pad("1")
    board.track("5V", [a, (b[0], a[1]), b], width=0.4)

    hall = board.place(
        f"S{n + 1}", p.HALL, (x, 0), 0, {"VCC": "3V3", "OUT": f"H{plan.channels[n]}", "GND": "GND"}
    )
    board.down(hall, "3", 1.3, 0)
    cap = board.place(f"C{n + 201}", p.DECOUPLING, (x - 3.4, -0.6), 270, {"1": "3V3", "2": "GND"})
    board.down(cap, "2", -1.2, 0)
    for pad in (hall.pad("1"), cap.pad("1")):
        board.track("3V3", [pad, (pad[0], RAIL_Y)], width=0.3)


def _lanes(board: Board, plan: StripPlan) -> None:
    """From each sensor down to its lane, along it to the multiplexer, and into its pin."""
    mux = board.part("U1")
    for n, channel in enumerate(plan.channels):
        net, y = f"H{channel}", lane(channel)
        out = board.part(f"S{n + 1}").pad("2")
        drop = out[0] - 1.0
        board.track(net, [out, (drop, out[1]), (drop, y)])
        board.via(net, (drop, y))
        pin = mux.pad(p.MUX.pad(f"Y{channel}"))
        side = -1 if channel < 8 else 1
        up = MUX[0] + (-4.6 if channel < 8 else 6.0)
        board.track(net, [(drop, y), (up, y)], "B")
        board.via(net, (up, y))
        board.track(net, [(up, y), (pin[0] + side * 0.8, pin[1]), pin])


def _lights(board: Board, plan: StripPlan) -> None:
    """Data from light to light, and between the far end and the head."""
    for n, x in enumerate(plan.places[1:]):
        net = _data(plan, n)[1]
        a = (plan.places[n] + 2.45, LIGHT_Y - 1.6)
        b = (x - 2.45, LIGHT_Y + 1.6)
        turn = b[0] - 3.0
        board.track(net, [a, (turn, a[1]), (turn, b[1]), b], width=0.25)
    x = plan.places[-1] + 2.45
    turn = x + 4.0
    board.track("RET", [(x, -7.6), (turn, -7.6)], width=0.25)
    board.via("RET", (turn, -7.6))
    board.track("RET", [(turn, -7.6), (turn, -2.1), (turn - 0.9, -1.2), (-7.4, -1.2)], "B", 0.25)
    board.track("LED0", [(-2.45, -4.4), (-5.8, -4.4)], width=0.25)


def _head(board: Board, plan: StripPlan) -> None:
    plug = board.place("J1", p.STRIP_PLUG_BELOW, PLUG, 270, PLUG_NETS)
    board.track("GND", [plug.pad(number) for number in ("4", "5", "7", "9")], "B", 0.6)
    ground = plug.pad("4")
    board.track("GND", [ground, (ground[0], -9.4), (-5.0, -9.4)], "B", 0.8)
    board.via("GND", (-5.0, -9.4))
    nets = {
        "Z": "AOUT", "S0": "S0", "S1": "S1", "S2": "S2", "S3": "S3", "E#": "GND", "GND": "GND",
        "VCC": "3V3", "Y15": f"H{REFERENCE}",
    }  # fmt: skip
    nets |= {f"Y{c}": f"H{c}" for c in plan.channels}
    mux = board.place("U1", p.MUX, MUX, 0, nets)
    for number in ("12", "15"):
        pin = mux.pad(number)
        board.track("GND", [pin, (MUX[0], pin[1]), UNDER], width=0.3)
    board.via("GND", UNDER)
    cap = board.place("C1", p.DECOUPLING, (MUX[0] + 5.2, -0.5), 270, {"1": "3V3", "2": "GND"})
    board.down(cap, "2", 1.2, 0)
    vcc = mux.pad("24")
    board.track("3V3", [cap.pad("1"), (cap.x, RAIL_Y)], width=0.3)
    board.track("3V3", [vcc, (vcc[0], RAIL_Y)], width=0.3)

    regulator = board.place(
        "U2", p.REGULATOR, (-28.6, -5.2), 0,
        {"VIN": "5V", "GND": "GND", "EN": "5V", "VOUT": "3V3"},
    )  # fmt: skip
    board.down(regulator, "2", 1.2, 0)
    bulk = board.place("C2", p.BULK, (-29.6, -9.2), 180, {"1": "5V", "2": "GND"})
    board.down(bulk, "2", -1.25, 0)
    ten = board.place("C3", p.TEN_U, (-28.6, -1.6), 180, {"1": "3V3", "2": "GND"})
    board.down(ten, "2", -1.3, 0)
    out = regulator.pad("5")
    board.track(
        "3V3", [out, (-26.2, out[1]), (-26.2, RAIL_Y), (ten.pad("1")[0], RAIL_Y)], width=0.4
    )
    board.track("3V3", [(-26.2, RAIL_Y), (plan.places[-1] - 0.9375, RAIL_Y)], width=0.6)

    y = lane(REFERENCE)
    high = board.place("R2", p.R1K_EXACT, (-13.0, y - 1.4), 90, {"1": f"H{REFERENCE}", "2": "3V3"})
    low = board.place("R3", p.R1K_EXACT, (-10.2, y + 1.3), 0, {"1": f"H{REFERENCE}", "2": "GND"})
    board.down(low, "2", 1.1, 0)
    top = high.pad("2")
    board.track("3V3", [top, (top[0], RAIL_Y)], width=0.3)
    board.place("R1", p.R220, (-9.6, -0.2), 0, {"1": "DIN", "2": "LED0"})
    _probes(board)


def _probes(board: Board) -> None:
    """Pads for a meter's probe."""
    board.test_pad("A", "5V", (-5.9, -7.4), (0.0, 1.7))
    board.test_pad("B", "GND", (-6.2, 4.6), (1.7, 0.0))
    supply = board.test_pad("C", "3V3", (-23.6, 0.0), (1.7, 0.0))
    board.track("3V3", [supply.pad("1"), (supply.x, RAIL_Y)], width=0.4)
    board.test_pad("D", f"H{REFERENCE}", (-9.4, 6.6), (1.7, 0.0))


def _bores(board: Board, plan: StripPlan) -> None:
    """Screw holes in the head and between cells, fiducials, and vias that tie the grounds."""
    board.holes.append(Hole((-30.6, 7.6), SCREW_MM))
    middles = [(a + b) / 2 for a, b in zip(plan.places, plan.places[1:], strict=False)]
    chosen = {0, len(middles) - 1} if len(middles) > 1 else set()
    if len(middles) > 6:
        chosen.add(len(middles) // 2)
    for n in sorted(chosen):
        board.holes.append(Hole((middles[n], -5.0), SCREW_MM))
    right = plan.places[-1] + TAIL_MM
    for n, at in enumerate([(-31.2, 2.6), (right - 2.0, 8.8), (right - 2.0, -9.0)], 1):
        board.place(f"FID{n}", p.FIDUCIAL, at)
    for x in (-32.2, *(x + 8.5 for x in plan.places)):
        board.via("GND", (x, 9.7))


def _copper(board: Board) -> None:
    left, top, right, bottom = board.outline
    e = 0.4
    left, top, right, bottom = left + e, top + e, right - e, bottom - e
    whole = [(left, top), (right, top), (right, bottom), (left, bottom)]
    board.zone("GND", "F", whole)
    board.zone("GND", "B", whole)
    board.zone(
        "5V", "F",
        [
            (left, top), (right, top), (right, -2.85), (-12.9, -2.85), (-12.9, -8.25),
            (-29.1, -8.25), (-29.1, -3.7), (left, -3.7),
        ],
        1,
    )  # fmt: skip


def _route_head(board: Board) -> None:
    left, top, _, bottom = board.outline
    loose = {
        "LED0": End((-5.8, -4.4), (0.0, 0.0), ("F",)),
        "RET": End((-7.4, -1.2), (0.0, 0.0), ("B",)),
    }
    # The lanes cut the ground planes around the head into pieces; these vias hold them together.
    for at in (ISLE, WEST):
        board.via("GND", at)
    grounds = [via.at for via in board.vias if via.net == "GND" and via.at in (ISLE, WEST, UNDER)]
    cap, low = board.part("C1").pad("2"), board.part("R3").pad("2")
    grounds += [(cap[0] + 1.2, cap[1]), (low[0] + 1.1, low[1])]
    maze = Maze(board, (left + 0.5, top + 0.5, -5.4, bottom - 0.5), dear={"F": 1.6, "B": 1.0})
    nets = [("GND", [End(at, (0.15, 0.15), LAYERS) for at in grounds])]
    for net in (f"H{REFERENCE}", "S0", "S1", "S3", "S2", "AOUT", "DIN", "LED0", "RET"):
        places = [end for end in ends(board, net) if end.at[0] < -5.4]
        if net in loose:
            places.append(loose[net])
        nets.append((net, places))
    maze.connect(nets)


def _words(board: Board, plan: StripPlan) -> None:
    long = 0.95 * len(board.title)
    board.texts.append(Text(board.title, (max(-14.0, -28.4 + long / 2), 6.0), 1.0, "B"))
    if len(plan.places) > 1:
        board.texts.append(Text(board.title, (9.6 + 0.4 * long, 9.8), 0.8))
    for n, x in enumerate(plan.places):
        board.texts.append(Text(f"ch {plan.channels[n]}", (x + 4.5, 2.6), 0.9))
    board.texts.append(Text("U1", MUX, 0.8))
    board.texts.append(Text("J1 below", (-16.6, -9.4), 0.8))
    key = "J1: way 1 at this end, key to the multiplexer"
    board.texts.append(Text(key, (-16.6, 2.0), 0.8, "B"))
    label(board)

"""The base board: a Raspberry Pi Pico, sockets for fifteen strips, the row multiplexer, power.

One board serves every profile. Lights are one chain through all sockets; on a socket without a
strip a jumper joins DIN and RET, ways 6 and 8, which lie side by side. Millimetres from the first
socket's way 1. Buses follow rules, the rest finds its way through the maze.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from lumiban.boards.limits import RAIL_CHANNEL
from lumiban.boards.profile import MAX_STRIPS
from lumiban.boards.profile_file import Pins

from lumiban_hw import parts as p
from lumiban_hw.pcb.drawing import REVISION, Board, Hole, Point, Text, label
from lumiban_hw.pcb.router import LAYERS, End, Maze, ends
from lumiban_hw.pcb.strip import PLUG_NETS

OUTLINE = (-20.0, -20.0, 163.0, 65.0)
PITCH_MM = 10.16
MUX: Point = (81.3, 27.0)
PICO: Point = (136.5, 47.0)
BUS_Y = {"S1": 17.0, "S2": 17.7, "S3": 18.4, "S0": 19.1}
SCREW_MM = 3.2
CUT = {"VIN", "VF", "MID", "5V", "5VL", "GND"}
"""Nets that zones and wide tracks carry; the maze leaves them alone."""


def draw(pins: Pins, *, routed: bool = True) -> Board:
    """The finished drawing for a Pico wired this way; Unroutable when it cannot be routed.

    Not `routed`, most tracks are left out: enough for parts, places and pictures.
    """
    board = Board("base", f"lumiban base rev {REVISION}", OUTLINE)
    for k in range(MAX_STRIPS):
        _socket(board, k)
    _mux(board)
    _pico(board, pins)
    _lights(board)
    _power(board)
    _buttons(board)
    _probes(board)
    _copper(board)
    _bores(board)
    if routed:
        _route(board)
    label(board)
    return board


def pico_nets(pins: Pins) -> dict[str, int]:
    """The GP number at which each net meets the Pico."""
    nets = {f"COL{k}": gp for k, gp in enumerate(pins.columns)}
    nets |= {f"ROW{k}": gp for k, gp in enumerate(pins.rows)}
    nets |= {f"KEY{k}": gp for k, gp in enumerate(pins.buttons, 1)}
    return nets | {
        "DATA": pins.data, "DARK": pins.dark, "BACK": pins.back, "GOOD": pins.good,
        "POWER": pins.power, "READ": pins.reading, "RAIL": pins.rail,
    }  # fmt: skip


def _socket(board: Board, k: int) -> None:
    """A strip's socket with its fuse, and its share of the buses."""
    x = k * PITCH_MM
    fed = f"5V{k}"
    nets = {way: fed if net == "5V" else net for way, net in PLUG_NETS.items()}
    nets |= {"6": f"LED{k}", "8": f"LED{k + 1}", "10": f"A{k}"}
    plug = board.place(f"J{k + 1}", p.STRIP_PLUG, (x, 0), 0, nets)
    fuse = board.place(f"F{k + 1}", p.PTC, (x + 1.27, -7.6), 270, {"1": "5VL", "2": fed})
    end = fuse.pad("2")
    board.track(fed, [end, (end[0], -2.4), plug.pad("2")], width=1.4)
    board.track(fed, [(end[0], -2.4), plug.pad("1"), plug.pad("3")], width=1.4)

    drops = {"S2": (0.0, 15.24), "S1": (2.54, 15.24), "S3": (0.0, 12.7), "S0": (2.54, 12.7)}
    for net, (dx, y) in drops.items():
        path: list[Point] = [(x + dx, y)]
        if y < 15:
            aside = -1.27 if dx == 0 else 1.27
            path.append((x + dx + aside, y + 1.27))
        foot = (path[-1][0], BUS_Y[net])
        board.track(net, [*path, foot])
        board.via(net, foot)
        if k:
            board.track(net, [(foot[0] - PITCH_MM, foot[1]), foot], "B", 0.25)
    if k + 1 < MAX_STRIPS:
        a, b = plug.pad("8"), (x + PITCH_MM + 2.54, 5.08)
        mid = 6.35
        board.track(f"LED{k + 1}", [a, (a[0] + 1.27, mid), (b[0] - 1.27, mid), b], width=0.25)
    board.texts.append(Text(f"ROW {k + 1}", (x + 1.27, -11.2), 1.2))
    board.texts.append(Text(f"F{k + 1}", (x + 4.4, -7.6), 0.8))


def _mux(board: Board) -> None:
    """The row multiplexer, and a lane to it from each socket."""
    nets = {"Z": "READ", "E#": "GND", "GND": "GND", "VCC": "3V3"}
    nets |= {f"S{k}": f"ROW{k}" for k in range(4)}
    nets |= {f"Y{k}": f"A{k}" for k in range(MAX_STRIPS)} | {f"Y{RAIL_CHANNEL}": "RAIL"}
    mux = board.place("U1", p.MUX, MUX, 0, nets)
    under = (MUX[0], MUX[1] + 2.9)
    for number in ("12", "15"):
        pin = mux.pad(number)
        board.track("GND", [pin, (MUX[0], pin[1]), under], width=0.3)
    board.via("GND", under)
    cap = board.place("C1", p.DECOUPLING, (82.6, 21.4), 180, {"1": "3V3", "2": "GND"})
    board.down(cap, "2", -1.2, 0)
    vcc = mux.pad("24")
    board.track("3V3", [vcc, (vcc[0], cap.pad("1")[1]), cap.pad("1")], width=0.3)
    for k in range(MAX_STRIPS):
        net, left = f"A{k}", k < 8  # the multiplexer has eight channels a side
        pin = mux.pad(p.MUX.pad(f"Y{k}"))
        side = -1 if left else 1
        out = (k * PITCH_MM + 2.54, 10.16)
        drop = k * PITCH_MM + (4.6 if left else 5.6)
        up = (MUX[0] + side * (4.3 if k % 2 else 4.95), pin[1])
        board.track(net, [out, (drop, out[1] + drop - out[0]), (drop, pin[1])])
        board.via(net, (drop, pin[1]))
        board.track(net, [(drop, pin[1]), up], "B")
        board.via(net, up)
        board.track(net, [up, pin])


def _pico(board: Board, pins: Pins) -> None:
    nets = {f"GP{gp}": net for net, gp in pico_nets(pins).items()}
    nets |= {"GND": "GND", "AGND": "GND", "3V3": "3V3", "VSYS": "VSYS"}
    pico = board.place("A1", p.PICO, PICO, 270, nets)
    for k in range(4):
        x = pico.pad(p.PICO.pad(f"GP{2 + k}"))[0]
        board.place(f"R{k + 1}", p.R470, (x, 33.2), 90, {"1": f"COL{k}", "2": f"S{k}"})
    diode = board.place("D1", p.DIODE, (151.5, 60.6), 180, {"1": "VSYS", "2": "5V"})
    vsys, out = pico.pad("39"), diode.pad("1")
    turn = [(out[0], 59.2), (out[0] + 1.3, 57.9), (vsys[0] - 0.9, 57.9), (vsys[0], 57.0)]
    board.track("VSYS", [out, *turn, vsys], width=0.8)
    cap = board.place("C2", p.TEN_U, (156.4, 32.0), 0, {"1": "3V3", "2": "GND"})
    board.down(cap, "2", 1.3, 0)
    high = board.place("R5", p.R10K, (138.6, 61.4), 0, {"1": "5V", "2": "RAIL"})
    low = board.place("R6", p.R10K, (141.6, 59.2), 0, {"1": "RAIL", "2": "GND"})
    near = board.place("C3", p.DECOUPLING, (141.6, 61.4), 0, {"1": "RAIL", "2": "GND"})
    for part in (low, near):
        board.down(part, "2", 1.2, 0)
    board.track("5V", [high.pad("1"), (high.pad("1")[0] - 0.8, 63.6)], width=0.5)


def _lights(board: Board) -> None:
    """Data to the chain at 5 V, and what comes back of it at 3.3 V."""
    shifter = board.place(
        "U2", p.SHIFTER, (104.5, 38.0), 180,
        {"OE#": "DARK", "A": "DATA", "GND": "GND", "Y": "LED0", "VCC": "5V"},
    )  # fmt: skip
    board.down(shifter, "3", 1.6, 0)
    cap = board.place("C4", p.DECOUPLING, (101.4, 41.2), 270, {"1": "5V", "2": "GND"})
    board.down(cap, "2", 0, 1.2)
    board.track("5V", [shifter.pad("5"), (cap.pad("1")[0], shifter.pad("5")[1]), cap.pad("1")])
    board.place("R7", p.R10K, (107.6, 43.0), 90, {"1": "DARK", "2": "3V3"})
    idle = board.place("R10", p.R100K, (100.6, 36.4), 180, {"1": "LED0", "2": "GND"})
    board.down(idle, "2", -1.2, 0)
    board.place("R8", p.R10K, (107.2, 53.0), 0, {"1": f"LED{MAX_STRIPS}", "2": "BACK"})
    low = board.place("R9", p.R20K, (107.2, 56.0), 180, {"1": "BACK", "2": "GND"})
    board.down(low, "2", -1.2, 0)


def _power(board: Board) -> None:
    """Supply's plug, fuse, guard against a supply that is reversed or too high, soft start, and the
    switch of the strips' 5 V.

    Q1 and Q4 stand back to back: Q1 holds off a reversed supply, Q4 one that is too high. C24 and
    R20 let both conduct slowly; Q2 does by its Miller capacitor C21, and C25 keeps it off while the
    supply is plugged in.
    """
    terminal = board.place("J20", p.SUPPLY_PLUG, (-14.0, 47.5), 270, {"1": "VIN", "2": "GND"})
    a = terminal.pad("2")
    b = (a[0] + 7.0, a[1] + 1.6)
    for layer in LAYERS:
        board.track("GND", [a, b], layer, 3.0)
    for dx in (0.0, 1.0):
        for dy in (0.0, 1.0):
            board.via("GND", (b[0] - dx, b[1] - dy), 0.8, 0.4)
    board.place("F20", p.FUSE, (0.0, 48.3), 0, {"1": "VIN", "2": "VF"})
    surge = board.place("D20", p.SURGE, (14.5, 58.0), 270, {"1": "VF", "2": "GND"})
    board.down(surge, "2", 2.4, 0, 1.0)
    board.down(surge, "2", -2.4, 0, 1.0)
    board.place("Q1", p.INPUT_FET, (22.0, 50.0), 180, {"S": "MID", "G": "GATE", "D": "VF"})
    board.place("Q4", p.INPUT_FET, (32.6, 50.0), 0, {"S": "MID", "G": "GATE", "D": "5V"})
    gate = board.place("R20", p.R470K, (21.0, 45.4), 180, {"1": "GATE", "2": "GND"})
    board.down(gate, "2", -1.2, 0)
    slow = board.place("C24", p.DECOUPLING, (24.6, 45.4), 0, {"1": "GATE", "2": "MID"})
    clamp = board.place("D21", p.ZENER, (29.0, 54.6), 0, {"1": "MID", "2": "GATE"})
    shut = board.place("Q5", p.SMALL_PNP, (28.0, 45.1), 90, {"B": "OVB", "E": "MID", "C": "GATE"})
    # Around the area that carries the current, which it must not cut.
    top, side, foot = 43.3, 32.3, 53.2
    first, second = board.part("Q1").pad("4"), board.part("Q4").pad("4")
    board.track("GATE", [gate.pad("1"), slow.pad("1"), (first[0], 46.2), first])
    a = slow.pad("1")
    board.track("GATE", [a, (a[0], top), (side, top), (side, foot), (clamp.pad("2")[0], foot)])
    board.track("GATE", [(shut.pad("3")[0], top), shut.pad("3")])
    board.track("GATE", [clamp.pad("2"), (clamp.pad("2")[0], foot), (second[0], 52.7), second])
    _refusal(board)
    board.place("C20", p.BULK_CAN, (39.4, 53.0), 0, {"+": "5V", "-": "GND"})
    board.place("Q2", p.POWER_FET, (19.0, 39.4), 180, {"S": "5V", "G": "Q2G", "D": "5VL"})
    board.place("R21", p.R220K, (25.0, 36.2), 0, {"1": "Q2G", "2": "5V"})
    board.track("5V", [(25.8, 34.2), (25.8, 39.6)], width=0.6)
    board.place("C25", p.MICRO, (25.0, 34.2), 0, {"1": "Q2G", "2": "5V"})
    board.place("C21", p.MILLER, (18.4, 34.8), 0, {"1": "5VL", "2": "Q2G"})
    board.place("R27", p.R47K, (29.0, 35.0), 0, {"1": "Q2G", "2": "Q3D"})
    low = board.place("Q3", p.SMALL_FET, (32.6, 35.0), 180, {"G": "POWER", "S": "GND", "D": "Q3D"})
    board.down(low, "2", 1.4, 0)
    off = board.place("R22", p.R100K, (38.6, 35.0), 0, {"1": "POWER", "2": "GND"})
    board.down(off, "2", 1.2, 0)
    board.place("C22", p.BULK_CAN, (-9.4, 25.0), 270, {"+": "5VL", "-": "GND"})
    guard = board.place(
        "U3", p.GUARD, (46.0, 45.0), 0, {"GND": "GND", "RESET#": "GOOD", "VCC": "5V"}
    )
    board.down(guard, "1", -1.4, 0)
    cap = board.place("C23", p.DECOUPLING, (50.4, 45.8), 270, {"1": "5V", "2": "GND"})
    board.down(cap, "2", 1.2, 0)
    board.track("5V", [guard.pad("3"), cap.pad("1")], width=0.4)
    feed = cap.pad("1")
    board.track("5V", [(38.0, 40.6), (feed[0], 40.6), feed], width=0.8)
    c4 = board.part("C4").pad("1")
    board.track("5V", [(feed[0], 40.6), c4], width=0.5)
    board.track("5V", [(36.0, 59.0), (38.4, 63.6), (147.4, 63.6), (149.5, 60.6)], width=1.4)


def _probes(board: Board) -> None:
    """Draw a light that tells whether 5 V was let in, and pads for a meter's probe."""
    lamp = board.place("D22", p.POWER_LIGHT, (49.4, 36.0), 180, {"1": "GND", "2": "LIT"})
    board.down(lamp, "1", 1.4, 0)
    series = board.place("R28", p.R1K5, (45.4, 36.0), 0, {"1": "5V", "2": "LIT"})
    fed = series.pad("1")
    board.track("5V", [fed, (fed[0], 40.6)], width=0.5)
    up: Point = (0.0, -1.7)
    board.test_pad("G", "GND", (-6.6, 57.0), up)
    board.test_pad("H", "VIN", (-6.6, 48.0), up)
    board.test_pad("K", "VF", (15.2, 49.6), up)
    board.test_pad("L", "5V", (41.6, 45.0), up)
    board.test_pad("M", "5VL", (4.0, 38.6), up)
    vsys = board.test_pad("N", "VSYS", (151.5, 58.4), (-1.8, 0.0))
    board.track("VSYS", [vsys.pad("1"), (154.6, 57.9)], width=0.8)
    board.test_pad("P", "3V3", (146.6, 59.5), (-1.8, 0.0))
    board.test_pad("Q", "RAIL", (135.6, 59.4), (-1.8, 0.0))


def _refusal(board: Board) -> None:
    """Draws the parts that shut Q1 and Q4 above 5.26 V: U4 compares, Q5 ties their gates to their
    sources."""
    base = board.part("Q5").pad("1")
    near = board.place("R24", p.R470, (base[0], 49.4), 90, {"1": "MID", "2": "OVB"})
    low = board.place("R23", p.R1K5, (29.0, 57.2), 0, {"1": "OVB", "2": "OVK"})
    via, foot = (base[0], 47.6), (base[0], 56.4)
    board.track("OVB", [base, via, near.pad("2")])
    board.via("OVB", via)
    board.track("OVB", [via, foot], "B")
    board.via("OVB", foot)
    board.track("OVB", [foot, low.pad("1")])
    shunt = board.place("U4", p.SHUNT, (28.4, 60.8), 0, {"K": "OVK", "REF": "OVR", "A": "GND"})
    board.down(shunt, "3", 1.4, 0)
    board.place("R25", p.R11K_EXACT, (24.3, 60.0), 90, {"1": "OVR", "2": "MID"})
    ground = board.place("R26", p.R10K_EXACT, (25.1, 62.8), 0, {"1": "OVR", "2": "GND"})
    board.down(ground, "2", 1.2, 0)


def _buttons(board: Board) -> None:
    for n in range(1, 5):
        x = 42.0 + 13.0 * n
        board.place(f"J{20 + n}", p.BUTTON_PLUG, (x, 58.6), 0, {"1": f"BTN{n}", "2": "GND"})
        board.place(f"R{29 + n}", p.R100, (x, 53.0), 90, {"1": f"BTN{n}", "2": f"KEY{n}"})
        board.texts.append(Text(f"BUTTON {n}", (x + 1.2, 61.9), 0.9))


def _copper(board: Board) -> None:
    left, top, right, bottom = OUTLINE
    e = 0.5
    whole = [
        (left + e, top + e), (right - e, top + e), (right - e, bottom - e), (left + e, bottom - e),
    ]  # fmt: skip
    board.zone("GND", "F", whole)
    board.zone("GND", "B", whole)
    x = MAX_STRIPS * PITCH_MM - 5.0
    areas: dict[str, list[Point]] = {
        "VIN": [
            (-16.5, 45.5), (2.2, 45.5), (2.2, 53.8), (-4.0, 53.8), (-4.0, 50.0), (-16.5, 50.0),
        ],
        "VF": [
            (7.6, 46.4), (20.7, 46.4), (20.7, 53.4), (17.4, 53.4), (17.4, 57.2), (11.6, 57.2),
            (11.6, 53.8), (7.6, 53.8),
        ],
        "MID": [(23.2, 44.0), (31.8, 44.0), (31.8, 55.6), (25.4, 55.6), (25.4, 59.8), (23.2, 59.8)],
        "5V": [(20.3, 38.2), (46.0, 38.2), (46.0, 60.0), (32.8, 60.0), (32.8, 42.8), (20.3, 42.8)],
        "5VL": [
            (-13.8, -15.0), (x, -15.0), (x, -8.2), (-5.0, -8.2), (-5.0, 33.8), (18.1, 33.8),
            (18.1, 42.4), (-13.8, 42.4),
        ],
    }  # fmt: skip
    for net, outline in areas.items():
        board.zone(net, "F", outline, 1, solid=True)


def _bores(board: Board) -> None:
    for at in ((-16.6, -16.6), (159.6, -16.6), (-16.6, 61.4), (159.6, 61.6), (102.6, 59.0),
               (72.0, -17.0)):  # fmt: skip
        board.holes.append(Hole(at, SCREW_MM))
    for n, at in enumerate([(-10.0, -17.5), (152.0, -17.5), (49.6, 56.0)], 1):
        board.place(f"FID{n}", p.FIDUCIAL, at)
    board.texts.append(Text(board.title, (30.0, -17.4), 1.6))
    for words, at in (
        ("+", (36.0, 54.2)), ("+", (-9.4, 21.6)),  # beside pad 1 of C20 and C22
        ("5 V", (-14.0, 42.6)), ("GND", (-14.0, 58.2)), ("F20 FUSE", (5.0, 55.0)),
        ("A1 PICO, USB this way >", (136.5, 47.0)), ("U1", MUX),
        ("no strip: jumper 6-8", (63.0, 35.0)), ("5 V ON", (48.4, 33.8)),
    ):  # fmt: skip
        board.texts.append(Text(words, at, 1.0))
    for k in range(MAX_STRIPS):
        x = k * PITCH_MM + 7.2
        for y in (-3.0, 3.0, 9.4, 14.4):
            board.via("GND", (x, y))


def _route(board: Board) -> None:
    left, _, right, bottom = OUTLINE
    maze = Maze(
        board, (left + 1, 3.0, right - 0.8, bottom - 0.8), step=0.25, dear={"F": 1.3, "B": 1.0}
    )
    nets = sorted({net for net in board.nets() if net not in CUT and net[:2] != "5V"})
    routed = {f"LED{k}" for k in range(1, MAX_STRIPS)} | {f"A{k}" for k in range(MAX_STRIPS)}
    wanted = []
    for net in nets:
        places = ends(board, net)
        if net in routed or net in ("VSYS", "GATE", "OVB"):
            continue
        if net in BUS_Y:  # the last socket stands for the bus
            places = [e for e in places if e.at[1] < 20][-1:] + [e for e in places if e.at[1] > 20]
        wanted.append((net, places))
    wanted.sort(key=lambda one: _span(one[1]))
    maze.connect(wanted)
    _stitch(board, maze)


def _stitch(board: Board, maze: Maze) -> None:
    """Vias that tie both ground planes, wherever there is room between other copper."""
    left, _, right, bottom = OUTLINE
    taken = [zone.outline for zone in board.zones if zone.rank]
    for x in range(int(left) + 3, int(right) - 2, 5):
        for y in range(22, int(bottom) - 2, 5):
            at = (float(x), float(y))
            if maze.room("GND", at) and not any(_within(at, outline) for outline in taken):
                board.via("GND", at)


def _within(at: Point, outline: Sequence[Point]) -> bool:
    """True if a place lies in an outline, by the crossings of a ray."""
    inside = False
    for (ax, ay), (bx, by) in pairwise([*outline, outline[0]]):
        if (ay > at[1]) != (by > at[1]) and at[0] < ax + (at[1] - ay) / (by - ay) * (bx - ax):
            inside = not inside
    return inside


def _span(places: Sequence[End]) -> float:
    xs, ys = [e.at[0] for e in places], [e.at[1] for e in places]
    return max(xs) - min(xs) + max(ys) - min(ys)

"""The sheets of our two boards: where each part stands to be read, and which wires are drawn.

A strip is its head and as many cells, all on one sheet that is used again and again; the base is
power, logic, Pico, and a sheet that is used for each of the fifteen sockets. Nets are nowhere named
but in tags: they are the drawing's.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace

from lumiban.boards.profile import MAX_STRIPS

from lumiban_hw import parts as p
from lumiban_hw.pcb.drawing import Board, Placed
from lumiban_hw.pcb.schematic import Design, Page, Sheet, SheetError
from lumiban_hw.pcb.strip import PLUG_NETS
from lumiban_hw.pcb.symbols import SIGNS, Out, box, names_of, turned

UPRIGHT = SIGNS["R"]
LEVEL_R = turned(SIGNS["R"], "R-level", 1)
UPSIDE = turned(SIGNS["R"], "R-upside", 2)
CAP, CAN = SIGNS["C"], SIGNS["C_can"]
PNP_BACK = replace(
    turned(SIGNS["PNP"], "PNP-back", flipped=True), ref_at=(1, 3.2), value_at=(1, 4.6)
)
SHUNT_BACK = replace(
    turned(SIGNS["Shunt"], "Shunt-back", flipped=True), ref_at=(-4, -0.9), value_at=(1, 2.2)
)
FET_LEVEL = replace(turned(SIGNS["PFET"], "PFET-level", 1), ref_at=(0, -4.6), value_at=(0, -3))
FET_BACK = turned(FET_LEVEL, "PFET-level-back", flipped=True)
CAP_UPSIDE = turned(CAP, "C-upside", 2)
LIGHT_DOWN = replace(
    turned(SIGNS["D_light"], "D-light-down", 2), ref_at=(1.4, -0.9), value_at=(1.4, 1.6)
)
CELL_STEPS, GAP_STEPS = 12, 8
"""A cell's box on a strip's sheet, and the room to the next."""


def design(board: Board) -> Design:
    """The schematic of a strip or of the base board; SheetError where a page is drawn wrong."""
    base = any(placed.ref == "A1" for placed in board.parts)
    return _base(board) if base else _strip(board)


def _picked(board: Board, refs: Iterable[str]) -> dict[str, Placed]:
    wanted = set(refs)
    picked = {placed.ref: placed for placed in board.parts if placed.ref in wanted}
    if missing := wanted - picked.keys():
        raise SheetError(f"{', '.join(sorted(missing))} are not on the board")
    return picked


# A strip.


def _strip(board: Board) -> Design:
    count = sum(placed.part is p.HALL for placed in board.parts)
    wide = 60 + count * (CELL_STEPS + GAP_STEPS)
    paper = "A4" if wide < 225 else "A3" if wide < 320 else "A2"
    root = Page(f"{board.name}.kicad_sch", board.title, paper=paper)
    cell = _cell_page()
    cells = []
    for n in range(1, count + 1):
        picked = _picked(board, (f"S{n}", f"D{n}", f"C{n + 200}", f"C{n + 100}"))
        sensor, light = picked[f"S{n}"], picked[f"D{n}"]
        parts = {"S": sensor, "D": light, "CS": picked[f"C{n + 200}"], "CD": picked[f"C{n + 100}"]}
        ports = {"DIN": light.nets["4"], "DOUT": light.nets["2"], "OUT": sensor.nets["2"]}
        cells.append(Sheet(f"Cell {n}", cell, parts, ports))
    pins: Mapping[str, tuple[Out, float]] = {"DIN": ("L", 4), "DOUT": ("R", 4), "OUT": ("D", 6)}
    head = Sheet("Head", _head_page(), _picked(board, HEAD_REFS), x=14, y=30, wide=20)
    near, far = cells[0].ports["DIN"], cells[-1].ports["DOUT"]
    outs = [one.ports["OUT"] for one in cells]
    lanes = {net: 14 + 2 * k for k, net in enumerate(outs)}
    head.ports = {net: net for net in (near, far, *outs)}
    head.pins = {near: ("R", 4), far: ("U", 10), **{net: ("R", y) for net, y in lanes.items()}}
    head.high = 16 + 2 * count
    root.sheets = [head, *cells]
    for k, one in enumerate(cells):
        one.x, one.y, one.wide, one.high = 48 + k * (CELL_STEPS + GAP_STEPS), 30, CELL_STEPS, 8
        one.pins = pins
        before = f"Cell {k}.DOUT" if k else f"Head.{near}"
        root.wire(before, f"{one.name}.DIN")
        net = one.ports["DIN"]
        root.tag(net, one.x - GAP_STEPS / 2, 34, "U")
        out, lane = one.ports["OUT"], 30 + lanes[one.ports["OUT"]]
        root.wire(f"Head.{out}", (one.x + 6, None), f"{one.name}.OUT")
        root.wire((one.x + 6, lane), (one.x + 9, lane))
        root.tag(out, one.x + 9, lane, "R")
    end = cells[-1]
    beyond = end.x + end.wide + 4
    root.wire(f"Head.{far}", (None, 18), (beyond, None), (None, 34), f"{end.name}.DOUT")
    root.tag(far, beyond, 18, "R")
    root.notes.append((_STRIP_NOTE, 14, 11))
    return Design(board, Sheet("", root, {}))


HEAD_REFS = ("J1", "U1", "U2", "C1", "C2", "C3", "R1", "R2", "R3")
_STRIP_NOTE = (
    "A row strip: its sensors go to channels of the multiplexer in the head, one at a time to the\n"
    "base board; its lights are a chain from way 6 of the plug to way 8."
)


def _cell_page() -> Page:
    page = Page("cell.kicad_sch", "One cell: sensor and light")
    page.put("CS", CAP, 50, 50)
    page.put("S", box("Hall", names_of(p.HALL), right="2", top="1", bottom="3"), 70, 50)
    page.put("CD", CAP, 120, 50)
    light = box("Light", names_of(p.LIGHT), left="4", right="2", top="1", bottom="3", wide=10)
    page.put("D", light, 145, 50)
    page.notes.append(("The sensor stands exactly in the middle of the cell.", 44, 34))
    page.notes.append(("The light is 6 mm above it, its data at 5 V.", 114, 34))
    return page


_MUX = box(
    "Multiplexer",
    names_of(p.MUX),
    left=("10", "11", "14", "13", "", "15", "", "1"),
    right=("9", "8", "7", "6", "5", "4", "3", "2", "23", "22", "21", "20", "19", "18", "17", "16"),
    top=("24",),
    bottom=("12",),
    wide=14,
)
_PLUG = box(
    "Plug14",
    {way: f"{net} {way}" for way, net in PLUG_NETS.items()},
    left=[str(n) for n in range(1, 15, 2)],
    right=[str(n) for n in range(2, 15, 2)],
    wide=16,
)


def _head_page() -> Page:
    page = Page("head.kicad_sch", "A strip's head: plug, supply, multiplexer, reference")
    page.put("J1", _PLUG, 40, 50)
    page.notes.append(("Plug to the base board, mounted from below", 28, 34))
    page.put("C2", CAP, 96, 42)
    regulator = box(
        "Regulator", names_of(p.REGULATOR), left=("1", "3"), right=("5", "4"), bottom="2", wide=12
    )
    page.put("U2", regulator, 116, 40)
    page.put("C3", CAP, 140, 42)
    page.wire("C2.1", (None, 39), "U2.1")
    page.wire("U2.3", (104, None), (None, 39))
    page.wire((96, 39), (96, 37))
    page.tag("5V", 96, 37, "U")
    page.wire("U2.5", (140, None), "C3.1")
    page.wire((140, 39), (140, 37))
    page.tag("3V3", 140, 37, "U")
    page.notes.append(("3.3 V for sensors and multiplexer", 92, 30))
    page.put("R1", LEVEL_R, 52, 84)
    page.notes.append(("Data to the first light", 40, 78))
    page.put("C1", CAP, 104, 90)
    page.put("U1", _MUX, 136, 90)
    page.put("R2", UPSIDE, 186, 98)
    page.put("R3", UPRIGHT, 186, 112)
    page.wire("U1.16", (186, None), "R2.1")
    page.wire("R3.1", (186, 105))
    page.wire((186, 105), (192, 105))
    page.tag("H15", 192, 105, "R")
    page.notes.append(("The reference: half the supply", 176, 90))
    return page


# The base board.


def _base(board: Board) -> Design:
    root = Page(f"{board.name}.kicad_sch", board.title, paper="A3")
    power = Sheet("Power", _power_page(), _picked(board, POWER_REFS), x=30, y=40, wide=24, high=20)
    logic = Sheet("Logic", _logic_page(), _picked(board, LOGIC_REFS), x=110, y=30, wide=40, high=40)
    pico = Sheet("Pico", _pico_page(), _picked(board, PICO_REFS), x=206, y=30, wide=40, high=40)
    power.pins = {"POWER": ("R", 6), "GOOD": ("R", 12)}
    here, there = ("ROW0", "ROW1", "ROW2", "ROW3", "READ", "RAIL"), ("DATA", "DARK", "BACK")
    keys = tuple(f"KEY{k}" for k in range(1, 5))
    logic.pins = {
        **{net: ("R", 2 + 2 * k) for k, net in enumerate((*here, *there, *keys))},
        **{f"A{k}": ("L", 2 + 2 * k) for k in range(MAX_STRIPS)},
        "LED0": ("L", 34), f"LED{MAX_STRIPS}": ("L", 36),
    }  # fmt: skip
    pico.pins = {
        **{net: ("L", 2 + 2 * k) for k, net in enumerate((*here, *there, *keys))},
        "POWER": ("R", 4), "GOOD": ("R", 6),
        **{f"S{k}": ("R", 12 + 2 * k) for k in range(4)},
    }  # fmt: skip
    for one in (power, logic, pico):
        one.ports = {net: net for net in one.pins}
    root.sheets = [power, logic, pico]
    row = _row_page()
    for k in range(MAX_STRIPS):
        plug, fuse = board.part(f"J{k + 1}"), board.part(f"F{k + 1}")
        ports = {
            "FED": plug.nets["1"], "DIN": plug.nets["6"], "DOUT": plug.nets["8"],
            "AOUT": plug.nets["10"],
        }  # fmt: skip
        one = Sheet(f"Row {k + 1}", row, {"J": plug, "F": fuse}, ports)
        one.x, one.y, one.wide, one.high = 40 + 52 * (k % 5), 94 + 32 * (k // 5), 16, 12
        one.pins = {"DIN": ("L", 6), "DOUT": ("R", 6), "AOUT": ("D", 4), "FED": ("D", 12)}
        if k % 5:
            root.wire(f"Row {k}.DOUT", f"{one.name}.DIN")
            root.tag(one.ports["DIN"], one.x - 18, one.y + 6, "U")
        root.sheets.append(one)
    root.notes.append(
        ("The lights of all rows are one chain, from LED0 to LED15; a row without a strip has a\n"
         "jumper cap on ways 6 and 8. One analog line a row comes back to the multiplexer.", 30, 80)
    )  # fmt: skip
    return Design(board, Sheet("", root, {}))


POWER_REFS = (
    "J20", "F20", "D20", "Q1", "Q4", "R20", "C24", "D21", "Q5", "R24", "R23", "U4", "R25", "R26",
    "C20", "Q2", "R21", "C25", "C21", "R27", "Q3", "R22", "C22", "U3", "C23", "R28", "D22",
)  # fmt: skip
PICO_REFS = ("A1", "R1", "R2", "R3", "R4", "D1", "C2", "R5", "R6", "C3")
LOGIC_REFS = (
    "U1", "C1", "U2", "C4", "R7", "R10", "R8", "R9", "J21", "J22", "J23", "J24", "R30", "R31",
    "R32", "R33",
)  # fmt: skip


def _row_page() -> Page:
    page = Page("row.kicad_sch", "A row's socket and its fuse")
    page.put("F", SIGNS["Fuse_resettable"], 80, 40)
    page.put("J", _PLUG, 80, 66)
    page.wire("F.2", (None, 50), (64, None), (None, 60), "J.1")
    page.wire("J.3", (64, None), (64, 60))
    page.wire((80, 50), (96, None), (None, 60), "J.2")
    page.wire((64, 50), (58, 50))
    page.tag("5V0", 58, 50, "L")
    page.notes.append(("1.1 A, resets itself", 88, 38))
    return page


def _pico_page() -> Page:
    page = Page("pico.kicad_sch", "The Pico and what is around it", paper="A4")
    pico = box(
        "Pico",
        names_of(p.PICO),
        left=[str(n) for n in range(1, 21)],
        right=[str(n) for n in range(40, 20, -1)],
        wide=20,
    )
    page.put("A1", pico, 80, 62)
    page.put("D1", turned(SIGNS["D"], "D-level", 1), 150, 30)
    page.notes.append(("A USB cable does not power the strips", 138, 20))
    page.put("C2", CAP, 190, 31)
    for k in range(4):
        page.put(f"R{k + 1}", LEVEL_R, 150, 48 + 9 * k)
    page.notes.append(("Address lines: little flows into strips without power", 138, 40))
    page.put("R5", UPRIGHT, 150, 96)
    page.put("R6", UPRIGHT, 150, 110)
    page.put("C3", CAP, 164, 110)
    page.wire("R5.2", "R6.1")
    page.wire((150, 103), (164, None), "C3.1")
    page.wire((164, 103), (172, 103))
    page.tag("RAIL", 172, 103, "R")
    page.notes.append(("Half of 5 V", 138, 86))
    return page


def _logic_page() -> Page:
    page = Page("logic.kicad_sch", "Row multiplexer, the lights' data, buttons", paper="A4")
    page.put("C1", CAP, 30, 40)
    page.put("U1", _MUX, 62, 46)
    page.notes.append(("Which row is read; channel 15 is half of 5 V", 36, 16))
    shifter = box(
        "Driver", names_of(p.SHIFTER), left=("2", "1"), right=("4",), top="5", bottom="3", wide=10
    )
    page.put("U2", shifter, 150, 40)
    page.put("R7", UPSIDE, 128, 32)
    page.wire("R7.1", (128, 41), "U2.1")
    page.wire((128, 41), (122, 41))
    page.tag("DARK", 122, 41, "L")
    page.put("R10", UPRIGHT, 166, 46)
    page.wire("U2.4", (166, None), "R10.1")
    page.wire((166, 40), (174, 40))
    page.tag("LED0", 174, 40, "R")
    page.put("C4", CAP, 192, 40)
    page.notes.append(("Data at 5 V; dark until the Pico says otherwise", 116, 16))
    page.put("R8", LEVEL_R, 140, 72)
    page.put("R9", UPRIGHT, 154, 80)
    page.wire("R8.2", (154, None), "R9.1")
    page.wire((154, 72), (162, 72))
    page.tag("BACK", 162, 72, "R")
    page.notes.append(("What comes back of the chain, at 3.3 V", 116, 60))
    plug = box("Plug2", {}, right=("1", "2"), wide=6)
    for k in range(4):
        x = 24 + 50 * k
        page.put(f"J{21 + k}", plug, x, 116)
        page.put(f"R{30 + k}", LEVEL_R, x + 16, 115)
        page.wire(f"J{21 + k}.1", f"R{30 + k}.1")
        page.tag(f"BTN{k + 1}", x + 10, 115, "U")
    page.notes.append(("Buttons", 18, 104))
    return page


def _power_page() -> Page:
    page = Page("power.kicad_sch", "Supply: plug, fuse, refusal, soft start, the strips' switch")
    _entry(page)
    _gates(page)
    _switch(page)
    page.put("U3", box("Supervisor", names_of(p.GUARD), right="2", top="3", bottom="1"), 44, 108)
    page.put("C23", CAP, 66, 108)
    page.notes.append(("Low when 5 V is below 4.63 V", 34, 92))
    page.put("R28", UPRIGHT, 96, 104)
    page.put("D22", LIGHT_DOWN, 96, 114)
    page.wire("R28.2", "D22.2")
    page.tag("LIT", 96, 109, "R")
    page.notes.append(("Shines while 5 V is let in", 86, 92))
    return page


def _entry(page: Page) -> None:
    """From the plug through the fuse to both transistors that stand back to back."""
    page.put("J20", box("Terminal", {"1": "5 V", "2": "GND"}, right=("1", "2"), wide=6), 18, 42)
    page.put("F20", turned(SIGNS["Fuse"], "Fuse-level", 1), 42, 41)
    page.put("D20", SIGNS["D_surge"], 54, 48)
    page.put("Q1", FET_BACK, 70, 42)
    page.put("Q4", FET_LEVEL, 138, 42)
    page.wire("J20.1", "F20.1")
    page.tag("VIN", 30, 41, "U")
    page.wire("F20.2", "Q1.5")
    page.tag("VF", 49, 41, "U")
    page.wire("D20.1", (54, 41))
    page.wire("Q1.1", "Q4.1")
    page.tag("MID", 130, 41, "U")
    page.notes.append(("Q1 holds off a reversed supply, Q4 one above 5.26 V", 60, 30))


def _gates(page: Page) -> None:
    """The gates' common line, what lets it fall slowly, and what ties it to the sources."""
    page.put("R20", UPRIGHT, 70, 68)
    page.put("C24", CAP_UPSIDE, 80, 50)
    page.put("D21", SIGNS["D_zener"], 92, 50)
    page.put("Q5", PNP_BACK, 105, 50)
    page.put("R24", UPRIGHT, 114, 46)
    page.put("R23", UPRIGHT, 114, 68)
    page.put("U4", SHUNT_BACK, 114, 80)
    page.put("R25", UPSIDE, 126, 50)
    page.put("R26", UPRIGHT, 126, 87)
    page.wire("Q1.4", (None, 60), (138, None), "Q4.4")
    page.wire((70, 60), "R20.1")
    page.wire((70, 60), (64, 60))
    page.tag("GATE", 64, 60, "L")
    for key, bottom in (("C24.2", "C24.1"), ("D21.1", "D21.2"), ("Q5.2", "Q5.3"), ("R25.2", "")):
        page.wire(key, (None, 41))
        if bottom:
            page.wire(bottom, (None, 60))
    page.wire("R24.1", (None, 41))
    page.wire("Q5.1", (114, None))
    page.wire("R24.2", "R23.1")
    page.tag("OVB", 114, 63, "R")
    page.wire("R23.2", "U4.1")
    page.tag("OVK", 114, 74, "R")
    page.wire("R25.1", "R26.1")
    page.wire("U4.2", (126, None))
    page.wire((126, 80), (132, 80))
    page.tag("OVR", 132, 80, "R")


def _switch(page: Page) -> None:
    """5 V, and its slow switch to the strips."""
    page.put("C20", CAN, 152, 48)
    page.put("R21", UPSIDE, 168, 50)
    page.put("C25", CAP_UPSIDE, 178, 50)
    page.put("Q2", FET_LEVEL, 192, 42)
    page.put("C21", CAP, 204, 50)
    page.put("R27", UPRIGHT, 192, 67)
    page.put("Q3", SIGNS["NFET"], 191, 78)
    page.put("R22", UPRIGHT, 178, 84)
    page.put("C22", CAN, 214, 48)
    page.wire("Q4.5", "Q2.1")
    page.wire((160, 41), (160, 38))
    page.tag("5V", 160, 38, "U")
    for key in ("C20.1", "R21.2", "C25.2", "C21.1", "C22.1"):
        page.wire(key, (None, 41))
    page.wire("Q2.5", (222, 41))
    page.wire((222, 41), (222, 38))
    page.tag("5VL", 222, 38, "U")
    page.wire("R21.1", (None, 60), (204, None), "C21.2")
    page.wire("C25.1", (None, 60))
    page.wire("Q2.4", (None, 60), "R27.1")
    page.wire((204, 60), (208, 60))
    page.tag("Q2G", 208, 60, "R")
    page.wire("R27.2", "Q3.3")
    page.tag("Q3D", 192, 73, "R")
    page.wire("Q3.1", (178, None), "R22.1")
    page.wire((178, 78), (172, 78))
    page.tag("POWER", 172, 78, "L")
    page.notes.append(("Rises in some 15 ms", 184, 30))

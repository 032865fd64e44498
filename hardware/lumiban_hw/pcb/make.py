"""From a drawing to a folder that a board maker takes: KiCad's file, checks, gerbers, pictures.

The board's and the schematic's files are our own and need no KiCad; KiCad 9 or later fills, checks
and plots them (`kicad_cli`).
"""

from __future__ import annotations

import csv
import re
import shutil
import subprocess
import zipfile
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from html import escape
from pathlib import Path

from lumiban_hw.pcb import kicad_cli, sheets
from lumiban_hw.pcb.board_file import CORNER_MM, LOOSE, board_text, project_text
from lumiban_hw.pcb.drawing import Board, Placed
from lumiban_hw.pcb.netlist import drawn, nets
from lumiban_hw.pcb.schematic import SheetError

PACKAGE = "kicad"
"""Package to install where there is no KiCad."""


@dataclass(frozen=True, slots=True)
class KicadReport:
    """Report of KiCad on a board."""

    drc: tuple[str, ...]
    unconnected: int
    tracks: int
    erc: tuple[str, ...]
    parity: tuple[tuple[str, str, str], ...]
    """Pins whose net differs: the pin, its net in the copper, its net in the schematic."""


def wanting() -> str:
    """Reason why no KiCad here will do; names another version that is there instead."""
    other = kicad_cli.cli_version()
    if not other:
        return PACKAGE
    is_new = int(other.split(".")[0]) >= kicad_cli.MIN_MAJOR
    lacks = ", without its Python's pcbnew" if is_new else ""
    return f"{PACKAGE} {kicad_cli.MIN_MAJOR} (here is {other}{lacks})"


def tables(board: Board, folder: Path) -> None:
    """Parts, places and nets of a board as CSV, and its picture: all that needs no KiCad."""
    (folder / f"{board.name}-sketch.svg").write_text(sketch_svg(board), "utf-8")
    count: dict[tuple[str, str, str, str], list[str]] = {}
    for placed in board.parts:
        part = placed.part
        if part.number:
            key = (part.value, part.land, part.number, part.sheet)
            count.setdefault(key, []).append(placed.ref)
    write_csv(
        folder / "parts.csv",
        ("value", "package", "part", "data_sheet", "count", "refs"),
        [(*key, len(refs), " ".join(refs)) for key, refs in sorted(count.items())],
    )
    left, _, _, bottom = board.outline
    write_csv(
        folder / "positions.csv",
        ("ref", "value", "package", "x_mm", "y_mm", "turn", "side"),
        [
            (p.ref, p.part.value, p.part.land, round(p.x - left, 3), round(bottom - p.y, 3),
             p.turn, "bottom" if p.land.below else "top")
            for p in board.parts if p.part.number
        ],
    )  # fmt: skip
    write_csv(
        folder / "nets.csv",
        ("net", "pads"),
        [
            (net, " ".join(sorted({f"{j.ref}.{j.pad}" for j in joints})))
            for net, joints in sorted(nets(drawn(board)).items())
        ],
    )


def write_csv(path: Path, head: Sequence[str], rows: Iterable[Sequence[object]]) -> None:
    """A table as a file."""
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(head)
        writer.writerows(rows)


def write_sources(board: Board, folder: Path) -> list[str]:
    """KiCad's files of a board: the copper with zones still to be filled, the schematic, rules.

    Returns what keeps a schematic from being drawn: then there is none.
    """
    wrong = []
    symbols: dict[str, str] = {}
    pages: list[tuple[str, str]] = []
    try:
        design = sheets.design(board)
        if missing := design.missing():
            raise SheetError(f"{', '.join(sorted(missing))} stand on no sheet")
        for name, text in design.files().items():
            (folder / name).write_text(text, "utf-8")
        symbols, pages = design.symbols(), design.sheets()
    except SheetError as error:
        wrong.append(str(error))
    (folder / f"{board.name}.kicad_pcb").write_text(board_text(board, symbols), "utf-8")
    (folder / f"{board.name}.kicad_pro").write_text(project_text(board, pages), "utf-8")
    return wrong


def finish(tool: kicad_cli.Kicad, board: Board, folder: Path, *, plots: bool = True) -> KicadReport:
    """KiCad's part with the files of `write_sources`: fill the zones, check, plot; KicadFailed."""
    folder = folder.absolute()  # KiCad's processes run in it
    with kicad_cli.Bench(tool, folder, board.name) as bench:
        bench.fill()
        checked = bench.check()
        if plots:
            bench.plot()
    if plots:
        left, top, right, bottom = board.outline
        draw_layers(folder, board.name, (right - left, bottom - top), CORNER_MM)
        with zipfile.ZipFile(folder / f"{board.name}-gerber.zip", "w", zipfile.ZIP_DEFLATED) as out:
            for path in sorted((folder / "gerber").iterdir()):
                out.write(path, path.name)
    meant = {(j.ref, j.pad): j.net for j in drawn(board) if board.part(j.ref).part.number}
    pins = {pin: "" if net.startswith(LOOSE) else net for pin, net in checked.pins.items()}
    differ = [
        (f"{ref}.{pad}", meant.get((ref, pad), "-"), pins.get((ref, pad), "-"))
        for ref, pad in sorted(meant.keys() | pins.keys())
        if meant.get((ref, pad), "-") != pins.get((ref, pad), "-")
    ]
    text = (folder / f"{board.name}.kicad_pcb").read_text("utf-8")
    tracks = len(re.findall(r"^\s*\((?:segment|via)\b", text, re.MULTILINE))
    drc = (*checked.drc, *(f"parity: {one}" for one in checked.parity))
    return KicadReport(drc, len(checked.unconnected), tracks, checked.erc, tuple(differ))


# Pictures of a finished board, from the layers that KiCad plots: one SVG a side, PNG if possible.
# `rsvg-convert` makes the PNG; without it the SVG is all there is.

LAMINATE, COPPER, PAD, SILK, BORE = "#14532d", "#2f7d46", "#d9b24c", "#f4f4f0", "#0b0b0b"
_SIDES = {
    "top": (("F_Cu", COPPER), ("F_Mask", PAD), ("F_Silkscreen", SILK)),
    "bottom": (("B_Cu", COPPER), ("B_Mask", PAD), ("B_Silkscreen", SILK)),
}
_MARGIN_MM = 2.0
PIXELS_A_MM = 8


def draw_layers(
    folder: Path, name: str, size: tuple[float, float], corner: tuple[float, float]
) -> None:
    """Write `name-top.svg` and `name-bottom.svg`, and their PNG, from the plots in `folder/svg`.

    `size` and `corner` of the board are in mm on KiCad's page. The bottom is seen from below.
    """
    for side, layers in _SIDES.items():
        body = [
            f'<rect x="{corner[0]:g}" y="{corner[1]:g}" width="{size[0]:g}" height="{size[1]:g}" '
            f'fill="{LAMINATE}"/>'
        ]
        for layer, colour in layers:
            body.append(_recoloured(folder / "svg" / f"{name}-{layer}.svg", colour))
        x, y = corner[0] - _MARGIN_MM, corner[1] - _MARGIN_MM
        width, height = size[0] + 2 * _MARGIN_MM, size[1] + 2 * _MARGIN_MM
        drawing = "\n".join(body)
        if side == "bottom":
            turn = 2 * corner[0] + size[0]
            drawing = f'<g transform="translate({turn:g} 0) scale(-1 1)">\n{drawing}\n</g>'
        path = folder / f"{name}-{side}.svg"
        path.write_text(
            f'<svg xmlns="http://www.w3.org/2000/svg" width="{width:.1f}mm" height="{height:.1f}mm"'
            f' viewBox="{x:g} {y:g} {width:g} {height:g}">\n{drawing}\n</svg>\n',
            encoding="utf-8",
        )
        _png(path, round(width * PIXELS_A_MM))


def _recoloured(path: Path, colour: str) -> str:
    """Plot in one colour; bored holes in another."""
    text = path.read_text("utf-8")
    inner = text[text.index("</desc>") + len("</desc>") : text.rindex("</svg>")]
    return re.sub("#000000", colour, inner.replace("#FFFFFF", BORE))


def _png(path: Path, width: int) -> None:
    tool = shutil.which("rsvg-convert")
    if tool:
        out = path.with_suffix(".png")
        subprocess.run(
            [tool, "-w", str(min(width, 4000)), str(path), "-o", str(out)],
            check=False,
            capture_output=True,
        )


# A picture of a drawing as small SVG: copper of both sides, pads, holes, words; no zones. It
# needs no KiCad and is the same on every machine, byte for byte.

_STYLE = (
    "<style>text{font-family:sans-serif;text-anchor:middle;dominant-baseline:central;fill:#222}"
    ".F{stroke:#c0603a}.B{stroke:#3a6ac0}.F,.B,.dot{fill:none;stroke-linecap:round}"
    ".body{fill:none;stroke:#888;stroke-width:.12}</style>"
)
_PAD = "#d9b24c"


def sketch_svg(board: Board) -> str:
    """The picture, one unit a millimetre."""
    left, top, right, bottom = board.outline
    width, height = right - left, bottom - top
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" role="img" width="{width + 4:g}mm" '
        f'viewBox="{left - 2:g} {top - 2:g} {width + 4:g} {height + 4:g}">',
        f"<title>{escape(board.title)}</title>{_STYLE}",
        _cut(board.edges)
        if board.edges
        else f'<rect x="{left:g}" y="{top:g}" width="{width:g}" height="{height:g}" fill="#f2f5ee" '
        'stroke="#222" stroke-width=".2"/>',
    ]
    for layer in ("B", "F"):
        paths: dict[float, list[str]] = {}
        ends: dict[float, tuple[float, float]] = {}
        for t in board.tracks:
            if t.layer == layer:
                steps = paths.setdefault(t.width, [])
                before = ends.get(t.width)
                steps.append(_step(t.a, t.b, is_on=before == t.a))
                ends[t.width] = t.b
        lines += [
            f'<path class="{layer}" stroke-width="{wide:g}" d="{"".join(steps)}"/>'
            for wide, steps in sorted(paths.items())
        ]
    for placed in board.parts:
        if placed.part.number:
            a, b = placed.at(*placed.land.body[:2]), placed.at(*placed.land.body[2:])
            lines.append(f'<path class="body" d="{_box(*a, *b)}{_ticks(placed)}"/>')
    lines += _pads(board)
    lines += _dots([(via.at, via.size) for via in board.vias], "#777")
    bores = [(hole.at, hole.diameter) for hole in (*board.holes, *board.bites)]
    bores += [
        (placed.at(pad.x, pad.y), pad.drill)
        for placed in board.parts
        for pad in placed.land.pads
        if pad.drill
    ]
    lines += _dots([(at, size + 0.05) for at, size in bores], "#222")
    lines += _dots([(at, size - 0.05) for at, size in bores], "#fff")
    lines += [
        f'<text x="{_n(t.at[0])}" y="{_n(t.at[1])}" font-size="{t.size * 1.3:g}">'
        f"{escape(t.words)}</text>"
        for t in board.texts
        if t.side == "F"
    ]
    return "\n".join([*lines, "</svg>\n"])


def _cut(edges: Iterable[tuple[tuple[float, float], tuple[float, float]]]) -> str:
    """The edges of a board that is no rectangle."""
    steps = "".join(f"M{_n(a[0])} {_n(a[1])}L{_n(b[0])} {_n(b[1])}" for a, b in edges)
    return f'<path fill="none" stroke="#222" stroke-width=".3" d="{steps}"/>'


def _ticks(placed: Placed) -> str:
    lines = [(placed.at(x0, y0), placed.at(x1, y1)) for x0, y0, x1, y1 in placed.land.ticks]
    return "".join(f"M{_n(a[0])} {_n(a[1])}L{_n(b[0])} {_n(b[1])}" for a, b in lines)


def _pads(board: Board) -> list[str]:
    boxes, round_ones = [], []
    for placed in board.parts:
        for pad in placed.land.pads:
            if pad.shape == "round":
                round_ones.append((placed.at(pad.x, pad.y), pad.width))
            else:
                w, h = pad.width / 2, pad.height / 2
                a, b = placed.at(pad.x - w, pad.y - h), placed.at(pad.x + w, pad.y + h)
                boxes.append(_box(*a, *b))
    return [f'<path fill="{_PAD}" d="{"".join(boxes)}"/>', *_dots(round_ones, _PAD)]


def _step(a: tuple[float, float], b: tuple[float, float], *, is_on: bool) -> str:
    """A straight piece of a track; `is_on`: the one before ends where it begins."""
    to = f"L{_n(b[0])} {_n(b[1])}"
    if _n(a[0]) == _n(b[0]):
        to = f"V{_n(b[1])}"
    elif _n(a[1]) == _n(b[1]):
        to = f"H{_n(b[0])}"
    return to if is_on else f"M{_n(a[0])} {_n(a[1])}{to}"


def _dots(dots: Iterable[tuple[tuple[float, float], float]], colour: str) -> list[str]:
    """Filled circles as the round ends of lines without length: a quarter of the bytes."""
    places: dict[str, list[str]] = {}
    for (x, y), size in dots:
        places.setdefault(_n(size), []).append(f"M{_n(x)} {_n(y)}h0")
    return [
        f'<path class="dot" stroke="{colour}" stroke-width="{size}" d="{"".join(at)}"/>'
        for size, at in places.items()
    ]


def _n(value: float) -> str:
    return f"{round(value, 2):g}"


def _box(x0: float, y0: float, x1: float, y1: float) -> str:
    return f"M{_n(x0)} {_n(y0)}H{_n(x1)}V{_n(y1)}H{_n(x0)}z"

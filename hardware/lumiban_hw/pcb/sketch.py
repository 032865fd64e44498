"""A picture of a drawing as small SVG: copper of both sides, pads, holes, words; no zones.

It needs no KiCad and is the same on every machine, byte for byte.
"""

from __future__ import annotations

from html import escape

from lumiban_hw.pcb.board import Board, Placed

_STYLE = (
    "<style>text{font-family:sans-serif;text-anchor:middle;dominant-baseline:central;fill:#222}"
    ".F{stroke:#c0603a}.B{stroke:#3a6ac0}.F,.B{fill:none;stroke-linecap:round}"
    ".body{fill:none;stroke:#888;stroke-width:.12}.pad{fill:#d9b24c}.bore{fill:#fff}</style>"
)


def svg(board: Board) -> str:
    """The picture, one unit a millimetre."""
    left, top, right, bottom = board.outline
    width, height = right - left, bottom - top
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" role="img" width="{width + 4:g}mm" '
        f'viewBox="{left - 2:g} {top - 2:g} {width + 4:g} {height + 4:g}">',
        f"<title>{escape(board.title)}</title>{_STYLE}",
        f'<rect x="{left:g}" y="{top:g}" width="{width:g}" height="{height:g}" fill="#f2f5ee" '
        'stroke="#222" stroke-width=".2"/>',
    ]
    for layer in ("B", "F"):
        paths: dict[float, list[str]] = {}
        for t in board.tracks:
            if t.layer == layer:
                step = f"M{_n(t.a[0])} {_n(t.a[1])}L{_n(t.b[0])} {_n(t.b[1])}"
                paths.setdefault(t.width, []).append(step)
        lines += [
            f'<path class="{layer}" stroke-width="{wide:g}" d="{"".join(steps)}"/>'
            for wide, steps in sorted(paths.items())
        ]
    for placed in board.parts:
        if placed.part.number:
            a, b = placed.at(*placed.land.body[:2]), placed.at(*placed.land.body[2:])
            lines.append(f'<path class="body" d="{_box(*a, *b)}{_ticks(placed)}"/>')
    lines.append(f'<path class="pad" d="{"".join(_pads(board))}"/>')
    rings = [_ring(*via.at, via.size / 2) for via in board.vias]
    lines.append(f'<path fill="#777" d="{"".join(rings)}"/>')
    bores = [_ring(*hole.at, hole.diameter / 2) for hole in board.holes]
    bores += [
        _ring(*placed.at(pad.x, pad.y), pad.drill / 2)
        for placed in board.parts
        for pad in placed.land.pads
        if pad.drill
    ]
    lines.append(f'<path class="bore" stroke="#222" stroke-width=".05" d="{"".join(bores)}"/>')
    lines += [
        f'<text x="{_n(t.at[0])}" y="{_n(t.at[1])}" font-size="{t.size * 1.3:g}">'
        f"{escape(t.words)}</text>"
        for t in board.texts
        if t.side == "F"
    ]
    return "\n".join([*lines, "</svg>\n"])


def _ticks(placed: Placed) -> str:
    lines = [(placed.at(x0, y0), placed.at(x1, y1)) for x0, y0, x1, y1 in placed.land.ticks]
    return "".join(f"M{_n(a[0])} {_n(a[1])}L{_n(b[0])} {_n(b[1])}" for a, b in lines)


def _pads(board: Board) -> list[str]:
    found = []
    for placed in board.parts:
        for pad in placed.land.pads:
            if pad.shape == "round":
                found.append(_ring(*placed.at(pad.x, pad.y), pad.width / 2))
            else:
                w, h = pad.width / 2, pad.height / 2
                a, b = placed.at(pad.x - w, pad.y - h), placed.at(pad.x + w, pad.y + h)
                found.append(_box(*a, *b))
    return found


def _n(value: float) -> str:
    return f"{round(value, 2):g}"


def _box(x0: float, y0: float, x1: float, y1: float) -> str:
    return f"M{_n(x0)} {_n(y0)}H{_n(x1)}V{_n(y1)}H{_n(x0)}z"


def _ring(x: float, y: float, r: float) -> str:
    half = f"a{_n(r)} {_n(r)} 0 1 0 "
    return f"M{_n(x - r)} {_n(y)}{half}{_n(2 * r)} 0{half}{_n(-2 * r)} 0z"

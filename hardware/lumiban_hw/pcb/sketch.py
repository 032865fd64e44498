"""A picture of a drawing as small SVG: copper of both sides, pads, holes, words; no zones.

It needs no KiCad and is the same on every machine, byte for byte.
"""

from __future__ import annotations

from collections.abc import Iterable
from html import escape

from lumiban_hw.pcb.board import Board, Placed

_STYLE = (
    "<style>text{font-family:sans-serif;text-anchor:middle;dominant-baseline:central;fill:#222}"
    ".F{stroke:#c0603a}.B{stroke:#3a6ac0}.F,.B,.dot{fill:none;stroke-linecap:round}"
    ".body{fill:none;stroke:#888;stroke-width:.12}</style>"
)
_PAD = "#d9b24c"


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
    bores = [(hole.at, hole.diameter) for hole in board.holes]
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


def _dots(found: Iterable[tuple[tuple[float, float], float]], colour: str) -> list[str]:
    """Filled circles as the round ends of lines without length: a quarter of the bytes."""
    places: dict[str, list[str]] = {}
    for (x, y), size in found:
        places.setdefault(_n(size), []).append(f"M{_n(x)} {_n(y)}h0")
    return [
        f'<path class="dot" stroke="{colour}" stroke-width="{size}" d="{"".join(at)}"/>'
        for size, at in places.items()
    ]


def _n(value: float) -> str:
    return f"{round(value, 2):g}"


def _box(x0: float, y0: float, x1: float, y1: float) -> str:
    return f"M{_n(x0)} {_n(y0)}H{_n(x1)}V{_n(y1)}H{_n(x0)}z"

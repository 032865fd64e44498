"""A table's strips as one board to order: one above the other, joined by tabs that break off.

    rail     ====================================
               |tab|        |tab|      |tab|  |||
    strip 1  ================================ |||
               |tab|        |tab|      |tab|
    strip 2  ====================================

Each tab has a row of holes along both its edges. Nets and parts of strip k end in `_k`, so that
nothing of one strip is taken for another's. A rail above and below is what a house's line holds the
panel by; what shorter strips leave free beside them ties both rails to the longest strip.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import pairwise

from lumiban_hw.parts import FIDUCIAL
from lumiban_hw.pcb.drawing import Board, Hole, Placed, Point, Text

GAP_MM = 2.0
"""Between two strips: what a router's bit of 2 mm takes away."""
TAB_MM = 5.0
BITE_MM, BITES_MM = 0.5, 0.8
"""A tab's holes, and how far their middles are apart."""
SHARES = (0.12, 0.5, 0.88)
"""Places of the tabs along two strips, as shares."""
RAIL_MM = 7.0
TOOLING_MM = 2.0
TOOLING_IN_MM, MARK_IN_MM = 5.0, 12.0
"""From a rail's end to its tooling hole, and to its fiducial.

JLCPCB asks for rails of 5 mm at least, holes of 2 mm, and dots of 1 mm whose bare ring keeps
3.35 mm from the edge (its help pages of 2023-07-25 and 2024-05-11); PCBWay for 3 mm at least, and
offers 7 mm (its page on breakaway rails; both read 2026-11-26)."""
MARK_EDGE_MM = 4.4
"""From a rail's outer edge to the middle of a fiducial, which is bare for 1 mm around."""
Box = tuple[float, float, float, float]


def panel(boards: Sequence[Board], name: str, title: str) -> Board:
    """One drawing of several; the strips' left edges lie on one line.

    >>> from lumiban_hw.pcb.strip import StripPlan, draw
    >>> one = draw(StripPlan((0.0, 25.0), (0, 1)), routed=False)
    >>> two = panel([one, one], "two", "two strips")
    >>> left, top, right, bottom = two.outline
    >>> round(right - left, 1), round(bottom - top, 1)
    (70.0, 62.8)
    """
    boxes: list[Box] = []
    y = RAIL_MM + GAP_MM
    for board in boards:
        left, top, right, bottom = board.outline
        boxes.append((0.0, y, right - left, y + bottom - top))
        y += bottom - top + GAP_MM
    wide, foot = max(box[2] for box in boxes), boxes[-1][3] + GAP_MM
    upper: Box = (0.0, 0.0, wide, RAIL_MM)
    lower: Box = (0.0, foot, wide, foot + RAIL_MM)
    outline = (0.0, 0.0, wide, lower[3])
    made = Board(name, title, outline)
    for k, (board, box) in enumerate(zip(boards, boxes, strict=True), 1):
        _add(made, board, k, (box[0] - board.outline[0], box[1] - board.outline[1]))
    _rails(made, upper, lower)
    frame, loose = _filling(boxes, wide)
    tabs = [tab for a, b in pairwise([upper, *boxes, lower]) for tab in _tabs(a, b)] + loose
    made.edges = list(edges([upper, *boxes, lower, *frame, *tabs]))
    for left, above, right, below in tabs:
        count = int((right - left - BITES_MM) / BITES_MM)
        first = (left + right) / 2 - (count - 1) * BITES_MM / 2
        for n in range(count):
            made.bites += [Hole((first + n * BITES_MM, edge), BITE_MM) for edge in (above, below)]
    return made


def _rails(made: Board, top: Box, bottom: Box) -> None:
    """Tooling holes at the ends of both rails, three fiducials, and the panel's name."""
    ends = (TOOLING_IN_MM, top[2] - TOOLING_IN_MM)
    for rail in (top, bottom):
        made.bites += [Hole((x, (rail[1] + rail[3]) / 2), TOOLING_MM) for x in ends]
    marks = ((MARK_IN_MM, MARK_EDGE_MM), (top[2] - MARK_IN_MM, MARK_EDGE_MM),
             (MARK_IN_MM, bottom[3] - MARK_EDGE_MM))  # fmt: skip
    for n, at in enumerate(marks, 1):
        made.place(f"FID{n}", FIDUCIAL, at)
    made.texts.append(Text(made.title, (top[2] / 2, RAIL_MM / 2), 1.4))


def _filling(boxes: Sequence[Box], wide: float) -> tuple[list[Box], list[Box]]:
    """What stands beside shorter strips, joined to the rails; and tabs that hold it to the longest.

    >>> _filling([(0, 9, 50, 19), (0, 21, 75, 31)], 75)
    ([(52.0, 9, 75, 19), (52.0, 7.0, 75, 9)], [(61.0, 19, 66.0, 21)])
    """
    frame = [(box[2] + GAP_MM, box[1], wide, box[3]) for box in boxes if box[2] < wide]
    tabs = []
    spans = [(0.0, 0.0, 0.0, boxes[0][1] - GAP_MM), *boxes, (0.0, boxes[-1][3] + GAP_MM, 0.0, 0.0)]
    for above, below in pairwise(spans):
        longest, shorter = max(above[2], below[2]), min(above[2], below[2])
        if longest < wide:
            frame.append((longest + GAP_MM, above[3], wide, below[1]))
        elif 0 < shorter < wide:
            middle = (shorter + GAP_MM + wide) / 2
            tabs.append((middle - TAB_MM / 2, above[3], middle + TAB_MM / 2, below[1]))
    return frame, tabs


def _add(made: Board, board: Board, k: int, by: Point) -> None:
    """A board's content, moved and with names of its own."""
    dx, dy = by

    def shifted(at: Point) -> Point:
        return at[0] + dx, at[1] + dy

    def called(net: str) -> str:
        return f"{net}_{k}" if net else ""

    for p in board.parts:
        nets = {pad: called(net) for pad, net in p.nets.items()}
        made.parts.append(Placed(f"{p.ref}_{k}", p.part, p.x + dx, p.y + dy, p.turn, nets))
    made.tracks += [
        replace(t, net=called(t.net), a=shifted(t.a), b=shifted(t.b)) for t in board.tracks
    ]
    made.vias += [replace(v, net=called(v.net), at=shifted(v.at)) for v in board.vias]
    made.zones += [
        replace(z, net=called(z.net), outline=tuple(shifted(at) for at in z.outline))
        for z in board.zones
    ]
    made.holes += [replace(h, at=shifted(h.at)) for h in board.holes]
    made.texts += [replace(t, at=shifted(t.at)) for t in board.texts]


def _tabs(above: Box, below: Box) -> list[Box]:
    """Tabs between two strips, where both are."""
    wide = min(above[2], below[2])
    return [
        (share * wide - TAB_MM / 2, above[3], share * wide + TAB_MM / 2, below[1])
        for share in SHARES
    ]


def edges(boxes: Sequence[Box]) -> Iterable[tuple[Point, Point]]:
    """The outline of boxes that touch or overlap, its holes too, as level and upright lines.

    >>> len(list(edges([(0, 0, 4, 1), (1, 1, 2, 2), (0, 2, 4, 3)])))
    12
    """
    xs = sorted({x for box in boxes for x in (box[0], box[2])})
    ys = sorted({y for box in boxes for y in (box[1], box[3])})
    filled = {
        (i, j)
        for i, x in enumerate(xs[:-1])
        for j, y in enumerate(ys[:-1])
        if any(b[0] <= x and xs[i + 1] <= b[2] and b[1] <= y and ys[j + 1] <= b[3] for b in boxes)
    }
    level: dict[tuple[int, bool], list[int]] = {}
    upright: dict[tuple[int, bool], list[int]] = {}
    for i, j in filled:
        for side, line, along in (
            ((i, j - 1), level, (j, True, i)), ((i, j + 1), level, (j + 1, False, i)),
            ((i - 1, j), upright, (i, True, j)), ((i + 1, j), upright, (i + 1, False, j)),
        ):  # fmt: skip
            if side not in filled:
                line.setdefault(along[:2], []).append(along[2])
    for (j, _), cells in sorted(level.items()):
        for a, b in _runs(cells):
            yield (xs[a], ys[j]), (xs[b], ys[j])
    for (i, _), cells in sorted(upright.items()):
        for a, b in _runs(cells):
            yield (xs[i], ys[a]), (xs[i], ys[b])


def _runs(cells: Iterable[int]) -> list[tuple[int, int]]:
    """First and behind the last of numbers that follow each other."""
    runs: list[tuple[int, int]] = []
    for cell in sorted(cells):
        if runs and runs[-1][1] == cell:
            runs[-1] = (runs[-1][0], cell + 1)
        else:
            runs.append((cell, cell + 1))
    return runs

"""A table's strips as one board to order: one above the other, joined by tabs that break off.

    strip 1  ================================
               |tab|        |tab|      |tab|
    strip 2  ====================================

Each tab has a row of holes along both strips' edges. Nets and parts of strip k end in `_k`, so that
nothing of one strip is taken for another's. Strips are as wide as they are: what a shorter one
leaves free beside it is no board.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import pairwise

from lumiban_hw.pcb.drawing import Board, Hole, Placed, Point

GAP_MM = 2.0
"""Between two strips: what a router's bit of 2 mm takes away."""
TAB_MM = 5.0
BITE_MM, BITES_MM = 0.5, 0.8
"""A tab's holes, and how far their middles are apart."""
SHARES = (0.12, 0.5, 0.88)
"""Places of the tabs along two strips, as shares."""
Box = tuple[float, float, float, float]


def panel(boards: Sequence[Board], name: str, title: str) -> Board:
    """One drawing of several; the strips' left edges lie on one line.

    >>> from lumiban_hw.pcb.strip import StripPlan, draw
    >>> one = draw(StripPlan((0.0, 25.0), (0, 1)), routed=False)
    >>> two = panel([one, one], "two", "two strips")
    >>> left, top, right, bottom = two.outline
    >>> round(right - left, 1), round(bottom - top, 1)
    (70.0, 44.8)
    """
    boxes: list[Box] = []
    y = 0.0
    for board in boards:
        left, top, right, bottom = board.outline
        boxes.append((0.0, y, right - left, y + bottom - top))
        y += bottom - top + GAP_MM
    outline = (0.0, 0.0, max(box[2] for box in boxes), boxes[-1][3])
    made = Board(name, title, outline)
    for k, (board, box) in enumerate(zip(boards, boxes, strict=True), 1):
        _add(made, board, k, (box[0] - board.outline[0], box[1] - board.outline[1]))
    tabs = [tab for a, b in pairwise(boxes) for tab in _tabs(a, b)]
    made.edges = list(edges([*boxes, *tabs]))
    for left, top, right, bottom in tabs:
        count = int((right - left - BITES_MM) / BITES_MM)
        first = (left + right) / 2 - (count - 1) * BITES_MM / 2
        for n in range(count):
            made.bites += [Hole((first + n * BITES_MM, edge), BITE_MM) for edge in (top, bottom)]
    return made


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

"""Cuts of parts that are larger than the printer's bed, and the bands between the cuts.

A cut of a sheet or of the grid follows the borders of cells, so that it lies on a wall of the
grid. Deck, rim and tray are cut straight, each at another place, so that one bridges the other.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise

from lumiban_hw.mechanics.box import (
    BUTTON_MM,
    POST_MM,
    Box,
    BoxGeometry,
)
from lumiban_hw.mechanics.mesh import Spot

FAR_MM = 999.0
TONGUE_MM = 8.0
"""Length of a tongue of the tray's floor; it is wider at its end."""
FLANGE_MM = 5.0
"""Thickness of a flange at a cut of the tray's walls."""
STEP_MM = 0.5
STAIR_MM = 14.0
"""Largest distance in mm of a cut along the borders of hexagons from its goal."""


@dataclass(frozen=True)
class Cuts:
    """The bands that a part is cut into: its pieces are where two of them cross."""

    columns: tuple[tuple[Spot, ...], ...] = ()
    """Outlines of the bands from left to right; none where the part is not cut so."""
    rows: tuple[tuple[Spot, ...], ...] = ()
    """Outlines of the bands from below upwards."""
    xs: tuple[float, ...] = ()
    """Places of straight cuts."""
    ys: tuple[float, ...] = ()

    @property
    def pieces(self) -> int:
        """Number of pieces."""
        return max(len(self.columns), 1) * max(len(self.rows), 1)


def straight(
    xs: Sequence[float], ys: Sequence[float], tongues: Callable[[float, bool], Sequence[float]]
) -> Cuts:
    """Straight cuts; `tongues` tells for a cut, and whether it is upright, where tongues lie."""
    columns = _bands([_path(x, tongues(x, True)) for x in xs])
    rows = _bands([_path(y, tongues(y, False)) for y in ys])
    turned = tuple(tuple((b, a) for a, b in reversed(band)) for band in rows)
    return Cuts(columns, turned, tuple(xs), tuple(ys))


def along_cells(plan: BoxGeometry, edges: Box, aside: float = 0.0, *, bored: bool = False) -> Cuts:
    """Cuts along the borders of cells of what reaches to these edges.

    `aside` mm beside the even ones, as far as the bed allows; with `bored`, the strips' screw
    holes are kept whole.
    """
    bed, counts = plan.stack.bed_mm, _counts(plan)
    size = [(edges[axis + 2] - edges[axis]) / counts[axis] for axis in (0, 1)]
    more = [min(aside, max(0.0, bed - side - STAIR_MM)) for side in size]
    columns = [
        _upright(plan, edges[0] + size[0] * k, more[0], bed - size[0], bored=bored)
        for k in range(1, counts[0])
    ]
    rows = [_level_path(plan, edges[1] + size[1] * k + more[1]) for k in range(1, counts[1])]
    turned = [tuple((b, a) for a, b in path) for path in rows]
    bands = tuple(tuple((b, a) for a, b in reversed(band)) for band in _bands(turned))
    return Cuts(_bands(columns), bands)


def _counts(plan: BoxGeometry) -> tuple[int, int]:
    """Numbers of pieces across and down that keep a box within the bed."""
    left, bottom, right, top = plan.outer
    bed = plan.stack.bed_mm
    room = bed - TONGUE_MM
    return tuple(  # type: ignore[return-value]  # there are two sides
        1 if side <= bed else math.ceil(side / room) for side in (right - left, top - bottom)
    )


def _bands(paths: Sequence[Sequence[Spot]]) -> tuple[tuple[Spot, ...], ...]:
    """Outlines, anticlockwise, of the bands between paths that run upwards, left to right."""
    if not paths:
        return ()
    edges = [[(-FAR_MM, -FAR_MM), (-FAR_MM, FAR_MM)], *paths, [(FAR_MM, -FAR_MM), (FAR_MM, FAR_MM)]]
    return tuple((*right, *reversed(left)) for left, right in pairwise(edges))


def _path(x: float, tongues: Sequence[float]) -> list[Spot]:
    """An upright cut with tongues that reach to the right of it."""
    path: list[Spot] = [(x, -FAR_MM)]
    for y in sorted(tongues):
        far = x + TONGUE_MM
        path += [(x, y - 5.0), (far, y - 7.0), (far, y + 7.0), (x, y + 5.0)]
    return [*path, (x, FAR_MM)]


def _upright(
    plan: BoxGeometry, even: float, aside: float, slack: float, *, bored: bool
) -> tuple[Spot, ...]:
    """A way from below upwards along borders between cells of a row, near x = even + aside.

    What is farther than `slack` from the even cut would not fit the bed.
    """
    pitch = plan.profile.pitch_mm
    hex_like = plan.profile.grid.is_hex
    rows = sorted(plan.rows, key=lambda row: row.y)
    step = pitch / 2 if hex_like else 0.0
    best: dict[float, tuple[float, tuple[float, ...]]] = {}
    for n, row in enumerate(rows):
        offset = row.x + pitch / 2
        first = round((even - offset) / pitch)
        spots = [round(offset + k * pitch, 3) for k in range(first - 4, first + 5)]
        costs = {
            x: abs(x - even - aside)
            + 1000 * (bored and _bored(row.holes, x))
            + 1000 * (abs(x - even) > slack)
            for x in spots
        }
        if n == 0:
            best = {x: (cost, (x,)) for x, cost in costs.items()}
            continue
        after = {}
        for x, cost in costs.items():
            before = [best[b] for b in best if abs(abs(b - x) - step) < 0.01]
            if before:
                least = min(before)
                after[x] = (least[0] + cost, (*least[1], x))
        best = after
    way = min(best.values())[1]
    half = min(y for _, y in plan.shape if y > 0)  # half of an upright border's length
    if hex_like:
        half = pitch / math.sqrt(3) / 2
    path: list[Spot] = [(way[0], -FAR_MM)]
    for row, x in zip(rows, way, strict=True):
        path += [(x, row.y - half), (x, row.y + half)]
    path.append((way[-1], FAR_MM))
    return tuple((round(x, 3), round(y, 3)) for x, y in path)


def _bored(holes: Iterable[Spot], x: float) -> bool:
    return any(abs(hole[0] - x) < 4 for hole in holes)


def _level_path(plan: BoxGeometry, goal: float) -> tuple[Spot, ...]:
    """A way from left to right between two rows of cells, near y = goal."""
    rows = sorted({row.y: row for row in plan.rows}.values(), key=lambda row: row.y)
    pairs = [((a.y + b.y) / 2, a) for a, b in pairwise(rows)]
    y, below = min(pairs, key=lambda pair: abs(pair[0] - goal))
    if not plan.profile.grid.is_hex:
        return ((-FAR_MM, y), (FAR_MM, y))
    pitch = plan.profile.pitch_mm
    rise = pitch / math.sqrt(3) / 4
    path: list[Spot] = [(-FAR_MM, y)]
    # Above a cell of the lower row its corner points up.
    for k in range(-40, 80):
        x = below.x + k * pitch / 2
        path.append((round(x, 3), round(y + (rise if k % 2 == 0 else -rise), 3)))
    return (*path, (FAR_MM, y))


def _free(goal: float, taken: Sequence[tuple[float, float]], low: float, high: float) -> float:
    """The place nearest to the goal between low and high that lies in none of the spans."""
    for k in range(int((high - low) / STEP_MM) + 1):
        for sign in (1, -1):
            x = round((goal + sign * k * STEP_MM) / STEP_MM) * STEP_MM
            if low <= x <= high and not any(a < x < b for a, b in taken):
                return x
    return goal


def _spans(boxes: Iterable[Box], axis: int, more: float) -> list[tuple[float, float]]:
    return [(box[axis] - more, box[axis + 2] + more) for box in boxes]


def _around(spots: Iterable[Spot], axis: int, more: float) -> list[tuple[float, float]]:
    return [(spot[axis] - more, spot[axis] + more) for spot in spots]


def _places(
    plan: BoxGeometry, taken: tuple[Sequence[tuple[float, float]], Sequence[tuple[float, float]]],
    aside: float,
) -> tuple[tuple[float, ...], tuple[float, ...]]:  # fmt: skip
    """Straight cuts across and down that avoid what is taken; all pieces fit the bed."""
    outer, bed = plan.outer, plan.stack.bed_mm - TONGUE_MM - 1
    cuts = []
    for axis, count in enumerate(_counts(plan)):
        low, high = outer[axis], outer[axis + 2]
        size = (high - low) / count
        slack = (bed - size) * 0.9 / max(1, count - 1)
        cuts.append(
            tuple(
                _free(low + size * k + aside, taken[axis],
                      low + size * k - slack, low + size * k + slack)
                for k in range(1, count)
            )
        )  # fmt: skip
    return cuts[0], cuts[1]


def deck(plan: BoxGeometry) -> Cuts:
    """The deck: between windows and screws."""
    holes = [hole for row in plan.rows for hole in row.holes]
    taken_x = _spans(plan.windows, 0, 2) + _around(holes, 0, 4)
    taken_y = _spans(plan.windows, 1, 1) + _around(holes, 1, 2.5)
    xs, ys = _places(plan, (taken_x, taken_y), 12.0)
    return straight(xs, ys, _none)


def tray(plan: BoxGeometry) -> Cuts:
    """The tray: clear of the base board's screws and of the openings."""
    taken_x = _around(plan.below_bores, 0, 10)
    taken_x += _around(plan.buttons, 0, BUTTON_MM / 2 + FLANGE_MM + 4)
    taken_y = _around(plan.below_bores, 1, 10)
    openings = [(0.0, plan.usb[0])] + ([(0.0, plan.gland[0])] if plan.gland else [])
    taken_y += _around(openings, 1, 20)
    # The base board stands too near to the right wall for a flange beside it.
    taken_y += _spans([plan.below], 1, FLANGE_MM + 1)
    xs, ys = _places(plan, (taken_x, taken_y), -6.0)

    def tongues(at: float, upright: bool) -> list[float]:
        axis = 1 if upright else 0
        low, high = plan.inner[axis] + 22, plan.inner[axis + 2] - 22
        count = max(2, round((high - low) / 60) + 1)
        spots = [low + (high - low) * k / (count - 1) for k in range(count)]
        others = ys if upright else xs
        bores = [b for b in plan.below_bores if abs(b[1 - axis] - at) < TONGUE_MM + POST_MM]
        return [
            spot for spot in spots
            if all(abs(spot - other) > 20 for other in others)
            and all(abs(spot - bore[axis]) > 12 for bore in bores)
        ]  # fmt: skip

    return straight(xs, ys, tongues)


def rim(plan: BoxGeometry, letters: Iterable[Spot]) -> Cuts:
    """The rim: between letters."""
    spots = list(letters)
    edges = plan.outer
    xs, ys = _places(
        plan,
        (_around([s for s in spots if _near_end(s[1], edges[1], edges[3])], 0, 7),
         _around([s for s in spots if _near_end(s[0], edges[0], edges[2])], 1, 7)),
        0.0,
    )  # fmt: skip
    return straight(xs, ys, _none)


def _near_end(at: float, low: float, high: float) -> bool:
    return min(at - low, high - at) < (high - low) / 4


def _none(at: float, upright: bool) -> Sequence[float]:
    return ()

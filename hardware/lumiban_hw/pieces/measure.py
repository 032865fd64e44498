"""What the meshes of pieces measure: pockets, walls, the pole's letter, the relief under a finger.

Millimetres.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from lumiban_hw.mechanics.mesh import Loop, Mesh, Section, Spot

ASIDE = (0.0131, 0.0172)
"""Lines run so far beside round numbers, so that they meet faces and not edges."""


def column(mesh: Mesh, x: float, y: float) -> tuple[tuple[float, float], ...]:
    """Where an upright line is inside the body: (from, to), from below.

    >>> from lumiban_hw.mechanics.mesh import prism
    >>> column(prism(((0, 0), (2, 0), (2, 2), (0, 2)), 1, 4), 1, 1)
    ((1.0, 4.0),)
    """
    x, y = x + ASIDE[0], y + ASIDE[1]
    heights = []
    for a, b, c in mesh.triangles:
        height = _over(a, b, c, x, y)
        if height is not None:
            heights.append(height)
    heights.sort()
    return tuple(zip(heights[::2], heights[1::2], strict=False))


def _over(
    a: Sequence[float], b: Sequence[float], c: Sequence[float], x: float, y: float
) -> float | None:
    """Height of a triangle over a place, None beside it."""
    area = (b[0] - a[0]) * (c[1] - a[1]) - (c[0] - a[0]) * (b[1] - a[1])
    if abs(area) < 1e-9:
        return None
    u = ((x - a[0]) * (c[1] - a[1]) - (c[0] - a[0]) * (y - a[1])) / area
    v = ((b[0] - a[0]) * (y - a[1]) - (x - a[0]) * (b[1] - a[1])) / area
    if u < 0 or v < 0 or u + v > 1:
        return None
    return a[2] + u * (b[2] - a[2]) + v * (c[2] - a[2])


def reach(loop: Loop) -> tuple[float, float]:
    """The least and the greatest distance of an outline from the middle."""
    least = min(_to_line(a, b) for a, b in pairwise([*loop, loop[0]]))
    return least, max(math.hypot(x, y) for x, y in loop)


def _to_line(a: Spot, b: Spot) -> float:
    dx, dy = b[0] - a[0], b[1] - a[1]
    long = dx * dx + dy * dy
    t = min(max(-(a[0] * dx + a[1] * dy) / long, 0.0), 1.0) if long else 0.0
    return math.hypot(a[0] + t * dx, a[1] + t * dy)


def rings(mesh: Mesh, z: float) -> list[tuple[float, float]]:
    """The outlines of a cut, each by its `reach`, from within; those of letters too."""
    return sorted(reach(loop) for loop in mesh.section(z).loops)


def around(mesh: Mesh) -> float:
    """Radius of the upright cylinder that holds the body."""
    return max(math.hypot(x, y) for three in mesh.triangles for x, y, _ in three)


@dataclass(frozen=True, slots=True)
class Cup:
    """What a body measures."""

    skin: float
    """Plastic under the magnet."""
    pocket_wide: tuple[float, float]
    """Diameter of the pocket, across flats and across corners."""
    pocket_high: float
    side: float
    """Plastic beside the magnet, at the thinnest."""
    outside: float
    """Diameter."""
    cap_wide: float
    """Room for the cap."""
    cap_deep: float


def cup(mesh: Mesh, pocket_mm: float) -> Cup:
    """The measures of a body whose pocket is about this wide; ValueError names what it
    lacks: its `pocket`, or the `ledge` round it.
    """
    low, high = mesh.bounds[0][2], mesh.bounds[1][2]
    inside = column(mesh, 0, 0)
    if len(inside) != 1 or not inside[0][1] < high - 0.5:
        raise ValueError("pocket")
    skin = inside[0][1] - low
    beside = column(mesh, 0, -(pocket_mm / 2 + 0.5))
    if len(beside) != 1 or not skin < beside[0][1] - low < high - low:
        raise ValueError("ledge")
    ledge = beside[0][1] - low
    within, without = (rings(mesh, low + skin + 0.6 * (ledge - skin))[k] for k in (0, -1))
    rim = rings(mesh, (low + ledge + high) / 2)[0]
    return Cup(
        skin,
        (2 * within[0], 2 * within[1]),
        ledge - skin,
        without[0] - within[1],
        2 * around(mesh),
        2 * rim[0],
        high - low - ledge,
    )


def letter(mesh: Mesh, z: float, at: Spot, outline: Sequence[Spot]) -> float:
    """The share of places at which a cut of the body is hollow just where a letter is; its corner
    lies at `at`."""
    section = mesh.section(z)
    sign = Section(tuple(pairwise([*outline, outline[0]])))
    wide, high = (max(spot[k] for spot in outline) for k in (0, 1))
    same = count = 0
    steps = 12
    for i in range(steps):
        for j in range(steps):
            x, y = (i + 0.5) / steps * wide, (j + 0.5) / steps * high
            count += 1
            hollow = not section.holds(at[0] + x, at[1] + y)
            same += hollow == sign.holds(x, y)
    return same / count


FINGER_MM = 0.5
"""Raster of a relief."""
TURNS, RINGS = 36, 15


def relief(mesh: Mesh, base: float) -> tuple[tuple[float, ...], ...]:
    """Heights of the top above `base` on rings half a millimetre apart, TURNS places a ring."""
    found = [[-base] * TURNS for _ in range(RINGS)]
    low, high = (mesh.bounds[k] for k in (0, 1))
    columns = int((high[0] - low[0]) / FINGER_MM) + 2
    rows = int((high[1] - low[1]) / FINGER_MM) + 2
    raster: dict[tuple[int, int], list[int]] = {}
    flat = [three for three in mesh.triangles if _faces_up(*three)]
    for n, three in enumerate(flat):
        xs, ys = [c[0] - low[0] for c in three], [c[1] - low[1] for c in three]
        for i in range(
            max(int(min(xs) / FINGER_MM), 0), min(int(max(xs) / FINGER_MM), columns) + 1
        ):
            for j in range(
                max(int(min(ys) / FINGER_MM), 0), min(int(max(ys) / FINGER_MM), rows) + 1
            ):
                raster.setdefault((i, j), []).append(n)
    for ring in range(RINGS):
        far = (ring + 0.5) * FINGER_MM
        for turn in range(TURNS):
            angle = 2 * math.pi * (turn + 0.371) / TURNS
            x, y = far * math.cos(angle), far * math.sin(angle)
            cell = int((x - low[0]) / FINGER_MM), int((y - low[1]) / FINGER_MM)
            for n in raster.get(cell, ()):
                height = _over(*flat[n], x, y)
                if height is not None:
                    found[ring][turn] = max(found[ring][turn], height - base)
    return tuple(map(tuple, found))


def _faces_up(a: Sequence[float], b: Sequence[float], c: Sequence[float]) -> bool:
    return (b[0] - a[0]) * (c[1] - a[1]) - (c[0] - a[0]) * (b[1] - a[1]) > 1e-9


def felt(one: Sequence[Sequence[float]], other: Sequence[Sequence[float]], step: float) -> float:
    """The area in mm² over which two reliefs differ by `step` or more, turned to each other so that
    it is least: fingers do not know how a piece lies."""
    least = math.inf
    for by in range(TURNS):
        area = 0.0
        for ring, (a, b) in enumerate(zip(one, other, strict=True)):
            patch = 2 * math.pi * (ring + 0.5) * FINGER_MM * FINGER_MM / TURNS
            turned = (*b[by:], *b[:by])
            area += patch * sum(abs(p - q) >= step for p, q in zip(a, turned, strict=True))
            if area >= least:
                break
        least = min(least, area)
    return least

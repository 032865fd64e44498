"""Checks of the pieces, measured on the meshes that are printed."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations, pairwise

from lumiban.boards.profile_file import Tolerances

from lumiban_hw.kit import Finding
from lumiban_hw.mechanics.checks import check_body
from lumiban_hw.mechanics.mesh import Loop, Mesh, Section, Spot
from lumiban_hw.pieces.design import BODIES, LETTER_AT, LETTERS, MARK_MM, PIECES, Body, Piece
from lumiban_hw.stack import STACK, Stack

ABOUT = "pieces"
NEAR_MM = 0.05
"""Largest difference in mm between a measure and its goal."""
STEP_MM, FELT_MM2 = 0.5, 15.0
"""Fingers tell two tops that differ by such a step over such an area: a pad of 4 × 4 mm."""
LIKE = 0.9
"""The share of a letter's places that must be as its outline says."""


def check(meshes: Mapping[str, Mesh], stack: Stack = STACK) -> list[Finding]:
    """All that is wrong with these parts, by name; parts that are not there are not looked at."""
    findings = [
        one for name, mesh in meshes.items() for one in check_body(name, mesh, stack.bed_mm)
    ]
    cups: dict[str, Cup] = {}
    for body in BODIES:
        if body.name in meshes:
            mesh = meshes[body.name]
            try:
                cups[body.name] = cup(mesh, body.pocket(stack)[0])
            except ValueError as error:
                findings.append(_finding("no-" + str(error), body.name))
                continue
            findings += _body(body, mesh, cups[body.name], stack)
    for one in PIECES:
        if one.cap in meshes:
            findings += _cap(one, meshes[one.cap], cups.get(one.body.name), stack)
    return [*findings, *alike(meshes)]


def _body(body: Body, mesh: Mesh, measured: Cup, stack: Stack) -> Iterator[Finding]:
    wide, high = body.pocket(stack)
    if (
        any(abs(across - wide) > NEAR_MM for across in measured.pocket_wide)
        or abs(measured.pocket_high - high) > NEAR_MM
    ):
        across = " – ".join(f"{w:.2f}" for w in measured.pocket_wide)
        what = f"{across} × {measured.pocket_high:.2f} mm instead of {wide:g} × {high:g}"
        yield _finding("pocket", body.name, what=what)
    if abs(measured.skin - stack.skin_mm) > NEAR_MM / 2:
        yield _finding("skin", body.name, skin=f"{measured.skin:.2f}", meant=f"{stack.skin_mm:g}")
    for where, wall in (("under", measured.skin), ("beside", measured.side)):
        if wall < stack.least_wall_mm - NEAR_MM / 2:
            yield _wall(where, body.name, wall, stack)
    play = (stack.recess_wide_mm - measured.outside) / 2
    if not stack.play_mm <= play <= Tolerances().aside_mm:
        yield _finding(
            "recess",
            body.name,
            outside=f"{measured.outside:.2f}",
            recess=f"{stack.recess_wide_mm:g}",
        )
    if body.up:
        z = mesh.bounds[0][2] + body.ledge(stack) - MARK_MM / 2
        like = {pole: letter(mesh, z, LETTER_AT, LETTERS[pole]) for pole in LETTERS}
        if max(like, key=lambda pole: like[pole]) != body.up or like[body.up] < LIKE:
            yield _finding("mark", body.name, pole=body.up)


def _cap(piece: Piece, mesh: Mesh, body: Cup | None, stack: Stack) -> Iterator[Finding]:
    low = mesh.bounds[0][2]
    half = piece.body.pocket(stack)[0] / 2
    over = [column(mesh, x, y) for x, y in ((0, 0), (half, 0), (-half, 0), (0, half), (0, -half))]
    least = min((line[0][1] - low if line and line[0][0] - low < NEAR_MM else 0) for line in over)
    if least < stack.least_wall_mm - NEAR_MM / 2:
        yield _wall("over", piece.cap, least, stack)
    if body is None:
        return
    foot = rings(mesh, low + body.cap_deep / 2)[-1]
    above = 2 * around(mesh)
    play = body.cap_wide / 2 - foot[1]
    if abs(play - stack.play_mm) > NEAR_MM or above > body.cap_wide:
        yield _finding(
            "cap", piece.cap, wide=f"{max(2 * foot[1], above):.2f}", room=f"{body.cap_wide:.2f}"
        )


def _wall(where: str, about: str, wall: float, stack: Stack) -> Finding:
    least = f"{stack.least_wall_mm:g}"
    return _finding(f"wall-{where}", about, wall=f"{wall:.2f}", least=least)


def alike(meshes: Mapping[str, Mesh]) -> Iterator[Finding]:
    """Pieces of one group between which fingers feel too little."""
    for one, other, area in differences(meshes):
        if area < FELT_MM2:
            yield _finding(
                "feel", one.cap, other=other.cap, area=f"{area:.1f}", least=f"{FELT_MM2:g}"
            )


def differences(meshes: Mapping[str, Mesh]) -> Iterator[tuple[Piece, Piece, float]]:
    """Each two pieces of one group, and the area in mm² over which their tops differ."""
    there = [one for one in PIECES if one.cap in meshes]
    reliefs = {one.name: _top(one, meshes) for one in there}
    for one, other in combinations(there, 2):
        if one.group == other.group:
            yield one, other, felt(reliefs[one.name], reliefs[other.name], STEP_MM)


def _top(piece: Piece, meshes: Mapping[str, Mesh]) -> Sequence[Sequence[float]]:
    """A piece's top above its own rim."""
    mesh = meshes[piece.cap]
    return relief(mesh, mesh.bounds[0][2])


def _finding(rule: str, about: str, **params: object) -> Finding:
    return Finding(about, f"piece.{rule}", {key: str(value) for key, value in params.items()})


# What the meshes of pieces measure: pockets, walls, the pole's letter, the relief under a finger.
# Millimetres.

ASIDE = (0.0131, 0.0172)
"""Lines run so far beside round numbers, so that they meet faces and not edges."""


def column(mesh: Mesh, x: float, y: float) -> tuple[tuple[float, float], ...]:
    """Spans of an upright line inside the body: (from, to), from below.

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
    """Measures of a body."""

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
    heights = [[-base] * TURNS for _ in range(RINGS)]
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
                    heights[ring][turn] = max(heights[ring][turn], height - base)
    return tuple(map(tuple, heights))


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

"""A body as triangles, read back from an STL file, and what can be measured on it.

Millimetres; points are tuples of x, y, z.
"""

from __future__ import annotations

import math
import struct
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from pathlib import Path

Spot = tuple[float, float]
Corner = tuple[float, float, float]
Triangle = tuple[Corner, Corner, Corner]
Loop = tuple[Spot, ...]

HEAD = 84
"""Bytes of a binary STL before its first triangle; each takes FACET more."""
FACET = 50


class NoMesh(Exception):
    """The file is no STL; the text says why."""


@dataclass(frozen=True)
class Mesh:
    """A body; its triangles run anticlockwise as seen from outside.

    >>> box = prism(((0, 0), (2, 0), (2, 3), (0, 3)), 0, 4)
    >>> box.open_edges, box.volume, box.bodies, box.size
    (0, 24.0, 1, (2, 3, 4))
    """

    triangles: tuple[Triangle, ...]

    @cached_property
    def open_edges(self) -> int:
        """Edges that do not meet exactly one other, run the other way: 0 in a closed body."""
        count: Counter[tuple[Corner, Corner]] = Counter()
        for a, b, c in self.triangles:
            count.update(((a, b), (b, c), (c, a)))
        return sum(1 for (a, b), n in count.items() if n != 1 or count[b, a] != 1)

    @cached_property
    def volume(self) -> float:
        """In mm³; negative when the triangles are turned inside out."""
        total = 0.0
        for (ax, ay, az), (bx, by, bz), (cx, cy, cz) in self.triangles:
            total += ax * (by * cz - bz * cy) - ay * (bx * cz - bz * cx) + az * (bx * cy - by * cx)
        return total / 6

    @cached_property
    def bounds(self) -> tuple[Corner, Corner]:
        """The least and the greatest corner."""
        xs, ys, zs = zip(*(corner for three in self.triangles for corner in three), strict=True)
        return (min(xs), min(ys), min(zs)), (max(xs), max(ys), max(zs))

    @property
    def size(self) -> Corner:
        """Its width, depth and height."""
        (ax, ay, az), (bx, by, bz) = self.bounds
        return bx - ax, by - ay, bz - az

    @cached_property
    def bodies(self) -> int:
        """Number of bodies that share no corner with another."""
        chief: dict[Corner, Corner] = {}

        def find(corner: Corner) -> Corner:
            while chief.setdefault(corner, corner) != corner:
                chief[corner] = chief[chief[corner]]
                corner = chief[corner]
            return corner

        for a, b, c in self.triangles:
            chief[find(b)] = find(a)
            chief[find(c)] = find(a)
        return sum(1 for corner in chief if find(corner) == corner)

    def section(self, z: float) -> Section:
        """The cut through the body at a height, which should be none of a face."""
        ends: list[tuple[Spot, Spot]] = []
        for three in self.triangles:
            low = [corner[2] < z for corner in three]
            if low[0] == low[1] == low[2]:
                continue
            crossings: list[Spot] = []
            rising = 0
            for k in range(3):
                a, b = three[k], three[(k + 1) % 3]
                if (a[2] < z) != (b[2] < z):
                    if a[2] < z:
                        rising = len(crossings)
                    low_end, high_end = sorted((a, b))
                    crossings.append(_cross(low_end, high_end, z))
            # With the outside's normal, the body lies to the left of the way from rise to fall.
            start, end = crossings[rising], crossings[1 - rising]
            if start != end:
                ends.append((end, start))
        return Section(tuple(ends))

    def moved(self, x: float = 0.0, y: float = 0.0, z: float = 0.0) -> Mesh:
        """The same body elsewhere."""
        return Mesh(
            tuple(
                ((a[0] + x, a[1] + y, a[2] + z), (b[0] + x, b[1] + y, b[2] + z),
                 (c[0] + x, c[1] + y, c[2] + z))
                for a, b, c in self.triangles
            )
        )  # fmt: skip

    def turned_over(self) -> Mesh:
        """The same body on its other side, turned about x, between the same heights.

        >>> wedge = Mesh((((0, 0, 0), (1, 2, 0), (0, 2, 4)),))
        >>> wedge.turned_over().triangles
        (((0, 0, 4), (1, -2, 4), (0, -2, 0)),)
        """
        (_, _, low), (_, _, high) = self.bounds
        both = low + high
        return Mesh(
            tuple(
                ((a[0], -a[1], both - a[2]), (b[0], -b[1], both - b[2]), (c[0], -c[1], both - c[2]))
                for a, b, c in self.triangles
            )
        )


def _cross(a: Corner, b: Corner, z: float) -> Spot:
    part = (z - a[2]) / (b[2] - a[2])
    return round(a[0] + part * (b[0] - a[0]), 5), round(a[1] + part * (b[1] - a[1]), 5)


@dataclass(frozen=True)
class Section:
    """A flat cut: lines with the body at their left."""

    lines: tuple[tuple[Spot, Spot], ...]

    @cached_property
    def _by_row(self) -> dict[int, list[tuple[Spot, Spot]]]:
        rows: dict[int, list[tuple[Spot, Spot]]] = {}
        for line in self.lines:
            low, high = sorted((line[0][1], line[1][1]))
            for row in range(math.floor(low), math.floor(high) + 1):
                rows.setdefault(row, []).append(line)
        return rows

    def spans(self, y: float) -> list[Spot]:
        """From where to where along x the body reaches at this y, left to right."""
        xs = sorted(
            ax + (y - ay) / (by - ay) * (bx - ax)
            for (ax, ay), (bx, by) in self._by_row.get(math.floor(y), ())
            if (ay > y) != (by > y)
        )
        return list(zip(xs[::2], xs[1::2], strict=True))

    def holds(self, x: float, y: float) -> bool:
        """True if a place is inside the body."""
        return any(a <= x <= b for a, b in self.spans(y))

    def touches(self, box: tuple[float, float, float, float], step: float = 0.3) -> bool:
        """True if the body reaches into a box (left, bottom, right, top)."""
        left, bottom, right, top = box
        count = max(1, math.ceil((top - bottom) / step))
        rows = (bottom + (top - bottom) * k / count for k in range(count + 1))
        return any(a < right and b > left for y in rows for a, b in self.spans(y))

    @property
    def holes(self) -> list[tuple[Spot, float]]:
        """The middle of each hole, and the diameter of a circle of its area."""
        return [
            (middle(loop), 2 * math.sqrt(-area(loop) / math.pi))
            for loop in self.loops
            if area(loop) < -1e-3
        ]

    @cached_property
    def loops(self) -> tuple[Loop, ...]:
        """Its outlines, closed; outer ones run anticlockwise, holes clockwise."""
        after: dict[Spot, list[Spot]] = {}
        for a, b in self.lines:
            after.setdefault(a, []).append(b)
        outlines = []
        while after:
            start, nexts = next(iter(after.items()))
            loop, here = [start], nexts.pop()
            if not nexts:
                del after[start]
            while here != start and here in after:
                loop.append(here)
                nexts = after[here]
                there = nexts.pop()
                if not nexts:
                    del after[here]
                here = there
            outlines.append(tuple(loop))
        return tuple(outlines)


def area(loop: Sequence[Spot]) -> float:
    """The area in a loop; negative when it runs clockwise.

    >>> area(((0, 0), (2, 0), (2, 3), (0, 3)))
    6.0
    """
    return sum(ax * by - bx * ay for (ax, ay), (bx, by) in pairwise([*loop, loop[0]])) / 2


def middle(loop: Sequence[Spot]) -> Spot:
    """Centre of the area of a loop.

    >>> middle(((0, 0), (2, 0), (2, 3), (0, 3)))
    (1.0, 1.5)
    """
    x = y = 0.0
    for (ax, ay), (bx, by) in pairwise([*loop, loop[0]]):
        part = ax * by - bx * ay
        x += (ax + bx) * part
        y += (ay + by) * part
    six = 6 * area(loop)
    return x / six, y / six


def prism(outline: Sequence[Spot], low: float, high: float) -> Mesh:
    """A convex outline, anticlockwise, between two heights."""
    triangles: list[Triangle] = []
    count = len(outline)
    for k in range(count):
        (ax, ay), (bx, by) = outline[k], outline[(k + 1) % count]
        triangles.append(((ax, ay, low), (bx, by, low), (bx, by, high)))
        triangles.append(((ax, ay, low), (bx, by, high), (ax, ay, high)))
        if 0 < k < count - 1:
            (ox, oy) = outline[0]
            triangles.append(((ox, oy, high), (ax, ay, high), (bx, by, high)))
            triangles.append(((ox, oy, low), (bx, by, low), (ax, ay, low)))
    return Mesh(tuple(triangles))


def read(path: Path) -> Mesh:
    """The body in a binary STL file; NoMesh."""
    data = path.read_bytes()
    if len(data) < HEAD:
        raise NoMesh(f"{path.name} is too short for an STL file")
    (count,) = struct.unpack_from("<I", data, HEAD - 4)
    if not count or len(data) != HEAD + FACET * count:
        raise NoMesh(f"{path.name} is no binary STL file")
    triangles = []
    for facet in struct.iter_unpack("<12fH", data[HEAD:]):
        a, b, c = facet[3:6], facet[6:9], facet[9:12]
        if len({a, b, c}) == 3:
            triangles.append((a, b, c))
    return Mesh(tuple(triangles))


def write(mesh: Mesh, path: Path) -> None:
    """A body as a binary STL file; normals are left to the reader."""
    parts = [bytes(HEAD - 4), struct.pack("<I", len(mesh.triangles))]
    for a, b, c in mesh.triangles:
        parts.append(struct.pack("<12fH", 0, 0, 0, *a, *b, *c, 0))
    path.write_bytes(b"".join(parts))


def joined(meshes: Iterable[Mesh]) -> Mesh:
    """Several bodies as one set of triangles, such as the pieces of a part that was split."""
    return Mesh(tuple(three for mesh in meshes for three in mesh.triangles))


# The parts as they came out of their files, each with its pieces together.

ROUND = 3
"""Heights are told apart to this many decimals."""


class Made:
    """A part: the pieces of its files, by file name."""

    def __init__(self, pieces: Mapping[str, Mesh]) -> None:
        self.pieces = dict(pieces)
        self._cuts: dict[float, Section] = {}

    @cached_property
    def whole(self) -> Mesh:
        """All pieces together."""
        return joined(self.pieces.values())

    @property
    def high(self) -> float:
        """From its underside to its top, in mm."""
        return self.whole.size[2]

    def at(self, z: float) -> Section:
        """The cut at a height above the part's underside; made once."""
        key = round(z, ROUND)
        if key not in self._cuts:
            self._cuts[key] = self.whole.section(self.whole.bounds[0][2] + z)
        return self._cuts[key]

    def top_at(self, spot: Spot) -> float:
        """Height of the part over a place, above its underside; 0 where there is none.

        Found where a line upwards leaves the body for the last time.
        """
        x, y = spot
        best = self.whole.bounds[0][2]
        for a, b, c in self.whole.triangles:
            if not (min(a[0], b[0], c[0]) <= x <= max(a[0], b[0], c[0])):
                continue
            if not (min(a[1], b[1], c[1]) <= y <= max(a[1], b[1], c[1])):
                continue
            twice = (b[0] - a[0]) * (c[1] - a[1]) - (c[0] - a[0]) * (b[1] - a[1])
            if abs(twice) < 1e-9:
                continue
            u = ((b[0] - x) * (c[1] - y) - (c[0] - x) * (b[1] - y)) / twice
            v = ((c[0] - x) * (a[1] - y) - (a[0] - x) * (c[1] - y)) / twice
            if u >= 0 and v >= 0 and u + v <= 1:
                best = max(best, u * a[2] + v * b[2] + (1 - u - v) * c[2])
        return best - self.whole.bounds[0][2]


Parts = Mapping[str, Made]
"""By the part's name: tray, deck, grid, floor, recess, rim."""

"""The parts as they came out of their files, each with its pieces together."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property

from lumiban_hw.mechanics.mesh import Mesh, Section, Spot, joined

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
        """How high the part reaches over a place, above its underside; 0 where it is not.

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

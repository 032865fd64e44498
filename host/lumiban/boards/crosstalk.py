"""What a piece adds to the fields of the cells around it, for the board's own compensation."""

from __future__ import annotations

from collections.abc import Sequence
from math import hypot

REACH_PITCHES = 2.1
"""Beyond this a piece changes a cell by less than half a count."""
AT_25_MM = -0.0106
"""The part of a 6×3 magnet's field, 6 mm above a sensor, that a sensor 25 mm beside it feels."""
FALLS = 2.5
"""It falls with this power of the distance (25 to 60 mm; from the magnets' exact field)."""


def share(distance_mm: float) -> float:
    """The part of its own field that a piece adds to a cell at a distance.

    >>> round(share(50), 5)
    -0.00187
    """
    return AT_25_MM * float((25 / distance_mm) ** FALLS)


def neighbours(
    centres: Sequence[tuple[float, float]], pitch_mm: float
) -> tuple[list[int], list[list[tuple[int, int]]]]:
    """(shares in 1/65536, for each cell its (neighbour, which share)) of cells at these centres.

    >>> neighbours([(0, 0), (25, 0), (50, 0)], 25)
    ([-695, -123], [[(1, 0), (2, 1)], [(0, 0), (2, 0)], [(1, 0), (0, 1)]])
    """
    shares: list[int] = []
    near: list[list[tuple[int, int]]] = []
    for x, y in centres:
        far = [(hypot(x - cx, y - cy), cell) for cell, (cx, cy) in enumerate(centres)]
        around = []
        for distance, cell in sorted((round(d, 3), cell) for d, cell in far):
            if 0 < distance <= REACH_PITCHES * pitch_mm:
                part = round(share(distance) * 65536)
                if part not in shares:
                    shares.append(part)
                around.append((cell, shares.index(part)))
        near.append(around)
    return shares, near

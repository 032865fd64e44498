"""The field of a piece's magnet at a cell's Hall element, and the forces between two pieces.

A piece holds a cylinder magnet, magnetised along its axis. The simulator makes its readings from
this file, and the profiles take their heights from it; it knows nothing of boards. Forces are of
pieces that stand side by side, their lower faces level.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from math import cos, hypot, pi, sin, sqrt

REMANENCE_T = 1.195
"""Middle of N35's grade; makers promise 1.17 to 1.22 T."""

STEP_MM = 0.25
"""Distance between two nodes of a `Column`, and between two columns of a `FieldTable`."""
HEIGHT_MM = 64.0
"""Height in mm above the nearest gap that a `Column` reaches."""


@dataclass(frozen=True, slots=True)
class Magnet:
    """A cylinder, magnetised along its axis: size in mm, remanence in T."""

    diameter_mm: float
    length_mm: float
    remanence_t: float = REMANENCE_T


STRONG = Magnet(6.0, 3.0)
"""In a white or a black piece."""
WEAK = Magnet(4.0, 2.0)
"""In a neutral piece."""


def on_axis_ut(magnet: Magnet, gap_mm: float) -> float:
    """Field on the magnet's axis, `gap_mm` below its face, in µT.

    The closed formula for a uniformly magnetised cylinder. ValueError for a negative gap.

    >>> round(on_axis_ut(Magnet(6, 3, 1.18), 6) / 1000)
    32
    """
    if gap_mm < 0:
        raise ValueError(f"the gap is {gap_mm} mm: it cannot be negative")
    radius = magnet.diameter_mm / 2
    far = gap_mm + magnet.length_mm
    share = far / hypot(radius, far) - gap_mm / hypot(radius, gap_mm)
    return magnet.remanence_t / 2 * share * 1e6


def axial_ut(magnet: Magnet, gap_mm: float, offset_mm: float) -> float:
    """Axial field `gap_mm` below the magnet's face and `offset_mm` beside its axis, in µT.

    Exact for a uniformly magnetised cylinder, seen as a current sheet, by complete elliptic
    integrals (N. Derby and S. Olbert, Am. J. Phys. 78 (2010) 229). Positive on the axis, negative
    far beside it. ValueError for a gap below zero.

    >>> round(axial_ut(STRONG, 6, 0)), round(axial_ut(STRONG, 6, 25))
    (32418, -342)
    """
    if gap_mm < 0:
        raise ValueError(f"the gap is {gap_mm} mm: it cannot be negative")
    radius = magnet.diameter_mm / 2
    offset = abs(offset_mm)
    if abs(offset - radius) < 1e-7:
        offset = radius + 1e-7  # the formula's two halves of the integral meet here
    ratio = (radius - offset) / (radius + offset)
    out = 0.0
    for z, sign in ((gap_mm + magnet.length_mm, 1.0), (gap_mm, -1.0)):
        across = hypot(z, radius + offset)
        modulus = hypot(z, radius - offset) / across
        if z:
            out += sign * z / across * elliptic(modulus, ratio * ratio, 1.0, ratio)
    return magnet.remanence_t / pi * radius / (radius + offset) * out * 1e6


def elliptic(kc: float, p: float, c: float, s: float) -> float:
    """The general complete elliptic integral, by arithmetic-geometric means.

    ∫ (c·cos² φ + s·sin² φ) / ((cos² φ + p·sin² φ) · √(cos² φ + kc²·sin² φ)) over φ from 0 to π/2,
    for kc, p > 0 (R. Bulirsch, Numer. Math. 7 (1965) 78 and 13 (1969) 305).

    >>> abs(elliptic(1.0, 1.0, 1.0, 1.0) - pi / 2) < 1e-12
    True
    """
    root = sqrt(p)
    a, b = c, s / root
    mean, low = 1.0, abs(kc)
    while True:
        a, b = a + b / root, 2 * (b + a * mean * low / root)
        root += mean * low / root
        if abs(mean - low) <= 1e-8 * mean:
            mean += low
            return pi / 2 * (b + a * mean) / (mean * (mean + root))
        mean, low = mean + low, 2 * sqrt(mean * low)


def half_height_mm(magnet: Magnet, gap_mm: float) -> float:
    """Height above the seat at which the field is half of the seated one, in mm.

    >>> round(half_height_mm(STRONG, 6.0), 2), round(half_height_mm(WEAK, 6.0), 2)
    (2.16, 1.91)
    """
    half = on_axis_ut(magnet, gap_mm) / 2
    low, high = 0.0, 10 * (gap_mm + magnet.length_mm)
    while high - low > 1e-6:
        middle = (low + high) / 2
        if on_axis_ut(magnet, gap_mm + middle) > half:
            low = middle
        else:
            high = middle
    return (low + high) / 2


def neighbour_share(magnet: Magnet, gap_mm: float, pitch_mm: float) -> float:
    """Field of a piece on the next cell, as a share of its field on its own cell.

    >>> round(neighbour_share(STRONG, 6.0, 25.0), 3)
    -0.011
    """
    return axial_ut(magnet, gap_mm, pitch_mm) / on_axis_ut(magnet, gap_mm)


Column = tuple[float, ...]
"""Field in µT at heights 0, STEP_MM, 2·STEP_MM … above the seat, at one sideways offset."""


class FieldTable:
    """The field of one magnet over one board, interpolated between exact nodes.

    `gap_mm` is the gap of a seated piece. Columns are made when first asked for and kept;
    between nodes the field is linear, off by at most 0.1 % of the seated field.

    >>> table = field_table(STRONG, 6.0)
    >>> abs(table.at_ut(2.1, 0.0) - on_axis_ut(STRONG, 8.1)) < 50
    True
    """

    def __init__(self, magnet: Magnet, gap_mm: float) -> None:
        self.magnet = magnet
        self.gap_mm = gap_mm
        self._columns: dict[int, Column] = {}
        self._nodes = int(HEIGHT_MM / STEP_MM) + 2

    def _column(self, node: int) -> Column:
        column = self._columns.get(node)
        if column is None:
            offset = node * STEP_MM
            column = tuple(
                axial_ut(self.magnet, self.gap_mm + i * STEP_MM, offset) for i in range(self._nodes)
            )
            self._columns[node] = column
        return column

    def column(self, offset_mm: float) -> Column:
        """The field along a vertical line `offset_mm` beside the Hall element."""
        place = abs(offset_mm) / STEP_MM
        node = int(place)
        part = place - node
        below, above = self._column(node), self._column(node + 1)
        return tuple([a + part * (b - a) for a, b in zip(below, above, strict=True)])

    def at_ut(self, height_mm: float, offset_mm: float) -> float:
        """Field at `height_mm` above the seat (0 above HEIGHT_MM) and `offset_mm` beside, in µT."""
        if height_mm >= HEIGHT_MM:
            return 0.0
        place = abs(offset_mm) / STEP_MM
        node = int(place)
        low = along(self._column(node), height_mm)
        return low + (place - node) * (along(self._column(node + 1), height_mm) - low)


def along(column: Column, height_mm: float) -> float:
    """The field of a column at a height above the seat, in µT; 0 above HEIGHT_MM."""
    if height_mm >= HEIGHT_MM:
        return 0.0
    place = height_mm / STEP_MM if height_mm > 0 else 0.0
    node = int(place)
    low = column[node]
    return low + (place - node) * (column[node + 1] - low)


@lru_cache(maxsize=16)
def field_table(magnet: Magnet, gap_mm: float) -> FieldTable:
    """The one table of this magnet at this gap."""
    return FieldTable(magnet, gap_mm)


# Forces between two pieces that stand side by side, from the field model. Both magnets point the
# same way or opposite ways along their upright axes, their lower faces level.

MU0 = 4e-7 * pi
GF_N = 1000 / 9.80665
"""Grams-force of a newton."""
FRICTION = 0.3
"""Of a printed piece on its plate: assumed."""
TURNS, LAYERS = 8, 4
"""Places on one half of the other magnet's side at which the field is taken; the other half is its
mirror image."""


def moment_am2(magnet: Magnet) -> float:
    """The magnetic moment in A·m².

    >>> round(moment_am2(Magnet(6, 3, 1.195)), 4)
    0.0807
    """
    volume = pi * magnet.diameter_mm**2 / 4 * magnet.length_mm * 1e-9
    return magnet.remanence_t * volume / MU0


def dipole_gf(one: Magnet, other: Magnet, distance_mm: float) -> float:
    """The force between the two as if each were a point, 3 µ0 m1 m2 / 4π r⁴.

    >>> from lumiban_hw.magnetics import STRONG
    >>> round(dipole_gf(STRONG, STRONG, 20), 2), round(dipole_gf(STRONG, STRONG, 25), 2)
    (1.24, 0.51)
    """
    r = distance_mm / 1000
    return 3 * MU0 * moment_am2(one) * moment_am2(other) / (4 * pi * r**4) * GF_N


def beside_ut(magnet: Magnet, z_mm: float, offset_mm: float) -> float:
    """The axial field beside a magnet, `z_mm` above its lower face and `offset_mm` from its axis.

    Level with the magnet the field is that of the part below and the part above. ValueError inside
    the magnet.

    >>> from lumiban_hw.magnetics import STRONG
    >>> beside_ut(STRONG, -6, 25) == axial_ut(STRONG, 6, 25)
    True
    """
    if z_mm <= 0:
        return axial_ut(magnet, -z_mm, offset_mm)
    above = magnet.length_mm - z_mm
    if above <= 0:
        return axial_ut(magnet, -above, offset_mm)
    if offset_mm <= magnet.diameter_mm / 2:
        raise ValueError(f"{offset_mm:g} mm from the axis is inside the magnet")
    return sum(
        axial_ut(Magnet(magnet.diameter_mm, part, magnet.remanence_t), 0.0, offset_mm)
        for part in (z_mm, above)
    )


def side_gf(one: Magnet, other: Magnet, distance_mm: float) -> float:
    """The sideways force in gf between pieces whose axes are so far apart: away from each other
    when both magnets point the same way, as strong and towards each other when they do not.

    The pull on a uniformly magnetised cylinder in a field is the sum over its side of
    M · Bz · cos φ. ValueError when the magnets overlap.

    >>> from lumiban_hw.magnetics import STRONG
    >>> round(side_gf(STRONG, STRONG, 25), 2)
    0.53
    """
    radius = other.diameter_mm / 2
    if distance_mm <= radius + one.diameter_mm / 2:
        raise ValueError(f"magnets {distance_mm:g} mm apart overlap")
    total = 0.0
    for layer in range(LAYERS):
        z = other.length_mm * (layer + 0.5) / LAYERS
        for turn in range(TURNS):
            angle = pi * (turn + 0.5) / TURNS
            x, y = distance_mm + radius * cos(angle), radius * sin(angle)
            total += beside_ut(one, z, hypot(x, y)) * cos(angle)
    patch = other.length_mm / LAYERS * 2 * pi * radius / TURNS * 1e-6
    return other.remanence_t / MU0 * total * 1e-6 * patch * GF_N


def slides_mm(one: Magnet, other: Magnet, grams: float, friction: float = FRICTION) -> float:
    """The distance of two axes below which the force overcomes a piece's friction, on a plate
    without recesses; `grams` is the weight of the lighter one.

    >>> from lumiban_hw.magnetics import STRONG
    >>> 19 < slides_mm(STRONG, STRONG, 4.0) < 21
    True
    """
    low, high = (one.diameter_mm + other.diameter_mm) / 2 + 0.1, 200.0
    while high - low > 0.01:
        middle = (low + high) / 2
        if abs(side_gf(one, other, middle)) > friction * grams:
            low = middle
        else:
            high = middle
    return high

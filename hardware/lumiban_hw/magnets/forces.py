"""Forces between two pieces that stand side by side, from the field model.

Both magnets point the same way or opposite ways along their upright axes, their lower faces level.
"""

from __future__ import annotations

from math import cos, hypot, pi, sin

from lumiban_hw.magnetics import Magnet, axial_ut

MU0 = 4e-7 * pi
GF_N = 1000 / 9.80665
"""Grams-force of a newton."""
FRICTION = 0.3
"""Of a printed piece on its plate: assumed."""
TURNS, LAYERS = 8, 4  # own: of a magnet
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

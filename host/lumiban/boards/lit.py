"""Which lights draw current: a strip's ground rises with it, and the strip's reference with that.

One light of each strip is lit at a time, so a board takes as many looks as its longest strip has
lights. A light that fails and passes nothing on leaves all behind it dark: the first is told.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from statistics import median

from lumiban.boards.client import Driver, Fields, references

MOMENTS, SURELY = 160, 800
"""Readings of the references that one look takes, and those that a doubt is settled by. A reading
has some six counts of noise, a light lifts by two to three."""
LEAST_COUNTS = 1.2
"""What the lights of a board must lift by for a look to tell one from none."""
DARK = 0.45
"""A light that lifts by less than this share of the usual does not shine."""
SETTLES_US = 60_000

Paint = Callable[[list[int]], None]
Progress = Callable[[int, int], None]


@dataclass(frozen=True, slots=True)
class Looked:
    """`dark` are lights that draw no current, `firsts` the first such of each strip.

    `told` is False where the lights lift too little to tell.
    """

    told: bool
    dark: tuple[int, ...] = ()
    firsts: tuple[int, ...] = ()


def look(driver: Driver, paint: Paint, progress: Progress) -> Looked:
    """Light one light of each strip after another; LinkLost when the board falls silent."""
    profile = driver.link.profile
    strips: list[list[int]] = [[] for _ in range(profile.rows)]
    for light, strip in enumerate(profile.strips):
        if strip < profile.rows:
            strips[strip].append(light)
    longest = max(map(len, strips))
    rest = _counts(driver, paint, [], MOMENTS)
    lifts: dict[int, float] = {}
    for place in range(longest):
        progress(place, longest)
        lit = [lights[place] for lights in strips if place < len(lights)]
        for light, lift in _lifts(driver, paint, lit, rest, MOMENTS):
            lifts[light] = lift
    usual = median(sorted(lifts.values())[len(lifts) // 2 :])
    if usual < LEAST_COUNTS:
        return Looked(False)
    doubted = [light for light, lift in lifts.items() if lift < DARK * usual]
    if doubted:
        rest = _counts(driver, paint, [], SURELY)
    dark = []
    for light in doubted:
        ((_, lift),) = _lifts(driver, paint, [light], rest, SURELY)
        if lift < DARK * usual:
            dark.append(light)
    firsts = [next((n for n in lights if n in dark), -1) for lights in strips]
    return Looked(True, tuple(sorted(dark)), tuple(n for n in firsts if n >= 0))


def _lifts(
    driver: Driver, paint: Paint, lit: list[int], rest: list[float], moments: int
) -> Iterable[tuple[int, float]]:
    counts = _counts(driver, paint, lit, moments)
    for light in lit:
        strip = driver.link.profile.strips[light]
        yield light, counts[strip] - rest[strip]


def _counts(driver: Driver, paint: Paint, lit: list[int], moments: int) -> list[float]:
    """The references' mean counts while these lights shine."""
    paint(lit)
    driver.run(SETTLES_US)
    fields = Fields(driver, 0, 1)
    try:
        return references(fields.take(moments))
    finally:
        fields.close()

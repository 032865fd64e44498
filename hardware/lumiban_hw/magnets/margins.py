"""Thresholds against fields: random boards of random parts, and the worst that can be laid.

Each cell's sensor is off by its gap, gain and zero, each piece by its magnet and its place, as far
as the profile's tolerances go. Fields in µT; what the firmware does about neighbours is done here
too, by the shares in `/board.bin`.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import product
from math import cos, hypot, pi, sin, sqrt

from lumiban.boards.profile import REACH_PITCHES, Profile, neighbours
from lumiban_fw.wire import BLACK, EMPTY, NEUTRAL, WHITE

from lumiban_hw.magnetics import STRONG, WEAK, FieldTable, field_table

NAMES = ("empty", "white", "black", "neutral")
ODDS = (25, 30, 30, 15)
"""Odds in 100 of each content of a cell on a random board."""
BOARDS = 60
NOISE_UT = 150
"""Sigma of a reading's noise, after the firmware's median."""
SIGMAS = 2.0
"""Deviation of gains and zeros on the worst boards, in sigmas."""


@dataclass(frozen=True, slots=True)
class Parts:
    """One built board with pieces on it; lists by cell."""

    kinds: Sequence[int]
    gaps_mm: Sequence[float]
    """Further distance of a magnet from this cell's sensor than the profile's gap."""
    gains: Sequence[float]
    zeros_ut: Sequence[float]
    signs: Sequence[float]
    """Sign of the piece's field, times how much stronger than usual its magnet is."""
    aside_mm: Sequence[tuple[float, float]]


class Bench:
    """The cells of a board and how they feel each other."""

    def __init__(self, profile: Profile) -> None:
        self.profile = profile
        self.cells = [(cell.x_mm, cell.y_mm) for cell in profile.cells]
        self._low = min(profile.tolerances.gap_mm, profile.gap_mm - 0.1)
        reach = REACH_PITCHES * profile.pitch_mm
        self._near = [
            [n for n, (x, y) in enumerate(self.cells) if hypot(x - cx, y - cy) <= reach]
            for cx, cy in self.cells
        ]

    @cached_property
    def _tables(self) -> dict[int, FieldTable]:
        gap = self.profile.gap_mm - self._low
        strong, weak = field_table(STRONG, gap), field_table(WEAK, gap)
        return {WHITE: strong, BLACK: strong, NEUTRAL: weak}

    @cached_property
    def _shares(self) -> list[list[tuple[int, float]]]:
        shares, near = neighbours(self.cells, self.profile.pitch_mm)
        return [[(cell, shares[n] / 65536) for cell, n in around] for around in near]

    def fields_ut(self, parts: Parts) -> list[float]:
        """Fields that the sensors report."""
        out = list(parts.zeros_ut)
        places = [
            (x + dx, y + dy) for (x, y), (dx, dy) in zip(self.cells, parts.aside_mm, strict=True)
        ]
        for cell, (x, y) in enumerate(self.cells):
            height, total = parts.gaps_mm[cell] + self._low, 0.0
            for other in self._near[cell]:
                kind = parts.kinds[other]
                if kind:
                    px, py = places[other]
                    field = self._tables[kind].at_ut(height, hypot(px - x, py - y))
                    total += field * parts.signs[other]
            out[cell] += total * parts.gains[cell]
        return out

    def compensated(self, fields_ut: Sequence[float]) -> list[float]:
        """The same without what neighbours add, as the firmware reckons it."""
        return [
            field - sum(share * fields_ut[other] for other, share in around)
            for field, around in zip(fields_ut, self._shares, strict=True)
        ]

    def kind_of(self, field_ut: float) -> int:
        """The kind that a field stands for on a board that was just switched on."""
        strength, profile = abs(field_ut), self.profile
        if strength < profile.on_ut:
            return EMPTY
        if strength < profile.strong_ut:
            return NEUTRAL
        return -1 if strength > profile.foreign_ut else WHITE if field_ut > 0 else BLACK

    def random_parts(self, dice: random.Random) -> Parts:
        """A random board within the tolerances."""
        off = self.profile.tolerances
        kinds = dice.choices(range(4), ODDS, k=len(self.cells))
        return Parts(
            kinds,
            [dice.uniform(-self._low, off.gap_mm) for _ in kinds],
            [dice.gauss(1.0, off.sensor_percent / 100) for _ in kinds],
            [dice.gauss(0.0, off.offset_mt * 1000) + dice.gauss(0.0, NOISE_UT) for _ in kinds],
            [self._sign(kind, dice) for kind in kinds],
            [_aside(off.aside_mm * sqrt(dice.random()), dice) for _ in kinds],
        )

    def _sign(self, kind: int, dice: random.Random) -> float:
        spread = self.profile.tolerances.magnet_percent / 100
        sign = {WHITE: 1.0, BLACK: -1.0}.get(kind) or dice.choice((1.0, -1.0))
        return sign * dice.uniform(1 - spread, 1 + spread)

    def worst_parts(self, kind: int, around: int, sign: float, weak: bool) -> Parts:
        """A piece of `kind` in the middle, all others within reach of `around`; neutral ones with
        this sign. `weak`: everything makes the middle's field small and its neighbours' large;
        else the other way."""
        off = self.profile.tolerances
        middle = len(self.cells) // 2
        near = set(self._near[middle])
        kinds = [
            kind if n == middle else around if n in near else EMPTY for n in range(len(self.cells))
        ]
        way = -1.0 if weak else 1.0
        signs = [
            {WHITE: 1.0, BLACK: -1.0}.get(k, sign) * (1 + off.magnet_percent / 100)
            for k in kinds
        ]  # fmt: skip
        signs[middle] *= (1 + way * off.magnet_percent / 100) / (1 + off.magnet_percent / 100)
        gaps = [-self._low] * len(kinds)
        gaps[middle] = off.gap_mm if weak else -self._low
        gains = [1 + SIGMAS * off.sensor_percent / 100] * len(kinds)
        gains[middle] = 1 + way * SIGMAS * off.sensor_percent / 100
        zero = SIGMAS * off.offset_mt * 1000
        zeros = [0.0] * len(kinds)
        pull = 1.0 if signs[middle] > 0 else -1.0
        zeros[middle] = (way if kind else -1.0) * pull * zero
        aside = [(0.0, 0.0)] * len(kinds)
        aside[middle] = (off.aside_mm if weak else 0.0, 0.0)
        return Parts(kinds, gaps, gains, zeros, signs, aside)


def _aside(far: float, dice: random.Random) -> tuple[float, float]:
    turn = 2 * pi * dice.random()
    return far * cos(turn), far * sin(turn)


@dataclass(frozen=True, slots=True)
class Margins:
    """Margins on random boards, in µT by name of kind; white and black count together."""

    boards: int
    cells: int
    wrong: int
    """Cells that would be told wrongly."""
    seen: dict[str, tuple[float, ...]]
    """Every strength, ascending."""

    def weakest(self, name: str) -> float:
        """The weakest field of a kind."""
        return self.seen[name][0]

    def strongest(self, name: str) -> float:
        """The strongest field of a kind."""
        return self.seen[name][-1]


def at_random(
    profile: Profile, boards: int = BOARDS, seed: int = 0, *, compensate: bool = True
) -> Margins:
    """Strengths on random boards, with the firmware's compensation or without."""
    bench, dice = Bench(profile), random.Random(f"margins {seed}")
    seen: dict[str, list[float]] = {"empty": [], "neutral": [], "strong": []}
    wrong = 0
    for _ in range(boards):
        parts = bench.random_parts(dice)
        fields = bench.fields_ut(parts)
        if compensate:
            fields = bench.compensated(fields)
        for kind, field in zip(parts.kinds, fields, strict=True):
            name = "strong" if kind in (WHITE, BLACK) else NAMES[kind]
            seen[name].append(abs(field))
            wrong += bench.kind_of(field) != kind
    seen_fields = {name: tuple(sorted(values)) for name, values in seen.items()}
    return Margins(boards, boards * len(bench.cells), wrong, seen_fields)


@dataclass(frozen=True, slots=True)
class Worst:
    """The worst of one sort: the middle's field in µT as it would be without compensation and with
    it (each at its own worst), and whether the second is told rightly."""

    kind: str
    around: str
    raw_ut: float
    field_ut: float
    right: bool


def by_hand(profile: Profile) -> Iterator[Worst]:
    """For each kind in the middle of 18 of each kind, the case that is nearest to a threshold."""
    bench = Bench(profile)
    middle = len(bench.cells) // 2
    for kind, around in product(range(4), (WHITE, BLACK, NEUTRAL)):
        cases = []
        for sign, weak in product((1.0, -1.0), (True, False)):
            raw = bench.fields_ut(bench.worst_parts(kind, around, sign, weak))
            cases.append((raw[middle], bench.compensated(raw)[middle]))
        raw_ut, field = (
            min(fields, key=lambda ut: (bench.kind_of(ut) == kind, room(profile, kind, ut)))
            for fields in zip(*cases, strict=True)
        )
        yield Worst(NAMES[kind], NAMES[around], raw_ut, field, bench.kind_of(field) == kind)


def room(profile: Profile, kind: int, field_ut: float) -> float:
    """Distance of a field from the threshold that would make it another kind; negative beyond."""
    strength = abs(field_ut)
    if kind == EMPTY:
        return profile.off_ut - strength
    if kind == NEUTRAL:
        return min(strength - profile.on_ut, profile.strong_ut - strength)
    return min(strength - profile.strong_ut, profile.foreign_ut - strength)

"""A small board of senses whose fields are told as ways over time."""

from __future__ import annotations

import random
from array import array
from collections.abc import Callable
from dataclasses import dataclass, field
from math import hypot

from lumiban_fw import layout_file
from lumiban_fw.sense import Sense

CELLS, ROWS = 24, 3
UT_A_COUNT = 53.7
GAIN = round(UT_A_COUNT * 65536)
STRONG, WEAK = (6.0, 3.0), (4.0, 2.0)
REMANENCE_MT = 1195
NOISE_COUNTS = 300 / UT_A_COUNT

Way = Callable[[int], float]
"""Field in µT over time in µs."""
Event = tuple[int, int, int, int]


def field_ut(magnet: tuple[float, float], height_mm: float, gap_mm: float = 6.0) -> float:
    """On the axis of a cylinder magnet, the closed formula."""
    diameter, length = magnet
    z, r = gap_mm + height_mm, diameter / 2
    return 1e3 * REMANENCE_MT / 2 * ((length + z) / hypot(r, length + z) - z / hypot(r, z))


def falls(magnet: tuple[float, float], at_us: int, mm_s: float, sign: int = 1) -> Way:
    """A piece that comes down evenly from 30 mm and meets its seat at `at_us`."""

    def ut(t_us: int) -> float:
        height = max(0.0, (at_us - t_us) * mm_s / 1e6)
        return sign * field_ut(magnet, height) if height < 30 else 0.0

    return ut


def rises(magnet: tuple[float, float], at_us: int, mm_s: float, sign: int = 1) -> Way:
    """A piece that stands and leaves its seat at `at_us`."""

    def ut(t_us: int) -> float:
        height = max(0.0, (t_us - at_us) * mm_s / 1e6)
        return sign * field_ut(magnet, height) if height < 30 else 0.0

    return ut


def jerked(magnet: tuple[float, float], at_us: int, m_s2: float) -> Way:
    """A piece that leaves its seat at `at_us` from rest, faster and faster."""

    def ut(t_us: int) -> float:
        height = m_s2 / 2 * max(0.0, (t_us - at_us) / 1e6) ** 2 * 1e3
        return field_ut(magnet, height) if height < 30 else 0.0

    return ut


def steady(ut: float) -> Way:
    return lambda _t: ut


@dataclass
class Bench:
    """A board of 24 cells in 3 rows whose fields are told as ways over time."""

    ways: dict[int, Way] = field(default_factory=dict)
    noise: float = 0.0
    seed: int = 1
    skipping: bool = False
    events: list[Event] = field(default_factory=list)

    def __post_init__(self) -> None:
        cells = [(i * ROWS // CELLS, i % 8, i, i - 12) for i in range(CELLS)]
        self.sense = Sense(layout_file.read(pack(cells)))
        self.t_us = 0
        self.frames = 0
        self.references = [2048] * ROWS
        self.marks: list[tuple[int, int]] = []
        self._dice = random.Random(self.seed)
        self._held: list[int] = []

    def run(self, until_us: int) -> Bench:
        while self.t_us < until_us:
            self.t_us += 1000
            noise = (
                [round(self._dice.gauss(0, self.noise)) for _ in range(CELLS + ROWS)]
                if self.noise
                else [0] * (CELLS + ROWS)
            )
            references = [self.references[r] + noise[CELLS + r] for r in range(ROWS)]
            counts = [
                self.references[i * ROWS // CELLS]
                + i
                - 12
                + noise[i]
                + (round(self.ways[i](self.t_us) / UT_A_COUNT) if i in self.ways else 0)
                for i in range(CELLS)
            ]
            if self.skipping and self.sense.quiet() and counts + references == self._held:
                continue
            self._held = counts + references
            self.sense.frame(self.t_us, _adc(counts), _adc(references))
            self.frames += 1
            self.marks.append((self.t_us, self.sense.watermark_us))
            self.events += self.sense.found
            self.sense.found = []
        return self


def _adc(values: list[int]) -> array[int]:
    return array("H", [max(0, value) for value in values])


def pack(cells: list[tuple[int, int, int, int]]) -> bytes:
    return layout_file.pack_board(
        b"bench", 1, ROWS, 1000, 1500, 600, 4500, 6000, 19000, 55000, 1000, 30000, 2180, 1930,
        GAIN, cells, [0] * CELLS,
    )  # fmt: skip


def hovering(until_us: int) -> Way:
    """A hand that trembles 8 mm above the board, then goes away."""

    def ut(t_us: int) -> float:
        if not 300_000 <= t_us < until_us:
            return 0.0
        return 4_000 + (1_500 if t_us // 20_000 % 2 else -1_500)

    return ut

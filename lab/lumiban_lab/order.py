"""The measurement behind `bench order`: does the table know which of two stones came first?

Nothing is shortened but the host's line: simulated hands, the field of their pieces with noise,
the firmware, its EVENTS frames, and the table's own rule for ties. What is reported is held
against the moments at which the pieces truly touched.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import chain, groupby
from typing import TYPE_CHECKING, Any

from lumiban.i18n import terminal_language, text
from lumiban.system.terminal import columns_of
from lumiban.system.worker_pool import mapping
from lumiban.table.event_order import half_us, tied

from lumiban_lab.experiments import races

if TYPE_CHECKING:
    from lumiban_lab.experiments import Race

PROFILE = "hex3"
APART_US = 2_000
SPEEDS = (0.05, 0.1, 0.2, 0.4)
"""m/s: from a careful hand to a hasty one."""
HEAT = 50
"""Races on one board, one after the other: what one process does at a time."""
BESIDE = 40
"""The pairs beside the first are raced this many times less often."""


@dataclass(frozen=True, slots=True)
class Pair:
    """Two hands: whether each brings a strong piece, and its speed as a part of the row's."""

    name: str
    strong: tuple[bool, bool]
    paces: tuple[float, float]

    def speeds(self, speed: float) -> tuple[float, float]:
        """Of the two hands over the last 10 mm, in m/s."""
        return self.paces[0] * speed, self.paces[1] * speed


UNFAIR = Pair("fast-strong-slow-weak", (True, False), (4 / 3, 2 / 3))
"""The race that must be judged fairly: one hand twice as fast as the other, their mean the row's
speed, and the fast one brings the magnet that is felt from further off."""

OTHERS = (
    Pair("fast-strong-half-weak", (True, False), (1.0, 0.5)),
    Pair("strong-weak", (True, False), (1.0, 1.0)),
    Pair("slow-strong-fast-weak", (True, False), (2 / 3, 4 / 3)),
    Pair("strong-strong", (True, True), (1.0, 1.0)),
    Pair("weak-weak", (False, False), (1.0, 1.0)),
)


@dataclass(frozen=True, slots=True)
class Tally:
    """Results of one pair at one speed; counts of races, times in µs."""

    pair: Pair
    speed: float
    races: int
    ties: int
    inversions: int
    """Races told the wrong way round, though not tied."""
    missing: int
    """Races of which a stone was not told."""
    outside: int
    """Times told (two a race) that lie further off the truth than their uncertainty."""
    uncertainty_us: tuple[int, int]
    """Mean of what was told, for the first piece and the second."""
    error_us: tuple[int, int]
    """Error that 99.9 % of the times do not exceed, likewise."""

    def as_json(self) -> dict[str, Any]:
        """The row as `--json` prints it."""
        return {
            "pair": self.pair.name,
            "speed_m_s": self.speed,
            "hands_m_s": [round(speed, 4) for speed in self.pair.speeds(self.speed)],
            "races": self.races,
            "ties": self.ties,
            "ties_percent": round(100 * self.ties / self.races, 2),
            "inversions": self.inversions,
            "missing": self.missing,
            "outside": self.outside,
            "uncertainty_us": list(self.uncertainty_us),
            "error_p999_us": list(self.error_us),
        }


def tally(pair: Pair, speed: float, raced: Sequence[Race]) -> Tally:
    """Hold what was told against the truth.

    >>> from lumiban_lab.experiments import Arrival
    >>> sure = Arrival(1000, 0, 1200, 300), Arrival(3000, 1, 2900, 300)
    >>> wrong = Arrival(1000, 1, 3200, 300), Arrival(3000, 0, 2500, 300)
    >>> unsure = Arrival(1000, 0, 1800, 300), Arrival(3000, 1, 2400, 300)
    >>> found = tally(UNFAIR, 0.2, [sure, wrong, unsure])
    >>> found.ties, found.inversions, found.outside
    (1, 1, 4)
    """
    pairs = [(one, other) for one, other in raced if one.number >= 0 and other.number >= 0]
    ties = sum(tied(one, other) for one, other in pairs)
    inversions = sum(
        not tied(one, other) and (one.t_us < other.t_us) != (one.touch_us < other.touch_us)
        for one, other in pairs
    )
    sides = list(zip(*pairs, strict=True)) or [(), ()]
    errors = [sorted(abs(one.t_us - one.touch_us) for one in side) for side in sides]
    return Tally(
        pair,
        speed,
        len(raced),
        ties,
        inversions,
        len(raced) - len(pairs),
        sum(abs(one.t_us - one.touch_us) > half_us(one) for one in chain(*pairs)),
        _both([sum(one.uncertainty_us for one in side) // max(len(side), 1) for side in sides]),
        _both([side[math.ceil(0.999 * len(side)) - 1] if side else 0 for side in errors]),
    )


def _both(pair: Sequence[int]) -> tuple[int, int]:
    one, other = pair
    return one, other


def measure(
    seeds: int,
    speeds: Sequence[float],
    *,
    seed: int,
    jobs: int,
    rough: bool,
    progress: Callable[[str], None],
) -> Iterator[Tally]:
    """Race every pair at every speed, the unfair one `seeds` times, in `jobs` processes.

    The same `seed` gives the same table, whatever `jobs`.
    """
    rows = [(pair, speed) for pair in (UNFAIR, *OTHERS) for speed in speeds]
    with mapping(jobs) as run:
        for pair, speed in rows:
            left = seeds if pair is UNFAIR else max(seeds // BESIDE, 1)
            heats = [min(HEAT, left - start) for start in range(0, left, HEAT)]
            race = partial(_heat, pair.strong, pair.speeds(speed), rough)
            raced: list[Race] = []
            for heat in run(race, range(seed << 20, (seed << 20) + len(heats)), heats):
                raced += heat
                progress(f"{pair.name} {speed:g} m/s: {len(raced)}/{left}")
            yield tally(pair, speed, raced)


def _heat(
    strong: tuple[bool, bool], speeds: tuple[float, float], rough: bool, seed: int, count: int
) -> list[Race]:
    return races(PROFILE, strong, speeds, APART_US, seed, count, rough=rough)


def as_json(rows: Sequence[Tally], *, seed: int, rough: bool) -> dict[str, Any]:
    """The table as `--json` prints it."""
    return {
        "apart_us": APART_US,
        "profile": PROFILE,
        "seed": seed,
        "rough": rough,
        "rows": [row.as_json() for row in rows],
    }


COLUMNS = ("speed", "races", "ties", "inversions", "missing", "uncertainty", "error")


def table(rows: Sequence[Tally]) -> list[str]:
    """The table for people, in their language: a block of lines for each pair of hands."""
    language = terminal_language()
    heads = [text(f"cli.order.{name}", language) for name in COLUMNS]
    lines = [text("cli.order.about", language, ms=APART_US // 1000)]
    for pair, group in groupby(rows, key=lambda row: row.pair):
        cells = [heads, *(_cells(row) for row in group)]
        widths = [max(columns_of(line[k]) for line in cells) for k in range(len(heads))]
        lines += ["", text(f"cli.order.pair.{pair.name}", language)]
        for line in cells:
            padded = [
                " " * (width - columns_of(cell)) + cell
                for cell, width in zip(line, widths, strict=True)
            ]
            lines.append("  " + "  ".join(padded).rstrip())
    return lines


def _cells(row: Tally) -> list[str]:
    sure, off = ([f"{us / 1000:.2f}" for us in pair] for pair in (row.uncertainty_us, row.error_us))
    return [
        f"{row.speed:g}",
        f"{row.races:,}",
        f"{100 * row.ties / row.races:.1f} %",
        str(row.inversions),
        str(row.missing),
        " / ".join(sure),
        " / ".join(off),
    ]

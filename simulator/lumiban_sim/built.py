"""A board as it was built: every part a little off, warm or cold, fed through real wires.

A `BuiltBoard` is data. `EXACT` parts make the board of the data sheets; `built` draws one of the
many boards that a maker may end up with. The figures are assumptions from data sheets
(design notes, hardware study); a measured board can be told by a `BuiltBoard` of its own.
"""

from __future__ import annotations

import random
from dataclasses import dataclass, replace
from math import pi, sin

from lumiban.boards.profile import Profile
from lumiban.maker.health import Figures
from lumiban_hw.resistance import GROUND_MOHM, SPINE_MOHM, to_base_mohm

GAP_MM = 0.5
"""How far lids and recesses are off, either way."""
REMANENCE = 0.021
"""Spread of N35 magnets, either way: 1.17 to 1.22 T."""
GAIN_SIGMA = 0.02
OFFSET_SIGMA_UT = 500
"""Of a Hall sensor's output without field."""
WARMTH_SIGMA_UT = 15
"""A sensor's drift without field, µT a kelvin."""
SUPPLY_SIGMA = 0.004
"""Of a strip's 3.3 V regulator against the ADC's own supply."""
GAIN_A_KELVIN = 0.0002
"""Magnets lose 0.1 % a kelvin, sensors of the A kind gain 0.12 %."""
ROOM_C = 22.0


@dataclass(frozen=True, slots=True)
class Wires:
    """What the lights' current does on its way: resistances in µΩ, the supply in mV."""

    ribbon_uohm: int = round(1000 * GROUND_MOHM)
    """Ground of one strip's ribbon and contacts: lifts sensors and reference alike."""
    strip_uohm: int = round(1000 * SPINE_MOHM / 2)
    """Ground of a strip from one cell to the next: lifts the far cells more."""
    cable_uohm: int = round(1000 * to_base_mohm(mm2=0.75, metres=1.0, fuse_ma=3000))
    """From the 5 V supply to where the board measures it, with the thinnest wire and the smallest
    fuse that the power budget asks for."""
    supply_mv: int = 5_100


@dataclass(frozen=True, slots=True)
class Climate:
    """The board's temperature: it starts at `start_c`, rises by `rise_k` within `within_us` and
    stays, and goes up and down by `swing_k` every `every_us`."""

    start_c: float = ROOM_C
    rise_k: float = 0.0
    within_us: int = 3_600_000_000
    swing_k: float = 0.0
    every_us: int = 600_000_000

    def at(self, t_us: int) -> float:
        """The temperature in °C.

        >>> Climate(20.0, 10.0, 1_000).at(500), Climate(20.0, 10.0, 1_000).at(5_000)
        (25.0, 30.0)
        """
        share = min(max(t_us / self.within_us, 0.0), 1.0)
        wave = self.swing_k * sin(2 * pi * t_us / self.every_us) if self.swing_k else 0.0
        return self.start_c + share * self.rise_k + wave


@dataclass(frozen=True, slots=True)
class BuiltBoard:
    """The parts of one board; all lists are by cell, `supplies` by strip."""

    gaps_mm: tuple[float, ...]
    """How much further than the profile says a seated magnet is from the Hall element."""
    gains: tuple[float, ...]
    """Sensitivity of the sensor against the data sheet."""
    offsets_ut: tuple[float, ...]
    """What the sensor tells without a field."""
    warmth_ut: tuple[float, ...]
    """How much that changes a kelvin."""
    supplies: tuple[float, ...]
    """A strip's supply against that of the ADC: sensors and reference follow it."""
    remanence: float = 0.0
    """Magnets differ by up to this share, either way."""
    wires: Wires | None = None
    climate: Climate = Climate()


def exact(profile: Profile) -> BuiltBoard:
    """The board of the data sheets, without resistance."""
    n = len(profile.cells)
    nothing, one = (0.0,) * n, (1.0,) * n
    return BuiltBoard(nothing, one, nothing, nothing, (1.0,) * profile.rows)


def built(
    profile: Profile,
    seed: int,
    *,
    gap_mm: float = GAP_MM,
    common_gap: bool = False,
    climate: Climate | None = None,
    wires: Wires | None = None,
) -> BuiltBoard:
    """One of the boards that come of parts within their tolerances; the seed says which.

    `common_gap`: the lid as a whole is off by the gap's error, not each cell by its own.

    >>> from lumiban.boards import profile as profiles
    >>> board = built(profiles.load("hex3"), 1)
    >>> len(board.gaps_mm), max(board.gaps_mm) <= GAP_MM, board == built(profiles.load("hex3"), 1)
    (19, True, True)
    """
    dice = random.Random(f"built {seed}")
    cells = range(len(profile.cells))
    lid = dice.uniform(-gap_mm, gap_mm)
    return BuiltBoard(
        tuple(lid if common_gap else dice.uniform(-gap_mm, gap_mm) for _ in cells),
        tuple(dice.gauss(1.0, GAIN_SIGMA) for _ in cells),
        tuple(dice.gauss(0.0, OFFSET_SIGMA_UT) for _ in cells),
        tuple(dice.gauss(0.0, WARMTH_SIGMA_UT) for _ in cells),
        tuple(dice.gauss(1.0, SUPPLY_SIGMA) for _ in range(profile.rows)),
        REMANENCE,
        wires or Wires(),
        climate or Climate(),
    )


def measured(profile: Profile, figures: Figures) -> BuiltBoard:
    """The board that these figures were measured of; what was not measured is as assumed.

    >>> from lumiban.boards import profile as profiles
    >>> figures = Figures("hex3", measured={"ribbon_uohm": 41_000.0, "supplies": [1.01] * 5})
    >>> board = measured(profiles.load("hex3"), figures)
    >>> board.supplies[0], board.wires.ribbon_uohm, board.gains[0]
    (1.01, 41000, 1.0)
    """
    cells = len(profile.cells)
    usual = Wires()
    return replace(
        exact(profile),
        gains=figures.numbers("gains", 1.0, cells),
        offsets_ut=figures.numbers("offsets_ut", 0.0, cells),
        supplies=figures.numbers("supplies", 1.0, profile.rows),
        wires=replace(
            usual,
            ribbon_uohm=round(figures.number("ribbon_uohm", usual.ribbon_uohm)),
            supply_mv=round(figures.number("supply_mv", usual.supply_mv)),
        ),
    )

"""A board as it was built, and what its ADC reads: every part a little off, warm or cold.

A `BuiltBoard` is data. `EXACT` parts make the board of the data sheets; `built` draws one of the
many boards that a maker may end up with. The figures are assumptions from data sheets
(design notes, hardware study); a measured board can be told by a `BuiltBoard` of its own.

`Electrics` makes counts of a field. A strip's sensors and its reference (half the strip's supply)
stand on the strip's ground. The current of the lights lifts that ground: by the ribbon for all of
them alike, which the difference from the reference cancels, and along the strip a little more for
the far cells, which it does not.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import pi, sin
from operator import sub
from typing import TYPE_CHECKING

from lumiban.boards.limits import GROUND_MOHM, MIDDLE, SPINE_MOHM, to_base_mohm
from lumiban.boards.profile import Profile
from lumiban_fw.wire import FULL_MA, FULL_SCALE, IDLE_MA

if TYPE_CHECKING:
    from lumiban.maker.health import Figures

    from lumiban_sim.chopping import Chopping

GAP_MM = 0.5
"""Tolerance of lids and recesses, either way."""
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
    """Path of the lights' current: resistances in µΩ, the supply in mV."""

    ribbon_uohm: int = round(1000 * GROUND_MOHM)
    """Ground of one strip's ribbon and contacts: lifts sensors and reference alike."""
    strip_uohm: int = round(1000 * SPINE_MOHM / 2)
    """Ground of a strip from one cell to the next: lifts the far cells more."""
    cable_uohm: int = round(1000 * to_base_mohm(mm2=0.75, metres=1.0, fuse_ma=3000))
    """From the 5 V supply to where the board measures it, with the thinnest wire and the smallest
    fuse that the power budget asks for."""
    supply_mv: int = 5_100
    chops: float = 0.0
    """Lights switch their current, each at a pace that differs from the data sheet's by up to this
    share (`limits.CHOP_SPREAD`); 0: they draw evenly, which takes less CPU."""


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
    """Further distance of a seated magnet from the Hall element than the profile says."""
    gains: tuple[float, ...]
    """Sensitivity of the sensor against the data sheet."""
    offsets_ut: tuple[float, ...]
    """Reading of the sensor without a field."""
    warmth_ut: tuple[float, ...]
    """Change of that for each kelvin."""
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
    >>> from lumiban.maker.health import Figures
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


# From field to counts.

LOWEST, HIGHEST = 248, 3848
"""A Hall sensor's output stays 0.2 V away from either rail."""
ADC_UV = 3_300_000 / (FULL_SCALE + 1)
"""One count."""
WARMTH_US = 1_000_000
"""Time in µs between two looks at the temperature."""
NOTICE = 2
"""Counts by which a cell must shift against its reference to be worth a look."""
_DRAWN_MA = [IDLE_MA + FULL_MA * light / 255 for light in range(3 * 255 + 1)]
"""Current of a light, by the sum of its three colours."""


class Electrics:
    """Readings of one built board; `set_lights` gives it the light, `at` the time."""

    def __init__(self, profile: Profile, board: BuiltBoard) -> None:
        self.board = board
        self.drawn_ma = 0.0
        """Current of all lights."""
        self.references = [round(MIDDLE * supply) for supply in board.supplies]
        """Counts of each strip's reference, without noise."""
        self._counts_a_ut = 65536 / profile.gain_q16
        self._rows = [cell.row for cell in profile.cells]
        self._ground = [0.0] * len(profile.cells)
        """Counts by which a cell's ground is lifted."""
        self._further = self._ground[:]
        """The part of it that its strip's reference does not share."""
        self._noticed = self._ground[:]
        self._warm_k = 0.0
        self._epoch = -1
        self._along = [
            [(cell, profile.cells[cell].light) for cell in cells] for cells in _along(profile)
        ]
        self._strips = [
            [k for k, strip in enumerate(profile.strips) if strip == row]
            for row in range(profile.rows)
        ]
        self._drawn = [-1.0] * profile.lights
        self.chopping: Chopping | None = None
        """Movement of readings within a frame by the lights; None where they draw evenly."""
        if board.wires is not None and board.wires.chops:
            from lumiban_sim.chopping import Chopping

            self.chopping = Chopping(profile, board.wires.ribbon_uohm, board.wires.chops)
        self.set_lights(bytes(3 * profile.lights))
        self.at(0)

    def count(self, cell: int, ut: float) -> int:
        """Reading of the ADC for a cell in this field, without noise."""
        board = self.board
        gain = board.gains[cell] * (1.0 + GAIN_A_KELVIN * self._warm_k)
        ut = ut * gain + board.offsets_ut[cell] + board.warmth_ut[cell] * self._warm_k
        swing = round(MIDDLE + ut * self._counts_a_ut)
        swing = LOWEST if swing < LOWEST else HIGHEST if swing > HIGHEST else swing
        count = round(swing * board.supplies[self._rows[cell]] + self._ground[cell])
        return 0 if count < 0 else FULL_SCALE if count > FULL_SCALE else count

    def counts(self, uts: Sequence[float]) -> list[int]:
        """`count` of all cells at once."""
        board, warm_k, a_ut = self.board, self._warm_k, self._counts_a_ut
        warmth = 1.0 + GAIN_A_KELVIN * warm_k
        supplies = board.supplies
        out = []
        for ut, gain, offset, drift, row, ground in zip(
            uts, board.gains, board.offsets_ut, board.warmth_ut, self._rows, self._ground,
            strict=True,
        ):  # fmt: skip
            swing = round(MIDDLE + (ut * (gain * warmth) + offset + drift * warm_k) * a_ut)
            swing = LOWEST if swing < LOWEST else HIGHEST if swing > HIGHEST else swing
            count = round(swing * supplies[row] + ground)
            out.append(0 if count < 0 else 4095 if count > 4095 else count)
        return out

    def zeros(self) -> list[int]:
        """Reading of each cell above its strip's reference without a field, as light and warmth are
        now: made in the dark, this is a board's calibration."""
        return [self.count(cell, 0.0) - self.references[row] for cell, row in enumerate(self._rows)]

    def at(self, t_us: int) -> bool:
        """Let it be `t_us`; whether counts may have changed."""
        epoch = t_us // WARMTH_US
        if epoch == self._epoch:
            return False
        self._epoch = epoch
        warm = self.board.climate.at(epoch * WARMTH_US) - ROOM_C
        changed = warm != self._warm_k
        self._warm_k = warm
        return changed

    def set_lights(self, rgb: bytes) -> bool:
        """Let the lights shine so (r, g, b of each, 0 to 255); whether counts may have changed."""
        wires = self.board.wires
        if wires is None:
            return False
        if self.chopping is not None:
            self.chopping.set_lights(rgb)
        sums = map(sum, zip(rgb[::3], rgb[1::3], rgb[2::3], strict=True))
        drawn = [_DRAWN_MA[light] for light in sums]
        if drawn == self._drawn:
            return False
        self._drawn = drawn
        self.drawn_ma = sum(drawn)
        for row, cells in enumerate(self._along):
            left = sum([drawn[k] for k in self._strips[row]])
            ribbon = left * wires.ribbon_uohm / 1000 / ADC_UV
            self.references[row] = round(MIDDLE * self.board.supplies[row] + ribbon)
            further = 0.0
            for cell, light in cells:
                further += left * wires.strip_uohm / 1000 / ADC_UV
                left -= drawn[light]
                self._ground[cell] = ribbon + further
                self._further[cell] = further
        return True

    def shifted(self) -> bool:
        """True if light has moved a cell against its reference, since this was last true, by so
        much that a sensor may notice."""
        by = map(sub, self._further, self._noticed)
        far = max(map(abs, by), default=0.0) >= NOTICE
        if far:
            self._noticed[:] = self._further
        return far


def _along(profile: Profile) -> list[list[int]]:
    """The cells of each strip, from its connector on."""
    strips: list[list[int]] = [[] for _ in range(profile.rows)]
    for number, cell in enumerate(profile.cells):
        strips[cell.row].append(number)
    for strip in strips:
        strip.sort(key=lambda number: profile.cells[number].channel)
    return strips

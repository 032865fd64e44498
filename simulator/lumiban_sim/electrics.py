"""From field to counts: sensors and references of a built board, and what its lights do to them.

A strip's sensors and its reference (half the strip's supply) stand on the strip's ground. The
current of the lights lifts that ground: by the ribbon for all of them alike, which the difference
from the reference cancels, and along the strip a little more for the far cells, which it does not.
"""

from __future__ import annotations

from collections.abc import Sequence
from operator import sub

from lumiban.boards.profile import Profile
from lumiban_fw.wire import FULL_MA, FULL_SCALE, HALF_SCALE, IDLE_MA

from lumiban_sim.built import GAIN_A_KELVIN, ROOM_C, BuiltBoard

MIDDLE = HALF_SCALE
"""Counts of half the supply: the reference on channel 15, and a sensor without field."""
LOWEST, HIGHEST = 248, 3848
"""A Hall sensor's output stays 0.2 V away from either rail."""
ADC_UV = 3_300_000 / (FULL_SCALE + 1)
"""One count."""
WARMTH_US = 1_000_000
"""How often the temperature is looked at."""
NOTICE = 2
"""Counts by which a cell must shift against its reference to be worth a look."""
_DRAWN_MA = [IDLE_MA + FULL_MA * light / 255 for light in range(3 * 255 + 1)]
"""What a light draws, by the sum of its three colours."""


class Electrics:
    """Readings of one built board; `set_lights` gives it the light, `at` the time."""

    def __init__(self, profile: Profile, board: BuiltBoard) -> None:
        self.board = board
        self.drawn_ma = 0.0
        """What all lights draw."""
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
        self.set_lights(bytes(3 * profile.lights))
        self.at(0)

    def count(self, cell: int, ut: float) -> int:
        """What the ADC reads of a cell in this field, without noise."""
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
        """What each cell reads above its strip's reference without a field, as light and warmth are
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
        """Whether light has moved a cell against its reference, since this was last true, by so
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

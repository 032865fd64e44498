"""Readings of a strip within a frame, as lights that switch their current move them.

A WS2812 makes a brightness by switching its full current on and off, some 2000 times a second,
each at its own pace. The currents of a strip's lights flow through the ground of its ribbon and
lift what its sensors and its reference stand on. A frame's readings are taken one after the other,
so a cell sees another moment of that than its reference. What flows on average is
`built_board.Electrics`'s.
"""

from __future__ import annotations

import random
from collections.abc import Sequence

from lumiban.boards.limits import CHOP_HZ
from lumiban.boards.profile import Profile
from lumiban_fw.layout import REFERENCE
from lumiban_fw.layout_file import in_order
from lumiban_fw.wire import FULL_MA, FULL_SCALE

ADC_UV = 3_300_000 / (FULL_SCALE + 1)
"""One count."""
Light = tuple[float, float, tuple[float, ...]]
"""Period and beginning in µs, and the shares of the period for which each colour is on."""


class Chopping:
    """Effect of lights on the readings of their strips' cells and references.

    `ground_uohm` is that of a ribbon, `spread` how far a light's pace is off, as a share.
    `set_lights` gives the picture, `ripple` the counts.
    """

    def __init__(self, profile: Profile, ground_uohm: float, spread: float) -> None:
        dice = random.Random("chopping")
        cells = profile.cells
        row = bytearray(cell.row for cell in cells)
        channel = bytearray(cell.channel for cell in cells)
        order = in_order(row, channel, profile.rows)
        slot_us = 1_000_000 // profile.scan_hz // (len(order) + 1)
        when = {address: n * slot_us for n, address in enumerate(order)}
        self._cells: list[list[tuple[int, int]]] = [[] for _ in range(profile.rows)]
        """Of each strip, its cells and when in a frame they are read."""
        for number, cell in enumerate(cells):
            self._cells[cell.row].append((number, when[cell.row << 4 | cell.channel]))
        self._references = [when.get(r << 4 | REFERENCE, 0) for r in range(profile.rows)]
        period_us = 1_000_000 / CHOP_HZ
        self._paces = [
            (period_us * dice.uniform(1 - spread, 1 + spread), dice.uniform(0, period_us))
            for _ in range(profile.lights)
        ]
        self._strips = profile.strips
        self._counts_a_ma = ground_uohm / 1000 / ADC_UV
        self._lit: dict[int, tuple[float, Sequence[Light]]] = {}
        """Of each strip with lights that chop: what they draw on average, and these lights."""

    def set_lights(self, rgb: bytes) -> None:
        """Let the lights shine so: r, g, b of each, 0 to 255."""
        lit: dict[int, tuple[float, list[Light]]] = {}
        for n, row in enumerate(self._strips):
            shares = tuple(value / 255 for value in rgb[3 * n : 3 * n + 3] if 0 < value < 255)
            if shares:
                mean, lights = lit.get(row, (0.0, []))
                lit[row] = mean + FULL_MA * sum(shares), lights
                lights.append((*self._paces[n], shares))
        self._lit = dict(lit)

    def ripple(self, t_us: int, counts: list[int], references: list[int]) -> None:
        """Add to the counts of a frame that was begun at `t_us`, in place."""
        for row in self._lit:
            references[row] += round(self.lift(row, t_us + self._references[row]))
            for cell, late_us in self._cells[row]:
                counts[cell] += round(self.lift(row, t_us + late_us))

    def lift(self, row: int, t_us: float) -> float:
        """Counts by which a strip's ground is higher at that moment than on average."""
        mean, lights = self._lit.get(row, (0.0, ()))
        drawn = -mean
        for period_us, late_us, shares in lights:
            phase = (t_us - late_us) / period_us % 1.0
            for share in shares:
                if phase < share:
                    drawn += FULL_MA
        return drawn * self._counts_a_ma

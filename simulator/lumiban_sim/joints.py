"""A board's joints, as the Pico's own scope sees them: sound within tolerance, or with one wrong.

    scope = Joints(load("hex5"), seed=1, wrong=Wrong("select.open.strip", strip=3, bit=2))

Every measurement of `firstlight.Scope` is answered from the wiring: address lines with their
resistors, multiplexers, sensors and references, regulators, the switch, the chain of lights and
their ground. What a joint does to it is written here, from the circuit; what it means is not.
"""

from __future__ import annotations

import random
from dataclasses import dataclass
from math import exp

from lumiban.boards import limits
from lumiban.boards.limits import GROUND_MOHM
from lumiban.boards.profile import Profile
from lumiban.maker.firstlight import LOOKS, STEP_NS, Ramp
from lumiban_fw.layout import REFERENCE
from lumiban_fw.wire import FULL_MA, FULL_SCALE, HALF_SCALE, IDLE_MA

from lumiban_sim.rails import Feed, Rails

ADC_MV = 3300 / (FULL_SCALE + 1)
NOISE_COUNTS = 5.0
OPEN_DOWN, OPEN_REST, OPEN_UP = 12, 60, 4_080
"""Readings of an open line: pulled down, left alone, pulled up."""
CLAMPED_UP, CLAMPED = 780, 25
"""Readings through a multiplexer without supply: its clamp diode holds what is pulled up."""
DEAD_SENSOR = 70
PULL_OHM = 50_000
"""The chip's own pull, at an ADC input."""
REFERENCE_OHM = limits.REFERENCE_OHM
"""Of the reference's divider."""
STRIP_F = limits.RIBBON_F + limits.ADDRESS_PIN_F
"""Capacitance that an address line has to charge on one strip alone …"""
ADDRESS_OHM, ADDRESS_F = limits.ADDRESS_OHM, limits.STRIP_SOCKETS * STRIP_F
"""… and on all sockets, through its resistor."""
OUTPUT_S = 6e-8
"""The time constant of a sensor behind two multiplexers."""
STONE_COUNTS = 600
OFF_US = 700_000
"""So long a switch of the strips is waited for."""
POINTS = 80
"""Of a settling curve."""
SWEEP_US, SWEEPS = 128, 320
SHORT_MA = 2_400
"""Through a light that is turned round, until its strip's fuse gives way."""
KINDS = (
    "select.open.base", "select.open.strip", "select.bridge.base", "select.bridge.strip",
    "select.swap.base", "select.swap.strip", "row", "row.bridge", "settle.base", "settle.strip",
    "reading.strip", "reading", "regulator", "feed", "short", "reference", "sensor.open",
    "sensor.dead", "gate", "switch", "guard", "divider", "light", "data", "return",
)  # fmt: skip
"""Kinds of faults, by the names that firstlight gives them."""


@dataclass(frozen=True, slots=True)
class Wrong:
    """One wrong joint; which of the numbers count depends on its kind."""

    kind: str
    strip: int = -1
    bit: int = -1
    other: int = -1
    number: int = -1
    """Of a cell or a light."""


class Joints:
    """A board by its joints. The seed draws the parts; at the `edge` each is as far off as its data
    sheet lets it be, one way or the other; `nominal`, none is off at all."""

    def __init__(
        self,
        profile: Profile,
        seed: int = 0,
        wrong: Wrong | None = None,
        *,
        edge: bool = False,
        nominal: bool = False,
        feed: Feed | None = None,
    ) -> None:
        dice = self._dice = random.Random(f"joints {seed}")
        self.profile = profile
        self.wrong = wrong or Wrong("")

        def off(share: float) -> float:
            by = dice.choice((-share, share)) if edge else dice.uniform(-share, share)
            return 1.0 if nominal else 1.0 + by

        rows = profile.rows
        self._supplies = [off(0.015) for _ in range(rows)]
        self._ratios = [off(0.001) for _ in range(rows)]
        self._offsets = [dice.gauss(0.0, 9.0) * (1.5 if edge else 1.0) for _ in profile.cells]
        self._address_s = [ADDRESS_OHM * ADDRESS_F * off(0.2) for _ in range(4)]
        self._divider = off(0.01)
        self._slope = off(0.3)
        thresholds = random.Random(f"thresholds {seed}")
        self._high_wins = [thresholds.random() < 0.5 for _ in range(rows + 1)]
        """By strip, and of the base's own multiplexer: what half the supply is to it."""
        self._ribbons = [GROUND_MOHM * off(0.3) for _ in range(rows)]
        self._light_ma = FULL_MA * off(0.12)
        self._noise = NOISE_COUNTS * off(0.3)
        supply_mv = round(5_050 * off(0.03)) if edge else 5_100
        gentle = self.wrong.kind != "gate"
        self.rails = Rails(feed or Feed(supply_mv, 82.0, gentle=gentle), rows)
        self.rails.power_up(0)
        self.now_us = 1_000_000
        self._rgb = bytes(3 * profile.lights)
        self._cells = {(c.row, c.channel): n for n, c in enumerate(profile.cells)}
        self.stones: dict[int, int] = {}
        """Counts of what stands on cells."""

    def _is(self, *kinds: str) -> bool:
        return self.wrong.kind in kinds

    # Supply.

    def supply(self) -> tuple[float, bool]:
        """As `Scope.supply`."""
        self.now_us += 1_000
        mv = self.rails.rail_mv(self.now_us) * self._divider
        if self._is("divider"):
            mv *= 2 / 3  # 20 kΩ where 10 kΩ should be
        return min(mv, 6_600.0), self._good()

    def _good(self) -> bool:
        return self.rails.good(self.now_us) and not self._is("guard")

    def power(self, on: bool) -> None:
        """As `Scope.power`."""
        self._switch(on)
        self.now_us += OFF_US

    def _switch(self, on: bool) -> None:
        if not self._is("switch"):
            self.rails.switch(on, self.now_us)
        if not on:
            self._rgb = bytes(len(self._rgb))

    def ramp(self) -> Ramp:
        """As `Scope.ramp`."""
        self.power(False)
        ramp = Ramp(references=[[] for _ in range(self.profile.rows)])
        begin = self.now_us
        self._switch(True)
        tripped = False
        for sweep in range(SWEEPS):
            since = sweep * SWEEP_US
            self.now_us = (
                begin + round(since * self._slope) if not self._is("gate") else (begin + since)
            )
            ramp.times_us.append(float(since))
            sag = 0.0
            if self._is("short") and self._share(-1) > 0.2:
                sag = SHORT_MA * self.rails.feed.cable_mohm / 1000
            elif self._share(-1) > 0:
                sag = (7.0 * len(self.profile.cells)) * self.rails.feed.cable_mohm / 1000
            mv = self.rails.rail_mv(self.now_us) * self._divider - sag
            ramp.rail_mv.append(mv + self._dice.gauss(0, 4))
            tripped = tripped or not self._good()
            for row in range(self.profile.rows):
                ramp.references[row].append(self._read(row, REFERENCE, 0))
        ramp.tripped = tripped
        return ramp

    def _share(self, row: int) -> float:
        """A strip's 3.3 V; of strip −1, of one that is whole."""
        if row == self.wrong.strip and self._is("regulator", "feed", "short"):
            return 0.0
        return self.rails.share(self.now_us)

    # Readings.

    def look(self, row: int, channel: int, pull: int) -> tuple[float, float]:
        """As `Scope.look`."""
        self.now_us += 10 * LOOKS
        level, dice, noise = self._settled_counts(row, channel, pull), self._dice, self._noise
        mean = level + dice.gauss(0.0, noise / LOOKS**0.5)
        return min(max(mean, 0.0), FULL_SCALE), abs(dice.gauss(noise, noise / (2 * LOOKS) ** 0.5))

    def _read(self, row: int, channel: int, pull: int) -> float:
        level = self._settled_counts(row, channel, pull)
        return min(max(level + self._dice.gauss(0.0, self._noise), 0.0), float(FULL_SCALE))

    def _settled_counts(self, row: int, channel: int, pull: int) -> float:
        """Counts without noise, once all has settled."""
        row = self._row_that_arrives(row)
        if self._is("reading"):
            return _open(pull)
        if row == 15:
            return self.rails.rail_mv(self.now_us) / 2 / ADC_MV
        if row >= self.profile.rows or (self._is("reading.strip") and row == self.wrong.strip):
            return _open(pull)
        share = self._share(row)
        if share <= 0.0:
            return CLAMPED_UP if pull > 0 else CLAMPED
        channel = self._channel_that_arrives(row, channel)
        lift = self._lift(row)
        supply = self._supplies[row] * share
        if channel == REFERENCE:
            ratio = self._ratios[row]
            if self._is("reference") and row == self.wrong.strip:
                ratio *= 2 / 3
            level = HALF_SCALE * supply * ratio + lift
            if pull:
                end = FULL_SCALE if pull > 0 else 0
                level += (end - level) * REFERENCE_OHM / (REFERENCE_OHM + PULL_OHM)
            return level
        cell = self._cells.get((row, channel))
        if cell is None or (self._is("sensor.open") and cell == self.wrong.number):
            return _open(pull)
        if self._is("sensor.dead") and cell == self.wrong.number:
            return DEAD_SENSOR
        count = HALF_SCALE * supply + self._offsets[cell] + self.stones.get(cell, 0)
        return count + lift

    def _row_that_arrives(self, row: int) -> int:
        if self._is("row"):
            return row & ~(1 << self.wrong.bit)
        if self._is("row.bridge"):
            return _bridged(row, self.wrong.bit, self.wrong.other, self._high_wins[-1])
        return row

    def _channel_that_arrives(self, row: int, channel: int) -> int:
        wrong = self.wrong
        if wrong.kind.endswith(".strip") and row != wrong.strip:
            return channel
        if self._is("select.open.base", "select.open.strip"):
            return channel & ~(1 << wrong.bit)
        if self._is("select.bridge.base", "select.bridge.strip"):
            return _bridged(channel, wrong.bit, wrong.other, self._high_wins[row])
        if self._is("select.swap.base", "select.swap.strip"):
            return _swapped(channel, wrong.bit, wrong.other)
        return channel

    def settle(self, row: int, channel: int, before: tuple[int, int]) -> list[float]:
        """As `Scope.settle`."""
        self.now_us += 5 * POINTS
        first = self._settled_counts(*before, -1)
        last = self._settled_counts(row, channel, -1)
        changed = (channel ^ before[1]) & 15
        arrives = 0.0
        for bit in range(4):
            if changed >> bit & 1:
                arrives = max(arrives, 0.7 * self._line_s(row, bit))
        out = []
        for n in range(POINTS):
            since = n * STEP_NS * 1e-9 - arrives
            level = first if since < 0 else last + (first - last) * exp(-since / OUTPUT_S)
            out.append(level + self._dice.gauss(0.0, self._noise / 2))
        return out

    def _line_s(self, row: int, bit: int) -> float:
        """The time constant of an address line."""
        if self._is("settle.base") and bit == self.wrong.bit:
            return 33_000 * ADDRESS_F
        if self._is("settle.strip") and bit == self.wrong.bit and row == self.wrong.strip:
            return 200_000 * STRIP_F
        return self._address_s[bit]

    # Hands.

    def set_stone(self, cell: int, stands: bool) -> None:
        """Set a white stone on a cell, or take it away."""
        self.now_us += 2_000_000
        if stands:
            self.stones[cell] = STONE_COUNTS
        else:
            self.stones.pop(cell, None)

    # Lights.

    def _alive(self) -> int:
        """Number of lights of the chain that hear their picture."""
        if self._is("data"):
            return 0
        for light, strip in enumerate(self.profile.strips):
            if self._share(-1) <= 0 or (self._is("feed", "short") and strip == self.wrong.strip):
                return light
            if self._is("light") and light == self.wrong.number:
                return light
        return self.profile.lights

    def shine(self, rgb: bytes) -> None:
        """As `Scope.shine`."""
        self.now_us += 30 * len(rgb) + 1_000
        alive = 3 * self._alive()
        self._rgb = rgb[:alive] + self._rgb[alive:]

    def _lift(self, row: int) -> float:
        """Counts by which the current of a strip's lights lifts its ground."""
        lights = [n for n, strip in enumerate(self.profile.strips) if strip == row]
        light = sum(sum(self._rgb[3 * n : 3 * n + 3]) for n in lights)
        ma = light / 255 * self._light_ma + IDLE_MA * len(lights)
        return ma * self._ribbons[row] / 1000 / ADC_MV

    def returned(self, sent: int) -> int:
        """As `Scope.returned`."""
        self.now_us += 30 * sent
        if self._is("return") or self._alive() < self.profile.lights:
            return 0
        return max(sent - self.profile.lights, 0)


def _open(pull: int) -> float:
    return (OPEN_REST, OPEN_UP, OPEN_DOWN)[pull]


def _bridged(address: int, bit: int, other: int, high_wins: bool) -> int:
    """Two lines that touch stand at half the supply when they differ: low, or high."""
    both = 1 << bit | 1 << other
    if high_wins:
        return address | both if address & both else address
    return address if address & both == both else address & ~both


def _swapped(address: int, bit: int, other: int) -> int:
    one, two = address >> bit & 1, address >> other & 1
    return address & ~(1 << bit | 1 << other) | one << other | two << bit


def wrongs(profile: Profile, kind: str, seed: int) -> Wrong:
    """A wrong joint of a kind, where the seed puts it."""
    dice = random.Random(f"{kind} {seed}")
    bit, other = sorted(dice.sample(range(4), 2))
    strip = dice.randrange(profile.rows)
    cell = dice.randrange(len(profile.cells))
    light = dice.randrange(profile.lights)
    rows = [b for b in range(4) if 1 << b < profile.rows]
    if kind.startswith("row"):
        bit, other = dice.choice(rows), -1
        if kind == "row.bridge":
            bit, other = sorted(dice.sample(rows, 2))
    elif kind.startswith(("select.open", "settle")):
        other = -1
    if kind == "light":
        light = max(light, 1)
        return Wrong(kind, profile.strips[light], number=light)
    if kind.startswith("sensor"):
        return Wrong(kind, profile.cells[cell].row, number=cell)
    whole = kind.endswith(".base") or kind.startswith("row")
    return Wrong(kind, -1 if whole else strip, bit, other)

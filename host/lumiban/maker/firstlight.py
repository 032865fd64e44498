"""A new board's first power: the Pico as an oscilloscope, and which joint is wrong.

    findings = FirstLight(scope, profile).run(progress)

A `Scope` measures; it knows nothing of what is right. What is measured is supply, ramp, channels,
settling, lights and noise, in this order, and a step that finds a joint wrong ends the steps that
need that joint. A wrong joint is named as on the boards: strip 2, counted from 0, is in socket J3.
Thresholds are wide enough for parts at the edges of their tolerance.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import combinations
from pathlib import Path
from typing import Protocol

import lumiban_fw
from lumiban_fw.layout import REFERENCE
from lumiban_fw.wire import FULL_SCALE, HALF_SCALE

from lumiban.boards import limits
from lumiban.boards.profile import MAX_STRIPS, Profile
from lumiban.maker.doctor import BAD, GOOD, NOTE, Finding

CHANNELS = 16
LOOKS = 256
"""Readings that a mean is taken over."""
STEP_NS = 96
"""Between two points of a settling curve."""
SETTLED_NS = 1_600
"""So long after its address a reading is taken."""
GOOD_MV = (limits.GOOD_MV, limits.STRIPS_MAX_MV)
NONE_MV = 1_000
WEAK_MV = 4_750
"""A supervisor may call less than this bad."""
OFF_REFERENCE = 0.04
"""A reference of two 0.1 % resistors is off by less, even with a regulator and an ADC that are."""
RISEN = 0.9
"""Of half scale: a strip with power reads at least so much on its reference."""
STEEP_US, GENTLE_US = 1_000, 32_000
"""References that have risen so soon after GP18, or so late, were not held by the switch's gate."""
SAG_MV = 150
"""Strips that are whole let the rail be lower by less, once they are charged and dark: by 20 to 85
mV, by the size of the board."""
SAG_SWEEPS = 16
"""Number of sweeps at the end over which the rail is averaged."""
OPEN = 400
"""Counts: an open line follows the pull of the chip to within this of either end."""
ALIKE, SPREAD = 1.8, 5.0
"""Two channels read the same when their means differ by less; it tells nothing where all of a board
lie closer than SPREAD."""
SURE = 3
"""Number of coincidences on a strip that are none; fewer are left to a stone."""
STONE = 100
"""Counts by which a stone moves its sensor at least."""
PLUG = (12, 14, 13, 11)
"""The ways of a strip's plug that are S0 to S3."""
EXTRA = 8
"""Words sent behind the picture, which come back at the end of a whole chain."""
OFTEN = 8
LIT_SHARE = 0.5
"""Of what a lit strip lifts its ground by: less is no light."""
WHITE = b"\xff\xff\xff"
BLACK = b"\0\0\0"
NOISE = 14.0
"""Counts: the most that one reading may scatter in the dark, and …"""
NOISE_LIT = 18.0
"""… with all lights."""


@dataclass
class Ramp:
    """The strips being switched on: at each time (µs since GP18 rose) the rail in mV and the counts
    of each strip's reference."""

    times_us: list[float] = field(default_factory=list)
    rail_mv: list[float] = field(default_factory=list)
    references: list[list[float]] = field(default_factory=list)
    """By strip."""
    tripped: bool = False
    """The supervisor said bad meanwhile."""


class Scope(Protocol):
    """Measurements that the Pico can make of its own board. Rows and channels are addresses, 0 to
    15."""

    def supply(self) -> tuple[float, bool]:
        """The rail in mV by its divider, and whether the supervisor calls it good."""

    def power(self, on: bool) -> None:
        """Switch the strips on or off, and wait until that is over."""

    def ramp(self) -> Ramp:
        """Switch the strips off and on, and watch it."""

    def look(self, row: int, channel: int, pull: int) -> tuple[float, float]:
        """Mean and standard deviation of `LOOKS` readings; pulled down (−1), up (1) or not (0)."""

    def settle(self, row: int, channel: int, before: tuple[int, int]) -> list[float]:
        """Counts every `STEP_NS` after the address changed from `before` (row, channel), with the
        reading pulled down."""

    def shine(self, rgb: bytes) -> None:
        """Let the lights shine so."""

    def returned(self, sent: int) -> int:
        """Number of words that come back at the end of a chain of lights."""


class Prompt(Protocol):
    """MicroPython's prompt on the Pico."""

    def run(self, code: str) -> str:
        """Output of the code; BoardError."""


class PicoScope:
    """The `Scope` of a real Pico: `hal_scope` of the firmware, sent to its prompt."""

    def __init__(self, prompt: Prompt, profile: Profile) -> None:
        self._prompt = prompt
        self._rows = profile.rows
        prompt.run((Path(lumiban_fw.__file__).parent / "hal_scope.py").read_text("utf-8"))

    def _numbers(self, code: str) -> list[list[int]]:
        lines = self._prompt.run(code).strip().splitlines()
        return [[int(word) for word in line.split()] for line in lines]

    def supply(self) -> tuple[float, bool]:
        """As `Scope.supply`."""
        ((mv, good),) = self._numbers("supply()")
        return mv, bool(good)

    def power(self, on: bool) -> None:
        """As `Scope.power`."""
        self._prompt.run(f"power({int(on)})")

    def ramp(self) -> Ramp:
        """As `Scope.ramp`."""
        (tripped,), *sweeps = self._numbers(f"ramp({self._rows})")
        return Ramp(
            [float(sweep[0]) for sweep in sweeps],
            [sweep[1] * 6600 / (FULL_SCALE + 1) for sweep in sweeps],
            [[float(sweep[2 + row]) for sweep in sweeps] for row in range(self._rows)],
            bool(tripped),
        )

    def look(self, row: int, channel: int, pull: int) -> tuple[float, float]:
        """As `Scope.look`."""
        ((total, squares),) = self._numbers(f"look({row}, {channel}, {pull})")
        mean = total / LOOKS
        return mean, max(squares / LOOKS - mean * mean, 0.0) ** 0.5

    def settle(self, row: int, channel: int, before: tuple[int, int]) -> list[float]:
        """As `Scope.settle`."""
        ((*counts,),) = self._numbers(f"settle({row}, {channel}, {before[0]}, {before[1]})")
        return [float(count) for count in counts]

    def shine(self, rgb: bytes) -> None:
        """As `Scope.shine`."""
        self._prompt.run(f"shine({rgb!r})")

    def returned(self, sent: int) -> int:
        """As `Scope.returned`."""
        ((words,),) = self._numbers(f"returned({sent})")
        return words


Progress = Callable[[str, int, int], None]
Hands = Callable[[int, bool], None]
"""Have a white stone set on a cell, or taken away."""
_Turn = tuple[str, tuple[int, ...], Callable[[int], int]]
"""Fault of address lines: its name, the lines, the address that arrives."""


@dataclass
class Curves:
    """Measured curves, for drawing."""

    ramp: Ramp | None = None
    settle: dict[str, list[float]] = field(default_factory=dict)
    """By the line that changed: S0 to S3 of the channel, R0 to R3 of the row."""
    dark: list[float] = field(default_factory=list)
    lit: list[float] = field(default_factory=list)
    """Standard deviations of the references."""
    lifts: list[float] = field(default_factory=list)
    """Counts by which each strip's own lights lift its reference."""


class FirstLight:
    """One examination of the board behind a scope."""

    def __init__(self, scope: Scope, profile: Profile, hands: Hands | None = None) -> None:
        self.scope = scope
        self._hands = hands
        self._doubts: dict[int, list[_Turn]] = {}
        """By row: what its address lines may do without a channel that looks wrong."""
        self._untried: list[str] = []
        self.profile = profile
        self.curves = Curves()
        self.findings: list[Finding] = []
        self._used = [
            sorted([*(c.channel for c in profile.cells if c.row == row), REFERENCE])
            for row in range(profile.rows)
        ]

    def run(self, progress: Progress = lambda step, done, of: None) -> list[Finding]:
        """All steps, until one finds what the next ones need to be wrong."""
        try:
            steps = (
                self._supply, self._ramp, self._channels, self._settling, self._lights, self._stones
            )  # fmt: skip
            for done, step in enumerate(steps):
                progress(step.__name__[1:], done, len(steps))
                if step():
                    break
        finally:
            self.scope.power(False)
        return self.findings

    def _wrong(self, id: str, joint: str, **params: object) -> bool:
        self.findings.append(Finding(f"firstlight.{id}", BAD, {"joint": joint, **params}))
        return True

    def _good(self, id: str, **params: object) -> bool:
        self.findings.append(Finding(f"firstlight.{id}", GOOD, params))
        return False

    # Supply and switch.

    def _supply(self) -> bool:
        mv, good = self.scope.supply()
        volts = round(mv / 1000, 2)
        if mv < NONE_MV and not good:
            return self._wrong("supply.none", "J20, F20, Q1", volts=volts)
        if mv > GOOD_MV[1] and good and mv < 5_900:
            return self._wrong("supply.high", "J20", volts=volts)
        if good and not GOOD_MV[0] - 130 <= mv <= GOOD_MV[1]:
            return self._wrong("divider", "R5, R6", volts=volts)
        if not good and mv >= WEAK_MV:
            return self._wrong("guard", "U3, GP17", volts=volts)
        if not good:
            return self._wrong("supply.weak", "J20", volts=volts)
        return self._good("supply", volts=volts)

    def _ramp(self) -> bool:
        scope = self.scope
        scope.power(False)
        fed = [row for row in range(self.profile.rows) if self._reference(row) > HALF_SCALE / 2]
        if fed:
            return self._wrong("switch.shorted", "Q2, Q3", strips=len(fed))
        before_mv = scope.supply()[0]
        ramp = self.curves.ramp = scope.ramp()
        risen = [row for row, line in enumerate(ramp.references) if _risen(line)]
        last = ramp.rail_mv[-SAG_SWEEPS:]
        sag = round(before_mv - sum(last) / len(last))
        flat = [row for row in range(self.profile.rows) if row not in risen]
        if sag >= SAG_MV and flat:
            # Before what a switch in haste does: a short makes the supervisor say bad as well.
            if not risen:
                return self._wrong("short", "5VL", strip=-1, mv=sag)
            for row in flat:
                self._wrong("short", f"J{row + 1}", strip=row, mv=sag)
            return True
        times = [took for row in risen if (took := _took(ramp.times_us, ramp.references[row]))]
        if (times or ramp.tripped) and max(times, default=0.0) < STEEP_US:
            return self._wrong("gate", "R27, C21", ms=_ms(ramp, risen))
        if times and min(times) > GENTLE_US:
            return self._wrong("gate", "R27, C21", ms=round(min(times) / 1000, 2))
        # Capacitors may still be filling when the ramp ends, and a supply at its lower edge may
        # trip the supervisor meanwhile: what holds is a fault.
        if sag >= SAG_MV or ramp.tripped:
            scope.power(True)
            mv, good = scope.supply()
            sag = round(before_mv - mv)
            if sag >= SAG_MV:
                return self._wrong("short", "5VL", strip=-1, mv=sag)
            if not good:
                return self._wrong("supply.weak", "J20", volts=round(mv / 1000, 2))
        if not risen and all(self._unfed(row) for row in range(self.profile.rows)):
            return self._wrong("switch", "Q3, Q2, R22")
        return self._good("ramp", ms=round(sum(times) / len(times) / 1000, 1) if times else 0)

    def _reference(self, row: int) -> float:
        return self.scope.look(row, REFERENCE, 0)[0]

    def _unfed(self, row: int) -> bool:
        """True if a strip's multiplexer is there and has no power: its clamp holds what is pulled
        up to it, where an open line would follow."""
        down = self.scope.look(row, REFERENCE, -1)[0]
        up = self.scope.look(row, REFERENCE, 1)[0]
        return down < OPEN < up < HALF_SCALE

    # Channels.

    def _channels(self) -> bool:
        """Each channel of each row, pulled down: what is connected, and what reads the same."""
        rows = range(self.profile.rows)
        table = [
            [self.scope.look(row, channel, -1)[0] for channel in range(CHANNELS)] for row in rows
        ]
        rest = [
            [self.scope.look(row, channel, 0)[0] for channel in range(CHANNELS)] for row in rows
        ]
        lost = [row for row in rows if max(table[row]) < OPEN]
        if len(lost) == len(rows):
            return self._wrong("reading", "U1, GP26")
        if self._row_lines(table, rest):
            return True
        heard = [row for row in rows if row not in lost]
        unfed = [row for row in lost if self._unfed(row)]
        for row in unfed:
            self._unpowered(row)
        if unfed:
            return True  # through its clamps such a strip draws on all address lines
        for row in lost:
            self._wrong("reading.strip", f"J{row + 1}.10", strip=row)
        self._columns(table, rest, heard)
        if not any(finding.level == BAD for finding in self.findings):
            cells = len(self.profile.cells)
            return self._good("channels", cells=cells, strips=len(rows))
        return True

    def _unpowered(self, row: int) -> None:
        """A strip without 3.3 V: its lights tell whether it has 5 V."""
        before = self._strip_lights(row - 1)[-1] + 1 if row else 0
        sent = self.profile.lights + EXTRA
        self.scope.shine(BLACK * self.profile.lights)
        if self.scope.returned(sent) > 0:
            self._wrong("regulator", "U2, C2, C3", strip=row, socket=f"J{row + 1}")
        else:
            self._wrong("feed", f"F{row + 1}, J{row + 1}.1", strip=row, lights=before)

    def _strip_lights(self, row: int) -> list[int]:
        return [n for n, strip in enumerate(self.profile.strips) if strip == row]

    def _row_lines(self, table: list[list[float]], rest: list[list[float]]) -> bool:
        """A line of the row's address that is open, or bound to another."""
        rows = range(self.profile.rows)
        readings = {
            row: ([v > OPEN for v in table[row]], [rest[row][c] for c in self._used[row]])
            for row in rows
        }

        def same(a: int, b: int) -> bool:
            if readings[a][0] != readings[b][0] or not any(readings[a][0]):
                return False
            both = [c for c in range(CHANNELS) if readings[a][0][c]]
            return all(abs(rest[a][c] - rest[b][c]) < ALIKE for c in both)

        if _spread([v for row in rows for v in readings[row][1] if v > OPEN]) < SPREAD:
            return False
        for name, other, turned in _turns():
            pairs = [(row, turned(row)) for row in rows if turned(row) != row]
            known = [(a, b) for a, b in pairs if b < self.profile.rows]
            gone = [a for a, b in pairs if b >= self.profile.rows]
            if name == "swap" or not (known or len(gone) > 1):
                continue
            if any(max(table[row]) >= OPEN for row in gone):
                continue  # they would read sockets without a strip
            distinct = [
                (a, b)
                for a, b in combinations(rows, 2)
                if turned(a) != turned(b)
                and not {a, b} & set(gone)
                and not {(a, b), (b, a)} & set(known)
            ]
            if all(same(a, b) for a, b in known) and not any(same(a, b) for a, b in distinct):
                if name == "open":
                    return self._wrong("row", f"U1.S{other[0]}", line=f"R{other[0]}", bit=other[0])
                return self._wrong(
                    "row.bridge", f"U1.S{other[0]}, U1.S{other[1]}", bit=other[0], other=other[1]
                )
        return False

    def _columns(
        self, table: list[list[float]], rest: list[list[float]], heard: Sequence[int]
    ) -> None:
        """Lines of the channel's address on all strips or one, then single channels."""
        fits = {row: self._turned(row, table[row], rest[row]) for row in heard}
        shared = set.intersection(*(set(fit) for fit in fits.values())) if len(fits) > 1 else set()
        total = {line: sum(fit[line] for fit in fits.values()) for line in shared}
        line = max(total, key=lambda one: total[one], default=None)
        sure = Counter(line for fit in fits.values() for line in fit if fit[line] >= SURE)
        if sure and 2 * max(sure.values()) > max(len(heard), 3):
            line = max(sure, key=lambda one: sure[one])  # one that stands between may fit nothing
        if line and sure[line] > 1:
            self._blame_address_lines(*line, -1)
            return
        for row in heard:
            line = max(fits[row], key=lambda one: fits[row][one], default=None)
            if line and fits[row][line] >= SURE:
                self._blame_address_lines(*line, row, everywhere=line in shared)
            else:
                self._single(row, table[row], rest[row])

    def _blame_address_lines(
        self, name: str, bits: tuple[int, ...], row: int, *, everywhere: bool = False
    ) -> None:
        """Lines of the channel's address; `everywhere` says that it may as well be the base's, as
        no other strip has a channel that would tell."""
        base = ", ".join(f"R{bit + 1}" for bit in bits)
        joint = base if row < 0 else ", ".join(f"J{row + 1}.{PLUG[bit]}" for bit in bits)
        if everywhere:
            joint += f"; {base}"
        params = {"strip": row, "bit": bits[0], "other": bits[-1]}
        where = "strip" if row >= 0 else "base"
        self._wrong(f"select.{name}.{where}", joint, **params)

    def _turned(
        self, row: int, down: Sequence[float], rest: Sequence[float]
    ) -> dict[tuple[str, tuple[int, ...]], int]:
        """Possible faults of the address lines by a strip's channels, and the evidence for each:
        channels that should not be there or are missing, and those that read the same."""
        used = self._used[row]
        seen = [value > OPEN for value in down]
        tells = _spread([rest[c] for c in range(CHANNELS) if seen[c]]) >= SPREAD
        sound = [channel in used for channel in range(CHANNELS)]
        weights: dict[tuple[str, tuple[int, ...]], int] = {}
        for name, bits, turned in _turns():
            if [sound[turned(c)] for c in range(CHANNELS)] != seen:
                continue
            groups: dict[int, list[float]] = {}
            for c in range(CHANNELS):
                if seen[c]:
                    groups.setdefault(turned(c), []).append(rest[c])
            if any(_spread(group) >= ALIKE for group in groups.values()):
                continue
            weight = sum(len(group) - 1 for group in groups.values()) if tells else 0
            weight += SURE * sum(a != b for a, b in zip(sound, seen, strict=True))
            weights[name, bits] = max(weight, weights.get((name, bits), 0))
            if sound == seen:
                self._doubts.setdefault(row, []).append((name, bits, turned))
        return weights

    # Stones: what the wiring alone cannot tell.

    def _stones(self) -> bool:
        """Lines that may be exchanged without any channel of a strip looking wrong: a stone tells.

        Nobody there to set one, it is said which cells are to be tried.
        """
        names = self.profile.grid.name
        faults: dict[int, tuple[str, tuple[int, ...]]] = {}
        for row, doubts in self._doubts.items():
            cells = {c.channel: n for n, c in enumerate(self.profile.cells) if c.row == row}
            left = list(doubts)
            for channel, cell in cells.items():
                telling = [d for d in left if _seen_by(d[2], cells, channel) != {channel}]
                if not telling:
                    continue
                if self._hands is None:
                    self._untried.append(names(cell))
                    left = [d for d in left if d not in telling]
                    continue
                before = {c: self.scope.look(row, c, 0)[0] for c in cells}
                self._hands(cell, True)
                moved = {c for c in cells if abs(self.scope.look(row, c, 0)[0] - before[c]) > STONE}
                self._hands(cell, False)
                if moved == {channel}:
                    left = [d for d in left if d not in telling]
                else:
                    left = [d for d in telling if _seen_by(d[2], cells, channel) == moved]
                    if left:
                        faults[row] = left[0][:2]
                    else:
                        self._wrong("sensor.mute", f"J{row + 1}", cell=names(cell), number=cell)
                    break
        wrong = list(faults.values())
        if len(wrong) > 1 and len(set(wrong)) == 1 and 2 * len(wrong) > len(self._doubts):
            self._blame_address_lines(*wrong[0], -1)
        else:
            for row, fit in faults.items():
                self._blame_address_lines(*fit, row)
        if self._untried:
            params = {"cells": ", ".join(self._untried)}
            self.findings.append(Finding("firstlight.stones.untried", NOTE, params))
        return any(finding.level == BAD for finding in self.findings)

    def _single(self, row: int, down: Sequence[float], rest: Sequence[float]) -> None:
        """Single channels of a strip: its reference, its sensors."""
        reference = rest[REFERENCE]
        if abs(reference / HALF_SCALE - 1) > OFF_REFERENCE:
            share = round(reference / FULL_SCALE, 3)
            self._wrong("reference", "R2, R3", strip=row, socket=f"J{row + 1}", share=share)
        for number, cell in enumerate(self.profile.cells):
            if cell.row != row:
                continue
            name = self.profile.grid.name(number)
            if down[cell.channel] < OPEN:
                up = self.scope.look(row, cell.channel, 1)[0]
                open_ = up > FULL_SCALE - OPEN
                part = f"J{row + 1}: S{self._place(row, number)}"
                if open_:
                    self._wrong("sensor.open", f"{part}.2", cell=name, number=number)
                else:
                    self._wrong("sensor.dead", f"{part}.1, {part}.3", cell=name, number=number)

    def _place(self, row: int, number: int) -> int:
        """Index of this cell on its strip, from the plug on: its parts are numbered so."""
        cells = [n for n, cell in enumerate(self.profile.cells) if cell.row == row]
        cells.sort(key=lambda n: self.profile.cells[n].x_mm)
        return cells.index(number) + 1

    def _light_part(self, row: int, light: int) -> str:
        at = {cell.light: n for n, cell in enumerate(self.profile.cells) if cell.row == row}
        return f"D{self._place(row, at[light])}" if light in at else f"light {light}"

    # Settling.

    def _settling(self) -> bool:
        late: dict[str, list[bool]] = {}
        rows = range(self.profile.rows)
        for row in rows:
            for bit in range(4):
                pair = self._step_of(row, bit)
                if pair is None:
                    continue
                curve = self.scope.settle(row, pair[1], (row, pair[0]))
                end = self.scope.look(row, pair[1], -1)[0]  # a curve may not get there
                late.setdefault(f"S{bit}", []).append(_late(curve, end))
                self.curves.settle.setdefault(f"S{bit}", curve)
        for line, are_late in late.items():
            if all(are_late):
                bit = int(line[1])
                return self._wrong("settle.base", f"R{bit + 1}", line=line, bit=bit)
        for line, are_late in late.items():
            for row, one in zip(rows, are_late, strict=False):
                if one:
                    bit = int(line[1])
                    joint = f"J{row + 1}.{PLUG[bit]}"
                    return self._wrong("settle.strip", joint, line=line, strip=row, bit=bit)
        return self._good("settle", ns=SETTLED_NS)

    def _step_of(self, row: int, bit: int) -> tuple[int, int] | None:
        """An unused and a used channel of a strip that differ in one line."""
        used = self._used[row]
        for channel in reversed(used):
            other = channel ^ 1 << bit
            if other not in used:
                return other, channel
        return None

    # Lights.

    def _lights(self) -> bool:
        scope, profile = self.scope, self.profile
        rows = range(profile.rows)
        dark = BLACK * profile.lights
        scope.shine(dark)
        base = []
        for row in rows:
            mean, sigma = scope.look(row, REFERENCE, 0)
            base.append(mean)
            self.curves.dark.append(sigma)
        back = scope.returned(profile.lights + EXTRA)
        lifts = self.curves.lifts
        for row in rows:
            lit = self._strip_lights(row)
            scope.shine(_only(lit, profile.lights))
            lifts.append(scope.look(row, REFERENCE, 0)[0] - base[row])
        usual = [lift / len(self._strip_lights(row)) for row, lift in zip(rows, lifts, strict=True)]
        one = max(sorted(usual)[len(usual) // 2 :])
        if one < 0.5:
            scope.shine(dark)
            return self._wrong("data", "GP14, U2.4, J1.6, D1")
        if back < EXTRA:
            broken = self._break(one)
            scope.shine(dark)
            return broken
        scope.shine(WHITE * profile.lights)
        self.curves.lit = [scope.look(row, REFERENCE, 0)[1] for row in rows]
        scope.shine(dark)
        self._good("lights", lights=profile.lights)
        return self._noise()

    def _often(self, row: int) -> float:
        """A reference, looked at until one light's current shows."""
        return sum(self.scope.look(row, REFERENCE, 0)[0] for _ in range(OFTEN)) / OFTEN

    def _break(self, one: float) -> bool:
        """Break of the chain: the first light that does not draw."""
        scope, lights = self.scope, self.profile.lights
        for row in range(self.profile.rows):
            mine = self._strip_lights(row)
            each = []
            scope.shine(BLACK * lights)
            dark = self._often(row)
            for light in mine:
                scope.shine(_only([light], lights))
                each.append(self._often(row) - dark)
            least = LIT_SHARE * max(*each, one / 2)
            reached = next((n for n, lift in enumerate(each) if lift < least), len(mine))
            if reached == len(mine):
                continue
            first = self._light_part(row, mine[reached])
            if reached == 0:
                before = "U2.4" if row == 0 else f"J{row}.8"
                joint = f"{before}, J{row + 1}.6, {first}.4"
            else:
                joint = f"{self._light_part(row, mine[reached - 1])}.2, {first}.4"
            self._wrong("light", joint, strip=row, socket=f"J{row + 1}", light=mine[0] + reached)
            return True
        return self._wrong("return", f"J{MAX_STRIPS}.8, R8, GP16")

    def _noise(self) -> bool:
        dark, lit = max(self.curves.dark), max(self.curves.lit)
        if dark > NOISE or lit > NOISE_LIT:
            params = {"dark": round(dark, 1), "lit": round(lit, 1)}
            self.findings.append(Finding("firstlight.noise.much", NOTE, params))
            return False
        return self._good("noise", dark=round(dark, 1), lit=round(lit, 1))


def _seen_by(turned: Callable[[int], int], cells: Mapping[int, int], channel: int) -> set[int]:
    """The channels on which a stone over one channel's sensor shows."""
    return {c for c in cells if turned(c) == channel}


def _turns() -> Iterator[_Turn]:
    """Possible faults of four address lines: (name, lines, the address that arrives).

    Two that touch and differ stand at half the supply, which each multiplexer takes as its own
    threshold has it: low, high, or as the stronger of the two would have it.
    """
    for bit in range(4):
        yield "open", (bit,), partial(_opened, bit)
    for j, k in combinations(range(4), 2):
        for wins in (_low_wins, _high_wins):
            yield "bridge", (j, k), partial(wins, 1 << j | 1 << k)
        yield "bridge", (j, k), partial(_followed, j, k)
        yield "bridge", (j, k), partial(_followed, k, j)
        yield "swap", (j, k), partial(_swapped, j, k)


def _opened(bit: int, address: int) -> int:
    return address & ~(1 << bit)


def _low_wins(both: int, address: int) -> int:
    return address if address & both == both else address & ~both


def _high_wins(both: int, address: int) -> int:
    return address | both if address & both else address


def _followed(j: int, k: int, address: int) -> int:
    return address & ~(1 << k) | (address >> j & 1) << k


def _swapped(j: int, k: int, address: int) -> int:
    one, other = address >> j & 1, address >> k & 1
    return address & ~(1 << j | 1 << k) | one << k | other << j


def _spread(values: Sequence[float]) -> float:
    return max(values) - min(values) if values else 0.0


def _risen(line: Sequence[float]) -> bool:
    return line[-1] > RISEN * HALF_SCALE * 0.6


def _took(times_us: Sequence[float], line: Sequence[float]) -> float:
    """µs from GP18 to nine tenths of a line's last value."""
    nearly = 0.9 * line[-1]
    end = next((t for t, v in zip(times_us, line, strict=True) if v >= nearly), 0.0)
    return max(end, 1.0)


def _ms(ramp: Ramp, risen: Sequence[int]) -> float:
    times = [_took(ramp.times_us, ramp.references[row]) for row in risen]
    return round(max(times, default=0.0) / 1000, 2)


def _late(curve: Sequence[float], end: float) -> bool:
    """True if a reading has not reached its end when it would be taken."""
    at = curve[SETTLED_NS // STEP_NS : SETTLED_NS // STEP_NS + 5]
    return abs(sum(at) / len(at) - end) > 0.05 * max(end, 1.0)


def _only(lit: Sequence[int], lights: int) -> bytes:
    rgb = bytearray(3 * lights)
    for light in lit:
        rgb[3 * light : 3 * light + 3] = WHITE
    return bytes(rgb)

"""Tests a board by itself: its rate, references, sensors, noise, supply, answers and lights.

    test = SelfTest(driver)
    findings = test.run(progress)
    test.figures.text()

Pieces may stand on the board: their cells tell how strong they seem. Nothing needs a hand.

Lights are tested by what they draw: a strip's ground rises with its light, and the strip's
reference with that. One light of each strip is lit at a time, so a board takes as many looks as its
longest strip has lights. A light that fails and passes nothing on leaves all behind it dark: the
first is told.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import dataclass
from math import nan
from statistics import median

from lumiban_fw import wire

from lumiban.boards import faults, limits
from lumiban.boards.client import BoardClient, RawReadings, Reading, references, survey
from lumiban.boards.limits import DEAD, GROUND_MOHM, MIDDLE, OFF_REFERENCE
from lumiban.boards.messages import packed, unpacked
from lumiban.boards.select_lines import lines_alike
from lumiban.boards.types import ORDER_HZ, percentiles
from lumiban.errors import LinkLost
from lumiban.invocation import start_word
from lumiban.maker import calibration
from lumiban.maker.calibration import Guide, PlacePrompt, nobody, order, walked
from lumiban.maker.doctor import BAD, GOOD, NOTE, Finding
from lumiban.maker.health import Figures, Look

LOW_RAIL_MV, HIGH_RAIL_MV = limits.GOOD_MV, limits.STRIPS_MAX_MV
"""Voltages in mV that the supervisor calls bad, and at which the firmware keeps its strips off."""
MOMENTS = 120
TIMED_FRAMES = 64
"""Reliable frames that the answer time is taken over."""
STATS_US = wire.STATS_US * 7 // 5
HOLD_US = 50_000
STEP_US = 30_000
AT_ONCE = 40
"""Cells that are fed one after the other before the next readings are sent: the board keeps 704."""
ASSUMED_NOISE_UT, ASSUMED_SUPPLY_MV = 300, 5_100
ASSUMED_ANSWER_US, ASSUMED_ANSWER_P90_US, ASSUMED_ANSWER_P99_US = 1_500, 2_500, 5_000
ADC_UV = 3_300_000 / (wire.FULL_SCALE + 1)
LIGHT_MA = 3.0 * wire.FULL_MA
"""Current of a white light beside that of a dark one."""
SURE_COUNTS = 3.0
"""A reference that moves by less with the lights tells nothing."""
WHITE = ((0, 0, 0), (255, 255, 255))

Progress = Callable[[str, int, int], None]
"""Told (step, done, of) as the test goes on."""


class SelfTest:
    """One test of the board behind an open driver; LinkLost when it falls silent."""

    def __init__(self, driver: BoardClient) -> None:
        self.driver = driver
        self.profile = driver.profile
        hello = driver.hello
        self.figures = Figures(self.profile.name, hello.uid, hello.firmware)
        self.findings: list[Finding] = []
        self.strengths: dict[int, int] = {}
        """µT of the stones that stand, by cell."""
        self.readings: list[Reading] = []
        self.zeros: list[int] = []
        self._stats_from = len(driver.frames)

    def run(self, progress: Progress, *, tests_lights: bool = True) -> list[Finding]:
        """All steps; `progress` hears where it is. Without `tests_lights` none is lit.

        A supply that is not right comes first, and alone: whatever else is measured would be wrong.
        """
        for fault in self.driver.held_faults():
            if fault.what == wire.FAULT_RAIL:
                id, params = faults.sentence(fault.what, fault.where, self.profile)
                self.findings.append(Finding(f"selftest.{id}", BAD, params))
                self._note("supply.first", NOTE)
                return self.findings
        progress("sensors", 0, 1)
        dark = self._sensors()
        progress("answers", 0, 1)
        self._answers()
        if tests_lights:
            self._sweep(progress)
            self._lift(dark, progress)
        self._walk(progress)
        progress("supply", 0, 1)
        self._supply()
        return self.findings

    def measure(self) -> Figures:
        """Rate, answers and supply only: some seconds, and nothing is lit or fed."""
        self._answers()
        self._supply()
        return self.figures

    def looks(self, day: str) -> dict[int, Look]:
        """Observations of each cell, for its health."""
        out = {}
        for cell, reading in enumerate(self.readings):
            stands = cell in self.strengths
            gain = self.profile.gain_q16 / 65536
            out[cell] = Look(
                day,
                None if stands else round(reading.mean * gain),
                round(reading.sigma * gain),
                self.strengths.get(cell) if self.driver.kinds[cell] in (1, 2) else None,
            )
        return out

    def _note(self, id: str, level: str, command: str = "", **params: object) -> None:
        self.findings.append(Finding(f"selftest.{id}", level, params, command))

    def _compare(self, name: str, assumed: float, measured: float) -> None:
        self.figures.assumed[name] = assumed
        self.figures.measured[name] = measured

    def _rate(self, hz: int) -> None:
        self._compare("scan_hz", self.profile.scan_hz, hz)
        if hz < ORDER_HZ:
            self._note("rate.slow", BAD, hz=hz, least=ORDER_HZ)
        elif hz < 0.95 * self.profile.scan_hz:
            self._note("rate.less", NOTE, hz=hz, usual=self.profile.scan_hz)
        else:
            self._note("rate", GOOD, hz=hz)

    # Sensors.

    def _sensors(self) -> list[float]:
        """Noise, zeros, dead and stuck sensors, references; the references' counts in the dark."""
        driver, profile = self.driver, self.profile
        fields = RawReadings(driver)
        try:
            moments = fields.take(MOMENTS)
        finally:
            fields.close()
        self.readings = survey(moments, [cell.row for cell in profile.cells])
        self.zeros, gains = calibration.zeros(driver)
        strips = references(moments)
        bad = [n for n, count in enumerate(strips) if _off(count)]
        for strip in bad:
            read = round(strips[strip])
            self._note("reference.off", BAD, strip=strip, socket=strip + 1, counts=read)
        if not bad:
            self._note("reference", GOOD, strips=len(strips))
        self.figures.assumed["supplies"] = [1.0] * len(strips)
        self.figures.measured["supplies"] = [round(count / MIDDLE, 5) for count in strips]
        for line, rows in lines_alike(profile, self.readings):
            named = ", ".join(f"J{row + 1}" for row in rows)
            self._note("select.broken", BAD, line=f"S{line}", sockets=named)
        self._cells(gains, {cell for cell, c in enumerate(profile.cells) if c.row in bad})
        return strips

    def _cells(self, gains: list[int], unheard: set[int]) -> None:
        profile, names = self.profile, self.profile.grid.name
        ut = profile.gain_q16 / 65536
        offsets: list[float] = []
        ailing = 0
        for cell, reading in enumerate(self.readings):
            above_ut = (reading.mean - self.zeros[cell]) * gains[cell] / 65536
            stands = self.driver.kinds[cell] != 0 or abs(above_ut) > profile.off_ut
            offsets.append(nan if stands or cell in unheard else round(reading.mean * ut, 1))
            if cell in unheard:
                continue
            if not DEAD[0] <= reading.count <= DEAD[1]:
                self._note("cell.dead", BAD, cell=names(cell), counts=round(reading.count))
            elif not reading.moves:
                self._note("cell.stuck", BAD, cell=names(cell), counts=round(reading.count))
            elif stands and self.driver.kinds[cell] == 0:
                self._note(
                    "cell.off",
                    BAD,
                    f"{start_word()} board calibrate",
                    cell=names(cell),
                    mt=_mt(above_ut),
                )
            else:
                if stands:
                    self.strengths[cell] = round(abs(above_ut))
                continue
            ailing += 1
        self.figures.assumed["offsets_ut"] = [0.0] * len(offsets)
        self.figures.measured["offsets_ut"] = offsets
        if any(gain != profile.gain_q16 for gain in gains):
            self.figures.assumed["gains"] = [1.0] * len(gains)
            # A cell that reads less than the data sheet has a larger factor from counts to µT.
            self.figures.measured["gains"] = [round(profile.gain_q16 / gain, 4) for gain in gains]
        noise = median(reading.sigma for reading in self.readings) / 2**0.5 * ut
        self._compare("noise_ut", ASSUMED_NOISE_UT, round(noise, 1))
        level = GOOD if noise <= profile.still_ut / 2 else BAD
        self._note("noise" if level == GOOD else "noise.much", level, mt=_mt(noise))
        if not ailing:
            cells, stones = len(self.readings), len(self.strengths)
            if unheard:
                heard = cells - len(unheard)
                self._note("cells.part", NOTE, heard=heard, cells=cells, stones=stones)
            else:
                self._note("cells", GOOD, cells=cells, stones=stones)

    def _walk(self, progress: Progress) -> None:
        """Feed each cell the reading of a white stone, and hear the board tell of it."""
        driver, cells = self.driver, len(self.profile.cells)
        if not driver.hello.capabilities & wire.CAN_INJECT:
            self._note("walk.no-inject", NOTE)
            return
        lies = MIDDLE + round(32_000 * 65536 / self.profile.gain_q16)
        try:
            driver.send(wire.H_CFG, packed(wire.H_CFG, wire.CFG_INJECT, 1))
            driver.flush()
            driver.run(1_000_000)
            known = len(driver.events)
            want = {(cell, kind) for cell in range(cells) for kind in (0, 1)}
            heard: set[tuple[int, int]] = set()

            def all_told() -> bool:
                heard.update((event.cell, event.kind) for event in driver.events[known:])
                progress("walk", len(heard & want), len(want))
                return want <= heard

            # What a busy computer says too late the board passes over: such cells are asked again.
            for lead_us in (200_000, 1_000_000):
                asked = sorted({cell for cell, _ in want - heard})
                for first in range(0, len(asked), AT_ONCE):
                    start = driver.link.clock.board_now(driver.line.now_us) + lead_us
                    for n, cell in enumerate(asked[first : first + AT_ONCE]):
                        way = [lies, lies, lies, lies, MIDDLE]
                        at_us = start + STEP_US * n
                        payload = packed(wire.H_INJECT, at_us, HOLD_US, cell, tail=way)
                        driver.send(wire.H_INJECT, payload)
                    driver.run(AT_ONCE * STEP_US)
                with suppress(LinkLost):  # what is missing is told below
                    driver.until(all_told, 4_000_000)
            silent = sorted({cell for cell, _ in want - heard})
            if silent:
                named = ", ".join(self.profile.grid.name(cell) for cell in silent[:8])
                self._note("walk.silent", BAD, cells=named, count=len(silent))
            else:
                self._note("walk", GOOD, cells=cells)
        finally:
            driver.send(wire.H_CFG, packed(wire.H_CFG, wire.CFG_INJECT, 0))
            driver.flush()
            driver.run(300_000)

    def walk_by_hand(
        self, progress: Progress, hands: Callable[[PlacePrompt], None] = nobody
    ) -> Finding:
        """A person sets a stone on each cell, led by the lights; a button skips a cell."""
        guide = Guide(self.driver, self.zeros, 0.0, hands)
        guide.clear()
        cells = order(self.profile)
        silent = walked(guide, cells, lambda _, __, done, of: progress("by-hand", done, of))
        guide.thank()
        if silent:
            named = ", ".join(self.profile.grid.name(cell) for cell in silent)
            return Finding("selftest.by-hand.silent", BAD, {"cells": named})
        return Finding("selftest.by-hand", GOOD, {"cells": len(cells)})

    # Answers and supply.

    def _answers(self) -> None:
        driver = self.driver
        ways = []
        for _ in range(TIMED_FRAMES):
            driver.run(5_000)  # what the board was about to say is not part of its answer
            begin = driver.line.now_us
            driver.send(wire.H_COMMIT, packed(wire.H_COMMIT, 0))
            driver.flush()
            ways.append(driver.line.now_us - begin)
        trips = percentiles(ways)
        self._compare("answer_us", ASSUMED_ANSWER_US, trips["p50"])
        self._compare("answer_p90_us", ASSUMED_ANSWER_P90_US, trips["p90"])
        self._compare("answer_p99_us", ASSUMED_ANSWER_P99_US, trips["p99"])
        level = GOOD if trips["p99"] < 25_000 else NOTE
        half, most = trips["p50"] / 1000, trips["p99"] / 1000
        self._note("answers" if level == GOOD else "answers.slow", level, p50=half, p99=most)

    def _supply(self) -> None:
        driver = self.driver

        def has_stats() -> bool:
            return any(f.kind == wire.B_STATS for f in driver.frames[self._stats_from :])

        try:
            driver.until(has_stats, STATS_US)
        except LinkLost:
            self._rate(driver.hello.scan_hz)
            self._note("stats.none", BAD)
            return
        frames = [f for f in driver.frames[self._stats_from :] if f.kind == wire.B_STATS]
        stats = unpacked(wire.B_STATS, frames[0].payload).fields
        gaps = [unpacked(wire.B_STATS, frame.payload).fields[0] for frame in frames]
        last = unpacked(wire.B_STATS, frames[-1].payload).fields
        self._rate(last[12] or driver.hello.scan_hz)
        if last[13]:
            self._note("missed", NOTE, frames=last[13])
        period = 1_000_000 // max(1, driver.hello.scan_hz)
        if max(gaps):
            self._compare("worst_gap_us", period, max(gaps))
            level = GOOD if max(gaps) <= 2 * period else NOTE
            self._note("gap" if level == GOOD else "gap.long", level, ms=max(gaps) / 1000)
        rail = stats[4]
        if rail:
            self._compare("supply_mv", ASSUMED_SUPPLY_MV, rail)
            low, high = rail < LOW_RAIL_MV, rail > HIGH_RAIL_MV
            id = "rail.low" if low else "rail.high" if high else "rail"
            self._note(id, GOOD if id == "rail" else BAD, volts=rail / 1000)
        for what, where in dict.fromkeys((fault.what, fault.where) for fault in driver.faults):
            if not what & wire.FAULT_GONE:
                id, params = faults.sentence(what, where, self.profile)
                self.findings.append(Finding(f"selftest.{id}", BAD, params))
            elif what == wire.FAULT_REFERENCE | wire.FAULT_GONE:
                self._note("fault.reference.back", NOTE, socket=where + 1)

    # Lights.

    def _sweep(self, progress: Progress) -> None:
        """Each light in turn, for eyes; then red, green and blue on all."""
        lights = self.profile.lights
        self._bright(wire.BRIGHTNESS)
        self._paint(range(0), WHITE[1])
        for light in range(lights):
            progress("sweep", light, lights)
            self._paint([light], WHITE[1])
            self.driver.run(40_000)
        for colour in ((255, 0, 0), (0, 255, 0), (0, 0, 255)):
            self._paint(range(lights), colour)
            self.driver.run(400_000)
        self._paint(range(0), WHITE[1])
        self._note("sweep", NOTE, lights=lights)

    def _lift(self, dark: list[float], progress: Progress) -> None:
        """All lights at once: their current lifts a strip's ground, and its reference with it."""
        progress("lift", 0, 1)
        driver, profile = self.driver, self.profile
        self._bright(255)
        self._paint(range(profile.lights), WHITE[1])
        driver.run(200_000)
        fields = RawReadings(driver, 0, 1)
        try:
            bright = references(fields.take(MOMENTS))
        finally:
            fields.close()
            self._paint(range(0), WHITE[1])
            self._bright(wire.BRIGHTNESS)
        drawn = currents(
            list(profile.strips), profile.rows, profile.limit_ma, profile.strip_limit_ma
        )
        # What a bad reference read in the dark, or reads now, says nothing of the lights.
        sound = [
            n for n, pair in enumerate(zip(dark, bright, strict=True)) if not any(map(_off, pair))
        ]
        lifts = [b - a for a, b in zip(dark, bright, strict=True)]
        seen = [row for row in sound if lifts[row] >= SURE_COUNTS]
        if not seen:
            self._note("lift.none", NOTE)
            return
        ohms = [1e6 * lifts[row] * ADC_UV / 1000 / drawn[row] for row in seen if drawn[row]]
        self._compare("ribbon_uohm", round(1000 * GROUND_MOHM), round(median(ohms), -2))
        for row in sound:
            expected = drawn[row] * median(ohms) / 1e6 * 1000 / ADC_UV
            if expected > 3 * SURE_COUNTS and lifts[row] < SURE_COUNTS:
                self._note("lift.dark", BAD, strip=row, socket=row + 1)
        self._note(
            "lift.one" if len(seen) == 1 else "lift",
            GOOD,
            strips=len(seen),
            mohm=round(median(ohms) / 1000),
        )
        self._each_light(progress)

    def _each_light(self, progress: Progress) -> None:
        """Lights that draw current, by their place."""
        self._bright(255)
        try:
            looked = look(
                self.driver,
                lambda lights: self._paint(lights, WHITE[1]),
                lambda done, of: progress("each-light", done, of),
            )
        finally:
            self._paint(range(0), WHITE[1])
            self._bright(wire.BRIGHTNESS)
        cells = {cell.light: number for number, cell in enumerate(self.profile.cells)}
        for light in looked.firsts:
            strip = self.profile.strips[light]
            behind = sum(1 for n in looked.dark if self.profile.strips[n] == strip)
            cell = self.profile.grid.name(cells[light]) if light in cells else "-"
            self._note("light.dark", BAD, light=light, cell=cell, strip=strip, count=behind)
        if not looked.told:
            self._note("lights.untold", NOTE)
        elif not looked.dark:
            self._note("lights", GOOD, lights=self.profile.lights)

    def _bright(self, level: int) -> None:
        self.driver.send(wire.H_CFG, packed(wire.H_CFG, wire.CFG_BRIGHTNESS, level))

    def _paint(self, lit: range | list[int], colour: tuple[int, int, int]) -> None:
        driver = self.driver
        on = set(lit)
        driver.send(wire.H_PALETTE, packed(wire.H_PALETTE, 1, tail=[colour]))
        pairs = [(1 if light in on else 0, 0) for light in range(self.profile.lights)]
        for first in range(0, len(pairs), wire.LIGHTS_A_FRAME):
            part = pairs[first : first + wire.LIGHTS_A_FRAME]
            driver.send(wire.H_LAYER, packed(wire.H_LAYER, 0, first, tail=part))
        driver.send(wire.H_COMMIT, packed(wire.H_COMMIT, 0))
        driver.flush()


def currents(strips: list[int], rows: int, limit_ma: int, strip_limit_ma: int) -> list[float]:
    """mA that the lights of each strip draw above rest when all are white at full brightness and
    the board's limits hold (docs/wire.md, "Lights").

    >>> currents([0, 0, 1], 2, 10_000, 62)
    [60.0, 30.0]
    """
    counts = [strips.count(row) for row in range(rows)]
    share = min(1.0, (limit_ma - wire.IDLE_MA * len(strips)) / (LIGHT_MA * len(strips)))
    for count in counts:
        if count:
            share = min(share, (strip_limit_ma - wire.IDLE_MA * count) / (LIGHT_MA * count))
    return [LIGHT_MA * count * max(share, 0.0) for count in counts]


def _off(count: float) -> bool:
    """True if a strip's reference reads a value that no good one has."""
    return abs(count / MIDDLE - 1) > OFF_REFERENCE


def _mt(ut: float) -> float:
    return round(ut / 1000, 2)


LIGHT_READINGS, LIGHT_READINGS_IN_DOUBT = 160, 800
"""Readings of the references that one look takes, and those that a doubt is settled by. A reading
has some six counts of noise, a light lifts by two to three."""
MIN_COUNTS = 1.2
"""Counts by which the lights of a board must lift a reference for a look to tell one light from
none."""
DARK = 0.45
"""A light that lifts by less than this share of the usual does not shine."""
SETTLES_US = 60_000

Paint = Callable[[list[int]], None]
LightProgress = Callable[[int, int], None]


@dataclass(frozen=True, slots=True)
class LightTestResult:
    """`dark` are lights that draw no current, `firsts` the first such of each strip.

    `told` is False where the lights lift too little to tell.
    """

    told: bool
    dark: tuple[int, ...] = ()
    firsts: tuple[int, ...] = ()


def look(driver: BoardClient, paint: Paint, progress: LightProgress) -> LightTestResult:
    """Light one light of each strip after another; LinkLost when the board falls silent."""
    profile = driver.profile
    strips = [[n for n, at in enumerate(profile.strips) if at == k] for k in range(profile.rows)]
    longest = max(map(len, strips))
    rest = _counts(driver, paint, [], LIGHT_READINGS)
    lifts: dict[int, float] = {}
    for place in range(longest):
        progress(place, longest)
        lit = [lights[place] for lights in strips if place < len(lights)]
        for light, lift in _lifts(driver, paint, lit, rest, LIGHT_READINGS):
            lifts[light] = lift
    usual = median(sorted(lifts.values())[len(lifts) // 2 :])
    if usual < MIN_COUNTS:
        return LightTestResult(False)
    doubted = [light for light, lift in lifts.items() if lift < DARK * usual]
    if doubted:
        rest = _counts(driver, paint, [], LIGHT_READINGS_IN_DOUBT)
    dark = []
    for light in doubted:
        ((_, lift),) = _lifts(driver, paint, [light], rest, LIGHT_READINGS_IN_DOUBT)
        if lift < DARK * usual:
            dark.append(light)
    firsts = [next((n for n in lights if n in dark), -1) for lights in strips]
    return LightTestResult(True, tuple(sorted(dark)), tuple(n for n in firsts if n >= 0))


def _lifts(
    driver: BoardClient, paint: Paint, lit: list[int], rest: list[float], moments: int
) -> Iterable[tuple[int, float]]:
    counts = _counts(driver, paint, lit, moments)
    for light in lit:
        strip = driver.profile.strips[light]
        yield light, counts[strip] - rest[strip]


def _counts(driver: BoardClient, paint: Paint, lit: list[int], moments: int) -> list[float]:
    """The references' mean counts while these lights shine."""
    paint(lit)
    driver.run(SETTLES_US)
    fields = RawReadings(driver, 0, 1)
    try:
        return references(fields.take(moments))
    finally:
        fields.close()

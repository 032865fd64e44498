"""Calibrates a board: what each cell reads empty, then what one stone reads on each of them.

The same stone goes over all cells, so what differs is lid, sensor and gain of the cell, and that
is what the calibration takes out. Where it stands is written to a file after each cell; a
calibration that was broken off goes on there.

`Guide` leads a person over the board by its lights; no screen is needed:

    guide = Guide(driver, offsets)
    guide.clear()               # stones that stand blink until they are lifted
    guide.set(cell, WHITE)      # the cell glows until a stone stands there; its reading in counts
    guide.lift(cell)

Raw readings are looked at, not what the board makes of them: that is what may be uncalibrated. A
button of the board skips a step; simulated hands may do what is asked (`hands`).

`fetch`, `store` and `send` move the files that a board keeps: its description, its calibration.
"""

from __future__ import annotations

import json
from collections import deque
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from statistics import fmean, median, pstdev

from lumiban_fw import layout_file, wire
from lumiban_fw.calibration import SIXTEENTHS, Calibration, CalibrationError, pack

from lumiban.boards.client import BoardClient, Moment, RawReadings, survey
from lumiban.boards.files import upload
from lumiban.boards.ports import localized
from lumiban.boards.profile import Profile
from lumiban.boards.types import Changed, LightFrame
from lumiban.errors import BoardError
from lumiban.maker.doctor import BAD, GOOD, NOTE, Finding
from lumiban.maker.health import Look
from lumiban.system import size_limits
from lumiban.system.disk import DISK

PERIOD_MS = 20
STILL = 15
"""Moments in a row that must agree before a stone stands."""
TAKEN = 25
"""Moments that its reading is the mean of."""
PERSON_TIMEOUT_US = 1_800_000_000
"""Time in µs that a person is waited for: half an hour."""
SHAKY = 3.0
"""Times the noise at rest by which a stone that stands may vary."""
SET, LIFT = "set", "lift"
_DARK, _GLOW, _WRONG, _DONE, _OTHER = range(5)
PALETTE = ((0, 0, 0), (255, 255, 255), (255, 60, 0), (0, 160, 60), (255, 170, 0))


@dataclass(frozen=True, slots=True)
class PlacePrompt:
    """Request to the hands: `set` a kind onto a cell, or `lift` what is there."""

    do: str
    cell: int
    kind: int = 0


Tell = Callable[[str, int, int, int], None]
"""Told (step, cell, done, of)."""


class Skipped(Exception):
    """The person pressed a button: not this one."""


def nobody(_: PlacePrompt) -> None:
    """Hands of a person: they see the lights."""


class Guide:
    """Asks for stones on cells. `offsets` are what the cells read empty, in counts above their
    reference; `noise` their standard deviation.

    BoardError when nobody does what is asked for half an hour, LinkLost when the board is gone.
    """

    def __init__(
        self,
        driver: BoardClient,
        offsets: Sequence[float],
        noise: float = 0.0,
        hands: Callable[[PlacePrompt], None] = nobody,
        patience_us: int = PERSON_TIMEOUT_US,
    ) -> None:
        self.driver = driver
        self.profile = driver.profile
        self.offsets = list(offsets)
        self.noise = noise or 300 * 2**0.5 * 65536 / self.profile.gain_q16
        self._hands = hands
        self._patience_us = patience_us
        self._gone: frozenset[int] = frozenset()
        """Cells that were skipped: whatever they read, it is no stone."""
        counts_a_ut = 65536 / self.profile.gain_q16
        self._on = self.profile.on_ut * counts_a_ut
        self._off = self.profile.off_ut * counts_a_ut
        self._rows = [cell.row for cell in self.profile.cells]

    # What to do.

    def clear(self) -> list[int]:
        """Wait until nothing stands on the board; the cells that somebody says are empty though
        they read as if they were not."""
        asked: set[int] = set()
        self._begin()
        fields = RawReadings(self.driver, period_ms=PERIOD_MS, trims=True)
        try:
            quiet = 0
            while quiet < STILL:
                for moment in self._moments(fields):
                    full = self._full(moment) - self._gone
                    quiet = 0 if full else quiet + 1
                    self._show([(cell, _WRONG, wire.FAST_BLINK) for cell in full])
                    for cell in sorted(full - asked):
                        asked.add(cell)
                        self._hands(PlacePrompt(LIFT, cell))
                    if full and self._pressed():
                        self._gone |= full
        finally:
            fields.close()
        return sorted(self._gone)

    def set(self, cell: int, kind: int) -> float:
        """Wait for a stone on a cell; what it reads above empty, in counts. Skipped."""
        glow = _OTHER if kind == wire.NEUTRAL else _GLOW
        self._begin()
        fields = RawReadings(self.driver, period_ms=PERIOD_MS, trims=True)
        recent: deque[float] = deque(maxlen=STILL)
        taken: list[float] = []
        self._hands(PlacePrompt(SET, cell, kind))
        try:
            while len(taken) < TAKEN:
                for moment in self._moments(fields):
                    above = self._above(moment, cell)
                    recent.append(above)
                    wrong = self._full(moment) - self._gone - {cell}
                    lit = [(cell, glow, wire.PULSE), *((w, _WRONG, wire.FAST_BLINK) for w in wrong)]
                    stands = len(recent) == STILL and min(map(abs, recent)) > self._on
                    if not stands or wrong or pstdev(recent) > SHAKY * self.noise:
                        taken.clear()
                    else:
                        taken.append(above)
                        lit = [(cell, _DONE, wire.STEADY)]
                    self._show(lit)
                if self._pressed():
                    self._gone |= {cell}
                    raise Skipped
        finally:
            fields.close()
        return fmean(taken)

    def lift(self, cell: int, following: int | None = None) -> None:
        """Wait until a cell is empty; the one that comes next glows already."""
        self._begin()
        fields = RawReadings(self.driver, period_ms=PERIOD_MS, trims=True)
        self._hands(PlacePrompt(LIFT, cell))
        lit = [(cell, _DONE, wire.STEADY)]
        if following is not None:
            lit.append((following, _GLOW, wire.PULSE))
        quiet = 0
        try:
            while quiet < STILL // 3:
                self._show(lit)
                for moment in self._moments(fields):
                    empty = abs(self._above(moment, cell)) < self._off
                    quiet = quiet + 1 if empty else 0
        finally:
            fields.close()

    def thank(self) -> None:
        """All cells green for two seconds, then dark."""
        cells = range(len(self._rows))
        self._show([(cell, _DONE, wire.BREATHE) for cell in cells])
        self.driver.run(2_400_000)
        self.dark()

    def dark(self) -> None:
        """No light."""
        self._show([])
        self.driver.run(50_000)

    # How.

    def _begin(self) -> None:
        self.driver.log.clear()
        self._end_us = self.driver.line.now_us + self._patience_us

    def _moments(self, fields: RawReadings) -> list[Moment]:
        if self.driver.line.now_us > self._end_us:
            raise BoardError(localized("calibrate.nobody"))
        return fields.take(1)

    def _pressed(self) -> bool:
        """True if a button went down since the last look."""
        events = self.driver.log[:]
        self.driver.log.clear()
        return any(
            event.pressed is not None
            for heard in events
            if isinstance(heard, Changed)
            for event in heard.events
        )

    def _above(self, moment: Moment, cell: int) -> float:
        return moment.counts[cell] - moment.references[self._rows[cell]] - self.offsets[cell]

    def _full(self, moment: Moment) -> frozenset[int]:
        """Cells that read as if something stood there."""
        return frozenset(
            cell for cell in range(len(self._rows)) if abs(self._above(moment, cell)) > self._on
        )

    def _show(self, lit: Iterable[tuple[int, int, int]]) -> None:
        pairs = [(_DARK, wire.STEADY)] * self.profile.lights
        for cell, colour, effect in lit:
            pairs[self.profile.cells[cell].light] = (colour, effect)
        self.driver.show(LightFrame(tuple(pairs), PALETTE))


def order(profile: Profile) -> list[int]:
    """The cells strip by strip, to and fro: a hand goes to a neighbour each time."""
    strips: dict[int, list[int]] = {}
    for cell, about in enumerate(profile.cells):
        strips.setdefault(about.row, []).append(cell)
    out: list[int] = []
    for turn, row in enumerate(sorted(strips)):
        out += sorted(strips[row], key=lambda cell: profile.cells[cell].x_mm, reverse=turn % 2 == 1)
    return out


def walked(guide: Guide, cells: Sequence[int], tell: Tell) -> list[int]:
    """Have a stone set on each of these cells; those on which none was seen (skipped)."""
    silent = []
    for at, cell in enumerate(cells):
        tell("set", cell, at, len(cells))
        try:
            guide.set(cell, wire.WHITE)
        except Skipped:
            silent.append(cell)
            continue
        guide.lift(cell, cells[at + 1] if at + 1 < len(cells) else None)
    return silent


EMPTY_MOMENTS = 200
PLAUSIBLE = (0.6, 1.6)
"""Share of the board's median within which a cell's strength is taken as gain."""
WEAK = 0.75


@dataclass
class Taken:
    """Measurements so far; counts above the reference, by cell."""

    uid: str
    model: str
    offsets: list[float] = field(default_factory=list)
    sigmas: list[float] = field(default_factory=list)
    strengths: dict[int, float] = field(default_factory=dict)
    skipped: list[int] = field(default_factory=list)
    weak: float = 0.0
    weak_cell: int = -1

    def keep(self, path: Path) -> None:
        """Write it in one step."""
        DISK.put_whole(path, (json.dumps(self.__dict__, indent=1) + "\n").encode())


def begun(path: Path, uid: str, model: str, cells: int) -> Taken:
    """The calibration of this board that was broken off, or a new one."""
    with suppress(OSError, ValueError, TypeError, KeyError, AttributeError):
        document = size_limits.from_json(size_limits.read(path))
        document["strengths"] = {int(cell): float(v) for cell, v in document["strengths"].items()}
        taken = Taken(**document)
        known = {len(taken.offsets), len(taken.sigmas)} <= {0, cells}
        if (taken.uid, taken.model) == (uid, model) and known:
            return taken
    return Taken(uid, model)


def folder(state: Path) -> Path:
    """Folder in which calibrations are kept on the host."""
    return state / "calibration"


class Calibrating:
    """One calibration of the board behind an open driver, going on from `taken`."""

    def __init__(
        self,
        driver: BoardClient,
        taken: Taken,
        path: Path,
        tell: Tell,
        hands: Callable[[PlacePrompt], None] = nobody,
    ) -> None:
        self.driver = driver
        self.profile = driver.profile
        self.taken = taken
        self._path = path
        self._tell = tell
        self._hands = hands

    def run(self, *, neutral: bool = True) -> bytes:
        """Take all that is missing; the bytes of the calibration. BoardError, LinkLost."""
        taken, cells = self.taken, len(self.profile.cells)
        guide = Guide(self.driver, taken.offsets or zeros(self.driver)[0], 0.0, self._hands)
        self._tell("clear", -1, 0, cells)
        said_empty = guide.clear()
        if not taken.offsets:
            guide.dark()
            self._tell("empty", -1, 0, cells)
            self._empty()
            taken.skipped = said_empty
            guide.offsets = taken.offsets
        guide.noise = median(taken.sigmas)
        left = [c for c in order(self.profile) if c not in taken.strengths]
        left = [c for c in left if c not in taken.skipped]
        for at, cell in enumerate(left):
            self._tell("set", cell, len(taken.strengths), cells)
            try:
                taken.strengths[cell] = guide.set(cell, wire.WHITE)
            except Skipped:
                taken.skipped.append(cell)
                taken.keep(self._path)
                continue
            taken.keep(self._path)
            guide.lift(cell, left[at + 1] if at + 1 < len(left) else None)
        if not taken.strengths:
            raise BoardError(localized("calibrate.nothing"))
        if neutral and not taken.weak:
            self._neutral(guide)
        guide.thank()
        return calibration(self.profile, taken)

    def _empty(self) -> None:
        fields = RawReadings(self.driver)
        try:
            moments = fields.take(EMPTY_MOMENTS)
        finally:
            fields.close()
        readings = survey(moments, [cell.row for cell in self.profile.cells])
        self.taken.offsets = [round(reading.mean, 3) for reading in readings]
        self.taken.sigmas = [round(reading.sigma, 3) for reading in readings]
        self.taken.keep(self._path)

    def _neutral(self, guide: Guide) -> None:
        cells = self.profile.cells
        near = sorted(self.taken.strengths, key=lambda c: cells[c].x_mm ** 2 + cells[c].y_mm ** 2)
        self._tell("neutral", near[0], len(self.taken.strengths), len(cells))
        with suppress(Skipped):
            self.taken.weak = abs(guide.set(near[0], wire.NEUTRAL))
            self.taken.weak_cell = near[0]
            self.taken.keep(self._path)
            guide.lift(near[0])


def calibration(profile: Profile, taken: Taken) -> bytes:
    """The bytes that the board keeps (docs/firmware.md, "Calibration").

    All cells shall read the stone as strong as their median does; a cell that was skipped, or is
    off by more than a lid can be, keeps the profile's gain.
    """
    usual = median(map(abs, taken.strengths.values()))
    strong_ut = round(usual * profile.gain_q16 / 65536)
    rows: list[tuple[int, int]] = []
    for cell, offset in enumerate(taken.offsets):
        strength = abs(taken.strengths.get(cell, 0.0))
        plausible = PLAUSIBLE[0] <= strength / usual <= PLAUSIBLE[1]
        gain = round(strong_ut * 65536 / strength) if plausible else 0
        rows.append((_limited(round(offset * SIXTEENTHS)), gain))
    weak_gain = rows[taken.weak_cell][1] if taken.weak_cell >= 0 else 0
    weak_ut = round(taken.weak * (weak_gain or profile.gain_q16) / 65536)
    uid = bytes.fromhex(taken.uid)
    return pack(taken.model.encode("ascii"), uid, strong_ut, weak_ut, rows)


def _limited(value: int) -> int:
    return max(-32_768, min(32_767, value))


def findings(profile: Profile, taken: Taken) -> list[Finding]:
    """Findings of the calibration on the cells."""
    name = profile.grid.name
    usual = median(map(abs, taken.strengths.values()))
    out = [
        Finding("health.weak", BAD, {"cell": name(c), "percent": round(100 * abs(s) / usual)})
        for c, s in sorted(taken.strengths.items())
        if abs(s) < WEAK * usual
    ]
    if taken.skipped:
        cells = ", ".join(map(name, sorted(taken.skipped)))
        out.append(Finding("calibrate.skipped", NOTE, {"cells": cells}))
    mt = round(usual * profile.gain_q16 / 65536 / 1000, 1)
    out.append(Finding("calibrate.taken", GOOD, {"cells": len(taken.strengths), "mt": mt}))
    return out


def looks(profile: Profile, taken: Taken, day: str) -> dict[int, Look]:
    """Observations of each cell, for its health."""
    ut = profile.gain_q16 / 65536
    return {
        cell: Look(
            day,
            round(offset * ut),
            round(taken.sigmas[cell] * ut),
            round(abs(taken.strengths[cell]) * ut) if cell in taken.strengths else None,
        )
        for cell, offset in enumerate(taken.offsets)
    }


def send(driver: BoardClient, data: bytes) -> None:
    """Have the board keep a calibration and start with it; BoardError when it does not hold."""
    upload(driver, wire.FILE_CALIBRATION, data)
    hello = driver.restart()
    if not hello.capabilities & wire.CALIBRATED or driver.fetch(wire.FILE_CALIBRATION) != data:
        raise BoardError(localized("calibrate.not-held"))


def zeros(driver: BoardClient) -> tuple[list[int], list[int]]:
    """Reading of each cell without a piece, in counts above its reference, and its gain in µT a
    count times 65536: as calibrated, else as described, else nothing and the profile's."""
    profile = driver.profile
    cells = len(profile.cells)
    offsets, gains = [0] * cells, [profile.gain_q16] * cells
    described = driver.fetch(wire.FILE_BOARD)
    if described:
        offsets = list(layout_file.read(described).baseline)
    calibration = calibrated(driver)
    if calibration is not None:
        offsets = calibration.offsets
        pairs = zip(calibration.gains, gains, strict=True)
        gains = [own or usual for own, usual in pairs]
    return offsets, gains


def calibrated(driver: BoardClient) -> Calibration | None:
    """The calibration that the board keeps and that is its own."""
    data = driver.fetch(wire.FILE_CALIBRATION)
    hello = driver.hello
    try:
        model = hello.model.encode()
        return Calibration(data, model, bytes.fromhex(hello.uid), hello.cells) if data else None
    except CalibrationError:
        return None

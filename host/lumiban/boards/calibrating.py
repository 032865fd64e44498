"""Calibrates a board: what each cell reads empty, then what one stone reads on each of them.

The same stone goes over all cells, so what differs is lid, sensor and gain of the cell, and that
is what the calibration takes out. Where it stands is written to a file after each cell; a
calibration that was broken off goes on there.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median

from lumiban_fw import wire
from lumiban_fw.calibration import SIXTEENTHS, pack

from lumiban import bounded
from lumiban.boards import stored
from lumiban.boards.client import Driver, Fields, survey
from lumiban.boards.findings import BAD, GOOD, NOTE, Finding
from lumiban.boards.guide import Ask, Guide, Skipped, Tell, nobody, order
from lumiban.boards.health import Look
from lumiban.boards.ports import said
from lumiban.boards.profile import Profile
from lumiban.errors import BoardError

EMPTY_MOMENTS = 200
PLAUSIBLE = (0.6, 1.6)
"""Share of the board's median within which a cell's strength is taken as gain."""
WEAK = 0.75


@dataclass
class Taken:
    """What has been measured so far; counts above the reference, by cell."""

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
        path.parent.mkdir(parents=True, exist_ok=True)
        draft = path.with_suffix(".new")
        draft.write_text(json.dumps(self.__dict__, indent=1) + "\n", "utf-8")
        draft.replace(path)


def begun(path: Path, uid: str, model: str, cells: int) -> Taken:
    """The calibration of this board that was broken off, or a new one."""
    with suppress(OSError, ValueError, TypeError, KeyError, AttributeError):
        told = bounded.from_json(bounded.read(path))
        told["strengths"] = {int(cell): float(v) for cell, v in told["strengths"].items()}
        taken = Taken(**told)
        known = {len(taken.offsets), len(taken.sigmas)} <= {0, cells}
        if (taken.uid, taken.model) == (uid, model) and known:
            return taken
    return Taken(uid, model)


def folder(state: Path) -> Path:
    """Where calibrations are kept on the host."""
    return state / "calibration"


class Calibrating:
    """One calibration of the board behind an open driver, going on from `taken`."""

    def __init__(
        self,
        driver: Driver,
        taken: Taken,
        path: Path,
        tell: Tell,
        hands: Callable[[Ask], None] = nobody,
    ) -> None:
        self.driver = driver
        self.profile = driver.link.profile
        self.taken = taken
        self._path = path
        self._tell = tell
        self._hands = hands

    def run(self, *, neutral: bool = True) -> bytes:
        """Take all that is missing; the bytes of the calibration. BoardError, LinkLost."""
        taken, cells = self.taken, len(self.profile.cells)
        guide = Guide(self.driver, taken.offsets or stored.zeros(self.driver)[0], 0.0, self._hands)
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
            raise BoardError(said("calibrate.nothing"))
        if neutral and not taken.weak:
            self._neutral(guide)
        guide.thank()
        return calibration(self.profile, taken)

    def _empty(self) -> None:
        fields = Fields(self.driver)
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
    """What the calibration showed of the cells."""
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
    """What was seen of each cell, for its health."""
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


def send(driver: Driver, data: bytes) -> None:
    """Have the board keep a calibration and start with it; BoardError when it does not hold."""
    stored.store(driver, wire.FILE_CALIBRATION, data)
    hello = stored.restart(driver)
    if (
        not hello.capabilities & wire.CALIBRATED
        or stored.fetch(driver, wire.FILE_CALIBRATION) != data
    ):
        raise BoardError(said("calibrate.not-held"))

"""Health of a board's sensors over time, and measurements of a board beside its design.

What was seen of each cell is kept by the board's uid in <state folder>/health/<uid>.json. Each look
is a line of figures a cell: what it reads empty, its noise, and how strong the stone that stood on
it seemed. Faults that the board told in play are counted too. `ailing` compares a cell with its own
past and with its neighbours on the same day. What was mended is not told for ever: a look that
finds a sensor well takes back what the board told of it, a calibration starts again with what it
reads empty, and what the board has not told for a month is over.

`Figures` are a TOML file that `lumiban board selftest --figures F` writes and
`lumiban sim --figures F` makes a board of:

    profile = "hex3"

    [noise_ut]
    assumed = 300
    measured = 287

A list has a figure for each cell (or strip); `nan` stands where nothing could be measured.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date
from math import isnan, nan
from pathlib import Path
from statistics import median
from typing import Any

from lumiban_fw import wire

from lumiban.boards.ports import localized
from lumiban.errors import UsageError, why_unread
from lumiban.invocation import start_word
from lumiban.maker.doctor import BAD, NOTE, Finding
from lumiban.system import size_limits
from lumiban.system.disk import DISK

LOOKS = 50
"""Of a cell are kept; the oldest make room, but the first stays to compare with."""
WEAK = 0.75
"""A stone seems so much weaker than on the other cells, or than before: magnet, lid or sensor."""
DRIFT_UT = 1_000
"""An empty cell reads so much else than at first."""
NOISY = 2.5
"""Times the board's median noise."""
COUNTED_FAULTS = {wire.FAULT_STUCK: "stuck", wire.FAULT_DRIFT: "drift"}
"""Faults that the board itself reports of a cell, by their code on the wire."""
OVER_DAYS = 30
"""A fault that the board has not told for so long is over."""


@dataclass(frozen=True, slots=True)
class Look:
    """Observation of a cell in one look, in µT; None where it could not be seen.

    `day` is an ISO date; `strong_ut` the strength of a white or black stone that stood there.
    """

    day: str
    zero_ut: int | None = None
    noise_ut: int | None = None
    strong_ut: int | None = None


@dataclass
class Health:
    """The looks at a board's cells, and the faults that it told, by cell: how often, and the ISO
    date of the last time."""

    uid: str
    model: str = ""
    cells: dict[int, list[Look]] = field(default_factory=dict)
    faults: dict[int, dict[str, tuple[int, str]]] = field(default_factory=dict)
    dead: set[int] = field(default_factory=set)
    """Cells that never answer, as a person has said: tables take them from the page."""

    def saw(self, cell: int, look: Look) -> None:
        """Keep a look; one without a figure is passed over. A sensor that has noise is not stuck,
        and whether it has drifted is seen by its own looks."""
        if (look.zero_ut, look.noise_ut, look.strong_ut) == (None, None, None):
            return
        seen = self.faults.get(cell, {})
        if look.noise_ut:
            seen.pop("stuck", None)
        if look.zero_ut is not None:
            seen.pop("drift", None)
        looks = self.cells.setdefault(cell, [])
        looks.append(look)
        if len(looks) > LOOKS:
            del looks[1]

    def calibrated(self, cell: int, look: Look) -> None:
        """Keep a calibration's look: from now on the cell should read empty as it did then."""
        looks = self.cells.get(cell, [])
        looks[:] = [replace(one, zero_ut=None) for one in looks]
        self.saw(cell, look)

    def count_fault(self, what: int, where: int, day: str) -> bool:
        """Count a fault of a cell, as FAULT told it on this day (ISO date); False for faults that
        are of no cell."""
        if what not in COUNTED_FAULTS:
            return False
        counts = self.faults.setdefault(where, {})
        times, _ = counts.get(COUNTED_FAULTS[what], (0, ""))
        counts[COUNTED_FAULTS[what]] = times + 1, day
        return True

    def ailing(self, names: Sequence[str], today: date) -> list[Finding]:
        """The cells that are not as they should be; `names` are those of the board's cells."""
        findings: list[Finding] = []
        strengths = {c: s for c in self.cells if (s := _last(self.cells[c], "strong_ut"))}
        usual = median(strengths.values()) if strengths else 0
        noises = {c: n for c in self.cells if (n := _last(self.cells[c], "noise_ut"))}
        hum = median(noises.values()) if noises else 0
        for cell in sorted({*self.cells, *self.faults}):
            if not 0 <= cell < len(names):
                continue
            name, looks = names[cell], self.cells.get(cell, [])
            findings += _weak(name, looks, strengths.get(cell, 0), usual)
            findings += _drifted(name, looks)
            if hum and noises.get(cell, 0) > NOISY * hum:
                params = {"cell": name, "noise": round(noises[cell] / 1000, 2)}
                findings.append(Finding("health.noisy", NOTE, params))
            for fault, (times, day) in sorted(self.faults.get(cell, {}).items()):
                if (today - date.fromisoformat(day)).days < OVER_DAYS:
                    params = {"cell": name, "times": times}
                    findings.append(Finding(f"health.told.{fault}", BAD, params))
        return findings


def _weak(name: str, looks: Sequence[Look], now: int, usual: float) -> list[Finding]:
    if not now:
        return []
    before = max((look.strong_ut or 0 for look in looks[:-1]), default=0)
    if len(looks) > 1 and now < WEAK * before:
        params = {"cell": name, "percent": round(100 * now / before)}
        return [Finding("health.weaker", BAD, params)]
    if usual and now < WEAK * usual:
        return [Finding("health.weak", BAD, {"cell": name, "percent": round(100 * now / usual)})]
    return []


def _drifted(name: str, looks: Sequence[Look]) -> list[Finding]:
    zeros = [look.zero_ut for look in looks if look.zero_ut is not None]
    if len(zeros) < 2 or abs(zeros[-1] - zeros[0]) < DRIFT_UT:
        return []
    params = {"cell": name, "drift": round((zeros[-1] - zeros[0]) / 1000, 1)}
    return [Finding("health.drifted", NOTE, params, f"{start_word()} board calibrate")]


def _last(looks: Sequence[Look], figure: str) -> int:
    """The newest value of a figure, 0 when it was never seen."""
    return next((value for look in reversed(looks) if (value := getattr(look, figure))), 0)


# The files.


def folder(state: Path) -> Path:
    """Folder of the files."""
    return state / "health"


def read_health(state: Path, uid: str) -> Health:
    """Known health of a board; a new page where there is none, or where the file is not
    readable."""
    try:
        document = size_limits.from_json(size_limits.read(folder(state) / f"{uid}.json"))
        return _from(document, uid)
    except (OSError, ValueError, TypeError, AttributeError, KeyError):
        return Health(uid)


def read_all_health(state: Path) -> list[Health]:
    """Of all boards that this machine has seen."""
    return [read_health(state, file.stem) for file in sorted(folder(state).glob("*.json"))]


def ailing_sensors(state: Path) -> list[Finding]:
    """Faults of the sensors of all boards that were tested on this computer."""
    from lumiban.boards.profile import load, names

    findings = []
    by_model = {load(name).model: name for name in names()}
    for known in read_all_health(state):
        if known.model in by_model:
            grid = load(by_model[known.model]).grid
            findings += known.ailing(grid.names, date.today())
    return findings


def keep(state: Path, health: Health) -> Path:
    """Write a board's page in one step; OSError when it cannot be written."""
    return write(state, document(health))


def write(state: Path, document: Mapping[str, Any]) -> Path:
    """The same of its `document`, which any thread may write while the page goes on."""
    path = folder(state) / f"{document['uid']}.json"
    DISK.put_whole(path, (json.dumps(document) + "\n").encode())
    return path


def document(health: Health) -> dict[str, Any]:
    """The page as it is written."""
    return {
        "uid": health.uid,
        "model": health.model,
        "cells": {
            str(cell): [[look.day, look.zero_ut, look.noise_ut, look.strong_ut] for look in looks]
            for cell, looks in sorted(health.cells.items())
        },
        "faults": {str(cell): dict(counts) for cell, counts in sorted(health.faults.items())},
        "dead": sorted(health.dead),
    }


def _from(document: Mapping[str, Any], uid: str) -> Health:
    return Health(
        uid,
        str(document.get("model", "")),
        {int(cell): [_seen(*look) for look in looks] for cell, looks in document["cells"].items()},
        {int(cell): _counts(counts) for cell, counts in document["faults"].items()},
        {int(cell) for cell in document.get("dead", ())},
    )


def _seen(day: str, *figures: float | None) -> Look:
    """A look as it was written; ValueError or TypeError where it is garbled."""
    return Look(str(day), *(None if ut is None else int(ut) for ut in figures))


def _counts(document: Mapping[str, Any]) -> dict[str, tuple[int, str]]:
    """Counts that the board reported of a cell; ValueError or TypeError where they are garbled.
    Mere numbers, as they were kept at first, are of no day and over."""
    pairs = [(fault, one) for fault, one in document.items() if isinstance(one, list)]
    counts = {str(fault): (int(times), str(day)) for fault, (times, day) in pairs}
    for _, day in counts.values():
        date.fromisoformat(day)
    return counts


Value = float | Sequence[float]

UNITS = {
    "scan_hz": "frames of all sensors in a second",
    "worst_gap_us": "between two frames",
    "noise_ut": "standard deviation of one sample, median of the cells",
    "supply_mv": "5 V rail in the dark",
    "ribbon_uohm": "ground of one strip's ribbon and contacts, median of the strips",
    "answer_us": "a reliable frame and its acknowledgement, median",
    "answer_p90_us": "the same, 90 of 100",
    "answer_p99_us": "the same, 99 of 100",
    "offsets_ut": "of each cell's sensor without a field",
    "supplies": "of each strip's reference against half the ADC's range",
    "gains": "of each cell with its lid against the data sheet, as calibrated",
}
"""Every figure that there can be, and what it is."""
CELLS = ("offsets_ut", "gains")
STRIPS = ("supplies",)


@dataclass
class Figures:
    """Assumed and measured by name, of one board; `measured` lacks what was not measured."""

    profile: str
    uid: str = ""
    firmware: int = 0
    assumed: dict[str, Value] = field(default_factory=dict)
    measured: dict[str, Value] = field(default_factory=dict)

    def number(self, name: str, usual: float) -> float:
        """A measured number, or the usual one."""
        value = self.measured.get(name, nan)
        return usual if not isinstance(value, int | float) or isnan(value) else float(value)

    def numbers(self, name: str, usual: float, count: int) -> tuple[float, ...]:
        """A measured list of this length, with the usual one where nothing was measured."""
        value = self.measured.get(name)
        if value is None or isinstance(value, int | float):
            return (usual,) * count
        return tuple(usual if isnan(one) else float(one) for one in value)

    def text(self) -> str:
        """The file."""
        head = [
            "# Assumed and measured figures of one board (lumiban board selftest --figures).",
            f'profile = "{self.profile}"',
            f'uid = "{self.uid}"',
            f"firmware = {self.firmware}",
        ]
        for name, what in UNITS.items():
            if name not in self.assumed and name not in self.measured:
                continue
            head += ["", f"[{name}] # {what}"]
            for column, values in (("assumed", self.assumed), ("measured", self.measured)):
                if name in values:
                    head.append(f"{column} = {_toml(values[name])}")
        return "\n".join(head) + "\n"


def read_figures(path: str) -> Figures:
    """The figures in a file; UsageError says what is wrong with it."""
    try:
        document = size_limits.from_toml(size_limits.text(Path(path).expanduser()))
    except (OSError, size_limits.Unreadable) as error:
        reason = why_unread(error)
        raise UsageError(localized("figures.unreadable", path=path, reason=reason)) from None
    figures = Figures(str(document.get("profile", "")))
    for name, pair in document.items():
        if name not in UNITS or not isinstance(pair, Mapping):
            continue
        for column, values in (("assumed", figures.assumed), ("measured", figures.measured)):
            if column in pair:
                values[name] = _checked(path, name, pair[column])
    return figures


def check(figures: Figures, path: str, profile: str, cells: int, strips: int) -> None:
    """UsageError when the figures are of another board than this profile's, or of none."""
    if not figures.profile:
        raise UsageError(localized("figures.none", path=path))
    if figures.profile != profile:
        raise UsageError(
            localized("figures.other", path=path, theirs=figures.profile, ours=profile)
        )
    for names, count in ((CELLS, cells), (STRIPS, strips)):
        for name in names:
            value = figures.measured.get(name)
            if value is not None and (isinstance(value, int | float) or len(value) != count):
                raise UsageError(localized("figures.count", path=path, name=name, count=count))


def _checked(path: str, name: str, value: Any) -> Value:
    is_list = name in CELLS or name in STRIPS
    values = value if isinstance(value, list) else [value]
    if is_list != isinstance(value, list) or not all(_is_number(one) for one in values):
        raise UsageError(localized("figures.no-number", path=path, name=name))
    return [float(one) for one in values] if is_list else float(values[0])


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _toml(value: Value) -> str:
    if isinstance(value, int | float):
        return _one(value)
    return "[" + ", ".join(_one(one) for one in value) + "]"


def _one(value: float) -> str:
    return "nan" if isnan(value) else f"{value:.6g}" if value % 1 else f"{value:.0f}"

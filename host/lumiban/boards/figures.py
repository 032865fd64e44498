"""What was measured of a board beside what the design assumes, as a TOML file.

`lumiban board selftest --figures F` writes it, `lumiban sim --figures F` is a board of that kind.

    profile = "hex3"

    [noise_ut]
    assumed = 300
    measured = 287

A list has a figure for each cell (or strip); `nan` stands where nothing could be measured.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from math import isnan, nan
from pathlib import Path
from typing import Any

from lumiban import bounded
from lumiban.boards.ports import said
from lumiban.errors import UsageError

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
        """A measured list of so many numbers, with the usual one where nothing was measured."""
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


def read(path: str) -> Figures:
    """The figures in a file; UsageError says what is wrong with it."""
    try:
        told = bounded.from_toml(bounded.text(Path(path).expanduser()))
    except (OSError, UnicodeDecodeError) as error:
        reason = getattr(error, "strerror", "") or "UTF-8?"
        raise UsageError(said("figures.unreadable", path=path, reason=reason)) from None
    except (tomllib.TOMLDecodeError, bounded.TooMuch) as error:
        raise UsageError(said("figures.unreadable", path=path, reason=error)) from None
    figures = Figures(str(told.get("profile", "")))
    for name, pair in told.items():
        if name not in UNITS or not isinstance(pair, Mapping):
            continue
        for column, values in (("assumed", figures.assumed), ("measured", figures.measured)):
            if column in pair:
                values[name] = _checked(path, name, pair[column])
    return figures


def check(figures: Figures, path: str, profile: str, cells: int, strips: int) -> None:
    """UsageError when the figures are of another board than this profile's, or of none."""
    if not figures.profile:
        raise UsageError(said("figures.none", path=path))
    if figures.profile != profile:
        raise UsageError(said("figures.other", path=path, theirs=figures.profile, ours=profile))
    for names, count in ((CELLS, cells), (STRIPS, strips)):
        for name in names:
            value = figures.measured.get(name)
            if value is not None and (isinstance(value, int | float) or len(value) != count):
                raise UsageError(said("figures.count", path=path, name=name, count=count))


def _checked(path: str, name: str, value: Any) -> Value:
    is_list = name in CELLS or name in STRIPS
    values = value if isinstance(value, list) else [value]
    if is_list != isinstance(value, list) or not all(_is_number(one) for one in values):
        raise UsageError(said("figures.no-number", path=path, name=name))
    return [float(one) for one in values] if is_list else float(values[0])


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _toml(value: Value) -> str:
    if isinstance(value, int | float):
        return _one(value)
    return "[" + ", ".join(_one(one) for one in value) + "]"


def _one(value: float) -> str:
    return "nan" if isnan(value) else f"{value:.6g}" if value % 1 else f"{value:.0f}"

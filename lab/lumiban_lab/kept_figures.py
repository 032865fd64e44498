"""Figures of an earlier day beside those of today: a regression shows as a ratio.

`tests/lab/figures.toml` keeps them, with the bound that each must hold, or the part of itself
`within` which it must stay; what is over its bound fails the command that measured it, and what is
better by more than that part is told, so that it is kept.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from lumiban.errors import CheckFailed

PLACE = Path(__file__).resolve().parents[2] / "tests" / "lab" / "figures.toml"


@dataclass(frozen=True, slots=True)
class Compared:
    """A figure, what it was, and what it may be at most; None where nothing is kept."""

    name: str
    figure: float
    was: float | None
    bound: float | None
    least: float | None = None
    """Below this it is better than what is kept."""

    @property
    def ratio(self) -> float | None:
        """Ratio to the earlier figure."""
        return round(self.figure / self.was, 2) if self.was else None

    @property
    def is_over(self) -> bool:
        """True if it breaks its bound."""
        return self.bound is not None and self.figure > self.bound

    @property
    def is_better(self) -> bool:
        """True if the kept figure no longer says how it is."""
        return self.least is not None and self.figure < self.least

    def as_json(self) -> dict[str, Any]:
        """The same by name."""
        return {
            "name": self.name,
            "figure": self.figure,
            "was": self.was,
            "ratio": self.ratio,
            "bound": self.bound,
            "over": self.is_over,
            "better": self.is_better,
        }


def flat(figures: Mapping[str, Any], before: str = "") -> Iterator[tuple[str, float]]:
    """The figures by their names with dots.

    >>> list(flat({"idle": {"host": 0.4, "page": 0.2}, "requests": 5}))
    [('idle.host', 0.4), ('idle.page', 0.2), ('requests', 5)]
    """
    for name, value in figures.items():
        if isinstance(value, Mapping):
            yield from flat(value, f"{before}{name}.")
        else:
            yield before + name, value


def compared(bench: str, figures: Mapping[str, Any], place: Path = PLACE) -> list[Compared]:
    """Each figure of this bench beside the kept one."""
    kept = tomllib.loads(place.read_text("utf-8")).get(bench, {})
    return [_beside(name, figure, **kept.get(name, {})) for name, figure in flat(figures)]


def _beside(
    name: str,
    figure: float,
    was: float | None = None,
    bound: float | None = None,
    within: float | None = None,
) -> Compared:
    if was is None or within is None:
        return Compared(name, figure, was, bound)
    return Compared(name, figure, was, round(was * (1 + within), 4), round(was * (1 - within), 4))


def text_of(comparisons: list[Compared]) -> str:
    """A line a figure."""
    width = max((len(one.name) for one in comparisons), default=0)
    lines = []
    for one in comparisons:
        line = f"{one.name:<{width}} {one.figure:>12,}"
        if one.ratio is not None:
            line += f"   was {one.was:,}, {one.ratio:.2f} times"
        if one.bound is not None:
            line += f", at most {one.bound:,}" + (" : OVER" if one.is_over else "")
        if one.is_better:
            line += " : better, keep it"
        lines.append(line)
    return "\n".join(lines)


def check(comparisons: list[Compared]) -> None:
    """CheckFailed names what is over its bound."""
    over = [
        f"{one.name} is {one.figure:,}, at most {one.bound:,}" for one in comparisons if one.is_over
    ]
    if over:
        raise CheckFailed("; ".join(over))

"""The measurement behind `bench kinds`: does the board tell every piece on a crowded board?

Random boards of random parts, within the tolerances of lids, magnets and sensors, powered on with
pieces standing; then the worst that can be laid by hand.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import partial
from itertools import product
from typing import TYPE_CHECKING, Any

from lumiban.i18n import terminal_language, text
from lumiban.system.worker_pool import mapping

from lumiban_lab.experiments import crowded_boards, worst_boards

if TYPE_CHECKING:
    from lumiban_lab.experiments import KindReport

PROFILE = "hex5"
PORTION = 20
"""Boards that one process does at a time."""
NAMES = {0: "empty", 1: "white", 2: "black", 3: "neutral"}


@dataclass(slots=True)
class Tally:
    """Results of some boards: counts of boards and cells, margins in µT by kind."""

    boards: int = 0
    cells: int = 0
    wrong: int = 0
    unknown: int = 0
    margins_ut: dict[int, int] = field(default_factory=dict)

    def add(self, report: KindReport) -> None:
        """Count one board."""
        self.boards += 1
        self.cells += report.cells
        self.wrong += len(report.wrong)
        self.unknown += report.unknown
        for kind, margin in report.margins_ut.items():
            self.margins_ut[kind] = min(margin, self.margins_ut.get(kind, margin))

    def as_json(self) -> dict[str, Any]:
        """The row as `--json` prints it."""
        return {
            "boards": self.boards,
            "cells": self.cells,
            "wrong": self.wrong,
            "unknown": self.unknown,
            "least_margin_mt": {
                NAMES[kind]: round(ut / 1000, 2) for kind, ut in sorted(self.margins_ut.items())
            },
        }


def measure(
    boards: int, *, seed: int, jobs: int, profile: str, progress: Callable[[str], None]
) -> Tally:
    """A number of random boards, in `jobs` processes; the same seed gives the same tally."""
    starts = range(0, boards, PORTION)
    counts = [min(PORTION, boards - start) for start in starts]
    seeds = [(seed << 32) + start for start in starts]
    tally = Tally()
    with mapping(jobs) as run:
        for portion in run(partial(crowded_boards, profile), seeds, counts):
            for report in portion:
                tally.add(report)
            progress(f"{tally.boards}/{boards}")
    return tally


def by_hand(profile: str, *, seed: int, each: int = 20) -> Iterator[tuple[str, str, Tally]]:
    """The worst boards, `each` of a sort: (middle, its 18 neighbours, what came of it)."""
    for kind, around in product((0, 1, 2, 3), (1, 2, 3)):
        tally = Tally()
        for report in worst_boards(profile, kind, around, seed, each):
            tally.add(report)
        yield NAMES[kind], NAMES[around], tally


def table(random: Tally, worst: list[tuple[str, str, Tally]]) -> list[str]:
    """The result for people, in their language."""
    language = terminal_language()
    lines = [_row(text("cli.kinds.random", language), random)]
    for kind, around, tally in worst:
        names = {
            "kind": text(f"cli.kinds.{kind}", language),
            "around": text(f"cli.kinds.{around}", language),
        }
        lines.append(_row(text("cli.kinds.worst", language, **names), tally))
    return lines


def _row(what: str, tally: Tally) -> str:
    language = terminal_language()
    sentence = text(
        "cli.kinds.told",
        language,
        boards=f"{tally.boards:,}",
        cells=f"{tally.cells:,}",
        wrong=tally.wrong,
        unknown=tally.unknown,
        margin=f"{min(tally.margins_ut.values()) / 1000:.1f}",
    )
    return f"{what}: {sentence}"

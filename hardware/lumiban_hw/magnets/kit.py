"""What the field model says of a board, in its kit, and whether thresholds and pitch suit it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from lumiban.boards.profile import Profile

from lumiban_hw.kit import Finding, Item, Report
from lumiban_hw.magnetics import STRONG, WEAK, half_height_mm
from lumiban_hw.magnets import tables
from lumiban_hw.magnets.forces import FRICTION, side_gf, slides_mm
from lumiban_hw.magnets.margins import Margins, Worst, at_random, by_hand

LEAST_UT = 500
"""A kind's fields stay so far from every threshold on random boards: three sigmas of a reading."""
HEIGHT_UM = 100
"""How far a profile's heights may be from the model's."""


@dataclass(frozen=True)
class Magnets:
    """The fields and forces of one board."""

    profile: Profile

    @property
    def name(self) -> str:
        """Its folder."""
        return f"board/{self.profile.name}/magnets"

    def make(self, folder: Path) -> Report:
        """Write `field.csv`, `crosstalk.csv`, `forces.csv`, `margins.csv`, `worst.csv` and their
        diagrams; check thresholds, heights and pitch.
        """
        profile = self.profile
        raw, found = (at_random(profile, compensate=told) for told in (False, True))
        worst = list(by_hand(profile))
        tables.write(profile, folder, raw, found, worst)
        margins = {
            f"{name}_margin_mt": round(tables.margin(profile, found, name) / 1000, 2)
            for name in found.seen
        }
        figures = {
            **margins,
            "push_gf": round(side_gf(STRONG, STRONG, profile.pitch_mm), 2),
            "slides_mm": round(slides_mm(STRONG, STRONG, tables.LIGHTEST_G["strong"]), 1),
        }
        return Report(self.name, tuple(check(profile, found, worst)), figures)


def check(profile: Profile, found: Margins, worst: Sequence[Worst]) -> Iterator[Finding]:
    """What does not suit the fields that the model tells."""
    for name in found.seen:
        room = tables.margin(profile, found, name)
        if room < LEAST_UT:
            yield _finding(
                profile, "margin", kind=name, room=tables.mt(room), least=tables.mt(LEAST_UT)
            )
    if found.wrong:
        yield _finding(profile, "wrong", wrong=found.wrong, cells=found.cells)
    for case in worst:
        if not case.right:
            yield _finding(
                profile, "worst", kind=case.kind, around=case.around, field=tables.mt(case.field_ut)
            )
    told = {"strong": profile.strong_um, "weak": profile.weak_um}
    for name, magnet in (("strong", STRONG), ("weak", WEAK)):
        model = 1000 * half_height_mm(magnet, profile.gap_mm)
        if abs(told[name] - model) > HEIGHT_UM:
            yield _finding(profile, "height", kind=name, told=told[name], model=f"{model:.0f}")
    push, hold = (
        side_gf(STRONG, STRONG, profile.pitch_mm), FRICTION * tables.LIGHTEST_G["strong"]
    )  # fmt: skip
    if push > hold:
        yield _finding(
            profile, "slide", push=f"{push:.2f}", hold=f"{hold:.2f}", pitch=f"{profile.pitch_mm:g}"
        )


def _finding(profile: Profile, rule: str, **said: object) -> Finding:
    words = {key: str(value) for key, value in said.items()}
    return Finding(profile.name, f"magnet.{rule}", words)


def items(profile: Profile) -> list[Item]:
    """The one item of a profile."""
    return [Magnets(profile)]

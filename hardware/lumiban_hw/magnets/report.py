"""Report of the field model on a board: tables, diagrams, and their verdict."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import sqrt
from pathlib import Path

from lumiban.boards.profile import Profile

from lumiban_hw.kit import Finding, Item, Report
from lumiban_hw.magnetics import (
    FRICTION,
    STRONG,
    WEAK,
    Magnet,
    axial_ut,
    dipole_gf,
    half_height_mm,
    side_gf,
    slides_mm,
)
from lumiban_hw.magnets.margins import Margins, Worst, at_random, by_hand
from lumiban_hw.pcb.make import write_csv
from lumiban_hw.svg import Chart

MIN_UT = 500
"""A kind's fields stay so far from every threshold on random boards: three sigmas of a reading."""
HEIGHT_UM = 100
"""Largest difference between a profile's heights and the model's."""


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
        raw, compensated = (
            at_random(profile, compensate=compensate) for compensate in (False, True)
        )
        worst = list(by_hand(profile))
        write_tables(profile, folder, raw, compensated, worst)
        margins = {
            f"{name}_margin_mt": round(margin(profile, compensated, name) / 1000, 2)
            for name in compensated.seen
        }
        figures = {
            **margins,
            "push_gf": round(side_gf(STRONG, STRONG, profile.pitch_mm), 2),
            "slides_mm": round(slides_mm(STRONG, STRONG, LIGHTEST_G["strong"]), 1),
        }
        return Report(self.name, tuple(check(profile, compensated, worst)), figures)


def check(profile: Profile, margins: Margins, worst: Sequence[Worst]) -> Iterator[Finding]:
    """Findings where the board does not suit the model's fields."""
    for name in margins.seen:
        room = margin(profile, margins, name)
        if room < MIN_UT:
            yield _finding(profile, "margin", kind=name, room=mt(room), least=mt(MIN_UT))
    if margins.wrong:
        yield _finding(profile, "wrong", wrong=margins.wrong, cells=margins.cells)
    for case in worst:
        if not case.right:
            yield _finding(
                profile, "worst", kind=case.kind, around=case.around, field=mt(case.field_ut)
            )
    heights_um = {"strong": profile.strong_um, "weak": profile.weak_um}
    for name, magnet in (("strong", STRONG), ("weak", WEAK)):
        model = 1000 * half_height_mm(magnet, profile.gap_mm)
        if abs(heights_um[name] - model) > HEIGHT_UM:
            yield _finding(
                profile, "height", kind=name, told=heights_um[name], model=f"{model:.0f}"
            )
    push, hold = (
        side_gf(STRONG, STRONG, profile.pitch_mm), FRICTION * LIGHTEST_G["strong"]
    )  # fmt: skip
    if push > hold:
        yield _finding(
            profile, "slide", push=f"{push:.2f}", hold=f"{hold:.2f}", pitch=f"{profile.pitch_mm:g}"
        )


def _finding(profile: Profile, rule: str, **params: object) -> Finding:
    words = {key: str(value) for key, value in params.items()}
    return Finding(profile.name, f"magnet.{rule}", words)


def items(profile: Profile) -> list[Item]:
    """The one item of a profile."""
    return [Magnets(profile)]


# Tables and diagrams of the field model for one board.

MAGNETS = {"strong": STRONG, "weak": WEAK}
ASIDE_MM = (0, 1, 2, 3, 4, 5, 6, 8, 10, 12.5)
PITCHES_MM = (20, 22, 25, 30)
LIGHTEST_G = {"strong": 2.3, "weak": 1.6}
"""Weight of the lightest piece with such a magnet, by the volume of its mesh."""
BIN_UT = 500


def mt(ut: float) -> str:
    """µT as mT with two digits."""
    return f"{ut / 1000:.2f}"


def field_rows() -> Iterator[tuple[object, ...]]:
    """Field in mT by magnet, gap and offset."""
    for name, magnet in MAGNETS.items():
        for step in range(4, 33):
            gap = step / 2
            yield name, f"{gap:g}", *(mt(axial_ut(magnet, gap, far)) for far in ASIDE_MM)


def around(magnet: Magnet, gap_mm: float, pitch_mm: float, *, hexagons: bool) -> tuple[float, ...]:
    """Fields that the nearest, the next and the third ring of like neighbours add, in µT.

    >>> [round(ut) for ut in around(STRONG, 6.0, 25.0, hexagons=True)]
    [-2054, -522, -351]
    """
    rings = ((6, 1.0), (6, sqrt(3)), (6, 2.0)) if hexagons else ((4, 1.0), (4, sqrt(2)), (4, 2.0))
    return tuple(n * axial_ut(magnet, gap_mm, far * pitch_mm) for n, far in rings)


def crosstalk_rows(profile: Profile) -> Iterator[tuple[object, ...]]:
    """Fields that neighbours add at several pitches."""
    gap, hexagons = profile.gap_mm, profile.grid.is_hex
    for name, magnet in MAGNETS.items():
        for pitch in sorted({*PITCHES_MM, profile.pitch_mm}):
            one = axial_ut(magnet, gap, pitch)
            rings = around(magnet, gap, pitch, hexagons=hexagons)
            share = one / axial_ut(magnet, gap, 0.0)
            yield (
                name, f"{pitch:g}", mt(one), f"{100 * share:.2f}", mt(rings[0]), mt(sum(rings)),
                18 if hexagons else 12,
            )  # fmt: skip


def force_rows() -> Iterator[tuple[object, ...]]:
    """Sideways forces in gf by distance."""
    for tenths in range(70, 401, 10):
        far = tenths / 10
        yield (
            f"{far:g}",
            *(f"{side_gf(a, b, far):.3f}" for a, b in ((STRONG, STRONG), (STRONG, WEAK),
                                                       (WEAK, WEAK))),
            f"{dipole_gf(STRONG, STRONG, far):.3f}",
        )  # fmt: skip


def margin_rows(
    profile: Profile, raw: Margins, compensated: Margins
) -> Iterator[tuple[object, ...]]:
    """Least and most field of each kind on random boards, and how far thresholds are."""
    for name in compensated.seen:
        margins = compensated
        yield (
            name,
            mt(raw.weakest(name)), mt(raw.strongest(name)),
            mt(margins.weakest(name)), mt(margins.strongest(name)),
            mt(margin(profile, margins, name)),
        )  # fmt: skip


def margin(profile: Profile, margins: Margins, name: str) -> float:
    """The least distance in µT between a kind's fields and a threshold; negative when beyond."""
    least, most = margins.weakest(name), margins.strongest(name)
    if name == "empty":
        return profile.off_ut - most
    if name == "neutral":
        return min(least - profile.on_ut, profile.strong_ut - most)
    return min(least - profile.strong_ut, profile.foreign_ut - most)


def thresholds(profile: Profile) -> dict[str, float]:
    """The thresholds of a profile in mT, by name."""
    named = {"off": profile.off_ut, "on": profile.on_ut, "strong": profile.strong_ut,
             "foreign": profile.foreign_ut}  # fmt: skip
    return {f"{name} {ut / 1000:g}": ut / 1000 for name, ut in named.items()}


def gap_chart(profile: Profile) -> str:
    """Field on the axis against height above the seat, with the thresholds."""
    gap = profile.gap_mm
    heights = [step / 4 for step in range(49)]
    lines = {
        f"{name} ({m.diameter_mm:g}×{m.length_mm:g} mm)": [
            (h, axial_ut(m, gap + h, 0.0) / 1000) for h in heights
        ]
        for name, m in MAGNETS.items()
    }
    title = f"{profile.name}: field of a piece that is lifted, gap {gap:g} mm"
    levels = thresholds(profile)
    return Chart(title, "mm above its seat", "mT", lines, levels, log=True, low=1, left=True).svg()


def aside_chart(profile: Profile) -> str:
    """Field of a seated piece against how far it stands aside."""
    places = [step / 4 for step in range(101)]
    lines = {
        name: [(x, axial_ut(m, profile.gap_mm, x) / 1000) for x in places]
        for name, m in MAGNETS.items()
    }
    walls = {"off centre, at most": profile.tolerances.aside_mm, "next cell": profile.pitch_mm}
    walls = {name: x for name, x in walls.items() if x < places[-1]}
    title = f"{profile.name}: field of a piece that stands aside"
    return Chart(title, "mm off the sensor", "mT", lines, thresholds(profile), walls).svg()


def force_chart(profile: Profile) -> str:
    """Sideways forces against distance, with what friction holds."""
    places = [8 + step / 2 for step in range(55)]
    pairs = {"two strong": (STRONG, STRONG), "strong and weak": (STRONG, WEAK),
             "two weak": (WEAK, WEAK)}  # fmt: skip
    lines = {
        name: [(x, side_gf(*pair, x)) for x in places] for name, pair in pairs.items()
    }  # fmt: skip
    held = {f"friction {FRICTION:g} × {g:g} g": FRICTION * g for g in LIGHTEST_G.values()}
    walls = {f"pitch {profile.pitch_mm:g}": profile.pitch_mm}
    title = f"{profile.name}: sideways force between two pieces"
    return Chart(title, "mm from axis to axis", "gf", lines, held, walls, log=True, low=0.01).svg()


def margin_chart(profile: Profile, margins: Margins) -> str:
    """Histogram of the strengths seen, with the thresholds."""
    top = int(max(margins.strongest(name) for name in margins.seen)) // BIN_UT + 2
    lines = {}
    for name, seen in margins.seen.items():
        bins = [0] * top
        for ut in seen:
            bins[int(ut) // BIN_UT] += 1
        lines[name] = [((n + 0.5) * BIN_UT / 1000, 100 * b / len(seen)) for n, b in enumerate(bins)]
    walls = {name: x for name, x in thresholds(profile).items() if x < top * BIN_UT / 1000}
    title = f"{profile.name}: strengths on {margins.boards} random boards, compensated"
    x, y = "mT", f"% of the kind's cells, each {BIN_UT / 1000:g} mT"
    return Chart(title, x, y, lines, {}, walls, low=0).svg()


def write_tables(
    profile: Profile, folder: Path, raw: Margins, margins: Margins, worst: Sequence[Worst]
) -> None:
    """Write all tables and diagrams."""
    offsets = tuple(f"mt_at_{far:g}_mm" for far in ASIDE_MM)
    write_csv(folder / "field.csv", ("magnet", "gap_mm", *offsets), field_rows())
    write_csv(
        folder / "crosstalk.csv",
        ("magnet", "pitch_mm", "one_mt", "one_percent", "ring_mt", "all_mt", "neighbours"),
        crosstalk_rows(profile),
    )
    write_csv(
        folder / "forces.csv",
        ("distance_mm", "strong_strong_gf", "strong_weak_gf", "weak_weak_gf",
         "strong_strong_as_points_gf"),
        force_rows(),
    )  # fmt: skip
    write_csv(
        folder / "margins.csv",
        ("kind", "least_raw_mt", "most_raw_mt", "least_mt", "most_mt", "margin_mt"),
        margin_rows(profile, raw, margins),
    )
    write_csv(
        folder / "worst.csv",
        ("middle", "around", "raw_mt", "compensated_mt", "right"),
        [(w.kind, w.around, mt(w.raw_ut), mt(w.field_ut), int(w.right)) for w in worst],
    )
    charts = {
        "lifted": gap_chart(profile),
        "aside": aside_chart(profile),
        "forces": force_chart(profile),
        "margins": margin_chart(profile, margins),
    }
    for name, drawn in charts.items():
        (folder / f"{name}.svg").write_text(drawn, "utf-8")

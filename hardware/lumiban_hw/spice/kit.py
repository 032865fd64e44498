"""A board's electrical simulation in its kit: every scene's measures, and what is out of bounds."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from lumiban.boards.profile import Profile

from lumiban_hw.electronics import base_parts, strip_parts
from lumiban_hw.kit import Finding, Item, Report
from lumiban_hw.pcb.make import write_csv
from lumiban_hw.pcb.netlist import drawn
from lumiban_hw.plans import strips
from lumiban_hw.spice.circuit import PACKAGE, SpiceFailed, program
from lumiban_hw.spice.models import UnknownPart
from lumiban_hw.spice.scenes import SCENES, Assembly, Measure


def assembly(profile: Profile) -> Assembly:
    """A board's base and strips as they are drawn."""
    return Assembly(
        profile,
        drawn(base_parts(profile.pins)),
        [drawn(strip_parts(plan)) for plan in strips(profile)],
    )


def measures(assembled: Assembly) -> list[Measure]:
    """All scenes' measures. SpiceFailed, UnknownPart."""
    return [measure for scene in SCENES for measure in scene(assembled)]


def findings(name: str, measured: list[Measure]) -> Iterator[Finding]:
    """Values out of bounds."""
    for one in measured:
        if not one.is_good:
            bound = f"{'>=' if one.most is None else '<='} {one.most or one.least:.3g}"
            params = {
                "scene": one.scene, "what": one.what, "value": f"{one.value:.3g}",
                "unit": one.unit, "bound": bound, "source": one.source,
            }  # fmt: skip
            yield Finding(name, "electric", params)


@dataclass(frozen=True)
class Electrical:
    """The scenes of one board with a base."""

    profile: Profile

    @property
    def name(self) -> str:
        """Its folder."""
        return f"board/{self.profile.name}/electrical"

    def make(self, folder: Path) -> Report:
        """Write `electrical.csv`; check. Without ngspice nothing is made."""
        if not program():
            return Report(self.name, missing=(PACKAGE,))
        try:
            measured = measures(assembly(self.profile))
        except (SpiceFailed, UnknownPart) as error:
            return Report(self.name, (Finding(self.profile.name, "spice", {"what": str(error)}),))
        write_csv(
            folder / "electrical.csv",
            ("scene", "what", "value", "unit", "least", "most", "source"),
            [
                (one.scene, one.what, f"{one.value:.4g}", one.unit,
                 "" if one.least is None else f"{one.least:.4g}",
                 "" if one.most is None else f"{one.most:.4g}", one.source)
                for one in measured
            ],
        )  # fmt: skip
        figures = {"scenes": len(SCENES), "measures": len(measured)}
        return Report(self.name, tuple(findings(self.profile.name, measured)), figures)


def items(profile: Profile) -> list[Item]:
    """The one item of a board with a base; a strip on a bench is fed by USB and has none."""
    return [Electrical(profile)] if profile.rows > 1 else []

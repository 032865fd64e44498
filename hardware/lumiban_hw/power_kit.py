"""A board's power budget in its kit: tables, a diagram, and whether everything bears it."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from lumiban.boards.profile import Profile

from lumiban_hw.chart import Bars
from lumiban_hw.kit import Item, Report
from lumiban_hw.pcb.make import write_csv
from lumiban_hw.power import STATES, Budget, check


@dataclass(frozen=True)
class Power:
    """The budget of one board."""

    profile: Profile

    @property
    def name(self) -> str:
        """Its folder."""
        return f"board/{self.profile.name}/power"

    def make(self, folder: Path) -> Report:
        """Write `power.csv`, `drops.csv` and `power.svg`; check."""
        budget = Budget(self.profile)
        rows = budget.rows()
        totals = {state: budget.total_ma(state) for state in STATES}
        write_csv(
            folder / "power.csv",
            ("consumer", *(f"{state}_ma" for state in STATES)),
            [
                (name, *(f"{by_state[state]:.1f}" for state in STATES))
                for name, by_state in [*rows.items(), ("all", totals)]
            ],
        )
        write_csv(
            folder / "drops.csv",
            ("from the supply on", "mv"),
            [(at, f"{mv:.1f}") for at, mv in budget.drops_mv().items()],
        )
        (folder / "power.svg").write_text(picture(budget), "utf-8")
        return Report(self.name, tuple(check(self.profile)), budget.figures())


def picture(budget: Budget) -> str:
    """The budget as bars, with what fuse and supply give."""
    rows = budget.rows()
    bars = {
        state: {name: by_state[state] / 1000 for name, by_state in rows.items()}
        for state in STATES
    }  # fmt: skip
    supply = "USB port" if budget.alone else "supply"
    levels = {f"{supply} {budget.supply_ma / 1000:g} A": budget.supply_ma / 1000}
    if not budget.alone:
        carried = budget.fuse[1] * budget.ratings.fuse_share / 1000
        levels[f"fuse {budget.fuse[1] / 1000:g} A carries {carried:g} A"] = carried
    return Bars(f"{budget.profile.name}: current at 5 V", "A", bars, levels).svg()


def items(profile: Profile) -> list[Item]:
    """The one item of a profile."""
    return [Power(profile)]

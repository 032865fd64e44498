"""What each board of the guide takes to buy, and what each adds to the one before.

All prices are guesses (see `parts` and `bom`).
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from functools import cache
from math import ceil

from lumiban.boards.profile import load

from lumiban_hw import bom, electronics
from lumiban_hw.guide.facts import BUILT
from lumiban_hw.pcb.board import Board
from lumiban_hw.plans import strips

LOT = 5
"""The fewest boards of a kind that board makers sell."""
CIRCUIT = "circuit board "


@dataclass(frozen=True)
class Cost:
    """One board's electronics in dollars; `added` counts what the boards before do not have yet."""

    name: str
    rows: tuple[bom.Row, ...]
    added: tuple[tuple[str, int, float], ...]
    """(part, count, dollars), circuit boards in lots."""

    @property
    def usd(self) -> float:
        """As `parts.csv` says."""
        return sum(row[-1] for row in self.rows)

    def share(self, *, circuits: bool) -> float:
        """The bare circuit boards, or everything else."""
        return sum(row[-1] for row in self.rows if row[0].startswith(CIRCUIT) == circuits)

    @property
    def added_usd(self) -> float:
        """What is paid after the boards before."""
        return sum(dollars for *_, dollars in self.added)


@cache
def boards(name: str) -> tuple[tuple[Board, ...], tuple[Board, ...]]:
    """The strips of a board of the guide, and its base board if it has one; without long tracks."""
    profile = load(name)
    plans = strips(profile)
    others = (electronics.base_parts(profile.pins),) if len(plans) > 1 else ()
    return tuple(electronics.strip_parts(plan) for plan in plans), others


@cache
def costs() -> tuple[Cost, ...]:
    """The boards of the guide in their order; each takes over what the one before consists of."""
    have: Counter[str] = Counter()
    found = []
    for name in BUILT:
        profile = load(name)
        mine, others = boards(name)
        loose = bom.BENCH if not others else bom.loose(profile)
        rows = bom.rows(mine, others, loose)
        added = []
        for part, _, _, count, each, _ in rows:
            more = max(0, count - have[part])
            if part.startswith(CIRCUIT):
                more = LOT * ceil(more / LOT)
            if more:
                added.append((part, more, round(more * each, 2)))
                have[part] += more
        found.append(Cost(name, tuple(rows), tuple(added)))
    return tuple(found)

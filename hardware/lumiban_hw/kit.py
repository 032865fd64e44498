"""A kit: everything that is made and checked for a board, from its profile alone.

What there is to make comes from builders. A builder names the items of a profile; an item makes
its files in a folder of its own and reports what it found. Items of equal name are equal: a strip
that two boards share is made once.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path
from typing import Protocol

from lumiban.boards.profile import Profile

BUILDERS = (
    "lumiban_hw.electronics:items",
    "lumiban_hw.power:items",
    "lumiban_hw.spice.kit:items",
    "lumiban_hw.mechanics.build:items",
    "lumiban_hw.pieces.kit:items",
    "lumiban_hw.magnets.report:items",
)
"""Each a function from a profile to its items, as `module:function`."""
AT_ONCE = 2
"""Items made at the same time; most wait for a program outside."""


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that is wrong: the text `hardware.rule.<rule>` says it, filled with `said`."""

    about: str
    rule: str
    said: Mapping[str, str]


@dataclass(frozen=True)
class Report:
    """Result of making an item; it is good when nothing was found."""

    name: str
    findings: tuple[Finding, ...] = ()
    figures: Mapping[str, float] = field(default_factory=dict)
    """Counts and measures, such as `unconnected` or `clearance_mm`."""
    missing: tuple[str, ...] = ()
    """Programs that are not there, by package and what else there is to say; left out therefore."""

    @property
    def is_good(self) -> bool:
        """True if there is nothing to mend; a missing program is not a fault of the kit."""
        return not self.findings


class Item(Protocol):
    """Something of a kit that is made by itself."""

    @property
    def name(self) -> str:
        """Its folder below the kit's, such as `pcb/strip5`; equal names are equal things."""
        ...

    def make(self, folder: Path) -> Report:
        """Write its files into the folder, which exists, and check them."""
        ...


def items(profiles: Iterable[Profile], builders: Sequence[str] = BUILDERS) -> list[Item]:
    """The items of these boards, each once, in the order of builders.

    ProfileError for a profile that a builder cannot make.

    >>> from lumiban.boards.profile import load
    >>> "pcb/base" in [item.name for item in items([load("hex3"), load("hex5")])]
    True
    """
    boards = list(profiles)
    by_name: dict[str, Item] = {}
    for builder in builders:
        module, _, function = builder.partition(":")
        make = getattr(import_module(module), function)
        for board in boards:
            for item in make(board):
                by_name.setdefault(item.name, item)
    return list(by_name.values())


def make(
    parts: Sequence[Item], out: Path, told: Callable[[int, str], None] = lambda done, name: None
) -> list[Report]:
    """Make all items below the folder `out`; the reports stand in the items' order.

    `told` hears after each item how many are done, and its name.
    """
    reports: dict[str, Report] = {}
    with ThreadPoolExecutor(AT_ONCE) as pool:
        running = {pool.submit(_make, part, out): part.name for part in parts}
        for done, job in enumerate(as_completed(running), 1):
            reports[running[job]] = job.result()
            told(done, running[job])
    return [reports[part.name] for part in parts]


def _make(part: Item, out: Path) -> Report:
    folder = out / part.name
    folder.mkdir(parents=True, exist_ok=True)
    return part.make(folder)

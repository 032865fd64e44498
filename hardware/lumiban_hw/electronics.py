"""The electronics of a kit: each strip that differs, the base board, and what they cost."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from lumiban.boards.profile import Profile

from lumiban_hw.kit import Item, Report


@dataclass(frozen=True)
class Base:
    """The base board: it is the same for every board."""

    name: str = "pcb/base"

    def make(self, folder: Path) -> Report:
        """Write its files."""
        return Report(self.name)


def items(profile: Profile) -> list[Item]:
    """The items of electronics that a board needs."""
    return [Base()]

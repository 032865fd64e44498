"""How well a bot plays: how many playouts it gets, for how long, and how freely it chooses."""

from __future__ import annotations

from dataclasses import dataclass

from lumiban.errors import UsageError


@dataclass(frozen=True, slots=True)
class Level:
    """One level; its name for people is in the catalogue under `text_id`."""

    name: str
    playouts: int
    """Random games before each move, unless time runs out."""
    longest_us: int
    """Time that one move may take at most; the plain path often needs it."""
    leeway: float = 0.0
    """How much worse than the best a move may look and still be chosen; 0 takes the best."""
    temperature: float = 0.0
    """How evenly it chooses among those: each `temperature` less of value is e times rarer."""

    @property
    def text_id(self) -> str:
        """Id of the level's name in the catalogue."""
        return "level." + self.name


LEVELS = {
    level.name: level
    for level in (
        Level("easy", 120, 600_000, leeway=0.2, temperature=0.08),
        Level("medium", 3_000, 1_300_000),
        Level("strong", 200_000, 2_000_000),
    )
}
"""All levels by name, from weak to strong."""


def level_of(name: str) -> Level:
    """The level of this name; UsageError lists the names.

    >>> level_of("easy").text_id
    'level.easy'
    """
    try:
        return LEVELS[name]
    except KeyError:
        raise UsageError(f"no level {name!r}: choose {', '.join(LEVELS)}") from None

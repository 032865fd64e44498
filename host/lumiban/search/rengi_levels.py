"""The five levels in Rengi: how far a bot builds ahead, what it reads of the duel, how it slips."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from lumiban.games.base import Game


@dataclass(frozen=True, slots=True)
class RengiStrength:
    """How one level plays Rengi."""

    width: int
    """Fields that its beam keeps at each level, unless time or playouts say otherwise."""
    depth: int
    """Hands that it looks ahead."""
    samples: int
    """Guesses at a hidden supply."""
    builds: int
    """Ways to build on that are held against the opponent's answers."""
    exchanges: int
    """Turns of the duel that it reads; 0 sees no threat."""
    longest_us: int
    """Time that one hand may take at most."""
    slips: float = 0.0
    """How often it plays just any hand."""
    gives_away: float = 0.0
    """The share of its games in which it plays poor hands, so that the other side wins."""
    races: bool = False
    """Whether it builds, where nothing is offset and pairs are known, what buries soonest."""


STRENGTHS = {
    "gentle": RengiStrength(4, 3, 1, 1, 0, 100_000, slips=0.16, gives_away=0.44),
    "easy": RengiStrength(4, 3, 1, 1, 0, 200_000, slips=0.15),
    "medium": RengiStrength(8, 5, 2, 2, 1, 400_000, slips=0.12),
    "hard": RengiStrength(16, 8, 2, 3, 2, 700_000, slips=0.03),
    "strong": RengiStrength(96, 14, 2, 4, 2, 1_000_000, races=True),
}
"""The levels by name, from weak to strong, where pairs come from a loop."""

IN_FREE_SUPPLY = {
    **STRENGTHS,
    "easy": replace(STRENGTHS["easy"], slips=0.08),
    "medium": replace(STRENGTHS["medium"], slips=0.2),
    "hard": replace(STRENGTHS["hard"], slips=0.06),
}
"""Where players choose their colours, looking two hands further is worth more: it slips more."""


def strengths(game: Game) -> dict[str, RengiStrength]:
    """The levels of Rengi in the mode of this game.

    >>> from lumiban import games
    >>> modes = [strengths(games.load("rengi", mode=mode)) for mode in ("open", "free")]
    >>> [levels["medium"].slips for levels in modes]
    [0.12, 0.2]
    """
    return IN_FREE_SUPPLY if game.options["supply"] == "free" else STRENGTHS

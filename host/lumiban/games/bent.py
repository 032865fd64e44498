"""What a game tells the search about itself: the ways in which it is best thought about."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Bent:
    """What a search that knows no rules should know of a game, as it stands in one position."""

    search: str = "uct"
    """The tree search that plays it best, by name; `docs/search.md` has the matches."""
    codes: int = 0
    """All codes of moves are below this; 0 where nobody has counted."""
    sides: Sequence[int] = ()
    """The side that makes each of the coming moves, where that is known however play goes; ()
    where a move's code tells its side, or nobody knows."""
    commutes: bool = False
    """Whether moves of one side in a row lead to the same position in any order."""

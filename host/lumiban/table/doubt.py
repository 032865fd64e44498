"""Which pieces may have been taken for each other: two of one colour in the air at once.

Sensors tell colours only. A piece that was lifted alone is the one that comes down again; of two
at once nobody but the people can tell, so they are asked.
"""

from __future__ import annotations

from collections.abc import Sequence

from lumiban.games.api import Kind, Position
from lumiban.games.laid import Laid

NAMES = "names"
"""Why the table waits: people are to see that each piece stands where the table has it."""


class Doubt:
    """What is in the air, and `cells` whose pieces may be exchanged."""

    def __init__(self) -> None:
        self.cells: frozenset[int] = frozenset()
        self._lay: set[int] = set()

    def watch(self, game: Laid, position: Position, kinds: Sequence[int]) -> None:
        """Look at the picture. A piece is in the air only if it has lain on its cell before."""
        up = []
        for cell, right in enumerate(game.pieces(position)):
            if right == Kind.EMPTY:
                self._lay.discard(cell)
            elif kinds[cell] == right:
                self._lay.add(cell)
            elif kinds[cell] == Kind.EMPTY and cell in self._lay:
                up.append(cell)
        if len(up) > 1:
            self.cells |= game.alike(position, up)

    def raised(self, cells: frozenset[int]) -> None:
        """These are exchanged, or may be."""
        self.cells |= cells

    def settled(self) -> None:
        """People have seen that all is right."""
        self.cells = frozenset()

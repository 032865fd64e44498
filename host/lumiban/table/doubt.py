"""Which pieces may have been taken for each other: two of one colour in the air at once.

Sensors tell colours only. A piece that was lifted alone is the one that comes down again; of two
at once nobody but the people can tell, so they are asked.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from lumiban.games.api import Effect, Kind, Position
from lumiban.games.laid import Laid

NAMES = "names"
"""Why the table waits: people are to see that each piece stands where the table has it."""


class Doubt:
    """What is in the air, and `cells` whose pieces may be exchanged; `strangers` are cells that
    were filled while no piece of that colour was in the air: it came from beside the board."""

    def __init__(self) -> None:
        self.cells: frozenset[int] = frozenset()
        self.strangers: set[int] = set()
        self._lay: set[int] = set()
        self._seen: tuple[int, ...] = ()

    def watch(self, game: Laid, position: Position, kinds: Sequence[int]) -> None:
        """Look at the picture. A piece is in the air only if it has lain on its cell before."""
        up = []
        should = game.pieces(position)
        for cell, right in enumerate(should):
            if right == Kind.EMPTY:
                self._lay.discard(cell)
            elif kinds[cell] == right:
                self._lay.add(cell)
            elif kinds[cell] == Kind.EMPTY and cell in self._lay:
                up.append(cell)
        if len(up) > 1:
            self.cells |= game.alike(position, up)
        self.strangers = {c for c in self.strangers if kinds[c] not in (Kind.EMPTY, should[c])}
        for cell, kind in enumerate(kinds):
            news = kind not in (Kind.EMPTY, should[cell]) and self._seen[cell : cell + 1] != (kind,)
            if news and all(should[other] != kind for other in up):
                self.strangers.add(cell)
        self._seen = tuple(kinds)

    def of(self, effects: Iterable[Effect]) -> frozenset[int]:
        """The cells that a move would empty although what fills another came from beside."""
        changes = tuple(effects)
        if not any(after and cell in self.strangers for cell, _, after in changes):
            return frozenset()
        return frozenset(cell for cell, _, after in changes if not after)

    def raised(self, cells: frozenset[int]) -> None:
        """These are exchanged, or may be."""
        self.cells |= cells

    def lifted_anew(self) -> None:
        """All pieces lie elsewhere now, moved one by one: what lay where means nothing."""
        self._lay.clear()
        self.strangers.clear()

    def settled(self) -> None:
        """People have seen that all is right."""
        self.cells = frozenset()

"""Which pieces may have been taken for each other: two of one colour in the air at once.

Sensors tell colours only. A piece that was lifted alone is the one that comes down again; of two
at once nobody but the people can tell, so they are asked.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from lumiban.games.base import Effect, Kind, Position
from lumiban.games.floating_game import Laid

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
        should = game.pieces(position)
        self._look_for_strangers(should, kinds)
        up = []
        for cell, right in enumerate(should):
            if right == Kind.EMPTY:
                self._lay.discard(cell)
            elif kinds[cell] == right:
                self._lay.add(cell)
            elif kinds[cell] == Kind.EMPTY and cell in self._lay:
                up.append(cell)
        if len(up) > 1:
            self.cells |= game.alike(position, up)

    def _look_for_strangers(self, should: Sequence[int], kinds: Sequence[int]) -> None:
        """A piece that came down while none of its colour was in the air came from beside."""
        before, self._seen = self._seen, tuple(kinds)
        news = [c for c, kind in enumerate(kinds) if before[c : c + 1] != (kind,)]
        in_air = dict.fromkeys((Kind.WHITE, Kind.BLACK, Kind.NEUTRAL), 0)
        for kind in in_air:
            lay = sum(should[cell] == kind for cell in self._lay)
            in_air[kind] = lay - sum(k == kind for c, k in enumerate(kinds) if c not in news)
        for cell in news:
            kind = Kind(kinds[cell])
            if kind not in in_air:
                continue
            in_air[kind] -= 1
            if in_air[kind] < 0 and (kind != should[cell] or cell in self._lay):
                self.strangers.add(cell)
        for cell in tuple(self.strangers):
            if kinds[cell] == Kind.EMPTY:
                self.strangers.discard(cell)
            elif kinds[cell] == should[cell]:
                self.strangers.discard(cell)
                self.cells |= {cell}

    def played(self, cells: Iterable[int]) -> None:
        """What stands on these cells is known: a move was played there."""
        self.strangers.difference_update(cells)

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

    def named_anew(self) -> None:
        """Somebody has just said what all pieces are."""
        self.lifted_anew()
        self.settled()

    def settled(self) -> None:
        """People have seen that all is right."""
        self.cells = frozenset()

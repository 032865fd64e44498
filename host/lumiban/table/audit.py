"""Asking whose is which: each named piece is lifted once on request and put back.

Sensors tell colours, names are remembered. After a power cut, or when somebody is not sure, the
hand that lifts a piece tells its name by lifting it.
"""

from __future__ import annotations

from collections.abc import Sequence

from lumiban.games.base import Game, Kind, Position, Refusal
from lumiban.table.referee import plan, unmasked
from lumiban.table.types import Repair, Wait

AUDIT = "audit"
"""Why the table waits: a piece is to be lifted and put back."""


class Audit:
    """One audit of a position's names, of the cells in `cells` only.

    `asked` are (name, cell) still to come; `found` says on which cell each name truly stood.
    """

    def __init__(self, game: Game, position: Position, cells: Sequence[int]) -> None:
        names = game.labels(position)
        self.asked = [(names[cell], cell) for cell in cells if names[cell]]
        self.found: dict[str, int] = {}
        self.exchanged: frozenset[int] = frozenset()
        self._should = tuple(map(int, game.pieces(position)))
        self._up: int | None = None
        self._named = dict(self.asked)

    @property
    def over(self) -> bool:
        """Whether every piece has been asked for."""
        return not self.asked

    @property
    def name(self) -> str:
        """The piece asked for now."""
        return self.asked[0][0]

    @property
    def up(self) -> bool:
        """Whether that piece is in the air now."""
        return self._up is not None

    def see(self, kinds: Sequence[int]) -> Wait | Repair:
        """Follow the picture; what is to be done next."""
        seen = unmasked(kinds, self._should)
        wrong = [c for c, kind in enumerate(seen) if kind != self._should[c]]
        if not wrong:
            if self._up is not None:
                self._answer(self._up)
            return Wait(AUDIT)
        cell = wrong[0]
        if len(wrong) > 1 or seen[cell] != Kind.EMPTY:
            return Repair(plan(seen, self._should))
        why = self._not_this(cell)
        if why is not None:
            return Repair(plan(seen, self._should), why)
        self._up = cell
        return Wait(AUDIT)

    def skip(self) -> None:
        """Take the piece asked for as standing where the table has it."""
        self._answer(self._named[self.name])

    def _not_this(self, cell: int) -> Refusal | None:
        if self._should[cell] != self._should[self._named[self.name]]:
            return Refusal("table.audit-colour", (cell,))
        if cell in self.found.values():
            return Refusal("table.audit-twice", (cell,))
        return None

    def _answer(self, cell: int) -> None:
        name, _ = self.asked.pop(0)
        self._up = None
        self.found[name] = cell
        if self.over:
            self.exchanged = frozenset(
                self._named[name] for name, at in self.found.items() if at != self._named[name]
            )

"""What one settled event means where there are no turns: each is judged by itself.

`Ground` is the board as far as it was judged. A piece that was refused, or that nobody saw come,
is dead until it is lifted: it never becomes a move by lying there. Which stones should stand the
position says; some of them may be in light only.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

from lumiban.games.base import Game, Kind, Move, Position, Refusal
from lumiban.table.referee import BLIND
from lumiban.table.types import Step

FOUND = "table.found-stone"
"""Nobody saw when it came."""
_STRANGE = {
    Kind.STACKED: "table.stacked-pieces",
    Kind.FOREIGN: "table.foreign-magnet",
}


class Ground:
    """The kinds `seen` on the game's cells by all events judged so far, and the `dead` pieces,
    each with the rule that refused it, latest last."""

    def __init__(self, cells: int) -> None:
        self.seen = [int(Kind.EMPTY)] * cells
        self.dead: dict[int, Refusal] = {}

    def take(
        self,
        game: Game,
        position: Position,
        cell: int,
        kind: int,
        *,
        people: Collection[int],
        closed: Refusal | None = None,
    ) -> Move | None:
        """Fold in that `cell` holds `kind` now; the move to play, if a piece that came is one.

        `people` are the sides that play by hand; `closed` says why nobody may place now. A kind
        that changes without a lift is no piece that came: it corrects what was read before.
        """
        before, self.seen[cell] = self.seen[cell], kind
        should = int(game.pieces(position)[cell])
        if kind in (Kind.EMPTY, should) or kind in BLIND:
            # Lifted, put back, filled in, put right, or not to be read any more.
            if kind not in BLIND:
                self.dead.pop(cell, None)
            return None
        if before != Kind.EMPTY:
            if should == Kind.EMPTY and cell not in self.dead:
                self._kill(cell, Refusal(FOUND, (cell,)))
            return None
        move = game.looks_like(position, {cell: kind})
        refusal = self._refusal(game, position, cell, kind, move, people) or closed
        if refusal is None:
            return move
        self._kill(cell, refusal)
        return None

    def _refusal(
        self,
        game: Game,
        position: Position,
        cell: int,
        kind: int,
        move: Move | None,
        people: Collection[int],
    ) -> Refusal | None:
        if move is None:
            return Refusal(_STRANGE.get(Kind(kind), "table.unknown-piece"), (cell,))
        if move.side not in people:
            return Refusal("table.machines-stone", (cell,))
        return game.why_not(position, move.side, move)

    def _kill(self, cell: int, refusal: Refusal) -> None:
        self.dead.pop(cell, None)
        self.dead[cell] = refusal

    def adopt(self, kinds: Sequence[int], should: Sequence[int]) -> None:
        """The board as it is found: what lies where it should not is dead, whoever put it there."""
        for cell, kind in enumerate(kinds):
            changed = kind != self.seen[cell]
            self.seen[cell] = int(kind)
            if kind == Kind.EMPTY or kind == should[cell]:
                self.dead.pop(cell, None)
            elif kind not in BLIND and (changed or should[cell] == Kind.EMPTY):
                self.dead.setdefault(cell, Refusal(FOUND, (cell,)))

    def missing(self, should: Sequence[int], light: Collection[int]) -> tuple[int, ...]:
        """Cells whose accepted stone is gone, but for those in light."""
        return tuple(
            cell
            for cell, kind in enumerate(should)
            if kind != Kind.EMPTY
            and cell not in light
            and (self.seen[cell] == Kind.EMPTY or (cell in self.dead and self.seen[cell] != kind))
        )

    def slipped(self, should: Sequence[int]) -> tuple[int, ...]:
        """Cells whose accepted stone reads as something else, though nobody lifted it."""
        return tuple(
            cell
            for cell, kind in enumerate(should)
            if kind != Kind.EMPTY
            and cell not in self.dead
            and self.seen[cell] not in (Kind.EMPTY, kind, *BLIND)
        )

    def plan(self, should: Sequence[int], light: Collection[int]) -> tuple[Step, ...]:
        """The steps that make the board show the position: lift what is dead, the latest first,
        put back what is missing, set right what slipped."""
        lifts = [*reversed(self.dead), *self.slipped(should)]
        places = [*self.missing(should, light), *self.slipped(should)]
        return (
            *(Step("lift", cell, self.seen[cell]) for cell in lifts),
            *(Step("place", cell, int(should[cell])) for cell in places),
        )

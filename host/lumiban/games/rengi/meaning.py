"""What cells of the board mean in Rengi: where a pair held upright would land."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lumiban.games.api import Mark, Position
from lumiban.games.rengi.notation import hand_of
from lumiban.games.rengi.plan import PASS

if TYPE_CHECKING:
    from lumiban.games.rengi.game import Rengi


def marks(game: Rengi, position: Position, level: str) -> tuple[Mark, ...]:
    """From `legal` on, the cells above each column that the mover's axis can reach."""
    if level == "none":
        return ()
    found: dict[Mark, None] = {}
    for side in game.movers(position):
        field = game.field(position, side)
        for move in game.moves(position, side):
            if move.code == PASS:
                continue
            _, column, _ = hand_of(move.code)
            row = sum(1 for line in field if line[column]) + 1
            found[Mark(game.cell(side, column, row), "may-place", side)] = None
    return tuple(found)

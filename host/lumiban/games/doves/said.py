"""What an action of Tokyo Doves does: wins threatened and averted, air, walls."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lumiban.games.api import Move, Position
from lumiban.games.doves import meaning
from lumiban.games.doves.notation import cell_of
from lumiban.games.doves.plan import CELLS, MOST, SIDE
from lumiban.games.said import Said as Said
from lumiban.games.said import said

if TYPE_CHECKING:
    from lumiban.games.doves.game import Doves


def says(game: Doves, position: Position, move: Move) -> tuple[Said, ...]:
    """The words for an action; its cells are those of the frame before it."""
    me, other = move.side, 1 - move.side
    after = game.play(position, move)
    if game.outcome(after) is not None:
        return ()
    columns, rows = game.shift(position, move, after)

    def back(cell: int) -> int:
        """The cell of the frame before the action, −1 where that has none."""
        row, column = cell // SIDE - rows, cell % SIDE - columns
        return SIDE * row + column if 0 <= row < SIDE and 0 <= column < SIDE else -1

    found = []
    wins = _winning(game, after, me)
    if wins:
        found.append(said("doves.threatens", _on(back(cell_of(game.places(after)[other])))))
    if _winning(game, position, other) and not _winning(game, after, other):
        found.append(said("doves.averts", [cell_of(game.places(position)[me])]))
    for side, more, fewer in ((other, "", "doves.takes-air"), (me, "doves.gives-air", "")):
        was = len(meaning.air(game, position, side))
        free = meaning.air(game, after, side)
        what = more if len(free) > was else fewer if len(free) < was else ""
        if what:
            found.append(said(what, _on(*map(back, free)), n=len(free)))
    was_, now = set(meaning.walls(game, position)), {back(c) for c in meaning.walls(game, after)}
    moved = sorted((now - was_) - {-1})
    if moved:
        found.append(said("doves.walls", moved))
    elif was_ and not meaning.walls(game, after):
        found.append(said("doves.no-walls", sorted(was_)))
    return tuple(found)


def _on(*cells: int) -> list[int]:
    return [cell for cell in cells if 0 <= cell < CELLS]


def _winning(game: Doves, position: Position, side: int) -> bool:
    """Whether `side` would win with its next action if it were to move."""
    root = game.state(game.position(game.places(position), side))
    state, out = game.state(game.position(game.places(position), side)), [0] * MOST
    for code in out[: root.moves(out)]:
        state.assign(root)
        state.play(code)
        if state.outcome() == side + 1:
            return True
    return False

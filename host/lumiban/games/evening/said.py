"""What a stone of Evening does: groups that grow, cells that open and close, and to whom."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lumiban.games.api import Move, Position
from lumiban.games.said import Said as Said
from lumiban.games.said import grown, longer, said

if TYPE_CHECKING:
    from lumiban.games.evening.game import Evening


def says(game: Evening, position: Position, move: Move) -> tuple[Said, ...]:
    """The words for a placement, the mover's side."""
    me, other = move.side, 1 - move.side
    cell = move.code % len(game.grid)
    after = game.play(position, move)
    stones, then = game.stones(position), game.stones(after)
    found = []
    if any(stones) and game.leader(position) != me and game.leader(after) == me:
        found.append(said("leads"))
    found += grown(game.grid.neighbours, stones, then, cell)
    found += longer(game.sizes(position)[me], game.sizes(after)[me])
    if not any(stones):
        return tuple(found)
    for side, whose in ((me, "own"), (other, "other")):
        was, now = (set(game.open_cells(at, side)) - {cell} for at in (position, after))
        for what, changed in (("opens", now - was), ("closes", was - now)):
            if changed:
                found.append(said(f"{what}-{whose}", sorted(changed), n=len(changed)))
    if not game.open_cells(after, other) and game.outcome(after) is None:
        found.append(said("shuts-out"))
    return tuple(found)

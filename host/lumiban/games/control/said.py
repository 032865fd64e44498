"""What a move of Control does: cells gained and taken, stones threatened and made safe."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lumiban.games.api import Move, Position
from lumiban.games.said import Said as Said
from lumiban.games.said import hurried, said

if TYPE_CHECKING:
    from lumiban.games.control.game import Control


def says(game: Control, position: Position, move: Move) -> tuple[Said, ...]:
    """The words for a placement or removal, the mover's side."""
    cells = len(game.grid)
    after = game.play(position, move)
    mine = 1 if move.side == 0 else -1
    before_, after_ = game.leans(position), game.leans(after)
    stones, then = game.stones(position), game.stones(after)
    was = [lean * mine for lean in before_]
    now = [lean * mine for lean in after_]
    everywhere = range(cells)
    found = []
    if move.code >= cells:
        found.append(said("captures", [move.code - cells], n=1))
    threatened = [c for c in everywhere if then[c] == -mine and now[c] > 0 >= was[c]]
    if threatened:
        found.append(said("threatens", threatened, n=len(threatened)))
    safe = [c for c in everywhere if stones[c] == then[c] == mine and was[c] < 0 <= now[c]]
    if safe:
        found.append(said("saves", safe, n=len(safe)))
    shut = [c for c in everywhere if then[c] == 0 and now[c] > 0 and was[c] <= 0]
    freed = [c for c in everywhere if then[c] == 0 and now[c] == 0 and was[c] < 0]
    if shut:
        found.append(said("gains", shut, n=len(shut)))
    if freed:
        found.append(said("frees", freed, n=len(freed)))
    return (*found, *hurried(game, after, 1 - move.side))

"""What a stone of Trivia does: groups that grow, groups kept apart, what the turn still owes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lumiban.games.api import Kind, Move, Position
from lumiban.games.groups import groups_of
from lumiban.games.said import Said as Said
from lumiban.games.said import grown, longer, said

if TYPE_CHECKING:
    from lumiban.games.trivia.game import Trivia


def says(game: Trivia, position: Position, move: Move) -> tuple[Said, ...]:
    """The words for an own or a red stone, the mover's side."""
    cells = len(game.grid)
    me, cell = move.side, move.code % cells
    after = game.play(position, move)
    stones, then = game.stones(position), game.stones(after)
    found = []
    if game.leader(position) != me and game.leader(after) == me:
        found.append(said("leads"))
    if move.code < cells:
        found += grown(game.grid.neighbours, stones, then, cell)
        found += longer(game.sizes(position)[me], game.sizes(after)[me])
    found += _hindered(game, stones, cell, Kind(2 - me))
    if me in game.movers(after):
        own, red = game.owed(after)
        for what, count in (("owes-own", own), ("owes-red", red)):
            if count:
                found.append(said(what, n=count))
    return tuple(found)


def _hindered(game: Trivia, stones: tuple[int, ...], cell: int, enemy: Kind) -> list[Said]:
    """Groups of the other side that this cell would have joined or let grow."""
    near = game.grid.neighbours
    beside = [
        group
        for group in groups_of(near, stones)
        if stones[group[0]] == enemy and set(group) & set(near[cell])
    ]
    if len(beside) > 1:
        whole = sorted(c for group in beside for c in group)
        return [said("parts", whole, n=len(beside), size=len(whole) + 1)]
    if not beside:
        return []
    (group,) = beside
    free = {c for at in group for c in near[at] if stones[c] == Kind.EMPTY and c != cell}
    what = "hems-in" if free else "stops"
    return [said(what, group, size=len(group), **({"n": len(free)} if free else {}))]

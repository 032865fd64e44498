"""Setting up a position of Evening, and telling those that no game reaches.

A position is looked through backwards: the last stone placed is one that, were it lifted, might
be placed; and so on to the first, white one. With the opening `pie` any stones may be set.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from lumiban.errors import GameError
from lumiban.games.api import BLACK, WHITE, Position
from lumiban.games.groups import cascade, group_sizes
from lumiban.games.majority import seen_from

if TYPE_CHECKING:
    from lumiban.games.evening.game import Evening

PATIENCE = 500
"""Positions looked at backwards before a position is taken for a possible one."""


def place(game: Evening, stones: Mapping[str, int], more: Mapping[str, object]) -> Position:
    """The position with these stones; GameError says why there is none."""
    if more:
        raise GameError(f"evening sets up stones only, not {', '.join(sorted(more))}")
    cells = [0] * len(game.grid)
    for name, side in stones.items():
        if side not in (WHITE, BLACK):
            raise GameError(f"on {name} stands 0 (White) or 1 (Black), not {side!r}")
        cells[game.grid.cell(name)] = 1 if side == WHITE else -1
    if not stones:
        return game.start()
    if 1 not in cells:
        raise GameError("black stones alone: in every opening there is a white stone first")
    if game.opening == "single":
        _check_patch(game, cells)
        if not _order_exists(game, cells):
            raise GameError(
                f"no order of play comes to these {cells.count(1)} white and"
                f" {cells.count(-1)} black stones: whichever are taken for the last ones, one of"
                " the others was set where its colour might not"
            )
    return game.position(cells)


def _check_patch(game: Evening, stones: list[int]) -> None:
    """Every stone but the first is set next to another, where only neighbours are seen."""
    if game.sees == "sight":
        return
    found = {next(cell for cell, stone in enumerate(stones) if stone)}
    todo = list(found)
    for cell in todo:
        more = [n for n in game.grid.neighbours[cell] if stones[n] and n not in found]
        found.update(more)
        todo += more
    for cell, stone in enumerate(stones):
        if stone and cell not in found:
            raise GameError(
                f"the stone on {game.grid.name(cell)} has no way over stones to that on"
                f" {game.grid.name(todo[0])}: each is set next to another, so that all of them"
                " are one patch"
            )


def _order_exists(game: Evening, stones: list[int]) -> bool:
    """Whether some order of placements leads here, or none was ruled out with `PATIENCE`."""
    left = list(stones)
    tried = {tuple(left)}
    lifted: list[int] = []
    lists: list[Iterator[int]] = [_might_be_last(game, left)]
    count = len(left) - left.count(0)
    while lists:
        if count == 1:
            return True
        cell = next(lists[-1], -1)
        if cell < 0:
            lists.pop()
            if lifted:
                cell = lifted.pop()
                left[cell] = stones[cell]
                count += 1
            continue
        left[cell] = 0
        if tuple(left) in tried:
            left[cell] = stones[cell]
            continue
        if len(tried) == PATIENCE:
            return True
        tried.add(tuple(left))
        lifted.append(cell)
        count -= 1
        lists.append(_might_be_last(game, left))
    return False


def _might_be_last(game: Evening, stones: list[int]) -> Iterator[int]:
    """Stones that might be placed where they are if they were not there; not the last white."""
    white = stones.count(1)
    for cell, stone in enumerate(stones):
        if stone == 0 or (stone > 0 and white == 1):
            continue
        stones[cell] = 0
        allowed = _lean(game, stones, cell) * stone < 0
        if allowed and not game.turnless:
            allowed = (leader(game, stones) == WHITE) == (stone < 0)
        stones[cell] = stone
        if allowed:
            yield cell


def _lean(game: Evening, stones: list[int], cell: int) -> int:
    """What an empty cell sees of White minus what it sees of Black."""
    if game.sees != "groups":
        proof = seen_from(game.grid, stones, cell, sight=game.sees == "sight")
        return sum(stones[c] for c in proof)
    neighbours = game.grid.neighbours
    found: set[int] = set()
    total = 0
    for first in neighbours[cell]:
        if stones[first] == 0 or first in found:
            continue
        found.add(first)
        group = [first]
        for c in group:
            for n in neighbours[c]:
                if n not in found and stones[n] == stones[first]:
                    found.add(n)
                    group.append(n)
        total += stones[first] * len(group)
    return total


def leader(game: Evening, stones: list[int]) -> int:
    """The side that would win with these stones, counted from scratch."""
    if game.options["wins"] == "stones":
        ahead = sum(stones)
    else:
        neighbours = game.grid.neighbours
        white, black = (group_sizes(neighbours, stones, kind) for kind in (1, -1))
        ahead = cascade(white, black)
    if ahead == 0 and game.options["tie"] == "odd-even" and stones.count(1) % 2 == 1:
        return WHITE
    return WHITE if ahead > 0 else BLACK

"""What a UCT tree knows of a later position becomes the beginning of that position's tree."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from lumiban.games.base import Position
from lumiban.search import jit
from lumiban.search.tree import USED
from lumiban.search.uct import Uct


def transplant_uct(old: Any, new: Any, node: int, queue: Any) -> int:
    """Copy the branch at `node` of `old` into the empty tree `new`; returns its number of nodes.

    Nearest nodes come first; children that find no room are as if they had never been seen.
    `queue` has an int for each node of `new`.
    """
    used = 1
    queue[0] = node
    room = len(queue)
    at = 0
    while at < used:
        source = queue[at]
        new.move[at] = old.move[source]
        new.side[at] = old.side[source]
        new.visits[at] = old.visits[source]
        new.score[at] = old.score[source]
        new.proof[at] = old.proof[source]
        new.first[at] = 0
        new.count[at] = 0
        count = old.count[source]
        if count > 0 and used + count <= room:
            new.first[at] = used
            new.count[at] = count
            for k in range(count):
                queue[used + k] = old.first[source] + k
            used += count
        at += 1
    new.meta[USED] = used
    return used


def onward_uct(
    search: Uct, codes: Sequence[int], position: Position, seed: int, playouts: int
) -> Uct | None:
    """The search of `position`, which these moves lead to, with what `search` knows of it; None
    where it has never looked there."""
    tree = search.tree
    node = 0
    for code in codes:
        first, count = int(tree.first[node]), int(tree.count[node])
        found = [child for child in range(first, first + count) if int(tree.move[child]) == code]
        if not found:
            return None
        node = found[0]
    visits = int(tree.visits[node])
    if visits == 0 or int(tree.count[node]) == 0:
        return None
    later = Uct(search.game, position, seed, playouts + visits, search.compiled, search.room)
    room = len(later.tree.move)
    run, queue = transplant_uct, [0] * room
    if later.compiled:
        run, queue = jit.compiled(transplant_uct, type(later._state())), jit.zeros(room)
    run(tree, later.tree, node, queue)
    return later

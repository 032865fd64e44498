"""What a GRAVE tree knows of a later position becomes the beginning of that position's tree."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from lumiban.games.base import Position
from lumiban.search import jit
from lumiban.search.grave import (
    FIRST,
    LEFT,
    MADE,
    MASK,
    NEED,
    NEXT,
    NODE,
    PROOF,
    TABLE,
    TABLES,
    TOLD,
    Grave,
)
from lumiban.search.tree import UNKNOWN, USED


def transplant(old: Any, new: Any, node: int, table: int, queue: Any) -> int:
    """Copy the branch at `node` of `old` into the empty tree `new`; returns its number of nodes.

    `table` is the one that `node` reads. Nearest nodes come first; what finds no room is as if it
    had never been seen. `queue` has an int for each node of `new`.
    """
    width = 2 * (old.rule[MASK] + 1)
    used = 1
    queue[0] = node
    room = len(queue)
    at = 0
    while at < used:
        source = NODE * queue[at]
        goal = NODE * at
        new.nodes[goal + TOLD] = old.nodes[source + TOLD]
        new.nodes[goal + LEFT] = old.nodes[source + LEFT]
        new.nodes[goal + NEED] = old.nodes[source + NEED]
        new.nodes[goal + FIRST] = 0
        if at == 0:
            # A new root answers for all its moves, also those that a sibling of it had taken over.
            new.nodes[goal + PROOF] = UNKNOWN
            new.nodes[goal + LEFT] = -1
            new.nodes[goal + TABLE] = 0
            for i in range(width):
                new.tables[i] = old.tables[table * width + i]
        else:
            new.nodes[goal + MADE] = old.nodes[source + MADE]
            new.nodes[goal + PROOF] = old.nodes[source + PROOF]
            new.nodes[goal + TABLE] = -1
            own = old.nodes[source + TABLE]
            taken = new.meta[TABLES]
            if own >= 0 and (taken + 1) * width <= len(new.tables):
                for i in range(width):
                    new.tables[taken * width + i] = old.tables[own * width + i]
                new.nodes[goal + TABLE] = taken
                new.meta[TABLES] = taken + 1
        have = 0
        last = 0
        child = old.nodes[source + FIRST]
        while child != 0:
            if used < room:
                queue[used] = child
                new.nodes[NODE * used + NEXT] = 0
                if have == 0:
                    new.nodes[goal + FIRST] = used
                else:
                    new.nodes[NODE * last + NEXT] = used
                last = used
                used += 1
                have += 1
            elif at != 0:
                new.nodes[goal + LEFT] += 1
            child = old.nodes[NODE * child + NEXT]
        new.nodes[goal + NEED] = new.need[have]
        at += 1
    new.meta[USED] = used
    return used


def onward(
    search: Grave, codes: Sequence[int], position: Position, seed: int, playouts: int
) -> Grave | None:
    """The search of `position`, which these moves lead to, with what `search` knows of it; None
    where it has never looked there."""
    nodes = search.wood.nodes
    node, table = 0, 0
    for code in codes:
        child = int(nodes[NODE * node + FIRST])
        while child and int(nodes[NODE * child + MADE]) >> 1 != code:
            child = int(nodes[NODE * child + NEXT])
        if not child:
            return None
        node = child
        if int(nodes[NODE * node + TABLE]) >= 0:
            table = int(nodes[NODE * node + TABLE])
    visits = int(nodes[NODE * node + TOLD]) >> 32
    if visits == 0:
        return None
    later = Grave(search.game, position, seed, playouts + visits, search.compiled, search.room)
    room = len(later.wood.nodes) // NODE
    run, queue = transplant, [0] * room
    if later.compiled:
        run, queue = jit.compiled(transplant, type(later._state())), jit.zeros(room)
    run(search.wood, later.wood, node, table, queue)
    return later

"""The search tree: flat arrays of ints, set aside at once, and the tables of its formula.

Node 0 is the root; the children of a node lie side by side. Plain and compiled search share the
tables, so that both choose the same move down to the last bit.
"""

from __future__ import annotations

import math
from functools import cache
from typing import Any, NamedTuple

from lumiban.games.kernel import kernel
from lumiban.search import jit

EXPLORATION = 0.4
"""Weight of the unknown against the known, for values between 0 and 1. In 60 games of Control on
side 5 with 1 500 playouts a move, 0.4 won 38 against 0.6; 0.25 won 32 and 0.9 won 26."""
TABLE = 1 << 12
"""Visit counts with an entry of their own in the tables; a power of 4."""
MOST_NODES = 1 << 20
"""Bound of a tree: 56 MB."""
NODE_BYTES = 56
"""7 ints of 8 bytes."""

UNKNOWN = -1
"""A node's `proof` while its outcome is not certain; else the outcome's code."""
USED, FAULT = 0, 1
"""Places in `meta`: nodes in use; 1 once a State ran out of room."""


class Tree(NamedTuple):
    """The nodes, by number; `score` counts 2 for a win of White's and 1 for a draw."""

    move: Any
    """The move that leads here."""
    side: Any
    """The side to move; known from the first visit on."""
    first: Any
    """The first child, where `count` is not 0."""
    count: Any
    """Children; 0 for a leaf."""
    visits: Any
    score: Any
    proof: Any
    meta: Any


class Tables(NamedTuple):
    """Parts of the UCB formula by visit count."""

    reach: Any
    """`EXPLORATION · √ln n` of a parent; behind `TABLE` one entry for each length in bits."""
    spread: Any
    """1 ⁄ √n of a child."""


def new_tree(nodes: int, compiled: bool) -> Tree:
    """An empty tree with room for so many nodes."""
    fields = [jit.zeros(nodes) if compiled else [0] * nodes for _ in range(7)]
    fields.append(jit.ints([1, 0]) if compiled else [1, 0])
    tree = Tree(*fields)
    tree.proof[0] = UNKNOWN
    return tree


@cache
def tables(compiled: bool) -> Tables:
    """The tables, as lists or as arrays with the same numbers."""
    reach = [EXPLORATION * math.sqrt(math.log(max(n, 1))) for n in range(TABLE)]
    reach += [EXPLORATION * math.sqrt(math.log(1 << bits)) for bits in range(64)]
    spread = [1.0] + [1.0 / math.sqrt(n) for n in range(1, TABLE)]
    if compiled:
        return Tables(jit.floats(reach), jit.floats(spread))
    return Tables(reach, spread)


@kernel
def reach(table: Any, n: int) -> float:
    """`EXPLORATION · √ln n`, in steps of powers of 2 above the table."""
    if n < TABLE:
        return table.reach[n]  # type: ignore[no-any-return]  # fields are Any for the compiler
    bits = 0
    while n > 1:
        n >>= 1
        bits += 1
    return table.reach[TABLE + bits]  # type: ignore[no-any-return]  # as above


@kernel
def spread(table: Any, n: int) -> float:
    """1 ⁄ √n; above the table to its precision."""
    scale = 1.0
    while n >= TABLE:
        n >>= 2
        scale *= 0.5
    return scale * table.spread[n]  # type: ignore[no-any-return]  # as above


@kernel
def descend(tree: Any, table: Any, node: int) -> int:
    """The child to look at next: one never seen, else the one with the highest upper bound."""
    side = tree.side[node]
    lost = 2 - side
    horizon = reach(table, tree.visits[node])
    first: int = tree.first[node]
    best: int = first
    top = -1.0
    for child in range(first, first + tree.count[node]):
        n = tree.visits[child]
        if n == 0:
            return child
        if tree.proof[child] == lost:
            continue
        score = tree.score[child]
        if side != 0:
            score = 2 * n - score
        bound = score / (2 * n) + horizon * spread(table, n)
        if bound > top:
            top = bound
            best = child
    return best


@kernel
def settle(tree: Any, node: int) -> bool:
    """Prove a node from its children if they suffice; returns whether they did."""
    won = tree.side[node] + 1
    verdict = 3 - won
    open_children = 0
    first = tree.first[node]
    for child in range(first, first + tree.count[node]):
        proof = tree.proof[child]
        if proof == won:
            tree.proof[node] = won
            return True
        if proof == UNKNOWN:
            open_children += 1
        elif proof == 0:
            verdict = 0
    if open_children > 0:
        return False
    tree.proof[node] = verdict
    return True

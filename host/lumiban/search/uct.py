"""UCT over a game's kernel: upper confidence bounds in the tree, random play below it.

One text runs plain and compiled, with the same moves. Outcomes that are certain are proven in the
tree: a won child proves its parent, and lost children are not looked at again. Draws count half.
The work comes in slices of playouts, between which one can stop or report. What a tree knows of a
later position becomes the beginning of that position's tree.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from lumiban.games.base import Position
from lumiban.games.kernel import State, entry, hash_table, kernel, randint_below
from lumiban.search import jit
from lumiban.search.tree import (
    FAULT,
    MAX_NODES,
    NODE_BYTES,
    UNKNOWN,
    USED,
    Choice,
    Tables,
    Tree,
    TreeSearch,
    descend,
    new_tree,
    settle,
    tables,
)

EXPAND_AT = 2
"""Visits of a leaf after which it gets children."""


@kernel
def expand(tree: Any, state: Any, out: Any, rng: Any, node: int) -> None:
    """Give a leaf its children, in random order; a full tree stays as it is."""
    n = state.moves(out)
    first = tree.meta[USED]
    if n == 0 or first + n > len(tree.move):
        return
    for i in range(n - 1, 0, -1):
        j = randint_below(rng, i + 1)
        move = out[i]
        out[i] = out[j]
        out[j] = move
    for i in range(n):
        tree.move[first + i] = out[i]
        tree.proof[first + i] = UNKNOWN
    tree.first[node] = first
    tree.count[node] = n
    tree.meta[USED] = first + n


@entry
def grow(
    tree: Tree, table: Tables, root: State, state: State,
    path: Any, trace: Any, out: Any, rng: Any, playouts: int,
) -> int:  # fmt: skip
    """Add a number of playouts to the tree; returns how many it took (fewer once all is proven)."""
    for done in range(playouts):
        if tree.proof[0] != UNKNOWN or tree.meta[FAULT] != 0:
            return done
        state.assign(root)
        node = 0
        depth = 0
        path[0] = 0
        while tree.proof[node] == UNKNOWN:
            if tree.count[node] == 0:
                if node != 0 and tree.visits[node] < EXPAND_AT:
                    break
                tree.side[node] = state.mover()
                expand(tree, state, out, rng, node)
                if tree.count[node] == 0:
                    break
            node = descend(tree, table, node)
            state.play(tree.move[node])
            depth += 1
            path[depth] = node
        code = tree.proof[node]
        if code == UNKNOWN:
            if tree.visits[node] == 0:
                code = state.outcome()
                tree.proof[node] = code
            if code == UNKNOWN:
                trace[0] = 0
                code = state.playout(rng, trace)
        if code < 0:
            tree.meta[FAULT] = 1
            return done
        score = 1 if code == 0 else 4 - 2 * code
        for d in range(depth + 1):
            tree.visits[path[d]] += 1
            tree.score[path[d]] += score
        while depth > 0 and tree.proof[path[depth]] != UNKNOWN:
            depth -= 1
            if not settle(tree, path[depth]):
                break
    return playouts


class Uct(TreeSearch):
    """UCT as a search that grows; see `TreeSearch`."""

    def _set_out(self) -> None:
        branches, plies = self.game.capacity
        root, state = self._state(), self._state()
        path, trace, out = [0] * (plies + 2), [0] * (plies + 2), [0] * (branches + 1)
        rng = hash_table(1, self.seed)
        self._run = grow
        if self.compiled:
            self._run = jit.compiled(grow, type(root))
            root, state = jit.compiled_state(root), jit.compiled_state(state)
            path, trace, out, rng = (jit.ints(part) for part in (path, trace, out, rng))
        nodes = min(MAX_NODES, self.room.bytes // NODE_BYTES, 1 + (self.most + 1) * branches)
        self.tree = new_tree(nodes, self.compiled)
        self._rest = (tables(self.compiled), root, state, path, trace, out, rng)

    def _grow(self, playouts: int) -> int:
        return int(self._run(self.tree, *self._rest, playouts))

    @property
    def _meta(self) -> Any:
        return self.tree.meta

    @property
    def proof(self) -> int:
        """The outcome's code where it is certain, else `UNKNOWN`."""
        return int(self.tree.proof[0])

    def choices(self, node: int = 0) -> list[Choice]:
        """The moves at a node, in the order in which it looks at them."""
        tree = self.tree
        side = int(tree.side[node])
        return [
            Choice(
                int(tree.move[child]),
                side,
                int(tree.visits[child]),
                int(tree.score[child]),
                int(tree.proof[child]),
            )
            for child in self._children(node)
        ]

    def expected_moves(self, code: int) -> list[int]:
        """The moves expected from here, the one with this code first."""
        tree = self.tree
        node = next(child for child in self._children(0) if int(tree.move[child]) == code)
        moves = [code]
        while choices := self.choices(node):
            best = max(choices, key=lambda choice: choice.rank)
            node = self._children(node)[choices.index(best)]
            moves.append(best.code)
        return moves

    def _children(self, node: int) -> range:
        first = int(self.tree.first[node])
        return range(first, first + int(self.tree.count[node]))


@entry
def transplant_uct(old: Tree, new: Tree, node: int, queue: Any) -> int:
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
        children = [child for child in range(first, first + count) if int(tree.move[child]) == code]
        if not children:
            return None
        node = children[0]
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

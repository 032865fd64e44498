"""UCT over a game's kernel: upper confidence bounds in the tree, random play below it.

One text runs plain and compiled, with the same moves. Outcomes that are certain are proven in
the tree: a won child proves its parent, and lost children are not looked at again. Draws count
half. The work comes in slices of playouts, between which one can stop or report.
"""

from __future__ import annotations

from typing import Any

from lumiban.errors import GameError
from lumiban.games.api import Game, Position
from lumiban.games.kernel import below, hash_table, kernel
from lumiban.search import jit
from lumiban.search.tree import (
    FAULT,
    MOST_NODES,
    UNKNOWN,
    USED,
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
        j = below(rng, i + 1)
        move = out[i]
        out[i] = out[j]
        out[j] = move
    for i in range(n):
        tree.move[first + i] = out[i]
        tree.proof[first + i] = UNKNOWN
    tree.first[node] = first
    tree.count[node] = n
    tree.meta[USED] = first + n


def grow(
    tree: Any, table: Any, root: Any, state: Any,
    path: Any, trace: Any, out: Any, rng: Any, playouts: int,
) -> int:  # fmt: skip
    """Add so many playouts to the tree; returns how many it took (fewer once all is proven)."""
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


class Search:
    """A tree for one position that grows as long as one asks it to.

    `seed` decides all chance; `playouts` is the most that will be asked for and bounds the
    memory together with `MOST_NODES`. `compiled` runs the same text compiled.
    """

    def __init__(
        self, game: Game, position: Position, seed: int, playouts: int, compiled: bool
    ) -> None:
        self._from = (game, position, seed, playouts)
        self.playouts = 0
        self._set_out(compiled and jit.fits(game.state(position)))

    def _set_out(self, compiled: bool) -> None:
        game, position, seed, playouts = self._from
        branches, plies = game.capacity
        root, state = game.state(position), game.state(position)
        path, trace, out = [0] * (plies + 2), [0] * (plies + 2), [0] * (branches + 1)
        rng = hash_table(1, seed)
        self.compiled = compiled
        self._run = grow
        if compiled:
            self._run = jit.compiled(grow, type(root))
            root, state = jit.compiled_state(root), jit.compiled_state(state)
            path, trace, out, rng = (jit.ints(part) for part in (path, trace, out, rng))
        self.tree = new_tree(min(MOST_NODES, 1 + (playouts + 1) * branches), compiled)
        self._rest = (tables(compiled), root, state, path, trace, out, rng)

    def grow(self, playouts: int) -> int:
        """Play so many games more; returns how many, fewer once the root is proven.

        GameError when the rules ran out of room to remember the game.
        """
        try:
            done = int(self._run(self.tree, *self._rest, playouts))
        except jit.Unfit:
            self._set_out(compiled=False)
            return self.grow(playouts)
        self.playouts += done
        if self.tree.meta[FAULT]:
            raise GameError("this game is too long to think about: it has no room to remember it")
        return done

    @property
    def proven(self) -> bool:
        """Whether the outcome of the position is certain."""
        return bool(self.tree.proof[0] != UNKNOWN)

    def children(self, node: int = 0) -> list[int]:
        """Numbers of a node's children in the tree."""
        first = int(self.tree.first[node])
        return list(range(first, first + int(self.tree.count[node])))

    def value(self, node: int, side: int) -> float:
        """What a node is worth for `side`, from 0 to 1; 0.5 where nothing is known."""
        proof = int(self.tree.proof[node])
        if proof == UNKNOWN:
            visits = int(self.tree.visits[node])
            white = int(self.tree.score[node]) / (2 * visits) if visits else 0.5
        else:
            white = (0.5, 1.0, 0.0)[proof]
        return 1.0 - white if side else white

    def best(self, node: int = 0) -> int:
        """The child to play: won for certain, else the most visited that is not lost; or −1."""
        side = int(self.tree.side[node])

        def worth(child: int) -> tuple[int, int, float]:
            proof = int(self.tree.proof[child])
            certain = {side + 1: 1, 2 - side: -1}.get(proof, 0)
            return certain, int(self.tree.visits[child]), self.value(child, side)

        children = self.children(node)
        if not children:
            return -1
        return max(children, key=worth)

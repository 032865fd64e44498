"""GRAVE with progressive widening: what random games say of a move wherever they make it.

A node that has been seen often keeps a table of its playouts: for each move, how the games went in
which it was made at any later time. A node seen seldom reads the table of its nearest ancestor that
has one. So each move has a worth before it is tried. A node gets its children one by one, the most
promising first, the more the oftener it is seen: the tree grows by one node a playout, and a
descent looks at few children.

One text runs plain and compiled, with the same moves. Wins and losses are proven as in UCT. What a
tree knows of a later position becomes the beginning of that position's tree (`reroot`).

After Tristan Cazenave, "Generalized Rapid Action Value Estimation", IJCAI 2015, and Rémi Coulom,
"Computing Elo ratings of move patterns in the game of Go", 2007 (widening).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from lumiban.games.base import Position
from lumiban.games.kernel import hash_table, kernel, randint_below
from lumiban.search import jit
from lumiban.search.tree import FAULT, UNKNOWN, USED, Choice, TreeSearch

NODE = 8
"""Ints a node: one line of a processor's cache."""
MADE, FIRST, NEXT, TOLD, PROOF, TABLE, LEFT, NEED = 0, 1, 2, 3, 4, 5, 6, 7
"""Places in a node: the move that leads here, twice its code and the side that made it; the child
that came last; the sibling that came before it; playouts, `ONE` each, and White's score; proof;
table or −1; moves without a child yet, −1 before there are any; visits at which the next comes."""
ONE = 1 << 32
LOW = ONE - 1
_CLOSE = 1e-9
"""Values so close to the best are told exactly."""
TABLES = 2
"""Place in `meta`: tables in use, behind `USED` and `FAULT`."""
MASK, SIDED, COMMUTES, REF, EXPAND = 0, 1, 2, 3, 4
"""Places in `rule`: which bits of a code make its place in a table; whether the side is told
apart; whether moves of one turn commute; visits that a table takes; visits of a leaf that its
first child takes."""


class Wood(NamedTuple):
    """The tree with all that is constant about it."""

    nodes: Any
    tables: Any
    """For each table and move, of White and of Black in turn: playouts and score, as `TOLD`."""
    meta: Any
    rule: Any
    bias: Any
    """One float: how soon a move's own record counts for more than the table's."""
    need: Any
    """By number of children: the visits at which one more comes."""
    sides: Any
    """The side that makes each move from the root on; zeros where it does not matter."""


@kernel
def worth(told: int, side: int) -> float:
    """The share that `side` has of the playouts in a record; 0.5 of none."""
    n = told >> 32
    if n == 0:
        return 0.5
    score = told & LOW
    if side != 0:
        score = 2 * n - score
    return score / (2 * n)


@kernel
def strike(wood: Any, out: Any, n: int, child: int) -> int:
    """Strike out (as −1) the moves of `child` and the siblings that came before it; how many."""
    nodes = wood.nodes
    struck = 0
    while child != 0:
        move = nodes[NODE * child + MADE] >> 1
        for i in range(n):
            if out[i] == move:
                out[i] = -1
                struck += 1
                break
        child = nodes[NODE * child + NEXT]
    return struck


@kernel
def widen(wood: Any, state: Any, out: Any, rng: Any, node: int, base: int, side: int) -> int:
    """Give a node one more child, of the most promising move left; the child, or −1.

    Where moves commute, those with which an older sibling began the same turn are left to it: a
    node with no other moves counts as lost.
    """
    nodes = wood.nodes
    at = NODE * node
    new: int = wood.meta[USED]
    if NODE * new >= len(nodes):
        nodes[at + NEED] = ONE
        return -1
    n = state.moves(out)
    elsewhere = 0
    if wood.rule[COMMUTES] != 0 and node != 0 and (nodes[at + MADE] & 1) == side:
        elsewhere = strike(wood, out, n, nodes[at + NEXT])
    have = strike(wood, out, n, nodes[at + FIRST])
    left = n - elsewhere - have
    if left == 0:
        nodes[at + LEFT] = 0
        if elsewhere > 0 and have == 0:
            nodes[at + PROOF] = 2 - side
        return -1
    mask = wood.rule[MASK]
    tables = wood.tables
    base += side * wood.rule[SIDED]
    best = -1
    # The highest share so far, as a fraction; products tell which is higher without dividing.
    points, games = -1, 1
    i = randint_below(rng, n)
    for _ in range(n):
        move = out[i]
        if move >= 0:
            told = tables[base + 2 * (move & mask)]
            m = 2 * (told >> 32)
            score = told & LOW
            if side != 0:
                score = m - score
            if m == 0:
                score, m = 1, 2
            if score * games > points * m:
                points, games = score, m
                best = move
        i += 1
        if i == n:
            i = 0
    wood.meta[USED] = new + 1
    c = NODE * new
    nodes[c + MADE] = 2 * best + side
    nodes[c + NEXT] = nodes[at + FIRST]
    nodes[c + PROOF] = UNKNOWN
    nodes[c + TABLE] = -1
    nodes[c + LEFT] = -1
    nodes[at + FIRST] = new
    nodes[at + LEFT] = left - 1
    nodes[at + NEED] = wood.need[have + 1] if left > 1 else ONE
    return new


@kernel
def choose(wood: Any, node: int, base: int, side: int) -> int:
    """The child to look at next: the best by its own record and the table's; −1 if all lost."""
    nodes = wood.nodes
    tables = wood.tables
    mask = wood.rule[MASK]
    bias = wood.bias[0]
    base += side * wood.rule[SIDED]
    lost = 2 - side
    child: int = nodes[NODE * node + FIRST]
    best: int = -1
    top = -1.0
    while child != 0:
        c = NODE * child
        told = nodes[c + TOLD]
        guess = tables[base + 2 * ((nodes[c + MADE] >> 1) & mask)]
        n = told >> 32
        m = guess >> 32
        own = told & LOW
        their = guess & LOW
        if side != 0:
            own = 2 * n - own
            their = 2 * m - their
        # Its value is points through games: most children are seen to be worse without dividing.
        weight = 1.0 + bias * m
        points = weight * own + their
        games = 2.0 * (m + weight * n)
        if points >= (top - _CLOSE) * games and nodes[c + PROOF] != lost:
            value = worth(told, side)
            if m > 0:
                beta = m / (m + n + bias * m * n)
                value = (1.0 - beta) * value + beta * worth(guess, side)
            if value > top:
                top = value
                best = child
        child = nodes[c + NEXT]
    return best


@kernel
def backpropagate(wood: Any, path: Any, order: Any, depth: int, plies: int, score: int) -> None:
    """Note a playout at all nodes of its path, and in their tables all moves from there on."""
    nodes = wood.nodes
    told = ONE + score
    width = 2 * (wood.rule[MASK] + 1)
    ref = wood.rule[REF]
    for d in range(depth + 1):
        at = NODE * path[d]
        nodes[at + TOLD] += told
        table = nodes[at + TABLE]
        if table < 0:
            table = wood.meta[TABLES]
            if nodes[at + TOLD] >> 32 < ref or nodes[at + LEFT] == -1:
                continue
            if (table + 1) * width > len(wood.tables):
                continue
            wood.meta[TABLES] = table + 1
            nodes[at + TABLE] = table
        first = table * width
        for i in range(d, plies):
            wood.tables[first + order[i]] += told


@kernel
def prove(wood: Any, node: int, side: int) -> bool:
    """Prove a node from its children if they suffice; returns whether they did."""
    nodes = wood.nodes
    won = side + 1
    verdict = 3 - won
    unsure = nodes[NODE * node + LEFT] != 0
    child = nodes[NODE * node + FIRST]
    while child != 0:
        proof = nodes[NODE * child + PROOF]
        if proof == won:
            nodes[NODE * node + PROOF] = won
            return True
        if proof == UNKNOWN:
            unsure = True
        elif proof == 0:
            verdict = 0
        child = nodes[NODE * child + NEXT]
    if unsure:
        return False
    nodes[NODE * node + PROOF] = verdict
    return True


def grow(
    wood: Any, root: Any, state: Any,
    path: Any, trace: Any, order: Any, out: Any, rng: Any, playouts: int,
) -> int:  # fmt: skip
    """Add so many playouts to the tree; returns how many it took (fewer once all is proven)."""
    nodes = wood.nodes
    mask = wood.rule[MASK]
    sided = wood.rule[SIDED]
    width = 2 * (mask + 1)
    for done in range(playouts):
        if nodes[PROOF] != UNKNOWN or wood.meta[FAULT] != 0:
            return done
        state.assign(root)
        node = 0
        depth = 0
        path[0] = 0
        base = 0
        while nodes[NODE * node + PROOF] == UNKNOWN:
            at = NODE * node
            visits = nodes[at + TOLD] >> 32
            if node != 0 and visits < wood.rule[EXPAND]:
                break
            if nodes[at + TABLE] >= 0:
                base = nodes[at + TABLE] * width
            side = state.mover()
            child = -1
            if nodes[at + LEFT] != 0 and visits >= nodes[at + NEED]:
                child = widen(wood, state, out, rng, node, base, side)
            if child < 0:
                child = choose(wood, node, base, side)
            if child < 0 and nodes[at + FIRST] != 0 and nodes[at + LEFT] > 0:
                child = widen(wood, state, out, rng, node, base, side)
            if child < 0:
                break
            node = child
            move = nodes[NODE * node + MADE] >> 1
            state.play(move)
            order[depth] = 2 * (move & mask) + side * sided
            depth += 1
            path[depth] = node
        at = NODE * node
        code = nodes[at + PROOF]
        trace[0] = 0
        if code == UNKNOWN:
            if nodes[at + TOLD] == 0:
                code = state.outcome()
                nodes[at + PROOF] = code
            if code == UNKNOWN:
                code = state.playout(rng, trace)
        if code < 0:
            wood.meta[FAULT] = 1
            return done
        plies = depth
        for i in range(1, trace[0] + 1):
            order[plies] = 2 * (trace[i] & mask) + wood.sides[plies]
            plies += 1
        backpropagate(wood, path, order, depth, plies, 1 if code == 0 else 4 - 2 * code)
        while depth > 0 and nodes[NODE * path[depth] + PROOF] != UNKNOWN:
            depth -= 1
            if not prove(wood, path[depth], nodes[NODE * path[depth + 1] + MADE] & 1):
                break
    return playouts


@dataclass(frozen=True, slots=True)
class Tuning:
    """What the matches in `docs/search.md` were about."""

    bias: float = 1e-4
    """With so many playouts of its own that bias · n = 1, a move's record counts as much as an
    endless table."""
    widening: int = 2
    """A node has k children from (k − 1) to the power of this visits on."""
    ref: int = 50
    expand: int = 1


MOST_NODES = 1 << 20
"""Bound of a tree, 64 MB."""
_FEWEST_NODES = 64


class Grave(TreeSearch):
    """GRAVE as a search that grows; see `TreeSearch`."""

    tuning = Tuning()

    def _state(self) -> Any:
        return self.game.search_state(self.position)

    def _set_out(self) -> None:
        game, tuning, compiled = self.game, self.tuning, self.compiled
        branches, plies = game.capacity
        bent = game.search_hints(self.position)
        root, state = self._state(), self._state()
        # A code beyond the mask shares its place with another: a worse guess, no more.
        places = 1 << max(bent.codes or 2 * branches, 2).bit_length()
        nodes = min(self.most + 2, MOST_NODES, self.room.bytes // (2 * 8 * NODE))
        nodes = max(nodes, _FEWEST_NODES)
        tables = min(2 + 2 * self.most // tuning.ref, self.room.bytes // (2 * 16 * places))
        sides = [*bent.sides, *([0] * (plies + 2))][: plies + 2]
        rule = [places - 1, int(bool(bent.sides)), int(bent.commutes), tuning.ref, tuning.expand]
        need = [k**tuning.widening for k in range(branches + 2)]

        def ints(values: list[int]) -> Any:
            return jit.ints(values) if compiled else values

        def zeros(length: int) -> Any:
            return jit.zeros(length) if compiled else [0] * length

        self.wood = Wood(
            zeros(NODE * nodes),
            zeros(2 * places * max(1, tables)),
            ints([1, 0, 1]),
            ints(rule),
            jit.floats([tuning.bias]) if compiled else [tuning.bias],
            ints(need),
            ints(sides),
        )
        self.wood.nodes[PROOF] = UNKNOWN
        self.wood.nodes[LEFT] = -1
        self._run = grow
        if compiled:
            self._run = jit.compiled(grow, type(root))
            root, state = jit.compiled_state(root), jit.compiled_state(state)
        path, trace, order = (zeros(length) for length in (plies + 2, plies + 2, 2 * plies + 4))
        rng = ints(hash_table(1, self.seed))
        self._rest = (root, state, path, trace, order, zeros(branches + 1), rng)

    def _grow(self, playouts: int) -> int:
        return int(self._run(self.wood, *self._rest, playouts))

    @property
    def _meta(self) -> Any:
        return self.wood.meta

    @property
    def proof(self) -> int:
        """The outcome's code where it is certain, else `UNKNOWN`."""
        return int(self.wood.nodes[PROOF])

    def choices(self) -> list[Choice]:
        """The moves at the root that it has looked at."""
        return [self._choice(child) for child in self._children(0)]

    def expected_moves(self, code: int) -> list[int]:
        """The moves expected from here, the one with this code first."""
        node = next(child for child in self._children(0) if self._choice(child).code == code)
        found = [code]
        while children := self._children(node):
            node = max(children, key=lambda child: self._choice(child).rank)
            found.append(self._choice(node).code)
        return found

    def _children(self, node: int) -> list[int]:
        """A node's children, the oldest first."""
        nodes = self.wood.nodes
        child = int(nodes[NODE * node + FIRST])
        found = []
        while child:
            found.append(child)
            child = int(nodes[NODE * child + NEXT])
        return found[::-1]

    def _choice(self, node: int) -> Choice:
        made, told, proof = (int(self.wood.nodes[NODE * node + at]) for at in (MADE, TOLD, PROOF))
        return Choice(made >> 1, made & 1, told >> 32, told & LOW, proof)


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


def reroot(
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

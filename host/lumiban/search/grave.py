"""GRAVE with progressive widening: what random games say of a move wherever they make it.

A node that has been seen often keeps a table of its playouts: for each move, how the games went in
which it was made at any later time. A node seen seldom reads the table of its nearest ancestor that
has one. So each move has a worth before it is tried. A node gets its children one by one, the most
promising first, the more the oftener it is seen: the tree grows by one node a playout, and a
descent looks at few children. Moves are listed and ranked for two children at once: most nodes
never get a third.

One text runs plain and compiled, with the same moves. Wins and losses are proven as in UCT. What a
tree knows of a later position becomes the beginning of that position's tree (`reroot`).

After Tristan Cazenave, "Generalized Rapid Action Value Estimation", IJCAI 2015, and Rémi Coulom,
"Computing Elo ratings of move patterns in the game of Go", 2007 (widening).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from lumiban.games.base import Position
from lumiban.games.kernel import (
    State,
    Words,
    entry,
    hash_table,
    inlined,
    kernel,
    nonzero,
    put_words,
    randint_below,
)
from lumiban.search import jit
from lumiban.search.tree import FAULT, UNKNOWN, USED, Choice, TreeSearch, is_plain

NODE = 8
"""Words of 32 bits a node: half a line of a processor's cache. Trees live in memory: what a node
takes decides how quickly they grow (`docs/search.md`)."""
MADE, FIRST, NEXT, PLAYS, SCORE, TABLE, LEFT, BEST = 0, 1, 2, 3, 4, 5, 6, 7
"""Places in a node: the move that leads here with the side that made it and the node's proof (see
`made`); the child that came last; the sibling that came before it; playouts; White's score; its
table, else −1, or −2 less the move that its next child is for; how many moves have a child, `ONE`
each, and how many have none yet (see `left_of`); the child that was chosen last."""
ONE = 1 << 16
LOW = ONE - 1
FULL = 30
"""A table's entry is one word of 32 bits: playouts, `ONE` each, and White's score in the low bits.
From this bit on it is full, and both numbers are halved: what it says is a share, and it says it
still."""
_CLOSE = 1e-9
"""Values so close to the best are told exactly."""
TABLES = 2
"""Place in `meta`: tables in use, behind `USED` and `FAULT`."""
MASK, SIDED, COMMUTES = 0, 1, 2
"""Places in `rule`: which bits of a code make its place in a table; whether the side is told
apart; whether moves of one turn commute."""
BIAS = 1e-4
"""At the number of own playouts n at which bias · n = 1, a move's record counts as much as an
endless table."""
VISITS_OF_TABLE = 50
AGAIN = 4
"""A node compares its children again after 1 more visit in 2 to the power of this."""


class Wood(NamedTuple):
    """The tree with all that is constant about it."""

    nodes: Words
    tables: Words
    """For each table and move, of White and of Black in turn: playouts and score, as `ONE` says."""
    meta: Any
    rule: Any
    sides: Any
    """The side that makes each move from the root on; zeros where it does not matter."""


@inlined
def made(move: int, side: int, proof: int) -> int:
    """A node's first word. A new node has 0 there: no move, nothing proven."""
    return (move << 3) | (side << 2) | (proof + 1)


@inlined
def proof_of(word: int) -> int:
    """The proof in a node's first word: the outcome's code, or `UNKNOWN`."""
    return (word & 3) - 1


@kernel
def prove_as(nodes: Any, at: int, proof: int) -> None:
    """Write a proof into the node whose words begin at `at`."""
    nodes[at + MADE] = (nodes[at + MADE] & ~3) | (proof + 1)


@inlined
def left_of(word: int) -> int:
    """The moves without a child, of a node's word `LEFT`; −1 before it was asked for any.

    A new node has 0 there.
    """
    return (word & LOW) - 1


@inlined
def is_due(visits: int, again: int) -> bool:
    """True if a node with this number of visits compares its children again.

    A node's values of its children change by 1 in their number of visits. So it goes on with the
    last choice until 1 more in 2 to the power of `again` came, rounded down to a power of two: near
    the root, where most children are, this is most of the work.
    """
    late = visits >> again | 1
    while late & (late - 1) != 0:
        late &= late - 1
    return visits & (late - 1) == 0


@kernel
def strike(wood: Any, out: Any, n: int, child: int) -> int:
    """Strike out (as −1) the moves of `child` and the siblings that came before it; how many."""
    nodes = wood.nodes
    struck = 0
    while child != 0:
        move = nodes[NODE * child + MADE] >> 3
        for i in range(n):
            if out[i] == move:
                out[i] = -1
                struck += 1
                break
        child = nodes[NODE * child + NEXT]
    return struck


@kernel
def pick(wood: Any, state: Any, out: Any, rng: Any, node: int, base: int, side: int) -> int:
    """The most promising move that has no child yet, −1 where none is left; of a node without a
    table the second best is kept for its next child.

    Where moves commute, those with which an older sibling began the same turn are left to it: a
    node with no other moves counts as lost.
    """
    nodes = wood.nodes
    at = NODE * node
    n = state.moves(out)
    elsewhere = 0
    if wood.rule[COMMUTES] != 0 and node != 0 and (nodes[at + MADE] >> 2 & 1) == side:
        elsewhere = strike(wood, out, n, nodes[at + NEXT])
    have = strike(wood, out, n, nodes[at + FIRST])
    left = n - elsewhere - have
    nodes[at + LEFT] = have * ONE + left + 1
    if elsewhere > 0 and have + left == 0:
        prove_as(nodes, at, 2 - side)
    mask = wood.rule[MASK]
    tables = wood.tables
    base += side * wood.rule[SIDED]
    best, second = -1, -1
    # The highest shares so far, as fractions; products tell which is higher without dividing.
    points, games, points2, games2 = -1, 1, -1, 1
    i = randint_below(rng, n)
    for _ in range(n):
        move = out[i]
        if move >= 0:
            visits = tables[base + 2 * (move & mask)]
            m = 2 * (visits >> 16)
            score = visits & LOW
            if side != 0:
                score = m - score
            if m == 0:
                score, m = 1, 2
            if score * games > points * m:
                second, points2, games2 = best, points, games
                best, points, games = move, score, m
            elif score * games2 > points2 * m:
                second, points2, games2 = move, score, m
        i += 1
        if i == n:
            i = 0
    if nodes[at + TABLE] < 0:
        nodes[at + TABLE] = -2 - second
    return best


@kernel
def widen(wood: Any, state: Any, out: Any, rng: Any, node: int, base: int, side: int) -> int:
    """Give a node one more child, of the move kept for it or the most promising; it, or −1."""
    nodes = wood.nodes
    at = NODE * node
    new: int = wood.meta[USED]
    if NODE * new >= len(nodes):
        return -1
    move = -2 - nodes[at + TABLE]
    if move >= 0:
        nodes[at + TABLE] = -1
    else:
        move = pick(wood, state, out, rng, node, base, side)
        if move < 0:
            return -1
    wood.meta[USED] = new + 1
    c = NODE * new
    nodes[c + MADE] = made(move, side, UNKNOWN)
    nodes[c + NEXT] = nodes[at + FIRST]
    nodes[c + TABLE] = -1
    nodes[at + FIRST] = new
    nodes[at + LEFT] += ONE - 1
    return new


@kernel
def choose(wood: Any, node: int, base: int, side: int) -> int:
    """The child to look at next: the best by its own record and the table's; −1 if all lost."""
    nodes = wood.nodes
    tables = wood.tables
    mask = wood.rule[MASK]
    base += side * wood.rule[SIDED]
    lost = 2 - side
    child: int = nodes[NODE * node + FIRST]
    best: int = -1
    top = -1.0
    while child != 0:
        c = NODE * child
        word = nodes[c + MADE]
        guess = tables[base + 2 * ((word >> 3) & mask)]
        n = nodes[c + PLAYS]
        m = guess >> 16
        own = nodes[c + SCORE]
        their = guess & LOW
        if side != 0:
            own = 2 * n - own
            their = 2 * m - their
        # Its value is points through games: most children are seen to be worse without dividing.
        weight = 1.0 + BIAS * m
        points = weight * own + their
        games = 2.0 * (m + weight * n)
        if points >= (top - _CLOSE) * games and proof_of(word) != lost:
            value = own / (2 * n) if n != 0 else 0.5
            if m > 0:
                beta = m / (m + n + BIAS * m * n)
                value = (1.0 - beta) * value + beta * (their / (2 * m))
            if value > top:
                top = value
                best = child
        child = nodes[c + NEXT]
    return best


@kernel
def note(tables: Any, table: int, notes: Any) -> None:
    """Add a playout's notes to a table, if there is one.

    The compiler makes vectors of it: no branch, no number of over 32 bits, no place below 0.
    """
    first = table * len(notes)
    if first < 0:
        return
    for i in nonzero(notes):
        noted = (tables[first + i] + notes[i]) & 0x7FFFFFFF
        full = noted >> FULL
        tables[first + i] = (noted >> full) & ~(full << 15)


@kernel
def backpropagate(wood: Any, path: Any, order: Any, depth: int, notes: Any, score: int) -> None:
    """Note a playout at all nodes of its path, and in their tables all moves from there on.

    `notes` is a table of the moves behind the path, of this one playout.
    """
    nodes = wood.nodes
    width = len(notes)
    for d in range(depth, -1, -1):
        at = NODE * path[d]
        nodes[at + PLAYS] += 1
        nodes[at + SCORE] += score
        if nodes[at + TABLE] < 0 and nodes[at + PLAYS] >= VISITS_OF_TABLE and nodes[at + LEFT] != 0:
            table = wood.meta[TABLES]
            if (table + 1) * width <= len(wood.tables):
                wood.meta[TABLES] = table + 1
                nodes[at + TABLE] = table
        note(wood.tables, nodes[at + TABLE], notes)
        if d > 0:
            notes[order[d - 1]] += ONE + score


@kernel
def prove(wood: Any, node: int, side: int) -> bool:
    """Prove a node from its children if they suffice; returns whether they did."""
    nodes = wood.nodes
    won = side + 1
    verdict = 3 - won
    at = NODE * node
    unsure = left_of(nodes[at + LEFT]) != 0
    child = nodes[at + FIRST]
    while child != 0:
        proof = proof_of(nodes[NODE * child + MADE])
        if proof == won:
            prove_as(nodes, at, won)
            return True
        if proof == UNKNOWN:
            unsure = True
        elif proof == 0:
            verdict = 0
        child = nodes[NODE * child + NEXT]
    if unsure:
        return False
    prove_as(nodes, at, verdict)
    return True


@entry
def grow(
    wood: Wood, root: State, state: State,
    path: Any, trace: Any, order: Any, notes: Words, out: Any, rng: Any, playouts: int,
) -> int:  # fmt: skip
    """Add a number of playouts to the tree; returns how many it took (fewer once all is proven)."""
    nodes = wood.nodes
    mask = wood.rule[MASK]
    sided = wood.rule[SIDED]
    sides = wood.sides
    width = 2 * (mask + 1)
    for done in range(playouts):
        if proof_of(nodes[MADE]) != UNKNOWN or wood.meta[FAULT] != 0:
            return done
        state.assign(root)
        node = 0
        depth = 0
        path[0] = 0
        base = 0
        while proof_of(nodes[NODE * node + MADE]) == UNKNOWN:
            at = NODE * node
            visits = nodes[at + PLAYS]
            if node != 0 and visits == 0:
                break
            if nodes[at + TABLE] >= 0:
                base = nodes[at + TABLE] * width
            side = state.mover()
            child = -1
            have = nodes[at + LEFT] >> 16
            if left_of(nodes[at + LEFT]) != 0 and visits >= have * have:
                child = widen(wood, state, out, rng, node, base, side)
            if child < 0:
                last = nodes[at + BEST]
                lost = proof_of(nodes[NODE * last + MADE]) == 2 - side
                if last != 0 and not lost and not is_due(visits, AGAIN):
                    child = last
            if child < 0:
                child = choose(wood, node, base, side)
                if child > 0:
                    nodes[at + BEST] = child
            if child < 0 and nodes[at + FIRST] != 0 and left_of(nodes[at + LEFT]) > 0:
                child = widen(wood, state, out, rng, node, base, side)
            if child < 0:
                break
            node = child
            move = nodes[NODE * node + MADE] >> 3
            state.play(move)
            order[depth] = 2 * (move & mask) + side * sided
            depth += 1
            path[depth] = node
        at = NODE * node
        code = proof_of(nodes[at + MADE])
        trace[0] = 0
        if code == UNKNOWN:
            if nodes[at + PLAYS] == 0:
                code = state.outcome()
                if code >= 0:
                    prove_as(nodes, at, code)
            if code == UNKNOWN:
                code = state.playout(rng, trace)
        if code < 0:
            wood.meta[FAULT] = 1
            return done
        score = 1 if code == 0 else 4 - 2 * code
        for i in nonzero(notes):
            notes[i] = 0
        result = ONE + score
        for i in range(trace[0]):
            notes[2 * (trace[i + 1] & mask) + sides[depth + i]] += result
        backpropagate(wood, path, order, depth, notes, score)
        while depth > 0 and proof_of(nodes[NODE * path[depth] + MADE]) != UNKNOWN:
            depth -= 1
            if not prove(wood, path[depth], nodes[NODE * path[depth + 1] + MADE] >> 2 & 1):
                break
    return playouts


MAX_NODES = 1 << 20
"""Bound of a tree, 32 MB."""
_MIN_NODES = 64


class Grave(TreeSearch):
    """GRAVE as a search that grows; see `TreeSearch`."""

    def _state(self) -> Any:
        if is_plain(self.game):
            return super()._state()
        return self.game.search_state(self.position)

    def _set_out(self) -> None:
        game, compiled = self.game, self.compiled
        branches, plies = game.capacity
        bent = game.search_hints(self.position)
        root, state = self._state(), self._state()
        # A code beyond the mask shares its place with another: a worse guess, no more.
        places = 1 << max(bent.codes or 2 * branches, 2).bit_length()
        nodes = min(self.most + 2, MAX_NODES, self.room.bytes // (2 * 4 * NODE))
        nodes = max(nodes, _MIN_NODES)
        tables = min(2 + 2 * self.most // VISITS_OF_TABLE, self.room.bytes // (2 * 8 * places))
        sides = [*bent.sides, *([0] * (plies + 2))][: plies + 2]
        rule = [places - 1, int(bool(bent.sides)), int(bent.commutes)]

        def ints(values: list[int]) -> Any:
            return jit.ints(values) if compiled else values

        def words(length: int) -> Any:
            return jit.words(length) if compiled else [0] * length

        self.wood = Wood(
            words(NODE * nodes),
            words(2 * places * max(1, tables)),
            ints([1, 0, 1]),
            ints(rule),
            ints(sides),
        )
        self._run = grow
        if compiled:
            self._run = jit.compiled(grow, type(root))
            root, state = jit.compiled_state(root), jit.compiled_state(state)
        path, trace, order = (ints([0] * (plies + 2)) for _ in range(3))
        out, rng = ints([0] * (branches + 1)), ints(hash_table(1, self.seed))
        self._rest = (root, state, path, trace, order, words(2 * places), out, rng)

    def _grow(self, playouts: int) -> int:
        return int(self._run(self.wood, *self._rest, playouts))

    @property
    def _meta(self) -> Any:
        return self.wood.meta

    @property
    def proof(self) -> int:
        """The outcome's code where it is certain, else `UNKNOWN`."""
        return proof_of(int(self.wood.nodes[MADE]))

    def choices(self) -> list[Choice]:
        """The moves at the root that it has looked at."""
        return [self._choice(child) for child in self._children(0)]

    def expected_moves(self, code: int) -> list[int]:
        """The moves expected from here, the one with this code first."""
        node = next(child for child in self._children(0) if self._choice(child).code == code)
        moves = [code]
        while children := self._children(node):
            node = max(children, key=lambda child: self._choice(child).rank)
            moves.append(self._choice(node).code)
        return moves

    def _children(self, node: int) -> list[int]:
        """A node's children, the oldest first."""
        nodes = self.wood.nodes
        child = int(nodes[NODE * node + FIRST])
        children = []
        while child:
            children.append(child)
            child = int(nodes[NODE * child + NEXT])
        return children[::-1]

    def _choice(self, node: int) -> Choice:
        word, plays, score = (int(self.wood.nodes[NODE * node + at]) for at in (MADE, PLAYS, SCORE))
        return Choice(word >> 3, word >> 2 & 1, plays, score, proof_of(word))


@entry
def transplant(old: Wood, new: Wood, node: int, table: int, queue: Any) -> int:
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
        new.nodes[goal + PLAYS] = old.nodes[source + PLAYS]
        new.nodes[goal + SCORE] = old.nodes[source + SCORE]
        new.nodes[goal + LEFT] = old.nodes[source + LEFT]
        new.nodes[goal + FIRST] = 0
        if at == 0:
            # A new root answers for all its moves, also those that a sibling of it had taken over.
            new.nodes[goal + MADE] = 0
            new.nodes[goal + LEFT] = 0
            new.nodes[goal + TABLE] = 0
            put_words(new.tables, 0, old.tables, table * width, width)
        else:
            new.nodes[goal + MADE] = old.nodes[source + MADE]
            new.nodes[goal + TABLE] = -1
            own = old.nodes[source + TABLE]
            taken = new.meta[TABLES]
            if own >= 0 and (taken + 1) * width <= len(new.tables):
                put_words(new.tables, taken * width, old.tables, own * width, width)
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
        new.nodes[goal + LEFT] = have * ONE + (new.nodes[goal + LEFT] & LOW)
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
        while child and int(nodes[NODE * child + MADE]) >> 3 != code:
            child = int(nodes[NODE * child + NEXT])
        if not child:
            return None
        node = child
        if int(nodes[NODE * node + TABLE]) >= 0:
            table = int(nodes[NODE * node + TABLE])
    visits = int(nodes[NODE * node + PLAYS])
    if visits == 0:
        return None
    later = Grave(search.game, position, seed, playouts + visits, search.compiled, search.room)
    room = len(later.wood.nodes) // NODE
    run, queue = transplant, [0] * room
    if later.compiled:
        run, queue = jit.compiled(transplant, type(later._state())), jit.zeros(room)
    run(search.wood, later.wood, node, table, queue)
    return later

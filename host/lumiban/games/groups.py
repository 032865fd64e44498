"""Groups of like stones and the cascade that compares them, for every game that has them.

A group is a maximal set of like stones, each next to another of them; its size is its number of
stones. *Cascade*: the two largest groups are compared, then the next largest, and so on; the
first difference decides, and a side whose groups are used up loses to one that still has some.

Plain functions count a whole board. The kernels keep groups up to date stone by stone: a game's
flat array holds, each by cell and from a place of the game's choice, `stone` the stones (0 where
none is), `root` the first cell of the group of each stone (itself for the first), `ring` the next
cell of the same group, round and round, and `size` the number of stones, for roots only. The
neighbours of cell c lie in another array from `near + ways * c` on, −1 where the board ends.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from lumiban.games.kernel import kernel


def groups_of(neighbours: Sequence[Sequence[int]], stones: Sequence[int]) -> list[tuple[int, ...]]:
    """All groups of a board, each as its cells in ascending order; `stones` are 0 where empty.

    >>> groups_of([(1,), (0, 2), (1, 3), (2,)], [1, 1, -1, 0])
    [(0, 1), (2,)]
    """
    found = []
    seen = [stone == 0 for stone in stones]
    for first in range(len(stones)):
        if seen[first]:
            continue
        seen[first] = True
        group = [first]
        for cell in group:
            for near in neighbours[cell]:
                if not seen[near] and stones[near] == stones[first]:
                    seen[near] = True
                    group.append(near)
        found.append(tuple(sorted(group)))
    return found


def group_sizes(
    neighbours: Sequence[Sequence[int]], stones: Sequence[int], kind: int
) -> tuple[int, ...]:
    """The sizes of the groups of one kind of stone, largest first.

    >>> group_sizes([(1,), (0, 2), (1, 3), (2,)], [1, -1, 1, 1], 1)
    (2, 1)
    """
    groups = groups_of(neighbours, stones)
    return tuple(sorted((len(g) for g in groups if stones[g[0]] == kind), reverse=True))


def cascade(ours: Sequence[int], theirs: Sequence[int]) -> int:
    """1 when the first sizes win the cascade, −1 when the second do, 0 when it is tied.

    >>> cascade((5, 2, 2), (5, 2, 1, 1, 1)), cascade((3, 1), (3, 1, 1)), cascade((2, 4), (4, 2))
    (1, -1, 0)
    """
    mine, other = sorted(ours, reverse=True), sorted(theirs, reverse=True)
    return (mine > other) - (mine < other)


@kernel
def touching(
    plan: Any, near: int, ways: int, board: Any, stone: int, root: int, c: int, found: Any
) -> int:
    """Write the roots of the groups next to `c` with a stone like the one on it into `found`, each
    once, and return how many there are. The stone on `c` itself belongs to no group yet."""
    n = 0
    kind = board[stone + c]
    for k in range(near + ways * c, near + ways * c + ways):
        j = plan[k]
        if j >= 0 and board[stone + j] == kind:
            r = board[root + j]
            new = True
            for i in range(n):
                if found[i] == r:
                    new = False
            if new:
                found[n] = r
                n += 1
    return n


@kernel
def unite(board: Any, root: int, ring: int, size: int, c: int, found: Any, n: int) -> int:
    """Make the stone on `c` and the first `n` groups of `found` one group; returns its size.

    The largest group keeps its root, so that few cells change theirs.
    """
    board[root + c] = c
    board[ring + c] = c
    board[size + c] = 1
    r = c
    for i in range(n):
        a = found[i]
        total = board[size + r] + board[size + a]
        if board[size + a] > board[size + r]:
            a, r = r, a
        board[size + r] = total
        j = a
        while True:
            board[root + j] = r
            j = board[ring + j]
            if j == a:
                break
        # Two rings become one when two of their cells change successors.
        board[ring + a], board[ring + r] = board[ring + r], board[ring + a]
    total = board[size + r]
    return total  # type: ignore[no-any-return]  # Any for the compiler


@kernel
def first_difference(board: Any, count: int, largest: int) -> int:
    """The cascade from a table: at `count + s` it has the first side's groups of size s less the
    second's. Returns what stands at the largest size where that is not 0, or 0: tied."""
    for s in range(largest, 0, -1):
        if board[count + s] != 0:
            return board[count + s]  # type: ignore[no-any-return]  # Any for the compiler
    return 0

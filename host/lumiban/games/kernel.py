"""Parts that all kernels share: their mark, random numbers, groups, sight of a cell, sets as words.

A kernel is a module-level function over flat int arrays, marked by `@kernel`, that CPython runs as
it stands and the search may compile. This module only remembers which functions those are; it knows
no compiler.

A *group* is a maximal set of like stones, each next to another of them; its size is its number of
stones. *Cascade*: the two largest groups are compared, then the next largest, and so on; the first
difference decides, and a side whose groups are used up loses to one that still has some. Plain
functions count a whole board. The kernels keep groups up to date stone by stone: a game's flat
array holds, each by cell and from a place of the game's choice, `stone` the stones (0 where none
is), `root` the first cell of the group of each stone (itself for the first), `ring` the next cell
of the same group, round and round, and `size` the number of stones, for roots only. The neighbours
of cell c lie in another array from `near + ways * c` on, −1 where the board ends.

A cell *sees* the stones next to it or, under sight, the nearest stone along each of its lines. Its
*lean* is the white minus the black stones among them; the stone on the cell does not count. Kernels
keep it up to date stone by stone, on boards of hex cells: `near` is where the six neighbours of
each cell begin in `plan`, in the order of the grid's directions with −1 where the board ends;
`stone` and `lean` are where stones and lean begin in `board`.

Playouts in words keep sets of cells with one bit each, and choose among them by number.

At last the turns and reflections of a grid that bring it onto itself.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache
from itertools import compress, zip_longest
from typing import Annotated, Any, TypeVar

from lumiban.grid import Grid

_F = TypeVar("_F", bound=Callable[..., Any])

KERNELS: list[Callable[..., Any]] = []
"""Every function marked so far, in the order of definition: callees come before callers."""


INLINED: set[Callable[..., Any]] = set()
"""The kernels that are compiled into their callers."""


def kernel(function: _F) -> _F:
    """Mark a module-level function as a kernel; it is returned unchanged."""
    KERNELS.append(function)
    return function


def inlined(function: _F) -> _F:
    """Mark a kernel of an innermost loop: compiled into its callers rather than called."""
    INLINED.add(function)
    return kernel(function)


ENTRIES: dict[Callable[..., Any], type | None] = {}
"""The functions that Python calls compiled, each with the State that it is for; None: for every
game's. What they take stands in their annotations."""


def entry(function: _F) -> _F:
    """Mark a module-level function that Python calls compiled, for every game's State; it is
    returned unchanged.

    A parameter is a number (`int`), one of the kinds below, a tuple of such (a NamedTuple class),
    or, annotated `Any`, a row of numbers; so are the fields of that tuple.
    """
    ENTRIES[function] = None
    return function


def entry_of(state_type: type) -> Callable[[_F], _F]:
    """Mark an entry (`entry`) that is for one game's State only."""

    def mark(function: _F) -> _F:
        ENTRIES[function] = state_type
        return function

    return mark


Rows = Annotated[Any, "int64:2"]
"""Rows of numbers of 64 bits, all of the same length."""
Words = Annotated[Any, "int32:1"]
"""A row of numbers of 32 bits."""
Floats = Annotated[Any, "float64:1"]
"""A row of floats."""
State = Annotated[Any, "state"]
"""A game's State: a NamedTuple of rows of numbers."""
Shelf = Annotated[Any, "shelf"]
"""A State's class with a table in place of each row: many States, one below the other."""


def wrapped(x: int, by: int, plus: int) -> int:
    """The low 63 bits of x · by + plus.

    Compiled, that wraps at 64 bits (`search/jit.py`); of any other product or sum the compiler
    takes for granted that it does not.

    >>> wrapped((1 << 62) + 1, 6, 2)
    8
    """
    return (x * by + plus) & 0x7FFFFFFFFFFFFFFF


@inlined
def advanced(s: int) -> int:
    """The generator's next number, of 63 bits: a linear congruential one, of which only high bits
    are used."""
    return wrapped(s, 6364136223846793005, 1442695040888963407)


@inlined
def below(s: int, n: int) -> int:
    """The random number from 0 to n − 1 that the generator's number `s` stands for, n < 2³¹."""
    return (((s >> 31) & 0xFFFFFFFF) * n) >> 32


@kernel
def randint_below(rng: Any, n: int) -> int:
    """A random number from 0 to n − 1, n < 2³¹; `rng` (one int, 63 bits) moves on.

    >>> rng = [1]
    >>> [randint_below(rng, 6) for _ in range(8)]
    [5, 0, 1, 4, 3, 0, 0, 0]
    """
    s = advanced(rng[0])
    rng[0] = s
    return below(s, n)


def hash_table(count: int, seed: int) -> list[int]:
    """`count` well-mixed 63-bit numbers for Zobrist keys (the finaliser of splitmix64).

    >>> len(set(hash_table(1000, 7))), max(hash_table(1000, 7)) < 2**63
    (1000, True)
    """
    mask = 0xFFFFFFFFFFFFFFFF
    numbers = []
    state = seed & mask
    for _ in range(count):
        state = (state + 0x9E3779B97F4A7C15) & mask
        z = state
        z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & mask
        z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & mask
        numbers.append((z ^ (z >> 31)) >> 1)
    return numbers


def groups_of(neighbours: Sequence[Sequence[int]], stones: Sequence[int]) -> list[tuple[int, ...]]:
    """All groups of a board, each as its cells in ascending order; `stones` are 0 where empty.

    >>> groups_of([(1,), (0, 2), (1, 3), (2,)], [1, 1, -1, 0])
    [(0, 1), (2,)]
    """
    groups = []
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
        groups.append(tuple(sorted(group)))
    return groups


def group_sizes(
    neighbours: Sequence[Sequence[int]], stones: Sequence[int], kind: int
) -> tuple[int, ...]:
    """The sizes of the groups of one kind of stone, largest first.

    >>> group_sizes([(1,), (0, 2), (1, 3), (2,)], [1, -1, 1, 1], 1)
    (2, 1)
    """
    groups = groups_of(neighbours, stones)
    return tuple(sorted((len(g) for g in groups if stones[g[0]] == kind), reverse=True))


def deciding_sizes(ours: Sequence[int], theirs: Sequence[int]) -> tuple[int, int] | None:
    """The first sizes that differ in a cascade, 0 for a group that is not there; None when tied.

    >>> deciding_sizes((5, 2, 2), (5, 2, 1, 1)), deciding_sizes((3,), (3, 1))
    ((2, 1), (0, 1))
    """
    pairs = zip_longest(ours, theirs, fillvalue=0)
    return next((pair for pair in pairs if pair[0] != pair[1]), None)


def deciding_groups(
    neighbours: Sequence[Sequence[int]], stones: Sequence[int], winner: int, loser: int
) -> tuple[int, tuple[int, ...]] | None:
    """The rank at which a cascade was decided, 1 for the largest groups, and the cells of all
    groups of the winner's kind that are as large as its one of that rank; None when tied.

    >>> deciding_groups([(1,), (0, 2), (1, 3), (2,)], [1, 1, -1, 0], 1, -1)
    (1, (0, 1))
    """
    own, other = (group_sizes(neighbours, stones, kind) for kind in (winner, loser))
    pair = deciding_sizes(own, other)
    if pair is None:
        return None
    rank = next(n for n, size in enumerate(own, 1) if n > len(other) or size != other[n - 1])
    groups = groups_of(neighbours, stones)
    largest = [g for g in groups if stones[g[0]] == winner and len(g) == pair[0]]
    return rank, tuple(sorted(cell for group in largest for cell in group))


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


def seen_from(grid: Grid, stones: Sequence[int], cell: int, *, sight: bool) -> tuple[int, ...]:
    """The cells of the stones that a cell sees, in the order of directions.

    >>> from lumiban.grid import hexagon
    >>> grid, stones = hexagon(2), [1, 0, 0, 0, -1, 0, 0]
    >>> seen_from(grid, stones, 2, sight=False), seen_from(grid, stones, 2, sight=True)
    ((0,), (4, 0))
    """
    cells = []
    for ray in grid.rays[cell]:
        reach = ray if sight else ray[:1]
        nearest = next((c for c in reach if stones[c] != 0), None)
        if nearest is not None:
            cells.append(nearest)
    return tuple(cells)


def leaning(plan: Sequence[int], near: int, stones: Sequence[int], *, sight: bool) -> list[int]:
    """The lean of each cell, counted from scratch."""
    lean = [0] * len(stones)
    for cell, stone in enumerate(stones):
        if stone == 0:
            continue
        for k in range(6):
            j = plan[near + 6 * cell + k]
            while j >= 0:
                lean[j] += stone
                if not sight or stones[j] != 0:
                    break
                j = plan[near + 6 * j + k]
    return lean


@kernel
def sway(plan: Any, near: int, board: Any, stone: int, lean: int, c: int, me: int) -> None:
    """Update the lean under sight after a stone came to `c` or went from it, a gain for `me`.

    Along each line, cells up to the next stone saw past `c` to what lies behind it and now see
    the new stone, or the other way round.
    """
    came = board[stone + c] != 0
    for k in range(6):
        back = k + 3 if k < 3 else k - 3
        behind = 0
        j = plan[near + 6 * c + back]
        while j >= 0:
            behind = board[stone + j]
            if behind != 0:
                break
            j = plan[near + 6 * j + back]
        change = me - behind if came else me + behind
        if change != 0:
            j = plan[near + 6 * c + k]
            while j >= 0:
                board[lean + j] += change
                if board[stone + j] != 0:
                    break
                j = plan[near + 6 * j + k]


WORD = 61
"""Cells up to which a set of cells is one word, with room for its sums and its sign."""


def popcount(x: int) -> int:
    """Number of bits of `x` ≥ 0 that are set: of the cells in a set, say.

    The compiler has an instruction of the processor for this (`search/jit.py`), which it did not
    recognise in the usual sum of bits by pairs, fours and bytes where a mask kept that positive.

    >>> popcount(0b1011), popcount((1 << 61) - 1)
    (3, 61)
    """
    return x.bit_count()


def member(x: int, k: int) -> int:
    """Place of the k-th set bit of `x`, both from 0, x < 2⁶¹: in the first byte of which the bits
    up to its end exceed k, then down by halves.

    Where a processor has an instruction for this, the compiler takes that (`search/jit.py`).

    >>> [member(0b101100, k) for k in range(3)]
    [2, 3, 5]
    """
    pairs = x - ((x >> 1) & 0x5555555555555555)
    quads = (pairs & 0x3333333333333333) + ((pairs >> 2) & 0x3333333333333333)
    # In each byte how many bits there are up to its end; of the last nobody asks.
    sums = wrapped((quads + (quads >> 4)) & 0x0F0F0F0F0F0F0F0F, 0x0101010101010101, 0)
    sums &= 0xFFFFFFFFFFFFFF
    past = (k * 0x01010101010101 | 0x80808080808080) - sums
    past = (past >> 7) & 0x01010101010101
    at: int = (wrapped(past, 0x0101010101010101, 0) >> 56) << 3
    k -= ((sums << 8) >> at) & 0xFF
    count = (quads >> at) & 7
    if k >= count:
        k -= count
        at += 4
    count = (pairs >> at) & 3
    if k >= count:
        k -= count
        at += 2
    if k >= (x >> at) & 1:
        at += 1
    return at


@kernel
def shift(words: Any, at: int, planes: int, cells: int, by: int, turn: int) -> None:
    """Add `by` ≥ 0 to the numbers of a set of cells, or with a `turn` of −1 take it away.

    Bit b of every cell's number, in two's complement of `planes` bits, is in the set
    `words[at + b]`. With all bits turned, one more is one less.
    """
    carry = 0
    end = at + planes
    while (by | carry) != 0 and at < end:
        add = cells & -(by & 1)
        plane = words[at] ^ turn
        words[at] = plane ^ add ^ carry ^ turn
        carry = (plane & add) | (carry & (plane | add))
        by >>= 1
        at += 1


_HEX = tuple(
    (a, b, c, d)
    for a, b, c, d in (
        (1, 0, 0, 1),
        (0, -1, 1, 1),
        (-1, -1, 1, 0),
        (-1, 0, 0, -1),
        (0, 1, -1, -1),
        (1, 1, -1, 0),
        (0, 1, 1, 0),
        (-1, 0, 1, 1),
        (-1, -1, 0, 1),
        (0, -1, -1, 0),
        (1, 0, -1, -1),
        (1, 1, 0, -1),
    )
)
"""(q, r) goes to (a·q + b·r, c·q + d·r): six turns, then six reflections."""
_SQUARE = tuple(matrix for s in (1, -1) for t in (1, -1) for matrix in ((s, 0, 0, t), (0, s, t, 0)))


@lru_cache(maxsize=32)
def symmetries(grid: Grid) -> tuple[tuple[int, ...], ...]:
    """All of them, each as the cell that every cell goes to; the first leaves all in place.

    >>> from lumiban.grid import hexagon, patch, rectangle
    >>> len(symmetries(hexagon(3))), len(symmetries(rectangle(3, 3)))
    (12, 8)
    >>> len(symmetries(rectangle(3, 2))), len(symmetries(patch([(0, 0), (1, 0), (0, 1)])))
    (4, 6)
    """
    found: dict[tuple[int, ...], None] = {}
    for a, b, c, d in _HEX if grid.is_hex else _SQUARE:
        turned = [(a * q + b * r, c * q + d * r) for q, r in grid.cells]
        # The least row and column go back to where the grid's own are.
        right = min(q for q, _ in grid.cells) - min(q for q, _ in turned)
        down = min(r for _, r in grid.cells) - min(r for _, r in turned)
        cells = tuple(grid.find(q + right, r + down) for q, r in turned)
        if -1 not in cells:
            found[cells] = None
    return tuple(found)


def put_words(mine: Any, at: int, theirs: Any, start: int, count: int) -> None:
    """Copy a number of words of one flat array from `start` on to another, from `at` on; as with
    `copy_words`, the compiler has a loop for it.

    >>> mine = [0, 0, 0, 0]
    >>> put_words(mine, 2, [5, 6, 7, 8], 0, 2)
    >>> mine
    [0, 0, 5, 6]
    """
    mine[at : at + count] = theirs[start : start + count]


def copy_words(mine: Any, theirs: Any, start: int, end: int) -> None:
    """Copy the words from `start` to below `end` of one flat array to the same places of another.

    CPython copies a slice. The compiler has a loop of its own for this (`search/jit.py`): its slice
    assignment is a general one, for arrays of any stride and overlap, and took two thirds of the
    time of a position that is made and judged.

    >>> mine = [0, 0, 0, 0]
    >>> copy_words(mine, [5, 6, 7, 8], 1, 3)
    >>> mine
    [0, 6, 7, 0]
    """
    mine[start:end] = theirs[start:end]


def nonzero(words: Any) -> Iterable[int]:
    """The places of the numbers other than 0, for a loop that leaves a 0 as it is.

    Compiled it gives all places: a loop without a branch becomes vectors of the processor.

    >>> list(nonzero([0, 7, 0, 5]))
    [1, 3]
    """
    return compress(range(len(words)), words)


def row(shelf: Any, at: int) -> Any:
    """The State whose lists are the rows numbered `at` of the tables in `shelf`; it shares them.

    Compiled code may call it too, on tables that are arrays. A State that is no tuple has a list of
    States for a shelf.

    >>> from lumiban.games.control.kernel import ControlState, fresh
    >>> state = fresh(2, (0,) * 7, 0, 1, perimeter=True)
    >>> shelf = ControlState(*([list(values), list(values)] for values in state))
    >>> row(shelf, 1) == state
    True
    """
    if type(shelf) is list:
        return shelf[at]
    return type(shelf)(*(table[at] for table in shelf))


@entry
def play_out(root: State, state: State, rng: Any, trace: Any, games: int) -> int:
    """Play a number of random games from `root`; returns the moves that they took in all."""
    moves = 0
    for _ in range(games):
        state.assign(root)
        trace[0] = 0
        state.playout(rng, trace)
        moves += trace[0]
    return moves

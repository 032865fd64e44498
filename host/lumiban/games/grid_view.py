"""The board as a rule of a game in plain Python sees it.

`GridView` is a list of what stands on each cell, with the questions that rules ask about it. Beside
the list it keeps the cells of each kind as bits of a number, and the groups of a side once the rule
has asked for one, stone by stone; what of the grid never changes is counted once (`Plan`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from difflib import get_close_matches
from functools import cached_property, lru_cache
from itertools import takewhile
from typing import TYPE_CHECKING, Any, NoReturn, TypeVar

from lumiban.errors import RuleError
from lumiban.games.act import Act, act_of
from lumiban.games.types import BLACK, NEUTRAL, WHITE
from lumiban.grid import Grid

EMPTY = -1
"""Value of `board[cell]` for an empty cell; else WHITE, BLACK or NEUTRAL."""

LOOKS = (
    "a rule looks at the board and leaves it as it is: what an act changes is said by then() and"
    " remember()"
)
_put, _extend = list.__setitem__, list.extend


_PART = (1 << 60) - 1
"""Cells whose bits are hashed together."""
_MAX_ANSWERS = 1 << 14
"""Answers that are kept of one question."""
_MAX_ON_LINE = 1 << 9
"""The same, of questions to a line or a few short ones: the patterns of nine cells."""
_SHORT = 9
"""Number of cells of the longest line that is asked about together with others."""

T = TypeVar("T")


class Kept(dict[int, T]):
    """Answers by bits, each found once: of few questions the answers come again and again.

    >>> ones = Kept(int.bit_count)
    >>> ones[0b1011], dict(ones)
    (3, {11: 3})
    """

    def __init__(self, find: Callable[[int], T], most: int = _MAX_ANSWERS) -> None:
        super().__init__()
        self._find, self._most = find, most

    def __missing__(self, bits: int) -> T:
        if len(self) >= self._most:
            self.clear()
        found = self[bits] = self._find(bits)
        return found


_OCTETS: list[list[tuple[int, ...]]] = []
"""By the place of an octet among the bits, and its value: the cells that are set in it."""


def cells_in(bits: int) -> list[int]:
    """The numbers of the bits that are set, ascending.

    >>> cells_in(0b101100), cells_in(1 << 40 | 1)
    ([2, 3, 5], [0, 40])
    """
    octets = bits.to_bytes((bits.bit_length() + 7) >> 3, "little")
    while len(_OCTETS) < len(octets):
        first = 8 * len(_OCTETS)
        _OCTETS.append([tuple(first + n for n in range(8) if one >> n & 1) for one in range(256)])
    cells: list[int] = []
    for known, octet in zip(_OCTETS, octets, strict=False):
        cells += known[octet]
    return cells


_NOTHING: tuple[int, list[int]] = (0, [])
_NEVER = (-1, 0, 0)
"""No groups of which it is known that they are apart."""
_MAX_SETS = 256
"""Sets of cells whose bits are remembered: edges, say."""


Line = tuple[int, Kept[tuple[tuple[int, ...], int]]]
"""The bits of a line from a cell; and, by those of what stops on it, its cells before the nearest
stop and the cell of that, −1 without one."""


def _line(cells: tuple[int, ...]) -> Line:
    def before(stops: int) -> tuple[tuple[int, ...], int]:
        return next(((cells[:n], at) for n, at in enumerate(cells) if stops >> at & 1), (cells, -1))

    return _bits(cells), Kept(before, _MAX_ON_LINE)


def _nearest(lines: Sequence[tuple[int, ...]]) -> tuple[int, Kept[int]]:
    """The bits of some lines from a cell; and those of the nearest stones by those of all."""

    def nearest(stones: int) -> int:
        return _bits(next((at for at in line if stones >> at & 1), -1) for line in lines)

    return _bits(at for line in lines for at in line), Kept(nearest, _MAX_ON_LINE)


def _free(lines: Sequence[tuple[int, ...]]) -> tuple[int, Kept[list[int]]]:
    """The bits of some lines from a cell; and by those of all stones the cells before the nearest
    ones."""

    def free(stones: int) -> list[int]:
        return [at for line in lines for at in takewhile(lambda at: not stones >> at & 1, line)]

    return _bits(at for line in lines for at in line), Kept(free, _MAX_ON_LINE)


def _together(rays: Sequence[tuple[int, ...]]) -> list[list[tuple[int, ...]]]:
    """Lines from a cell in their order, short ones together: they have few patterns."""
    parts: list[list[tuple[int, ...]]] = []
    room = 0
    for ray in rays:
        if parts and len(ray) <= room:
            parts[-1].append(ray)
        else:
            parts.append([ray])
            room = _SHORT
        room -= len(ray)
    return parts


def _flanks(lines: Sequence[tuple[int, ...]]) -> Kept[list[Line]]:
    """The lines from a cell by the bits of the first cells that they may have."""
    known = [(1 << line[0], _line(line)) for line in lines if line]
    return Kept(lambda firsts: [line for first, line in known if first & firsts])


def _bits(cells: Iterable[int]) -> int:
    """The bits of cells that are all different; those below 0 have none."""
    return sum(1 << cell for cell in cells if cell >= 0)


class Plan:
    """What of a grid the board asks for all the time; `plan_of` keeps those of grids in use."""

    def __init__(self, grid: Grid) -> None:
        self.grid = grid
        self.count = len(grid)
        self.near = [sum(1 << at for at in cells) for cells in grid.neighbours]
        """By cell the bits of its neighbours."""
        self.cells = Kept(cells_in)
        self.full = (1 << len(grid)) - 1
        self.parts = range(0, len(grid), _PART.bit_length())
        self._sets: dict[tuple[int, ...], int] = {}

    @cached_property
    def rays(self) -> list[list[Line]]:
        """By cell its lines along the grid's directions."""
        return [[_line(ray) for ray in rays if ray] for rays in self.grid.rays]

    @cached_property
    def sights(self) -> list[list[tuple[int, Kept[int]]]]:
        """By cell, lines together: their bits, and by those of all stones on them the nearest."""
        return [[_nearest(lines) for lines in _together(rays)] for rays in self.grid.rays]

    @cached_property
    def free(self) -> list[list[tuple[int, Kept[list[int]]]]]:
        """By cell, lines together: their bits, and by those of all stones on them what is free."""
        return [[_free(lines) for lines in _together(rays)] for rays in self.grid.rays]

    @cached_property
    def all_rays(self) -> list[tuple[tuple[int, ...], ...]]:
        """By cell its lines in every direction, on squares the diagonals behind the others."""
        if self.grid.is_hex:
            return list(self.grid.rays)
        steps = ((1, -1), (-1, -1), (-1, 1), (1, 1))
        rays = []
        for cell, (column, row) in enumerate(self.grid.cells):
            more = []
            for right, down in steps:
                ray, far = [], 1
                while (at := self.grid.find(column + far * right, row + far * down)) >= 0:
                    ray.append(at)
                    far += 1
                more.append(tuple(ray))
            rays.append((*self.grid.rays[cell], *more))
        return rays

    @cached_property
    def flanks(self) -> list[Kept[list[Line]]]:
        """By cell its lines in every direction, by their first cells."""
        return [_flanks(rays) for rays in self.all_rays]

    @cached_property
    def all_near(self) -> list[int]:
        """By cell the bits of the first cells of these lines."""
        return [_bits(ray[0] for ray in rays if ray) for rays in self.all_rays]

    @cached_property
    def rows(self) -> list[list[tuple[Line, Line]]]:
        """By cell its lines in every direction with those that run the other way."""
        return [
            [(_line(one), _line(other)) for one, other in self.pairs(rays)]
            for rays in self.all_rays
        ]

    def bits_of(self, cells: Sequence[int]) -> int:
        """The bits of some cells; those of a tuple are counted once."""
        if type(cells) is not tuple:
            return sum(1 << cell for cell in set(cells))
        bits = self._sets.get(cells)
        if bits is None:
            bits = sum(1 << cell for cell in set(cells))
            if len(self._sets) < _MAX_SETS:
                self._sets[cells] = bits
        return bits

    @cached_property
    def lines(self) -> tuple[tuple[int, ...], ...]:
        """All straight lines of two cells or more, each once; on squares with diagonals."""
        found: dict[frozenset[int], tuple[int, ...]] = {}
        for cell, rays in enumerate(self.all_rays):
            for ray, back in self.pairs(rays):
                line = (*reversed(back), cell, *ray)
                if len(line) > 1:
                    found.setdefault(frozenset(line), line)
        return tuple(found.values())

    @staticmethod
    def pairs(rays: Sequence[tuple[int, ...]]) -> list[tuple[tuple[int, ...], tuple[int, ...]]]:
        """Lines of a cell with those that run the other way."""
        groups = [rays] if len(rays) != 8 else [rays[:4], rays[4:]]
        return [
            (part[at], part[at + len(part) // 2]) for part in groups for at in range(len(part) // 2)
        ]

    @cached_property
    def distances(self) -> list[list[int]]:
        """Steps from each cell to each other, −1 where there is no way."""
        table = []
        for start in range(self.count):
            far = [-1] * self.count
            far[start] = 0
            queue = [start]
            for cell in queue:
                for near in self.grid.neighbours[cell]:
                    if far[near] < 0:
                        far[near] = far[cell] + 1
                        queue.append(near)
            table.append(far)
        return table

    @cached_property
    def edges(self) -> tuple[tuple[int, ...], ...]:
        """The straight edges of the outline, clockwise from the top; a corner is in both of its."""
        return edges_of(self.grid)

    @cached_property
    def reached(self) -> Kept[list[int]]:
        """By the bits of some cells the edges to which they belong."""
        edges = [_bits(edge) for edge in self.edges]
        return Kept(lambda cells: [at for at, edge in enumerate(edges) if edge & cells])


_OUTWARD = {
    True: (((0, -1), (1, -1)), ((1, -1), (1, 0)), ((1, 0), (0, 1)), ((0, 1), (-1, 1)),
           ((-1, 1), (-1, 0)), ((-1, 0), (0, -1))),
    False: (((0, -1),), ((1, 0),), ((0, 1),), ((-1, 0),)),
}  # fmt: skip
"""For each side that an outline may have, clockwise from the top: the steps that leave the grid
there."""


def edges_of(grid: Grid) -> tuple[tuple[int, ...], ...]:
    """The edges of a grid, clockwise from the top, each as its cells in a row; see `Plan.edges`.

    An edge is a line of cells that all lack the same neighbours: of hexagons both on that side.

    >>> from lumiban.grid import hexagon, rectangle
    >>> [[len(edge) for edge in edges_of(grid)] for grid in (hexagon(4), rectangle(3, 2))]
    [[4, 4, 4, 4, 4, 4], [3, 2, 3, 2]]
    """
    edges = []
    for outward in _OUTWARD[grid.is_hex]:
        cells = [
            cell
            for cell, (q, r) in enumerate(grid.cells)
            if all(grid.find(q + right, r + down) < 0 for right, down in outward)
        ]
        if len(cells) > 1:
            edges.append(tuple(cells))
    return tuple(edges)


@lru_cache(maxsize=32)
def plan_of(grid: Grid) -> Plan:
    """The plan of a grid."""
    return Plan(grid)


Group = tuple[int, int]
"""A group: the bits of its cells, and those of all cells next to one of them."""


class GridView(list[int]):
    """The board as a rule sees it: `board[cell]` is EMPTY, WHITE, BLACK or NEUTRAL.

    Cells are numbers; `grid.names` has their names. What a game remembers beside the stones
    (`memory`, `cell_memory`) is here by its name.

    >>> from lumiban.grid import hexagon
    >>> board = GridView(hexagon(2), [WHITE, BLACK, EMPTY, WHITE, EMPTY, EMPTY, EMPTY])
    >>> board[1], board.touching(1, WHITE), board.group(0), len(board.liberties(0))
    (1, [0, 3], [0, 3], 4)
    """

    __slots__ = (
        "_apart", "_bits", "_cells", "_full", "_groups", "_known", "_near", "_of", "_sights",
        "acts", "code", "grid", "looked", "mover", "passes", "past", "plan", "played", "words",
    )  # fmt: skip

    memory_names: tuple[str, ...] = ()
    """Names of the numbers beside the cells, in order; a game's own class of board has them."""
    cell_memory_names: tuple[str, ...] = ()
    """Names of the numbers on cells."""

    # Of all that follows only the first part is for rules.

    def __init__(self, grid: Grid, values: Sequence[int], played: int = 0) -> None:
        """A board from the numbers of a position: by cell what stands there, then what is
        remembered, then mover, last act."""
        cells = len(grid)
        super().__init__(values[:cells])
        self.grid = grid
        self._plan(plan_of(grid))
        self.words: tuple[str, ...] = ()
        self.acts: dict[int, Act] = {}
        self._bits = [0, 0, 0, 0]
        for cell, holds in enumerate(self):
            self._bits[holds] |= 1 << cell
        self._groups: list[list[Group] | None] = [None] * 4
        self._of: list[tuple[int, list[int]]] = [_NOTHING] * 4
        self._apart = [_NEVER] * 4
        self._known: dict[int, tuple[int, list[list[int]]]] = {}
        self.looked: Any = None
        self.past: frozenset[int] = frozenset()
        self.passes = 0
        self.played = played
        self.mover, self.code = (*values[-2:],) if len(values) > cells else (0, -1)
        at = cells
        for name in self.cell_memory_names:
            setattr(self, name, tuple(values[at : at + cells]))
            at += cells
        for name in self.memory_names:
            setattr(self, name, values[at])
            at += 1
        if at < len(values) - 2:
            self.passes = values[at]

    def _plan(self, plan: Plan) -> None:
        """Have a plan, and at hand what of it is asked for all the time."""
        self.plan = plan
        self._near, self._cells, self._sights = plan.near, plan.cells, plan.sights
        self._full = plan.full

    # What a rule may ask

    mover: int
    """The side to move."""
    played: int
    """Number of acts made."""
    passes: int
    """Passes in succession until now."""

    @property
    def last(self) -> Act | None:
        """Last act, where the game `keeps_last`; else None."""
        code = self.code
        if code < 0:
            return None
        act = self.acts.get(code)
        if act is None:
            act = self.acts[code] = act_of(code, len(self), self.words)
        return act

    def neighbours(self, cell: int) -> tuple[int, ...]:
        """The cells next to this one."""
        return self.grid.neighbours[cell]

    near = neighbours
    """Its name in rules written before it had this one."""

    def touching(self, cell: int, what: int) -> list[int]:
        """The cells next to this one that hold `what`: a side, NEUTRAL or EMPTY."""
        bits = self._near[cell] & self._bits[what]
        return self._cells[bits][:] if bits else []

    def around(self, cell: int) -> tuple[int, int, int]:
        """How many white, black and neutral stones are next to this cell."""
        near, (white, black, neutral, _) = self._near[cell], self._bits
        return (near & white).bit_count(), (near & black).bit_count(), (near & neutral).bit_count()

    def of(self, what: int) -> list[int]:
        """All cells that hold `what`."""
        bits = self._bits[what]
        known, cells = self._of[what]
        if known != bits:
            cells = cells_in(bits)
            self._of[what] = (bits, cells)
        return cells[:]

    def group(self, cell: int) -> list[int]:
        """The cells connected with this one that hold the same, itself first."""
        cells = self._cells[self._group_of(cell)[0]][:]
        if cells[0] != cell:
            cells[cells.index(cell)] = cells[0]
            cells[0] = cell
        return cells

    def groups(self, what: int) -> list[list[int]]:
        """All groups of `what`, the largest first."""
        known, bits = self._known.get(what), self._bits[what]
        if known is None or known[0] != bits:
            listed = self._cells
            groups = [listed[group] for group, _ in self._all_groups(what)]
            groups.sort()
            groups.sort(key=len, reverse=True)
            known = self._known[what] = (bits, groups)
        return [group[:] for group in known[1]]

    def sizes(self, what: int) -> list[int]:
        """The sizes of the groups of `what`, largest first."""
        return sorted([bits.bit_count() for bits, _ in self._all_groups(what)], reverse=True)

    def liberties(self, cell: int) -> list[int]:
        """The empty cells next to the group of this cell."""
        group, around = self._group_of(cell)
        return cells_in(around & self._bits[EMPTY] & ~group)

    def edges_of(self, cell: int) -> list[int]:
        """The edges that the group of this cell reaches, by number: 0 at the top, then
        clockwise."""
        return self.plan.reached[self._group_of(cell)[0]][:]

    def connects(self, what: int, some: Sequence[int], others: Sequence[int]) -> bool:
        """True if a group of `what` has a cell of `some` and one of `others`."""
        ours, theirs = self.plan.bits_of(some), self.plan.bits_of(others)
        mine = self._bits[what]
        if not (mine & ours and mine & theirs) or self._apart[what] == (mine, ours, theirs):
            return False
        for group, _ in self._all_groups(what):
            if group & ours and group & theirs:
                return True
        self._apart[what] = (mine, ours, theirs)
        return False

    def edge(self, number: int) -> tuple[int, ...]:
        """The cells of an edge: 0 at the top, then clockwise; a corner is in two of them."""
        edges = self.plan.edges
        if not 0 <= number < len(edges):
            raise RuleError(f"this board has the edges 0 to {len(edges) - 1}, not {number}")
        return edges[number]

    def distance(self, cell: int, other: int) -> int:
        """Steps from one cell to another, whatever stands between; −1 where there is no way."""
        return self.plan.distances[cell][other]

    def sees(self, cell: int) -> list[int]:
        """The nearest stone along each line from this cell, as cells."""
        full = self._full ^ self._bits[EMPTY]
        found = [known[full & line][1] for line, known in self.plan.rays[cell]]
        return [at for at in found if at >= 0]

    def seen(self, cell: int) -> tuple[int, int, int]:
        """How many white, black and neutral stones this cell sees."""
        white, black, neutral, empty = self._bits
        full = self._full ^ empty
        nearest = 0
        for lines, known in self._sights[cell]:
            nearest |= known[full & lines]
        return (
            (nearest & white).bit_count(),
            (nearest & black).bit_count(),
            (nearest & neutral).bit_count() if neutral else 0,
        )

    def free_line(self, cell: int) -> list[int]:
        """The empty cells along each line from this cell, up to the first stone."""
        full = self._full ^ self._bits[EMPTY]
        cells: list[int] = []
        for lines, known in self.plan.free[cell]:
            cells += known[full & lines]
        return cells

    def rays(self, cell: int) -> tuple[tuple[int, ...], ...]:
        """The cells of each line from this cell, nearest first; on squares with diagonals."""
        return self.plan.all_rays[cell]

    def lines(self) -> tuple[tuple[int, ...], ...]:
        """All straight lines of the board; on squares with diagonals."""
        return self.plan.lines

    def runs(self, cell: int) -> list[list[int]]:
        """The unbroken rows of like stones through this cell, one for each direction of lines; on
        squares with diagonals."""
        others = self._full ^ self._bits[self[cell]]
        return [
            [cell, *known[others & line][0], *back[others & behind][0]]
            for (line, known), (behind, back) in self.plan.rows[cell]
        ]

    def flanked(self, cell: int, side: int) -> list[int]:
        """Enemy stones in an unbroken row between this cell and a stone of `side`, along every
        line; on squares with diagonals."""
        enemies, plan = self._bits[1 - side], self.plan
        caught: list[int] = []
        firsts = plan.all_near[cell] & enemies
        if firsts:
            mine, others = self._bits[side], self._full ^ enemies
            for line, known in plan.flanks[cell][firsts]:
                between, at = known[others & line]
                if at >= 0 and mine >> at & 1:
                    caught += between
        return caught

    def __str__(self) -> str:
        """The stones in words: `White c3, d4; Black a1; White to move`."""
        rows = []
        for what, name in ((WHITE, "White"), (BLACK, "Black"), (NEUTRAL, "neutral")):
            cells = self.of(what)
            if cells:
                rows.append(f"{name} {', '.join(self.grid.names[cell] for cell in cells)}")
        rows.append(f"{('White', 'Black')[self.mover]} to move")
        return "; ".join(rows)

    # What it answers to a rule that asks or does something else

    if TYPE_CHECKING:
        # Only said to type checkers: a real one makes every attribute eight times as slow.
        def __getattr__(self, name: str) -> Any:
            """What is remembered by name is an attribute."""

    @classmethod
    def has_no(cls, name: str) -> str:
        """The sentence about a name that a rule asks a board for and that it has not."""
        known = cls.members()
        near = get_close_matches(name, known)
        meant = f"; did you mean {near[0]}?" if near else f". It has {', '.join(known)}"
        return f"a board has no {name!r}{meant}"

    @classmethod
    def members(cls) -> list[str]:
        """All that a rule may ask a board."""
        inner = {"memory_names", "cell_memory_names", "members", "near", *_FOR_GAMES, *dir(list)}
        own = {name for name in dir(cls) if not name.startswith("_")} - inner
        return sorted({*own, "count", "grid", "mover", "passes", "played"})

    def _kept(self, *_: object, **__: object) -> NoReturn:
        raise RuleError(LOOKS)

    __setitem__ = __delitem__ = __iadd__ = __imul__ = _kept
    append = extend = insert = pop = remove = clear = sort = reverse = _kept

    # What games and their search do with it

    def put(self, cell: int, holds: int) -> None:
        """Let a cell hold a side's stone, NEUTRAL or EMPTY; RuleError."""
        was = self[cell]
        if was == holds:
            return
        if not -1 <= holds <= 2:
            raise RuleError(
                f"on {self.grid.names[cell]} may stand WHITE, BLACK, NEUTRAL or EMPTY (-1 to 2),"
                f" not {holds!r}"
            )
        _put(self, cell, holds)
        bit = 1 << cell
        bits, groups = self._bits, self._groups
        bits[was] ^= bit
        bits[holds] ^= bit
        groups[was] = None
        known = groups[holds]
        if known is not None:
            mine, near = bit, self._near[cell]
            if near & bits[holds]:
                apart = []
                for group in known:
                    if group[1] & bit:
                        mine |= group[0]
                        near |= group[1]
                    else:
                        apart.append(group)
                apart.append((mine, near))
                groups[holds] = apart
            else:
                groups[holds] = [*known, (mine, near)]

    def become(self, other: GridView) -> None:
        """Be a copy of another board of the same game."""
        _put(self, slice(None), other)
        self._bits[:] = other._bits
        self._groups[:] = other._groups
        self.mover, self.played, self.code = other.mover, other.played, other.code
        self.passes, self.past, self.looked = other.passes, other.past, other.looked
        for name in self.memory_names:
            setattr(self, name, getattr(other, name))
        for name in self.cell_memory_names:
            setattr(self, name, getattr(other, name))

    def copied(self) -> GridView:
        """Another board with the same content."""
        twin = type(self).__new__(type(self))
        _extend(twin, self)
        twin.grid = self.grid
        twin._plan(self.plan)
        twin.words, twin.acts = self.words, self.acts
        twin._bits, twin._groups, twin._of, twin._known = [0] * 4, [None] * 4, [_NOTHING] * 4, {}
        twin._apart = [_NEVER] * 4
        twin.become(self)
        return twin

    def differs(self, other: GridView) -> list[int]:
        """The cells on which another board of the same game holds something else."""
        bits = 0
        for mine, theirs in zip(self._bits, other._bits, strict=True):
            bits |= mine ^ theirs
        return cells_in(bits)

    def numbers(self, *, passes: bool) -> tuple[int, ...]:
        """The numbers of a position, as the board is made of."""
        remembered: list[int] = []
        for name in self.cell_memory_names:
            remembered += getattr(self, name)
        remembered += [getattr(self, name) for name in self.memory_names]
        if passes:
            remembered.append(self.passes)
        return (*self, *remembered, self.mover, self.code)

    def content(self) -> int:
        """A hash of all that decides how play goes on, without the number of acts made."""
        rest = [getattr(self, name) for name in (*self.cell_memory_names, *self.memory_names)]
        # A number's own hash is its rest by 2⁶¹ − 1, which does not tell cell 0 from cell 61.
        stones = [bits >> at & _PART for bits in self._bits[:3] for at in self.plan.parts]
        return hash((*stones, self.mover, self.passes, *rest))

    def _all_groups(self, what: int) -> list[Group]:
        known = self._groups[what]
        if known is None:
            known = self._groups[what] = self._flooded(self._bits[what])
        return known

    def _flooded(self, rest: int) -> list[Group]:
        """The groups of a set of cells."""
        groups: list[Group] = []
        near, whole = self.plan.near, rest
        while rest:
            group = fresh = rest & -rest
            around = 0
            while fresh:
                step = 0
                while fresh:
                    low = fresh & -fresh
                    fresh ^= low
                    step |= near[low.bit_length() - 1]
                around |= step
                fresh = step & whole & ~group
                group |= fresh
            groups.append((group, around))
            rest &= ~group
        return groups

    def _group_of(self, cell: int) -> Group:
        bit = 1 << cell
        for group in self._all_groups(self[cell]):
            if group[0] & bit:
                return group
        raise AssertionError("every cell is in a group")


_FOR_GAMES = (
    "acts", "become", "code", "content", "copied", "differs", "has_no", "looked", "numbers", "past",
    "plan", "put", "words",
)  # fmt: skip


Board = GridView
"""Its name in rules written before it had this one."""

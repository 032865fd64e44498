"""The board as a rule of a game in plain Python sees it.

`GridView` is a list of what stands on each cell, with the questions that rules ask about it. Beside
the list it keeps the cells of each kind as bits of a number, and the groups of a side once somebody
has asked for one, stone by stone; what of the grid never changes is counted once (`Plan`).
"""

from __future__ import annotations

from collections.abc import Sequence
from difflib import get_close_matches
from functools import cached_property, lru_cache
from typing import Any, NoReturn

from lumiban.errors import RuleError
from lumiban.games.acts import Act, act_of
from lumiban.games.types import BLACK, NEUTRAL, WHITE
from lumiban.grid import Grid

EMPTY = -1
"""Value of `board[cell]` for an empty cell; else WHITE, BLACK or NEUTRAL."""

_put, _extend = list.__setitem__, list.extend


class _Cells(dict[int, list[int]]):
    """The cells of sets of cells: bits -> cell numbers, ascending. Sets of neighbours are few."""

    def __missing__(self, bits: int) -> list[int]:
        cells = self[bits] = cells_in(bits)
        return cells


_OCTETS: list[list[tuple[int, ...]]] = []
"""By the place of an octet among the bits, and its value: the cells that are set in it."""


def cells_in(bits: int) -> list[int]:
    """The numbers of the bits that are set, ascending.

    >>> cells_in(0b101100), cells_in(1 << 40 | 1)
    ([2, 3, 5], [0, 40])
    """
    while bits >> 8 * len(_OCTETS):
        first = 8 * len(_OCTETS)
        _OCTETS.append(
            [tuple(first + n for n in range(8) if octet >> n & 1) for octet in range(256)]
        )
    cells: list[int] = []
    at = 0
    while bits:
        octet = bits & 255
        if octet:
            cells += _OCTETS[at][octet]
        bits >>= 8
        at += 1
    return cells


_MOST_SETS = 256
"""Sets of cells whose bits are remembered: edges, say."""

Ray = tuple[int, bool, list[tuple[int, ...]], list[int]]
"""The bits of a line, true if its cells ascend, and by the place (from 1) of the bit of the nearest
stone on it, 0 without one: the free cells before it, and the stone's cell."""


class Plan:
    """What of a grid the board asks for all the time; `plan_of` keeps those of grids in use."""

    def __init__(self, grid: Grid) -> None:
        self.grid = grid
        self.count = len(grid)
        self.near = [sum(1 << at for at in cells) for cells in grid.neighbours]
        """By cell the bits of its neighbours."""
        self.cells = _Cells()
        self.full = (1 << len(grid)) - 1
        self._sets: dict[tuple[int, ...], int] = {}

    @cached_property
    def rays(self) -> list[list[Ray]]:
        """By cell its lines along the grid's directions."""
        return [[self._ray(ray) for ray in rays if ray] for rays in self.grid.rays]

    def _ray(self, ray: Sequence[int]) -> Ray:
        free: list[tuple[int, ...]] = [tuple(ray)] + [()] * self.count
        stone = [-1] * (self.count + 1)
        for at, cell in enumerate(ray):
            free[cell + 1] = tuple(ray[:at])
            stone[cell + 1] = cell
        # Cells are numbered by rows, so that those of a line ascend or descend.
        return sum(1 << cell for cell in ray), len(ray) > 1 and ray[0] < ray[1], free, stone

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
    def flanks(self) -> list[list[tuple[int, int, bool, list[tuple[int, ...]], list[int]]]]:
        """By cell its lines in every direction, each behind the bit of its first cell."""
        return [[(1 << ray[0], *self._ray(ray)) for ray in rays if ray] for rays in self.all_rays]

    @cached_property
    def all_near(self) -> list[int]:
        """By cell the bits of the first cells of these lines."""
        return [sum(flank[0] for flank in flanks) for flanks in self.flanks]

    def bits_of(self, cells: Sequence[int]) -> int:
        """The bits of some cells; those of a tuple are counted once."""
        if type(cells) is not tuple:
            return sum(1 << cell for cell in set(cells))
        bits = self._sets.get(cells)
        if bits is None:
            bits = sum(1 << cell for cell in set(cells))
            if len(self._sets) < _MOST_SETS:
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
    def edge_bits(self) -> list[int]:
        """The bits of the cells of each edge."""
        return [sum(1 << cell for cell in edge) for edge in self.edges]


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


Group = tuple[int, int, list[int]]
"""A group: the bits of its cells, those of all cells next to one of them, and its cells."""


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
        "_bits", "_groups", "_known", "_of", "acts", "code", "grid", "looked", "mover", "passes",
        "past", "plan", "played", "words",
    )  # fmt: skip

    memory_names: tuple[str, ...] = ()
    """Names of the numbers beside the cells, in order; a game's own class of board has them."""
    cell_memory_names: tuple[str, ...] = ()
    """Names of the numbers on cells."""

    # Of all that follows only the first part is for rules.

    def __init__(self, grid: Grid, values: Sequence[int]) -> None:
        """A board from the numbers of a position: by cell what stands there, then what is
        remembered, then mover, moves made, last act."""
        cells = len(grid)
        super().__init__(values[:cells])
        self.grid = grid
        self.plan = plan_of(grid)
        self.words: tuple[str, ...] = ()
        self.acts: dict[int, Act] = {}
        self._bits = [0, 0, 0, 0]
        for cell, holds in enumerate(self):
            self._bits[holds] |= 1 << cell
        self._groups: list[list[Group] | None] = [None] * 4
        self._of: dict[int, tuple[int, list[int]]] = {}
        self._known: dict[Any, tuple[int, Any]] = {}
        self.looked: Any = None
        self.past: frozenset[int] = frozenset()
        self.passes = 0
        self.mover, self.played, self.code = (*values[-3:],) if len(values) > cells else (0, 0, -1)
        at = cells
        for name in self.cell_memory_names:
            setattr(self, name, tuple(values[at : at + cells]))
            at += cells
        for name in self.memory_names:
            setattr(self, name, values[at])
            at += 1
        if at < len(values) - 3:
            self.passes = values[at]

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
        plan = self.plan
        return plan.cells[plan.near[cell] & self._bits[what]][:]

    def of(self, what: int) -> list[int]:
        """All cells that hold `what`."""
        known = self._of.get(what)
        bits = self._bits[what]
        if known is None or known[0] != bits:
            known = self._of[what] = (bits, cells_in(bits))
        return known[1][:]

    def group(self, cell: int) -> list[int]:
        """The cells connected with this one that hold the same, itself first."""
        cells = self._group_of(cell)[2][:]
        if cells[0] != cell:
            cells[cells.index(cell)] = cells[0]
            cells[0] = cell
        return cells

    def groups(self, what: int) -> list[list[int]]:
        """All groups of `what`, the largest first."""
        known, bits = self._known.get(what), self._bits[what]
        if known is None or known[0] != bits:
            groups = sorted((sorted(cells) for _, _, cells in self._all_groups(what)), key=_by_size)
            known = self._known[what] = (bits, groups)
        return [group[:] for group in known[1]]

    def sizes(self, what: int) -> list[int]:
        """The sizes of the groups of `what`, largest first."""
        return sorted((len(cells) for _, _, cells in self._all_groups(what)), reverse=True)

    def liberties(self, cell: int) -> list[int]:
        """The empty cells next to the group of this cell."""
        group, around, _ = self._group_of(cell)
        return cells_in(around & self._bits[EMPTY] & ~group)

    def edges_of(self, cell: int) -> list[int]:
        """The edges that the group of this cell reaches, by number: 0 at the top, then
        clockwise."""
        group = self._group_of(cell)[0]
        return [edge for edge, bits in enumerate(self.plan.edge_bits) if bits & group]

    def connects(self, what: int, some: Sequence[int], others: Sequence[int]) -> bool:
        """True if a group of `what` has a cell of `some` and one of `others`."""
        ours, theirs = self.plan.bits_of(some), self.plan.bits_of(others)
        mine = self._bits[what]
        if not (mine & ours and mine & theirs):
            return False
        return any(bits & ours and bits & theirs for bits, _, _ in self._all_groups(what))

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
        full = self.plan.full ^ self._bits[EMPTY]
        seen = []
        for line, ascends, _, stone in self.plan.rays[cell]:
            bits = full & line
            if bits:
                seen.append(stone[((bits & -bits) if ascends else bits).bit_length()])
        return seen

    def seen(self, cell: int) -> tuple[int, int, int]:
        """How many white, black and neutral stones this cell sees."""
        white, black, neutral, empty = self._bits
        full = self.plan.full ^ empty
        nearest = 0
        for line, ascends, _, _ in self.plan.rays[cell]:
            bits = full & line
            if bits:
                nearest |= bits & -bits if ascends else 1 << bits.bit_length() - 1
        return (
            (nearest & white).bit_count(),
            (nearest & black).bit_count(),
            (nearest & neutral).bit_count(),
        )

    def free_line(self, cell: int) -> list[int]:
        """The empty cells along each line from this cell, up to the first stone."""
        full = self.plan.full ^ self._bits[EMPTY]
        cells: list[int] = []
        for line, ascends, free, _ in self.plan.rays[cell]:
            bits = full & line
            cells += free[((bits & -bits) if ascends else bits).bit_length()]
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
        what = self[cell]
        rows = []
        for ray, back in self.plan.pairs(self.plan.all_rays[cell]):
            row = [cell]
            for part in (ray, back):
                for at in part:
                    if self[at] != what:
                        break
                    row.append(at)
            rows.append(row)
        return rows

    def flanked(self, cell: int, side: int) -> list[int]:
        """Enemy stones in an unbroken row between this cell and a stone of `side`, along every
        line; on squares with diagonals."""
        enemies = self._bits[1 - side]
        caught: list[int] = []
        if self.plan.all_near[cell] & enemies:
            for next_to, line, ascends, free, stone in self.plan.flanks[cell]:
                if next_to & enemies:
                    bits = line & ~enemies
                    at = ((bits & -bits) if ascends else bits).bit_length()
                    if at and self[stone[at]] == side:
                        caught += free[at]
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

    def __getattr__(self, name: str) -> Any:
        """What is remembered by name is an attribute; any other name is a mistake."""
        if name.startswith("_"):
            raise AttributeError(name)
        known = self.members()
        near = get_close_matches(name, known, n=1)
        meant = f"; did you mean {near[0]}?" if near else ""
        raise AttributeError(f"a board has no {name!r}{meant} It has {', '.join(known)}")

    @classmethod
    def members(cls) -> list[str]:
        """All that a rule may ask a board."""
        inner = {"memory_names", "cell_memory_names", "members", "near", *_FOR_GAMES, *dir(list)}
        own = {name for name in dir(cls) if not name.startswith("_")} - inner
        return sorted({*own, "count", "grid", "mover", "passes", "played"})

    def _kept(self, *_: object, **__: object) -> NoReturn:
        raise RuleError(
            "a rule looks at the board and leaves it as it is: what an act changes is said by"
            " then() and remember()"
        )

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
            mine, near, cells = bit, self.plan.near[cell], [cell]
            apart = []
            for group in known:
                if group[1] & bit:
                    mine |= group[0]
                    near |= group[1]
                    cells = group[2] + cells
                else:
                    apart.append(group)
            apart.append((mine, near, cells))
            groups[holds] = apart

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
        twin.grid, twin.plan = self.grid, self.plan
        twin.words, twin.acts = self.words, self.acts
        twin._bits, twin._groups, twin._of, twin._known = [0] * 4, [None] * 4, {}, {}
        twin.become(self)
        return twin

    def numbers(self, *, passes: bool) -> tuple[int, ...]:
        """The numbers of a position, as the board is made of."""
        remembered: list[int] = []
        for name in self.cell_memory_names:
            remembered += getattr(self, name)
        remembered += [getattr(self, name) for name in self.memory_names]
        if passes:
            remembered.append(self.passes)
        return (*self, *remembered, self.mover, self.played, self.code)

    def content(self) -> int:
        """A hash of all that decides how play goes on, without the number of acts made."""
        rest = [getattr(self, name) for name in (*self.cell_memory_names, *self.memory_names)]
        return hash((*self._bits, self.mover, self.passes, *rest))

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
            groups.append((group, around, cells_in(group)))
            rest &= ~group
        return groups

    def _group_of(self, cell: int) -> Group:
        bit = 1 << cell
        for group in self._all_groups(self[cell]):
            if group[0] & bit:
                return group
        raise AssertionError("every cell is in a group")


_FOR_GAMES = (
    "acts", "become", "code", "content", "copied", "looked", "numbers", "past", "plan", "put",
    "words",
)  # fmt: skip


def _by_size(cells: list[int]) -> tuple[int, list[int]]:
    return -len(cells), cells


Board = GridView
"""Its name in rules written before it had this one."""

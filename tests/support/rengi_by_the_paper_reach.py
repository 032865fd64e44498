"""Rengi by the letter: where a pair can be steered to.

A breadth-first search over everything a pair can be: the axis's column, its row, the rotation. It
starts at column 3, row 12, the child above. Between hands it knows four moves: a column left, a
column right, a turn one way, a turn the other way. What stops them is what stands there.
"""

from __future__ import annotations

from dataclasses import dataclass

from rengi_by_the_paper import COLOURS, COLUMNS, Cell, Field, at, child_cell, height, is_dead

LOW, LIFTED, OVER = 12, 13, 16


@dataclass(frozen=True)
class Pair:
    """Where the axis is, and how the child is turned."""

    column: int
    row: int
    rotation: int

    @property
    def cells(self) -> tuple[Cell, Cell]:
        axis = (self.column, self.row)
        return axis, child_cell(axis, self.rotation)


@dataclass
class Air:
    """What a pair may pass through on its way."""

    of: Field
    plan: int
    quick_turn: bool

    def is_free(self, cell: Cell) -> bool:
        """Whether a block of the pair may be in a cell; nothing stands above row 14."""
        column, row = cell
        if not 1 <= column <= COLUMNS:
            return False
        return row > 14 or at(self.of, cell) == "."

    def fits(self, pair: Pair) -> bool:
        top = OVER if self.plan == 3 else LIFTED
        return pair.row <= top and all(self.is_free(cell) for cell in pair.cells)

    def starts(self) -> list[Pair]:
        """Plan 1 must earn the lift, plan 2 has it, under plan 3 the pair flies over all.

        On a lost field no pair appears.
        """
        if is_dead(self.of):
            return []
        lifted = {1: [], 2: [Pair(3, LIFTED, r) for r in (0, 1, 3)], 3: [Pair(3, OVER, 0)]}
        return [p for p in (Pair(3, LOW, 0), *lifted[self.plan]) if self.fits(p)]

    def steps(self, pair: Pair) -> list[Pair]:
        """All that one move makes of a pair."""
        made = [Pair(pair.column + side, pair.row, pair.rotation) for side in (-1, 1)]
        for turn in (-1, 1):
            made.append(self.turned(pair, (pair.rotation + turn) % 4))
            if self.quick_turn and not self.fits(made[-1]):
                made.append(self.flipped(pair))
        return [p for p in made if self.fits(p)]

    def turned(self, pair: Pair, rotation: int) -> Pair:
        """A turn; where the child finds something, the axis is pushed the other way."""
        turned = Pair(pair.column, pair.row, rotation)
        if self.is_free(turned.cells[1]):
            return turned
        column, row = child_cell((0, 0), (rotation + 2) % 4)
        return Pair(pair.column + column, pair.row + row, rotation)

    def flipped(self, pair: Pair) -> Pair:
        """A quick turn of an upright pair: axis and child change places."""
        row = pair.row + (1 if pair.rotation == 0 else -1 if pair.rotation == 2 else 99)
        return Pair(pair.column, row, (pair.rotation + 2) % 4)


def steerings(of: Field, plan: int, quick_turn: bool = True) -> set[Pair]:
    """Every way the pair can be in the air."""
    air = Air(of, plan, quick_turn)
    seen = set(air.starts())
    frontier = list(seen)
    while frontier:
        frontier = [step for pair in frontier for step in air.steps(pair)]
        frontier = list(dict.fromkeys(p for p in frontier if p not in seen))
        seen.update(frontier)
    return seen


def may_rest(of: Field, column: int, rotation: int, plan: int) -> bool:
    """Axis at row 13 at most; the child at 14 when upright, or flat under plan 3."""
    beside, _ = child_cell((column, 1), rotation)
    if rotation == 2:
        return height(of, column) + 2 <= 13
    if height(of, column) + 1 > 13:
        return False
    child = height(of, beside) + (2 if rotation == 0 else 1)
    if child == 14 and at(of, (beside, 14)) != ".":
        return False
    return child <= 13 or rotation == 0 or plan == 3


def placements(of: Field, plan: int = 1, quick_turn: bool = True) -> list[tuple[int, int]]:
    """All (axis column, rotation) that can be reached and may rest, in order."""
    ways = {(pair.column, pair.rotation) for pair in steerings(of, plan, quick_turn)}
    return sorted(way for way in ways if may_rest(of, *way, plan))


def one_way_of_two(ways: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """Of two ways that fill the same two cells the one with the lower rotation."""
    listed = []
    for column, rotation in ways:
        other = {2: (column, 0), 3: (column - 1, 1)}.get(rotation)
        if other not in ways:
            listed.append((column, rotation))
    return listed


def hands(of: Field, pair: str | None, plan: int = 1, quick_turn: bool = True) -> list[str]:
    """The notation of every hand, none twice; without a pair, with any two of the colours.

    Free mode has the 16 ordered pairs, so each shape is needed one way round only.
    """
    ways = placements(of, plan, quick_turn)
    pairs = [pair] if pair else [axis + child for axis in COLOURS for child in COLOURS]
    listed = []
    for two in pairs:
        once = pair is None or two[0] == two[1]
        for column, rotation in one_way_of_two(ways) if once else ways:
            listed.append(f"{two}{column}.{rotation}")
    return listed

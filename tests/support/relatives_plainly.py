"""The relatives of Control once more, from their rules alone: boards are dicts of coordinates.

Nothing of the product is used. Cells are (x, y, z) with sum 0; names are letter (row, from the
bottom) and number (from the left).
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

Cell = tuple[int, int, int]
WAYS: tuple[Cell, ...] = ((1, -1, 0), (1, 0, -1), (0, 1, -1), (-1, 1, 0), (-1, 0, 1), (0, -1, 1))


def hexagon(side: int) -> dict[str, Cell]:
    """Cells by name."""
    named = {}
    for row in range(-(side - 1), side):  # from the bottom
        xs = [x for x in range(1 - side, side) if abs(-x - row) < side]  # to the right
        for place, x in enumerate(xs, 1):
            named[f"{chr(ord('a') + row + side - 1)}{place}"] = (x, row, -x - row)
    return named


def step(cell: Cell, way: Cell) -> Cell:
    return cell[0] + way[0], cell[1] + way[1], cell[2] + way[2]


@dataclass
class Sighted:
    """Stones by cell ("w", "b", "n") on a hexagon, and what each cell sees."""

    side: int
    stones: dict[Cell, str] = field(default_factory=dict)
    mover: str = "w"
    passes: int = 0

    def __post_init__(self) -> None:
        self.named = hexagon(self.side)
        self.cells = set(self.named.values())

    @property
    def enemy(self) -> str:
        return "b" if self.mover == "w" else "w"

    def lines(self, cell: Cell) -> list[str]:
        """What each line from a cell meets first, "" for nothing."""
        met = []
        for way in WAYS:
            at = step(cell, way)
            if at not in self.cells:
                continue
            while at in self.cells and at not in self.stones:
                at = step(at, way)
            met.append(self.stones.get(at, ""))
        return met


@dataclass
class PlainStigmergy(Sighted):
    """Stigmergy, and with `most` Tumpletore; `button` is "table", "w", "b" or "absent"."""

    most: bool = False
    komi: int = 0
    button: str = ""

    def __post_init__(self) -> None:
        super().__post_init__()
        self.button = self.button or ("table" if self.komi % 2 else "absent")

    def owner(self, cell: Cell) -> str:
        met = Counter(self.lines(cell))
        total = sum(met.values())
        for side, other in (("w", "b"), ("b", "w")):
            if met[side] > met[other] if self.most else 2 * met[side] > total:
                return side
        return ""

    def moves(self) -> set[str]:
        found = set()
        for name, cell in self.named.items():
            if cell not in self.stones and self.owner(cell) != self.enemy:
                found.add(name)
            if self.stones.get(cell) == self.enemy and self.owner(cell) == self.mover:
                found.add("x" + name)
        if self.button == "table":
            found.add("button")
        elif all(self.owner(cell) for cell in self.cells - set(self.stones)):
            found.add("pass")
        return found

    def play(self, move: str) -> None:
        self.passes = self.passes + 1 if move == "pass" else 0
        if move == "button":
            self.button = self.mover
        elif move != "pass":
            self.stones[self.named[move.removeprefix("x")]] = self.mover
        self.mover = self.enemy

    def points(self) -> tuple[int, int]:
        owners = [self.stones.get(cell) or self.owner(cell) for cell in self.cells]
        return owners.count("w"), owners.count("b")

    def winner(self) -> str | None:
        if self.passes < 2:
            return None
        white, black = self.points()
        half = {"w": 0.5, "b": -0.5}.get(self.button, 0)
        return "w" if white - black - self.komi + half > 0 else "b"


@dataclass
class PlainTumbleweed(Sighted):
    """Tumbleweed after the set-up."""

    heights: dict[Cell, int] = field(default_factory=dict)
    begun: bool = False

    def moves(self) -> set[str]:
        found = {"pass"} if self.begun else set()
        for name, cell in self.named.items():
            own = self.lines(cell).count(self.mover)
            if own > self.heights.get(cell, 0):
                stone = self.stones.get(cell)
                found.add({None: "", self.mover: "+"}.get(stone, "x") + name)
        return found

    def play(self, move: str) -> None:
        self.passes = self.passes + 1 if move == "pass" else 0
        if move != "pass":
            cell = self.named[move.lstrip("x+")]
            self.heights[cell] = self.lines(cell).count(self.mover)
            self.stones[cell] = self.mover
        self.mover, self.begun = self.enemy, True

    def points(self) -> tuple[int, int]:
        white = black = 0
        for cell in self.cells:
            met = self.lines(cell)
            stone = self.stones.get(cell)
            seen = met.count("w") - met.count("b") if stone is None else 0
            white += stone == "w" or seen > 0
            black += stone == "b" or seen < 0
        return white, black


def turn_of_strands(
    numbers: dict[str, int], empty: set[str], cells: list[str], first: bool
) -> bool:
    """True if these cells are a whole turn of Strands."""
    asked = {numbers[name] for name in cells}
    if len(asked) != 1 or len(set(cells)) != len(cells) or not set(cells) <= empty:
        return False
    number = asked.pop()
    if first:
        return number == 2 and len(cells) == 1
    left = sum(numbers[name] == number for name in empty)
    return len(cells) == min(number, left)


def group_sizes(side: int, stones: dict[str, str], colour: str) -> list[int]:
    """Sizes of the groups of one colour, largest first."""
    named = hexagon(side)
    rest = {named[name] for name, stone in stones.items() if stone == colour}
    sizes = []
    while rest:
        edge = [rest.pop()]
        size = 0
        while edge:
            cell = edge.pop()
            size += 1
            for way in WAYS:
                near = step(cell, way)
                if near in rest:
                    rest.remove(near)
                    edge.append(near)
        sizes.append(size)
    return sorted(sizes, reverse=True)

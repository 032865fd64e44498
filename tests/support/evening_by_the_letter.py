"""Evening a second time, slow and by the letter of the rules: the truth that tests compare with.

It knows nothing of lumiban but the six directions, keeps no more than stones by coordinates, and
counts everything afresh.
"""

from __future__ import annotations

from dataclasses import dataclass, field

Cell = tuple[int, int]
STEPS = ((1, 0), (1, -1), (0, -1), (-1, 0), (-1, 1), (0, 1))
WHITE, BLACK = "w", "b"
OTHER = {WHITE: BLACK, BLACK: WHITE}


@dataclass
class Plain:
    """One position of one member of the family."""

    cells: set[Cell]
    sees: str = "groups"
    wins: str = "cascade"
    tie: str = "even"
    stones: dict[Cell, str] = field(default_factory=dict)

    def group(self, cell: Cell) -> frozenset[Cell]:
        """The group of a stone."""
        group = {cell}
        grew = True
        while grew:
            beside = {(q + dq, r + dr) for q, r in group for dq, dr in STEPS}
            more = {c for c in beside if self.stones.get(c) == self.stones[cell]} - group
            group |= more
            grew = bool(more)
        return frozenset(group)

    def sizes(self, colour: str) -> list[int]:
        """The sizes of a colour's groups, largest first."""
        groups = {self.group(cell) for cell, stone in self.stones.items() if stone == colour}
        return sorted((len(group) for group in groups), reverse=True)

    def sum_at(self, cell: Cell, colour: str) -> int:
        """What counts of a colour around an empty cell."""
        seen = []
        for dq, dr in STEPS:
            q, r = cell[0] + dq, cell[1] + dr
            while self.sees == "sight" and (q, r) in self.cells and (q, r) not in self.stones:
                q, r = q + dq, r + dr
            if self.stones.get((q, r)) == colour:
                seen.append((q, r))
        if self.sees == "groups":
            return sum(len(group) for group in {self.group(c) for c in seen})
        return len(seen)

    def open_to(self, colour: str) -> set[Cell]:
        """Cells where a colour may be placed now, its turn or not."""
        if not self.stones:
            return set(self.cells) if colour == WHITE else set()
        return {
            cell
            for cell in self.cells - self.stones.keys()
            if self.sum_at(cell, colour) < self.sum_at(cell, OTHER[colour])
        }

    def tied(self) -> bool:
        """Whether what wins is equal."""
        if self.wins == "stones":
            return self.count(WHITE) == self.count(BLACK)
        return self.sizes(WHITE) == self.sizes(BLACK)

    def winner(self) -> str:
        """Who would win if the game ended now."""
        if self.tied():
            odd = self.tie == "odd-even" and self.count(WHITE) % 2 == 1
            return WHITE if odd else BLACK
        if self.wins == "stones":
            return WHITE if self.count(WHITE) > self.count(BLACK) else BLACK
        ours, theirs = self.sizes(WHITE), self.sizes(BLACK)
        while ours and theirs:
            mine, other = ours.pop(0), theirs.pop(0)
            if mine != other:
                return WHITE if mine > other else BLACK
        return WHITE if ours else BLACK

    def count(self, colour: str) -> int:
        """How many stones of a colour there are."""
        return list(self.stones.values()).count(colour)

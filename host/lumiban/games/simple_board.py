"""What a plain rule looks at: the board, and what a side does on it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from lumiban.games.api import BLACK, NEUTRAL, WHITE, Kind
from lumiban.grid import Grid

EMPTY = -1
"""What `board[cell]` is where nothing stands; else WHITE, BLACK or NEUTRAL."""

PLACE, LIFT, BLOCK, SLIDE = "place", "lift", "block", "slide"

MOVER, PLAYED, LAST = 0, 1, 2
"""Places behind the cells: the side to move, moves made, the code of the last one (or −1)."""


@dataclass(frozen=True, slots=True)
class Act:
    """What a side does: `do` is place, lift, block (a neutral stone) or slide.

    A slide goes from `start` to `cell`; the others happen on `cell`.
    """

    do: str
    cell: int
    start: int = -1

    def code(self, cells: int) -> int:
        """Its number among all acts on a board with so many cells.

        >>> [act_of(Act("slide", 4, 2).code(7), 7), act_of(9, 7)]
        [Act(do='slide', cell=4, start=2), Act(do='lift', cell=2, start=-1)]
        """
        if self.do == SLIDE:
            return (3 + self.start) * cells + self.cell
        return (PLACE, LIFT, BLOCK).index(self.do) * cells + self.cell


def act_of(code: int, cells: int) -> Act:
    """The act with this number."""
    row, cell = divmod(code, cells)
    return Act((PLACE, LIFT, BLOCK)[row], cell) if row < 3 else Act(SLIDE, cell, row - 3)


_NOTED = {BLOCK: "block ", LIFT: "x", PLACE: ""}


def text_of(act: Act, grid: Grid) -> str:
    """The notation of an act: `c4`, `xc4` (lift), `block c4`, `c4-c6` (slide)."""
    name = grid.names[act.cell]
    return f"{grid.names[act.start]}-{name}" if act.do == SLIDE else _NOTED[act.do] + name


def act_in(text: str, grid: Grid) -> Act | None:
    """The act that a text notes, None when it notes none."""
    start, dash, end = text.partition("-")
    if dash and start in grid.names and end in grid.names:
        return Act(SLIDE, grid.cell(end), grid.cell(start))
    for do, before in _NOTED.items():
        if text.startswith(before) and text[len(before) :] in grid.names:
            return Act(do, grid.cell(text[len(before) :]))
    return None


def act_like(board: Board, changes: Mapping[int, int]) -> tuple[int, Act] | None:
    """(side, act) that changes of cells (cell -> kind sensed) look like, legal or not; or None."""
    gone = [cell for cell, kind in changes.items() if kind == Kind.EMPTY]
    come = [cell for cell in changes if cell not in gone]
    if len(gone) == 1 and not come:
        return board.mover, Act(LIFT, gone[0])
    if len(come) != 1 or len(gone) > 1 or board[come[0]] != EMPTY:
        return None
    holds = changes[come[0]] - 1
    if gone:
        slid = holds == board[gone[0]] and holds != NEUTRAL
        return (holds, Act(SLIDE, come[0], gone[0])) if slid else None
    if holds == NEUTRAL:
        return board.mover, Act(BLOCK, come[0])
    return (holds, Act(PLACE, come[0])) if holds in (WHITE, BLACK) else None


class Board:
    """The board as a rule sees it: `board[cell]` is EMPTY, WHITE, BLACK or NEUTRAL.

    Cells are numbers; `grid.names` has their names.
    """

    __slots__ = ("_values", "grid")

    def __init__(self, grid: Grid, values: Sequence[int]) -> None:
        self.grid = grid
        self._values = values

    def __getitem__(self, cell: int) -> int:
        return self._values[cell]

    def __len__(self) -> int:
        return len(self.grid)

    def __iter__(self) -> Iterator[int]:
        return iter(self._values[: len(self.grid)])

    @property
    def mover(self) -> int:
        """The side to move."""
        return self._values[len(self.grid) + MOVER]

    @property
    def played(self) -> int:
        """How many moves were made."""
        return self._values[len(self.grid) + PLAYED]

    @property
    def last(self) -> Act | None:
        """What was done last, where the game `keeps_last`; else None."""
        code = self._values[len(self.grid) + LAST]
        return None if code < 0 else act_of(code, len(self.grid))

    def near(self, cell: int) -> tuple[int, ...]:
        """The cells next to this one."""
        return self.grid.neighbours[cell]

    def touching(self, cell: int, what: int) -> list[int]:
        """The cells next to this one that hold `what`: a side, NEUTRAL or EMPTY."""
        values = self._values
        return [near for near in self.grid.neighbours[cell] if values[near] == what]

    def of(self, what: int) -> list[int]:
        """All cells that hold `what`."""
        return [cell for cell in range(len(self.grid)) if self._values[cell] == what]

    def group(self, cell: int) -> list[int]:
        """The cells connected with this one that hold the same, itself first."""
        found, seen = [cell], {cell}
        for at in found:
            for near in self.touching(at, self._values[cell]):
                if near not in seen:
                    seen.add(near)
                    found.append(near)
        return found

    def sees(self, cell: int) -> list[int]:
        """The nearest stone along each line from this cell, as cells."""
        values = self._values
        nearest = (
            next((at for at in ray if values[at] != EMPTY), -1) for ray in self.grid.rays[cell]
        )
        return [at for at in nearest if at >= 0]

    def free_line(self, cell: int) -> list[int]:
        """The empty cells along each line from this cell, up to the first stone."""
        values, found = self._values, []
        for ray in self.grid.rays[cell]:
            for at in ray:
                if values[at] != EMPTY:
                    break
                found.append(at)
        return found

    def __str__(self) -> str:
        """The stones in words: `White c3, d4; Black a1; White to move`."""
        said = []
        for what, name in ((WHITE, "White"), (BLACK, "Black"), (NEUTRAL, "neutral")):
            cells = self.of(what)
            if cells:
                said.append(f"{name} {', '.join(self.grid.names[cell] for cell in cells)}")
        said.append(f"{('White', 'Black')[self.mover]} to move")
        return "; ".join(said)

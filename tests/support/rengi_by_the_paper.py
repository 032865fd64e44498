"""Rengi a second time, slow and by the letter of the rules: fields, chains, points, falls.

The truth that tests compare with. It knows nothing of lumiban. A field is a list of 14 rows, the
bottom row first, each a list of 6 letters: `R` `B` `Y` `G`, `O` ojama, `.` empty. Columns and rows
in arguments and answers count from 1, as the paper does.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

COLUMNS, ROWS, GHOST_ROW = 6, 14, 13
COLOURS = "RBYG"
OJAMA, EMPTY = "O", "."
DEATH = (3, 12)
Field = list[list[str]]
Cell = tuple[int, int]

CHAIN_BONUS: tuple[int, ...] = (0, 8, 16, 32, *range(64, 513, 32))
COLOUR_BONUS = {1: 0, 2: 3, 3: 6, 4: 12, 5: 24}
ONES = (4, 2, 5, 1, 6, 3)
THREES = ((2, 4, 5), (1, 3, 6))


def empty() -> Field:
    return [[EMPTY] * COLUMNS for _ in range(ROWS)]


def from_rows(*rows: str) -> Field:
    """A field from its lowest rows, the topmost given first."""
    made = empty()
    for number, row in enumerate(reversed(rows)):
        made[number] = list(row)
    return made


def to_text(of: Field) -> str:
    """13 rows joined by slashes, the top one first; row 14 is not told."""
    return "/".join("".join(row) for row in reversed(of[:GHOST_ROW]))


def copied(of: Field) -> Field:
    return [list(row) for row in of]


def at(of: Field, cell: Cell) -> str:
    column, row = cell
    return of[row - 1][column - 1]


def put(of: Field, cell: Cell, what: str) -> None:
    column, row = cell
    of[row - 1][column - 1] = what


def height(of: Field, column: int) -> int:
    """How many blocks rest in a column, up to the ghost row."""
    return sum(1 for row in range(1, GHOST_ROW + 1) if at(of, (column, row)) != EMPTY)


def is_dead(of: Field) -> bool:
    return at(of, DEATH) != EMPTY


def is_bare(of: Field) -> bool:
    return all(letter == EMPTY for row in of for letter in row)


def count(of: Field) -> int:
    return sum(letter != EMPTY for row in of for letter in row)


# -- gravity, groups, erasure --


def let_fall(of: Field) -> None:
    """Everything in rows 1 to 13 falls; a block that stays in row 14 stays there."""
    for column in range(1, COLUMNS + 1):
        stack = [at(of, (column, row)) for row in range(1, GHOST_ROW + 1)]
        stack = [letter for letter in stack if letter != EMPTY]
        stack += [EMPTY] * (GHOST_ROW - len(stack))
        for row, letter in enumerate(stack, 1):
            put(of, (column, row), letter)


def beside(cell: Cell, top: int) -> Iterator[Cell]:
    """The 4 neighbours of a cell in rows 1 to `top`."""
    column, row = cell
    for c, r in ((column + 1, row), (column - 1, row), (column, row + 1), (column, row - 1)):
        if 1 <= c <= COLUMNS and 1 <= r <= top:
            yield c, r


def group(of: Field, cell: Cell) -> frozenset[Cell]:
    """The blocks of one colour that hang together with a cell, in rows 1 to 12."""
    seen = {cell}
    to_look_at = [cell]
    while to_look_at:
        for other in beside(to_look_at.pop(), 12):
            if other not in seen and at(of, other) == at(of, cell):
                seen.add(other)
                to_look_at.append(other)
    return frozenset(seen)


def ripe_groups(of: Field) -> list[frozenset[Cell]]:
    """All groups of 4 or more, each once."""
    cells = [(column, row) for column in range(1, 7) for row in range(1, 13)]
    groups = {group(of, cell) for cell in cells if at(of, cell) in COLOURS}
    return sorted((g for g in groups if len(g) >= 4), key=min)


@dataclass
class Step:
    """One erasure of a chain."""

    sizes: list[int]
    colours: int
    ojama: int
    points: int


def connection_bonus(size: int) -> int:
    if size >= 11:
        return 10
    return 0 if size == 4 else size - 3


def step_points(number: int, sizes: list[int], colours: int) -> int:
    """The points of the chain's `number`-th step, counted from 1."""
    bonus = CHAIN_BONUS[number - 1] + sum(map(connection_bonus, sizes)) + COLOUR_BONUS[colours]
    multiplier: int = max(1, bonus)
    return sum(sizes) * 10 * multiplier


def erase(of: Field, number: int, ghost_ojama: str = "B") -> Step | None:
    """Erase what is ripe, without gravity after it; None where nothing is."""
    groups = ripe_groups(of)
    if not groups:
        return None
    going = {cell for g in groups for cell in g}
    colours = len({at(of, cell) for cell in going})
    top = 13 if ghost_ojama == "C" else 12
    ojama = {c for cell in going for c in beside(cell, top) if at(of, c) == OJAMA}
    for cell in going | ojama:
        put(of, cell, EMPTY)
    sizes = sorted(len(g) for g in groups)
    return Step(sizes, colours, len(ojama), step_points(number, sizes, colours))


def run_chain(of: Field, ghost_ojama: str = "B") -> list[Step]:
    """Gravity, erasure, gravity, erasure, until nothing is ripe; the field is changed."""
    steps: list[Step] = []
    let_fall(of)
    while step := erase(of, len(steps) + 1, ghost_ojama):
        steps.append(step)
        let_fall(of)
    return steps


# -- a pair put down --


def child_cell(axis: Cell, rotation: int) -> Cell:
    column, row = axis
    return {
        0: (column, row + 1),
        1: (column + 1, row),
        2: (column, row - 1),
        3: (column - 1, row),
    }[rotation]


def drop(of: Field, column: int, block: str, row14: str) -> bool:
    """Let one block fall into a column; False where it vanishes at row 14."""
    row = height(of, column) + 1
    if row > GHOST_ROW and row14 == "vanish":
        return False
    put(of, (column, row), block)
    return True


def place(of: Field, pair: str, column: int, rotation: int, row14: str = "vanish") -> int:
    """Put axis and child down; how many of the two vanished."""
    axis, child = (column, pair[0]), (child_cell((column, 2), rotation)[0], pair[1])
    order = [child, axis] if rotation == 2 else [axis, child]
    return sum(not drop(of, c, block, row14) for c, block in order)


# -- ojama come down --


@dataclass
class Fall:
    """How ojama fall: the options that matter for it."""

    unit: int | str = 3
    mixed_from: int = 18
    cap_rows: int = 5


def fall_amount(waiting: int, how: Fall, fallen: int = 0) -> int:
    """How many of those waiting fall at once, if so many have fallen in this turn already."""
    unit = how.unit
    if unit == "mixed":
        unit = 3 if waiting <= how.mixed_from else 6
    assert isinstance(unit, int)
    amount = min(waiting, how.cap_rows * COLUMNS - fallen)
    return amount - amount % unit


def fall_columns(amount: int, unit: int | str) -> list[int]:
    """The fixed order: for each ojama its column, full rows first."""
    order = list(ONES) if unit == 1 else [column for three in THREES for column in three]
    rows, rest = divmod(amount, COLUMNS)
    return order * rows + order[:rest]


@dataclass
class Landed:
    """What became of ojama that fell."""

    stood: int = 0
    vanished: list[int] = field(default_factory=list)


def land(of: Field, columns: list[int]) -> Landed:
    """Let ojama fall, one after the other; those at row 14 or above do not stand."""
    landed = Landed()
    for column in columns:
        if height(of, column) >= GHOST_ROW:
            landed.vanished.append(column)
        else:
            put(of, (column, height(of, column) + 1), OJAMA)
            landed.stood += 1
    return landed


# -- lists of pairs --


MARGIN = (
    (0, 70), (96, 52), (112, 34), (128, 25), (144, 16), (160, 12),
    (176, 8), (192, 6), (208, 4), (224, 3), (240, 2), (256, 1),
)  # fmt: skip


def margin_rate(seconds: float) -> int:
    """The rate after so many seconds, by tsu's table."""
    rate = 70
    for since, value in MARGIN:
        if seconds >= since:
            rate = value
    return rate

"""How a State of Tokyo Doves lies in its three arrays, and the constant one, the plan.

All play happens in a frame of 6×6 cells: the doves' own box, at most 4×4, lies with its top left
corner at row 1, column 1, and every legal target is in the box or next to it. After each action
the frame moves along. Inside the kernel a cell is a bit, 8·row + column, so that a set of cells
is one word and the two columns too many keep its rows apart.

The plan tells the rules, then holds tables: the place of a single bit, the cells that keep the
box small by the columns and rows in use, the lowest of some bits, the steps of each dove.

The board tells the position: mover, plies played since the State was made, positions faced, how
it ended, actions barred, who is on the board, the cells of Red and of Green, the cell of each
dove (−1 in hand), then the barred actions and the positions faced.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import lru_cache

KINDS = "BAYMTH"
"""Boss, aniki, yaibato, mamedeppo, totsu, hajike. Dove number 2·kind + side, Red's first."""
TOTSU = 4
SIDE = 6
"""Rows and columns of the frame."""
CELLS = SIDE * SIDE
WIDEST = 4
"""Rows and columns of the largest box."""

# Places in the plan.
REPEAT, NO_INITIAL, REMOVE, BOTH = 0, 1, 2, 3
PLACE = 4
"""The place of a single bit, by its remainder modulo 53: all differ."""
COLUMNS = PLACE + 53
"""By the columns in use (6 bits), the cells in columns that keep the box small."""
ROWS = COLUMNS + 64
LOWEST = ROWS + 64
"""By some of 6 bits, the lowest of them."""
STEPS = LOWEST + 64
"""By kind and cell (8·row + column), the cells one step away; a totsu's are looked up by hand."""

# What REPEAT says.
OFF, WEAK, NORMAL, STRONG = 0, 1, 2, 3
REPETITIONS = ("off", "weak", "normal", "strong")
# What BOTH says.
BOTHS = ("mover-loses", "mover-wins", "draw")
LOSES, WINS = 0, 1

# Places in the board.
MOVER, PLIES, FACED, ENDED, BARRED, PRESENT = 0, 1, 2, 3, 4, 5
RED_CELLS, GREEN_CELLS = 6, 7
DOVE = 8
"""Where the doves begin: 12 numbers."""
BARS = DOVE + 12
"""Where the barred actions begin."""
BAR_ROOM = 64
"""More than the actions of any position."""
FACES = BARS + BAR_ROOM
"""Where the positions faced begin."""

# What ENDED says, beside 0: it is the sum of those that are surrounded.
RED_SURROUNDED, GREEN_SURROUNDED, FORGOTTEN = 1, 2, 4

ROOM = 1024
"""Plies that a State can be played on; without a rule on repetition the game is then a draw."""
MOST = 96
"""Room for the actions of any position: 61 are known to occur."""

# Codes of actions: a put is kind · 36 + cell of the frame, the others follow.
MOVES = 6 * CELLS
REMOVES = 2 * MOVES

FRAME = sum(1 << (8 * r + c) for r in range(SIDE) for c in range(SIDE))
ROW_ENDS = 0x010101010101
GATHER = sum(1 << (35 - 7 * r) for r in range(SIDE))
"""Times the first bits of the rows: those bits side by side, from bit 35 on."""
WALL_ROW, WALL_COLUMN = 0x3F << 32, ROW_ENDS << 4
"""Row and column 4: in use only if the box is as large as can be."""
ROW_WALLS, COLUMN_WALLS = 0x3F | 0x3F << 40, ROW_ENDS | ROW_ENDS << 5
ONLY_BOSSES = 0xC00
"""What PRESENT says of a board with the two bosses alone; bit 11 is dove 0."""

_KING = [(r, c) for r in (-1, 0, 1) for c in (-1, 0, 1) if (r, c) != (0, 0)]
_ORTHOGONAL = [(-1, 0), (1, 0), (0, -1), (0, 1)]
_DIAGONAL = [(-1, -1), (-1, 1), (1, -1), (1, 1)]
_KNIGHT = [(r, c) for r in (-2, -1, 1, 2) for c in (-2, -1, 1, 2) if abs(r) != abs(c)]
_STEPS: tuple[list[tuple[int, int]], ...] = (_KING, _KING, _ORTHOGONAL, _DIAGONAL, [], _KNIGHT)


def _around(steps: Iterable[tuple[int, int]]) -> list[int]:
    """By place of a bit, the set of cells of the frame that these steps lead to."""
    table = []
    listed = list(steps)
    for place in range(8 * SIDE):
        row, column = divmod(place, 8)
        found = 0
        for dr, dc in listed:
            if 0 <= row + dr < SIDE and 0 <= column + dc < SIDE:
                found |= 1 << (8 * (row + dr) + column + dc)
        table.append(found)
    return table


def _fitting(used: int) -> int:
    """The six lines, as bits, of which each may be used beside those in use."""
    lines = [line for line in range(SIDE) if used >> line & 1]
    fit = 0
    for line in range(SIDE):
        every = [*lines, line]
        if max(every) - min(every) < WIDEST:
            fit |= 1 << line
    return fit


@lru_cache(maxsize=32)
def plan_of(*, repeat: int, no_initial: bool, remove: bool, both: int) -> list[int]:
    """The plan for these rules; shared by all its States, never changed."""
    places = [0] * 53
    for place in range(8 * SIDE):
        places[(1 << place) % 53] = place
    columns = [_fitting(used) * ROW_ENDS for used in range(64)]
    rows = [
        sum(0x3F << 8 * line for line in range(SIDE) if _fitting(used) >> line & 1)
        for used in range(64)
    ]
    lowest = [(used & -used).bit_length() - 1 for used in range(64)]
    steps = [word for kind in _STEPS for word in _around(kind)]
    return [repeat, int(no_initial), int(remove), both, *places, *columns, *rows, *lowest, *steps]


def board_of(
    plan: Sequence[int],
    doves: Sequence[int],
    mover: int,
    faced: Sequence[int] = (),
    barred: Sequence[int] = (),
) -> list[int]:
    """The board with these doves (places of bits, −1 in hand) before they are judged.

    `faced` are the keys of all positions faced so far, this one included.
    """
    present, cells = 0, [0, 0]
    for dove, place in enumerate(doves):
        if place >= 0:
            present |= 1 << (11 - dove)
            cells[dove % 2] |= 1 << place
    remembers = plan[REPEAT] >= NORMAL
    known = list(faced) if remembers else []
    return [
        mover,
        0,
        len(known),
        0,
        len(barred),
        present,
        *cells,
        *doves,
        *barred,
        *([0] * (BAR_ROOM - len(barred))),
        *known,
        *([0] * ROOM if remembers else ()),
    ]

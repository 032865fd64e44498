"""Rengi's field kernel: 6 columns of 14 rows, filled from below, and the chains in them.

A field is three sets of cells (`planes`): the `coloured` blocks, and `first` and `second`, which
tell the four colours apart. A block that is not coloured and in the first of them is ojama.

Colours are 0 empty, 1 to 4 red, blue, yellow, green, 5 ojama; columns count from 0, rows from 1.
`board` is a list of ints, or an int64 array when compiled, and a field lies in it from `at` on.
"""

from __future__ import annotations

from typing import Any

from lumiban.games.kernel import inlined, kernel
from lumiban.games.rengi.planes import (
    GHOSTLY,
    LANE,
    SEEN,
    TOP,
    beside,
    count_bits,
    fallen,
    groups,
    ones_in,
    worth,
)
from lumiban.games.rengi.score import step_points

COLUMNS = 6
ROWS = 14
OJAMA = 5
DEATH_COLUMN, DEATH_ROW = 2, 12

FIELD_SIZE = 6
"""Ints of a field: left and right word of `coloured`, of the first colour set, of the second."""
OUT_SIZE = 8
"""Ints that `step` and `resolve` may write."""


@kernel
def clear(board: Any, at: int) -> None:
    """Empty the field."""
    for i in range(at, at + FIELD_SIZE):
        board[i] = 0


@kernel
def column_bits(board: Any, at: int, column: int) -> int:
    """The blocks of one column as bits, row 1 lowest: ones from below, and perhaps row 14."""
    half = at + column // 3
    bits: int = ((board[half] | board[half + 2]) >> (16 * (column % 3))) & LANE
    return bits


@kernel
def height(board: Any, at: int, column: int) -> int:
    """How high a column is, 0 to 14; a block left hanging in row 14 does not count."""
    bits = column_bits(board, at, column)
    return ones_in(bits & ~(bits + 1))


@kernel
def colour_at(board: Any, at: int, column: int, row: int) -> int:
    """The colour of a cell: 0 empty, 1 to 4, or 5 for ojama."""
    half = at + column // 3
    shift = 16 * (column % 3) + row - 1
    first = (board[half + 2] >> shift) & 1
    if (board[half] >> shift) & 1 == 0:
        return OJAMA * first  # type: ignore[no-any-return]  # Any for the compiler
    colour: int = 1 + first + 2 * ((board[half + 4] >> shift) & 1)
    return colour


@kernel
def put(board: Any, at: int, column: int, row: int, colour: int) -> None:
    """Set an empty cell to a colour from 1 to 5; nothing falls."""
    half = at + column // 3
    bit = 1 << (16 * (column % 3) + row - 1)
    if colour == OJAMA:
        board[half + 2] |= bit
    else:
        board[half] |= bit
        board[half + 2] |= bit * ((colour - 1) & 1)
        board[half + 4] |= bit * ((colour - 1) >> 1)


@kernel
def drop(board: Any, at: int, column: int, colour: int, stay14: int) -> int:
    """Let a block fall into a column; returns the row it rests at, 0 when it has vanished.

    It vanishes above row 13, with `stay14` above row 14.
    """
    row = height(board, at, column) + 1
    if row > 13 + stay14:
        return 0
    put(board, at, column, row, colour)
    return row


@kernel
def add_ojama(board: Any, at: int, column: int, stay14: int) -> int:
    """Let an ojama fall into a column; returns its row like `drop`."""
    return drop(board, at, column, OJAMA, stay14)


@kernel
def place_pair(
    board: Any, at: int, axis: int, child: int, column: int, rotation: int, stay14: int
) -> None:
    """Place a pair, whose blocks fall separately; `column` is the axis's.

    The child is above the axis at rotation 0, to the right at 1, below at 2, to the left at 3.
    """
    if rotation == 2:
        drop(board, at, column, child, stay14)
        drop(board, at, column, axis, stay14)
    else:
        drop(board, at, column, axis, stay14)
        drop(board, at, column + (rotation & 1) * (2 - rotation), child, stay14)


@kernel
def is_dead(board: Any, at: int) -> bool:
    """Whether the cell in column 3, row 12 is filled, on which a player loses."""
    return (column_bits(board, at, DEATH_COLUMN) >> (DEATH_ROW - 1)) & 1 != 0


@kernel
def is_empty(board: Any, at: int) -> bool:
    """Whether no block stands in the field."""
    empty: bool = (board[at] | board[at + 1] | board[at + 2] | board[at + 3]) == 0
    return empty


@kernel
def count(board: Any, at: int) -> int:
    """How many blocks stand in the field."""
    return count_bits(board[at] | board[at + 2], board[at + 1] | board[at + 3])


@kernel
def field_key(board: Any, at: int) -> int:
    """A 63-bit hash of the field."""
    key = 0
    for i in range(at, at + FIELD_SIZE):
        key = ((key ^ board[i]) * 0x2545_F491_4F6C_DD1D) & 0x7FFF_FFFF_FFFF_FFFF
        key ^= key >> 29
    return key


@kernel
def renew(
    board: Any,
    at: int,
    coloured0: int,
    coloured1: int,
    first0: int,
    first1: int,
    second0: int,
    second1: int,
) -> None:
    """Replace rows 1 to 13; what stays in row 14 stays there."""
    board[at] = coloured0 | (board[at] & TOP)
    board[at + 1] = coloured1 | (board[at + 1] & TOP)
    board[at + 2] = first0 | (board[at + 2] & TOP)
    board[at + 3] = first1 | (board[at + 3] & TOP)
    board[at + 4] = second0 | (board[at + 4] & TOP)
    board[at + 5] = second1 | (board[at + 5] & TOP)


@kernel
def step(board: Any, at: int, ghost_c: int, out: Any) -> int:
    """Erase all groups of four or more at once and let the rest fall.

    Returns the number of coloured blocks erased, 0 when no group was there. Then `out` holds: 0
    the same number, 1 ojama erased with them, 2 the sum of connection bonuses, 3 the number of
    colours, 4 and 5 the set of coloured cells erased, 6 and 7 that of ojama. With `ghost_c` an
    ojama in row 13 goes with the block below it, otherwise it stays.
    """
    coloured0, coloured1 = board[at] & GHOSTLY, board[at + 1] & GHOSTLY
    first0, first1 = board[at + 2] & GHOSTLY, board[at + 3] & GHOSTLY
    second0, second1 = board[at + 4] & GHOSTLY, board[at + 5] & GHOSTLY
    gone0, gone1 = groups(coloured0, coloured1, first0, first1, second0, second1)
    blocks = count_bits(gone0, gone1)
    out[0] = blocks
    if blocks == 0:
        return 0
    connected, colours = worth(blocks, gone0, gone1, first0, first1, second0, second1)
    ojama0, ojama1 = beside(
        gone0, gone1, first0 & ~coloured0, first1 & ~coloured1, GHOSTLY if ghost_c else SEEN
    )
    out[1] = count_bits(ojama0, ojama1)
    out[2], out[3] = connected, colours
    out[4], out[5], out[6], out[7] = gone0, gone1, ojama0, ojama1
    coloured0, first0, second0 = fallen(gone0 | ojama0, coloured0, first0, second0)
    coloured1, first1, second1 = fallen(gone1 | ojama1, coloured1, first1, second1)
    renew(board, at, coloured0, coloured1, first0, first1, second0, second1)
    return blocks


@inlined
def resolve(board: Any, at: int, ghost_c: int, out: Any) -> int:
    """Run the chain to its end; returns its length, 0 when nothing is erased.

    `out` then holds: 0 the length, 1 all points, 2 coloured blocks erased, 3 ojama erased.
    """
    coloured0, coloured1 = board[at] & GHOSTLY, board[at + 1] & GHOSTLY
    first0, first1 = board[at + 2] & GHOSTLY, board[at + 3] & GHOSTLY
    second0, second1 = board[at + 4] & GHOSTLY, board[at + 5] & GHOSTLY
    rows = GHOSTLY if ghost_c else SEEN
    length = points = erased = with_them = 0
    while True:
        gone0, gone1 = groups(coloured0, coloured1, first0, first1, second0, second1)
        if gone0 | gone1 == 0:
            break
        blocks = count_bits(gone0, gone1)
        connected, colours = worth(blocks, gone0, gone1, first0, first1, second0, second1)
        length += 1
        points += step_points(length, blocks, connected, colours)
        erased += blocks
        ojama0, ojama1 = first0 & ~coloured0, first1 & ~coloured1
        if ojama0 | ojama1 != 0:
            ojama0, ojama1 = beside(gone0, gone1, ojama0, ojama1, rows)
            with_them += count_bits(ojama0, ojama1)
            gone0 |= ojama0
            gone1 |= ojama1
        coloured0, first0, second0 = fallen(gone0, coloured0, first0, second0)
        coloured1, first1, second1 = fallen(gone1, coloured1, first1, second1)
    out[0] = length
    out[1] = points
    out[2] = erased
    out[3] = with_them
    if length != 0:
        renew(board, at, coloured0, coloured1, first0, first1, second0, second1)
    return length

"""Rengi's fields: 6 columns of 14 rows, filled from below, and what their chains are worth.

A field is three sets of cells: the `coloured` blocks, and `first` and `second`, which tell the four
colours apart. A block that is not coloured and in the first of them is ojama. Colours are 0 empty,
1 to 4 red, blue, yellow, green, 5 ojama; columns count from 0, rows from 1. `board` is a list of
ints, or an int64 array when compiled, and a field lies in it from `at` on.

A set is two words; groups, neighbours and gravity are bit tricks on them. The left word has columns
1 to 3, the right one columns 4 to 6, each column in 16 bits: bit 0 is row 1, bit 13 row 14, and the
two above stay 0. So all shifts stay within 48 bits, a column's neighbour is 16 bits away, and the
same text serves Python's ints and the compiler's.

What a step of a chain is worth, and how many ojama points make, follows the tables of Puyo Puyo Tsu
as the author's page gives them (golden/rengi.json, `bonus`). `Chain` tells a chain step by step:
which groups go, what they are worth, how many ojama they send.

As text a field is 13 rows of 6 letters joined by `/`, the top row first: `R` `B` `Y` `G`, `O` for
ojama and `.` for empty. A 14th row in front is row 14, for games in which blocks stay there.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from lumiban.errors import GameError
from lumiban.games.kernel import inlined, kernel, popcount

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
    """Height of a column, 0 to 14; a block left hanging in row 14 does not count."""
    bits = column_bits(board, at, column)
    return popcount(bits & ~(bits + 1))


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
    """True if the cell in column 3, row 12 is filled, by which a player loses."""
    return (column_bits(board, at, DEATH_COLUMN) >> (DEATH_ROW - 1)) & 1 != 0


@kernel
def is_empty(board: Any, at: int) -> bool:
    """True if no block stands in the field."""
    empty: bool = (board[at] | board[at + 1] | board[at + 2] | board[at + 3]) == 0
    return empty


@kernel
def count(board: Any, at: int) -> int:
    """Number of blocks in the field."""
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


LANE = 0xFFFF
ONES = 0x0001_0001_0001
"""The lowest bit of each column of a word."""
SEEN = 0x0FFF * ONES
"""Rows 1 to 12, where groups count."""
GHOSTLY = 0x1FFF * ONES
"""Rows 1 to 13."""
TOP = 0x2000 * ONES
"""Row 14, where a block may stay and hang."""
GUARD = 0x8000 * ONES
WORD = 0xFFFF_FFFF_FFFF


@inlined
def count_bits(left: int, right: int) -> int:
    """Number of cells in a set.

    >>> count_bits(0b1011, WORD)
    51
    """
    return popcount(left) + popcount(right)


@inlined
def links(
    coloured0: int, coloured1: int, first0: int, first1: int, second0: int, second1: int
) -> tuple[int, int, int, int]:
    """Visible cells that have a block of their own colour above (left, right word) and on their
    right (left, right word)."""
    seen0, seen1 = coloured0 & SEEN, coloured1 & SEEN
    above0 = seen0 & (seen0 >> 1) & ~((first0 ^ (first0 >> 1)) | (second0 ^ (second0 >> 1)))
    above1 = seen1 & (seen1 >> 1) & ~((first1 ^ (first1 >> 1)) | (second1 ^ (second1 >> 1)))
    unlike0 = first0 ^ ((first0 >> 16) | ((first1 & LANE) << 32))
    unlike0 |= second0 ^ ((second0 >> 16) | ((second1 & LANE) << 32))
    right0 = seen0 & ((seen0 >> 16) | ((seen1 & LANE) << 32)) & ~unlike0
    unlike1 = (first1 ^ (first1 >> 16)) | (second1 ^ (second1 >> 16))
    right1 = seen1 & (seen1 >> 16) & ~unlike1
    return above0, above1, right0, right1


@inlined
def groups(
    coloured0: int, coloured1: int, first0: int, first1: int, second0: int, second1: int
) -> tuple[int, int]:
    """The cells of all groups of four or more, of any colour.

    A group of four or more has a block with three neighbours in it, or two neighbouring blocks
    with two each; and every other block of it is next to such a one. No flood fill is needed.
    """
    above0, above1, right0, right1 = links(coloured0, coloured1, first0, first1, second0, second1)
    below0, below1 = above0 << 1, above1 << 1
    left0, left1 = (right0 << 16) & WORD, ((right1 << 16) & WORD) | (right0 >> 32)
    both0, both1 = above0 & below0, above1 & below1
    one0, one1 = above0 | below0, above1 | below1
    across0, across1 = left0 & right0, left1 & right1
    aside0, aside1 = left0 | right0, left1 | right1
    two0 = both0 | across0 | (one0 & aside0)
    two1 = both1 | across1 | (one1 & aside1)
    core0 = (both0 & aside0) | (across0 & one0)
    core1 = (both1 & aside1) | (across1 & one1)
    upright0 = above0 & two0 & (two0 >> 1)
    upright1 = above1 & two1 & (two1 >> 1)
    flat0 = right0 & two0 & ((two0 >> 16) | ((two1 & LANE) << 32))
    flat1 = right1 & two1 & (two1 >> 16)
    if core0 | core1 | upright0 | upright1 | flat0 | flat1 == 0:
        return 0, 0
    core0 |= upright0 | (upright0 << 1) | flat0 | ((flat0 << 16) & WORD)
    core1 |= upright1 | (upright1 << 1) | flat1 | ((flat1 << 16) & WORD) | (flat0 >> 32)
    all0 = core0 | ((core0 << 1) & below0) | ((core0 >> 1) & above0)
    all1 = core1 | ((core1 << 1) & below1) | ((core1 >> 1) & above1)
    all0 |= ((core0 << 16) & left0) | (((core0 >> 16) | ((core1 & LANE) << 32)) & right0)
    all1 |= (((core1 << 16) | (core0 >> 32)) & left1) | ((core1 >> 16) & right1)
    return all0, all1


@inlined
def beside(set0: int, set1: int, among0: int, among1: int, rows: int) -> tuple[int, int]:
    """Those cells `among` others, in these rows, that are next to a cell of a set."""
    near0 = (set0 << 1) | (set0 >> 1) | (set0 << 16) | (set0 >> 16) | ((set1 & LANE) << 32)
    near1 = (set1 << 1) | (set1 >> 1) | (set1 << 16) | (set1 >> 16) | (set0 >> 32)
    return near0 & among0 & rows, near1 & among1 & rows


@inlined
def worth(
    blocks: int, gone0: int, gone1: int, first0: int, first1: int, second0: int, second1: int
) -> tuple[int, int]:
    """(sum of connection bonuses, number of colours) of the groups that go in one step.

    Fewer than eight blocks are one group, and fewer than eight of a colour too.
    """
    if blocks < 8:
        return CONNECTION[blocks], 1
    connected = colours = 0
    for colour in range(4):
        turn_first = WORD * (~colour & 1)
        turn_second = WORD * (~(colour >> 1) & 1)
        rest0 = gone0 & (first0 ^ turn_first) & (second0 ^ turn_second)
        rest1 = gone1 & (first1 ^ turn_first) & (second1 ^ turn_second)
        size = count_bits(rest0, rest1)
        colours += 1 if size != 0 else 0
        if size < 8:
            connected += CONNECTION[size]
            continue
        while rest0 | rest1 != 0:
            group0 = rest0 & -rest0
            group1 = 0
            if group0 == 0:
                group1 = rest1 & -rest1
            size, grown = 0, 1
            while size != grown:
                size = grown
                more0, more1 = beside(group0, group1, rest0, rest1, SEEN)
                group0 |= more0
                group1 |= more1
                grown = count_bits(group0, group1)
            rest0 ^= group0
            rest1 ^= group1
            connected += CONNECTION[min(size, 11)]
    return connected, colours


@inlined
def above_lowest(cells: int) -> int:
    """In each column the rows from its lowest cell of a set up to 13; none where it has none."""
    guarded = cells | GUARD
    return (guarded | ~(guarded - ONES)) & GHOSTLY


@inlined
def fallen(gone: int, coloured: int, first: int, second: int) -> tuple[int, int, int]:
    """The three words of one half, rows 1 to 13 only, after the cells `gone` have closed up.

    In all columns at once, what is above the lowest gap moves down: by two as long as some gap is
    two high, then by one.
    """
    double = gone & (gone >> 1)
    while double != 0:
        moving = above_lowest(double)
        coloured ^= (coloured ^ (coloured >> 2)) & moving
        first ^= (first ^ (first >> 2)) & moving
        second ^= (second ^ (second >> 2)) & moving
        gone ^= (gone ^ (gone >> 2)) & moving
        double = gone & (gone >> 1)
    while gone != 0:
        moving = above_lowest(gone)
        coloured ^= (coloured ^ (coloured >> 1)) & moving
        first ^= (first ^ (first >> 1)) & moving
        second ^= (second ^ (second >> 1)) & moving
        gone ^= (gone ^ (gone >> 1)) & moving
    return coloured, first, second


CHAIN = (0, 8, 16, 32, 64, 96, 128, 160, 192, 224, 256, 288, 320, 352, 384, 416, 448, 480, 512)
"""The chain bonus of step 1, 2, …; no field of 78 cells has more than 19 steps."""
CONNECTION = (0, 0, 0, 0, 0, 2, 3, 4, 5, 6, 7, 10)
"""The connection bonus by the size of a group; the last is for 11 and more."""
COLOURS = (0, 0, 3, 6, 12, 24)
"""The colour bonus by the number of colours that go in one step."""

RATE = 70
"""Points for one ojama, outside margin time."""
ALL_CLEAR = 2100
"""Points for an empty field, paid with the next erasure."""
MARGIN = (
    (0, 70),
    (96, 52),
    (112, 34),
    (128, 25),
    (144, 16),
    (160, 12),
    (176, 8),
    (192, 6),
    (208, 4),
    (224, 3),
    (240, 2),
    (256, 1),
)
"""Margin time: seconds of play from which on, and points that make one ojama."""


@kernel
def step_points(step: int, blocks: int, connected: int, colours: int) -> int:
    """Points of one step: `blocks` × 10 × (chain + connection + colour bonus, at least 1).

    `step` counts from 1, `connected` is the sum of connection bonuses over the step's groups.

    >>> step_points(1, 4, 0, 1), step_points(2, 13, 7, 2)
    (40, 2340)
    """
    bonus = CHAIN[min(step, 19) - 1] + connected + COLOURS[colours]
    return blocks * 10 * max(1, bonus)


@kernel
def ojama(points: int, rate: int, sent: int) -> int:
    """Number of ojama that points of a chain make beyond those it has `sent` already.

    >>> ojama(360, 70, 0), ojama(1000, 70, 5)
    (5, 9)
    """
    return points // rate - sent


def margin_rate(seconds: float) -> int:
    """Points for one ojama at a time of play in seconds, in margin time.

    >>> margin_rate(95.9), margin_rate(96), margin_rate(1000)
    (70, 52, 1)
    """
    return next(rate for since, rate in reversed(MARGIN) if seconds >= since or since == 0)


Cell = tuple[int, int]
"""Column and row, both from 1."""


@dataclass(frozen=True)
class Group:
    """Blocks of one colour that go together."""

    colour: str
    """`R` `B` `Y` or `G`."""
    cells: tuple[Cell, ...]


@dataclass(frozen=True)
class Step:
    """One step of a chain."""

    number: int
    before: str
    """The field with the blocks still in it, as text of 14 rows."""
    groups: tuple[Group, ...]
    ojama_cells: tuple[Cell, ...]
    """Ojama that go with the groups."""
    chain_bonus: int
    connection_bonus: int
    colour_bonus: int
    points: int
    ojama: int
    """Ojama that it sends, beyond those of the steps before."""

    @property
    def blocks(self) -> int:
        """Number of coloured blocks that are erased."""
        return sum(len(group.cells) for group in self.groups)


@dataclass(frozen=True)
class Chain:
    """A chain from its first step to the field that it leaves."""

    steps: tuple[Step, ...]
    field: str
    """As text, of 13 rows, or 14 where a block stays in row 14."""

    @property
    def points(self) -> int:
        """Points of all steps."""
        return sum(step.points for step in self.steps)

    @property
    def ojama(self) -> int:
        """Ojama of all steps."""
        return sum(step.ojama for step in self.steps)


def chain_of(field: list[int], ghost_c: bool = False, rate: int = RATE) -> Chain:
    """The chain that a field runs by itself; the field is changed.

    `ghost_c`: an ojama in row 13 goes with the block below it. `rate` points make one ojama.

    >>> from lumiban.games.rengi.field import parse
    >>> chain = chain_of(parse("/".join(["......"] * 10 + ["....Y.", "RRRRYY", "BBGGYO"])))
    >>> [(step.points, step.ojama, step.ojama_cells) for step in chain.steps]
    [(240, 3, ((6, 1),))]
    """
    steps: list[Step] = []
    out = [0] * OUT_SIZE
    points = sent = 0
    while True:
        before = printed(field, rows=14)
        blocks = step(field, 0, int(ghost_c), out)
        if blocks == 0:
            break
        number = len(steps) + 1
        worth = step_points(number, blocks, out[2], out[3])
        points += worth
        sends = ojama(points, rate, sent)
        sent += sends
        gone = tuple(_cells(out[4], out[5]))
        steps.append(
            Step(
                number=number,
                before=before,
                groups=tuple(_groups(before, gone)),
                ojama_cells=tuple(_cells(out[6], out[7])),
                chain_bonus=CHAIN[number - 1],
                connection_bonus=out[2],
                colour_bonus=COLOURS[out[3]],
                points=worth,
                ojama=sends,
            )
        )
    hangs = any(colour_at(field, 0, column, 14) for column in range(COLUMNS))
    return Chain(tuple(steps), printed(field, rows=14 if hangs else 13))


def _cells(left: int, right: int) -> Iterator[Cell]:
    for column in range(COLUMNS):
        bits = (left, right)[column // 3] >> (16 * (column % 3))
        for row in range(1, 15):
            if (bits >> (row - 1)) & 1:
                yield column + 1, row


def _groups(before: str, gone: tuple[Cell, ...]) -> Iterator[Group]:
    rows = before.split("/")[::-1]
    rest = list(gone)
    while rest:
        group = [rest.pop(0)]
        column, row = group[0]
        colour = rows[row - 1][column - 1]
        for column, row in group:
            for near in (
                (column + 1, row),
                (column - 1, row),
                (column, row + 1),
                (column, row - 1),
            ):
                if near in rest and rows[near[1] - 1][near[0] - 1] == colour:
                    rest.remove(near)
                    group.append(near)
        yield Group(colour, tuple(sorted(group)))


LETTERS = ".RBYGO"
"""Every letter, at the number of its colour."""
COLOUR_COUNT = 4
VISIBLE = 13
"""Rows of a field as text, unless row 14 is told too."""


class FieldError(GameError):
    """A text that is no field of Rengi."""


def parse(text: str) -> list[int]:
    """The field of a text; FieldError says what is wrong with it, and where.

    >>> parse("/".join(["......"] * 12 + ["R....O"]))[:4]
    [1, 0, 0, 4294967296]
    """
    rows = text.strip().upper().split("/")
    if len(rows) not in (VISIBLE, ROWS):
        raise FieldError(
            f"a field has {VISIBLE} rows joined by '/', the top row first; this one has {len(rows)}"
        )
    _check_colours(text.upper())
    field = [0] * FIELD_SIZE
    for row, letters in zip(range(len(rows), 0, -1), rows, strict=True):
        _check_row(row, letters)
        for column, letter in enumerate(letters):
            if letter != ".":
                put(field, 0, column, row, LETTERS.index(letter))
    _check_support(list(reversed(rows)))
    return field


def printed(board: Sequence[int] | Any, at: int = 0, *, rows: int = VISIBLE) -> str:
    """A field as text; with `rows` 14 row 14 comes first.

    >>> printed([1, 0, 0, 4294967296, 0, 0]).split("/")[-2:]
    ['......', 'R....O']
    """
    return "/".join(
        "".join(LETTERS[colour_at(board, at, column, row)] for column in range(COLUMNS))
        for row in range(rows, 0, -1)
    )


def _check_colours(text: str) -> None:
    letters = sorted({letter for letter in text if letter.isalpha() and letter != "O"})
    if len(letters) > COLOUR_COUNT:
        raise FieldError(
            f"{len(letters)} colours ({', '.join(letters)}) are too many: a field has "
            f"{COLOUR_COUNT}, written R B Y G"
        )


def _check_row(row: int, letters: str) -> None:
    for column, letter in enumerate(letters, 1):
        if letter not in LETTERS:
            raise FieldError(
                f"column {column}, row {row} has {letter!r}: the letters are R B Y G, "
                "O for ojama and . for empty"
            )
    if len(letters) != COLUMNS:
        raise FieldError(
            f"row {row} is {letters!r} with {len(letters)} cells; every row has {COLUMNS}"
        )


def _check_support(from_below: list[str]) -> None:
    """Only a block that stayed in row 14 may hang."""
    for row in range(1, VISIBLE):
        for column in range(COLUMNS):
            if from_below[row][column] != "." and from_below[row - 1][column] == ".":
                raise FieldError(
                    f"the block in column {column + 1}, row {row + 1} floats: "
                    f"nothing is under it in row {row}"
                )

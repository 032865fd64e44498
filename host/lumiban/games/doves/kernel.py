"""Tokyo Doves' kernel: the rules on flat int arrays, one text for CPython and for the compiler.

All play happens in a frame of 6×6 cells: the doves' own box, at most 4×4, lies with its top left
corner at row 1, column 1, and every legal target is in the box or next to it. After each action the
frame moves along. Inside the kernel a cell is a bit, 8·row + column, so that a set of cells is one
word and the two columns too many keep its rows apart.

A State lies in arrays. The constant one, the plan, tells the rules, then holds tables: the cells
that keep the box small by the columns and rows in use, the steps of each dove. The board, a few
words, tells the position: mover, plies played since the State was made, positions faced, how it
ended, actions barred, who is on the board, the cells of Red and of Green, and where each dove is.
The past has the barred actions, then the positions faced, as many of each as the board says: the
boards of one line of play share it, since each reads only what was faced before it.

Where the doves are lies in three words of twelve numbers of four bits, dove 0 highest: 1 for each
on the board, their rows, their columns (0 in hand). So all of them move with the frame at once, and
a position's key is made without a look at each.

An action is a number: kind · 36 + cell puts a dove of the mover's, 216 more moves it there, 432 +
kind removes it. Cells count through the frame.

A position is remembered as one exact number, wherever it lies and, if wanted, however turned: from
bit 59 down who is on the board, by dove; from bit 47 down four bits a dove, its cell in the box
(4·row + column; 0 in hand). Bit 60 is set when Green is to move. Of the eight numbers that turning
and mirroring give, the smallest stands for all; colours are never swapped.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import Any, NamedTuple

from lumiban.games.kernel import copy_words, inlined, kernel, popcount, randint_below, wrapped

BY_REPETITION, BY_INITIAL, BY_CLAIM = 1, 2, 4
"""Rules that may bar an action; a sum says which of them must be asked."""


@kernel
def adjacent_cells(cells: int) -> int:
    """The cells that touch one of these, by edge or corner."""
    beside = (cells << 1) | (cells >> 1)
    rows = beside | cells
    return (beside | (rows << 8) | (rows >> 8)) & FRAME


@kernel
def edge(cells: int) -> int:
    """The cells that share an edge with one of these."""
    return ((cells << 1) | (cells >> 1) | (cells << 8) | (cells >> 8)) & FRAME


@kernel
def columns_of(cells: int) -> int:
    """The columns in use, as six bits."""
    half = cells | (cells >> 24)
    return (half | (half >> 8) | (half >> 16)) & 0x3F


@kernel
def rows_of(cells: int) -> int:
    """The rows in use, as six bits."""
    ends = cells | (cells >> 4)
    ends |= ends >> 2
    ends = (ends | (ends >> 1)) & ROW_ENDS
    return (wrapped(ends, GATHER, 0) >> 35) & 0x3F


@kernel
def fitting(plan: Any, cells: int) -> int:
    """The cells of the frame of which each keeps the box of these within 4×4."""
    fit: int = plan[COLUMNS + columns_of(cells)] & plan[ROWS + rows_of(cells)]
    return fit


@kernel
def slides(occupied: int, place: int) -> int:
    """The cells that a totsu reaches from its place over empty ones.

    To the right and down up to the lowest dove in the way, to the left and up from the highest.
    """
    bit = 1 << place
    row, column = 0x3F << (place & 56), ROW_ENDS << (place & 7)
    right, down = row & -2 * bit, column & -2 * bit
    left, up = row & (bit - 1), column & (bit - 1)
    first, below = occupied & right, occupied & down
    cells = right & ((first & -first) - 1) | down & ((below & -below) - 1)
    last, above = occupied & left, occupied & up
    last |= last >> 1
    last |= last >> 2
    last |= last >> 4
    above |= above >> 8
    above |= above >> 16
    above |= above >> 32
    return cells | left & ~last | up & ~above


@inlined
def lowest(cells: int) -> int:
    """The place of the lowest of some bits: one instruction where the processor has it."""
    return popcount(~cells & (cells - 1))


@inlined
def place_in(board: Any, dove: int) -> int:
    """The place of a dove, −1 in hand."""
    shift = 44 - 4 * dove
    if (board[HERE] >> shift) & 1 == 0:
        return -1
    place: int = 8 * ((board[DOVE_ROWS] >> shift) & 7) + ((board[DOVE_COLUMNS] >> shift) & 7)
    return place


def places_in(board: Sequence[int]) -> list[int]:
    """The place of each dove, −1 in hand."""
    return [place_in(board, dove) for dove in range(12)]


@kernel
def targets(plan: Any, rest: int, kind: int, place: int) -> int:
    """The cells to which a dove may move from its place, bans apart; `rest` are all others."""
    reach = slides(rest, place) if kind == TOTSU else plan[STEPS + 48 * kind + place] & ~rest
    around = adjacent_cells(rest)
    reach &= around & fitting(plan, rest)
    lonely = rest & ~around
    while lonely != 0 and reach != 0:
        first = lonely & -lonely
        lonely ^= first
        reach &= adjacent_cells(first)
    return reach


@kernel
def homes(plan: Any, board: Any, side: int) -> int:
    """The cells on which `side` may put any dove from its hand."""
    own = board[RED_CELLS + side]
    occupied = own | board[RED_CELLS + 1 - side]
    enemy_boss = 1 << place_in(board, 1 - side)
    free: int = adjacent_cells(own) & ~occupied & ~edge(enemy_boss) & fitting(plan, occupied)
    return free


@inlined
def walls(cells: int) -> int:
    """The cells of the frame that are wall around these, whose box lies at row 1, column 1."""
    wall = ROW_WALLS if cells & WALL_ROW != 0 else 0
    return wall | (COLUMN_WALLS if cells & WALL_COLUMN != 0 else 0)


@inlined
def carried(board: Any, dove: int, to: int) -> tuple[int, int, int, int]:
    """Its side's cells and the words of all doves (on the board, rows, columns) when a dove comes
    to a place (−1: into the hand); the frame stays."""
    own, here = board[RED_CELLS + (dove & 1)], board[HERE]
    rows, columns = board[DOVE_ROWS], board[DOVE_COLUMNS]
    shift = 44 - 4 * dove
    one = 1 << shift
    if here & one != 0:
        row, column = (rows >> shift) & 7, (columns >> shift) & 7
        own ^= 1 << (8 * row + column)
        rows ^= row << shift
        columns ^= column << shift
        here ^= one
    if to >= 0:
        own |= 1 << to
        rows |= (to >> 3) << shift
        columns |= (to & 7) << shift
        here |= one
    return own, here, rows, columns


@inlined
def settle(board: Any, red: int, green: int, here: int, rows: int, columns: int) -> None:
    """Set the doves so that the box lies at row 1, column 1; then look at both bosses."""
    cells = red | green
    top, left = lowest(cells) >> 3, lowest(columns_of(cells))
    red, green = (red << 9) >> (8 * top + left), (green << 9) >> (8 * top + left)
    rows += (1 - top) * here
    columns += (1 - left) * here
    cells = red | green
    air = FRAME & ~(cells | walls(cells))
    ended = 0
    if edge(1 << (8 * (rows >> 44) + (columns >> 44))) & air == 0:
        ended = RED_SURROUNDED
    if edge(1 << (8 * ((rows >> 40) & 7) + ((columns >> 40) & 7))) & air == 0:
        ended += GREEN_SURROUNDED
    board[ENDED] = ended
    board[RED_CELLS], board[RED_CELLS + 1] = red, green
    board[HERE], board[DOVE_ROWS], board[DOVE_COLUMNS] = here, rows, columns


@kernel
def act(board: Any, after: Any, code: int) -> None:
    """Make one board, or the same, what another is after a legal action, and judge it; what was
    faced is the caller's to note."""
    mover, present = board[MOVER], board[PRESENT]
    to = -1
    if code >= REMOVES:
        kind = code - REMOVES
        present ^= 1 << (11 - 2 * kind - mover)
    else:
        # Divisions by 36 and 6 of numbers as small as these.
        kind = (code * 1821) >> 16
        cell = code - CELLS * kind
        to = cell + 2 * ((cell * 43) >> 8)
        if code < MOVES:
            present |= 1 << (11 - 2 * kind - mover)
        else:
            kind -= 6
    theirs = board[RED_CELLS + 1 - mover]
    own, here, rows, columns = carried(board, 2 * kind + mover, to)
    after[PLIES], after[FACED] = board[PLIES] + 1, board[FACED]
    after[MOVER], after[PRESENT], after[BARRED] = 1 - mover, present, 0
    if mover == 0:
        settle(after, own, theirs, here, rows, columns)
    else:
        settle(after, theirs, own, here, rows, columns)


@kernel
def barring(
    plan: Any, board: Any, past: Any, code: int, dove: int, to: int, asked: int
) -> int:  # fmt: skip
    """The rule that bars an action, of those asked, or 0; `dove` comes to place `to`, −1: hand."""
    if asked & BY_CLAIM != 0:
        for i in range(BARS, BARS + board[BARRED]):
            if past[i] == code:
                return BY_CLAIM
    if asked & BY_INITIAL != 0:
        red = to if dove == 0 else place_in(board, 0)
        green = to if dove == 1 else place_in(board, 1)
        apart = abs((red >> 3) - (green >> 3)) + abs((red & 7) - (green & 7))
        if apart == 1:
            return BY_INITIAL
    if asked & BY_REPETITION != 0:
        key = key_after(board, dove, to, plan[REPEAT] == STRONG)
        for i in range(FACES, FACES + board[FACED]):
            if past[i] == key:
                return BY_REPETITION
    return 0


@kernel
def recurring(plan: Any, board: Any, past: Any) -> int:
    """Doves that would have to come or go for a position that the other side has faced.

    One bit a dove as in PRESENT; bit 12: such a position has the doves that are there now.
    """
    count = 0
    if plan[REPEAT] < NORMAL:
        return count
    theirs = board[PRESENT] | ((1 - board[MOVER]) << 12)
    # Without branches, so that the compiler can compare several at once. Bit 12: the same doves
    # with the other side to move, which does not matter; bit 13: with this one.
    for i in range(FACES, FACES + board[FACED]):
        differ = (past[i] >> 48) ^ theirs
        one = 1 << 13 if differ == 0 else differ
        count |= one if one & (one - 1) == 0 else 0
    return (count & 0xFFF) | (count >> 1 & 1 << 12)


@inlined
def may_be_stuck(plan: Any, board: Any, past: Any) -> bool:
    """True if the mover may have no action at all: only where some rule may bar one.

    Without bars there is one always: a dove that was put or moved last can be removed or moved
    on. The initial position is barred only where two bosses may be left alone, so not to four
    doves and more.
    """
    if plan[REMOVE] == 0 or board[BARRED] != 0:
        return True
    others = board[PRESENT] & ~ONLY_BOSSES
    if plan[NO_INITIAL] != 0 and others & (others - 1) == 0:
        return True
    repeats = recurring(plan, board, past)
    if repeats == 0:
        return False
    # Putting a dove that no position faced knows is barred by none.
    mover = board[MOVER]
    unknown = (0x2AA >> mover) & ~(board[PRESENT] | repeats)
    return unknown == 0 or homes(plan, board, mover) == 0


@kernel
def generate(plan: Any, board: Any, past: Any, out: Any, enough: int) -> int:
    """Write the mover's actions into `out` until there are `enough`; returns how many."""
    n = 0
    if board[ENDED] != 0:
        return 0
    mover = board[MOVER]
    occupied = board[RED_CELLS] | board[RED_CELLS + 1]
    present = board[PRESENT]
    repeats = recurring(plan, board, past)
    always = BY_CLAIM if board[BARRED] != 0 else 0
    free = homes(plan, board, mover)
    for kind in range(1, 6):
        dove = 2 * kind + mover
        if (present >> (11 - dove)) & 1 != 0:
            continue
        asked = always | (repeats >> (11 - dove)) & 1
        left = free
        while left != 0:
            to = lowest(left)
            left &= left - 1
            code = kind * CELLS + to - 2 * (to >> 3)
            if asked == 0 or barring(plan, board, past, code, dove, to, asked) == 0:
                out[n] = code
                n += 1
                if n == enough:
                    return n
    asked = always | repeats >> 12
    if present == ONLY_BOSSES and plan[NO_INITIAL] != 0:
        asked |= BY_INITIAL
    for kind in range(6):
        dove = 2 * kind + mover
        if (present >> (11 - dove)) & 1 == 0:
            continue
        place = place_in(board, dove)
        left = targets(plan, occupied & ~(1 << place), kind, place)
        while left != 0:
            to = lowest(left)
            left &= left - 1
            code = MOVES + kind * CELLS + to - 2 * (to >> 3)
            if asked == 0 or barring(plan, board, past, code, dove, to, asked) == 0:
                out[n] = code
                n += 1
                if n == enough:
                    return n
    if plan[REMOVE] == 0:
        return n
    for kind in range(1, 6):
        dove = 2 * kind + mover
        if (present >> (11 - dove)) & 1 == 0:
            continue
        place = place_in(board, dove)
        rest = occupied & ~(1 << place)
        if rest & ~adjacent_cells(rest) != 0:
            continue
        asked = always | (repeats >> (11 - dove)) & 1
        if present ^ (1 << (11 - dove)) == ONLY_BOSSES and plan[NO_INITIAL] != 0:
            asked |= BY_INITIAL
        code = REMOVES + kind
        if asked == 0 or barring(plan, board, past, code, dove, -1, asked) == 0:
            out[n] = code
            n += 1
            if n == enough:
                return n
    return n


@inlined
def least_turned(rows: int, columns: int, lowest: int, rightmost: int) -> int:
    """The smallest of the eight numbers of one position, given its doves' rows and columns from
    the box's corner, four bits each, and those of a position with all of them in the last."""
    below = lowest - rows
    beyond = rightmost - columns
    least = (rows << 2) | columns
    least = min(least, (below << 2) | columns)
    least = min(least, (rows << 2) | beyond)
    least = min(least, (below << 2) | beyond)
    least = min(least, (columns << 2) | rows)
    least = min(least, (columns << 2) | below)
    least = min(least, (beyond << 2) | rows)
    least = min(least, (beyond << 2) | below)
    return least


@inlined
def key_from(
    cells: int, here: int, rows: int, columns: int, present: int, mover: int, turned: bool
) -> int:
    """The key of doves whose box lies at row 1, column 1."""
    # All doves at once, four bits each, and no carry between them.
    rows -= here
    columns -= here
    head = mover << 60 | present << 48
    if not turned:
        return head | (rows << 2) | columns
    # The box's height and width, less one: its last line in use.
    tall = 3 if cells & WALL_ROW != 0 else 2 if cells & WALL_ROW >> 8 != 0 else 1
    tall = tall if cells & ~0xFFFF != 0 else 0
    wide = 3 if cells & WALL_COLUMN != 0 else 2 if cells & WALL_COLUMN >> 1 != 0 else 1
    wide = wide if cells & ~(ROW_ENDS << 1) != 0 else 0
    return head | least_turned(rows, columns, tall * here, wide * here)


@kernel
def key_of(board: Any, mover: int, turned: bool) -> int:
    """The key of the board with this side to move; `turned`: the same for all eight ways to turn
    and mirror it."""
    cells = board[RED_CELLS] | board[RED_CELLS + 1]
    here, present = board[HERE], board[PRESENT]
    return key_from(cells, here, board[DOVE_ROWS], board[DOVE_COLUMNS], present, mover, turned)


@kernel
def key_after(board: Any, dove: int, to: int, turned: bool) -> int:
    """The key that the other side faces when a dove comes to a place (−1: into the hand)."""
    own, here, rows, columns = carried(board, dove, to)
    cells = own | board[RED_CELLS + 1 - (dove & 1)]
    top, left = lowest(cells) >> 3, lowest(columns_of(cells))
    one = 1 << (11 - dove)
    present = board[PRESENT] | one if to >= 0 else board[PRESENT] & ~one
    return key_from(
        (cells << 9) >> (8 * top + left), here, rows + (1 - top) * here,
        columns + (1 - left) * here, present, 1 - board[MOVER], turned,
    )  # fmt: skip


def doves_of(key: int) -> tuple[int, ...]:
    """The doves of a key that was not turned, as places in the frame (−1 in hand)."""
    return tuple(
        8 * (1 + (key >> (46 - 4 * dove) & 3)) + 1 + (key >> (44 - 4 * dove) & 3)
        if key >> (59 - dove) & 1
        else -1
        for dove in range(12)
    )


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
COLUMNS = 4
"""By the columns in use (6 bits), the cells in columns that keep the box small."""
ROWS = COLUMNS + 64
STEPS = ROWS + 64
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
HERE, DOVE_ROWS, DOVE_COLUMNS = 8, 9, 10
"""Twelve numbers of four bits each: 1 on the board, the row, the column."""
BOARD_SIZE = 11

# Places in the past.
BARS = 0
"""Index at which the barred actions begin."""
BAR_ROOM = 64
"""More than the actions of any position."""
FACES = BARS + BAR_ROOM
"""Index at which the positions faced begin."""

# What ENDED says, beside 0: it is the sum of those that are surrounded.
RED_SURROUNDED, GREEN_SURROUNDED, FORGOTTEN = 1, 2, 4

ROOM = 1024
"""Plies that a State can be played on; without a rule on repetition the game is then a draw."""
MAX_ACTIONS = 96
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
"""Value of PRESENT on a board with the two bosses alone; bit 11 is dove 0."""

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
    columns = [_fitting(used) * ROW_ENDS for used in range(64)]
    rows = [
        sum(0x3F << 8 * line for line in range(SIDE) if _fitting(used) >> line & 1)
        for used in range(64)
    ]
    steps = [word for kind in _STEPS for word in _around(kind)]
    return [repeat, int(no_initial), int(remove), both, *columns, *rows, *steps]


def board_of(doves: Sequence[int], mover: int, faced: int = 0, barred: int = 0) -> list[int]:
    """The board with these doves (places of bits in the frame, −1 in hand), their box moved to row
    1, column 1, and judged; with the numbers of positions faced and of actions barred."""
    board, cells = [0] * BOARD_SIZE, [0, 0]
    board[MOVER], board[FACED], board[BARRED] = mover, faced, barred
    here = rows = columns = 0
    for dove, place in enumerate(doves):
        if place >= 0:
            board[PRESENT] |= 1 << (11 - dove)
            cells[dove % 2] |= 1 << place
            here |= 1 << (44 - 4 * dove)
            rows |= place >> 3 << (44 - 4 * dove)
            columns |= (place & 7) << (44 - 4 * dove)
    settle(board, cells[0], cells[1], here, rows, columns)
    return board


class DovesState(NamedTuple):
    """One position of Tokyo Doves. Few arrays, since compiled calls pay for each of them."""

    plan: Any
    """Constant: rules and tables."""
    board: Any
    """The position."""
    past: Any
    """Actions barred and positions faced."""
    scratch: Any
    """Room for actions; holds nothing between calls."""

    def assign(self, other: Any) -> None:
        """Become a copy of `other`, a State of the same game."""
        board = other.board
        copy_words(self.board, board, 0, BOARD_SIZE)
        if board[BARRED] != 0:
            copy_words(self.past, other.past, BARS, BARS + board[BARRED])
        if board[FACED] != 0:
            copy_words(self.past, other.past, FACES, FACES + board[FACED])

    def mover(self) -> int:
        """The side to move."""
        side: int = self.board[MOVER]
        return side

    def moves(self, out: Any) -> int:
        """Write all actions into `out` (puts, moves by dove, removals); return how many."""
        n: int = generate(self.plan, self.board, self.past, out, MAX_ACTIONS)
        return n

    def play(self, move: int) -> None:
        """Do a legal action: the frame moves along and both bosses are looked at."""
        board, past = self.board, self.past
        act(board, board, move)
        repeat = self.plan[REPEAT]
        if repeat >= NORMAL:
            end = FACES + board[FACED]
            if end == len(past):
                board[ENDED] |= FORGOTTEN
            else:
                past[end] = key_of(board, board[MOVER], repeat == STRONG)
                board[FACED] += 1

    def outcome(self) -> int:
        """−1 while the game runs, 0 draw, 1 Red has won, 2 Green; −2: no room to remember."""
        plan = self.plan
        board = self.board
        mover = board[MOVER]
        ended = board[ENDED]
        code: int
        if ended == RED_SURROUNDED:
            return 2
        if ended == GREEN_SURROUNDED:
            return 1
        if ended == RED_SURROUNDED + GREEN_SURROUNDED:
            # The mover is already the other one.
            code = 0
            if plan[BOTH] == LOSES:
                code = 1 + mover
            elif plan[BOTH] == WINS:
                code = 2 - mover
            return code
        if ended != 0:
            return -2
        past = self.past
        if may_be_stuck(plan, board, past) and generate(plan, board, past, self.scratch, 1) == 0:
            code = 2 - mover
            return code
        if plan[REPEAT] < NORMAL and board[PLIES] >= ROOM:
            return 0
        return -1

    def playout(self, rng: Any, trace: Any) -> int:
        """Play on at random to the end; the actions go to `trace`; returns the outcome's code.

        Without a rule on repetition a game that is still going after 1024 plies is a draw.
        """
        board = self.board
        code: int
        endless = self.plan[REPEAT] < NORMAL
        while board[ENDED] == 0 and not (endless and board[PLIES] >= ROOM):
            n = generate(self.plan, board, self.past, self.scratch, MAX_ACTIONS)
            if n == 0:
                break
            move = self.scratch[randint_below(rng, n)]
            trace[0] += 1
            trace[trace[0]] = move
            self.play(move)
        code = self.outcome()
        return code

    def key(self) -> int:
        """The position itself as a number below 2⁶¹, the same wherever it lies; no history."""
        whole: int = key_of(self.board, self.board[MOVER], False)
        return whole


def fresh(
    doves: Sequence[int],
    mover: int,
    *,
    repeat: int,
    no_initial: bool = True,
    remove: bool = True,
    both: int = LOSES,
    faced: Sequence[int] = (),
    barred: Sequence[int] = (),
) -> DovesState:
    """A State with these doves (places of bits, −1 in hand; 2·kind + side) on lists of ints.

    `faced` are the keys of the positions faced, this one included; `barred` actions that a claim
    has undone in this turn.
    """
    plan = plan_of(repeat=repeat, no_initial=no_initial, remove=remove, both=both)
    remembers = repeat >= NORMAL
    known = list(faced) if remembers else []
    past = [*barred, *([0] * (BAR_ROOM - len(barred))), *known, *([0] * ROOM if remembers else ())]
    board = board_of(doves, mover, len(known), len(barred))
    return DovesState(plan, board, past, [0] * MAX_ACTIONS)

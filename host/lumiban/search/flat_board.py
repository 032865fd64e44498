"""A board in flat rows of numbers: what `GridView` answers, as kernels of one game.

`rule_kernels.py` makes copies of these functions for each game whose rule it compiles. The names
below in capitals are its constants: sizes, and where things lie. A State has three rows: `board`
(what changes in a game), `plan` (what of the grid never does) and `work` (scratch paper).

`board` has the mover, the acts made, the passes, the last act's number, then by cell what stands
there, then what the game remembers, then the groups (`games.kernel.unite`). Groups are kept stone
by stone as long as stones only come; after one went or turned they are found again when somebody
asks.
"""

from __future__ import annotations

from typing import Any

from lumiban.games.kernel import popcount, wrapped

# The constants of a game; a copy has its own.
CELLS = WAYS = ALL_WAYS = EDGES = 0
NEAR = STEPS = RAYS = ALL_RAYS = EDGE_BITS = EDGE_ROWS = DISTANCES = 0
MOVER, PLAYED, PASSES, CODE, STONE = 0, 1, 2, 3, 4
REMEMBERED = JOINED = PAIRS = ROOT = RING = SIZE = REACH = STALE = 0
PASS_AT = -1
FAULTS = BITS = TURNED_BITS = RAY_BITS = ALL_RAY_BITS = NEAR_BITS = ALL_NEAR_BITS = FOUND = SEEN = (
    SLOTS
) = SLID = PLACES = WORDS = KINDS = ASKED = MAX_MOVES = PASSES_TO_END = 0
NARROW = GROUPED = SLIDES = KEEPS_LAST = TURNS = False
"""True if a set of cells is one word; if the rule asks about groups; and what it says."""

EMPTY = -1


# What a rule says where it says nothing; a copy has the rule's own.


def rule_may_place(s: Any, side: int, cell: int) -> bool:
    """True: a stone goes on any empty cell."""
    return True


def rule_may_lift(s: Any, side: int, cell: int) -> bool:
    """False, as of all acts but a stone that is placed."""
    return False


rule_may_block = rule_may_replace = rule_may_grow = rule_may_lend = rule_may_say = rule_may_lift


def rule_may_pass(s: Any, side: int) -> bool:
    """False."""
    return False


def rule_slides(s: Any, side: int, start: int) -> Any:
    """No cells."""
    return no_cells()


def rule_then(s: Any, side: int, do: int, cell: int, start: int, word: int) -> int:
    """Nothing."""
    return 0


rule_remember = rule_then


def rule_next_side(s: Any, side: int, do: int, cell: int, start: int, word: int) -> int:
    """The other side."""
    return 1 - side


def rule_ended(s: Any) -> int:
    """−1: the game goes on."""
    return -1


def rule_passed_out(s: Any) -> int:
    """A draw."""
    return 0


def rule_stuck(s: Any) -> int:
    """The mover loses."""
    return 2 - s.board[MOVER]  # type: ignore[no-any-return]  # Any here


# Cells and their neighbours.


def has_touching(s: Any, cell: int, what: int) -> bool:
    """`touching` where only whether there are any matters."""
    if NARROW:
        return bool((s.plan[NEAR_BITS + cell] & s.board[BITS + what + 1]) != 0)
    for k in range(NEAR + WAYS * cell, NEAR + WAYS * cell + WAYS):
        at = s.plan[k]
        if at >= 0 and s.board[STONE + at] == what:
            return True
    return False


def len_touching(s: Any, cell: int, what: int) -> int:
    """How many neighbours hold `what`."""
    if NARROW:
        return popcount(s.plan[NEAR_BITS + cell] & s.board[BITS + what + 1])
    count = 0
    for k in range(NEAR + WAYS * cell, NEAR + WAYS * cell + WAYS):
        at = s.plan[k]
        if at >= 0 and s.board[STONE + at] == what:
            count += 1
    return count


def holds(s: Any, cell: int) -> int:
    """What stands on a cell; a number that is none counts as a fault."""
    return s.board[STONE + within(s, cell)]  # type: ignore[no-any-return]  # Any here


def within(s: Any, cell: int) -> int:
    """A cell's number; as in a list, those below 0 count from the end."""
    if 0 <= cell < CELLS:
        return cell
    if -CELLS <= cell < 0:
        return CELLS + cell
    s.work[FAULTS] = 1
    return 0


def table_place(s: Any, at: int, length: int) -> int:
    """A place in a table of a number of entries."""
    if 0 <= at < length:
        return at
    if -length <= at < 0:
        return length + at
    s.work[FAULTS] = 1
    return 0


def table_at(s: Any, first: int, length: int, at: int) -> int:
    """An entry of a table."""
    return s.plan[first + table_place(s, at, length)]  # type: ignore[no-any-return]  # Any here


def row_length(s: Any, rows: int, at: int) -> int:
    """The length of a row of a table of rows."""
    return s.plan[rows + at + 1] - s.plan[rows + at]  # type: ignore[no-any-return]  # Any here


def row_at(s: Any, rows: int, at: int, index: int) -> int:
    """An entry of a row."""
    first = s.plan[rows + at]
    return s.plan[first + table_place(s, index, s.plan[rows + at + 1] - first)]  # type: ignore[no-any-return]


def no_cells() -> Any:
    """An empty list."""
    return [0 for _ in range(0)]


def list_touching(s: Any, cell: int, what: int) -> Any:
    """The neighbours that hold `what`, ascending."""
    return sorted(
        [
            s.plan[k]
            for k in range(NEAR + WAYS * cell, NEAR + WAYS * cell + WAYS)
            if s.plan[k] >= 0 and s.board[STONE + s.plan[k]] == what
        ]
    )


def row_of(s: Any, rows: int, at: int) -> Any:
    """One row of a table of rows in the plan."""
    return s.plan[s.plan[rows + at] : s.plan[rows + at + 1]]


def list_neighbours(s: Any, cell: int) -> Any:
    """The cells next to this one."""
    return s.plan[s.plan[STEPS + cell] : s.plan[STEPS + cell + 1]]


def list_of(s: Any, what: int) -> Any:
    """All cells that hold `what`."""
    return [cell for cell in range(CELLS) if s.board[STONE + cell] == what]


def count(s: Any, what: int) -> int:
    """How many cells hold `what`."""
    if NARROW:
        return popcount(s.board[BITS + what + 1])
    n = 0
    for cell in range(CELLS):
        if s.board[STONE + cell] == what:
            n += 1
    return n


def distance(s: Any, cell: int, other: int) -> int:
    """Steps from one cell to another."""
    return s.plan[DISTANCES + CELLS * cell + other]  # type: ignore[no-any-return]  # Any here


def list_edge(s: Any, number: int) -> Any:
    """The cells of an edge."""
    return s.plan[s.plan[EDGE_ROWS + number] : s.plan[EDGE_ROWS + number + 1]]


# Lines.


def nearest(s: Any, cell: int, turned: int) -> int:
    """The bits of the nearest stones along the lines on which cells ascend; `turned`, where bits
    run the other way, on the other lines."""
    full = ~s.board[(TURNED_BITS if turned else BITS)]
    half = WAYS // 2
    found = 0
    first = RAY_BITS + WAYS * cell + half * turned
    for k in range(first, first + half):
        line = full & s.plan[k]
        found |= line & -line
    return found


def seen(s: Any, cell: int) -> Any:
    """How many white, black and neutral stones a cell sees."""
    if NARROW:
        near = nearest(s, cell, 0)
        far = nearest(s, cell, 1)
        return (
            popcount(near & s.board[BITS + 1]) + popcount(far & s.board[TURNED_BITS + 1]),
            popcount(near & s.board[BITS + 2]) + popcount(far & s.board[TURNED_BITS + 2]),
            popcount(near & s.board[BITS + 3]) + popcount(far & s.board[TURNED_BITS + 3]),
        )
    white = black = neutral = 0
    for way in range(WAYS):
        for k in range(s.plan[RAYS + WAYS * cell + way], s.plan[RAYS + WAYS * cell + way + 1]):
            holds = s.board[STONE + s.plan[k]]
            if holds != EMPTY:
                if holds == 0:
                    white += 1
                elif holds == 1:
                    black += 1
                else:
                    neutral += 1
                break
    return white, black, neutral


def seen_of(s: Any, cell: int, what: int) -> int:
    """How many stones of one kind a cell sees."""
    if NARROW and 0 <= what <= 2:
        return popcount(nearest(s, cell, 0) & s.board[BITS + what + 1]) + popcount(
            nearest(s, cell, 1) & s.board[TURNED_BITS + what + 1]
        )
    n = 0
    for way in range(WAYS):
        for k in range(s.plan[RAYS + WAYS * cell + way], s.plan[RAYS + WAYS * cell + way + 1]):
            holds = s.board[STONE + s.plan[k]]
            if holds != EMPTY:
                if holds == what:
                    n += 1
                break
    return n


def list_sees(s: Any, cell: int) -> Any:
    """The nearest stone along each line."""
    cells = [0 for _ in range(0)]
    for way in range(WAYS):
        for k in range(s.plan[RAYS + WAYS * cell + way], s.plan[RAYS + WAYS * cell + way + 1]):
            if s.board[STONE + s.plan[k]] != EMPTY:
                cells.append(s.plan[k])
                break
    return cells


def list_free_line(s: Any, cell: int) -> Any:
    """The empty cells along each line up to the first stone."""
    cells = [0 for _ in range(0)]
    for way in range(WAYS):
        for k in range(s.plan[RAYS + WAYS * cell + way], s.plan[RAYS + WAYS * cell + way + 1]):
            if s.board[STONE + s.plan[k]] != EMPTY:
                break
            cells.append(s.plan[k])
    return cells


def flank(s: Any, cell: int, side: int, way: int) -> int:
    """How many enemy stones lie in one direction before a stone of `side`; 0 without that."""
    n = 0
    first = ALL_RAYS + ALL_WAYS * cell + way
    for k in range(s.plan[first], s.plan[first + 1]):
        holds = s.board[STONE + s.plan[k]]
        if holds != 1 - side:
            return n if holds == side else 0
        n += 1
    return 0


def has_flanked(s: Any, cell: int, side: int) -> bool:
    """`flanked` where only whether there are any matters."""
    if NARROW and (s.plan[ALL_NEAR_BITS + cell] & s.board[BITS + 2 - side]) == 0:
        return False
    if NARROW:
        found = 0
        half = ALL_WAYS // 2
        for turned in range(2):
            bits = TURNED_BITS if turned else BITS
            no_enemy = ~s.board[bits + 2 - side]
            first = ALL_RAY_BITS + ALL_WAYS * cell + half * turned
            for k in range(first, first + half):
                line = no_enemy & s.plan[k]
                own = line & -line & s.board[bits + side + 1]
                found |= own & ~s.plan[k + ALL_WAYS * CELLS]
        return found != 0
    for way in range(ALL_WAYS):
        if flank(s, cell, side, way) > 0:
            return True
    return False


def len_flanked(s: Any, cell: int, side: int) -> int:
    """How many stones are flanked."""
    n = 0
    for way in range(ALL_WAYS):
        n += flank(s, cell, side, way)
    return n


def list_flanked(s: Any, cell: int, side: int) -> Any:
    """Enemy stones in a row between a cell and a stone of `side`."""
    cells = [0 for _ in range(0)]
    for way in range(ALL_WAYS):
        first = s.plan[ALL_RAYS + ALL_WAYS * cell + way]
        for k in range(first, first + flank(s, cell, side, way)):
            cells.append(s.plan[k])
    return cells


def run_length(s: Any, cell: int, way: int) -> int:
    """The length of the row of like stones through a cell along the pair of lines `way`."""
    n = 1
    half = WAYS // 2
    line = way if way < half else way + half
    across = half if way < half else (ALL_WAYS - WAYS) // 2
    for one in range(2):
        first = ALL_RAYS + ALL_WAYS * cell + line + one * across
        for k in range(s.plan[first], s.plan[first + 1]):
            if s.board[STONE + s.plan[k]] != s.board[STONE + cell]:
                break
            n += 1
    return n


# Groups.


def regroup(s: Any) -> None:
    """Find all groups of stones again."""
    for cell in range(CELLS):
        s.board[ROOT + cell] = -1
    s.board[STALE] = 0
    for kind in range(4):
        s.board[JOINED + kind] = 0
    for cell in range(CELLS):
        if s.board[STONE + cell] != EMPTY:
            join(s, cell)


def join(s: Any, cell: int) -> None:
    """Let the stone on a cell, which is new, be part of its group."""
    n = 0
    reach = s.plan[EDGE_BITS + cell]
    kind = s.board[STONE + cell]
    for k in range(NEAR + WAYS * cell, NEAR + WAYS * cell + WAYS):
        at = s.plan[k]
        if at >= 0 and s.board[STONE + at] == kind and s.board[ROOT + at] >= 0:
            root = s.board[ROOT + at]
            new = True
            for i in range(n):
                if s.work[FOUND + i] == root:
                    new = False
            if new:
                s.work[FOUND + n] = root
                reach |= s.board[REACH + root]
                n += 1
    board = s.board
    board[ROOT + cell] = cell
    board[RING + cell] = cell
    board[SIZE + cell] = 1
    r = cell
    for i in range(n):
        a = s.work[FOUND + i]
        total = board[SIZE + r] + board[SIZE + a]
        if board[SIZE + a] > board[SIZE + r]:
            a, r = r, a
        board[SIZE + r] = total
        j = a
        while True:
            board[ROOT + j] = r
            j = board[RING + j]
            if j == a:
                break
        board[RING + a], board[RING + r] = board[RING + r], board[RING + a]
    board[REACH + r] = reach
    board[JOINED + kind + 1] |= s.plan[PAIRS + reach]


def grouped(s: Any) -> None:
    """Have the groups as they are now."""
    if s.board[STALE] != 0:
        regroup(s)


def mask_edges_of(s: Any, cell: int) -> int:
    """The bits of the edges that a cell's group reaches."""
    grouped(s)
    return s.board[REACH + s.board[ROOT + cell]]  # type: ignore[no-any-return]  # Any here


def len_edges_of(s: Any, cell: int) -> int:
    """How many edges a cell's group reaches."""
    return popcount(mask_edges_of(s, cell))


def list_edges_of(s: Any, cell: int) -> Any:
    """The edges that a cell's group reaches."""
    mask = mask_edges_of(s, cell)
    return [edge for edge in range(EDGES) if mask >> edge & 1]


def joins_edges(s: Any, what: int, one: int, other: int) -> bool:
    """True if a group of `what` reaches both edges."""
    grouped(s)
    return bool(s.board[JOINED + what + 1] >> (EDGES * one + other) & 1)


def list_group(s: Any, cell: int) -> Any:
    """The cells of a group, the least first; then itself changes places with the least."""
    grouped(s)
    cells = [cell]
    at = s.board[RING + cell]
    while at != cell:
        cells.append(at)
        at = s.board[RING + at]
    return cells


def len_group(s: Any, cell: int) -> int:
    """The size of a cell's group."""
    grouped(s)
    return s.board[SIZE + s.board[ROOT + cell]]  # type: ignore[no-any-return]  # Any here


def len_liberties(s: Any, cell: int) -> int:
    """How many empty cells a group touches."""
    return len(list_liberties(s, cell))


def has_liberties(s: Any, cell: int) -> bool:
    """True if a group touches an empty cell."""
    grouped(s)
    at = cell
    while True:
        if has_touching(s, at, EMPTY):
            return True
        at = s.board[RING + at]
        if at == cell:
            return False


def list_liberties(s: Any, cell: int) -> Any:
    """The empty cells next to a group, ascending."""
    grouped(s)
    for i in range(CELLS):
        s.work[SEEN + i] = 0
    at = cell
    while True:
        for k in range(NEAR + WAYS * at, NEAR + WAYS * at + WAYS):
            if s.plan[k] >= 0:
                s.work[SEEN + s.plan[k]] = 1
        at = s.board[RING + at]
        if at == cell:
            break
    return [c for c in range(CELLS) if s.work[SEEN + c] != 0 and s.board[STONE + c] == EMPTY]


def list_sizes(s: Any, what: int) -> Any:
    """The sizes of the groups of `what`, largest first."""
    grouped(s)
    sizes = [
        -s.board[SIZE + c]
        for c in range(CELLS)
        if s.board[STONE + c] == what and s.board[ROOT + c] == c
    ]
    sizes.sort()
    return [-size for size in sizes]


def grouped_cells(s: Any) -> int:
    """The number of cells, with the groups as they are now."""
    grouped(s)
    return CELLS


def starts_group(s: Any, cell: int, what: int) -> bool:
    """True for one cell of each group of `what`."""
    return bool(s.board[STONE + cell] == what and s.board[ROOT + cell] == cell)


# Changes.


def note(s: Any, at: int, value: int) -> None:
    """Note one change."""
    n = s.work[0]
    if 2 * n + 2 >= FAULTS:
        s.work[FAULTS] = 1
        return
    s.work[2 * n + 1] = at
    s.work[2 * n + 2] = value
    s.work[0] = n + 1


def put(s: Any, cell: int, holds: int) -> None:
    """Let a cell hold something."""
    was = s.board[STONE + cell]
    if was != holds:
        s.board[STONE + cell] = holds
        if NARROW:
            bit = 1 << cell
            s.board[BITS + was + 1] ^= bit
            s.board[BITS + holds + 1] ^= bit
            bit = 1 << (CELLS - 1 - cell)
            s.board[TURNED_BITS + was + 1] ^= bit
            s.board[TURNED_BITS + holds + 1] ^= bit
        if GROUPED and s.board[STALE] == 0:
            if was == EMPTY:
                join(s, cell)
            else:
                s.board[STALE] = 1


def put_noted(s: Any) -> None:
    """Put what `then` has noted."""
    for i in range(s.work[0]):
        value = s.work[2 * i + 2]
        if value < -1 or value > 2:
            s.work[FAULTS] = 1
        else:
            put(s, within(s, s.work[2 * i + 1]), value)


def keep_noted(s: Any) -> None:
    """Remember what `remember` has noted."""
    for i in range(s.work[0]):
        s.board[s.work[2 * i + 1]] = s.work[2 * i + 2]


def act_kind(code: int) -> int:
    """The kind of an act by its number: place, lift, block, slide, replace, grow, lend, say."""
    line = code // CELLS
    if line < 3:
        return line
    if line < 3 + CELLS:
        return 3
    return min(line - CELLS + 1, 7)


def act_cell(code: int) -> int:
    """The cell of an act, −1 of a word."""
    return code % CELLS if code < (6 + CELLS) * CELLS else -1


def act_start(code: int) -> int:
    """The cell from which a slide goes, else −1."""
    return code // CELLS - 3 if act_kind(code) == 3 else -1


def act_word(code: int) -> int:
    """The number of an act's word from 1, else 0."""
    return code - (6 + CELLS) * CELLS + 1 if code >= (6 + CELLS) * CELLS else 0


def below(rng: Any, n: int) -> int:
    """`games.kernel.randint_below`."""
    x = wrapped(rng[0], 6364136223846793005, 1442695040888963407)
    rng[0] = x
    return (((x >> 31) & 0xFFFFFFFF) * n) >> 32


def hashed(s: Any) -> int:
    """A 61-bit hash of a position."""
    h = 1469598103934665603
    for i in range(REMEMBERED):
        h = wrapped(h ^ (s.board[i] + 2), 1099511628211, i)
        h ^= h >> 29
    return h & 0x1FFFFFFFFFFFFFFF


# A game from here to its end. The functions `rule_…` are the rule's own.


def ask(s: Any, do: int, side: int, cell: int) -> bool:
    """True if a side may do this on a cell."""
    if do == 0:
        return rule_may_place(s, side, cell)
    if do == 1:
        return rule_may_lift(s, side, cell)
    if do == 2:
        return rule_may_block(s, side, cell)
    if do == 4:
        return rule_may_replace(s, side, cell)
    if do == 6:
        return rule_may_lend(s, side, cell)
    return rule_may_grow(s, side, cell)


def ask_word(s: Any, side: int, at: int) -> bool:
    """True if a side may act by this word."""
    if at == PASS_AT:
        return rule_may_pass(s, side)
    return rule_may_say(s, side, at + 1)


def code_of(do: int, cell: int) -> int:
    """The number of an act on a cell."""
    return cell + CELLS * (do if do < 3 else do - 1 + CELLS)


def kind_at(s: Any, side: int, cell: int, at: int) -> int:
    """The kind of act that a side may think of on a cell, −1 for none."""
    return s.plan[ASKED + (4 * side + s.board[STONE + cell] + 1) * KINDS + at]  # type: ignore[no-any-return]


def has_move(s: Any, side: int) -> bool:
    """True if a side has an act with a stone."""
    for cell in range(CELLS):
        for at in range(KINDS):
            do = kind_at(s, side, cell, at)
            if do >= 0 and ask(s, do, side, cell):
                return True
    return SLIDES and slide_count(s, side) > 0


def has_any(s: Any) -> bool:
    """True if the mover has an act."""
    side = s.board[MOVER]
    if has_move(s, side):
        return True
    for at in range(WORDS):
        if ask_word(s, side, at):
            return True
    return False


def slide_count(s: Any, side: int) -> int:
    """Write the numbers of a side's slides onto the scratch paper; how many."""
    n = 0
    for start in range(CELLS):
        if s.board[STONE + start] == side:
            first = n
            for to in rule_slides(s, side, start):
                code = (3 + start) * CELLS + within(s, to)
                new = True
                for i in range(first, n):
                    if s.work[SLID + i] == code:
                        new = False
                if new:
                    s.work[SLID + n] = code
                    n += 1
    return n


def list_codes(s: Any, out: Any) -> int:
    """All acts of the mover, in the order of `SimpleGame.codes`."""
    side = s.board[MOVER]
    n = 0
    for do in (0, 1, 2, 4, 5, 6):
        for turn in range(2 if do == 4 else 1):
            for cell in range(CELLS):
                if do == 4 and (s.board[STONE + cell] == 2) != (turn == 1):
                    continue
                for at in range(KINDS):
                    if kind_at(s, side, cell, at) == do and ask(s, do, side, cell):
                        out[n] = code_of(do, cell)
                        n += 1
    if SLIDES:
        slid = slide_count(s, side)
        for i in range(slid):
            out[n] = s.work[SLID + i]
            n += 1
    for at in range(WORDS):
        if ask_word(s, side, at):
            out[n] = (6 + CELLS) * CELLS + at
            n += 1
    return n


def verdict(s: Any) -> int:
    """The outcome without a look at the moves, −1 for none."""
    over = rule_ended(s)
    if over < 0 and WORDS > 0 and 0 < PASSES_TO_END <= s.board[PASSES]:
        over = rule_passed_out(s)
    if over < 0 and s.board[PLAYED] >= MAX_MOVES:
        over = 0
    return over


def outcome(s: Any) -> int:
    """The outcome's code; −1 while the game runs, −2 after a fault."""
    over = verdict(s)
    if over < 0 and not has_any(s):
        over = rule_stuck(s)
    return over


def apply(s: Any, code: int) -> None:
    """Do a legal act."""
    side = s.board[MOVER]
    kind = act_kind(code)
    cell = act_cell(code)
    start = act_start(code)
    word = act_word(code)
    if kind == 2:
        put(s, cell, 2)
    elif kind == 1:
        put(s, cell, EMPTY)
    elif kind == 3:
        put(s, start, EMPTY)
        put(s, cell, side)
    elif kind == 6:
        put(s, cell, 1 - side)
    elif kind != 7:
        put(s, cell, side)
    s.work[0] = 0
    rule_then(s, side, kind, cell, start, word)
    put_noted(s)
    s.work[0] = 0
    rule_remember(s, side, kind, cell, start, word)
    keep_noted(s)
    s.board[PASSES] = s.board[PASSES] + 1 if word == PASS_AT + 1 and word > 0 else 0
    s.board[PLAYED] += 1
    s.board[CODE] = code if KEEPS_LAST else -1
    next_side = rule_next_side(s, side, kind, cell, start, word) if TURNS else 1 - side
    if next_side != 0 and next_side != 1:
        s.work[FAULTS] = 1
        next_side = 0
    s.board[MOVER] = next_side


def play_out(s: Any, rng: Any, trace: Any) -> int:
    """Play on at random to the end, as `SimpleState` does."""
    for i in range(PLACES + WORDS):
        s.work[SLOTS + i] = i
    while True:
        over = verdict(s)
        if over >= 0:
            return over
        side = s.board[MOVER]
        slid = 0
        if SLIDES:
            slid = slide_count(s, side)
        left = PLACES + WORDS
        code = -1
        while code < 0:
            if left + slid == 0:
                return rule_stuck(s)
            at = below(rng, left + slid)
            if at >= left:
                code = s.work[SLID + at - left]
                break
            slot = s.work[SLOTS + at]
            if slot < PLACES:
                cell = slot // KINDS
                do = kind_at(s, side, cell, slot % KINDS)
                if do >= 0 and ask(s, do, side, cell):
                    code = code_of(do, cell)
                    break
            elif ask_word(s, side, slot - PLACES):
                code = (6 + CELLS) * CELLS + slot - PLACES
                break
            left -= 1
            s.work[SLOTS + at] = s.work[SLOTS + left]
            s.work[SLOTS + left] = slot
        trace[0] += 1
        trace[trace[0]] = code
        apply(s, code)

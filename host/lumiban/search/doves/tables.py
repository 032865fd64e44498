"""Tokyo Doves with fewer kinds of doves, solved in full from the ends backwards.

A table holds one byte a placement, the side to move always Red (colours are swapped where it is
Green). Turned, mirrored and shifted placements are one position, the one with the least key; the
bytes of the others stay 0. There is no rule on repetition, so that play without end is a draw: only
then does a position's worth not depend on the way to it.

Waves go outward from the ends. Whoever can move to a lost position has won; whoever has only moves
to won ones has lost. Wave d looks at all positions decided in d plies and at those from which they
can be reached. The kernels below fill a table: places, steps back, waves.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from lumiban.errors import GameError
from lumiban.games.base import Position
from lumiban.games.doves import Doves, DovesState
from lumiban.games.doves.kernel import (
    BOTH,
    CELLS,
    DOVE_COLUMNS,
    ENDED,
    GREEN_SURROUNDED,
    HERE,
    KINDS,
    LOSES,
    MAX_ACTIONS,
    MOVER,
    MOVES,
    NO_INITIAL,
    ONLY_BOSSES,
    PRESENT,
    RED_CELLS,
    RED_SURROUNDED,
    REMOVE,
    REMOVES,
    WINS,
    act,
    adjacent_cells,
    edge,
    fitting,
    generate,
    key_of,
    lowest,
    place_in,
    settle,
    targets,
)
from lumiban.games.kernel import Octets, entry_of, kernel
from lumiban.search import jit

MOST_KINDS = 3
"""Kinds a side besides the boss: a fourth would need 80 GB."""
_WAVES = 60
_UNLED_ROOM = 1 << 16
_SLICE = 1 << 21
"""Bytes between two reports, compiled."""


@dataclass(frozen=True, slots=True)
class Tables:
    """All positions of a game with hands of some kinds only, and what each is worth."""

    kinds: str
    """The kinds that each side has besides the boss, `ATH`."""
    positions: int
    """All that differ and that something leads to, ends included; the mover's colour is one."""
    wins: int
    """Positions that go on and that the mover wins."""
    losses: int
    draws: int
    longest: int
    """Plies of the longest win."""
    _game: Doves
    _table: Any
    _offsets: list[int]

    @property
    def start(self) -> int:
        """Worth of the start for the first player: 1, 0 or −1."""
        return self.look(self._game.start())[0]

    def look(self, position: Position) -> tuple[int, int]:
        """(1 won, 0 drawn, −1 lost for the side to move; in how many plies) of a position.

        GameError for a position with other doves, or that no game reaches.
        """
        board = list(self._game.state(position).board)
        if position.state[0] == 1:
            swap(board)
        if self._offsets[board[PRESENT]] < 0:
            raise GameError(f"this table knows positions with B and {self.kinds} only")
        entry = int(self._table[slot(self._offsets, board)]) % UNLED
        if entry == NOTHING:
            raise GameError("no game of Doves reaches this position")
        if entry < WON:
            return 0, 0
        return (-1 if entry & 1 else 1), (entry - WON) >> 1


def kinds_of(letters: str) -> str:
    """The kinds of a hand in their order, `HAT` becomes `ATH`; GameError for what is none."""
    kinds = letters.upper()
    if not kinds or len(set(kinds)) != len(kinds) or set(kinds) - set(KINDS[1:]):
        raise GameError(
            f"hands of {letters!r}: name each kind once, of {', '.join(KINDS[1:])}; for example AT"
        )
    if len(kinds) > MOST_KINDS:
        raise GameError(
            f"hands of {len(kinds)} kinds are too many for a table: {MOST_KINDS} at most"
        )
    return "".join(kind for kind in KINDS if kind in kinds)


def build(
    letters: str,
    *,
    remove: bool = True,
    both: str = "mover-loses",
    initial: str = "allowed",
    compiled: bool = True,
    progress: Callable[[str, int, int], None] | None = None,
) -> Tables:
    """The table of all positions with a boss and these kinds a side; GameError as `kinds_of`.

    `progress(what, bytes done, of)` is called now and then. One kind takes 0.1 MB, two 7 MB,
    three 1 GB and, compiled, some minutes.
    """
    kinds = kinds_of(letters)
    game = Doves(repetition="off", initial=initial, remove="on" if remove else "off", both=both)
    return _Builder(game, kinds, compiled and jit.has_kernels(DovesState), progress).run()


class _Builder:
    """Fills a table, slice by slice."""

    def __init__(
        self,
        game: Doves,
        kinds: str,
        compiled: bool,
        progress: Callable[[str, int, int], None] | None,
    ) -> None:
        self._game, self._kinds, self._progress = game, kinds, progress
        self._parts: list[tuple[int, int, int, int]] = []
        self._offsets = [-1] * 4096
        self._size = 0
        wanted = sum(3 << (10 - 2 * KINDS.index(kind)) for kind in kinds) | 0xC00
        for present in range(4096):
            if present & 0xC00 == 0xC00 and present | wanted == wanted:
                self._add(present)
        self._mask = sum(1 << KINDS.index(kind) for kind in kinds)
        state = game.state(game.start())
        arrays = (state.plan, state.board, list(state.board), state.scratch, self._offsets)
        self._table: Any
        if compiled:
            self._table = jit.octets(self._size)
            arrays = tuple(jit.ints(array) for array in arrays)
        else:
            self._table = bytearray(self._size)
        self._plan, self._board, self._other, self._out, self._seats = arrays
        self._compiled = compiled
        self._slice = _SLICE if compiled else _SLICE >> 8

    def _add(self, present: int) -> None:
        length, room = 1, 16
        for _ in range(present.bit_count()):
            length *= room
            room -= 1
        self._offsets[present] = self._size
        self._parts.append((present, self._size, length, room + 1))
        self._size += length

    def run(self) -> Tables:
        """Fill it."""
        plan, board, other, out = self._plan, self._board, self._other, self._out
        table, offsets, mask = self._table, self._seats, self._mask
        mark = self._kernel(list_all)
        for present, room, start, end in self._slices("positions"):
            mark(plan, board, table, self._offsets[present], present, room, start, end)
        tell, look = self._kernel(spread_out), self._kernel(ask)
        for distance in range(_WAVES):
            asked = 0
            for present, _, start, end in self._slices(f"wave {distance}"):
                asked += tell(
                    plan, board, other, out, table, offsets, mask, present, distance, start, end
                )
            if asked:
                for present, _, start, end in self._slices(f"losses {distance}"):
                    look(plan, board, other, out, table, offsets, mask, present, start, end)
            if not any(self._count()[WON + 2 * distance + 2 :]):
                break
        self._leave_out()
        return self._tables(self._count())

    def _leave_out(self) -> None:
        """Mark what nothing leads to, and what only leads on from there."""
        plan, board, other, out = self._plan, self._board, self._other, self._out
        table, offsets, mask = self._table, self._seats, self._mask
        run = self._kernel(find_unled)
        unled: Any = jit.zeros(_UNLED_ROOM) if self._compiled else [0] * _UNLED_ROOM
        for present, _, start, end in self._slices("ways in"):
            run(plan, board, other, out, table, offsets, mask, present, start, end, unled)
        done = 0
        while done < int(unled[0]) < _UNLED_ROOM:
            done += 1
            for there in self._after(int(unled[done])):
                present, at = self._seat(there)
                run(plan, board, other, out, table, offsets, mask, present, at, at + 1, unled)

    def _seat(self, place: int) -> tuple[int, int]:
        """(doves present, place among theirs) of a place in the whole table."""
        last = [part for part in self._parts if part[1] <= place][-1]
        return last[0], place - last[1]

    def _after(self, place: int) -> list[int]:
        """The places that the position of this place leads to."""
        state = self._game.state(self._game.start())
        board, other, found = list(state.board), list(state.board), []
        unpack(board, *self._seat(place))
        plan, out = state.plan, state.scratch
        for code in out[: generate(plan, board, state.past, out, MAX_ACTIONS)]:
            if code >= MOVES or self._mask >> code // CELLS & 1:
                act(board, other, code)
                swap(other)
                found.append(slot(self._offsets, other))
        return found

    def _count(self) -> list[int]:
        totals = [0] * 256
        counted = jit.ints(totals) if self._compiled else totals
        run = self._kernel(count)
        step = self._slice
        for start in range(0, self._size, step):
            run(self._table, counted, start, min(self._size, start + step))
        return [int(number) for number in counted]

    def _tables(self, totals: list[int]) -> Tables:
        further = totals[WON + 2 : UNLED]
        return Tables(
            self._kinds,
            sum(totals[OPEN:UNLED]),
            sum(further[0::2]),
            sum(further[1::2]),
            totals[OPEN] + totals[ASKED],
            max((d for d, number in enumerate(further[0::2], 1) if number), default=0),
            self._game,
            self._table,
            self._offsets,
        )

    def _kernel(self, function: Callable[..., Any]) -> Callable[..., Any]:
        return jit.compiled(function, DovesState) if self._compiled else function

    def _slices(self, what: str) -> Any:
        """(doves present, room of the last, start, end) through the whole table."""
        done = 0
        for present, _, length, room in self._parts:
            step = self._slice // room * room
            for start in range(0, length, step):
                end = min(length, start + step)
                yield present, room, start, end
                done += end - start
                if self._progress is not None:
                    self._progress(what, done, self._size)


NOTHING, OPEN, ASKED, DRAWN, WON, LOST = 0, 1, 2, 3, 6, 7
"""Values of a byte of the table. WON and LOST are positions at their end; 2·d more: in d plies.
ASKED is open and may be lost; DRAWN is an end that neither side wins."""
UNLED = 128
"""Added to what a byte says where no position of a game leads there."""


REDS = 0xF0F0F0F0F0F0
"""Of twelve numbers of four bits those of Red's doves."""


@kernel
def few(bits: int) -> int:
    """Number of set bits of 16."""
    bits -= (bits >> 1) & 0x5555
    bits = (bits & 0x3333) + ((bits >> 2) & 0x3333)
    bits = (bits + (bits >> 4)) & 0x0F0F
    return (bits + (bits >> 8)) & 0x1F


@kernel
def swap(board: Any) -> None:
    """Change the colours, so that the other side is to move."""
    for word in range(HERE, DOVE_COLUMNS + 1):
        board[word] = ((board[word] & REDS) >> 4) | ((board[word] & REDS >> 4) << 4)
    red = board[RED_CELLS]
    board[RED_CELLS] = board[RED_CELLS + 1]
    board[RED_CELLS + 1] = red
    present = board[PRESENT]
    board[PRESENT] = ((present & 0x555) << 1) | ((present >> 1) & 0x555)
    board[MOVER] = 1 - board[MOVER]


@kernel
def slot(offsets: Any, board: Any) -> int:
    """The place in the table of a board with Red to move."""
    key = key_of(board, 0, True)
    taken, at, room = 0, 0, 16
    for dove in range(12):
        if (key >> (59 - dove)) & 1 != 0:
            cell = (key >> (44 - 4 * dove)) & 15
            at = at * room + cell - few(taken & ((1 << cell) - 1))
            taken |= 1 << cell
            room -= 1
    place: int = offsets[board[PRESENT]] + at
    return place


@kernel
def fill(board: Any, present: int, cells: int) -> None:
    """Set these doves on their cells, Red to move, and judge the board."""
    board[MOVER] = 0
    board[PRESENT] = present
    red, green, here, rows, columns = 0, 0, 0, 0, 0
    for dove in range(12):
        shift = 44 - 4 * dove
        if (present >> (11 - dove)) & 1 != 0:
            cell = (cells >> shift) & 15
            bit = 1 << (9 + cell + 4 * (cell >> 2))
            if dove & 1 == 0:
                red |= bit
            else:
                green |= bit
            here |= 1 << shift
            rows |= (1 + (cell >> 2)) << shift
            columns |= (1 + (cell & 3)) << shift
    settle(board, red, green, here, rows, columns)


@kernel
def cells_at(present: int, at: int) -> int:
    """The cell (4·row + column) of each dove, four bits each as in a key, at a place in the table.

    The place counts from where these doves begin.
    """
    room = 17
    for dove in range(12):
        room -= (present >> (11 - dove)) & 1
    digits = 0
    for dove in range(11, -1, -1):
        if (present >> (11 - dove)) & 1 != 0:
            digits |= at % room << (44 - 4 * dove)
            at //= room
            room += 1
    free, cells = 0xFFFF, 0
    for dove in range(12):
        if (present >> (11 - dove)) & 1 != 0:
            left = free
            for _ in range((digits >> (44 - 4 * dove)) & 15):
                left &= left - 1
            bit = left & -left
            free ^= bit
            cells |= lowest(bit) << (44 - 4 * dove)
    return cells


@kernel
def unpack(board: Any, present: int, at: int) -> None:
    """Set up the board of a place in the table, counted from where its doves begin."""
    fill(board, present, cells_at(present, at))


@kernel
def ending(plan: Any, board: Any) -> int:
    """Byte of a board with Red to move before anything is searched.

    With so few kinds nobody is without an action, under any rule.
    """
    ended = board[ENDED]
    if ended == 0:
        return OPEN
    if ended == RED_SURROUNDED:
        return LOST
    if ended == GREEN_SURROUNDED or plan[BOTH] == LOSES:
        return WON
    return LOST if plan[BOTH] == WINS else DRAWN


@entry_of(DovesState)
def list_all(
    plan: Any, board: Any, table: Octets, offset: int, present: int, room: int, start: int, end: int
) -> None:
    """Mark the positions among the places `start` to `end` of those with these doves.

    `room` is how many cells the last dove may stand on; start and end are multiples of it.
    """
    last = 11
    while (present >> (11 - last)) & 1 == 0:
        last -= 1
    others = present ^ (1 << (11 - last))
    for first in range(start, end, room):
        cells = cells_at(others, first // room)
        taken = 0
        for dove in range(last):
            if (others >> (11 - dove)) & 1 != 0:
                taken |= 1 << ((cells >> (44 - 4 * dove)) & 15)
        boss = (cells >> 44) & 15
        middle = boss == 0 or boss == 1 or boss == 5
        at = offset + first - 1
        for cell in range(16):
            if (taken >> cell) & 1 != 0:
                continue
            at += 1
            box = taken | (1 << cell)
            if box & 0x000F == 0 or box & 0x1111 == 0:
                continue
            # In a full box the least key has the boss on one of three cells.
            if box & 0xF000 != 0 and box & 0x8888 != 0 and not middle:
                continue
            whole = cells | (cell << (44 - 4 * last))
            fill(board, present, whole)
            occupied = board[RED_CELLS] | board[RED_CELLS + 1]
            if occupied & ~adjacent_cells(occupied) != 0:
                continue
            if key_of(board, 0, True) & 0xFFFFFFFFFFFF != whole:
                continue
            table[at] = ending(plan, board)


@kernel
def side_by_side(board: Any) -> bool:
    """True if the bosses share an edge."""
    green: int = edge(1 << place_in(board, 0)) & (1 << place_in(board, 1))
    return green != 0


@kernel
def before(plan: Any, board: Any, kinds: int, out: Any) -> int:
    """Actions of Green's that undo what Green may have done last, Red being to move."""
    n = 0
    green = board[RED_CELLS + 1]
    occupied = board[RED_CELLS] | green
    boss = edge(1 << place_in(board, 0))
    free = adjacent_cells(occupied) & fitting(plan, occupied) & ~occupied
    for kind in range(6):
        place = place_in(board, 2 * kind + 1)
        if place < 0:
            if (kinds >> kind) & 1 != 0 and plan[REMOVE] != 0:
                left = free
                while left != 0:
                    to = lowest(left)
                    left &= left - 1
                    out[n] = kind * CELLS + to - 2 * (to >> 3)
                    n += 1
            continue
        bit = 1 << place
        rest = occupied & ~bit
        if (
            kind > 0
            and rest & ~adjacent_cells(rest) == 0
            and adjacent_cells(green & ~bit) & bit & ~boss != 0
        ):
            out[n] = REMOVES + kind
            n += 1
        left = targets(plan, rest, kind, place)
        while left != 0:
            to = lowest(left)
            left &= left - 1
            out[n] = MOVES + kind * CELLS + to - 2 * (to >> 3)
            n += 1
    return n


@entry_of(DovesState)
def spread_out(
    plan: Any, board: Any, other: Any, out: Any, table: Octets, offsets: Any, kinds: int,
    present: int, distance: int, start: int, end: int,
) -> int:  # fmt: skip
    """Tell those before each position of `start` to `end` that is decided in this distance.

    Returns how many positions there are to be asked now.
    """
    asked = 0
    offset = offsets[present]
    won, lost = WON + 2 * distance, LOST + 2 * distance
    for at in range(start, end):
        entry = table[offset + at]
        if entry != won and entry != lost:
            continue
        unpack(board, present, at)
        if present == ONLY_BOSSES and plan[NO_INITIAL] != 0 and side_by_side(board):
            continue
        board[MOVER] = 1
        for i in range(before(plan, board, kinds, out)):
            act(board, other, out[i])
            swap(other)
            there = slot(offsets, other)
            known = table[there]
            if known != OPEN and known != ASKED:
                continue
            if entry == lost:
                table[there] = won + 2
            elif known == OPEN:
                table[there] = ASKED
                asked += 1
    return asked


@entry_of(DovesState)
def ask(
    plan: Any, board: Any, other: Any, out: Any, table: Octets, offsets: Any, kinds: int,
    present: int, start: int, end: int,
) -> int:  # fmt: skip
    """Look whether the positions asked are lost; returns how many are."""
    found = 0
    offset = offsets[present]
    for at in range(start, end):
        if table[offset + at] != ASKED:
            continue
        unpack(board, present, at)
        longest = 0
        # Nothing was faced or barred: the past is not read.
        for i in range(generate(plan, board, out, out, MAX_ACTIONS)):
            if out[i] < MOVES and (kinds >> (out[i] // CELLS)) & 1 == 0:
                continue
            act(board, other, out[i])
            swap(other)
            said = table[slot(offsets, other)]
            if said < WON or said & 1 != 0:
                longest = -1
                break
            longest = max(longest, (said - WON) >> 1)
        if longest < 0:
            table[offset + at] = OPEN
        else:
            table[offset + at] = LOST + 2 * (longest + 1)
            found += 1
    return found


@entry_of(DovesState)
def find_unled(
    plan: Any, board: Any, other: Any, out: Any, table: Octets, offsets: Any, kinds: int,
    present: int, start: int, end: int, found: Any,
) -> None:  # fmt: skip
    """Mark the positions that nothing leads to; list in `found` (its length first) those that
    go on, since what they lead to may be the next."""
    offset = offsets[present]
    for at in range(start, end):
        entry = table[offset + at]
        if entry == NOTHING or entry >= UNLED or present == ONLY_BOSSES:
            continue
        unpack(board, present, at)
        board[MOVER] = 1
        led = False
        for i in range(before(plan, board, kinds, out)):
            act(board, other, out[i])
            swap(other)
            known = table[slot(offsets, other)]
            if known == OPEN or (known > LOST and known < UNLED):
                led = True
                break
        if led:
            continue
        table[offset + at] = entry + UNLED
        if entry == OPEN or entry > LOST:
            found[0] += 1
            if found[0] < len(found):
                found[found[0]] = offset + at


@entry_of(DovesState)
def count(table: Octets, totals: Any, start: int, end: int) -> None:
    """Count what the bytes say."""
    for at in range(start, end):
        totals[table[at]] += 1

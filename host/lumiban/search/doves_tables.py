"""Tokyo Doves with fewer kinds of doves, solved in full from the ends backwards.

A table holds one byte a placement, the side to move always Red (colours are swapped where it is
Green). Turned, mirrored and shifted placements are one position, the one with the least key; the
bytes of the others stay 0. There is no rule on repetition and the start may come again, so that
play without end is a draw: only then does a position's worth not depend on the way to it.

Waves go outward from the ends. Whoever can move to a lost position has won; whoever has only
moves to won ones has lost. Wave d looks at all positions decided in d plies and at those from
which they can be reached.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from lumiban.errors import GameError
from lumiban.games.base import Position
from lumiban.games.doves import Doves, DovesState
from lumiban.games.doves.kernel import CELLS, KINDS, MOST, MOVES, PRESENT, act, generate
from lumiban.search import jit
from lumiban.search.doves_retro import (
    ASKED,
    NOTHING,
    OPEN,
    UNLED,
    WON,
    ask,
    count,
    find_unled,
    list_all,
    slot,
    spread_out,
    swap,
    unpack,
)

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
        """What the start is worth for the first player: 1, 0 or −1."""
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
        said = int(self._table[slot(self._offsets, board)]) % UNLED
        if said == NOTHING:
            raise GameError("no game of Doves reaches this position")
        if said < WON:
            return 0, 0
        return (-1 if said & 1 else 1), (said - WON) >> 1


def kinds_of(letters: str) -> str:
    """The kinds of a hand in their order, `HAT` becomes `ATH`; GameError for what is none."""
    told = letters.upper()
    if not told or len(set(told)) != len(told) or set(told) - set(KINDS[1:]):
        raise GameError(
            f"hands of {letters!r}: name each kind once, of {', '.join(KINDS[1:])}; for example AT"
        )
    if len(told) > MOST_KINDS:
        raise GameError(
            f"hands of {len(told)} kinds are too many for a table: {MOST_KINDS} at most"
        )
    return "".join(kind for kind in KINDS if kind in told)


def build(
    letters: str,
    *,
    remove: bool = True,
    both: str = "mover-loses",
    compiled: bool = True,
    progress: Callable[[str, int, int], None] | None = None,
) -> Tables:
    """The table of all positions with a boss and these kinds a side; GameError as `kinds_of`.

    `progress(what, bytes done, of)` is called now and then. One kind takes 0.1 MB, two 7 MB,
    three 1 GB and, compiled, some minutes.
    """
    kinds = kinds_of(letters)
    game = Doves(repetition="off", initial="allowed", remove="on" if remove else "off", both=both)
    return _Builder(game, kinds, compiled and jit.available(), progress).run()


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
        return self._told(self._count())

    def _leave_out(self) -> None:
        """Mark what nothing leads to, and what only leads on from there."""
        plan, board, other, out = self._plan, self._board, self._other, self._out
        table, offsets, mask = self._table, self._seats, self._mask
        run = self._kernel(find_unled)
        found: Any = jit.zeros(_UNLED_ROOM) if self._compiled else [0] * _UNLED_ROOM
        for present, _, start, end in self._slices("ways in"):
            run(plan, board, other, out, table, offsets, mask, present, start, end, found)
        done = 0
        while done < int(found[0]) < _UNLED_ROOM:
            done += 1
            for there in self._after(int(found[done])):
                present, at = self._seat(there)
                run(plan, board, other, out, table, offsets, mask, present, at, at + 1, found)

    def _seat(self, place: int) -> tuple[int, int]:
        """(doves present, place among theirs) of a place in the whole table."""
        last = [part for part in self._parts if part[1] <= place][-1]
        return last[0], place - last[1]

    def _after(self, place: int) -> list[int]:
        """The places that the position of this place leads to."""
        state = self._game.state(self._game.start())
        board, other, found = list(state.board), list(state.board), []
        unpack(state.plan, board, *self._seat(place))
        for code in state.scratch[: generate(state.plan, board, state.scratch, MOST)]:
            if code >= MOVES or self._mask >> code // CELLS & 1:
                other[:] = board
                act(state.plan, other, code)
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

    def _told(self, totals: list[int]) -> Tables:
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

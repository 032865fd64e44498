"""Assignment of boards to tables: a machine without I/O.

`step` is told which boards are plugged in and which tables have ended, and says what to start and
to end. There is always a first table, with or without a board: its page is the one people know. A
board that comes takes the table it had, also in a service before this one (`ports`, which the
service keeps on disk); else the first whose own board is not there; else a new one. A table that
ends by itself is started again, after a pause that grows.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from lumiban.system.child import Restarts

MOST_TABLES = 8
GONE_S = 10.0
"""After so long without its board a table may take another one: a board that is updated, or moved
to another socket, is away for a moment."""
PAUSE_S = (0.5, 30.0)
"""Before a table that ended is started again; doubled up to the second."""
SOUND_S = 60.0
"""A table that ran so long ended by another cause than the one before."""


@dataclass(slots=True)
class Seat:
    """A table: its number from 1, its board's port ("" for none) and when that was there last."""

    number: int
    port: str = ""
    seen_s: float = 0.0
    runs: bool = False
    since_s: float = 0.0
    due_s: float = 0.0
    """Time at which it is to be started."""
    rests: bool = False
    """It is known from a service before this one; its board has not been seen since."""
    restarts: Restarts = field(default_factory=lambda: Restarts(*PAUSE_S, sound_s=SOUND_S))
    stops: bool = False
    """It was told to end, and will be started anew."""


@dataclass(frozen=True, slots=True)
class Start:
    """Start this table at this port."""

    number: int
    port: str


@dataclass(frozen=True, slots=True)
class Stop:
    """End this table; it begins anew when it has ended."""

    number: int


class Roster:
    """The tables of a service. `fixed` is the only board where one is named; times are seconds."""

    def __init__(self, fixed: str = "", ports: Sequence[str] = (), now_s: float = 0.0) -> None:
        self._fixed = fixed
        known = [fixed] if fixed else [*ports[:MOST_TABLES]] or [""]
        self.seats = [Seat(n, port, now_s, rests=n > 1) for n, port in enumerate(known, 1)]
        self._strangers: set[str] = set()
        """Ports at which something else than a board answered, until that is unplugged."""

    @property
    def ports(self) -> list[str]:
        """The board of each table, "" where it has none."""
        return [seat.port for seat in self.seats]

    def step(
        self, now_s: float, boards: Sequence[str], ended: Iterable[int] = ()
    ) -> list[Start | Stop]:
        """Follow which boards are there (lasting paths) and which tables have ended."""
        for number in ended:
            self._ended(self.seats[number - 1], now_s)
        out: list[Start | Stop] = []
        if not self._fixed:
            out += self._assign(now_s, boards)
        for seat in self.seats:
            if not (seat.runs or seat.rests) and now_s >= seat.due_s:
                seat.runs, seat.stops, seat.since_s = True, False, now_s
                out.append(Start(seat.number, seat.port))
        return out

    def again(self, number: int) -> list[Stop]:
        """A table shall begin anew, as settings have changed or its memory grew."""
        seat = self.seats[number - 1]
        if not seat.runs or seat.stops:
            return []
        seat.stops = True
        return [Stop(number)]

    def begin_anew(self, fixed: str) -> None:
        """The boards are elsewhere: every table looks for its own again."""
        self._fixed = fixed
        self._strangers.clear()
        for seat in self.seats:
            seat.port = fixed if seat.number == 1 else ""

    def moved(self, number: int, port: str) -> None:
        """A table has found its board at another port."""
        if not self._fixed and port not in (seat.port for seat in self.seats):
            self.seats[number - 1].port = port

    def is_strange(self, number: int) -> None:
        """Notes that the device at a table's port is no board: the table is free for one."""
        seat = self.seats[number - 1]
        if not self._fixed and seat.port:
            self._strangers.add(seat.port)
            seat.port = ""

    def next_due_s(self) -> float | None:
        """Return when `step` has something to do though no board comes or goes, seconds."""
        waiting = (seat.due_s for seat in self.seats if not (seat.runs or seat.rests))
        return min(waiting, default=None)

    def _ended(self, seat: Seat, now_s: float) -> None:
        seat.runs = False
        if seat.stops:
            seat.stops, seat.due_s = False, now_s
            return
        seat.due_s = now_s + seat.restarts.pause_s(lived_s=now_s - seat.since_s)

    def _assign(self, now_s: float, boards: Sequence[str]) -> list[Start | Stop]:
        out: list[Start | Stop] = []
        there = set(boards)
        self._strangers &= there
        is_searching = False
        for seat in self.seats:
            if seat.port in there:
                seat.seen_s, seat.rests = now_s, False
            elif seat.port and now_s - seat.seen_s < GONE_S:
                is_searching = True
        if is_searching:
            return out  # what has just come may be its board under another name
        known = {seat.port for seat in self.seats} | self._strangers
        for port in boards:
            free = self._free(there) if port not in known else None
            if free is not None:
                free.port, free.seen_s, free.rests = port, now_s, False
                known.add(port)
                out += self.again(free.number)
        return out

    def _free(self, there: set[str]) -> Seat | None:
        for seat in self.seats:
            if seat.port not in there:
                return seat
        if len(self.seats) == MOST_TABLES:
            return None
        seat = Seat(len(self.seats) + 1)
        self.seats.append(seat)
        return seat

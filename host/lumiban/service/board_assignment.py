"""Assignment of boards to tables: a state machine without I/O.

There is always a first table, with or without a board: its page is the one people know. A board
that comes takes the table it had, also in a service before this one (`ports`, which the service
keeps on disk); else the first whose own board is not there; else a new one.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

MAX_TABLES = 8
GONE_S = 10.0
"""A table without its board may take another one after this time: a board that is updated, or moved
to another socket, is away for a moment."""


@dataclass(slots=True)
class TablePlace:
    """Place of a table: its number from 1, its board's port ("" for none) and when that port was
    last present."""

    number: int
    port: str = ""
    seen_s: float = 0.0
    rests: bool = False
    """It is known from a service before this one; its board has not been seen since."""


class Roster:
    """Tables of a service. `fixed` is the only board where one is named; times are in seconds."""

    def __init__(self, fixed: str = "", ports: Sequence[str] = (), now_s: float = 0.0) -> None:
        self._fixed = fixed
        known = [fixed] if fixed else [*ports[:MAX_TABLES]] or [""]
        self.seats = [TablePlace(n, port, now_s, rests=n > 1) for n, port in enumerate(known, 1)]
        self._strangers: set[str] = set()
        """Ports at which something else than a board answered, until that is unplugged."""

    @property
    def ports(self) -> list[str]:
        """Board of each table, "" where it has none."""
        return [seat.port for seat in self.seats]

    def look(self, now_s: float, boards: Sequence[str]) -> list[int]:
        """Follow which boards are present (lasting paths); returns the tables whose board has
        changed."""
        changed: list[int] = []
        if self._fixed:
            return changed
        self._strangers &= set(boards)
        for seat in self.seats:
            if seat.port in boards:
                seat.seen_s, seat.rests = now_s, False
        away = [seat for seat in self.seats if seat.port not in boards]
        if any(seat.port and now_s - seat.seen_s < GONE_S for seat in away):
            return changed  # what has just come may be its board under another name
        for port in boards:
            if port in self._strangers or port in self.ports:
                continue
            if not away and len(self.seats) < MAX_TABLES:
                away = [TablePlace(len(self.seats) + 1)]
                self.seats += away
            if away:
                seat = away.pop(0)
                seat.port, seat.seen_s, seat.rests = port, now_s, False
                changed.append(seat.number)
        return changed

    def reset(self, fixed: str) -> None:
        """The boards are elsewhere: every table looks for its own again."""
        self._fixed = fixed
        self._strangers.clear()
        for seat in self.seats:
            seat.port = fixed if seat.number == 1 else ""

    def moved(self, number: int, port: str) -> None:
        """Take note that a table found its board at another port."""
        if not self._fixed and port not in self.ports:
            self.seats[number - 1].port = port

    def is_strange(self, number: int) -> None:
        """Take note that the device at a table's port is no board: the table is free for
        another."""
        seat = self.seats[number - 1]
        if not self._fixed and seat.port:
            self._strangers.add(seat.port)
            seat.port = ""

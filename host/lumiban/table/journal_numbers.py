"""Numbers of a journal's records: which are on disk, and what the board may forget then."""

from __future__ import annotations

from lumiban.table.journal import Record
from lumiban.table.types import Acknowledge, Append, NewJournal, Output


class JournalNumbers:
    """Counts the records that a session gives out; numbers go on from game to game.

    `written` and `durable` are the last number given out and the last on disk, −1 before any.
    """

    def __init__(self, written: int = -1) -> None:
        self.written = written
        self.durable = written
        self.is_open = written >= 0
        self._held: list[tuple[int, int]] = []

    @property
    def all_durable(self) -> bool:
        """True if everything given out is on disk."""
        return self.durable >= self.written

    def open(self, name: str) -> Output:
        """A new game's journal begins."""
        self.is_open = True
        return NewJournal(name)

    def add(self, record: Record) -> Output:
        """The next record."""
        self.written += 1
        return Append(self.written, record)

    def holds(self, next_event: int) -> None:
        """The record just added holds all board events below `next_event`."""
        self._held.append((self.written, next_event))

    def new_boot(self) -> None:
        """Forget earlier event numbers: the board counts its events from 0."""
        self._held.clear()

    def on_disk(self, number: int) -> Acknowledge | None:
        """Note that all records up to `number` are on disk; return what the board may forget, if
        more than before."""
        self.durable = max(self.durable, number)
        done = [next_event for written, next_event in self._held if written <= self.durable]
        if not done:
            return None
        del self._held[: len(done)]
        return Acknowledge(done[-1])

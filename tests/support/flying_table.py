"""A virtual table that is recorded in memory: for tests of the flight recorder."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from lumiban.boards.link import Link, ObservedLink
from lumiban.flight.file import head_of, of_new, of_resumed
from lumiban.flight.recorder import Note, Notes, as_recorded
from lumiban.table.types import Input, Output
from virtual_table import VirtualTable


class FlyingTable(VirtualTable):
    """`head` and `lines()` are its recording."""

    def __post_init__(self) -> None:
        self.notes: list[Note] = []
        self._witness = Notes(self.notes.append)
        super().__post_init__()

    def _make_link(self, resumes: tuple[int, int] | None) -> Link:
        self._resumes = resumes
        return ObservedLink(self.board, self.seed, self._witness, resume=resumes)

    def _set(self) -> None:
        history = self.session.match.history
        if self.back is None:
            table = of_new(history.game, history.seats, self.seed, self.session.journal_name)
        else:
            table = of_resumed(self.back.path)
        self.head: dict[str, Any] = head_of(
            self.profile,
            self.settings,
            now_us=self.now_us,
            hint=self.hint,
            session=self.seed,
            link_resume=self._resumes,
            table=table,
        )

    def on_stepped(self, now_us: int, inputs: Sequence[Input], outputs: Sequence[Output]) -> None:
        self._witness.step(now_us, inputs, outputs, self.session.match.verdict)

    def lines(self) -> list[list[Any]]:
        """What was recorded so far."""
        return as_recorded(self.notes, int(self.head["now_us"]))

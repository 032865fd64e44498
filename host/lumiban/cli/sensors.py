"""Keeps what a board tells of its sensors in play, for `lumiban doctor` and the page."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from datetime import date
from pathlib import Path
from typing import Any

from lumiban.boards import health
from lumiban.boards.types import Connected, Faulty


class Sensors:
    """The faults of whichever board is connected, into the state folder; of no simulated one.

    `names` are those of the board's cells.
    """

    def __init__(
        self, state: Path, names: Sequence[str] = (), today: Callable[[], date] = date.today
    ) -> None:
        self.ailing: tuple[Mapping[str, Any], ...] = ()
        """What the board's cells lack as far as it was seen, by cell: texts of the catalogue."""
        self._state = state
        self._names = names
        self._today = today
        self._watch = health.Watch(state)
        self._who = ("", "")

    def noted(self, event: Connected | Faulty) -> None:
        """A board was greeted, or reports a fault. A full disk does not stop a game."""
        if isinstance(event, Connected):
            hello = event.hello
            self._who = ("", "") if hello.simulated else (hello.uid, hello.model)
            self._look(hello.uid)
        elif self._who[0]:
            with suppress(OSError):
                if self._watch.heard(event, *self._who, self._today().isoformat()):
                    self._look(self._who[0])

    def _look(self, uid: str) -> None:
        known = health.read(self._state, uid).ailing(self._names, self._today())
        self.ailing = tuple({"id": one.id, "params": dict(one.said)} for one in known)

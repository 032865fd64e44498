"""Keeps what a board tells of its sensors in play, for `lumiban doctor`."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

from lumiban.boards.health import Watch
from lumiban.boards.types import Connected, Faulty


class Sensors:
    """The faults of whichever board is connected, into the state folder; of no simulated one."""

    def __init__(self, state: Path) -> None:
        self._watch = Watch(state)
        self._who = ("", "")

    def noted(self, event: Connected | Faulty) -> None:
        """A board was greeted, or reports a fault. A full disk does not stop a game."""
        if isinstance(event, Connected):
            hello = event.hello
            self._who = ("", "") if hello.simulated else (hello.uid, hello.model)
        elif self._who[0]:
            with suppress(OSError):
                self._watch.heard(event, *self._who)

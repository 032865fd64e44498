"""Keeps what a board tells of its sensors in play, for `lumiban board doctor` and the page."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from datetime import date
from pathlib import Path
from threading import Lock
from typing import Any

from lumiban.boards.types import Connected, Faulty
from lumiban.maker import health


class Sensors:
    """The faults of whichever board is connected, each once in a session, into the state folder;
    of no simulated one.

    `names` are those of the board's cells. Faults come in bursts, a whole strip's at once, and the
    table must not wait for the disk: a thread of its own writes, once for many.
    """

    def __init__(
        self, state: Path, names: Sequence[str] = (), today: Callable[[], date] = date.today
    ) -> None:
        self.ailing: tuple[Mapping[str, Any], ...] = ()
        """What the board's cells lack as far as it was seen, by cell: texts of the catalogue."""
        self._state = state
        self._names = names
        self._today = today
        self._known = health.Health("")
        self._heard: set[tuple[str, int, int]] = set()
        self._lock = Lock()
        self._writer = ThreadPoolExecutor(1, thread_name_prefix="health")
        self._to_write = False

    def noted(self, event: Connected | Faulty) -> None:
        """A board was greeted, or reports a fault."""
        if isinstance(event, Connected):
            self.close()
            self._known = health.read_health(self._state, event.hello.uid)
            self._known.model = "" if event.hello.simulated else event.hello.model
            self._look()
        elif self._known.model:
            self._fault(event)

    def close(self) -> None:
        """Wait until all is written."""
        self._writer.submit(lambda: None).result()

    def _fault(self, fault: Faulty) -> None:
        key = (self._known.uid, fault.what, fault.where)
        if fault.what not in health.FAULTS or key in self._heard:
            return
        self._heard.add(key)
        with self._lock:
            self._known.told(fault.what, fault.where, self._today().isoformat())
        self._look()
        if not self._to_write:
            self._to_write = True
            self._writer.submit(self._write)

    def _write(self) -> None:
        """On the thread. A full disk does not stop a game."""
        self._to_write = False
        with self._lock:
            document = health.document(self._known)
        with suppress(OSError):
            health.write(self._state, document)

    def _look(self) -> None:
        found = self._known.ailing(self._names, self._today())
        self.ailing = tuple({"id": one.id, "params": dict(one.said)} for one in found)

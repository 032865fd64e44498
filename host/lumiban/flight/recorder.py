"""The flight recorder: writes down all that a table's link and session are given and give.

Calls only append to a list; a thread makes lines of it and writes them, once a second or when
enough has come together. Nobody waits for it, and what it cannot write it leaves.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
from collections.abc import Callable, Iterable, Sequence
from datetime import UTC, datetime
from pathlib import Path
from queue import SimpleQueue
from threading import Thread
from typing import Any

from lumiban import __version__
from lumiban.errors import UsageError
from lumiban.flight.file import (
    FLIGHT_SUFFIX,
    FlightFile,
    FlightHead,
    in_lines,
    json_line,
    make_room,
    plain,
    told_inputs,
    told_outputs,
)
from lumiban.flight.lines import (
    AckHandedOver,
    BytesIn,
    BytesOut,
    FlightLine,
    Full,
    PictureHandedOver,
    PortFailed,
    PortOpened,
    PortRefused,
    Stepped,
    TimerFired,
    Waited,
    raw_line,
)
from lumiban.table.types import Input, Output, Verdict

PAUSE_S = 1.0
"""Longest time in seconds that lines wait to be written."""
BATCH = 64
"""Lines that are handed over together, so that the thread never keeps the loop waiting long."""
FOLDER = "flight"
MEGABYTES = 8
"""Room for all recordings together in MB, unless LUMIBAN_FLIGHT_MB says otherwise; 0: none."""


def megabytes() -> float:
    """Room for recordings in MB, as the environment says; UsageError."""
    given = os.environ.get("LUMIBAN_FLIGHT_MB", str(MEGABYTES))
    try:
        room = float(given)
    except ValueError:
        room = -1.0
    if not 0 <= room <= 10_000:
        raise UsageError(
            f"LUMIBAN_FLIGHT_MB={given} is not a number of megabytes from 0 (none) to 10000"
        )
    return room


Note = tuple[Any, ...]
"""A received item: the class of its line, then values as they were, a time as it was."""


class Lines:
    """Turns what was noted into the lines of a recording; docs/link.md lists them.

    Times become differences to the line before; a verdict is told when it is another one.
    """

    def __init__(self, now_us: int = 0) -> None:
        self._at = now_us
        self._verdict = ""

    def of(self, note: Note) -> FlightLine:
        """The line of one note."""
        kind, *values = note
        if kind is Stepped:
            now_us, inputs, outputs, verdict = values
            since_us = self._since(now_us)
            given, gave = told_inputs(inputs), told_outputs(outputs)
            return Stepped(since_us, given, gave, self._changed(verdict))
        if kind in (PortOpened, BytesIn, TimerFired, Waited):
            values[0] = self._since(values[0])
        line: FlightLine = kind(*map(plain, values))
        return line

    def _since(self, now_us: int) -> int:
        gone, self._at = now_us - self._at, now_us
        return gone

    def _changed(self, verdict: Verdict) -> Any:
        document = plain(verdict)
        text = json_line(document)
        if text == self._verdict:
            return None
        self._verdict = text
        return document


class Notes:
    """Hears a link (it is its LinkObserver) and a session, in order; `note` takes each."""

    def __init__(self, note: Callable[[Note], None]) -> None:
        self._note = note

    def opened(self, now_us: int, patience_us: int) -> None:
        """The port was opened."""
        self._note((PortOpened, now_us, patience_us))

    def received(self, data: bytes, now_us: int) -> None:
        """Bytes came from the board."""
        self._note((BytesIn, now_us, data))

    def polled(self, now_us: int) -> None:
        """The link's time had come."""
        self._note((TimerFired, now_us))

    def waited(self, now_us: int) -> None:
        """A board that had no chance to speak was given more time."""
        self._note((Waited, now_us))

    def closed(self, reason: str) -> None:
        """The port broke."""
        self._note((PortFailed, reason))

    def took(self, data: bytes) -> None:
        """Bytes went to the board."""
        self._note((BytesOut, data))

    def showed(self) -> None:
        """The session's next light was handed over."""
        self._note((PictureHandedOver,))

    def acknowledged(self, next_event: int) -> None:
        """The session's next acknowledgement was."""
        self._note((AckHandedOver, next_event))

    def hindered(self, reason: str, detail: str) -> None:
        """The port could not be opened again."""
        self._note((PortRefused, reason, detail))

    def step(
        self, now_us: int, inputs: Sequence[Input], outputs: Sequence[Output], verdict: Verdict
    ) -> None:
        """The session followed these inputs."""
        self._note((Stepped, now_us, tuple(inputs), tuple(outputs), verdict))


class Recorder(Notes):
    """Writes one recording into `folder`, within the loop that it is made in.

    All recordings together take `megabytes` at most; this one stops at half of that. `failed` is
    told once why nothing more is written.
    """

    def __init__(
        self,
        folder: Path,
        name: str,
        head: FlightHead,
        *,
        megabytes: float = MEGABYTES,
        failed: Callable[[str], None] = lambda reason: None,
    ) -> None:
        super().__init__(self._take)
        self.path = _fresh(folder, name)
        self._most = int(megabytes * 1_000_000) // 2
        self._failed = failed
        self._loop = asyncio.get_running_loop()
        self._notes: list[Note] = []
        self._timer: asyncio.TimerHandle | None = None
        self._queue: SimpleQueue[list[Note] | None] = SimpleQueue()
        self._head: FlightHead = {
            "flight": 1,
            "lumiban": __version__,
            "at": f"{datetime.now(UTC):%Y-%m-%dT%H:%M:%SZ}",
            **head,
        }
        self._thread = Thread(target=self._run, name="flight", daemon=True)
        self._thread.start()

    def close(self) -> None:
        """Write what waits and end."""
        self._hand_over()
        self._queue.put(None)
        self._thread.join()

    def discard(self) -> None:
        """Nothing came of it: leave no file."""
        self.close()
        self.path.unlink(missing_ok=True)

    def _take(self, note: Note) -> None:
        self._notes.append(note)
        if len(self._notes) >= BATCH:
            self._hand_over()
        elif self._timer is None:
            self._timer = self._loop.call_later(PAUSE_S, self._hand_over)

    def _hand_over(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        if self._notes:
            notes, self._notes = self._notes, []
            self._queue.put(notes)

    # In the thread.

    def _run(self) -> None:
        try:
            make_room(self.path.parent, self._most)
            file = FlightFile(self.path)
        except OSError as error:
            self._stop(error.strerror or str(error))
            return
        with contextlib.closing(file):
            self._write(file)

    def _write(self, file: FlightFile) -> None:
        lines = Lines(int(self._head["now_us"]))
        try:
            file.write(in_lines(self._head))
            while (notes := self._queue.get()) is not None:
                if file.size >= self._most:
                    file.write([raw_line(Full())])
                    self._stop("full")
                    return
                file.write(raw_line(lines.of(note)) for note in notes)
        except OSError as error:
            self._stop(error.strerror or str(error))

    def _stop(self, reason: str) -> None:
        self._note = _pass_over
        self._failed(reason)


def _pass_over(note: Note) -> None:
    pass


def _fresh(folder: Path, name: str) -> Path:
    path = folder / f"{name}{FLIGHT_SUFFIX}"
    number = 1
    while path.exists():
        number += 1
        path = folder / f"{name}-{number}{FLIGHT_SUFFIX}"
    return path


def as_recorded(notes: Iterable[Note], now_us: int = 0) -> list[list[Any]]:
    """The lines that these notes become: for tables that are recorded in memory."""
    lines = Lines(now_us)
    return [raw_line(lines.of(note)) for note in notes]

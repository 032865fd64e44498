"""Output on a terminal: sentences, JSON by the line, a line that shows progress."""

from __future__ import annotations

import json
import os
import shutil
import sys
from collections.abc import Callable, Mapping
from threading import Event, Lock, Thread
from time import monotonic
from typing import Any
from unicodedata import east_asian_width

from lumiban.i18n import terminal_language, text


def say(id: str, *, indent: int = 0, **params: object) -> None:
    """A sentence of the catalogue on stdout, in the terminal's language."""
    print(" " * indent + text(id, terminal_language(), **params), flush=True)


def print_json(data: Mapping[str, Any]) -> None:
    """One line of JSON on stdout, told at once: who reads a pipe may wait for it.

    Letters that the stream cannot carry are escaped, as JSON allows.
    """
    carries_all = (sys.stdout.encoding or "").lower().startswith("utf")
    print(json.dumps(data, ensure_ascii=not carries_all), flush=True)


class Progress:
    """One line on stderr that is rewritten in place, only where a person watches.

    >>> progress = Progress()
    >>> progress.show("2 of 10 games")
    >>> progress.clear()
    """

    def __init__(self, *, clock: Callable[[], float] = monotonic, every_s: float = 1.0) -> None:
        self._shown = 0
        self._live = sys.stderr.isatty()
        self._clock, self._every_s = clock, every_s
        self._lock = Lock()
        self._wait: Event | None = None

    def show(self, line: str) -> None:
        """Replace the line."""
        if self._live:
            with self._lock:
                self._end_wait()
                self._write(line)

    def wait(self, line: str) -> None:
        """Replace the line and count seconds behind it until the next `show` or `clear`: for work
        that cannot tell how far it is, such as compiling."""
        if self._live:
            with self._lock:
                self._end_wait()
                self._write(line)
                self._wait = over = Event()
            Thread(target=self._count, args=(line, over, self._clock()), daemon=True).start()

    def clear(self) -> None:
        """Remove the line."""
        if self._live:
            with self._lock:
                self._end_wait()
                if self._shown:
                    sys.stderr.write("\r" + " " * self._shown + "\r")
                    sys.stderr.flush()
                    self._shown = 0

    def _count(self, line: str, over: Event, began: float) -> None:
        while not over.wait(self._every_s):
            with self._lock:
                if not over.is_set():
                    self._write(line, f" ({self._clock() - began:.0f} s)")

    def _end_wait(self) -> None:
        if self._wait is not None:
            self._wait.set()
            self._wait = None

    def _write(self, line: str, end: str = "") -> None:
        # One that does not fit would go on below, where nothing rewrites it.
        line = cut_to(line, _columns() - 1 - columns_of(end)) + end
        shown = columns_of(line)
        sys.stderr.write("\r" + line + " " * (self._shown - shown))
        sys.stderr.flush()
        self._shown = shown


def _columns() -> int:
    """The columns of the terminal that stderr is."""
    try:
        columns = os.get_terminal_size(sys.stderr.fileno()).columns
    except (OSError, ValueError):
        columns = 0
    return columns or shutil.get_terminal_size().columns


def columns_of(shown: str) -> int:
    """Number of columns of a terminal that a text takes; Japanese letters take two.

    >>> columns_of("game 3"), columns_of("3局")
    (6, 3)
    """
    return sum(2 if east_asian_width(letter) in "WF" else 1 for letter in shown)


def cut_to(shown: str, columns: int) -> str:
    """A text cut to a number of columns, `…` for what is left out.

    >>> cut_to("90 of 200 games", 15), cut_to("90 of 200 games", 12), cut_to("対局を準備中", 6)
    ('90 of 200 games', '90 of 200 g…', '対局…')
    """
    if columns_of(shown) <= columns:
        return shown
    while shown and columns_of(shown) >= columns:
        shown = shown[:-1]
    return shown.rstrip() + "…"

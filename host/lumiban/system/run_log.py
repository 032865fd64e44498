"""Log of one run: a line of JSON for each event, written to a file that may fail."""

from __future__ import annotations

import json
import logging
import os
import traceback
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import IO, Any

MAX_LINE_BYTES = 4000
"""Bytes of a usual line: with less room than that a log is set aside."""


class RotatingLog:
    """A file to append to that is set aside as `.1` when it has grown beyond `limit` bytes.

    Another process may write to it, or set it aside, at the same time: what is written goes to the
    file of this name, or for a moment to the one that was just set aside.
    """

    def __init__(self, path: Path, limit: int) -> None:
        self._path = path
        self._limit = limit
        self._file: IO[bytes] | None = None
        self._size = 0
        with suppress(OSError):
            self._open()

    def write(self, data: bytes) -> None:
        """Append this; OSError."""
        if self._file is None or self._size + len(data) > self._limit:
            self._open()
        assert self._file is not None
        self._file.write(data)
        self._size = self._file.tell()  # others write to it too

    def close(self) -> None:
        """Let go of the file."""
        if self._file is not None:
            self._file.close()
            self._file = None

    def _open(self) -> None:
        self.close()
        with suppress(FileNotFoundError):
            if self._path.stat().st_size > self._limit - MAX_LINE_BYTES:
                self._path.replace(self._path.with_name(self._path.name + ".1"))
        self._file = self._path.open("ab", buffering=0)
        self._size = self._file.tell()


class RunLog:
    """Writes events as lines of JSON: the values given, `pid`, `event`, `level`, `timestamp`.

    A value that JSON does not know is written as `str` has it, and `exc_info` (an exception, or
    the triple of `sys.exc_info`) as its traceback under `exception`. Nothing is raised: what a
    full or broken disk does not take is left out.
    """

    def __init__(
        self, file: IO[bytes] | RotatingLog | None = None, least: int = logging.INFO
    ) -> None:
        """Take the file (unbuffered; None: nothing is written) and the lowest level written."""
        self._file = file
        self._least = least

    def debug(self, event: str, /, **values: Any) -> None:
        """Write what only a developer wants to know."""
        self.log(logging.DEBUG, event, **values)

    def info(self, event: str, /, **values: Any) -> None:
        """Write what happens in a sound run."""
        self.log(logging.INFO, event, **values)

    def warning(self, event: str, /, **values: Any) -> None:
        """Write what went wrong and did no harm."""
        self.log(logging.WARNING, event, **values)

    def error(self, event: str, /, **values: Any) -> None:
        """Write what failed."""
        self.log(logging.ERROR, event, **values)

    def log(self, level: int, event: str, /, exc_info: object = None, **values: Any) -> None:
        """Write an event of this level (of Python's `logging`); a value of the name `level` or
        `event`, as a page's hint has one, gives way."""
        if self._file is None or level < self._least:
            return
        line = {"pid": os.getpid(), **values, "event": event}
        if exc_info and (trace := _traceback(exc_info)):
            line["exception"] = trace
        line["level"] = logging.getLevelName(level).lower()
        line["timestamp"] = datetime.now(UTC).isoformat().replace("+00:00", "Z")
        text = json.dumps(line, default=str, ensure_ascii=False) + "\n"
        with suppress(OSError):
            self._file.write(text.encode(errors="backslashreplace"))


def last_line(path: Path) -> str:
    """The last that a process wrote into a file of its own; "" where it wrote nothing."""
    with suppress(OSError, IndexError):
        return path.read_text("utf-8", "replace").strip().splitlines()[-1][:300]
    return ""


def _traceback(exc_info: object) -> str:
    """Traceback as Python prints it of an exception, or of a triple with one."""
    fault = exc_info[1] if isinstance(exc_info, tuple) else exc_info
    if not isinstance(fault, BaseException):
        return ""
    return "".join(traceback.format_exception(fault)).rstrip("\n")

"""Folder of lumiban's state on this machine, made and writable, with the log of this run."""

from __future__ import annotations

import logging
import os
import shutil
from collections.abc import Callable
from pathlib import Path

from lumiban.errors import DiskFull, UsageError
from lumiban.system.disk import DISK, FULL
from lumiban.system.run_log import RotatingLog, RunLog


def state_folder() -> Path:
    """The folder for journals and records (not made here); LUMIBAN_HOME overrides.

    Else the platform's: on Linux what XDG_STATE_HOME names by an absolute path, or
    ~/.local/state; RuntimeError where nobody has a home.
    """
    override = os.environ.get("LUMIBAN_HOME")
    if override:
        return Path(override).expanduser()
    import platformdirs

    return platformdirs.user_state_path("lumiban", appauthor=False)


LOG = "host.log"
LOG_LIMIT = 4_000_000
"""Bytes after which the log of earlier runs is set aside as `.1`."""


def made(folder: Path) -> Path:
    """The folder, made where it was missing; UsageError says why it cannot be had."""
    way_out = "set LUMIBAN_HOME to a folder you may write to"
    try:
        DISK.make_folder(folder)
    except OSError as error:
        raise UsageError(
            f"the state folder {folder} cannot be made ({error.strerror}); {way_out}"
        ) from error
    if not os.access(folder, os.W_OK):
        raise UsageError(f"the state folder {folder} is not writable; {way_out}")
    return folder


NEEDED_ROOM = 1 << 16
"""Bytes for what a table begins with: its journal's head, the simulator's address, the log."""


def with_room(folder: Path) -> Path:
    """The folder, where a table can begin in it; DiskFull when its disk, or our part of it, is
    full.

    It is tried: of a quota no figure tells.
    """
    import tempfile

    try:
        with tempfile.TemporaryFile(dir=folder, buffering=0) as file:
            DISK.write(file.fileno(), bytes(NEEDED_ROOM))
    except OSError as error:
        if error.errno in FULL:
            raise DiskFull(folder) from None
    return folder


LITTLE_ROOM = 32_000_000
"""With fewer free bytes than that a long evening, its recordings and logs may fill the disk."""


def free_bytes(folder: Path) -> int:
    """Free bytes on the disk of this folder; OSError."""
    return shutil.disk_usage(folder).free


def little_room(folder: Path, free: Callable[[Path], int] = free_bytes) -> float | None:
    """The megabytes that are left where they are few, None where there is room or nobody knows."""
    try:
        left = free(folder)
    except OSError:
        return None
    return left / 1e6 if left < LITTLE_ROOM else None


def open_log(folder: Path) -> RunLog:
    """The log of this run: lines of JSON in `<folder>/host.log`, nothing on the terminal. A service
    and its tables write there in turn.

    It never raises: no table stops because its log cannot be written. One that grows beyond
    `LOG_LIMIT` is set aside, at the start and while it is written: a service runs for months.
    """
    file = RotatingLog(folder / LOG, LOG_LIMIT)
    least = logging.DEBUG if os.environ.get("LUMIBAN_DEBUG") else logging.INFO
    log = RunLog(file, least)
    # What libraries say (uvicorn, asyncio, websockets) belongs there too, not on the terminal.
    logging.basicConfig(handlers=[_Forward(log)], level=logging.WARNING, force=True)
    return log


class _Forward(logging.Handler):
    """Hands the records of Python's own logging on to ours."""

    def __init__(self, log: RunLog) -> None:
        super().__init__()
        self._log = log

    def emit(self, record: logging.LogRecord) -> None:
        self._log.log(record.levelno, record.getMessage(), by=record.name, exc_info=record.exc_info)

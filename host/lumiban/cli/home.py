"""Where lumiban keeps what outlives a run: journals, the log, the simulator's address."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from lumiban.errors import UsageError

if TYPE_CHECKING:
    from structlog.typing import FilteringBoundLogger

LOG_LIMIT = 4_000_000
"""Bytes after which the log of earlier runs is set aside as `.1`."""


def state_folder(environment: Mapping[str, str] = os.environ, platform: str = sys.platform) -> Path:
    """The platform's folder for state; LUMIBAN_HOME overrides it. It need not exist yet.

    >>> state_folder({"LUMIBAN_HOME": "there"}).name
    'there'
    >>> state_folder({"HOME": "/h"}, "linux").as_posix()
    '/h/.local/state/lumiban'
    """
    if wish := environment.get("LUMIBAN_HOME"):
        return Path(wish)
    home = Path(environment.get("HOME") or environment.get("USERPROFILE") or Path.home())
    if platform == "darwin":
        return home / "Library" / "Application Support" / "lumiban"
    if platform == "win32":
        return Path(environment.get("LOCALAPPDATA") or home / "AppData" / "Local") / "lumiban"
    return Path(environment.get("XDG_STATE_HOME") or home / ".local" / "state") / "lumiban"


def made(folder: Path) -> Path:
    """The folder, made where it was missing; UsageError says why it cannot be made."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise UsageError(
            f"the state folder {folder} cannot be made ({error.strerror}); "
            "set LUMIBAN_HOME to a folder you may write to"
        ) from error
    if not os.access(folder, os.W_OK):
        raise UsageError(
            f"the state folder {folder} may not be written to; "
            "set LUMIBAN_HOME to a folder you may write to"
        )
    return folder


def journals() -> Path:
    """The folder of the journals, made where it was missing."""
    return made(state_folder() / "journals")


def log(name: str = "host") -> FilteringBoundLogger:
    """The log of this run: lines of JSON in `<state>/<name>.log`, nothing on the terminal."""
    import structlog

    path = made(state_folder()) / f"{name}.log"
    if path.exists() and path.stat().st_size > LOG_LIMIT:
        path.replace(path.with_suffix(".log.1"))
    structlog.configure(
        processors=[
            structlog.processors.add_log_level,
            structlog.processors.TimeStamper(fmt="iso", utc=True),
            structlog.processors.dict_tracebacks,
            structlog.processors.JSONRenderer(default=str),
        ],
        logger_factory=structlog.WriteLoggerFactory(file=path.open("a", encoding="utf-8")),
        cache_logger_on_first_use=False,
    )
    found: FilteringBoundLogger = structlog.get_logger()
    return found

"""Lines of the log as people read them, in the order in which they were written."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from lumiban.errors import UsageError
from lumiban.system import size_limits
from lumiban.system.paths import LOG


def entries(folder: Path) -> list[tuple[str, str]]:
    """All lines with their full times; the file that was set aside comes first. UsageError."""
    try:
        return [one for name in (f"{LOG}.1", LOG) for one in _read(folder / name)]
    except OSError as error:
        raise UsageError(f"{error.filename}: {error.strerror}; try it as root (sudo)") from None


def _read(path: Path) -> Iterator[tuple[str, str]]:
    if not path.exists():
        return
    with path.open("rb") as lines:
        for raw in lines:
            try:
                entry = size_limits.from_json(raw)
                at = str(entry.pop("timestamp"))
                event, level = entry.pop("event"), entry.pop("level")
            except (ValueError, KeyError, AttributeError):
                continue
            entry.pop("pid", None)
            rest = " ".join(f"{name}={value}" for name, value in entry.items())
            yield at, f"{at[:19]} {level:7} {event} {rest}".rstrip()

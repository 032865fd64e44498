"""Lines of the service's logs as people read them, oldest first."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from pathlib import Path

from lumiban.errors import UsageError
from lumiban.system import size_limits

CLOCK_STEP_S = 60.0
"""A log whose times go back by so much was written after the machine's clock was set back."""


def entries(folder: Path) -> list[tuple[str, str]]:
    """All lines of the logs with their full times, oldest first, also where the clock was set back:
    a machine without a clock of its own boots into the past, and what it writes then is new."""
    found: list[tuple[int, str, str]] = []
    try:
        # The older one of two comes first: host.log.1, host.log.
        paths = sorted(folder.glob("*.log*"), key=lambda path: len(path.name), reverse=True)
        for stem in sorted({path.name.partition(".log")[0] for path in paths}):
            if stem.partition("-")[0] in ("serve", "host"):
                mine = [path for path in paths if path.name.partition(".log")[0] == stem]
                found += _by_clock([one for path in mine for one in _read(path)])
    except OSError as error:
        raise UsageError(f"{error.filename}: {error.strerror}; try it as root (sudo)") from None
    found.sort(key=lambda one: one[:2])
    return [(at, line) for _, at, line in found]


def _by_clock(lines: list[tuple[str, str]]) -> list[tuple[int, str, str]]:
    """Lines of one log in their order, each with minus the times that the clock is set back after
    it: what two logs count alike was written between the same two of them."""
    found: list[tuple[int, str, str]] = []
    count, next_at = 0, None
    for at, line in reversed(lines):
        moment = datetime.fromisoformat(at)
        if next_at is not None and (moment - next_at).total_seconds() > CLOCK_STEP_S:
            count -= 1
        next_at = moment
        found.append((count, at, line))
    return found[::-1]


def _read(path: Path) -> Iterator[tuple[str, str]]:
    with path.open("rb") as lines:
        for raw in lines:
            try:
                entry = size_limits.from_json(raw)
                at = str(entry.pop("timestamp"))
                datetime.fromisoformat(at)
                event, level = entry.pop("event"), entry.pop("level")
            except (ValueError, KeyError, AttributeError):
                continue
            entry.pop("pid", None)
            rest = " ".join(f"{name}={value}" for name, value in entry.items())
            yield at, f"{at[:19]} {level:7} {event} {rest}".rstrip()

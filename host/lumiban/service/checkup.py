"""Findings of `lumiban board doctor` about the service: whether it runs, and what its tables wait
for."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

from lumiban.i18n import terminal_language, text
from lumiban.invocation import start_word
from lumiban.maker.doctor import BAD, GOOD, NOTE, Finding
from lumiban.system import service_socket
from lumiban.table.resume import newest

UNIT = Path("/usr/lib/systemd/system/lumiban.service")
"""There where the package is installed."""
HARMLESS = (
    *("serve.waits.absent", "serve.waits.opens", "serve.waits.updates", "serve.waits.tests"),
    "table.board-lost",
)
AHEAD_S = 60.0
"""Lead of a journal over now, s, with which it was written by a right clock, or by a wrong one."""


def examine_service(
    state: Path,
    ask: Callable[[Path, Mapping[str, Any]], Mapping[str, Any]] = service_socket.ask,
    *,
    unit: Path = UNIT,
    now_s: Callable[[], float] = time.time,
    own: Path = Path(__file__),
) -> list[Finding]:
    """Findings about the service; none where it neither runs nor is installed.

    No clock is right that says a time before that of our `own` file.
    """
    try:
        status = ask(state, {"do": "status"})
    except service_socket.NoService:
        if not unit.exists():
            return []
        return [Finding("doctor.service.down", BAD, {}, "sudo systemctl restart lumiban")]
    return [*_tables(status), *_clock(Path(str(status["state"])), own, now_s())]


def _tables(status: Mapping[str, Any]) -> Iterator[Finding]:
    yield Finding("doctor.service.up", GOOD, {"tables": len(status["tables"])})
    language = terminal_language()
    for table in status["tables"]:
        why = table.get("why")
        if why and why["id"] not in HARMLESS:
            reason = text(why["id"], language, **why["params"])
            yield Finding("doctor.service.waits", BAD, {"reason": reason}, f"{start_word()} logs")
        if table.get("update"):
            yield Finding("serve.update.asked", NOTE, table["update"])
        if table.get("restarts", 0) > 0:
            params = {"number": table["number"], "times": table["restarts"]}
            yield Finding("doctor.service.restarts", NOTE, params, f"{start_word()} logs")
    for one in status["complaints"]:
        reason = text(one["id"], language, **one["params"])
        yield Finding("doctor.service.settings", NOTE, {"reason": reason})


def _clock(state: Path, own: Path, now_s: float) -> Iterator[Finding]:
    """Finding if this machine's clock is behind games played on it, or behind this version's
    release."""
    try:
        times = [path.stat().st_mtime for path in (own, *newest(state / "journals"))]
    except OSError:
        return
    if max(times) > now_s + AHEAD_S:
        yield Finding("doctor.service.clock", NOTE, {}, "timedatectl")

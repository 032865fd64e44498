"""Limits on one call of somebody's own rules: processor time, and memory on Linux.

A rule that loops or hoards would hold up the whole table. The system's timer and its limit on the
address space end such a call at the line where it is; `registry` tells which line that was.
"""

from __future__ import annotations

import os
import resource
import signal
import threading
import time
from contextlib import suppress
from pathlib import Path
from types import FrameType

LIMIT_S = 5.0
"""Seconds of the processor that a call may take."""
AGAIN_S = 0.5
"""Seconds until a rule that caught the first exception gets another."""
ROOM_BYTES = 512 << 20
"""Memory that a call may add to the process."""
LOOKED_S = 1.0
"""Seconds for which the size of the process is taken as known."""


class TakesTooLong(BaseException):
    """A call of a rule went on too long; no Exception, so that a rule does not catch it."""


class _Limits:
    """The limits of this process, and whether a call is under way."""

    def __init__(self) -> None:
        self.is_on = False
        self._is_ready = False
        self._usual = (resource.RLIM_INFINITY, resource.RLIM_INFINITY)
        self._most = 0
        self._looked_s = -LOOKED_S

    def begin(self) -> bool:
        """Limit the call that begins now; False where one is limited already, or cannot be."""
        if self.is_on or threading.current_thread() is not threading.main_thread():
            return False
        if not self._is_ready:
            signal.signal(signal.SIGVTALRM, self._too_long)
            self._usual = resource.getrlimit(resource.RLIMIT_AS)
            self._is_ready = True
        now_s = time.monotonic()
        if now_s - self._looked_s > LOOKED_S:
            self._looked_s, self._most = now_s, _size() + ROOM_BYTES
        self.is_on = True
        if self._most > ROOM_BYTES:
            self._let(self._most)
        signal.setitimer(signal.ITIMER_VIRTUAL, LIMIT_S, AGAIN_S)
        return True

    def end(self) -> None:
        """Lift the limits after the call."""
        self.is_on = False
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        if self._most > ROOM_BYTES:
            self._let(self._usual[0])

    def _let(self, soft: int) -> None:
        usual, hard = self._usual
        if usual != resource.RLIM_INFINITY:
            soft = min(soft, usual) if soft != resource.RLIM_INFINITY else usual
        with suppress(ValueError, OSError):
            resource.setrlimit(resource.RLIMIT_AS, (soft, hard))

    def _too_long(self, number: int, frame: FrameType | None) -> None:
        if self.is_on:
            raise TakesTooLong(f"it takes more than {LIMIT_S:g} seconds")


def _size() -> int:
    """Bytes of address space of this process; 0 where the system does not tell."""
    try:
        pages = int(Path("/proc/self/statm").read_text("ascii").split()[0])
    except (OSError, ValueError):
        return 0
    return pages * os.sysconf("SC_PAGESIZE")


LIMITS = _Limits()
"""Those of this process."""

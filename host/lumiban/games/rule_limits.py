"""Limits on one call of a user's own rules: time that it works or waits, and memory on Linux.

A rule that loops, waits or hoards would hold up the whole table. The system's timers and its limit
on the address space end such a call at the line where it is; `registry` tells which line that was.

A call that is one long step of C (`sum(range(10**13))`) hears no exception. There the process ends,
after its line was written into a note in the state folder. The next process finds the note
(`registry.read_notes`), and asks that rule nothing more until its file has changed.
"""

from __future__ import annotations

import atexit
import faulthandler
import os
import resource
import signal
import sys
import threading
import time
from contextlib import suppress
from pathlib import Path
from types import FrameType
from typing import IO, Any, NoReturn

LIMIT_S = 3.0
"""Seconds that a call may work, or wait."""
LOOKS = 6
"""Looks at a call within `LIMIT_S`."""
NOTE = "rules-stopped-"
"""Begins the name of a process's note, before its number."""
SET = "set\n"
"""Begins the note of a process whose table was set."""
AGAIN, AGAIN_S = 2, 0.5
"""Exceptions for a call that catches the first one, and seconds between them."""
HARD_S = 0.5
"""Seconds of the processor after which a call that hears no exception ends with its process."""
ROOM_BYTES = 512 << 20
"""Memory that a call may add to the process."""
LOOKED_S = 1.0
"""Seconds for which the size of the process is taken as known."""
_ITS_ENDS = ("begin", "end", "__enter__", "__exit__")
"""Functions in which a call is ended anyway."""
DEADLY = signal.SIGVTALRM
"""The signal by which a process ends whose rule does not return."""


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
        self._worked_s = self._ran_s = 0.0
        self._idle = self._raised = 0
        self._handler: Any = signal.SIG_DFL
        self._alarm = (0.0, 0.0)
        self._began_s = 0.0
        self.folder: Path | None = None
        """Folder for the note of this process, where it is to leave one."""
        self.is_set = False
        """A table is set: it can be so with these rules."""
        self._note: IO[str] | None = None

    def begin(self) -> bool:
        """Limit the call that begins now; False where one is limited already, or cannot be."""
        if self.is_on or threading.current_thread() is not threading.main_thread():
            return False
        if not self._is_ready:
            self._be_ready()
        now_s = time.monotonic()
        if now_s - self._looked_s > LOOKED_S:
            self._looked_s, self._most = now_s, _size() + ROOM_BYTES
        self.is_on = True
        self._worked_s, self._ran_s = time.thread_time(), 0.0
        self._idle = self._raised = 0
        if self._most > ROOM_BYTES:
            self._let(self._most)
        signal.setitimer(signal.ITIMER_VIRTUAL, LIMIT_S + HARD_S)
        # The clock may be another's: a test's, a script's.
        self._handler = signal.signal(signal.SIGALRM, self._looked)
        self._alarm = signal.setitimer(signal.ITIMER_REAL, LIMIT_S / LOOKS, LIMIT_S / LOOKS)
        self._began_s = now_s
        return True

    def end(self) -> None:
        """Lift the limits after the call."""
        self.is_on = False
        left_s, again_s = self._alarm
        if left_s:
            left_s = max(0.001, left_s - (time.monotonic() - self._began_s))
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, self._handler)
        signal.setitimer(signal.ITIMER_REAL, left_s, again_s)
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        if self._most > ROOM_BYTES:
            self._let(self._usual[0])

    def note(self) -> None:
        """Begin the note of this process, if it is to leave one: for the lines of a call that ends
        it, below a word once a table is set."""
        with suppress(OSError):
            if self._note is None and self.folder is not None:
                path = self.folder / f"{NOTE}{os.getpid()}.txt"
                self._note = path.open("w", encoding="utf-8")
                atexit.register(path.unlink, missing_ok=True)  # at an end that is no sudden one
                self._hear()
            if self._note is not None and self.is_set and not self._note.tell():
                self._note.write(SET)
                self._note.flush()

    def _be_ready(self) -> None:
        self._usual = resource.getrlimit(resource.RLIMIT_AS)
        self._hear()
        os._exit = _exit
        self._is_ready = True

    def _hear(self) -> None:
        # After the note comes what the signal does by itself: it ends the process.
        with suppress(OSError, ValueError, RuntimeError, AttributeError):  # no stderr to write on
            faulthandler.unregister(DEADLY)
            signal.signal(DEADLY, signal.SIG_DFL)
            file = self._note or sys.stderr
            faulthandler.register(DEADLY, file, all_threads=False, chain=True)
            if self._note is not None:
                faulthandler.enable(self._note, all_threads=False)

    def _let(self, soft: int) -> None:
        usual, hard = self._usual
        if usual != resource.RLIM_INFINITY:
            soft = min(soft, usual) if soft != resource.RLIM_INFINITY else usual
        with suppress(ValueError, OSError):
            resource.setrlimit(resource.RLIMIT_AS, (soft, hard))

    def _looked(self, number: int, frame: FrameType | None) -> None:
        """Look at the call that is under way: end it after `LIMIT_S` of work or of sleep. While it
        waits for a core, or the whole machine sleeps, it has no chance to return."""
        if not self.is_on or (frame is not None and frame.f_code.co_name in _ITS_ENDS):
            return
        worked_s = time.thread_time()
        # A look is one of sleep if it had the core, or waited for it, for less than half of it.
        ran_s = worked_s + _queued_s()
        self._idle += ran_s - self._ran_s < LIMIT_S / LOOKS / 2
        self._ran_s = ran_s
        works = worked_s - self._worked_s >= 0.95 * LIMIT_S
        if not works and self._idle < LOOKS:
            return
        self._raised += 1
        if self._raised > AGAIN:
            signal.raise_signal(DEADLY)
        signal.setitimer(signal.ITIMER_REAL, AGAIN_S, AGAIN_S)
        does = "takes" if works else "waits"
        raise TakesTooLong(f"it {does} more than {LIMIT_S:g} seconds")


_end_process = os._exit


def _exit(status: int) -> NoReturn:
    """`os._exit`, which no rule calls: a table would be gone without a word."""
    if LIMITS.is_on:
        raise TakesTooLong("it ends the program")
    _end_process(status)


def _queued_s() -> float:
    """Seconds that this thread has waited for a core; 0 where the system does not tell."""
    with suppress(OSError, ValueError, IndexError):
        return int(Path("/proc/thread-self/schedstat").read_text("ascii").split()[1]) / 1e9
    return 0.0


def _size() -> int:
    """Bytes of address space of this process; 0 where the system does not tell."""
    try:
        pages = int(Path("/proc/self/statm").read_text("ascii").split()[0])
    except (OSError, ValueError):
        return 0
    return pages * os.sysconf("SC_PAGESIZE")


LIMITS = _Limits()
"""Those of this process."""

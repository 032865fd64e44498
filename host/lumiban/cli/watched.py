"""A command that runs a player's own rules goes on in a process beside this one.

A rule may end its process: by a step of C that never returns (`rule_limits`), or by a crash of a
library. Here that is told with the line, and a table is set up again, with every stone that was
told.
"""

from __future__ import annotations

import ctypes
import os
import signal
import sys
from contextlib import suppress

from lumiban.errors import LumibanError
from lumiban.games import registry
from lumiban.games.rule_limits import LIMITS
from lumiban.i18n import terminal_language, text
from lumiban.system.paths import made, state_folder

_PASSED_ON = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
_BY_TERMINAL = 0x80
"""`si_code` of a signal that all programs before a terminal get by themselves."""


def watch(words: list[str]) -> None:
    """Go on in a process of its own; this one ends with its exit code, or says what ended it."""
    state = None
    with suppress(LumibanError, OSError, RuntimeError):  # of which the command itself tells
        state = made(state_folder())
    watcher = os.getpid()
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGCHLD, *_PASSED_ON})
    while pid := os.fork():
        code = _end_of(pid)
        if code >= 0:
            sys.exit(code)
        if -code in (*_PASSED_ON, signal.SIGKILL):
            sys.exit(128 - code)
        faults = registry.read_notes(state) if state else []
        if words[0] == "play" and faults:
            continue  # the table stands still, or says that it cannot
        how = text("cli.watched.ended", terminal_language(), how=signal.Signals(-code).name)
        checks = words[:2] == ["games", "check"]
        out = sys.stdout if checks else sys.stderr
        print("BROKEN " if checks else "lumiban:", faults[0] if faults else how, file=out)
        sys.exit(1)
    signal.pthread_sigmask(signal.SIG_SETMASK, before)
    LIMITS.folder = state
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(1, int(signal.SIGTERM))  # PR_SET_PDEATHSIG
    if os.getppid() != watcher:
        os.kill(os.getpid(), signal.SIGTERM)


def _end_of(pid: int) -> int:
    """Its exit code, or minus the number of the signal by which it ended."""
    while True:
        came = signal.sigwaitinfo({signal.SIGCHLD, *_PASSED_ON})
        if came.si_signo != signal.SIGCHLD:
            if came.si_code != _BY_TERMINAL:
                os.kill(pid, came.si_signo)
            continue
        ended, status = os.waitpid(pid, os.WNOHANG)
        if ended:
            return os.waitstatus_to_exitcode(status)

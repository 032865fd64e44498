"""A command that runs somebody's own rules, as a process beside this one.

A rule may end its process: by a step of C that never returns (`rule_limits`), or by a crash of a
library. Here that is told with the line, and a table is set anew, with every stone that was told.
"""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Iterator, Sequence
from contextlib import suppress

from lumiban.errors import LumibanError
from lumiban.games import gate, registry
from lumiban.games.rule_limits import Note
from lumiban.i18n import terminal_language, text
from lumiban.invocation import start_word
from lumiban.system.child import python
from lumiban.system.paths import made, state_folder

WATCHED = "LUMIBAN_WATCHED"
"""Environment variable of the process beside: the number of this one, with which it ends."""
_PASSED_ON = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
_BY_TERMINAL = 0x80
"""`si_code` of a signal that all programs before a terminal get by themselves."""


def is_to_be_watched(words: Sequence[str]) -> bool:
    """True if a command line may run rules of somebody's own, and nobody watches it yet."""
    return WATCHED not in os.environ and words[:1] != ["new-game"] and bool(_rules(words))


def watch(words: Sequence[str]) -> int:
    """Run a command in a process beside this one; its exit code, once it has ended."""
    while True:
        code = _run(words)
        if code >= 0:
            return code
        if -code in (*_PASSED_ON, signal.SIGKILL):
            return 128 - code
        fault = _fault(words)
        if words[0] == "play" and fault is not None:
            continue  # the table stands still, or says that it cannot
        how = text("cli.watched.ended", terminal_language(), how=_name(-code))
        _say(words, str(fault or how))
        return 1


def be_watched(words: Sequence[str]) -> None:
    """Let this process end with the one that watches it, which finds what a rule did last."""
    import ctypes

    if WATCHED not in os.environ:
        return
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(1, int(signal.SIGTERM))  # PR_SET_PDEATHSIG
    if os.getppid() != int(os.environ[WATCHED]):
        os.kill(os.getpid(), signal.SIGTERM)
    if words[0] != "play":  # a table looks itself what is noted
        for note in _notes(words):
            with suppress(OSError):
                note.begin()


def _rules(words: Sequence[str]) -> list[str]:
    return [word for word in words if gate.is_file(word)]


def _run(words: Sequence[str]) -> int:
    """Its exit code, or minus the number of the signal by which it ended."""
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGCHLD, *_PASSED_ON})
    try:
        line = python("lumiban", *words)
        told = {**os.environ, WATCHED: str(os.getpid()), "LUMIBAN_RUN": start_word()}
        pid = os.posix_spawn(line[0], line, told, setsigmask=before)
        while True:
            came = signal.sigwaitinfo({signal.SIGCHLD, *_PASSED_ON})
            if came.si_signo != signal.SIGCHLD:
                if came.si_code != _BY_TERMINAL:
                    os.kill(pid, came.si_signo)
                continue
            ended, status = os.waitpid(pid, os.WNOHANG)
            if ended:
                return os.waitstatus_to_exitcode(status)
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _fault(words: Sequence[str]) -> LumibanError | None:
    """The rule by which the process has ended."""
    for note in _notes(words):
        if (fault := registry.stopped(note)) is not None:
            if words[0] != "play":
                note.remove()
            return fault
    return None


def _notes(words: Sequence[str]) -> Iterator[Note]:
    for file in _rules(words):
        # What hinders it the command itself says.
        with suppress(LumibanError, OSError, RuntimeError):
            yield registry.noted(made(state_folder()), file)


def _say(words: Sequence[str], reason: str) -> None:
    if list(words[:2]) == ["games", "check"]:
        print(f"BROKEN  {reason}", flush=True)
    else:
        print(f"lumiban: {reason}", file=sys.stderr)


def _name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return str(number)

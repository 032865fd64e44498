"""Entry point of a bot's search process and of its compiling twin, before any slow import.

Run as `python -m lumiban.search.process_start`, with `--twin` for the one that compiles; what the
two do stands in `worker_process`. Begun one after the other, the twin had to wait for all that the
front imports: a tenth of a second on a machine at rest.
"""

from __future__ import annotations

import os
import signal
import sys

from lumiban.search import machine
from lumiban.search.machine import available

TYPE_CHECKING = False  # as in `typing`, whose import the twin would have to wait for
if TYPE_CHECKING:
    import subprocess

_POLITE, _COMPILING = 5, 10
"""Niceness of the front and of its twin: when cores are few the table's own process comes first,
then the first answer, then what compiles."""


def spawn(*arguments: str) -> subprocess.Popen[bytes]:
    """A new thinking process with private pipes; it inherits no other file or socket."""
    import subprocess  # the twin, which spawns nothing, starts without it

    return subprocess.Popen(
        [sys.executable, "-m", "lumiban.search.process_start", *arguments],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=None if os.environ.get("LUMIBAN_DEBUG") else subprocess.DEVNULL,
        close_fds=True,
    )


def main(arguments: list[str]) -> None:
    """Run as front, or with `--twin` as the one that compiles."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the owner, whose end ends us
    machine.tune_gc()
    is_twin = "--twin" in arguments
    twin = spawn("--twin") if not is_twin and available() else None
    os.nice(_COMPILING if is_twin else _POLITE)
    out_fd = os.dup(1)
    os.dup2(2, 1)  # a game that prints must not garble the messages
    from lumiban.search.worker_process import CompiledWorker, InterpreterWorker, SearchWorker

    source = sys.stdin.buffer
    thinker: SearchWorker
    if is_twin:
        thinker = CompiledWorker(source, out_fd)
    else:
        thinker = InterpreterWorker(source, out_fd, twin, begin_twin=lambda: spawn("--twin"))
        machine.freeze_gc()  # the twin may have its compiler before it
    thinker.run()


if __name__ == "__main__":
    main(sys.argv[1:])

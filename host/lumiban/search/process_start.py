"""Entry point of a bot's search process, before any slow import.

Run as `python -m lumiban.search.process_start`; what it does stands in `worker_process`.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys

from lumiban.search import own_process

_POLITE = 5
"""Niceness: when cores are few the table's own process comes first, then the answer, then what
compiles (`precompile`)."""


def spawn() -> subprocess.Popen[bytes]:
    """A new thinking process with private pipes; it inherits no other file or socket."""
    return subprocess.Popen(
        [sys.executable, "-m", "lumiban.search.process_start"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=None if os.environ.get("LUMIBAN_DEBUG") else subprocess.DEVNULL,
        close_fds=True,
    )


def main() -> None:
    """Answer questions until the owner is gone."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the owner, whose end ends us
    own_process.tune_gc()
    os.nice(_POLITE)
    out_fd = os.dup(1)
    os.dup2(2, 1)  # a game that prints must not garble the messages
    from lumiban.search.worker_process import SearchWorker

    thinker = SearchWorker(sys.stdin.buffer, out_fd)
    own_process.freeze_gc()
    thinker.run()


if __name__ == "__main__":
    main()

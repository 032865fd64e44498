"""Entry point of a bot's search process, before any slow import.

Run as `python -m lumiban.search.process_start`; what it does stands in `worker_process`.
"""

from __future__ import annotations

import os
import signal
import stat
import subprocess
import sys
import threading

from lumiban.search import machine

_POLITE = 5
"""Niceness: when cores are few the table's own process comes first, then the answer, then what
compiles (`warm`)."""


def spawn() -> subprocess.Popen[bytes]:
    """A new thinking process with private pipes; it inherits no other file or socket."""
    return subprocess.Popen(
        [sys.executable, "-m", "lumiban.search.process_start"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=None if os.environ.get("LUMIBAN_DEBUG") else subprocess.DEVNULL,
        close_fds=True,
    )


def end_with_owner() -> None:
    """End this process when the pipe that is its stdin ends: whoever wanted its work is gone.

    Nothing where stdin is no pipe.
    """
    if not stat.S_ISFIFO(os.fstat(0).st_mode):
        return

    def wait() -> None:
        # Not by sys.stdin: its lock would be held while the interpreter ends.
        while os.read(0, 1):
            pass
        os._exit(1)

    threading.Thread(target=wait, daemon=True).start()


def main() -> None:
    """Answer questions until the owner is gone."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the owner, whose end ends us
    machine.tune_gc()
    os.nice(_POLITE)
    out_fd = os.dup(1)
    os.dup2(2, 1)  # a game that prints must not garble the messages
    from lumiban.search.worker_process import SearchWorker

    thinker = SearchWorker(sys.stdin.buffer, out_fd)
    machine.freeze_gc()
    thinker.run()


if __name__ == "__main__":
    main()

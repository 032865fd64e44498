"""Entry point of a bot's search process, before any slow import.

Run as `python -m lumiban.search.process_start`; what it does stands in `worker_process`.
"""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Callable

from lumiban.search import own_process
from lumiban.search.worker_messages import Message, message_of
from lumiban.system.child import Child, python

_POLITE = 5
"""Niceness: when cores are few the table's own process comes first, then the answer, then what
compiles (`precompile`)."""


def spawn(heard: Callable[[Message | None], object]) -> Child[Message]:
    """Begin a thinking process; `heard` gets what it tells, and None at its end."""
    return Child(python("lumiban.search.process_start"), on_message=heard, read=message_of)


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

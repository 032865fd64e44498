"""Processes that work for another one end with it, however it ends."""

from __future__ import annotations

import os
import signal
import threading
from contextlib import suppress
from multiprocessing import parent_process


def serve() -> None:
    """What a process does first that works for the one which began it.

    Ctrl-C reaches both: it is for the owner. An owner that was terminated or killed says nothing
    any more, and whoever waits for its next task would wait for ever.
    """
    with suppress(ValueError):
        signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_end_with_owner, daemon=True).start()


def _end_with_owner() -> None:
    owner = parent_process()
    if owner is not None:
        owner.join()
        os._exit(1)

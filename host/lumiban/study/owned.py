"""Processes that work for another one end with it, however it ends."""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from multiprocessing import parent_process


@contextmanager
def tidily() -> Iterator[None]:
    """While others work for this process a SIGTERM or SIGHUP ends it as Ctrl-C does, step by step
    from within, so that they are ended and give back what the system lent them."""

    def end(number: int, frame: object) -> None:
        raise SystemExit(128 + number)

    if threading.current_thread() is not threading.main_thread():
        yield
        return
    names = [name for name in (signal.SIGTERM, signal.SIGHUP) if signal.getsignal(name) is not None]
    before = {name: signal.signal(name, end) for name in names}
    try:
        yield
    finally:
        for name, handler in before.items():
            signal.signal(name, handler)


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

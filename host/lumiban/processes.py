"""Processes of this machine that work for this one, and end with it however it ends.

What is under way when the work is broken off is given up: nobody waits for it, and nothing that the
system lent is left behind.
"""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager, suppress
from multiprocessing import get_context, parent_process
from typing import Any


def cores() -> int:
    """How many processes can work at once on this machine."""
    return os.cpu_count() or 1


@contextmanager
def pool(jobs: int) -> Iterator[ProcessPoolExecutor]:
    """So many processes, begun as they are needed; an exception ends them in mid-task."""
    with tidily():
        some = ProcessPoolExecutor(jobs, mp_context=get_context("spawn"), initializer=_serve)
        try:
            yield some
        except BaseException:
            for process in list((some._processes or {}).values()):
                process.terminate()
            raise
        finally:
            some.shutdown(cancel_futures=True)


@contextmanager
def mapping(jobs: int) -> Iterator[Callable[..., Iterable[Any]]]:
    """A `map` over so many processes; over none for one job.

    >>> with mapping(1) as run:
    ...     list(run(abs, [-1, 2]))
    [1, 2]
    """
    if jobs <= 1:
        yield map
        return
    with pool(jobs) as some:
        yield some.map


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


def _serve() -> None:
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

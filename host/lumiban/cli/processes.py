"""Long measurements on all cores, without leaving processes behind when they are stopped."""

from __future__ import annotations

import signal
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from multiprocessing import get_context
from typing import Any


@contextmanager
def pool(jobs: int) -> Iterator[Callable[..., Iterable[Any]]]:
    """A `map` over so many processes; over none for one job.

    >>> with pool(1) as run:
    ...     list(run(abs, [-1, 2]))
    [1, 2]
    """
    if jobs == 1:
        yield map
        return
    # A terminal's Ctrl-C reaches all of them: the first process alone answers it.
    many = ProcessPoolExecutor(
        jobs,
        mp_context=get_context("spawn"),
        initializer=signal.signal,
        initargs=(signal.SIGINT, signal.SIG_IGN),
    )
    try:
        yield many.map
    finally:
        many.shutdown(cancel_futures=True)

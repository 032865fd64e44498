"""Long measurements on all cores, without leaving processes behind when they are stopped."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from multiprocessing import get_context
from typing import Any

from lumiban.study.owned import serve


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
    many = ProcessPoolExecutor(jobs, mp_context=get_context("spawn"), initializer=serve)
    try:
        yield many.map
    finally:
        many.shutdown(cancel_futures=True)

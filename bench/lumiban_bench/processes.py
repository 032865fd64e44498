"""Long measurements on all cores, without leaving processes behind when they are stopped."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from multiprocessing import active_children, get_context
from typing import Any

from lumiban.study.match import serve, tidily


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
    with tidily():
        many = ProcessPoolExecutor(jobs, mp_context=get_context("spawn"), initializer=serve)
        try:
            yield many.map
        except SystemExit:  # whoever ends us does not wait for what is being measured
            for process in active_children():
                process.terminate()
            raise
        finally:
            many.shutdown(cancel_futures=True)

"""The life of a program from its first await to its last: a stop ends it wherever it is."""

from __future__ import annotations

import asyncio
import signal
from collections.abc import Iterator
from contextlib import contextmanager

SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
"""What ends a program: Ctrl-C, a request, the end of its terminal."""


class Lifetime:
    """Life of the task that makes this: `end` cancels what it awaits.

    What is put away in `closing` is put away whole: a stop that comes meanwhile counts after it.

    >>> async def program() -> list[str]:
    ...     said = []
    ...     with ended_by_signals() as life:
    ...         with life.closing():
    ...             life.end()
    ...             await asyncio.sleep(0)
    ...             said.append("closed")
    ...         said.append("went on")
    ...     return said
    >>> asyncio.run(program())
    ['closed']
    """

    def __init__(self) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._task = task
        self._closings = 0
        self.is_over = False

    def end(self) -> None:
        """Stop: once is enough."""
        if not self.is_over:
            self.is_over = True
            if not self._closings:
                self._task.cancel()

    @contextmanager
    def closing(self) -> Iterator[None]:
        """What is done here is done to its end."""
        self._closings += 1
        try:
            yield
        finally:
            self._closings -= 1
        if self.is_over:
            raise asyncio.CancelledError


@contextmanager
def ended_by_signals() -> Iterator[Lifetime]:
    """The life of a program that signals end; it leaves this block then, all put away."""
    loop, life = asyncio.get_running_loop(), Lifetime()
    for name in SIGNALS:
        loop.add_signal_handler(name, life.end)
    try:
        yield life
    except asyncio.CancelledError:
        if not life.is_over:
            raise
    finally:
        for name in SIGNALS:
            loop.remove_signal_handler(name)

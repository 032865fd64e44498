"""Processes of this machine that work for this one, and end with it however it ends.

What is under way when the work is broken off is given up: nobody waits for it, and nothing that the
system lent is left behind.
"""

from __future__ import annotations

import os
import pickle
import signal
import threading
import traceback
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Executor, Future, ThreadPoolExecutor
from contextlib import contextmanager, suppress
from multiprocessing import get_context, parent_process
from multiprocessing.connection import Connection
from typing import Any, ParamSpec, TypeVar

P = ParamSpec("P")
T = TypeVar("T")

MAX_DEATHS = 5
"""Processes that may die over one task: of a sixth the task itself is the cause."""

_SPAWN = get_context("spawn")


class WorkersDied(Exception):
    """Every process that was given this task died; the last death is the cause."""


def cores() -> int:
    """Number of processes that can work at once on this machine."""
    return os.cpu_count() or 1


class _Pool(ThreadPoolExecutor):
    """Threads with a process each, reached by a pipe that no other process has.

    A process may die at any moment, in the middle of a word too: its pipe ends, its thread begins
    another one and gives it the same task. What the standard library's processes share, one queue
    and its lock, a killed one can take along for ever.
    """

    def __init__(self, jobs: int) -> None:
        super().__init__(jobs)
        self._own = threading.local()
        self._beginning = threading.Lock()
        self._begun: list[tuple[Any, Connection]] = []
        self._is_over = False

    def submit(self, fn: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> Future[T]:
        """Have a process do this; WorkersDied where none lives to its end."""
        return super().submit(self._have_done, fn, args, kwargs)

    def _have_done(self, fn: Callable[..., T], args: Any, kwargs: Any) -> T:
        """Done by this thread's process, or by those that follow it."""
        death: Exception | None = None
        for _ in range(MAX_DEATHS + 1):
            try:
                line = getattr(self._own, "line", None) or self._begin()
                self._own.line = line
                line.send((fn, args, kwargs))
                is_done, answer = line.recv()
            except (EOFError, OSError) as reason:
                self._own.line, death = None, reason
                if self._is_over:
                    break
                continue
            if is_done:
                return answer  # type: ignore[no-any-return]
            raise answer
        raise WorkersDied from death

    def _begin(self) -> Connection:
        """A new process, by its pipe; BrokenPipeError where it died at once, or all is over."""
        with self._beginning:
            if self._is_over:
                raise BrokenPipeError("nobody waits for an answer any more")
            ours, theirs = _SPAWN.Pipe()
            process = _SPAWN.Process(target=_serve, args=(theirs,))
            with theirs, _imports_ours():  # its end is at its end when the process is
                process.start()
            self._begun.append((process, ours))
            return ours

    def end(self) -> None:
        """End every process, in mid-task too, and wait until all are gone."""
        with self._beginning:
            self._is_over = True
            for process, _ in self._begun:
                process.terminate()
                with suppress(ProcessLookupError):
                    os.kill(process.pid, signal.SIGCONT)  # one that was stopped cannot end
        self.shutdown(cancel_futures=True)
        for process, line in self._begun:
            process.join()
            line.close()


@contextmanager
def pool(jobs: int) -> Iterator[Executor]:
    """A pool of `jobs` processes, begun as they are needed; the end of the block ends them."""
    with tidily():
        some = _Pool(jobs)
        try:
            yield some
        finally:
            some.end()


@contextmanager
def mapping(jobs: int) -> Iterator[Callable[..., Iterable[Any]]]:
    """A `map` over `jobs` processes; over none for one job.

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


@contextmanager
def _imports_ours() -> Iterator[None]:
    """Let a Python that begins import nothing from the folder in which somebody stands, as
    `child.python` does: before it knows our path it has one of its own."""
    before = os.environ.get("PYTHONSAFEPATH")
    os.environ["PYTHONSAFEPATH"] = "1"
    try:
        yield
    finally:
        if before is None:
            del os.environ["PYTHONSAFEPATH"]


def _serve(line: Connection) -> None:
    """Do what comes by the line, answer by it, and end with it.

    Ctrl-C reaches both: it is for the owner. An owner that was terminated or killed in mid-task
    says nothing any more, and nobody would wait for the answer.
    """
    with suppress(ValueError):
        signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_end_with_owner, daemon=True).start()
    while True:
        try:
            task = line.recv_bytes()
        except (EOFError, OSError):
            return
        line.send_bytes(_done(task))


def _done(task: bytes) -> bytes:
    """The answer to a task, or what was raised in its place, with where it came from."""
    try:
        fn, args, kwargs = pickle.loads(task)
        return pickle.dumps((True, fn(*args, **kwargs)))
    except Exception as error:  # noqa: BLE001  # whatever a task raises is raised at its owner's
        error.add_note(traceback.format_exc())
        return pickle.dumps((False, error))


def _end_with_owner() -> None:
    owner = parent_process()
    if owner is not None:
        owner.join()
        os._exit(1)

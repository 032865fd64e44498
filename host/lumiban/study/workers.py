"""Processes that play the games of a study: this one, others of this machine, or a Dask cluster.

All three take a function and its argument and give an answer for each, in whatever order answers
come. A process that dies, or a machine that is lost, costs the time of its task and nothing else:
somebody else does it again.
"""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import FIRST_COMPLETED, Executor, Future, wait
from contextlib import closing, contextmanager
from typing import Any, Generic, Protocol, TypeVar

from lumiban.errors import UsageError
from lumiban.system.worker_pool import MAX_DEATHS, WorkersDied, pool, tidily

T = TypeVar("T")
R = TypeVar("R")
Answer = TypeVar("Answer", covariant=True)

PATIENCE_S = 10
"""So long a scheduler may take to answer."""


class Workers(Protocol[T, Answer]):
    """Interface of the players: answers come by `answer`, a task each, as they are done."""

    @property
    def at_once(self) -> int:
        """Number of tasks that should be under way so that nobody waits."""
        ...

    def give(self, task: T) -> None:
        """Have a task done."""
        ...

    def answer(self) -> tuple[T, Answer]:
        """Wait for a task that is done; UsageError when nobody can do any."""
        ...


class InProcessWorker(Generic[T, R]):
    """This process; a task is done when its answer is asked for."""

    at_once = 1

    def __init__(self, do: Callable[[T], R]) -> None:
        self._do = do
        self._tasks: deque[T] = deque()

    def give(self, task: T) -> None:
        """Have a task done."""
        self._tasks.append(task)

    def answer(self) -> tuple[T, R]:
        """The next task and its answer."""
        task = self._tasks.popleft()
        return task, self._do(task)


class LocalProcesses(Generic[T, R]):
    """Processes of this machine, those of a pool."""

    def __init__(self, do: Callable[[T], R], jobs: int, pool: Executor) -> None:
        self._do = do
        self._jobs = jobs
        self._pool = pool
        self._under_way: dict[Future[R], T] = {}

    @property
    def at_once(self) -> int:
        """One for each process, and one that waits for it."""
        return 2 * self._jobs

    def give(self, task: T) -> None:
        """Have a task done."""
        self._under_way[self._pool.submit(self._do, task)] = task

    def answer(self) -> tuple[T, R]:
        """The next task that is done, and its answer."""
        done, _ = wait(self._under_way, return_when=FIRST_COMPLETED)
        future = next(iter(done))
        task = self._under_way.pop(future)
        try:
            return task, future.result()
        except WorkersDied:
            raise UsageError(
                f"processes died {MAX_DEATHS + 1} times over the same games (out of memory?); "
                "give fewer --jobs, what was played is kept"
            ) from None


_alone = threading.Lock()


def _do_alone(do: Callable[[T], R], task: T) -> R:
    """Do a task on a worker: rules and searches are for one thread, and it may have several."""
    with _alone:
        return do(task)


class DaskCluster(Generic[T, R]):
    """The workers of a Dask cluster (dask.distributed).

    A task of a worker that is lost is done by another one. UsageError when the scheduler does not
    answer, when it has no worker, or when a worker has several threads, of which all but one would
    wait.
    """

    def __init__(self, do: Callable[[T], R], address: str) -> None:
        try:
            from distributed import Client, as_completed
        except ImportError:
            raise UsageError("--cluster needs dask.distributed: install lumiban[cluster]") from None
        try:
            self._client = Client(address, timeout=PATIENCE_S, set_as_default=False)
        except (OSError, ValueError, TimeoutError) as reason:
            raise UsageError(
                f"no Dask scheduler answers at {address}: {str(reason).splitlines()[0]}"
            ) from None
        self._do = do
        self._done = as_completed(loop=self._client.loop)
        self._tasks: dict[Any, T] = {}
        threads = self._client.nthreads()
        self._workers = len(threads)
        try:
            if not threads:
                raise UsageError(f"the Dask scheduler at {address} has no worker: start one there")
            for worker, count in threads.items():
                if count > 1:
                    raise UsageError(
                        f"the Dask worker {worker} has {count} threads, and a game needs a process "
                        "of its own: start it with --nworkers -1 --nthreads 1"
                    )
        except UsageError:
            self.close()
            raise

    @property
    def at_once(self) -> int:
        """One for each worker, and one that waits for it."""
        return 2 * self._workers

    def give(self, task: T) -> None:
        """Have a task done."""
        future = self._client.submit(_do_alone, self._do, task, pure=False, retries=MAX_DEATHS)
        self._tasks[future.key] = task
        self._done.add(future)

    def answer(self) -> tuple[T, R]:
        """The next task that is done, and its answer."""
        future = next(self._done)
        task = self._tasks.pop(future.key)
        try:
            answer: R = future.result()
        except Exception as error:  # noqa: BLE001  # whatever a worker on another machine raises
            raise UsageError(f"a worker of the cluster failed: {error!r}") from None
        future.release()
        return task, answer

    def close(self) -> None:
        """Leave the cluster; what is under way there is given up."""
        self._client.close()


@contextmanager
def workers(do: Callable[[T], R], jobs: int, cluster: str | None) -> Iterator[Workers[T, R]]:
    """Those that were asked for: a cluster's, `jobs` processes, or this one.

    >>> with workers(abs, 1, None) as some:
    ...     some.give(-3)
    ...     some.answer()
    (-3, 3)
    """
    if cluster is not None:
        with tidily(), closing(DaskCluster(do, cluster)) as far:
            yield far
    elif jobs > 1:
        with pool(jobs) as some:
            yield LocalProcesses(do, jobs, some)
    else:
        yield InProcessWorker(do)

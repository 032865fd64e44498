"""Who plays the games of a study: this process, processes of this machine, or a Dask cluster.

All three take a function and its argument and give an answer for each, in whatever order answers
come. A process that dies, or a machine that is lost, costs the time of its task and nothing else:
somebody else does it again.
"""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from contextlib import ExitStack, closing, contextmanager
from typing import Any, Generic, Protocol, TypeVar

from lumiban.errors import UsageError
from lumiban.processes import pool, tidily

T = TypeVar("T")
R = TypeVar("R")
Answer = TypeVar("Answer", covariant=True)

MOST_DEATHS = 5
"""So often in a row a pool is begun anew: then it is the chunk that kills its processes."""

PATIENCE_S = 10
"""So long a scheduler may take to answer."""


class Workers(Protocol[T, Answer]):
    """What plays: answers come by `answer`, a task each, as they are done."""

    @property
    def at_once(self) -> int:
        """How many tasks should be under way so that nobody waits."""
        ...

    def give(self, task: T) -> None:
        """Have a task done."""
        ...

    def answer(self) -> tuple[T, Answer]:
        """Wait for a task that is done; UsageError when nobody can do any."""
        ...


class Here(Generic[T, R]):
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
    """So many processes of this machine, of a pool that `begin` begins."""

    def __init__(
        self, do: Callable[[T], R], jobs: int, begin: Callable[[], ProcessPoolExecutor]
    ) -> None:
        self._do = do
        self._jobs = jobs
        self._begin = begin
        self._pool = begin()
        self._under_way: dict[Future[R], T] = {}
        self._deaths = 0

    @property
    def at_once(self) -> int:
        """One for each process, and one that waits for it."""
        return 2 * self._jobs

    def give(self, task: T) -> None:
        """Have a task done."""
        try:
            self._under_way[self._pool.submit(self._do, task)] = task
        except BrokenProcessPool:
            self._again([task])

    def answer(self) -> tuple[T, R]:
        """The next task that is done, and its answer."""
        while True:
            done, _ = wait(self._under_way, return_when=FIRST_COMPLETED)
            future = next(iter(done))
            task = self._under_way.pop(future)
            try:
                answer = future.result()
            except BrokenProcessPool:
                self._again([task])
                continue
            self._deaths = 0
            return task, answer

    def _again(self, tasks: list[T]) -> None:
        """A process died, and the pool with it: what it had is given to a new one."""
        self._deaths += 1
        if self._deaths > MOST_DEATHS:
            raise UsageError(
                f"processes died {self._deaths} times in a row (out of memory?); "
                "give fewer --jobs, what was played is kept"
            )
        tasks += self._under_way.values()
        self._under_way.clear()
        self._pool.shutdown(wait=True, cancel_futures=True)
        self._pool = self._begin()
        for task in tasks:
            self._under_way[self._pool.submit(self._do, task)] = task


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
        future = self._client.submit(_do_alone, self._do, task, pure=False, retries=MOST_DEATHS)
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
        with ExitStack() as pools:
            yield LocalProcesses(do, jobs, lambda: pools.enter_context(pool(jobs)))
    else:
        yield Here(do)

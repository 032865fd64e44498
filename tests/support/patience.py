"""Waiting that no load makes fail: a limit counts only time in which nothing had work to do.

A wait by the clock fails where other programs have the cores. Here a wait ends when this process
and all that it started slept for a minute in sum although they could have run, or when they worked
for many minutes: a true hang, either way. Time in which they ran, waited for a core or for the
disk does not count, nor does time in which the whole machine stood still.
"""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import threading
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Sequence
from contextlib import asynccontextmanager, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

T = TypeVar("T")

TICKS_PER_S = os.sysconf("SC_CLK_TCK") if hasattr(os, "sysconf") else 100
LOOK_S = 1.0
"""Time between two looks; what passes between them counts as so much at most."""
IDLE_S = 60.0
WORK_S = 900.0
GLANCE_S = 0.02
"""How often `until` asks, so that it does not take the core from what it waits for."""


class Hung(AssertionError):
    """What was waited for never comes."""


@dataclass(frozen=True)
class Look:
    """What this process and its descendants have spent so far, each thread for itself."""

    at_s: float
    ran_s: dict[str, float]
    queued_s: dict[str, float]
    """Time ready to run, while another had the core."""
    at_disk: bool = False


def family(pid: int) -> list[Path]:
    """A process and its descendants, as folders of /proc; none where there is no /proc."""
    found: list[Path] = []
    left = [str(pid)]
    while left:
        process = Path("/proc", left.pop())
        with suppress(OSError):  # it may end while it is looked at
            for children in (process / "task").glob("*/children"):
                left += children.read_text().split()
            found.append(process)
    return [process for process in found if process.is_dir()]


def look() -> Look:
    """Look at this process and its descendants; at this one alone where there is no /proc."""
    now = time.monotonic()
    ran: dict[str, float] = {}
    queued: dict[str, float] = {}
    at_disk = False
    for process in family(os.getpid()):
        with suppress(OSError, ValueError):
            fields = (process / "stat").read_text().rpartition(")")[2].split()
            at_disk |= fields[0] == "D"
            # What its ended children spent, of whom nothing else tells any more.
            ran[f"{process.name}/ended"] = (int(fields[13]) + int(fields[14])) / TICKS_PER_S
            for thread in (process / "task").iterdir():
                run_ns, delay_ns, _ = (thread / "schedstat").read_text().split()
                ran[thread.name] = int(run_ns) / 1e9
                queued[thread.name] = int(delay_ns) / 1e9
    return Look(now, ran or {"self": time.process_time()}, queued, at_disk)


def grown(before: dict[str, float], now: dict[str, float]) -> float:
    """By how much the counters have grown; one that began anew is another's."""
    return sum(
        count - before[name] if count >= before.get(name, 0.0) and name in before else count
        for name, count in now.items()
    )


class Patience:
    """Counts what was waited in vain, look by look."""

    def __init__(self, idle_s: float = IDLE_S, work_s: float = WORK_S) -> None:
        self.idle_s, self.work_s = idle_s, work_s
        self.idled_s = self.worked_s = 0.0
        self._last: Look | None = None

    def count(self, now: Look) -> None:
        """Count the time since the look before."""
        last, self._last = self._last, now
        if last is None:
            return
        ran = grown(last.ran_s, now.ran_s)
        passed = min(now.at_s - last.at_s, LOOK_S)
        self.worked_s += ran
        if not now.at_disk:
            self.idled_s += max(0.0, passed - ran - grown(last.queued_s, now.queued_s))

    def renew(self) -> None:
        """Begin anew: what was waited for came, and something else is waited for now."""
        self.idled_s = self.worked_s = 0.0

    @property
    def is_over(self) -> bool:
        """Whether what is waited for never comes."""
        return self.idled_s >= self.idle_s or self.worked_s >= self.work_s

    def __str__(self) -> str:
        return (
            f"what is waited for never comes: all slept for {self.idled_s:.0f} s"
            f" and worked for {self.worked_s:.0f} s"
        )


class _Watcher:
    """One thread looks once a second for all that wait, in real time whatever a loop's time is."""

    def __init__(self) -> None:
        self._waits: dict[Patience, Callable[[], None]] = {}
        self._pid = 0
        self._begun = threading.Event()

    def add(self, patience: Patience, hung: Callable[[], None]) -> None:
        self._waits[patience] = hung
        if self._pid != os.getpid():  # a fork has no threads of its parent
            self._pid = os.getpid()
            threading.Thread(target=self._watch, name="patience", daemon=True).start()
        self._begun.set()

    def remove(self, patience: Patience) -> None:
        self._waits.pop(patience, None)

    def _watch(self) -> None:
        while True:
            if not self._waits:
                self._begun.clear()
                if not self._waits:
                    self._begun.wait()
            now = look()
            for patience in list(self._waits):
                patience.count(now)
                if patience.is_over and (hung := self._waits.pop(patience, None)) is not None:
                    hung()
            time.sleep(LOOK_S)


_WATCHER = _Watcher()


@contextmanager
def watched(hung: Callable[[], None], idle_s: float = IDLE_S) -> Iterator[Patience]:
    """Call `hung` from another thread, once, if what the block waits for never comes."""
    patience = Patience(idle_s)
    _WATCHER.add(patience, hung)
    try:
        yield patience
    finally:
        _WATCHER.remove(patience)


@asynccontextmanager
async def patient(idle_s: float = IDLE_S) -> AsyncIterator[None]:
    """Like `asyncio.timeout`, with patience.

    Raises Hung where the block waits for what never comes.
    """
    loop = asyncio.get_running_loop()
    try:
        async with asyncio.timeout(None) as limit:

            def expire() -> None:
                with suppress(RuntimeError):  # the block came to its end meanwhile
                    limit.reschedule(loop.time())

            def hung() -> None:
                loop.call_soon_threadsafe(expire)

            with watched(hung, idle_s) as patience:
                yield
    except TimeoutError:
        if limit.expired():
            raise Hung(str(patience)) from None
        raise


async def patiently(awaited: Awaitable[T], idle_s: float = IDLE_S) -> T:
    """Like `asyncio.wait_for`, with patience."""
    async with patient(idle_s):
        return await awaited


@contextmanager
def killed_if_hung(process: subprocess.Popen[Any], idle_s: float = IDLE_S) -> Iterator[None]:
    """Kill a process that is waited for in vain, and all that it started.

    Reading from them then comes to its end. Raises Hung at the end of the block where that was so.
    """
    over: list[Patience] = []

    def hung() -> None:
        over.append(patience)
        others = family(process.pid)[1:]
        process.kill()
        for other in others:
            with suppress(ProcessLookupError):
                os.kill(int(other.name), signal.SIGKILL)

    try:
        with watched(hung, idle_s) as patience:
            yield
    finally:
        if over:
            raise Hung(f"{process.args!r}: {patience}")


def finish(process: subprocess.Popen[Any], idle_s: float = IDLE_S) -> tuple[Any, Any]:
    """Like `communicate`, with patience: what the process said to its end, stdout and stderr."""
    with killed_if_hung(process, idle_s):
        return process.communicate()


def line(process: subprocess.Popen[Any]) -> Any:
    """The next line of a process's stdout, waited for with patience."""
    assert process.stdout is not None
    with killed_if_hung(process):
        return process.stdout.readline()


def run(
    words: Sequence[str | Path], *, text: bool = True, **more: Any
) -> subprocess.CompletedProcess[Any]:
    """Like `subprocess.run` with its output captured and its code unchecked, with patience."""
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    given: str | bytes | None = more.pop("input", None)
    if given is not None:
        pipes["stdin"] = subprocess.PIPE
    with subprocess.Popen(words, text=text, **{**pipes, **more}) as process:
        with killed_if_hung(process):
            out, err = process.communicate(given)
        return subprocess.CompletedProcess(words, process.returncode, out, err)


def until(true: Callable[[], object], idle_s: float = IDLE_S, *, every_s: float = GLANCE_S) -> None:
    """Wait until this is true, asked again and again; raises Hung where it never comes. Seldom is
    enough where each question is work for those who are to bring it about."""
    over = threading.Event()
    with watched(over.set, idle_s) as patience:
        while not true():
            if over.wait(every_s):
                raise Hung(str(patience))


def happens(event: threading.Event, idle_s: float = IDLE_S) -> None:
    """Wait for the event, at once when it is there; raises Hung where it never comes."""
    over: list[Patience] = []

    def hung() -> None:
        over.append(patience)
        event.set()

    with watched(hung, idle_s) as patience:
        event.wait()
    if over:
        raise Hung(str(patience))

"""Processes of ours: simulator, page, header's driver, bots, tables; and patience with them.

A limit by the clock takes a busy machine for a dead process. Here only that time counts in which
the process slept although it could have run, and, for one that turns in a circle, what it worked.
While it ran, waited for a core or for the disk, it had no chance to answer.
"""

from __future__ import annotations

import json
import math
import os
import select
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Collection, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from lumiban.system import processes, size_limits

if TYPE_CHECKING:
    import asyncio

Told = TypeVar("Told")

LONGEST = 1 << 20
"""Bytes of a line that a child tells; a longer one is passed over."""
LOOK_S = 0.5
"""Between two looks; of a longer while no more than `STEP_S` counts, as we slept too, or the whole
machine, and heard nothing that it may have said."""
STEP_S = 1.0
NO_CHANCE = "RDTt"
"""States of a thread that runs or waits for a core, waits for the disk, or was stopped."""


class ProcessPatience:
    """Limits of a process: the time that it may sleep, in sum, before it is given up, and the time
    that it may work.

    Without /proc all the time that it lives counts as slept.
    """

    def __init__(
        self,
        pid: int,
        idle_s: float,
        work_s: float,
        *,
        clock: Callable[[], float] = time.monotonic,
        proc: Path = processes.PROC,
    ) -> None:
        self._pid = pid
        self._idle_s, self._work_s = idle_s, work_s
        self._clock = clock
        self._proc = proc
        self._idled_s = self._worked_s = 0.0
        self._at_s = clock()
        self._ran_s, self._queued_s, _ = self._spent()

    def is_over(self) -> bool:
        """True if it had every chance to speak, or is no more; looks at it anew."""
        now_s = self._clock()
        passed_s, self._at_s = min(now_s - self._at_s, STEP_S), now_s
        ran_s, queued_s, is_asleep = self._spent()
        # What a thread spent that has ended nobody tells any more.
        worked_s = max(0.0, ran_s - self._ran_s)
        waited_s = max(0.0, queued_s - self._queued_s)
        self._ran_s, self._queued_s = ran_s, queued_s
        self._worked_s += worked_s
        if is_asleep:
            self._idled_s += max(0.0, passed_s - worked_s - waited_s)
        if self._idled_s >= self._idle_s or self._worked_s >= self._work_s:
            return True
        return not processes.runs(self._pid)

    def _spent(self) -> tuple[float, float, bool]:
        """Seconds that its threads ran and waited for a core, and whether all of them sleep."""
        ran_ns = queued_ns = 0
        is_asleep = True
        with suppress(OSError, ValueError, IndexError):  # a thread may end while it is looked at
            for thread in (self._proc / str(self._pid) / "task").iterdir():
                state = (thread / "stat").read_text("utf-8").rpartition(")")[2].split()[0]
                is_asleep = is_asleep and state not in NO_CHANCE
                run, delay, _ = (thread / "schedstat").read_text("utf-8").split()
                ran_ns += int(run)
                queued_ns += int(delay)
        return ran_ns / 1e9, queued_ns / 1e9, is_asleep


def python(module: str, *words: str) -> list[str]:
    """The command line by which a module of ours, or of a package that we need, is run.

    The folder in which somebody stands is no place to import from: a `queue.py` there, or a whole
    `lumiban`, is theirs.

    >>> python("lumiban", "games")[1:]
    ['-P', '-m', 'lumiban', 'games']
    """
    own = ["-s"] if sys.flags.no_user_site else []
    return [sys.executable, "-P", *own, "-m", module, *words]


class Child(Generic[Told]):
    """A process of ours: begun, heard, watched, restarted and ended here.

    What it writes on its standard output are lines of JSON; `heard` is called with each, as `read`
    has it, from a thread of the child's, and with None once the output has ended. Without `heard`
    the output is dropped. It has a standard input (`tell`) that ends with this process, unless
    `has_input` is False, and no other file or socket of ours but `pass_fds`. Its errors are
    appended to the file `errors`; without one they are dropped, unless LUMIBAN_DEBUG is set. One
    that stands `apart` has a session of its own: Ctrl-C in our terminal is not for it, and what it
    has started is killed with it.

    >>> child = Child(["head", "-n", "1"], heard=print)
    >>> child.tell({"n": 1}), child.wait()
    {'n': 1}
    None
    (True, 0)

    OSError: it cannot be begun.
    """

    def __init__(
        self,
        words: Sequence[str],
        *,
        heard: Callable[[Told | None], object] | None = None,
        read: Callable[[bytes], Told] = size_limits.from_json,
        has_input: bool = True,
        errors: Path | None = None,
        pass_fds: Sequence[int] = (),
        apart: bool = False,
        clock: Callable[[], float] = time.monotonic,
        proc: Path = processes.PROC,
    ) -> None:
        kept = errors.open("ab") if errors is not None else None
        dropped = None if os.environ.get("LUMIBAN_DEBUG") else subprocess.DEVNULL
        try:
            self._process = subprocess.Popen(
                words,
                stdin=subprocess.PIPE if has_input else subprocess.DEVNULL,
                stdout=subprocess.PIPE if heard is not None else subprocess.DEVNULL,
                stderr=kept or dropped,
                pass_fds=pass_fds,
                start_new_session=apart,
            )
        finally:
            if kept is not None:
                kept.close()
        self.pid = self._process.pid
        self._apart = apart
        self._clock, self._proc = clock, proc
        self._heard_s = clock()
        self._quiet: ProcessPatience | None = None
        self._first: Told | None = None
        self._has_spoken = threading.Event()
        self._listener: threading.Thread | None = None
        if heard is not None:
            self._listener = threading.Thread(target=self._listen, args=(heard, read), daemon=True)
            self._listener.start()

    def tell(self, message: Any) -> bool:
        """Write a line of JSON to its standard input; whether it was written.

        A child that has ended hears nothing; nor does one that does not read while its pipe is
        full, unless the line is longer than a pipe takes at once: that is waited for.
        """
        return self.write(json.dumps(message).encode())

    def write(self, line: bytes) -> bool:
        """Write a line that is JSON already, as `tell` does."""
        pipe = self._process.stdin
        if pipe is None or pipe.closed:
            return False
        rest = memoryview(line + b"\n")
        if len(rest) <= select.PIPE_BUF:
            room = select.poll()
            room.register(pipe, select.POLLOUT)
            if not room.poll(0):
                return False
        try:
            while rest:
                rest = rest[os.write(pipe.fileno(), rest) :]
        except BrokenPipeError:
            return False
        return True

    def first(self, idle_s: float, work_s: float) -> Told | None:
        """Wait for the first that it tells; None when it has ended, or slept or worked for too
        long before, and is killed."""
        patience = self.patience(idle_s, work_s)
        while not self._has_spoken.wait(min(LOOK_S, idle_s)):
            if patience.is_over():
                self.kill()
                break
        if self._first is None:
            self.end()
        return self._first

    def patience(self, idle_s: float, work_s: float) -> ProcessPatience:
        """Patience with it from now on, in seconds of its sleep and of its work."""
        return ProcessPatience(self.pid, idle_s, work_s, clock=self._clock, proc=self._proc)

    def hangs(self, quiet_s: float, idle_s: float, work_s: float) -> bool:
        """Look whether it has told nothing for `quiet_s`, and then slept or worked for too long."""
        if self._clock() - self._heard_s <= quiet_s:
            self._quiet = None
        elif self._quiet is None:
            self._quiet = self.patience(idle_s, work_s)
        return self._quiet is not None and self._quiet.is_over()

    def wait(self) -> int:
        """Wait for its end, and until all that it told was heard; its exit code."""
        code = self._process.wait()
        if self._listener is not None:
            self._listener.join()
        return code

    def end(self, idle_s: float = 0.0, work_s: float = 0.0) -> int:
        """Close its standard input, by which it ends; its exit code.

        One that then sleeps for `idle_s` or works for `work_s` is killed. It waits: where nobody
        may, call it in a thread.
        """
        if self._process.stdin is not None:
            self._process.stdin.close()
        self._process.send_signal(signal.SIGCONT)  # one that was stopped cannot end
        patience = self.patience(idle_s, work_s)
        while True:
            try:
                self._process.wait(min(LOOK_S, idle_s))
            except subprocess.TimeoutExpired:
                if patience.is_over():
                    self.kill()
                    return self.wait()
            else:
                return self.wait()

    async def ended(self, idle_s: float = 0.0, work_s: float = 0.0) -> int:
        """`end`, for who must not wait."""
        import asyncio  # a bot's process has none

        return await asyncio.to_thread(self.end, idle_s, work_s)

    def dismiss(self, wait_s: float = 0.0) -> None:
        """End it at once, and wait for its end for `wait_s` at most.

        What was killed lives on while a disk keeps it or others have the cores: a thread awaits
        it.
        """
        if self._process.stdin is not None:
            self._process.stdin.close()
        self.kill()
        reaper = threading.Thread(target=self.wait, daemon=True)
        reaper.start()
        reaper.join(wait_s)

    def terminate(self) -> None:
        """Ask it to end by SIGTERM."""
        self._process.terminate()

    def kill(self) -> None:
        """End it at once, with all that it has started where it stands apart."""
        if self._process.poll() is None and self._apart:
            with suppress(ProcessLookupError, PermissionError):
                os.killpg(self.pid, signal.SIGKILL)
        else:
            self._process.kill()

    def _listen(
        self, heard: Callable[[Told | None], object], read: Callable[[bytes], Told]
    ) -> None:
        """Hear each line; one that is longer than any of ours, or is no JSON, is passed over."""
        assert self._process.stdout is not None
        try:
            with self._process.stdout as output:
                is_whole = True
                while line := output.readline(LONGEST):
                    begins, is_whole = is_whole, line.endswith(b"\n")
                    self._heard_s = self._clock()
                    if begins and is_whole:
                        with suppress(ValueError):
                            self._take(read(line), heard)
        except MemoryError:  # no word of its is heard any more
            self.kill()
        finally:
            heard(None)
            self._has_spoken.set()

    def _take(self, message: Told, heard: Callable[[Told | None], object]) -> None:
        if not self._has_spoken.is_set():
            self._first = message
            self._has_spoken.set()
        heard(message)


@dataclass(slots=True)
class Restarts:
    """The pauses before a child that ended by itself is begun again: the first, doubled up to the
    last; the first again after one that lived for `sound_s`. After `most` in a row that did not
    live so long `is_over`; None: never.

    >>> restarts = Restarts(0.5, 2.0, sound_s=60.0, most=4)
    >>> [restarts.pause_s(lived_s=1.0) for _ in range(4)], restarts.pause_s(lived_s=90.0)
    ([0.5, 1.0, 2.0, 2.0], 0.5)
    >>> [(restarts.pause_s(lived_s=1.0), restarts.is_over)[1] for _ in range(5)]
    [False, False, False, False, True]
    """

    first_s: float
    most_s: float
    sound_s: float = math.inf
    most: int | None = None
    count: int = 0
    """Number of processes that ended."""
    _in_a_row: int = 0
    _next_s: float = 0.0

    def pause_s(self, lived_s: float = 0.0) -> float:
        """Seconds before the next one."""
        self.count += 1
        is_sound = lived_s >= self.sound_s
        self._in_a_row = 0 if is_sound else self._in_a_row + 1
        if is_sound or not self._next_s:
            self._next_s = self.first_s
        now_s, self._next_s = self._next_s, min(2 * self._next_s, self.most_s)
        return now_s

    @property
    def is_over(self) -> bool:
        """True if too many in a row have ended: no other one shall follow."""
        return self.most is not None and self._in_a_row > self.most


async def one_is_done(
    waiting: Collection[asyncio.Future[Any]], is_over: Callable[[], bool]
) -> bool:
    """Wait until one of these is done, or until patience is over, at which it looks now and then.

    Whether one is done.
    """
    import asyncio  # a bot's process has none

    while True:
        done, _ = await asyncio.wait(waiting, timeout=LOOK_S, return_when=asyncio.FIRST_COMPLETED)
        if done or is_over():
            return bool(done)

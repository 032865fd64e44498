"""Processes of ours: simulator, page, header's driver, bots; begun, heard and ended.

Those that serve say now and then that they live. Their silence is counted in looks of the waiting
side, once a second, and not by the clock: while a machine stands still nobody looks.
"""

from __future__ import annotations

import math
import os
import select
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Generic, TypeVar

from lumiban.system import size_limits

Told = TypeVar("Told")

MAX_LINE_BYTES = 1 << 20
"""Bytes of a line that a child tells; a longer one is passed over."""


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

    What it writes on its standard output are lines of JSON; `on_message` is called with each, as
    `read` has it, from a thread of the child's, and with None once the output has ended. Without it
    the output is dropped. It has a standard input (`send`) that ends with this process, unless
    `has_input` is False, and no other file or socket of ours but `pass_fds`. Its errors are
    appended to the file `errors`; without one they are dropped, unless LUMIBAN_DEBUG is set. One
    that stands `apart` has a session of its own: Ctrl-C in our terminal is not for it, and what it
    has started is killed with it.

    >>> child = Child(["head", "-n", "1"], on_message=print)
    >>> child.send(b'{"n": 1}'), child.wait()
    {'n': 1}
    None
    (True, 0)

    OSError: it cannot be begun.
    """

    def __init__(
        self,
        words: Sequence[str],
        *,
        on_message: Callable[[Told | None], object] | None = None,
        read: Callable[[bytes], Told] = size_limits.from_json,
        has_input: bool = True,
        errors: Path | None = None,
        pass_fds: Sequence[int] = (),
        apart: bool = False,
    ) -> None:
        kept = errors.open("ab") if errors is not None else None
        dropped = None if os.environ.get("LUMIBAN_DEBUG") else subprocess.DEVNULL
        try:
            self._process = subprocess.Popen(
                words,
                stdin=subprocess.PIPE if has_input else subprocess.DEVNULL,
                stdout=subprocess.PIPE if on_message is not None else subprocess.DEVNULL,
                stderr=kept or dropped,
                pass_fds=pass_fds,
                start_new_session=apart,
            )
        finally:
            if kept is not None:
                kept.close()
        self.pid = self._process.pid
        self._apart = apart
        self._silent_looks = 0
        self._first: Told | None = None
        self._has_spoken = threading.Event()
        self._listener: threading.Thread | None = None
        if on_message is not None:
            self._listener = threading.Thread(
                target=self._listen, args=(on_message, read), daemon=True
            )
            self._listener.start()

    def send(self, line: bytes) -> bool:
        """Write a line of JSON to its standard input; whether it was written.

        A child that has ended hears nothing; nor does one that does not read while its pipe is
        full, unless the line is longer than a pipe takes at once: that is waited for.
        """
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

    def first(self, limit_s: float) -> Told | None:
        """Wait for the first that it tells; None when it has ended, or not told anything within
        the limit, and is killed."""
        if not self._has_spoken.wait(limit_s):
            self.kill()
        if self._first is None:
            self.end()
        return self._first

    def is_hung(self, looks: int) -> bool:
        """Look once more; True if it has told nothing for more than this number of looks."""
        self._silent_looks += 1
        return self._silent_looks > looks

    def wait(self) -> int:
        """Wait for its end, and until all that it told was heard; its exit code."""
        code = self._process.wait()
        if self._listener is not None:
            self._listener.join()
        return code

    def end(self, limit_s: float = 0.0) -> int:
        """Close its standard input, by which it ends, and kill it where it has not within the
        limit; its exit code. It waits: where nobody may, call it in a thread."""
        if self._process.stdin is not None:
            self._process.stdin.close()
        self._process.send_signal(signal.SIGCONT)  # one that was stopped cannot end
        try:
            self._process.wait(limit_s)
        except subprocess.TimeoutExpired:
            self.kill()
        return self.wait()

    async def ended(self, limit_s: float = 0.0) -> int:
        """`end`, for who must not wait."""
        import asyncio  # a bot's process has none

        return await asyncio.to_thread(self.end, limit_s)

    def kill_later(self, wait_s: float = 0.0) -> None:
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
        self, on_message: Callable[[Told | None], object], read: Callable[[bytes], Told]
    ) -> None:
        """Hear each line; one that is longer than any of ours, or is no JSON, is passed over."""
        assert self._process.stdout is not None
        try:
            with self._process.stdout as output:
                is_whole = True
                while line := output.readline(MAX_LINE_BYTES):
                    begins, is_whole = is_whole, line.endswith(b"\n")
                    self._silent_looks = 0
                    if begins and is_whole:
                        with suppress(ValueError):
                            self._take(read(line), on_message)
        except MemoryError:  # no word of its is heard any more
            self.kill()
        finally:
            on_message(None)
            self._has_spoken.set()

    def _take(self, message: Told, on_message: Callable[[Told | None], object]) -> None:
        if not self._has_spoken.is_set():
            self._first = message
            self._has_spoken.set()
        on_message(message)


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

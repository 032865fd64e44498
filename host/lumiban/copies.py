"""Processes of a table that begin as copies of its first one.

Host, page and simulator import much that is the same. In processes begun anew that takes each 0.1 s
of a core and 12 MB; copies (fork) share what none of them writes. A process that serves has a loop
and threads, which cannot be copied. So the first one copies itself before it has any; the copies
wait for the word what they are to be:

    copies.prepare(2)     # first of all
    process = copies.start("lumiban.web.page_process", words, name="page", stdout=subprocess.PIPE)
    copies.dismiss()      # those that still wait are not needed

Where none waits, `start` begins a process anew. What a process needs to know once, and would import
much to find out, a copy finds out for it (`answer`): what is imported cannot be given back.
"""

from __future__ import annotations

import gc
import importlib
import json
import os
import select
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from typing import IO, NoReturn, Protocol

COMMON = (
    "asyncio",
    "inspect",
    "lumiban.boards.profile",
    "lumiban.i18n",
    "msgspec",
    "platformdirs",
    "tempfile",
    "websockets.asyncio.server",
)
"""What nearly all of them import. What only two need would be there twice: most of it is written
to, if only to count who refers to it."""
NAMES = "lumiban-"
"""Before the name of a copy, as `ps -e` and `top` show it; their command lines are the first
process's."""
LONGEST = 1 << 17
"""Bytes of an order; its longest part is the environment."""
MOST_FILES = 16


class ChildProcess(Protocol):
    """A process that we began: a `subprocess.Popen[bytes]`, or a `Copy`."""

    pid: int
    stdin: IO[bytes] | None
    stdout: IO[bytes] | None

    def poll(self) -> int | None:
        """The exit code of one that has ended, or minus the signal that ended it."""

    def wait(self, timeout: float | None = None) -> int:
        """Wait for its end; subprocess.TimeoutExpired."""

    def kill(self) -> None:
        """SIGKILL, unless it has ended."""

    def terminate(self) -> None:
        """SIGTERM, unless it has ended."""


class Copy:
    """A copy that has become something: what `ChildProcess` asks for, from any thread."""

    def __init__(self, pid: int, stdin: IO[bytes] | None, stdout: IO[bytes] | None) -> None:
        self.pid = pid
        self.stdin = stdin
        self.stdout = stdout
        self._code: int | None = None
        self._reaping = threading.Lock()

    def poll(self) -> int | None:
        """The exit code of one that has ended, or minus the signal that ended it."""
        with self._reaping:
            if self._code is None:
                try:
                    pid, status = os.waitpid(self.pid, os.WNOHANG)
                except ChildProcessError:  # whoever began us has the system forget what ended
                    pid, status = self.pid, 0
                if pid:
                    self._code = os.waitstatus_to_exitcode(status)
            return self._code

    def wait(self, timeout: float | None = None) -> int:
        """Wait for its end; subprocess.TimeoutExpired."""
        if self.poll() is None:
            with suppress(ProcessLookupError):  # another thread was told of its end meanwhile
                _await_end(self.pid, timeout)
        code = self.poll()
        if code is None:
            raise subprocess.TimeoutExpired(f"copy {self.pid}", timeout or 0.0)
        return code

    def kill(self) -> None:
        """SIGKILL, unless it has ended."""
        self._send(signal.SIGKILL)

    def terminate(self) -> None:
        """SIGTERM, unless it has ended."""
        self._send(signal.SIGTERM)

    def _send(self, number: signal.Signals) -> None:
        if self.poll() is None:
            with suppress(ProcessLookupError):
                os.kill(self.pid, number)


def _await_end(pid: int, timeout: float | None) -> None:
    ends = os.pidfd_open(pid)
    try:
        look = select.poll()
        look.register(ends, select.POLLIN)
        look.poll(None if timeout is None else 1000 * max(0.0, timeout))
    finally:
        os.close(ends)


_waiting: list[tuple[int, socket.socket]] = []
"""Copies that nobody has asked yet: their numbers, and where they hear."""


def prepare(count: int) -> None:
    """Import what is common, and make so many copies that wait.

    For a process's first moments, before it has threads, a loop or files; nothing where the system
    cannot, and fewer where it has no room.
    """
    if sys.platform != "linux" or threading.active_count() > 1:
        return
    for name in COMMON:
        importlib.import_module(name)
    for stream in (sys.stdout, sys.stderr):
        if stream is not None:
            stream.flush()  # what waits in a buffer would be written by each of them
    gc.collect()
    gc.freeze()  # a collection writes to all that it looks at
    for _ in range(count):
        ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        try:
            pid = os.fork()
        except OSError:
            ours.close()
            theirs.close()
            return
        if pid == 0:
            ours.close()
            _be_copy(theirs)
        theirs.close()
        _waiting.append((pid, ours))


def dismiss() -> None:
    """Let those end that still wait."""
    while _waiting:
        pid, line = _waiting.pop()
        line.close()
        _reap(pid)


def _reap(pid: int) -> None:
    with suppress(ChildProcessError):  # the system may be told to forget children that end
        os.waitpid(pid, 0)


def start(
    module: str,
    words: Sequence[str] = (),
    *,
    name: str,
    stdin: int | None = None,
    stdout: int | None = None,
    stderr: int | IO[bytes] | None = None,
    pass_fds: Sequence[int] = (),
) -> ChildProcess:
    """A process in which `module.main(words)` runs, in a session of its own; OSError.

    A copy is called `name`. The other arguments are as for `subprocess.Popen`: a file that is
    passed has the same number there.
    """
    copy = _become([module, *words], name, (stdin, stdout, stderr), pass_fds)
    return copy or subprocess.Popen(
        [sys.executable, "-m", module, *words],
        stdin=stdin,
        stdout=stdout,
        stderr=stderr,
        pass_fds=pass_fds,
        start_new_session=True,
    )


def answer(
    module: str, words: Sequence[str] = (), question: bytes = b"", *, name: str
) -> tuple[int, bytes] | None:
    """The exit code and standard output of a copy in which `module.main(words)` runs and reads
    `question` on its standard input; None where no copy waits.

    What it has imported for that is gone with it: memory that is taken once is not kept. It may be
    told much, and must read all of it before it answers more than a pipe holds (64 kB).
    """
    try:
        copy = _become([module, *words], name, (subprocess.PIPE, subprocess.PIPE, None), ())
    except OSError:
        return None
    if copy is None:
        return None
    assert copy.stdin is not None
    assert copy.stdout is not None
    with copy.stdout:
        with suppress(BrokenPipeError), copy.stdin:
            copy.stdin.write(question)
        told = copy.stdout.read()
    return copy.wait(), told


def _become(
    call: Sequence[str],
    name: str,
    streams: Sequence[int | IO[bytes] | None],
    pass_fds: Sequence[int],
) -> Copy | None:
    """One of those that wait as what `call` says; None where none hears. OSError: no file is left
    for it."""
    while _waiting:
        pid, line = _waiting.pop(0)
        try:
            copy = _copy_of(pid, line, call, name, streams, pass_fds)
        except OSError as error:
            line.close()
            _reap(pid)
            if not isinstance(error, _UnheardError):
                raise
        else:
            line.close()
            return copy
    return None


class _UnheardError(OSError):
    """A copy has ended, or cannot be told so much."""


def _copy_of(
    pid: int,
    line: socket.socket,
    call: Sequence[str],
    name: str,
    streams: Sequence[int | IO[bytes] | None],
    pass_fds: Sequence[int],
) -> Copy:
    theirs: list[int] = []
    """Files that are not ours to keep."""
    ours: dict[int, IO[bytes]] = {}
    """Our ends of pipes, by the stream that the other end is."""
    order = json.dumps([call, name, dict(os.environ), list(pass_fds)]).encode()
    try:
        numbers = [_stream(place, what, theirs, ours) for place, what in enumerate(streams)]
        if len(order) > LONGEST:
            raise _UnheardError
        try:
            socket.send_fds(line, [order], [*numbers, *pass_fds])
        except OSError:
            raise _UnheardError from None
    except OSError:
        for pipe in ours.values():
            pipe.close()
        raise
    finally:
        for fd in theirs:
            os.close(fd)
    return Copy(pid, ours.get(0), ours.get(1))


def _stream(
    place: int, what: int | IO[bytes] | None, theirs: list[int], ours: dict[int, IO[bytes]]
) -> int:
    """The file that is to be a copy's standard stream."""
    if what is None:
        return place
    if not isinstance(what, int):
        return what.fileno()
    if what == subprocess.DEVNULL:
        theirs.append(os.open(os.devnull, os.O_RDWR))
    elif what == subprocess.PIPE:
        ends = os.pipe()
        theirs.append(ends[place > 0])
        ours[place] = os.fdopen(ends[place == 0], "wb" if place == 0 else "rb")
    else:
        return what
    return theirs[-1]


# In the copy.


def _be_copy(line: socket.socket) -> NoReturn:
    """Wait for the word, be what it says, and end."""
    code = 1
    try:
        os.setsid()  # what the terminal tells is for the first process
        nothing = os.open(os.devnull, os.O_RDWR)
        for number in (0, 1, 2):  # who reads what the first one says, waits for no copy's end
            os.dup2(nothing, number)
        while _waiting:
            _waiting.pop()[1].close()
        order, files, _, _ = socket.recv_fds(line, LONGEST, MOST_FILES)
        if not order:
            os._exit(0)
        call, name, environment, passed = json.loads(order)
        line.detach()
        _begin_anew(name, environment, dict(zip((0, 1, 2, *passed), files, strict=True)))
        sys.argv = list(call)
        main: Callable[[list[str]], int | None] = importlib.import_module(call[0]).main
        code = main(call[1:]) or 0
    except SystemExit as end:
        code = end.code if isinstance(end.code, int) else int(end.code is not None)
    except BaseException:  # noqa: BLE001  # told here; what called `prepare` is not to go on
        import traceback

        traceback.print_exc()
    finally:
        for stream in (sys.stdout, sys.stderr):
            with suppress(OSError, ValueError):
                stream.flush()
        os._exit(code)


def _begin_anew(name: str, environment: Mapping[str, str], files: Mapping[int, int]) -> None:
    """Have these files (by the number that each is to have) and no others, this environment, and
    streams of our own."""
    with suppress(OSError), open("/proc/self/comm", "wb") as shown:  # noqa: PTH123
        shown.write((NAMES + name).encode())
    _place(dict(files))
    kept = sorted(files)
    for number, following in zip(kept, [*kept[1:], os.sysconf("SC_OPEN_MAX")], strict=True):
        os.closerange(number + 1, following)
    sys.stdin = os.fdopen(0, closefd=False)
    sys.stdout = os.fdopen(1, "w", closefd=False)
    sys.stderr = os.fdopen(2, "w", 1, errors="backslashreplace", closefd=False)
    os.environ.clear()
    os.environ.update(environment)


def _place(files: dict[int, int]) -> None:
    """Give each of these files the number that it is to have, with hardly any more meanwhile."""
    while files:
        still = set(files.values())
        free = [number for number, fd in files.items() if number == fd or number not in still]
        for number in free:
            fd = files.pop(number)
            if fd != number:
                os.dup2(fd, number)
                os.close(fd)
            os.set_inheritable(number, number <= 2)
        if not free:  # each stands where another is to be
            number, fd = files.popitem()
            files[number] = os.dup(fd)
            os.close(fd)

"""A program of lumiban that is struck at one of its awaits.

    LUMIBAN_STRIKE='lumiban.service.table_process kill 41 FILE' python -m lumiban_lab.struck lumiban

Each step of a task, from one await to the next, is counted: at the 41st of the named module that
process is struck, by SIGKILL (`kill`), SIGTERM (`term`), SIGHUP (`hup`), or by the death of its
parent (`orphan`). With `full` and `broken` calls of the disk are counted instead, and the 41st
fails, as there is no room or the device is faulty. Programs of lumiban that it starts are counted
the same way. FILE tells what was struck, and which process is to end by that (0: none); nothing
more is, once it is there. With `all count 0` nothing is struck: each program adds its module, steps
and calls to FILE when it ends.
"""

from __future__ import annotations

import errno
import os
import runpy
import signal
import subprocess
import sys
from asyncio import base_events
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Any

STRIKE = "LUMIBAN_STRIKE"
OURS = "lumiban_lab.struck"
SIGNALS = {"kill": signal.SIGKILL, "term": signal.SIGTERM, "hup": signal.SIGHUP}
ERRORS = {"full": errno.ENOSPC, "broken": errno.EIO}


class Steps(Coroutine[Any, Any, Any]):
    """A coroutine that tells before each of its steps."""

    def __init__(self, coroutine: Coroutine[Any, Any, Any], told: Callable[[], None]) -> None:
        self._coroutine, self._told = coroutine, told

    def __await__(self) -> Any:
        """Await the coroutine itself."""
        return self._coroutine.__await__()

    def send(self, value: Any) -> Any:
        """Take a step."""
        self._told()
        return self._coroutine.send(value)

    def throw(self, *error: Any) -> Any:
        """Take a step that an error begins, such as a cancellation."""
        self._told()
        return self._coroutine.throw(*error)

    def close(self) -> None:
        """End it."""
        self._coroutine.close()


class Strike:
    """What befalls this process, and when."""

    def __init__(self, module: str) -> None:
        name, self.how, at, self.file = os.environ[STRIKE].split(maxsplit=3)
        self.module = module
        self._left = int(at) if name == module else 0
        self._steps = self._calls = 0

    def tell(self) -> None:
        """Write down how many steps and calls of the disk there were."""
        with Path(self.file).open("a", encoding="utf-8") as file:
            file.write(f"{self.module} {self._steps} {self._calls}\n")

    def step(self) -> None:
        """One step more."""
        self._steps += 1
        if self._steps == self._left and self.how in (*SIGNALS, "orphan"):
            self._strike()

    def call(self) -> None:
        """One call of the disk more."""
        self._calls += 1
        if self._calls == self._left and self.how in ERRORS:
            self._strike()

    def _strike(self) -> None:
        whom = 0 if self.how in ERRORS else os.getppid() if self.how == "orphan" else os.getpid()
        try:  # once: the next process of this module goes on
            with Path(self.file).open("x", encoding="utf-8") as file:
                file.write(f"{self.module} {whom}\n")
        except FileExistsError:
            return
        if self.how in ERRORS:
            raise OSError(ERRORS[self.how], os.strerror(ERRORS[self.how]))
        if self.how == "orphan":
            os.kill(os.getppid(), signal.SIGKILL)
        else:
            os.kill(os.getpid(), SIGNALS[self.how])


def strike_disk(told: Callable[[], None]) -> None:
    """Tell before each call of the disk; what that raises the call raises."""
    from lumiban.system.disk import Disk

    def counted(real: Callable[..., Any]) -> Callable[..., Any]:
        def called(*words: Any) -> Any:
            told()
            return real(*words)

        return called

    for name in ("create", "replace", "open", "write", "truncate", "sync", "rename", "remove"):
        setattr(Disk, name, counted(getattr(Disk, name)))


def with_ours(words: Any) -> Any:
    """A command line whose module of lumiban, if it runs one, is started by this one.

    >>> with_ours(["python", "-P", "-m", "lumiban_sim", "--seed", "1"])
    ['python', '-P', '-m', 'lumiban_lab.struck', 'lumiban_sim', '--seed', '1']
    """
    if isinstance(words, (list, tuple)) and "-m" in words:
        at = words.index("-m") + 1
        if str(words[at]).startswith("lumiban") and words[at] != OURS:
            return [*words[:at], OURS, *words[at:]]
    return words


def main(module: str, *words: str) -> None:
    """Run a module as a program, and strike it."""
    strike = Strike(module)
    create = base_events.BaseEventLoop.create_task
    begin = subprocess.Popen.__init__

    def create_task(loop: Any, coroutine: Any, **how: Any) -> Any:
        return create(loop, Steps(coroutine, strike.step), **how)

    def popen(self: Any, args: Any, *rest: Any, **how: Any) -> None:
        begin(self, with_ours(args), *rest, **how)

    strike_disk(strike.call)
    base_events.BaseEventLoop.create_task = create_task  # type: ignore[method-assign,assignment]  # counted there
    subprocess.Popen.__init__ = popen  # type: ignore[method-assign]  # counted there
    sys.argv = [module, *words]
    try:
        runpy.run_module(module, run_name="__main__", alter_sys=True)
    finally:
        if strike.how == "count":
            strike.tell()


if __name__ == "__main__":
    main(*sys.argv[1:])

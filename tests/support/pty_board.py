"""A small board at the far end of a pty, and a loop whose time jumps: for test_serial*.py."""

from __future__ import annotations

import asyncio
import contextlib
import os
import selectors
import tty
from collections.abc import Callable, Coroutine, Iterator
from pathlib import Path
from typing import Any, TypeVar

from lumiban.boards.profile import load
from lumiban.boards.types import BoardTime, LinkEvent
from lumiban_fw import wire
from scripted_board import ScriptedBoard

HEX3 = load("hex3")
T = TypeVar("T")
GLANCE_S = 0.005
TURN_S = 1e-6
"""What each turn of the loop takes: who waits for the next microsecond must come to it."""
MAX_S = 60
"""Of the loop's own time."""


class EagerSelector(selectors.DefaultSelector):
    """Waits for a glance at most; the rest of the wait is jumped over."""

    def __init__(self) -> None:
        super().__init__()
        self.now_s = 0.0
        self._courier = os.openpty()
        tty.setraw(self._courier[1])

    def select(self, timeout: float | None = None) -> Any:
        self.now_s += TURN_S
        if timeout is None or timeout <= 0:
            return super().select(timeout)
        # What is written to a pty is brought by a thread of the system, which may have to wait for
        # a core. When a byte that was written later has come, the others have come too.
        os.write(self._courier[0], b".")
        os.read(self._courier[1], 1)
        found = super().select(min(timeout, GLANCE_S))
        if not found:
            self.now_s += timeout
        return found

    def close(self) -> None:
        super().close()
        for fd in self._courier:
            os.close(fd)


class EagerLoop(asyncio.SelectorEventLoop):
    """A loop whose time jumps to the next timer when nothing is there to read, else stands still.

    So nothing comes late because the machine is busy.
    """

    def __init__(self) -> None:
        self._eager = EagerSelector()
        super().__init__(self._eager)

    def time(self) -> float:
        return self._eager.now_s

    def be_late(self, by_s: float) -> None:
        """Time in which the machine did something else."""
        self._eager.now_s += by_s


def run(main: Coroutine[Any, Any, T]) -> T:
    """Run in an eager loop; whatever asyncio would have logged as an error fails the test."""
    loop = EagerLoop()
    trouble: list[dict[str, Any]] = []
    loop.set_exception_handler(lambda _, context: trouble.append(context))
    try:
        return loop.run_until_complete(asyncio.wait_for(main, MAX_S))
    finally:
        loop.close()
        assert trouble == [], trouble


@contextlib.contextmanager
def taken(name: str) -> Iterator[None]:
    """While another program has the terminal of this name: ours or one that runs beside us."""
    with contextlib.ExitStack() as others:
        while not Path(name).exists():
            for fd in os.openpty():
                others.callback(os.close, fd)
        yield


class PtyBoard(ScriptedBoard):
    """A scripted board at the far end of a pty, in the time of the loop that it listens in."""

    def __init__(
        self, major: int = wire.MAJOR, model: bytes = b"hex3", uid: bytes = b"\2" * 8
    ) -> None:
        super().__init__(model, boot_id=5)
        self.major, self.uid = major, uid
        self.ahead_us = 0
        self.on_commit: Callable[[], None] = lambda: None
        self._next: asyncio.TimerHandle | None = None
        self.plug()

    def plug(self, name: str = "") -> None:
        """Appear under this name, or under whichever is free."""
        with contextlib.ExitStack() as others:
            self.master, self.slave = os.openpty()
            while name not in ("", os.ttyname(self.slave)):
                for fd in (self.master, self.slave):
                    others.callback(os.close, fd)
                self.master, self.slave = os.openpty()
        tty.setraw(self.slave)
        os.set_blocking(self.master, False)
        self.path = os.ttyname(self.slave)
        self._decoder = wire.Decoder()

    def listen(self) -> PtyBoard:
        self.loop = asyncio.get_running_loop()
        self.loop.add_reader(self.master, self._readable)
        return self

    def unplug(self) -> None:
        if self._next is not None:
            self._next.cancel()
            self._next = None
        self.loop.remove_reader(self.master)
        os.close(self.master)
        os.close(self.slave)
        self.path = ""

    def hang(self) -> None:
        """Neither read nor speak any more."""
        self.loop.remove_reader(self.master)
        self.mute = True

    @property
    def now_us(self) -> int:
        return int(self.loop.time() * 1e6)

    @property
    def greeted(self) -> int:
        """How often a host has said HELLO."""
        return self.got.count(wire.H_HELLO)

    def send(self, kind: int, payload: bytes = b"", flags: int = 0) -> None:
        super().send(kind, payload, flags)
        os.write(self.master, self.out)
        self.out.clear()

    def hello(self, session: int) -> bytes:
        return bytes((self.major,)) + super().hello(session)[1:]

    def state(self, kinds: bytes | None = None, event: int | None = None) -> list[bytes]:
        stand = bytearray(self.cells)
        for cell, kind, _, _ in self.events:
            stand[cell] = kind
        return super().state(bytes(stand) if kinds is None else kinds, event)

    def happen(self, cell: int, kind: int, t_us: int | None = None) -> None:
        self.now = self.now_us
        super().happen(cell, kind, t_us)
        self.tick(self.now)

    def _readable(self) -> None:
        self.now = self.now_us
        self.hear(os.read(self.master, 4096))  # our own slave keeps it from EIO
        self.tick(self.now)
        if self._next is None:
            self._go_on()

    def _go_on(self) -> None:
        self.tick(self.now_us)
        self._next = self.loop.call_later(0.5, self._go_on)

    def _obey(self, kind: int, payload: bytes) -> None:
        super()._obey(kind, payload)
        if kind == wire.H_COMMIT:
            self.on_commit()


class Ear:
    """Hears link events and wakes whoever waits for one."""

    def __init__(self) -> None:
        self.log: list[LinkEvent] = []
        self._new = asyncio.Event()

    def __call__(self, events: list[LinkEvent]) -> None:
        self.log += [e for e in events if not isinstance(e, BoardTime)]
        self._new.set()

    async def until(self, kind: type[T], count: int = 1) -> T:
        """The count-th event of a kind."""
        while True:
            found = [e for e in self.log if isinstance(e, kind)]
            if len(found) >= count:
                return found[count - 1]
            self._new.clear()
            await self._new.wait()

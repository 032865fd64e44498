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


class PtyBoard:
    """A small board at the far end of a pty: it greets, beats, tells its state and its events."""

    def __init__(
        self, major: int = wire.MAJOR, model: bytes = b"hex3", uid: bytes = b"\2" * 8
    ) -> None:
        self.major, self.model, self.uid = major, model, uid
        self.boot_id = 5
        self.events: list[tuple[int, int, int, int]] = []
        self.acked = 0
        self.shown: dict[int, tuple[int, int]] = {}
        self.staged: dict[int, tuple[int, int]] = {}
        self.on_commit: Callable[[], None] = lambda: None
        self.greeted = 0
        self.mute = False
        self._expected = 0
        self._beat: asyncio.TimerHandle | None = None
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
        if self._beat is not None:
            self._beat.cancel()
            self._beat = None
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

    def send(self, kind: int, payload: bytes = b"") -> None:
        if not self.mute:
            os.write(self.master, wire.frame(kind, payload, 0, 0, self._expected))

    def happen(self, cell: int, kind: int) -> None:
        self.events.append((cell, kind, self.now_us, 50))
        number = len(self.events) - 1
        self.send(wire.B_EVENTS, wire.pack_events(number, self.now_us, self.events[number:]))

    def _readable(self) -> None:
        data = os.read(self.master, 4096)  # our own slave keeps it from EIO
        for kind, flags, seq, _, payload in self._decoder.feed(data):
            if flags & wire.RELIABLE:
                if seq != self._expected:
                    continue
                self._expected = (seq + 1) & 0xFF
            self._obey(kind, payload)

    def _obey(self, kind: int, payload: bytes) -> None:
        if kind == wire.H_HELLO:
            self.greeted += 1
            self._expected = 0
            session = wire.unpack_host_hello(payload)[2]
            hello = wire.pack_board_hello(
                self.model, 1, 19, 19, 1, self.uid, self.boot_id, session, self.now_us, 1000, 1, 1
            )
            self.send(wire.B_HELLO, bytes((self.major,)) + hello[1:])
            for number in range(self.acked, len(self.events)):
                event = self.events[number]
                self.send(wire.B_EVENTS, wire.pack_events(number, self.now_us, [event]))
            if self._beat is None:
                self._tick()
        elif kind == wire.H_GET_STATE:
            kinds = bytearray(19)
            for cell, what, _, _ in self.events:
                kinds[cell] = what
            state = wire.pack_state(
                self.now_us, len(self.events), self.now_us, 0, 0, 1, bytes(kinds)
            )
            self.send(wire.B_STATE, state)
        elif kind == wire.H_ACK:
            self.acked = max(self.acked, wire.unpack_u32(payload))
        elif kind == wire.H_LAYER:
            _, first, lights = wire.unpack_layer(payload)
            self.staged.update(enumerate(lights, first))
        elif kind == wire.H_COMMIT:
            self.shown = dict(self.staged)
            self.send(wire.B_ACK)
            self.on_commit()

    def _tick(self) -> None:
        self.send(wire.B_BEAT, wire.pack_board_beat(self.now_us, self.now_us))
        self._beat = self.loop.call_later(0.5, self._tick)


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

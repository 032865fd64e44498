"""Drives a board step by step from a test: one link over any line, in virtual or in real time.

    driver = Driver(load("hex3"), line)
    driver.open()
    driver.until(lambda: driver.kinds[9] == 1)
    driver.send(wire.H_CFG, wire.pack_cfg(wire.CFG_BRIGHTNESS, 255))
    driver.answer(wire.H_GET_STATE, b"", wire.B_STATE)

Nothing here runs by itself: time goes on in `run`, `until` and what waits.
"""

from __future__ import annotations

import contextlib
import os
import select
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

from lumiban_fw import wire

from lumiban.boards.link import Link
from lumiban.boards.ports import open_port
from lumiban.boards.profile import Profile
from lumiban.boards.types import (
    BoardEvent,
    Changed,
    Connected,
    Faulty,
    Hello,
    LightFrame,
    LinkEvent,
    Lost,
    Snapshot,
)
from lumiban.errors import BoardError, LinkLost

PATIENCE_US = 3_000_000


class Line(Protocol):
    """A line to a board, and the time that goes by on it."""

    @property
    def now_us(self) -> int: ...

    def write(self, data: bytes) -> None:
        """Send to the board."""

    def read(self, until_us: int) -> bytes:
        """Let time go on to `until_us`, or until bytes came; those."""


@dataclass(frozen=True, slots=True)
class Frame:
    """A frame from the board as it came, at this host time."""

    at_us: int
    kind: int
    payload: bytes


class _Driven(Link):
    """A Link that also sends frames of the caller's."""

    def put(self, kind: int, payload: bytes, reliable: bool) -> None:
        """Send one frame behind what waits, reliably or not."""
        if reliable:
            self._sender.send(kind, payload)
            self._out += self._sender.fill()
        else:
            self._send(kind, payload)

    @property
    def kinds(self) -> list[int]:
        """The belief, by cell."""
        return list(self._belief.kinds or ())

    @property
    def all_acknowledged(self) -> bool:
        """Whether the board has followed all reliable frames."""
        return self._sender.idle


class Driver:
    """One host of one board. `log` has all link events, `frames` all frames that came.

    With `acknowledges` each event is acknowledged as soon as it came; else the caller does it.
    """

    def __init__(
        self,
        profile: Profile,
        line: Line,
        *,
        session: int = 1,
        resume: tuple[int, int] | None = None,
        acknowledges: bool = True,
    ) -> None:
        self.line = line
        self.link = _Driven(profile, session, resume=resume)
        self.acknowledges = acknowledges
        self.log: list[LinkEvent] = []
        self.frames: list[Frame] = []
        self._decoder = wire.Decoder()

    # What came.

    @property
    def hello(self) -> Hello:
        """The board's HELLO; LinkLost before the first."""
        if self.link.hello is None:
            raise LinkLost("no board has answered yet")
        return self.link.hello

    @property
    def events(self) -> list[BoardEvent]:
        """All events, in order, none twice."""
        return [one for told in self.log if isinstance(told, Changed) for one in told.events]

    @property
    def snapshots(self) -> list[Snapshot]:
        """The pictures that were told whole."""
        return [told for told in self.log if isinstance(told, Snapshot)]

    @property
    def faults(self) -> list[Faulty]:
        """What the board reported."""
        return [told for told in self.log if isinstance(told, Faulty)]

    @property
    def kinds(self) -> list[int]:
        """What the host believes to lie on each cell; [] before the first picture."""
        return self.link.kinds

    # What to do.

    def open(self, patience_us: int = PATIENCE_US) -> Hello:
        """Greet the board and wait for its first picture; LinkLost, or BoardError that says why."""
        pictures, greeted = len(self.snapshots), len(self.log)
        self.log += self.link.opened(self.line.now_us, patience_us)

        def met() -> bool:
            for told in self.log[greeted:]:
                if isinstance(told, Lost):
                    raise BoardError(f"the board is lost: {told.reason} {told.detail}".rstrip())
            return len(self.snapshots) > pictures

        self.until(met, patience_us)
        return self.hello

    def send(self, kind: int, payload: bytes = b"", *, reliable: bool = True) -> None:
        """Send a frame; a reliable one is repeated until it was followed, as all the link's are."""
        self.link.put(kind, payload, reliable)

    def answer(
        self, kind: int, payload: bytes, answer: int, *, patience_us: int = PATIENCE_US
    ) -> bytes:
        """Send an unreliable frame until a frame of type `answer` comes; its payload. LinkLost."""
        before = len(self.frames)
        end = self.line.now_us + patience_us

        def come() -> bool:
            return any(frame.kind == answer for frame in self.frames[before:])

        while not come():
            if self.line.now_us >= end:
                raise LinkLost(f"no frame of type 0x{answer:02x} came")
            self.send(kind, payload, reliable=False)
            with contextlib.suppress(LinkLost):
                self.until(come, min(200_000, end - self.line.now_us))
        return next(frame.payload for frame in self.frames[before:] if frame.kind == answer)

    def show(self, frame: LightFrame) -> None:
        """Light the board."""
        self.link.show(frame)

    def flush(self, patience_us: int = PATIENCE_US) -> None:
        """Wait until the board has followed all reliable frames; LinkLost."""
        self.until(lambda: self.link.all_acknowledged and self.link.shown, patience_us)

    def run(self, us: int) -> None:
        """Let so much time go by."""
        end = self.line.now_us + us
        while self.line.now_us < end:
            self._turn(end)

    def until(self, done: Callable[[], bool], patience_us: int = PATIENCE_US) -> None:
        """Let time go by until something holds; LinkLost when it does not in time."""
        end = self.line.now_us + patience_us
        while not done():
            if self.line.now_us >= end:
                raise LinkLost(f"nothing after {patience_us} µs")
            self._turn(end)

    def _turn(self, until_us: int) -> None:
        out = self.link.take_output()
        if out:
            self.line.write(out)
        due = self.link.next_deadline()
        data = self.line.read(until_us if due is None else min(due, until_us))
        now = self.line.now_us
        for kind, _flags, _seq, _ack, payload in self._decoder.feed(data):
            self.frames.append(Frame(now, kind, payload))
        told = self.link.receive(data, now) + self.link.poll(now)
        self.log += told
        for event in told:
            if isinstance(event, Connected):
                self._decoder = wire.Decoder()
            elif isinstance(event, Changed) and self.acknowledges:
                self.link.acknowledge(event.events[-1].number + 1)


class PortLine:
    """A Line over a serial port, in real time. BoardError when it cannot be opened."""

    def __init__(self, port: str) -> None:
        self._port = open_port(port)
        self._fd = self._port.fileno()

    @property
    def now_us(self) -> int:
        """The machine's monotonic time."""
        return time.monotonic_ns() // 1000

    def write(self, data: bytes) -> None:
        """Send all of it, waiting where the line takes no more; LinkLost."""
        try:
            while data:
                select.select([], [self._fd], [], PATIENCE_US / 1e6)
                data = data[os.write(self._fd, data) :]
        except OSError as error:
            raise LinkLost(f"the line broke: {error.strerror}") from None

    def read(self, until_us: int) -> bytes:
        """Bytes as they come; LinkLost."""
        try:
            ready, _, _ = select.select([self._fd], [], [], max(0, until_us - self.now_us) / 1e6)
            return os.read(self._fd, 4096) if ready else b""
        except OSError as error:
            raise LinkLost(f"the line broke: {error.strerror}") from None

    def close(self) -> None:
        """Let go of the port."""
        self._port.close()

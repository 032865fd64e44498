"""Drives a board step by step from a test: one link over any line, in virtual or in real time.

    driver = BoardClient(load("hex3"), line)
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
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from random import SystemRandom
from statistics import fmean, pstdev
from typing import Protocol

from lumiban_fw import wire

from lumiban.boards.link import Link, mismatch, read_hello
from lumiban.boards.ports import PortError, lasting_path, localized, open_port
from lumiban.boards.profile import Profile, load, names
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
from lumiban.errors import BoardError, LinkLost, NotABoard, WrongMajor

ANSWER_TIMEOUT_US = 3_000_000


class ByteLine(Protocol):
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


class BoardClient:
    """One host of one board. `log` has all link events, `frames` all frames that came.

    With `acknowledges` each event is acknowledged as soon as it came; else the caller does it.
    """

    def __init__(
        self,
        profile: Profile,
        line: ByteLine,
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

    def open(self, patience_us: int = ANSWER_TIMEOUT_US) -> Hello:
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
        self, kind: int, payload: bytes, answer: int, *, patience_us: int = ANSWER_TIMEOUT_US
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

    def flush(self, patience_us: int = ANSWER_TIMEOUT_US) -> None:
        """Wait until the board has followed all reliable frames; LinkLost."""
        self.until(lambda: self.link.all_acknowledged and self.link.shown, patience_us)

    def run(self, us: int) -> None:
        """Let so much time go by."""
        end = self.line.now_us + us
        while self.line.now_us < end:
            self._turn(end)

    def until(self, done: Callable[[], bool], patience_us: int = ANSWER_TIMEOUT_US) -> None:
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
    """A ByteLine over a serial port, in real time. BoardError when it cannot be opened."""

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
                select.select([], [self._fd], [], ANSWER_TIMEOUT_US / 1e6)
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


# --- A line to a port that goes away and comes back, as a board's does when it starts anew ---


REOPEN_PERIOD_US = 200_000
GONE_US = 20_000_000
"""A port that has been away for so long does not come back."""


class ReconnectingLine:
    """A ByteLine over a serial port by its lasting name, in real time.

    While the port is away nothing is read and what is written is lost; LinkLost after 20 s.
    PortError when it cannot be opened at first.
    """

    def __init__(self, port: str) -> None:
        self.port = lasting_path(port)
        self._line: PortLine | None = PortLine(self.port)
        self._gone_us = 0
        self._tried_us = 0

    @property
    def now_us(self) -> int:
        """The machine's monotonic time."""
        return time.monotonic_ns() // 1000

    def write(self, data: bytes) -> None:
        """Send to the board, if it is there."""
        if self._line is not None:
            try:
                self._line.write(data)
            except LinkLost:
                self._lose()

    def read(self, until_us: int) -> bytes:
        """Bytes as they come, b"" at `until_us`."""
        if self._line is not None:
            try:
                return self._line.read(until_us)
            except LinkLost:
                self._lose()
        while self._line is None:
            now = self.now_us
            if now - self._gone_us > GONE_US:
                raise LinkLost(localized("maker.port.gone", port=self.port))
            if now - self._tried_us >= REOPEN_PERIOD_US:
                self._tried_us = now
                with contextlib.suppress(PortError):
                    self._line = PortLine(self.port)
                    break
            if now >= until_us:
                break
            # A maker's command waits here for a cable; no event loop runs in it.
            time.sleep(min(REOPEN_PERIOD_US, until_us - now) / 1e6)
        return b""

    def close(self) -> None:
        """Let go of the port."""
        if self._line is not None:
            self._line.close()
            self._line = None

    def _lose(self) -> None:
        self.close()
        self._gone_us = self._tried_us = self.now_us


# --- Greets a board that nobody has described yet, and finds the profile that fits it ---


GREETING_TIMEOUT_US = 2_500_000
GREETING_PERIOD_US = 250_000
_SESSION_NUMBER = 0x4D454554


def identify(
    line: ByteLine,
    port: str = "",
    patience_us: int = GREETING_TIMEOUT_US,
    *,
    session: int = _SESSION_NUMBER,
) -> Hello:
    """The HELLO of whatever board is at the other end, also of one in its rescue.

    NotABoard when nothing of ours answers, WrongMajor when it speaks another version.
    """
    decoder = wire.Decoder()
    end = line.now_us + patience_us
    while line.now_us < end:
        line.write(b"\0" + wire.frame(wire.H_HELLO, wire.pack_host_hello(session)))
        again = min(end, line.now_us + GREETING_PERIOD_US)
        while line.now_us < again:
            for kind, flags, _, _, payload in decoder.feed(line.read(again)):
                if kind == wire.B_HELLO and flags >> wire.MAJOR_SHIFT != wire.MAJOR:
                    raise WrongMajor(
                        localized(
                            "board.open.wrong-major", port=port, detail=flags >> wire.MAJOR_SHIFT
                        )
                    )
                if kind == wire.B_HELLO:
                    echoed, _, hello = read_hello(payload)
                    if echoed == session:
                        return hello
    raise NotABoard(localized("board.open.not-a-board", port=port))


def profile_for_board(hello: Hello, wish: str = "") -> Profile:
    """The profile of this board: the one that is wished, else the built-in one that it names.

    BoardError when it does not fit or none does; ProfileError for a bad file.
    """
    if wish:
        profile = load(wish)
        if unlike := mismatch(hello, profile):
            raise BoardError(localized("maker.profile.other", detail=unlike))
        return profile
    for name in names():
        profile = load(name)
        if not mismatch(hello, profile):
            return profile
    raise BoardError(
        localized(
            "maker.profile.unknown", model=hello.model, cells=hello.cells, lights=hello.lights
        )
    )


# --- Brings reliable frames to a board one by one, whatever it runs: its program or its rescue ---


RESEND_PERIOD_US = 400_000
"""A frame that is not acknowledged is sent again: storing may take a chip some 100 ms."""
DELIVERY_TIMEOUT_US = 6_000_000
BEAT_US = wire.BEAT_US * 9 // 10


class StopAndWaitClient:
    """A session of our own with the board on a line; NotABoard, WrongMajor."""

    def __init__(self, line: ByteLine, port: str = "") -> None:
        self.line = line
        self._port = port
        self._decoder = wire.Decoder()
        self._seq = 0
        self._beat_us = 0
        self.hello = self.greet()

    def greet(self) -> Hello:
        """Begin a new session, also after a restart."""
        self._decoder = wire.Decoder()
        self._seq = 0
        session = SystemRandom().getrandbits(32)
        self.hello = identify(self.line, self._port, session=session)
        return self.hello

    def send(self, kind: int, payload: bytes) -> list[tuple[int, bytes]]:
        """Send a reliable frame until it is acknowledged; the frames heard meanwhile. LinkLost."""
        heard: list[tuple[int, bytes]] = []
        frame = wire.frame(kind, payload, wire.RELIABLE, self._seq)
        following = (self._seq + 1) & 0xFF
        end = self.line.now_us + DELIVERY_TIMEOUT_US
        while self.line.now_us < end:
            self.line.write(frame)
            again = min(end, self.line.now_us + RESEND_PERIOD_US)
            while self.line.now_us < again:
                done = False
                for told, _, _, ack, data in self._decoder.feed(self.line.read(again)):
                    heard.append((told, data))
                    done = done or (told != wire.B_HELLO and ack == following)
                if done:
                    self._seq = following
                    return heard
        raise LinkLost(localized("flash.silent"))

    def listen(self, kind: int, patience_us: int = DELIVERY_TIMEOUT_US) -> bytes:
        """Wait for a frame of a type; its payload. LinkLost."""
        end = self.line.now_us + patience_us
        while self.line.now_us < end:
            for told, _, _, _, data in self._decoder.feed(self.line.read(end)):
                if told == kind:
                    return data
        raise LinkLost(localized("flash.silent"))

    def stay(self, us: int) -> list[tuple[int, bytes]]:
        """Let so much time go by, and let the board know that we are there; what it told."""
        heard: list[tuple[int, bytes]] = []
        end = self.line.now_us + us
        while self.line.now_us < end:
            if self.line.now_us >= self._beat_us:
                self._beat_us = self.line.now_us + BEAT_US
                self.line.write(wire.frame(wire.H_BEAT, wire.pack_u32(BEAT_US)))
            until = min(end, self._beat_us)
            for told, _, _, _, data in self._decoder.feed(self.line.read(until)):
                heard.append((told, data))
        return heard

    def restart(self, how: int, patience_us: int = 25_000_000) -> Hello:
        """Start the board anew, greet it, its new HELLO; BoardError when it refuses or is gone."""
        before = self.hello.boot_id, self.hello.model
        self.line.write(wire.frame(wire.H_BOOT, wire.pack_boot(how), wire.RELIABLE, self._seq))
        end = self.line.now_us + patience_us
        for told, data in self.stay(700_000):
            if told == wire.B_NAK and wire.unpack_nak(data)[0] == wire.H_BOOT:
                raise BoardError(localized("flash.not-whole"))
        while self.line.now_us < end:
            try:
                hello = self.greet()
            except LinkLost:
                raise
            except BoardError:
                continue
            if (hello.boot_id, hello.model) != before:
                return hello
        raise LinkLost(localized("flash.not-back"))


# --- Raw readings of a board's sensors, asked for by GET_FIELD, and what they say at rest ---


SILENT_US = wire.SILENCE_US
"""A board that was asked for fields and says none for so long does not tell them."""
ASK_AGAIN_US = 400_000


@dataclass(frozen=True, slots=True)
class Moment:
    """One frame of the sensors: counts of the cells from `first` on, references by strip."""

    t_us: int
    first: int
    counts: tuple[int, ...]
    references: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Reading:
    """A cell over some moments, in counts above its strip's reference."""

    mean: float
    sigma: float
    count: float
    """The mean count itself: near 0 or 4095 the sensor is dead or unsoldered."""
    moves: bool
    """Whether the count ever changed; a stuck sensor's does not."""


class RawReadings:
    """Has a board tell raw readings; `take` is called while time goes on.

    `trims`: throw the driver's frames away once they are read, for waits without end.
    """

    def __init__(
        self,
        driver: BoardClient,
        first: int = 0,
        count: int = 0,
        period_ms: int = 10,
        *,
        trims: bool = False,
    ) -> None:
        self.driver = driver
        self._trims = trims
        self.first = first
        self.count = count or len(driver.link.profile.cells) - first
        self._period_ms = period_ms
        self._seen = len(driver.frames)
        self._parts: dict[int, dict[int, tuple[int, ...]]] = {}
        self._asked_us = 0
        self._heard_us = driver.line.now_us
        self._ask()

    def _ask(self) -> None:
        self._asked_us = self.driver.line.now_us
        told = wire.pack_get_field(self.first, self.count, self._period_ms)
        self.driver.send(wire.H_GET_FIELD, told, reliable=False)

    def take(self, moments: int) -> list[Moment]:
        """The next so many moments; LinkLost when the board tells none."""
        got: list[Moment] = []
        while len(got) < moments:
            got += self.look()
            now = self.driver.line.now_us
            if now - self._heard_us > SILENT_US:
                raise LinkLost("the board tells no raw readings (FIELD)")
            if now - max(self._heard_us, self._asked_us) > ASK_AGAIN_US:
                self._ask()  # the question may have been lost: it is not a reliable frame
            if len(got) < moments:
                self.driver.run(5_000)
        return got[:moments]

    def look(self) -> list[Moment]:
        """The whole moments that have come since the last look."""
        got: list[Moment] = []
        strips = self.driver.link.profile.rows
        for frame in self.driver.frames[self._seen :]:
            if frame.kind != wire.B_FIELD:
                continue
            self._heard_us = frame.at_us
            t_us, first, readings = wire.unpack_field(frame.payload)
            parts = self._parts.setdefault(t_us, {})
            parts[first] = tuple(readings)
            if first != wire.FIRST_BUTTON:
                continue
            cells = tuple(r for k in sorted(parts) if k < wire.FIRST_BUTTON for r in parts[k])
            if len(cells) == self.count and len(readings) == strips:
                got.append(Moment(t_us, self.first, cells, tuple(readings)))
            self._parts.clear()
        if self._trims:
            self.driver.frames.clear()
        self._seen = len(self.driver.frames)
        return got

    def close(self) -> None:
        """Ask for no more."""
        self.driver.send(wire.H_GET_FIELD, wire.pack_get_field(0, 0, 0), reliable=False)
        self.driver.run(30_000)


def survey(moments: Sequence[Moment], rows: Sequence[int]) -> list[Reading]:
    """Each cell over these moments (at least one); `rows` are the strips of the same cells.

    >>> survey([Moment(0, 0, (2060,), (2048,)), Moment(1, 0, (2064,), (2048,))], [0])
    [Reading(mean=14.0, sigma=2.0, count=2062.0, moves=True)]
    """
    out = []
    for k, row in enumerate(rows):
        counts = [moment.counts[k] for moment in moments]
        above = [moment.counts[k] - moment.references[row] for moment in moments]
        out.append(Reading(fmean(above), pstdev(above), fmean(counts), len(set(counts)) > 1))
    return out


def references(moments: Sequence[Moment]) -> list[float]:
    """The mean count of each strip's reference."""
    return [fmean(strip) for strip in zip(*(moment.references for moment in moments), strict=True)]

"""Drives a board step by step: one link over any line, in virtual or in real time.

    driver = BoardClient(load("hex3"), line)  # or None for whatever board is there
    driver.open()
    driver.until(lambda: driver.kinds[9] == 1)
    driver.send(wire.H_CFG, packed(wire.H_CFG, wire.CFG_BRIGHTNESS, 255))
    driver.answer(wire.H_GET_STATE, b"", wire.B_STATE)

Nothing here runs by itself: time goes on in `run`, `until` and what waits. `RawReadings` are those
of its sensors, asked for by GET_FIELD, and `survey` is what they say at rest.
"""

from __future__ import annotations

import contextlib
import struct
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from random import SystemRandom
from statistics import fmean, pstdev

from lumiban_fw import wire

from lumiban.boards.faults import ActiveFaults, sentence
from lumiban.boards.identity import Identity, profile_text, read_identity
from lumiban.boards.link import GREETING_US, Link, mismatch
from lumiban.boards.messages import Unpacked, packed, unpacked
from lumiban.boards.port_line import error_of
from lumiban.boards.ports import localized
from lumiban.boards.profile import Profile, load, names, read
from lumiban.boards.transport import ByteLine
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
from lumiban.errors import BoardError, LinkLost, ProfileError

ANSWER_TIMEOUT_US = 3_000_000
DELIVERY_TIMEOUT_US = 6_000_000
"""A reliable frame that is not acknowledged after so long does not arrive."""
STORING_US = 6_000_000
"""Longest silence in µs of a board that is storing files."""
RESTART_US = 700_000
"""A board that restarts is not greeted before: it might still be the old one."""
RESTART_TIMEOUT_US = 25_000_000


@dataclass(frozen=True, slots=True)
class Frame:
    """A frame from the board as it came, at this host time."""

    at_us: int
    kind: int
    payload: bytes
    flags: int = 0
    seq: int = 0
    ack: int = 0

    @property
    def unpacked(self) -> Unpacked:
        """Its payload by the table; ValueError when it is none of its type."""
        return unpacked(self.kind, self.payload)

    def __getitem__(self, field: str) -> int:
        return self.unpacked.number(field)


class Conversation:
    """Frames to a board and from it on a line; time goes on only while one waits."""

    def __init__(self, line: ByteLine) -> None:
        self.line = line
        self.frames: list[Frame] = []
        """All whole frames that came."""
        self._decoder = wire.Decoder()

    def of(self, kind: int, since: int = 0) -> list[Frame]:
        """Frames of a type, after the first `since` that came."""
        return [frame for frame in self.frames[since:] if frame.kind == kind]

    def run(self, us: int) -> None:
        """Let so much time go by."""
        end = self.line.now_us + us
        while self.line.now_us < end:
            self.turn(end)

    def turn(self, until_us: int) -> None:
        """Let time go by to a moment, or until bytes came."""
        self._decode(self.line.read(until_us))

    def _decode(self, data: bytes) -> list[Frame]:
        now_us, known = self.line.now_us, len(self.frames)
        for kind, flags, seq, ack, payload in self._decoder.feed(data):
            self.frames.append(Frame(now_us, kind, payload, flags, seq, ack))
        return self.frames[known:]


class _Driven(Link):
    """A Link that also sends frames of the caller's, and may keep its beats to itself."""

    beats = True

    def put(self, kind: int, payload: bytes, reliable: bool) -> None:
        """Send one frame behind what waits, reliably or not."""
        if reliable:
            self._sender.send(kind, payload)
            self._out += self._sender.fill()
        else:
            self._send(kind, payload)

    def _send(self, kind: int, payload: bytes) -> None:
        if kind != wire.H_BEAT or self.beats:
            super()._send(kind, payload)

    @property
    def kinds(self) -> list[int]:
        """The belief, by cell."""
        return list(self._belief.kinds or ())

    @property
    def all_acknowledged(self) -> bool:
        """True if the board has acknowledged all reliable frames."""
        return self._sender.is_idle


class BoardClient(Conversation):
    """One host of one board. `log` has all link events, `frames` all frames that came.

    Without a profile any board is greeted, also one in its rescue; `fit` finds what it is. With
    `acknowledges` each event is acknowledged as soon as it came, else the caller does it. A
    `session` of 0 is one by chance. `port` names the board in sentences, `silence_us` is how long
    it may say nothing: storing a program's files can take a chip seconds.
    """

    def __init__(
        self,
        profile: Profile | None,
        line: ByteLine,
        *,
        port: str = "",
        session: int = 0,
        resume: tuple[int, int] | None = None,
        acknowledges: bool = True,
        silence_us: int = wire.SILENCE_US,
    ) -> None:
        super().__init__(line)
        self.link = _Driven(
            profile,
            session or SystemRandom().getrandbits(32),
            resume=resume,
            silence_us=silence_us,
        )
        self.link.had_chance = line.had_chance
        self.acknowledges = acknowledges
        self.log: list[LinkEvent] = []
        self._port = port

    # What came.

    @property
    def hello(self) -> Hello:
        """The board's HELLO; LinkLost before the first."""
        if self.link.hello is None:
            raise LinkLost("no board has answered yet")
        return self.link.hello

    @property
    def profile(self) -> Profile:
        """Profile of the board; ProfileError as long as it is unknown."""
        if self.link.profile is None:
            raise ProfileError("nothing is known of this board but its greeting")
        return self.link.profile

    @property
    def events(self) -> list[BoardEvent]:
        """All events, in order, none twice."""
        return [one for event in self.log if isinstance(event, Changed) for one in event.events]

    @property
    def snapshots(self) -> list[Snapshot]:
        """The pictures that were told whole."""
        return [event for event in self.log if isinstance(event, Snapshot)]

    @property
    def faults(self) -> list[Faulty]:
        """Faults that the board reported."""
        return [event for event in self.log if isinstance(event, Faulty)]

    def held_faults(self) -> list[Faulty]:
        """Faults that the board has told since it was greeted and that are not over."""
        active = ActiveFaults()
        for event in self.log:
            if isinstance(event, Connected):
                active = ActiveFaults()
            elif isinstance(event, Faulty):
                active.hear(event.what, event.where, 0)
        return [Faulty(*held) for held in active.held]

    @property
    def kinds(self) -> list[int]:
        """Content of each cell as the host knows it; [] before the first picture."""
        return self.link.kinds

    # Meeting a board.

    def greet(self, patience_us: int = GREETING_US) -> Hello:
        """Begin a session; the board's HELLO, also of one in its rescue.

        NotABoard when nothing of ours answers, WrongMajor when it speaks another version,
        BoardError when it is another board than the profile says.
        """
        begun = len(self.log)
        self.log += self.link.opened(self.line.now_us, patience_us)
        while not self.link.is_connected:  # the link says when its patience is over
            self.turn(self.line.now_us + patience_us)
            for event in self.log[begun:]:
                if isinstance(event, Lost):
                    raise self._unmet(event)
        self.line.met(self.hello.uid)
        return self.hello

    def _unmet(self, lost: Lost) -> BoardError:
        if lost.reason == "silent":  # it was met before, which says nothing of what is there now
            lost = Lost("not-a-board")
        elif lost.reason == "other-board":
            self.line.lost(lost.reason)
        return error_of(lost, self._port)

    def fit(self, wish: str = "") -> Profile:
        """The profile of the board that was greeted; later boards on this line must be like it.

        The one that is wished, else the built-in one that the board names, else what the board
        tells of itself. BoardError when it does not fit or tells nothing; ProfileError.
        """
        try:
            profile = profile_for_board(self.hello, wish)
        except BoardError:
            if wish or not self.hello.capabilities & wire.CAN_IDENTIFY:
                raise
            profile = read(self.described(), f"{self.hello.model}.toml")
        self.link.profile = profile
        return profile

    def identify(self) -> Identity:
        """Identity that the board reports; BoardError when it has none, LinkLost."""
        header = self._ask(wire.H_IDENTIFY, bytes((wire.WHOLE_BOARD,)), wire.B_IDENTITY, b"")
        parts = []
        for first in range(0, self.hello.cells, wire.PLACES_A_FRAME):
            cell = bytes((first,))
            parts.append(self._ask(wire.H_IDENTIFY, cell, wire.B_CELLS, cell))
        try:
            return read_identity(header, parts)
        except ValueError as error:
            raise BoardError(f"the board does not say what it is: {error}") from None

    def described(self) -> str:
        """A profile of the board as TOML, from what it tells of itself; BoardError, LinkLost."""
        return profile_text(self.identify(), self.fetch(wire.FILE_BOARD))

    def fetch(self, what: int) -> bytes:
        """A file that the board keeps, b"" when it has none; LinkLost."""
        data = b""
        while True:
            reply = self._ask(
                wire.H_FILE_READ,
                packed(wire.H_FILE_READ, what, len(data)),
                wire.B_FILE_PART,
                struct.pack("<BH", what, len(data)),
            )
            part = unpacked(wire.B_FILE_PART, reply)
            data += bytes(part.column)
            if len(data) >= part.number("size"):
                return data

    def _ask(self, kind: int, payload: bytes, answer: int, begins: bytes) -> bytes:
        """The answer that begins so: one that was under way is not taken for this one."""
        end = self.line.now_us + ANSWER_TIMEOUT_US
        while True:
            reply = self.answer(kind, payload, answer)
            if reply.startswith(begins):
                return reply
            if self.line.now_us >= end:
                raise LinkLost(f"no frame of type 0x{answer:02x} came")

    def open(self, patience_us: int = ANSWER_TIMEOUT_US) -> Hello:
        """Greet the board and wait for its first picture; LinkLost, or the errors of `greet`.

        BoardError says why when none can come: its strips have no power.
        """
        pictures = len(self.snapshots)
        hello = self.greet(patience_us)
        try:
            self.until(lambda: len(self.snapshots) > pictures, patience_us)
        except LinkLost:
            for fault in self.held_faults():
                if fault.what == wire.FAULT_RAIL:
                    id, params = sentence(fault.what, fault.where, self.profile)
                    raise BoardError(localized(f"selftest.{id}", **params)) from None
            raise
        return hello

    def restart(self, how: int = wire.BOOT_AGAIN, patience_us: int = RESTART_TIMEOUT_US) -> Hello:
        """Restart the board and greet it on the same line; its new HELLO.

        BoardError when it refuses, LinkLost when it does not come back.
        """
        before, heard = (self.hello.boot_id, self.hello.model), len(self.frames)
        self.send(wire.H_BOOT, packed(wire.H_BOOT, wire.BOOT_MAGIC, how))
        end = self.line.now_us + patience_us

        def followed() -> bool:
            return self.link.all_acknowledged or not self.link.is_connected

        with contextlib.suppress(LinkLost):  # a chip may be gone before it says anything more
            self.until(followed, DELIVERY_TIMEOUT_US)
        for frame in self.frames[heard:]:
            if (
                frame.kind == wire.B_NAK
                and unpacked(wire.B_NAK, frame.payload).fields[0] == wire.H_BOOT
            ):
                raise BoardError(localized("flash.not-whole"))
        self.run(RESTART_US)
        while self.line.now_us < end:
            try:
                hello = self.greet()
            except LinkLost:
                raise
            except BoardError:
                continue
            if (hello.boot_id, hello.model) != before:
                return hello
            self.run(RESTART_US)
        raise LinkLost(localized("flash.not-back"))

    # Speaking with it.

    def send(self, kind: int, payload: bytes = b"", *, reliable: bool = True) -> None:
        """Send a frame; a reliable one is repeated until it was followed, as all the link's are."""
        self.link.put(kind, payload, reliable)

    def deliver(
        self, kind: int, payload: bytes = b"", patience_us: int = DELIVERY_TIMEOUT_US
    ) -> list[Frame]:
        """Send a reliable frame and wait until the board has it; the frames heard meanwhile.

        LinkLost when the board does not acknowledge it in this session.
        """
        heard, logged = len(self.frames), len(self.log)
        self.send(kind, payload)

        def followed() -> bool:
            if any(isinstance(one, Lost | Connected) for one in self.log[logged:]):
                raise LinkLost(localized("flash.silent"))
            return self.link.all_acknowledged

        try:
            self.until(followed, patience_us)
        except LinkLost:
            raise LinkLost(localized("flash.silent")) from None
        return self.frames[heard:]

    def listen(self, kind: int, patience_us: int = DELIVERY_TIMEOUT_US) -> bytes:
        """Wait for a frame of a type; its payload. LinkLost."""
        heard = len(self.frames)

        def has_come() -> bool:
            return any(frame.kind == kind for frame in self.frames[heard:])

        try:
            self.until(has_come, patience_us)
        except LinkLost:
            raise LinkLost(localized("flash.silent")) from None
        return next(frame.payload for frame in self.frames[heard:] if frame.kind == kind)

    def answer(
        self, kind: int, payload: bytes, answer: int, *, patience_us: int = ANSWER_TIMEOUT_US
    ) -> bytes:
        """Send an unreliable frame until a frame of type `answer` comes; its payload. LinkLost."""
        before = len(self.frames)
        end = self.line.now_us + patience_us

        def has_come() -> bool:
            return any(frame.kind == answer for frame in self.frames[before:])

        while not has_come():
            if self.line.now_us >= end:
                raise LinkLost(f"no frame of type 0x{answer:02x} came")
            self.send(kind, payload, reliable=False)
            with contextlib.suppress(LinkLost):
                self.until(has_come, min(200_000, end - self.line.now_us))
        return next(frame.payload for frame in self.frames[before:] if frame.kind == answer)

    def show(self, frame: LightFrame) -> None:
        """Light the board."""
        self.link.show(frame)

    def flush(self, patience_us: int = ANSWER_TIMEOUT_US) -> None:
        """Wait until the board has followed all reliable frames; LinkLost."""
        self.until(lambda: self.link.all_acknowledged and self.link.shown, patience_us)

    # Time.

    def until(self, done: Callable[[], bool], patience_us: int = ANSWER_TIMEOUT_US) -> None:
        """Let time go by until something holds; LinkLost when it does not in time."""
        end = self.line.now_us + patience_us
        while not done():
            if self.line.now_us >= end:
                raise LinkLost(f"nothing after {patience_us} µs")
            self.turn(end)

    def turn(self, until_us: int) -> None:
        """Let time go by to a moment, or until bytes came, and the link do its work."""
        out = self.link.take_output()
        if out:
            self.line.write(out)
        due = self.link.next_deadline()
        data = self.line.read(until_us if due is None else min(due, until_us))
        now = self.line.now_us
        self._decode(data)
        events = self.link.receive(data, now) + self.link.poll(now)
        self.log += events
        for event in events:
            if isinstance(event, Connected):
                self._decoder = wire.Decoder()
            elif isinstance(event, Changed) and self.acknowledges:
                self.link.acknowledge(event.events[-1].number + 1)


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
    """True if the count ever changed; a stuck sensor's does not."""


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
        self.count = count or len(driver.profile.cells) - first
        self._period_ms = period_ms
        self._seen = len(driver.frames)
        self._parts: dict[int, dict[int, tuple[int, ...]]] = {}
        self._heard_us = driver.line.now_us
        self._ask()

    def _ask(self) -> None:
        self._asked_us = self.driver.line.now_us
        payload = packed(wire.H_GET_FIELD, self.first, self.count, self._period_ms)
        self.driver.send(wire.H_GET_FIELD, payload, reliable=False)

    def take(self, moments: int) -> list[Moment]:
        """The next moments; LinkLost when the board tells none."""
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
        strips = self.driver.profile.rows
        for frame in self.driver.frames[self._seen :]:
            if frame.kind != wire.B_FIELD:
                continue
            self._heard_us = frame.at_us
            field = unpacked(wire.B_FIELD, frame.payload)
            (t_us, first), readings = field.fields, field.column
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
        self.driver.send(wire.H_GET_FIELD, packed(wire.H_GET_FIELD, 0, 0, 0), reliable=False)
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
    return [fmean(m.references[row] for m in moments) for row in range(len(moments[0].references))]

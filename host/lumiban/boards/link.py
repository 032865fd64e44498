"""The host's end of the wire, without I/O: bytes and times in, link events and bytes out.

A shell opens a port, calls `opened`, feeds `receive`, calls `poll` when `next_deadline` has come,
and writes what `take_output` gives. In virtual time the caller is a heap of deadlines instead.

Beside `Link`: what the board was given to show and the frames that lead from there to a new picture
(`ShownPicture`); who answers, and whether it fits the profile (`read_hello`, `mismatch`); what the
host believes to stand on the board, events folded, snapshots compared, gaps healed (`BoardState`);
and a link that tells everything it is given, for a flight recorder to run it again
(`ObservedLink`).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Protocol, TypeVar

from lumiban_fw import wire

from lumiban.boards.messages import events_base, packed, unpack_events, unpack_state, unpacked
from lumiban.boards.profile import Profile
from lumiban.boards.transport import BoardClock, ReliableSender
from lumiban.boards.types import (
    BoardEvent,
    BoardTime,
    Changed,
    Connected,
    Faulty,
    Hello,
    LightFrame,
    LinkEvent,
    Lost,
    Snapshot,
    Statistics,
)

HELLO_RETRY_US = 250_000
GREETING_US = 2_500_000
WAIT_US = 500_000
"""Further patience in µs with somebody who had no chance to speak."""
STATE_RETRY_US = 250_000
BACKLOG = 512
"""Bytes that may wait to be written before pictures are coalesced."""
STUCK = 8
"""Time-outs in a row on a board that still talks: its session is not ours; greet it again."""
ASTRAY = 3
"""Acks in a row for frames that were never sent: likewise."""
MOVING_US = 10_000
"""A BEAT's watermark this far behind its time tells of something in motion."""

SHUT, GREETING, OPEN = "shut", "greeting", "open"


class Link:
    """One board at the other end of a byte stream.

    `session` numbers this host's greeting (any u32; later ones count up from it). `resume` =
    (boot_id, next_event) continues where an earlier host process left off: on the same boot of the
    board, events below `next_event` are dropped and those from there on are delivered before the
    Snapshot; without it the first Snapshot holds all that happened before.

    Without a profile any board is greeted; one may be set once the board is known, and later
    greetings are held against it. `silence_us`: without a frame for so long the board is lost.

    Events are told exactly once and in order. They stay on the board until `acknowledge`.
    """

    def __init__(
        self,
        profile: Profile | None,
        session: int,
        *,
        resume: tuple[int, int] | None = None,
        silence_us: int = wire.SILENCE_US,
    ) -> None:
        self.profile = profile
        self.silence_us = silence_us
        self.had_chance: Callable[[], bool] = lambda: True
        """Asked before the board is given up: whether it could have spoken (`ByteLine`)."""
        self.hello: Hello | None = None
        self.clock = BoardClock()
        self._next_session = session
        self._resume = resume
        self._state = SHUT
        self._decoder = wire.Decoder()
        self._sender = ReliableSender()
        self._told = ShownPicture()
        self._belief = BoardState(len(profile.cells) if profile else 0)
        self._durable = resume[1] if resume else 0
        self._wanted: LightFrame | None = None
        self._unsent = False
        self._out = bytearray()
        self._statistics = Statistics()
        self._moving = False

    # The shell's side.

    def opened(self, now_us: int, patience_us: int = GREETING_US) -> list[LinkEvent]:
        """The port is open: greet the board for so long. Also after a Lost, for the next try.

        Time by which `poll` comes late does not count.
        """
        self._now = now_us
        self._patience_us = patience_us
        self._greet(now_us)
        return []

    def receive(self, data: bytes, now_us: int) -> list[LinkEvent]:
        """Bytes from the board, in any portions."""
        self._excuse(now_us)
        self._now = now_us
        self._sender.stamp(now_us)
        self._statistics.bytes_in += len(data)
        out: list[LinkEvent] = []
        for kind, flags, _seq, ack, payload in self._decoder.feed(data):
            if self._state == SHUT:
                break
            self._statistics.frames_in += 1
            try:
                self._follow(kind, flags, ack, payload, out)
            except ValueError:  # a payload shorter than its type asks for: no frame of ours
                self._statistics.broken += 1
        self._light()
        self._sender.stamp(now_us)
        return out

    def poll(self, now_us: int) -> list[LinkEvent]:
        """Do what time asks for: retries, beats, clock questions; notice silence."""
        self._excuse(now_us)
        if self._state != SHUT and now_us >= self._end_us and not self.had_chance():
            self.wait_on(now_us)
        return self._poll(now_us)

    def _excuse(self, now_us: int) -> None:
        """Leave out of the board's silence what the host is late by: it has heard nobody meanwhile,
        and where it stood still, all else on its machine may have."""
        due_us = self.next_deadline()
        if due_us is not None and now_us > due_us:
            self._until_us += now_us - due_us
            self._heard_us += now_us - due_us

    def wait_on(self, now_us: int) -> None:
        """Give a board that had no chance to speak another `WAIT_US`."""
        self._until_us = now_us + WAIT_US
        self._heard_us = now_us + WAIT_US - self.silence_us

    @property
    def _end_us(self) -> int:
        """Time in µs at which the board is given up if it stays silent."""
        return self._until_us if self._state == GREETING else self._heard_us + self.silence_us

    def _poll(self, now_us: int) -> list[LinkEvent]:
        self._now = now_us
        self._sender.stamp(now_us)
        if self._state == GREETING:
            if now_us >= self._until_us:
                return self._give_up()
            if now_us >= self._hello_us:
                self._say_hello(now_us)
        elif self._state == OPEN:
            if now_us >= self._end_us:
                return self._lose("silent")
            self._keep_going(now_us)
        return []

    def next_deadline(self) -> int | None:
        """Host time at which `poll` has something to do; None while the port is shut."""
        if self._state == SHUT:
            return None
        if self._state == GREETING:
            return max(min(self._until_us, self._hello_us), self._now)
        times = [self._heard_us + self.silence_us, self._beat_us]
        if not self._is_in_rescue:
            times.append(self.clock.due_us())
            if self._belief.wants_state():
                times.append(self._ask_us)
        resend = self._sender.deadline_us()
        if resend is not None and len(self._out) <= BACKLOG:
            times.append(resend)
        return max(min(times), self._now)

    def take_output(self, limit: int | None = None) -> bytes:
        """Bytes to write now, at most `limit`; b"" when there are none."""
        if not self._out:
            return b""
        size = len(self._out) if limit is None else limit
        taken = bytes(self._out[:size])
        del self._out[:size]
        self._statistics.bytes_out += len(taken)
        self._light()
        return taken

    def closed(self, reason: str = "") -> list[LinkEvent]:
        """The port was closed or broke; `reason` is the system's word for it."""
        return [] if self._state == SHUT else self._lose("closed", reason)

    # The table's side.

    def show(self, frame: LightFrame) -> None:
        """Light the board like this, as soon as it takes it; only the latest picture counts."""
        self._statistics.coalesced += self._unsent
        self._wanted = frame
        self._unsent = True
        self._light()

    def acknowledge(self, next_event: int) -> None:
        """All events below `next_event` are durable: the board may forget them."""
        known = self._belief.next_event
        if known is None or next_event > known:
            return  # of an earlier boot of the board, whose numbers mean nothing any more
        self._durable = max(self._durable, next_event)
        if self._state == OPEN:
            self._send(wire.H_ACK, packed(wire.H_ACK, self._durable))

    def board_now(self, now_us: int) -> int:
        """Board time (µs, full width)."""
        return self.clock.board_now(now_us)

    @property
    def is_connected(self) -> bool:
        """True if HELLO was exchanged and the board is heard."""
        return self._state == OPEN

    @property
    def shown(self) -> bool:
        """True if the board has acknowledged the latest picture."""
        return self._sender.is_idle and not self._unsent

    @property
    def resume(self) -> tuple[int, int] | None:
        """(boot_id, next event) as far as events were told; None before the first connection."""
        if self.hello is None or self._belief.next_event is None:
            return self._resume
        return self.hello.boot_id, self._belief.next_event

    @property
    def statistics(self) -> Statistics:
        """The counters as they stand."""
        totals, sender = replace(self._statistics), self._sender
        totals.add(self._belief)
        totals.broken += self._decoder.errors
        totals.frames_out += sender.sent
        totals.resent, totals.trip_us, totals.trips_us = (
            sender.resent,
            sender.trip_us,
            (*sender.trips_us,),
        )
        totals.clock_trip_us, totals.drift_ppm = self.clock.least_trip_us, self.clock.drift_ppm
        return totals

    # Greeting.

    def _begin(self, now_us: int) -> None:
        self._sender.reset()
        self._told.forget()
        self._out.clear()
        self._until_us = now_us + self._patience_us
        self._hello_us = self._heard_us = self._beat_us = self._ask_us = now_us

    def _greet(self, now_us: int) -> None:
        """Begin a session of its own number; answers to older ones no longer count."""
        # 0 is what a board says in a HELLO that nobody asked for.
        self._session = self._next_session & 0xFFFFFFFF or 1
        self._next_session = self._session + 1
        self._state = GREETING
        self._other_major = 0
        self._begin(now_us)
        self._out += b"\0"  # ends whatever half a frame the board has heard so far
        self._say_hello(now_us)

    def _say_hello(self, now_us: int) -> None:
        self._send(wire.H_HELLO, packed(wire.H_HELLO, wire.MAJOR, wire.MINOR, self._session))
        self._hello_us = now_us + HELLO_RETRY_US

    def _give_up(self) -> list[LinkEvent]:
        if self._other_major:
            return self._lose("wrong-major", str(self._other_major))
        return self._lose("silent" if self._statistics.connects else "not-a-board")

    def _lose(self, reason: str, detail: str = "") -> list[LinkEvent]:
        self._state = SHUT
        self._out.clear()
        self._statistics.losses += 1
        self._statistics.broken += self._decoder.errors
        self._decoder = wire.Decoder()
        return [Lost(reason, detail)]

    def _enter(self, hello: Hello, out: list[LinkEvent]) -> None:
        now_us = self._now
        again = self.hello is not None and self.hello.boot_id == hello.boot_id
        if again:
            self._belief.connected()
        else:
            same = self._resume is not None and self._resume[0] == hello.boot_id
            start = self._resume[1] if same and self._resume else None
            self._durable = start or 0
            old, self._belief = self._belief, BoardState(hello.cells, start)
            self._statistics.add(old)
        self.hello = hello
        self._board_us = hello.now_us
        self.clock.start(hello.now_us, now_us)
        self._state = OPEN
        self._heard_us = self._beat_us = self._ask_us = now_us
        self._statistics.connects += 1
        if self._durable:
            self._send(wire.H_ACK, packed(wire.H_ACK, self._durable))
        out.append(Connected(hello))
        self._keep_going(now_us)

    # The open link.

    @property
    def _is_in_rescue(self) -> bool:
        """True if the device that responded has neither clock nor senses: it takes files only."""
        return self.hello is not None and self.hello.is_in_rescue

    def _keep_going(self, now_us: int) -> None:
        # A board that is silent since the first of them may be storing a file: it is waited for.
        if self._sender.timeouts >= STUCK and now_us < self._heard_us + wire.SILENCE_US:
            self._greet(now_us)
            return
        if now_us >= self._beat_us:
            self._send(wire.H_BEAT, packed(wire.H_BEAT, wire.BEAT_US))
            self._beat_us = now_us + wire.BEAT_US
        if not self._is_in_rescue:
            if now_us >= self.clock.due_us():
                self._send(wire.H_CLOCK, packed(wire.H_CLOCK, self.clock.ask(now_us)))
            if self._belief.wants_state() and now_us >= self._ask_us:
                self._send(wire.H_GET_STATE, b"")
                self._ask_us = now_us + STATE_RETRY_US
        if len(self._out) <= BACKLOG:
            self._out += self._sender.resend(now_us)
        self._light()
        self._sender.stamp(now_us)

    def _follow(
        self, kind: int, flags: int, ack: int, payload: bytes, out: list[LinkEvent]
    ) -> None:
        """One frame from the board, whole and with a right checksum."""
        if not kind & wire.FROM_BOARD:
            return
        if self._state == GREETING:
            self._follow_greeting(kind, flags, payload, out)
            return
        if flags >> wire.MAJOR_SHIFT != wire.MAJOR:
            return
        now_us = self._now
        self._heard_us = now_us
        self._sender.acknowledged(ack, now_us)
        if self._sender.astray >= ASTRAY:
            self._greet(now_us)
            return
        if kind == wire.B_EVENTS:
            self._take_events(flags, payload, out)
        elif kind == wire.B_STATE:
            self._take_state(payload, out)
        elif kind == wire.B_BEAT:
            self._take_beat(payload, out)
        elif kind == wire.B_CLOCK:
            token, rx_us, turnaround_us = unpacked(wire.B_CLOCK, payload).fields
            self.clock.answered(token, rx_us, turnaround_us, now_us)
        elif kind == wire.B_HELLO:
            boot_id = unpacked(wire.B_HELLO, payload).fields[8]
            if self.hello is not None and boot_id != self.hello.boot_id:
                self._greet(now_us)
        elif kind == wire.B_FAULT:
            out.append(Faulty(*unpacked(wire.B_FAULT, payload).fields))
        elif kind == wire.B_STATS:
            self._statistics.board = unpacked(wire.B_STATS, payload).fields
        # Others are of a later minor version, or (ACK, LOG) say nothing beyond their header.

    def _follow_greeting(self, kind: int, flags: int, payload: bytes, out: list[LinkEvent]) -> None:
        uid = self.hello.uid if self.hello is not None else ""
        reply = answer(kind, flags, payload, self._session, self.profile, uid)
        if isinstance(reply, Hello):
            self._enter(reply, out)
        elif isinstance(reply, Lost):
            out += self._lose(reply.reason, reply.detail)
        elif reply is not None:
            # A fault carries no session: the line may have kept it. What is meant for us is
            # followed by a HELLO that says so, or comes again.
            if self._other_major == reply:
                out += self._lose("wrong-major", str(reply))
            self._other_major = reply

    def _take_events(self, flags: int, payload: bytes, out: list[LinkEvent]) -> None:
        first, low, watermark, raw = unpack_events(payload)
        board_us = self.board_now(self._now)
        base = events_base(low, flags, board_us)
        last = base + max(dt for _, _, dt, _ in raw)
        if base < 0 or last > board_us + wire.SILENCE_US:
            # Of before power-on or of the future: a garbled frame, or a clock that BEAT will show
            # to be another one. Either way the board sends them again.
            self._statistics.broken += 1
            return
        timed = [(cell, kind, base + dt, half) for cell, kind, dt, half in raw]
        repeats = self._belief.repeats
        news = self._belief.take_events(first, timed, self._now)
        if self._belief.repeats > repeats and self._durable:
            self._send(wire.H_ACK, packed(wire.H_ACK, self._durable))
        if news:
            out.append(Changed(news))
        self._tell_time(board_us, wire.widen(watermark, board_us), self._moving, out)

    def _take_state(self, payload: bytes, out: list[LinkEvent]) -> None:
        t_us, event, watermark, flags, part, parts, kinds = unpack_state(payload)
        near = self.board_now(self._now)
        t_us = wire.widen(t_us, near)
        fresh = self._belief.next_event is None
        state = self._belief.take_state(
            t_us,
            event,
            flags,
            part,
            parts,
            kinds,
            self._now,
            is_fresh=abs(near - t_us) < wire.STATE_US,
        )
        if state is not None:
            out.append(state)
            # What was durable of a count that the board never reached says nothing of this one.
            self._durable = min(self._durable, state.next_event)
            if fresh:
                # Nobody waits for what happened before the first picture.
                Link.acknowledge(self, state.next_event)
        self._tell_time(t_us, wire.widen(watermark, near), bool(flags & wire.MOVING), out)

    def _take_beat(self, payload: bytes, out: list[LinkEvent]) -> None:
        low, low_watermark = unpacked(wire.B_BEAT, payload).fields
        board_us = wire.widen(low, self._board_us)
        ahead_us = board_us - self.board_now(self._now)
        if board_us < self._board_us - wire.SILENCE_US or ahead_us > wire.SILENCE_US:
            self._greet(self._now)  # its clock is another one: it was reset behind our back
            return
        watermark = wire.widen(low_watermark, board_us)
        self._tell_time(board_us, watermark, board_us - watermark > MOVING_US, out)

    def _tell_time(
        self, board_us: int, watermark_us: int, moving: bool, out: list[LinkEvent]
    ) -> None:
        """Tell the board's time; it never runs backwards within a boot."""
        # Nor does a garbled time carry it away from the clock.
        board_us = min(board_us, self.board_now(self._now) + wire.SILENCE_US)
        self._board_us = max(self._board_us, board_us)
        self._moving = moving
        out.append(BoardTime(self._board_us, min(watermark_us, self._board_us), moving))

    # Output.

    def _send(self, kind: int, payload: bytes) -> None:
        self._out += wire.frame(kind, payload)
        self._statistics.frames_out += 1

    def _light(self) -> None:
        """Send the latest picture if window and line have room, else leave it for later."""
        if self._state != OPEN:
            return
        if self._wanted is not None and not self._sender.is_busy and len(self._out) <= BACKLOG:
            frames = self._told.diff(self._wanted)
            for kind, payload in frames:
                self._sender.send(kind, payload)
            self._statistics.pictures += bool(frames)
            self._unsent = False
        self._out += self._sender.fill()


NOW = 0
"""COMMIT at time 0: at once."""
_T = TypeVar("_T")


class ShownPicture:
    """The last picture that was handed to the reliable sender."""

    def __init__(self) -> None:
        self._lights: tuple[tuple[int, int], ...] = ()
        self._palette: tuple[tuple[int, int, int], ...] = ()

    def forget(self) -> None:
        """The board may show anything (new session): the next picture is sent whole."""
        self._lights = ()
        self._palette = ()

    def diff(self, frame: LightFrame) -> list[tuple[int, bytes]]:
        """Frames (type, payload) that change the picture, closed by COMMIT; [] when none does."""
        out = [
            (wire.H_LAYER, packed(wire.H_LAYER, 0, first, tail=list(frame.lights[first:end])))
            for first, end in runs(self._lights, frame.lights, wire.LIGHTS_A_FRAME, bridge=5)
        ]
        out += [
            (wire.H_PALETTE, packed(wire.H_PALETTE, first, tail=list(frame.palette[first:end])))
            for first, end in runs(self._palette, frame.palette, wire.COLOURS_A_FRAME, bridge=3)
        ]
        if out:
            out.append((wire.H_COMMIT, packed(wire.H_COMMIT, NOW)))
        self._lights = frame.lights
        # Colours beyond a shorter palette stay on the board as they were.
        self._palette = frame.palette + self._palette[len(frame.palette) :]
        return out


def runs(old: Sequence[_T], new: Sequence[_T], most: int, bridge: int) -> list[tuple[int, int]]:
    """Ranges (first, end) that cover all places where `new` differs from `old`.

    No range is longer than `most`; equal places are taken along where fewer than `bridge` of them
    lie between, for a frame of its own would be longer.

    >>> runs("aaaaaaaa", "abaabaab", most=4, bridge=3)
    [(1, 5), (7, 8)]
    """
    out: list[tuple[int, int]] = []
    for i, value in enumerate(new):
        if i < len(old) and old[i] == value:
            continue
        if out and i - out[-1][1] < bridge and i - out[-1][0] < most:
            out[-1] = (out[-1][0], i + 1)
        else:
            out.append((i, i + 1))
    return out


def answer(
    kind: int, flags: int, payload: bytes, session: int, profile: Profile | None, uid: str
) -> Hello | Lost | int | None:
    """Meaning of a frame for a host that greets with this session, whole and of any major version.

    The board's Hello when it is ours; Lost when it is not; the major version in its FAULT; None
    for all that is not about our greeting. `uid` is that of the board we know, "" of none;
    without a profile any model will do.
    ValueError when the frame is too short.
    """
    major = flags >> wire.MAJOR_SHIFT
    if kind == wire.B_FAULT:
        what, theirs = unpacked(wire.B_FAULT, payload).fields
        return theirs if what == wire.FAULT_VERSION else None
    if kind != wire.B_HELLO:
        return None
    if major != wire.MAJOR:
        ours = echoed_session(payload) == session
        return Lost("wrong-major", str(major)) if ours else None
    echoed, major, hello = read_hello(payload)
    if echoed != session:
        return None
    if major != wire.MAJOR:
        return Lost("wrong-major", str(major))
    if profile is not None and (unlike := mismatch(hello, profile)):
        return Lost("wrong-board", unlike)
    return hello if uid in ("", hello.uid) else Lost("other-board", hello.uid)


def read_hello(payload: bytes) -> tuple[int, int, Hello]:
    """(session echoed, major, Hello) of a board's HELLO; ValueError when it is too short."""
    (
        major,
        _minor,
        model,
        revision,
        cells,
        lights,
        firmware,
        uid,
        boot_id,
        session,
        now_us,
        scan_hz,
        capabilities,
        reset_cause,
    ) = unpacked(wire.B_HELLO, payload).fields
    hello = Hello(
        model=model.rstrip(b"\0").decode("ascii", "replace"),
        revision=revision,
        cells=cells,
        lights=lights,
        firmware=firmware,
        uid=uid.hex(),
        boot_id=boot_id,
        now_us=now_us,
        scan_hz=scan_hz,
        capabilities=capabilities,
        reset_cause=reset_cause,
    )
    return session, major, hello


def echoed_session(payload: bytes) -> int:
    """The session in a HELLO of any major version, whose place never changes; −1 without one.

    >>> echoed_session(bytes(29) + bytes([5, 1, 0, 0]))
    261
    """
    return int.from_bytes(payload[29:33], "little") if len(payload) >= 33 else -1


def mismatch(hello: Hello, profile: Profile) -> str:
    """Differences between the board and its profile, in words; "" when they fit."""
    actual = (hello.model, hello.cells, hello.lights)
    expected = (profile.model, len(profile.cells), profile.lights)
    if actual == expected:
        return ""
    return (
        f"the board is {actual[0]!r} with {actual[1]} cells and {actual[2]} lights, the profile "
        f"{expected[0]!r} has {expected[1]} cells and {expected[2]} lights"
    )


OVERFLOW_PATIENCE_US = 600_000
"""Time in µs in which missing events may be resent once the board reports that its ring
overflowed."""
RESEND_LIMIT_US = 1_500_000
"""Time in µs in which missing events may be resent otherwise; the board resends every 50 to 500
ms."""


@dataclass
class _Parts:
    """The parts of one STATE that have come so far."""

    key: tuple[int, int, int] | None
    got: dict[int, bytes] = field(default_factory=dict)


class BoardState:
    """Kinds of all cells and the number of the next event.

    `next_event` is None until the first STATE when nothing is to be resumed: what happened
    before is then part of the picture, not news.
    """

    def __init__(self, cells: int, next_event: int | None = None) -> None:
        self.cells = cells
        self.next_event = next_event
        self.kinds: list[int] | None = None
        self.repeats = 0
        self.gaps = 0
        self.heals = 0
        self.strange = 0
        """Events dropped since they can be of no board of ours."""
        self.told = False
        """True if a Snapshot went out since the last HELLO."""
        self._latest_us = 0
        """The latest time of an event that was told."""
        self._missing_since: int | None = None
        self._ahead_since: int | None = None
        """Since when the board tells of fewer events than were taken."""
        self._parts = _Parts(None)

    def connected(self) -> None:
        """A HELLO was exchanged again with the same boot of the board: a Snapshot is due."""
        self.told = False
        self._missing_since = self._ahead_since = None
        self._parts = _Parts(None)

    def take_events(
        self, first: int, events: list[tuple[int, int, int, int]], now_us: int
    ) -> tuple[BoardEvent, ...]:
        """The events that are news, in order; (cell, kind, t_us, uncertainty_us) from `first` on.

        Repeats are dropped. After a gap nothing is taken: the board resends from the oldest event
        that was not acknowledged. Times do not decrease except where an event says that it is late:
        one that lies before the last without a word for it is told as late, and what rounding on
        the wire has turned round is turned back.
        """
        if self.next_event is None:
            return ()
        if first > self.next_event:
            self._note_missing(now_us)
            return ()
        start, news = self.next_event, []
        for number, (cell, kind, t_us, uncertainty_us) in enumerate(events, first):
            if number < self.next_event:
                self.repeats += 1
                continue
            self.next_event = number + 1
            what = self._held(cell, kind & wire.KIND)
            if what is None:
                self.strange += 1
                continue
            behind_us = self._latest_us - t_us
            if 0 < behind_us < wire.EVENT_STEP_US and not kind & wire.LATE:
                t_us, behind_us = self._latest_us, 0
            late = bool(kind & wire.LATE) or behind_us > 0
            self._latest_us = max(self._latest_us, t_us)
            news.append(BoardEvent(number, cell, what, t_us, uncertainty_us, late))
            if self.kinds is not None and cell < self.cells:
                self.kinds[cell] = what
        if first + len(events) > start:
            self._missing_since = self._ahead_since = None
        return tuple(news)

    def take_state(
        self,
        t_us: int,
        event: int,
        flags: int,
        part: int,
        parts: int,
        kinds: bytes,
        now_us: int,
        *,
        is_fresh: bool = False,
    ) -> Snapshot | None:
        """Collect one part of a STATE; a Snapshot when the belief is new or was mended by it.

        `is_fresh` says that it was made just now, by the board's clock.
        """
        seen = self._collect((t_us, event, parts), part, kinds)
        if seen is None:
            return None
        moving = bool(flags & wire.MOVING)
        if self.next_event is None:
            return self._adopt(seen, event, t_us, moving, healed=False)
        if event > self.next_event:
            self._note_missing(now_us)
            patience = OVERFLOW_PATIENCE_US if flags & wire.OVERFLOWED else RESEND_LIMIT_US
            if now_us - (self._missing_since or 0) < patience:
                return None
            self.gaps += 1
            return self._adopt(seen, event, t_us, moving, healed=True)
        if event < self.next_event:
            # The first STATE after HELLO may set the count back: the number to resume from was
            # not this board's. Any other one is an old frame that came twice, unless the board
            # goes on saying so: then what was taken for its events was none.
            if self.told and not (is_fresh and self._is_gainsaid(now_us)):
                return None
            return self._adopt(seen, event, t_us, moving, healed=True)
        self._ahead_since = None
        wrong = self.kinds is not None and self.kinds != seen
        if self.told and not wrong:
            return None
        return self._adopt(seen, event, t_us, moving, healed=wrong)

    def wants_state(self) -> bool:
        """True if a STATE should be asked for: none yet since HELLO, or events are missing."""
        return not self.told or self._missing_since is not None

    def _held(self, cell: int, kind: int) -> int | None:
        """Cell content that an event reports, of kinds that we know; None when there is no such
        cell."""
        if cell < self.cells:
            return kind if kind <= wire.MASKED else wire.UNKNOWN
        return kind if cell >= wire.FIRST_BUTTON and kind in (wire.DOWN, wire.UP) else None

    def _is_gainsaid(self, now_us: int) -> bool:
        """True if the board has reported fewer events than were taken, for long enough."""
        if self._ahead_since is None:
            self._ahead_since = now_us
        return now_us - self._ahead_since >= RESEND_LIMIT_US

    def _note_missing(self, now_us: int) -> None:
        if self._missing_since is None:
            self._missing_since = now_us

    def _collect(self, key: tuple[int, int, int], part: int, kinds: bytes) -> list[int] | None:
        parts = key[2]
        if parts != -(-self.cells // wire.CELLS_A_STATE) or part >= parts:
            return None
        if key != self._parts.key:
            self._parts = _Parts(key)
        self._parts.got[part] = kinds
        if len(self._parts.got) < parts:
            return None
        whole = b"".join(
            self._parts.got[i][: wire.CELLS_A_STATE] if i < parts - 1 else self._parts.got[i]
            for i in range(parts)
        )
        self._parts = _Parts(None)
        if len(whole) < self.cells:
            return None
        return [kind if kind <= wire.MASKED else wire.UNKNOWN for kind in whole[: self.cells]]

    def _adopt(
        self, seen: list[int], event: int, t_us: int, moving: bool, *, healed: bool
    ) -> Snapshot:
        self.kinds = seen
        self.next_event = event
        self.told = True
        self._missing_since = self._ahead_since = None
        self.heals += healed
        return Snapshot(tuple(seen), event, t_us, moving, healed)


class LinkObserver(Protocol):
    """Hears each call of a link before it is followed; `took` has the bytes that it gave out.

    Times are the link's host µs.
    """

    def opened(self, now_us: int, patience_us: int) -> None:
        """The port was opened."""

    def received(self, data: bytes, now_us: int) -> None:
        """These bytes came."""

    def polled(self, now_us: int) -> None:
        """Notes that everything due by now was done."""

    def waited(self, now_us: int) -> None:
        """A board that had no chance to speak was given more time."""

    def closed(self, reason: str) -> None:
        """The port was closed."""

    def took(self, data: bytes) -> None:
        """These bytes were taken to be written."""

    def showed(self) -> None:
        """Another picture was given to show."""

    def acknowledged(self, next_event: int) -> None:
        """The board may forget the events before this one."""

    def hindered(self, reason: str, detail: str) -> None:
        """The port could not be opened: told to the table beside the link."""


class ObservedLink(Link):
    """A Link with somebody who writes down what it is given, in order."""

    def __init__(
        self,
        profile: Profile,
        session: int,
        witness: LinkObserver,
        *,
        resume: tuple[int, int] | None = None,
    ) -> None:
        super().__init__(profile, session, resume=resume)
        self._witness = witness

    def opened(self, now_us: int, patience_us: int = GREETING_US) -> list[LinkEvent]:
        """The port was opened; the observer hears it first."""
        self._witness.opened(now_us, patience_us)
        return super().opened(now_us, patience_us)

    def receive(self, data: bytes, now_us: int) -> list[LinkEvent]:
        """Take bytes that came; the observer hears them first."""
        self._witness.received(data, now_us)
        return super().receive(data, now_us)

    def _poll(self, now_us: int) -> list[LinkEvent]:
        self._witness.polled(now_us)
        return super()._poll(now_us)

    def wait_on(self, now_us: int) -> None:
        """Give a board more time; the observer hears it first."""
        self._witness.waited(now_us)
        super().wait_on(now_us)

    def closed(self, reason: str = "") -> list[LinkEvent]:
        """The port was closed; the observer hears it first."""
        self._witness.closed(reason)
        return super().closed(reason)

    def take_output(self, limit: int | None = None) -> bytes:
        """Give what is to be written; the observer hears it."""
        data = super().take_output(limit)
        if data:
            self._witness.took(data)
        return data

    def show(self, frame: LightFrame) -> None:
        """Show a picture; the observer hears that there is another."""
        self._witness.showed()
        super().show(frame)

    def acknowledge(self, next_event: int) -> None:
        """Let the board forget; the observer hears from where on."""
        self._witness.acknowledged(next_event)
        super().acknowledge(next_event)

"""A host at the level of single frames: it says what it is told to say, and hears everything.

Nothing is repeated, acknowledged or believed by itself except BEAT, so it can also do what no host
should; `lumiban.boards.client` is the client that behaves. Payloads are packed and read by the
table of messages, not by the code of the chip.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from random import SystemRandom

from lumiban_fw import wire

from lumiban.boards.messages import Unpacked, message
from lumiban.boards.transport import ByteLine
from lumiban.errors import LinkLost

BEAT_US = wire.BEAT_US * 4 // 5
STEP_US = 20_000


@dataclass(frozen=True, slots=True)
class Heard:
    """A frame from the board: host time, header and payload."""

    at_us: int
    kind: int
    flags: int
    seq: int
    ack: int
    payload: bytes

    @property
    def unpacked(self) -> Unpacked:
        """Its payload by the table; ValueError when it is none of its type."""
        return message(self.kind).unpack(self.payload)


class Probe:
    """Conversation with a board, frame by frame; `took` is called with each frame as it comes."""

    def __init__(self, line: ByteLine, took: Callable[[Heard], None] | None = None) -> None:
        self.line = line
        self._took = took
        self.heard: list[Heard] = []
        self.longest = 0
        """Bytes of the longest frame on the line, with its closing zero."""
        self.beats = True
        self.seq = 0
        """Number of the next reliable frame."""
        self._decoder = wire.Decoder()
        self._beat_us = 0
        self._length = 0

    @property
    def broken(self) -> int:
        """Frames that came damaged."""
        return self._decoder.errors

    def say(
        self,
        kind: int,
        values: Iterable[int | bytes] = (),
        tail: Sequence[Sequence[int | bytes]] = (),
    ) -> None:
        """Send a frame that is not reliable."""
        self.line.write(wire.frame(kind, message(kind).pack(values, tail)))

    def order(
        self,
        kind: int,
        values: Iterable[int | bytes] = (),
        tail: Sequence[Sequence[int | bytes]] = (),
    ) -> int:
        """Send the next reliable frame, once; its number."""
        return self.put(kind, message(kind).pack(values, tail))

    def put(self, kind: int, payload: bytes) -> int:
        """The same with any bytes for a payload."""
        seq = self.seq
        self.line.write(wire.frame(kind, payload, wire.RELIABLE, seq))
        self.seq = (seq + 1) & 0xFF
        return seq

    def go(self, us: int) -> None:
        """Let so much time go by."""
        end = self.line.now_us + us
        while self.line.now_us < end:
            self.turn(end)

    def until(self, done: Callable[[], bool], us: int) -> bool:
        """Let time go by until something holds; False when it does not in time."""
        end = self.line.now_us + us
        while not done():
            if self.line.now_us >= end:
                return False
            self.turn(min(end, self.line.now_us + STEP_US))
        return True

    def next(self, kind: int, us: int, since: int | None = None) -> Heard | None:
        """The first frame of a type after so many that were heard (None: from now on)."""
        known = len(self.heard) if since is None else since

        def has_come() -> bool:
            return any(one.kind == kind for one in self.heard[known:])

        if not self.until(has_come, us):
            return None
        return next(one for one in self.heard[known:] if one.kind == kind)

    def of(self, kind: int, since: int = 0) -> list[Heard]:
        """All frames of a type after so many that were heard."""
        return [one for one in self.heard[since:] if one.kind == kind]

    def greet(self, session: int = 0, patience_us: int = 3_000_000) -> Heard:
        """Begin a session (0: any), asking four times a second; the board's HELLO. LinkLost."""
        session = session or SystemRandom().getrandbits(31) + 1
        self.seq = 0
        end = self.line.now_us + patience_us
        while self.line.now_us < end:
            known = len(self.heard)
            self.line.write(b"\0")
            self.say(wire.H_HELLO, (wire.MAJOR, wire.MINOR, session))

            def answered(known: int = known) -> bool:
                hellos = self.of(wire.B_HELLO, known)
                return any(one.unpacked.number("session") == session for one in hellos)

            if self.until(answered, 250_000):
                self._beat_us = 0
                return self.of(wire.B_HELLO, known)[-1]
        raise LinkLost("the board does not answer HELLO")

    def turn(self, until_us: int) -> None:
        """Let time go on to a moment, or until bytes came."""
        now = self.line.now_us
        if self.beats and now >= self._beat_us:
            self.say(wire.H_BEAT, (BEAT_US,))
            self._beat_us = now + BEAT_US
        due = min(until_us, self._beat_us) if self.beats else until_us
        data = self.line.read(max(due, now + 1))
        at_us = self.line.now_us
        for byte in data:
            self._length += 1
            if byte == 0:
                self.longest, self._length = max(self.longest, self._length), 0
        for kind, flags, seq, ack, payload in self._decoder.feed(data):
            one = Heard(at_us, kind, flags, seq, ack, payload)
            self.heard.append(one)
            if self._took is not None:
                self._took(one)

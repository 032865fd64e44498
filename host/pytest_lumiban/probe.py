"""A host at the level of single frames: it says what it is told to say, and hears everything.

Nothing is repeated, acknowledged or believed by itself except BEAT, so it can also do what no host
should; `lumiban.boards.client` is the client that behaves. Payloads are packed and read by the
table of messages, not by the code of the chip.

Time is judged by the board's own clock and by fences: the answer to a CLOCK that was sent last
comes after all that was asked before. A slow line, and a computer that stalls, make nothing late.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from contextlib import suppress
from random import SystemRandom

from lumiban.boards.client import Conversation, Frame
from lumiban.boards.messages import Tail, message
from lumiban.boards.ports import localized
from lumiban.errors import LinkLost
from lumiban_fw import wire

from pytest_lumiban.bench import Bench

BEAT_US = wire.BEAT_US * 4 // 5
STEP_US = 20_000
SILENT_LOOKS = 300
"""Looks in a row, each up to `STEP_US`, that find nothing before a board is called silent."""
MAX_LOOKS = 3_000
"""A board that talks and whose clock stands is not waited for any longer."""
FENCE_AGAIN_US = 400_000


class Missed(AssertionError):
    """Failure of a test whose frame or event did not come; the text is for the person at the
    board."""


class Probe(Conversation):
    """Conversation with a board, frame by frame; `frames` are those since the newest `greet`."""

    def __init__(self, line: Bench) -> None:
        super().__init__(line)
        self.bench = line
        self.strange: list[str] = []
        """Frames that no board of this major version sends, in words."""
        self.longest = 0
        """Bytes of the longest frame on the line, with its closing zero."""
        self.beats = True
        self.seq = 0
        """Number of the next reliable frame."""
        self.trip_us = 0
        """The longest way to the board and back that was measured."""
        self.is_silent = False
        """True if the newest wait ended because nothing at all came."""
        self._beat_us = 0
        self._token = SystemRandom().getrandbits(32)
        """Of the newest CLOCK; counted on from the session's number, so that runs repeat."""
        self._begun = b""
        self._board_us = 0
        """The board's time in its newest BEAT or CLOCK, low 32 bits."""

    @property
    def hello(self) -> Frame:
        """The newest HELLO."""
        return self.of(wire.B_HELLO)[-1]

    @property
    def cells(self) -> int:
        """Number of cells by the newest HELLO."""
        return self.hello["cells"]

    @property
    def broken(self) -> int:
        """Frames that came damaged."""
        return self._decoder.errors

    def say(
        self,
        kind: int,
        values: Iterable[int | bytes] = (),
        tail: Tail = (),
    ) -> None:
        """Send a frame that is not reliable."""
        self.line.write(wire.frame(kind, message(kind).pack(values, tail)))

    def order(
        self,
        kind: int,
        values: Iterable[int | bytes] = (),
        tail: Tail = (),
    ) -> int:
        """Send the next reliable frame, once; its number."""
        return self.put(kind, message(kind).pack(values, tail))

    def put(self, kind: int, payload: bytes) -> int:
        """The same with any bytes for a payload."""
        seq = self.seq
        self.line.write(wire.frame(kind, payload, wire.RELIABLE, seq))
        self.seq = (seq + 1) & 0xFF
        return seq

    def rest(self, us: int = 0) -> None:
        """Let time go by, and then until all has come that was asked for meanwhile."""
        self.run(us)
        self.fence()

    def until(self, done: Callable[[], bool], us: int) -> bool:
        """Let time go by until something holds; False when it does not within `us` of the board's
        time and before the next fence."""
        end = self.line.now_us + us + 2 * self.trip_us
        return self._wait(done, end, us) or (not self.is_silent and self.fence() and done())

    def _wait(self, done: Callable[[], bool], end_us: int, board_us: int) -> bool:
        """True if it held before that moment of the host and so much time of the board."""
        began_us, looks, silent = self._board_us, 0, 0
        self.is_silent = False
        while not done():
            now = self.line.now_us
            if now >= end_us:
                passed_us = (self._board_us - began_us) & 0xFFFFFFFF
                self.is_silent = silent >= SILENT_LOOKS
                if self.is_silent or passed_us >= board_us or looks >= MAX_LOOKS:
                    return False
            frames = len(self.frames)
            self.turn(now + STEP_US if now >= end_us else min(end_us, now + STEP_US))
            looks += 1
            silent = 0 if len(self.frames) > frames else silent + 1
        return True

    def fence(self) -> bool:
        """Wait until the board has answered all that was sent before; False when it answers
        nothing. Measures the way there and back."""
        known = len(self.frames)
        self._token = token = (self._token + 1) & 0xFFFFFFFF

        def echoed() -> bool:
            return any(one["token"] == token for one in self.of(wire.B_CLOCK, known))

        for _ in range(SILENT_LOOKS * STEP_US // FENCE_AGAIN_US):
            asked_us = self.line.now_us
            self.say(wire.H_CLOCK, (token,))
            if self._wait(echoed, asked_us + FENCE_AGAIN_US + 2 * self.trip_us, 0):
                self.trip_us = max(self.trip_us, self.line.now_us - asked_us)
                return True
        return False

    def now_on_board(self) -> int:
        """The board's time when it read the newest question; Missed when it answers none."""
        if not self.fence():
            raise Missed(localized("hil.silent", ms=self.trip_us // 1000 + 1000))
        return self.of(wire.B_CLOCK)[-1]["rx_us"]

    def next(self, kind: int, us: int, since: int | None = None) -> Frame | None:
        """First frame of a type after the first `since` frames (None: from now on), within `us` µs;
        None if none came."""
        known = len(self.frames) if since is None else since
        came = self.until(lambda: bool(self.of(kind, known)), us)
        return self.of(kind, known)[0] if came else None

    def greet(self, session: int = 0, patience_us: int = 3_000_000) -> Frame:
        """Begin a session (0: any), asking four times a second; the board's HELLO. LinkLost.

        What came before it, and what else answered the asking, is forgotten.
        """
        session = session or SystemRandom().getrandbits(31) + 1
        self._token, self.seq = session, 0
        self.frames.clear()

        def answers() -> list[Frame]:
            return [one for one in self.of(wire.B_HELLO) if one["session"] == session]

        for _ in range(patience_us // 250_000):
            self.line.write(b"\0")
            self.say(wire.H_HELLO, (wire.MAJOR, wire.MINOR, session))
            end_us = self.line.now_us + 250_000 + 2 * self.trip_us
            if self._wait(lambda: bool(answers()), end_us, 0):
                break
        else:
            raise LinkLost("the board does not answer HELLO")
        self._beat_us = 0
        self.fence()
        hello, echoes = answers()[0], (wire.B_HELLO, wire.B_CLOCK)
        after = self.frames[self.frames.index(hello) :]
        self.frames[:] = [hello, *(one for one in after if one.kind not in echoes)]
        return hello

    def turn(self, until_us: int) -> None:
        """Let time go on to a moment, or until bytes came."""
        now = self.line.now_us
        if self.beats and now >= self._beat_us:
            self.say(wire.H_BEAT, (BEAT_US,))
            self._beat_us = now + BEAT_US
        due = min(until_us, self._beat_us) if self.beats else until_us
        data = self.line.read(max(due, now + 1))
        *whole, self._begun = (self._begun + data).split(b"\0")
        self.longest = max([self.longest, *(len(part) + 1 for part in whole)])
        for one in self._decode(data):
            self.take(one)

    def take(self, one: Frame) -> None:
        """Note what a frame says of the board, whatever was asked."""
        if not one.kind & wire.FROM_BOARD:
            self.strange.append(f"type 0x{one.kind:02X} is not from a board")
        elif one.flags >> wire.MAJOR_SHIFT != wire.MAJOR:
            major = one.flags >> wire.MAJOR_SHIFT
            self.strange.append(f"a frame of type 0x{one.kind:02X} has major {major}")
        time = {wire.B_BEAT: "now_us", wire.B_CLOCK: "rx_us"}.get(one.kind)
        if time is not None:
            with suppress(ValueError):  # a garbled one tells no time
                self._board_us = one[time] & 0xFFFFFFFF

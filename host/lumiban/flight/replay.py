"""A flight recording run again, and shown line by line.

`run` takes its frames and times through link and session, and compares everything that they give
bit for bit with what they gave then; `shown_lines` gives the recording as lines for a reader.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from lumiban_fw import wire

from lumiban.boards.link import Link
from lumiban.boards.types import LightFrame, LinkEvent, LossFilter, Lost
from lumiban.errors import LumibanError, UsageError
from lumiban.flight.file import (
    FlightHead,
    json_line,
    plain,
    profile_of,
    read_input,
    session_of,
    told_outputs,
)
from lumiban.flight.lines import (
    AckHandedOver,
    BytesIn,
    BytesOut,
    FlightLine,
    Full,
    PictureHandedOver,
    PortFailed,
    PortOpened,
    PortRefused,
    Stepped,
    TimerFired,
    Waited,
    line_of,
)
from lumiban.table.types import Acknowledge, Input, Show


class Differs(LumibanError):
    """The machines of today do something else: `number` is the line (the head is line 1)."""

    def __init__(self, number: int, at_us: int, what: str, then: str, now: str) -> None:
        super().__init__(
            f"line {number}, {at_us / 1e6:.3f} s: {what} differs: recorded {then}, replayed {now}"
        )
        self.number = number
        self.at_us = at_us
        self.what = what


@dataclass
class Tally:
    """Counts of items compared and found equal; `until_us` is the time since the beginning."""

    lines: int = 0
    frames: int = 0
    steps: int = 0
    verdicts: int = 0
    moves: int = 0
    lights: int = 0
    bytes_in: int = 0
    bytes_out: int = 0
    until_us: int = 0
    full: bool = False
    """The recording ended as it had no more room."""


def run(head: FlightHead, lines: Iterable[list[Any]], rules: str = "") -> Tally:
    """Run a recording again; Differs at the first difference, UsageError for what is no recording
    or needs what is not here. A player's own game comes from the file `rules`, NotAccepted
    without."""
    rerun = Rerun(head, rules)
    for recorded in lines:
        rerun.follow(recorded)
        if rerun.tally.full:
            break
    return rerun.tally


class Rerun:
    """Link and session as they were, fed line by line."""

    def __init__(self, head: FlightHead, rules: str = "") -> None:
        self.tally = Tally(lines=1)
        try:
            profile = profile_of(head)
            back = head["resume"]
            resumes = None if back is None else (int(back[0]), int(back[1]))
            self.link = Link(profile, int(head["session"]), resume=resumes)
            self.session = session_of(head, profile, rules)
            self._start_us = self._now = int(head["now_us"])
        except (KeyError, TypeError, ValueError, OverflowError) as error:
            raise UsageError(f"the recording's head is incomplete: {error!r}") from None
        self._news = LossFilter()
        self._events: deque[LinkEvent] = deque()
        self._shows: deque[LightFrame] = deque()
        self._acks: deque[int] = deque()
        self._verdict = ""
        self._do: dict[type, Callable[[Any], None]] = {
            PortOpened: self._opened,
            BytesIn: self._received,
            TimerFired: self._polled,
            Waited: self._waited,
            PortFailed: self._closed,
            BytesOut: self._wrote,
            PictureHandedOver: self._check_light,
            AckHandedOver: self._acknowledged,
            PortRefused: self._hindered,
            Stepped: self._stepped,
            Full: self._full,
        }

    def follow(self, recorded: list[Any]) -> None:
        """One line; Differs, UsageError."""
        self.tally.lines += 1
        line = line_of(recorded, self.tally.lines)
        try:
            self._do[type(line)](line)
        except (TypeError, ValueError, AttributeError, LookupError, OverflowError) as error:
            raise UsageError(f"line {self.tally.lines} is garbled: {error}") from None

    # The link.

    def _tick(self, since_us: int) -> int:
        self._now += since_us
        self.tally.until_us = self._now - self._start_us
        return self._now

    def _opened(self, line: PortOpened) -> None:
        self._hear(self.link.opened(self._tick(line.since_us), line.patience_us))

    def _received(self, line: BytesIn) -> None:
        raw = bytes.fromhex(line.data)
        self.tally.bytes_in += len(raw)
        self._hear(self.link.receive(raw, self._tick(line.since_us)))
        self.tally.frames = self.link.statistics.frames_in

    def _polled(self, line: TimerFired) -> None:
        self._hear(self.link.poll(self._tick(line.since_us)))

    def _waited(self, line: Waited) -> None:
        self.link.wait_on(self._tick(line.since_us))

    def _closed(self, line: PortFailed) -> None:
        self._hear(self.link.closed(line.reason))

    def _hindered(self, line: PortRefused) -> None:
        self._hear([Lost(line.reason, line.detail)])

    def _hear(self, events: list[LinkEvent]) -> None:
        self._events.extend(self._news.of(events))

    def _wrote(self, line: BytesOut) -> None:
        got = self.link.take_output(len(line.data) // 2).hex()
        if got != line.data:
            raise self._differs("what is sent to the board", line.data, got or "nothing")
        self.tally.bytes_out += len(line.data) // 2

    def _check_light(self, line: PictureHandedOver) -> None:
        if not self._shows:
            raise self._differs("light", "a picture", "none")
        self.link.show(self._shows.popleft())
        self.tally.lights += 1

    def _acknowledged(self, line: AckHandedOver) -> None:
        got = self._acks.popleft() if self._acks else None
        if got != line.next_event:
            raise self._differs("acknowledgement", str(line.next_event), str(got))
        self.link.acknowledge(line.next_event)

    # The session.

    def _stepped(self, line: Stepped) -> None:
        now, gave, verdict = self._tick(line.since_us), line.outputs, line.verdict
        outputs = self.session.step(now, list(self._inputs(line.inputs)))
        self.tally.steps += 1
        self._compare("what the table does", gave, told_outputs(outputs))
        judged = json_line(plain(self.session.match.verdict))
        if verdict is not None:
            self._verdict = json_line(verdict)
            self.tally.verdicts += 1
        if judged != self._verdict:
            raise self._differs("the verdict", self._verdict or "none", judged)
        self.tally.moves += sum(one[0] == "Append" and one[2].get("t") == "move" for one in gave)
        self._shows.extend(output.frame for output in outputs if isinstance(output, Show))
        self._acks.extend(out.next_event for out in outputs if isinstance(out, Acknowledge))

    def _inputs(self, given: list[Any]) -> Iterator[Input]:
        for item in given:
            if not isinstance(item, int):
                yield read_input(item)
                continue
            for _ in range(item):
                if not self._events:
                    raise self._differs("what the link tells", "one more event", "none")
                yield self._events.popleft()

    def _compare(self, what: str, then: list[Any], now: list[Any]) -> None:
        for recorded, replayed in zip(then, now, strict=False):
            if json_line(recorded) != json_line(replayed):
                raise self._differs(what, json_line(recorded), json_line(replayed))
        if len(then) != len(now):
            more = (then if len(then) > len(now) else now)[min(len(then), len(now))]
            raise self._differs(what, f"{len(then)} things", f"{len(now)}, {json_line(more)}")

    def _full(self, line: Full) -> None:
        self.tally.full = True

    def _differs(self, what: str, then: str, now: str) -> Differs:
        return Differs(self.tally.lines, self.tally.until_us, what, _short(then), _short(now))


def _short(text: str) -> str:
    return text if len(text) <= 300 else text[:300] + " …"


_FRAMES = {
    value: name
    for prefix in ("H_", "B_")
    for name, value in vars(wire).items()
    if name.startswith(prefix) and isinstance(value, int)
}
"""Names of frames by their type."""


def shown_lines(head: FlightHead, lines: Iterable[list[Any]]) -> Iterator[str]:
    """One line for each frame, verdict, record and loss; times in seconds from the beginning.

    >>> head = {"at": "2026-01-01T00:00:00Z", "profile": "hex3"}
    >>> for text in shown_lines(head, [["o", 5, 9], ["w", wire.frame(wire.H_GET_STATE).hex()]]):
    ...     print(text)
    recorded at 2026-01-01T00:00:00Z on hex3
       0.000005  port opened
       0.000005  > GET_STATE
    """
    yield f"recorded at {head.get('at')} on {head.get('profile')}"
    at = 0
    inward, outward = wire.Decoder(), wire.Decoder()
    for number, raw in enumerate(lines, 2):
        line = line_of(raw, number)
        if isinstance(line, PortOpened | BytesIn | TimerFired | Waited | Stepped):
            at += line.since_us
        for text in _rendered(line, inward, outward):
            yield f"{at / 1e6:>11.6f}  {text}"


def passed(lines: Iterable[list[Any]]) -> Iterator[tuple[int, bool, bytes]]:
    """Bytes on the board's line: µs since the beginning, whether to the board, and what.

    UsageError.

    >>> list(passed([["o", 5, 9], ["w", "41"], ["r", 7, "4243"]]))
    [(5, True, b'A'), (12, False, b'BC')]
    """
    at = 0
    for number, raw in enumerate(lines, 2):
        line = line_of(raw, number)
        if isinstance(line, PortOpened | BytesIn | TimerFired | Waited | Stepped):
            at += line.since_us
        if isinstance(line, BytesIn | BytesOut):
            try:
                yield at, isinstance(line, BytesOut), bytes.fromhex(line.data)
            except ValueError as error:
                raise UsageError(f"line {number} is garbled: {error}") from None


def _rendered(line: FlightLine, inward: wire.Decoder, outward: wire.Decoder) -> Iterator[str]:
    match line:
        case PortOpened():
            yield "port opened"
        case PortFailed(reason):
            yield f"port broke: {reason}"
        case PortRefused(reason, detail):
            yield f"port refused: {reason} {detail}"
        case Full():
            yield "no more room: the recording ends"
        case BytesIn(_, data):
            yield from _frames("<", inward, data)
        case BytesOut(data):
            yield from _frames(">", outward, data)
        case Stepped(_, inputs, outputs, verdict):
            for item in inputs:
                if not isinstance(item, int):
                    yield f"told {json_line(item)}"
            if verdict is not None:
                yield f"verdict {json_line(verdict)}"
            for output in outputs:
                if output[0] not in ("Show", "Acknowledge"):
                    yield f"{output[0]} {json_line(output[1:])}"


def _frames(way: str, decoder: wire.Decoder, data: str) -> Iterator[str]:
    errors = decoder.errors
    for kind, flags, seq, _ack, payload in decoder.feed(bytes.fromhex(data)):
        name = _FRAMES.get(kind, f"H_{kind:02x}")[2:]
        number = f" {seq}" if flags & wire.RELIABLE else ""
        again = " again" if flags & wire.RESENT else ""
        yield f"{way} {name}{number}{again} {payload.hex()}".rstrip()
    if decoder.errors > errors:
        yield f"{way} {decoder.errors - errors} broken"

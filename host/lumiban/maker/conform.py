"""Whether a board keeps what docs/wire.md says: each claim by itself, for anybody's firmware.

A claim quotes the document; a test holds the quotes against it. The board is spoken to by frames
alone, and what it senses is injected: no hand is needed, and nothing of its program is touched. It
is started anew at the end, and its lights stay as the last claim left them. All claims stand in
this one file, under the document's headings and in its order: it is read beside the document.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from random import SystemRandom

from lumiban_fw import wire

from lumiban.boards.messages import message
from lumiban.boards.ports import localized
from lumiban.boards.probe import Heard, Probe
from lumiban.boards.transport import ByteLine
from lumiban.errors import LinkLost, UsageError

HELD, BROKEN, UNTRIED = "held", "broken", "untried"
ANSWER_US = 1_000_000
"""A board that says nothing for so long does not answer."""
SETTLED_US = 1_500_000
"""After power-on, or after other readings, a board's cells have come to rest."""
REST = wire.HALF_SCALE
STRONG = 600
"""Counts above or below rest of a strong piece: some 32 mT, by the usual sensors."""
LIFETIME_US = 20_000_000
"""A board that was started anew is back within this."""


class Broken(Exception):
    """A claim does not hold; the text says what was seen."""


class Untried(Exception):
    """A claim that this board cannot be asked; the text says why."""


@dataclass(frozen=True, slots=True)
class Claim:
    """A sentence of docs/wire.md, and how to see whether it holds; `needs` are capabilities."""

    id: str
    sentence: str
    check: Callable[[Probe], None]
    needs: int = 0


@dataclass(frozen=True, slots=True)
class Verdict:
    """What became of a claim."""

    id: str
    sentence: str
    verdict: str
    detail: str = ""


CLAIMS: list[Claim] = []


def _claim(
    id: str, sentence: str, needs: int = 0
) -> Callable[[Callable[[Probe], None]], Callable[[Probe], None]]:
    def noted(check: Callable[[Probe], None]) -> Callable[[Probe], None]:
        CLAIMS.append(Claim(id, sentence, check, needs))
        return check

    return noted


def conform(line: ByteLine, only: Sequence[str] = ()) -> Iterator[Verdict]:
    """The verdict on each claim (`only`: on these), one after another. LinkLost when nothing of
    ours answers at all."""
    capabilities = Probe(line).greet().unpacked.number("capabilities")
    for claim in CLAIMS:
        if only and claim.id not in only:
            continue
        lacks = claim.needs & ~capabilities
        if lacks:
            names = ", ".join(
                name
                for name, bit in vars(wire).items()
                if name.startswith("CAN_") and isinstance(bit, int) and bit & lacks
            )
            yield Verdict(claim.id, claim.sentence, UNTRIED, f"the board has no {names}")
            continue
        probe = Probe(line)
        try:
            claim.check(probe)
            _clean(probe)
        except Broken as error:
            yield Verdict(claim.id, claim.sentence, BROKEN, str(error))
        except Untried as error:
            yield Verdict(claim.id, claim.sentence, UNTRIED, str(error))
        except ValueError as error:  # a payload that is none of its type
            yield Verdict(claim.id, claim.sentence, BROKEN, f"a payload is none: {error}")
        except LinkLost:
            yield Verdict(claim.id, claim.sentence, BROKEN, "the board did not answer HELLO")
        else:
            yield Verdict(claim.id, claim.sentence, HELD)


def chosen(ids: Sequence[str]) -> Sequence[str]:
    """The names of claims as given; UsageError for one that is none."""
    known = [claim.id for claim in CLAIMS]
    for id in ids:
        if id not in known:
            raise UsageError(localized("conform.unknown", claim=id, ids=", ".join(known)))
    return ids


def _clean(probe: Probe) -> None:
    """What holds of every frame, whatever was asked."""
    _see(not probe.broken, f"{probe.broken} of the board's frames came damaged")
    for one in probe.heard:
        if not one.kind & wire.FROM_BOARD:
            raise Broken(f"type 0x{one.kind:02X} is not from a board")
        if one.flags >> wire.MAJOR_SHIFT != wire.MAJOR:
            raise Broken(
                f"a frame of type 0x{one.kind:02X} has major {one.flags >> wire.MAJOR_SHIFT}"
            )


def _see(held: object, otherwise: str) -> None:
    if not held:
        raise Broken(otherwise)


def _hear(probe: Probe, kind: int, us: int = ANSWER_US, since: int | None = None) -> Heard:
    heard = probe.next(kind, us, since)
    if heard is None:
        raise Broken(f"no {message(kind).name} within {us // 1000} ms")
    return heard


def _acked(probe: Probe, number: int, us: int = ANSWER_US) -> None:
    """Wait until the board expects this reliable frame."""
    known = len(probe.heard)

    def expects() -> bool:
        return any(one.ack == number for one in probe.heard[known:])

    if not probe.until(expects, us):
        acks = sorted({one.ack for one in probe.heard[known:]})
        raise Broken(f"frame {number} should be expected next; the board's acks were {acks}")


def _refused(probe: Probe, seq: int, why: int) -> None:
    """The NAK of this frame, with this reason."""
    if not probe.until(lambda: bool(_naks(probe, seq)), ANSWER_US):
        raise Broken("no NAK came")
    told = _naks(probe, seq)[0].unpacked
    _see(told.number("why") == why, f"NAK for reason {told.number('why')}, not {why}")


def _naks(probe: Probe, seq: int) -> list[Heard]:
    return [one for one in probe.of(wire.B_NAK) if one.unpacked.number("seq") == seq]


def _settled(probe: Probe) -> None:
    """Wait for the first STATE: the senses have come to rest."""
    _hear(probe, wire.B_STATE, SETTLED_US, 0)


# --- Frames ---


def _raw(kind: int, payload: bytes, flags: int = wire.MAJOR << wire.MAJOR_SHIFT) -> bytes:
    """Header and payload with their sum, before stuffing."""
    body = bytes((kind, flags, 0, 0)) + payload
    return body + wire.crc16(body).to_bytes(2, "little")


def _hello(session: int) -> bytes:
    return message(wire.H_HELLO).pack((wire.MAJOR, wire.MINOR, session))


def _chance() -> int:
    return SystemRandom().getrandbits(31) + 1


def _unheard(probe: Probe, line: bytes, session: int) -> None:
    """These bytes are no HELLO of this session."""
    probe.greet()
    known = len(probe.heard)
    probe.line.write(line)
    probe.go(400_000)
    sessions = [one.unpacked.number("session") for one in probe.of(wire.B_HELLO, known)]
    _see(session not in sessions, "it was answered")
    probe.greet()


@_claim("frame.zeros", "Consecutive zeros are not frames.")
def _zeros(probe: Probe) -> None:
    probe.greet()
    known = len(probe.heard)
    probe.line.write(bytes(5))
    probe.order(wire.H_CFG, (wire.CFG_BRIGHTNESS, wire.BRIGHTNESS))
    probe.line.write(bytes(5))
    _acked(probe, 1)
    _see(not probe.of(wire.B_HELLO, known), "the board lost its session")


@_claim("frame.stuffing", "A receiver that has lost its place waits for the next zero.")
def _noise(probe: Probe) -> None:
    probe.greet()
    probe.line.write(bytes(range(1, 200)) + b"\0")
    probe.order(wire.H_CFG, (wire.CFG_BRIGHTNESS, wire.BRIGHTNESS))
    _acked(probe, 1)


@_claim("frame.crc", "has a wrong crc is dropped and counted")
def _wrong_crc(probe: Probe) -> None:
    session = _chance()
    raw = bytearray(_raw(wire.H_HELLO, _hello(session)))
    raw[-1] ^= 0x10
    _unheard(probe, wire.cobs(bytes(raw)) + b"\0", session)


@_claim("frame.short", "is shorter than 6 bytes")
def _short(probe: Probe) -> None:
    probe.greet()
    body = bytes((wire.H_GET_STATE, wire.MAJOR << wire.MAJOR_SHIFT))
    probe.line.write(wire.cobs(body + wire.crc16(body).to_bytes(2, "little")) + b"\0")
    probe.order(wire.H_CFG, (wire.CFG_BRIGHTNESS, wire.BRIGHTNESS))
    _acked(probe, 1)


@_claim("frame.long", "A frame that is too long")
def _long(probe: Probe) -> None:
    session = _chance()
    raw = _raw(wire.H_HELLO, _hello(session) + bytes(60))
    _unheard(probe, wire.cobs(raw) + b"\0", session)


@_claim("frame.packet", "A frame is at most 61 bytes before stuffing and 63 on the line")
def _packet(probe: Probe) -> None:
    probe.greet()
    probe.go(1_200_000)
    for first in (wire.WHOLE_BOARD, 0):
        probe.say(wire.H_IDENTIFY, (first,))
    probe.say(wire.H_FILE_READ, (wire.FILE_BOARD, 0))
    probe.go(300_000)
    _see(probe.longest <= wire.MAX_FRAME, f"a frame of {probe.longest} bytes came")


@_claim("header.seq", "sequence number of a reliable frame from the host; 0 in all others")
def _no_seq(probe: Probe) -> None:
    probe.greet()
    probe.order(wire.H_CFG, (wire.CFG_BRIGHTNESS, wire.BRIGHTNESS))
    _acked(probe, 1)
    probe.go(1_200_000)
    seqs = {one.seq for one in probe.heard}
    _see(seqs == {0}, f"frames of the board have seq {sorted(seqs)}")


# --- Greeting ---


@_claim("hello.session", "The board answers with a HELLO that echoes the session.")
def _echo(probe: Probe) -> None:
    for session in (1, 0xFFFFFFFF, _chance()):
        told = probe.greet(session).unpacked
        _see(told.number("major") == wire.MAJOR, "another major version")
        _see(1 <= told.number("cells") <= 239, f"{told.number('cells')} cells")
        _see(told.number("boot_id"), "no boot_id")


@_claim("hello.again", "is a duplicate: it is answered, but nothing restarts")
def _duplicate(probe: Probe) -> None:
    session = _chance()
    probe.greet(session)
    probe.order(wire.H_CFG, (wire.CFG_BRIGHTNESS, wire.BRIGHTNESS))
    _acked(probe, 1)
    known = len(probe.heard)
    probe.say(wire.H_HELLO, (wire.MAJOR, wire.MINOR, session))
    _hear(probe, wire.B_HELLO, since=known)
    probe.order(wire.H_CFG, (wire.CFG_BRIGHTNESS, wire.BRIGHTNESS))
    _acked(probe, 2)


@_claim("hello.anew", "both sides count reliable frames from 0 again")
def _anew(probe: Probe) -> None:
    probe.greet()
    for _ in range(3):
        probe.order(wire.H_CFG, (wire.CFG_BRIGHTNESS, wire.BRIGHTNESS))
    _acked(probe, 3)
    probe.greet()
    probe.order(wire.H_CFG, (wire.CFG_BRIGHTNESS, wire.BRIGHTNESS))
    _acked(probe, 1)


@_claim("hello.state", "The board then sends STATE")
def _state_first(probe: Probe) -> None:
    probe.greet()
    cells = probe.of(wire.B_HELLO)[-1].unpacked.number("cells")
    kinds = _belief(probe, cells)
    _see(len(kinds) >= cells, f"{len(kinds)} kinds of {cells} cells")


@_claim("hello.longer", "Unknown types and keys, and bytes beyond a known layout, are ignored.")
def _longer(probe: Probe) -> None:
    probe.greet()
    session = _chance()
    probe.seq = 0
    later = bytes((wire.MAJOR, wire.MINOR + 40)) + session.to_bytes(4, "little") + b"more"
    probe.line.write(wire.frame(wire.H_HELLO, later))
    told = _hear(probe, wire.B_HELLO).unpacked
    _see(told.number("session") == session, "a longer HELLO is not followed")
    probe.line.write(wire.frame(0x6E, b"what is this"))
    seq = probe.put(wire.H_CFG, message(wire.H_CFG).pack((0xEE, 1)) + b"more")
    _acked(probe, 1)
    probe.go(100_000)
    _see(not _naks(probe, seq), "an unknown key, or bytes beyond a layout, are refused")


@_claim("hello.major", "The board answers a HELLO of another major with FAULT 3")
def _other_major(probe: Probe) -> None:
    probe.greet()
    probe.go(100_000)
    probe.beats = False
    session, known = _chance(), len(probe.heard)
    greeting = bytes((wire.MAJOR + 1, 0)) + session.to_bytes(4, "little")
    raw = _raw(wire.H_HELLO, greeting, (wire.MAJOR + 1) << wire.MAJOR_SHIFT)
    probe.line.write(wire.cobs(raw) + b"\0")
    fault = _hear(probe, wire.B_FAULT, since=known).unpacked
    said = (fault.number("what"), fault.number("where"))
    _see(said == (wire.FAULT_VERSION, wire.MAJOR), f"FAULT {said}")
    told = _hear(probe, wire.B_HELLO, since=known).unpacked
    _see(told.number("session") == session, "its HELLO does not echo the session")


@_claim("major.others", "Other frames of another major are ignored.")
def _frames_of_other_majors(probe: Probe) -> None:
    probe.greet()
    known = len(probe.heard)
    raw = _raw(wire.H_CLOCK, b"\x07\0\0\0", (wire.MAJOR + 1) << wire.MAJOR_SHIFT)
    probe.line.write(wire.cobs(raw) + b"\0")
    probe.go(300_000)
    _see(not probe.of(wire.B_CLOCK, known), "CLOCK of another major is answered")


# --- Reliable frames ---


@_claim("reliable.ack", "carries in `ack` the number it expects next")
def _in_order(probe: Probe) -> None:
    probe.greet()
    for number in range(1, 5):
        probe.order(wire.H_CFG, (wire.CFG_BRIGHTNESS, wire.BRIGHTNESS))
        _acked(probe, number, 300_000)  # BEAT alone would take longer each time
    probe.go(1_100_000)
    _see(probe.heard[-1].ack == 4, "the ack does not stay")


@_claim("reliable.wraps", "Numbers count from 0 after HELLO, modulo 256.")
def _wraps(probe: Probe) -> None:
    probe.greet()
    for number in range(1, 260):
        probe.order(wire.H_ANIM_STOP, (0,))
        _acked(probe, number & 0xFF)


@_claim("reliable.order", "The board accepts a reliable frame only if its seq is the one expected")
def _out_of_order(probe: Probe) -> None:
    probe.greet()
    probe.seq = 3
    probe.put(0x6D, b"")
    known = len(probe.heard)
    probe.go(300_000)
    _see(any(one.ack == 0 for one in probe.heard[known:]), "it says nothing of the one it expects")
    _see({one.ack for one in probe.heard} == {0}, "a frame out of order is counted")
    _see(not probe.of(wire.B_NAK), "a frame out of order is followed")


@_claim("reliable.twice", "it sends ACK (0x84), also for a frame that it dropped")
def _twice(probe: Probe) -> None:
    probe.greet()
    seq = probe.put(0x6D, b"")
    _acked(probe, 1)
    probe.go(50_000)
    probe.seq = seq
    probe.put(0x6D, b"")
    _acked(probe, 1, 300_000)
    probe.go(100_000)
    _see(len(_naks(probe, seq)) == 1, "a frame that came twice was followed twice")


@_claim("nak.counts", "counts as received; the board answers it with NAK")
def _counts(probe: Probe) -> None:
    probe.greet()
    seq = probe.put(0x6D, b"?")
    _refused(probe, seq, wire.NAK_UNKNOWN)
    told = _naks(probe, seq)[0].unpacked
    _see(told.number("kind") == 0x6D, "NAK of another type")
    probe.order(wire.H_CFG, (wire.CFG_BRIGHTNESS, wire.BRIGHTNESS))
    _acked(probe, 2)


@_claim("nak.short", "shorter than its layout")
def _nak_short(probe: Probe) -> None:
    probe.greet()
    for kind in (wire.H_CFG, wire.H_LAYER, wire.H_COMMIT):
        _refused(probe, probe.put(kind, b"\x01"), wire.NAK_SHORT)


@_claim("nak.value", "0 to 7; frames for others are answered by NAK", wire.CAN_ANIM)
def _nak_value(probe: Probe) -> None:
    probe.greet()
    _refused(probe, probe.order(wire.H_ANIM, (8, 0, 0, 0, 0, 0, 1, 0), [(1,)]), wire.NAK_VALUE)


@_claim("light.layers", "0 to 3; frames for others are ignored")
def _layers(probe: Probe) -> None:
    probe.greet()
    first = probe.order(wire.H_LAYER, (200, 0), [(1, 0)])
    second = probe.order(wire.H_LAYER, (0, 250), [(200, 99)] * 26)
    probe.order(wire.H_PALETTE, (60,), [(255, 0, 0)] * 18)
    probe.order(wire.H_COMMIT, (0,))
    _acked(probe, 4)
    _see(not _naks(probe, first) + _naks(probe, second), "a light out of range is refused")
    probe.order(wire.H_MASK, (0, 0, 0), [(255,)] * 30)
    probe.order(wire.H_COMMIT, (0,))
    _acked(probe, 6)


# --- Time and liveness ---


@_claim("clock", "echoed by the board")
def _clock(probe: Probe) -> None:
    probe.greet()
    times = []
    for token in (0, 0xFFFFFFFF, 77):
        known, asked_us = len(probe.heard), probe.line.now_us
        probe.say(wire.H_CLOCK, (token,))
        answer = _hear(probe, wire.B_CLOCK, since=known)
        told = answer.unpacked
        _see(told.number("token") == token, "the token is another")
        times.append((asked_us, answer.at_us, told.number("rx_us")))
        probe.go(1_000_000)
    (_, heard, first), (asked, _, last) = times[0], times[-1]
    apart, most = last - first, asked - heard
    # A simulated board on a busy computer may lag.
    _see(most / 2 < apart, f"{apart} µs passed on the board while {most} did here")


@_claim("beat", "Both sides send BEAT every 500 ms.")
def _beats(probe: Probe) -> None:
    probe.greet()
    _settled(probe)
    known = len(probe.heard)
    probe.go(5_000_000)
    beats = probe.of(wire.B_BEAT, known)
    _see(8 <= len(beats) <= 12, f"{len(beats)} BEATs in 5 s")
    for one, other in itertools.pairwise(beats):
        apart = (other.unpacked.number("now_us") - one.unpacked.number("now_us")) & 0xFFFFFFFF
        _see(350_000 < apart < 750_000, f"two BEATs are {apart} µs apart by the board's time")


@_claim("watermark", "it lags the present by at most 400 ms")
def _watermark(probe: Probe) -> None:
    probe.greet()
    _settled(probe)
    probe.go(2_000_000)
    for beat in probe.of(wire.B_BEAT)[2:]:
        told = beat.unpacked
        behind = (told.number("now_us") - told.number("watermark_us")) & 0xFFFFFFFF
        _see(behind <= 450_000, f"a watermark is {behind} µs behind its BEAT")


@_claim("stats", "Sent every 5 s.")
def _stats(probe: Probe) -> None:
    probe.greet()
    probe.go(11_500_000)
    stats = probe.of(wire.B_STATS)
    _see(len(stats) in (2, 3), f"{len(stats)} STATS in 11.5 s")
    for one in stats:
        told = one.unpacked
        _see(0 <= told.number("limited") <= 100, f"limited to {told.number('limited')} %")


@_claim("state.period", "every 500 ms and when asked")
def _state(probe: Probe) -> None:
    probe.greet()
    cells = probe.of(wire.B_HELLO)[-1].unpacked.number("cells")
    _settled(probe)
    known = len(probe.heard)
    probe.go(5_000_000)
    parts = -(-cells // wire.CELLS_A_STATE)
    states = probe.of(wire.B_STATE, known)
    _see(8 * parts <= len(states) <= 12 * parts, f"{len(states)} STATEs in 5 s")
    _see({one.unpacked.number("parts") for one in states} == {parts}, f"not {parts} parts")
    probe.go(100_000)
    known, asked_us = len(probe.heard), probe.line.now_us
    probe.say(wire.H_GET_STATE)
    answer = _hear(probe, wire.B_STATE, since=known)
    _see(answer.at_us - asked_us < 250_000, "GET_STATE is answered late")


@_claim("lost", "goes on sensing, keeps its events, and is silent")
def _silence(probe: Probe) -> None:
    probe.greet()
    _settled(probe)
    probe.beats = False
    probe.go(2_200_000)
    known = len(probe.heard)
    probe.go(2_500_000)
    _see(len(probe.heard) == known, "a board without its host goes on talking")


@_claim("lost.back", "When any frame of the session arrives, it resumes.")
def _resumes(probe: Probe) -> None:
    probe.greet()
    probe.order(wire.H_CFG, (wire.CFG_BRIGHTNESS, wire.BRIGHTNESS))
    _acked(probe, 1)
    probe.beats = False
    probe.go(2_500_000)
    known = len(probe.heard)
    probe.beats = True
    _hear(probe, wire.B_STATE, since=known)
    _see(not probe.of(wire.B_HELLO, known), "it begins anew")
    probe.order(wire.H_CFG, (wire.CFG_BRIGHTNESS, wire.BRIGHTNESS))
    _acked(probe, 2)


# --- Events, by injected readings ---


def _injecting(probe: Probe) -> int:
    """A board whose cells read what we say, all at rest; the number of its next event."""
    probe.greet()
    _settled(probe)
    probe.order(wire.H_CFG, (wire.CFG_INJECT, 1))
    _acked(probe, 1)
    probe.go(SETTLED_US)
    known = len(probe.heard)
    probe.say(wire.H_GET_STATE)
    next_event = _hear(probe, wire.B_STATE, since=known).unpacked.number("event")
    probe.say(wire.H_ACK, (next_event,))
    probe.go(100_000)
    return next_event


def _over(probe: Probe) -> None:
    """Let the board read its sensors again, and forget what it told."""
    probe.order(wire.H_CFG, (wire.CFG_INJECT, 0))
    probe.go(SETTLED_US)
    told = probe.of(wire.B_STATE)[-1].unpacked.number("event")
    probe.say(wire.H_ACK, (told,))
    probe.go(100_000)


@dataclass(frozen=True, slots=True)
class _Event:
    number: int
    t_us: int
    cell: int
    kind: int
    half_us: int


def _events(probe: Probe, since: int) -> list[_Event]:
    """The events that were told after so many frames, each as often as it was told."""
    found = []
    for one in probe.of(wire.B_EVENTS, since):
        told = one.unpacked
        unit = wire.AGED_US if one.flags & wire.AGED else 1
        for k, (cell, kind, dt, half) in enumerate(told.tail):
            numbers = [int(n) for n in (cell, kind, dt, half)]
            t_us = told.number("base_us") * unit + numbers[2] * wire.EVENT_STEP_US
            found.append(
                _Event(
                    told.number("first") + k,
                    t_us & 0xFFFFFFFF,
                    numbers[0],
                    numbers[1],
                    numbers[3] * wire.UNSURE_STEP_US,
                )
            )
    return found


def _board_us(probe: Probe) -> int:
    """The board's present, low half."""
    known = len(probe.heard)
    probe.say(wire.H_CLOCK, (1,))
    return _hear(probe, wire.B_CLOCK, since=known).unpacked.number("rx_us") & 0xFFFFFFFF


def _later(t_us: int, by_us: int) -> int:
    """A board time in the future; never 0, which means now."""
    return (t_us + by_us) & 0xFFFFFFFF or 1


def _wait(probe: Probe, since: int, first: int, count: int, us: int = 2_000_000) -> list[_Event]:
    """Events from a number on, so many, each once and in order of their numbers."""

    def arrived() -> dict[int, _Event]:
        return {event.number: event for event in _events(probe, since) if event.number >= first}

    if not probe.until(lambda: len(arrived()) >= count, us):
        raise Broken(f"{len(arrived())} of {count} events were told")
    return [event for _, event in sorted(arrived().items())]


@_claim(
    "events.kinds", "counts above the reference, the piece's south pole is down", wire.CAN_INJECT
)
def _kinds(probe: Probe) -> None:
    first = _injecting(probe)
    known = len(probe.heard)
    now = _board_us(probe)
    probe.order(wire.H_INJECT, (_later(now, 200_000), 0, 0), [(REST + STRONG,)])
    probe.order(wire.H_INJECT, (_later(now, 500_000), 0, 1), [(REST - STRONG,)])
    told = _wait(probe, known, first, 2)
    seen = [(event.cell, event.kind & wire.KIND) for event in told]
    _see(seen == [(0, wire.WHITE), (1, wire.BLACK)], f"(cell, kind) told: {seen}")
    known = len(probe.heard)
    probe.order(wire.H_INJECT, (0, 0, 0), [(REST,), (REST,)])
    gone = _wait(probe, known, first + 2, 2)
    _see({event.kind & wire.KIND for event in gone} == {wire.EMPTY}, "lifting is not told")
    _over(probe)


@_claim("events.times", "Times are those of contact", wire.CAN_INJECT)
def _times(probe: Probe) -> None:
    first = _injecting(probe)
    known = len(probe.heard)
    at = _later(_board_us(probe), 300_000)
    probe.order(wire.H_INJECT, (at, 0, 0), [(REST + STRONG,)])
    event = _wait(probe, known, first, 1)[0]
    off = (event.t_us - at + 0x80000000) % 0x100000000 - 0x80000000
    allowed = event.half_us + 25_000
    _see(abs(off) <= allowed, f"{off} µs off, with an uncertainty of {event.half_us} µs")
    _over(probe)


@_claim("events.order", "Events leave in order of time and are final.", wire.CAN_INJECT)
def _time_order(probe: Probe) -> None:
    first = _injecting(probe)
    known = len(probe.heard)
    probe.order(wire.H_INJECT, (0, 0, 0), [(REST + STRONG,)])
    _wait(probe, known, first, 1)
    # A stone that is lifted slowly left its cell before the other one came, and is gone after.
    now = _board_us(probe)
    lifted = [(REST + STRONG * (19 - k) // 20,) for k in range(20)]
    probe.order(wire.H_INJECT, (_later(now, 300_000), 10_000, 0), lifted)
    probe.order(wire.H_INJECT, (_later(now, 380_000), 0, 1), [(REST - STRONG,)])
    told = _wait(probe, known, first + 1, 2)
    order = [event.cell for event in told]
    _see(order == [0, 1], f"cell 0 was left before cell 1 was set; told: {order}")
    times = [(event.t_us - now) & 0xFFFFFFFF for event in told]
    _see(times == sorted(times), "the times do not rise")
    _over(probe)


@_claim("events.again", "until an ACK says that the host has all events below a number")
def _again(probe: Probe) -> None:
    _need_injection(probe)
    first = _injecting(probe)
    known = len(probe.heard)
    probe.order(wire.H_INJECT, (0, 0, 0), [(REST + STRONG,)])
    _wait(probe, known, first, 1)
    probe.go(1_200_000)
    times = sum(event.number == first for event in _events(probe, known))
    _see(3 <= times <= 12, f"told {times} times in 1.2 s without an ACK")
    probe.say(wire.H_ACK, (first + 1,))
    probe.go(200_000)
    known = len(probe.heard)
    probe.go(1_200_000)
    _see(not _events(probe, known), "told again after its ACK")
    _over(probe)


def _need_injection(probe: Probe) -> None:
    if not probe.greet().unpacked.number("capabilities") & wire.CAN_INJECT:
        raise Untried("the board has no CAN_INJECT: nobody moves its pieces")


@_claim("events.sessions", "followed by EVENTS from the first unacknowledged one", wire.CAN_INJECT)
def _resent(probe: Probe) -> None:
    first = _injecting(probe)
    known = len(probe.heard)
    probe.order(wire.H_INJECT, (0, 0, 0), [(REST + STRONG,)])
    _wait(probe, known, first, 1)
    probe.greet()
    known = len(probe.heard)
    told = _wait(probe, known, first, 1)
    _see(told[0].cell == 0, "another event")
    _over(probe)


def _belief(probe: Probe, cells: int, since: int = 0) -> list[int]:
    """The kinds of a whole STATE; its parts must agree."""
    parts = -(-cells // wire.CELLS_A_STATE)

    def whole() -> list[Heard]:
        by_time: dict[int, list[Heard]] = {}
        for one in probe.of(wire.B_STATE, since):
            by_time.setdefault(one.unpacked.number("t_us"), []).append(one)
        return next((found for found in by_time.values() if len(found) >= parts), [])

    if not probe.until(lambda: bool(whole()), SETTLED_US):
        raise Broken(f"no whole STATE of {parts} parts with equal t_us came")
    found = sorted(whole(), key=lambda one: one.unpacked.number("part"))
    numbers = {one.unpacked.number("event") for one in found}
    _see(len(numbers) == 1, f"the parts of a STATE have events {sorted(numbers)}")
    halves = [int(byte) for one in found for (byte,) in one.unpacked.tail]
    return [kind for byte in halves for kind in (byte & 15, byte >> 4)]


@_claim(
    "state.belief",
    "The belief includes all *released* events with numbers below `event`",
    wire.CAN_INJECT,
)
def _believes(probe: Probe) -> None:
    first = _injecting(probe)
    cells = probe.of(wire.B_HELLO)[-1].unpacked.number("cells")
    last = cells - 1
    known = len(probe.heard)
    probe.order(wire.H_INJECT, (0, 0, last), [(REST - STRONG,)])
    _wait(probe, known, first, 1)
    known = len(probe.heard)
    probe.say(wire.H_GET_STATE)
    kinds = _belief(probe, cells, known)
    event = probe.of(wire.B_STATE, known)[-1].unpacked.number("event")
    _see(event == first + 1, f"STATE goes on with event {event}, not {first + 1}")
    _see(kinds[last] == wire.BLACK, f"the last cell is believed to be {kinds[last]}")
    _over(probe)


@_claim("cfg.mask", "an event sets its kind to 7", wire.CAN_INJECT)
def _masks(probe: Probe) -> None:
    first = _injecting(probe)
    cells = probe.of(wire.B_HELLO)[-1].unpacked.number("cells")
    known = len(probe.heard)
    probe.order(wire.H_CFG, (wire.CFG_MASK, 2))
    masked = _wait(probe, known, first, 1)[0]
    _see((masked.cell, masked.kind & wire.KIND) == (2, wire.MASKED), "MASK is not told")
    probe.order(wire.H_CFG, (wire.CFG_UNMASK, 2))
    again = _wait(probe, known, first, 2)[1]
    _see((again.cell, again.kind & wire.KIND) == (2, wire.EMPTY), "UNMASK is not told")
    _refused(probe, probe.order(wire.H_CFG, (wire.CFG_MASK, cells)), wire.NAK_VALUE)
    _over(probe)


@_claim("inject.busy", "Allowed only after CFG INJECT 1", wire.CAN_INJECT)
def _busy(probe: Probe) -> None:
    probe.greet()
    _refused(probe, probe.order(wire.H_INJECT, (0, 0, 0), [(REST,)]), wire.NAK_BUSY)


@_claim("inject.shown", "HELLO and STATE show that a board is injecting", wire.CAN_INJECT)
def _shown(probe: Probe) -> None:
    _injecting(probe)
    _see(probe.of(wire.B_STATE)[-1].unpacked.number("flags") & wire.INJECTED, "STATE does not")
    _see(probe.greet().unpacked.number("capabilities") & wire.INJECTING, "HELLO does not")
    _over(probe)
    _see(
        not probe.greet().unpacked.number("capabilities") & wire.INJECTING, "HELLO does afterwards"
    )


@_claim(
    "inject.lasts",
    "neither silence nor a new session ends it",
    wire.CAN_INJECT,
)
def _lasts(probe: Probe) -> None:
    first = _injecting(probe)
    known = len(probe.heard)
    probe.order(wire.H_INJECT, (0, 0, 0), [(REST + STRONG,)])
    _wait(probe, known, first, 1)
    probe.beats = False
    probe.go(2_500_000)
    probe.beats = True
    probe.greet()
    cells = probe.of(wire.B_HELLO)[-1].unpacked.number("cells")
    _see(_belief(probe, cells, len(probe.heard))[0] == wire.WHITE, "the reading is gone")
    _over(probe)


# --- Readings and files ---


@_claim("field", "the references of all rows come last", wire.CAN_FIELD)
def _field(probe: Probe) -> None:
    probe.greet()
    _settled(probe)
    cells = probe.of(wire.B_HELLO)[-1].unpacked.number("cells")
    known = len(probe.heard)
    probe.say(wire.H_GET_FIELD, (0, cells, 0))
    probe.go(400_000)
    frames = [one.unpacked for one in probe.of(wire.B_FIELD, known)]
    _see(frames, "no FIELD came")
    _see(len({told.number("t_us") for told in frames}) == 1, "one scan has several times")
    _see(frames[-1].number("first") == wire.FIRST_BUTTON, "the references do not come last")
    got = sum(len(told.tail) for told in frames if told.number("first") < wire.FIRST_BUTTON)
    _see(got == cells, f"{got} readings of {cells} cells")
    most = max(int(count) for told in frames for (count,) in told.tail)
    _see(most <= wire.FULL_SCALE, f"a reading of {most}")


@_claim("field.period", "between two frames sent, at least 5; 0: once", wire.CAN_FIELD)
def _field_period(probe: Probe) -> None:
    probe.greet()
    _settled(probe)
    known = len(probe.heard)
    probe.say(wire.H_GET_FIELD, (0, 1, 50))
    probe.go(1_050_000)
    scans = {one.unpacked.number("t_us") for one in probe.of(wire.B_FIELD, known)}
    _see(15 <= len(scans) <= 23, f"{len(scans)} scans in 1.05 s, 50 ms apart")
    probe.say(wire.H_GET_FIELD, (0, 0, 0))
    probe.go(200_000)
    known = len(probe.heard)
    probe.go(500_000)
    _see(not probe.of(wire.B_FIELD, known), "a count of 0 does not stop it")


def _part(probe: Probe, what: int, offset: int) -> tuple[int, int, bytes]:
    """(offset, size, bytes) of FILE_PART."""
    known = len(probe.heard)
    probe.say(wire.H_FILE_READ, (what, offset))
    told = _hear(probe, wire.B_FILE_PART, since=known).unpacked
    _see(told.number("what") == what, "the part is of another file")
    data = bytes(int(byte) for (byte,) in told.tail)
    return told.number("offset"), told.number("size"), data


@_claim("file.board", "Asks for a part of `/board.bin` (every board has one)")
def _board_bin(probe: Probe) -> None:
    hello = probe.greet().unpacked
    data, size = b"", 1
    while len(data) < size:
        offset, size, some = _part(probe, wire.FILE_BOARD, len(data))
        _see(size, "it is not there")
        _see(offset == len(data) and some, f"offset {offset} with {len(some)} bytes")
        data += some
    _see(data[:4] == b"LMBN", "it does not begin with LMBN")
    crc = int.from_bytes(data[-2:], "little")
    _see(wire.crc16(data[:-2]) == crc, "its crc is wrong")
    told = (data[14], data[15])
    _see(told == (hello.number("cells"), hello.number("lights")), f"of {told} cells and lights")


@_claim("file.beyond", "an offset at or beyond the end is answered with the size as offset")
def _beyond(probe: Probe) -> None:
    probe.greet()
    _, size, _ = _part(probe, wire.FILE_BOARD, 0)
    for offset in (size, 70_000, 0xFFFFFFFF):
        told = _part(probe, wire.FILE_BOARD, offset)
        _see(told == (size, size, b""), f"offset {offset} is answered by {told[:2]}")


@_claim("file.busy", "FILE_DATA without FILE_BEGIN", wire.CAN_UPDATE)
def _no_begin(probe: Probe) -> None:
    probe.greet()
    begun = probe.order(wire.H_FILE_BEGIN, (wire.FILE_CALIBRATION, 3, bytes(32)))
    _hear(probe, wire.B_FILE)
    wrong = probe.order(wire.H_FILE_DATA, (7,), [(1,)])
    _refused(probe, wrong, wire.NAK_FILE)
    _see(not _naks(probe, begun), "FILE_BEGIN is refused")
    known = len(probe.heard)
    probe.order(wire.H_FILE_END)
    status = _hear(probe, wire.B_FILE, since=known).unpacked.number("status")
    _see(status == wire.FILE_WRONG_SUM, f"half a file has status {status}")
    late = probe.order(wire.H_FILE_DATA, (0,), [(1,)])
    _refused(probe, late, wire.NAK_BUSY)


@_claim("identity", "Answers IDENTIFY 255.", wire.CAN_IDENTIFY)
def _identity(probe: Probe) -> None:
    hello = probe.greet().unpacked
    known = len(probe.heard)
    probe.say(wire.H_IDENTIFY, (wire.WHOLE_BOARD,))
    told = _hear(probe, wire.B_IDENTITY, since=known).unpacked
    for name in ("cells", "lights", "capabilities"):
        own, other = told.number(name), hello.number(name)
        _see(own == other, f"{name}: {own}, by HELLO {other}")
    model, short = told.values["model"], hello.values["model"]
    if isinstance(model, bytes) and isinstance(short, bytes):
        _see(model[:8].rstrip(b"\0") == short.rstrip(b"\0"), f"the model is {model!r}")
    _see(told.number("grid") in (0, wire.HEXAGONS, wire.SQUARES), "no kind of grid")


@_claim(
    "identity.cells", "this cell and those after it; fewer than 4 at the end", wire.CAN_IDENTIFY
)
def _identity_cells(probe: Probe) -> None:
    hello = probe.greet().unpacked
    cells, lights = hello.number("cells"), hello.number("lights")
    known = len(probe.heard)
    probe.say(wire.H_IDENTIFY, (wire.WHOLE_BOARD,))
    if not _hear(probe, wire.B_IDENTITY, since=known).unpacked.number("grid"):
        raise Untried("the board was not told what it is")
    names, under = set(), set()
    for first in range(0, cells, wire.PLACES_A_FRAME):
        known = len(probe.heard)
        probe.say(wire.H_IDENTIFY, (first,))
        told = _hear(probe, wire.B_CELLS, since=known).unpacked
        _see(told.number("first") == first, "another cell is told")
        expected = min(wire.PLACES_A_FRAME, cells - first)
        _see(len(told.tail) == expected, f"{len(told.tail)} cells from {first} on")
        for _, _, light, _, _, name in told.tail:
            names.add(name)
            under.add(int(light))
    _see(len(names) == cells, f"{len(names)} names of {cells} cells")
    _see(len(under) == cells and max(under) < lights, "lights are told twice or are none")
    known = len(probe.heard)
    probe.say(wire.H_IDENTIFY, (cells,))
    _see(
        not _hear(probe, wire.B_CELLS, since=known).unpacked.tail, "there are cells beyond the last"
    )


# --- A new start: last, because it ends what was set ---


@_claim("boot.magic", "0x544F4F42, else the frame is ignored")
def _magic(probe: Probe) -> None:
    before = probe.greet().unpacked.number("boot_id")
    probe.order(wire.H_BOOT, (0x12345678, wire.BOOT_AGAIN))
    probe.go(1_500_000)
    _see(probe.greet().unpacked.number("boot_id") == before, "it was started anew")


@_claim("boot", "Restarts the board, which sends nothing more in this session.")
def _boot(probe: Probe) -> None:
    _started_anew(probe)


def _started_anew(probe: Probe) -> None:
    """Start the board anew, and greet it."""
    before = probe.greet().unpacked.number("boot_id")
    probe.beats = False
    probe.order(wire.H_BOOT, (wire.BOOT_MAGIC, wire.BOOT_AGAIN))
    probe.go(SETTLED_US)
    end = probe.line.now_us + LIFETIME_US
    while probe.line.now_us < end:
        try:
            after = probe.greet().unpacked
        except LinkLost:
            continue
        if after.number("boot_id") != before:
            probe.beats = True
            return
        probe.go(500_000)
    raise Broken("no new boot_id within 20 s")


@_claim("boot.word", "When it gets one it sends a HELLO with session 0, at most twice a second")
def _introduces(probe: Probe) -> None:
    before = probe.greet().unpacked.number("boot_id")
    probe.beats = False
    probe.order(wire.H_BOOT, (wire.BOOT_MAGIC, wire.BOOT_AGAIN))
    probe.go(SETTLED_US)
    end = probe.line.now_us + LIFETIME_US
    known = len(probe.heard)
    while not probe.of(wire.B_HELLO, known) and probe.line.now_us < end:
        probe.say(wire.H_GET_STATE)
        probe.go(200_000)
    _see(probe.of(wire.B_HELLO, known), "it does not say that it was started anew")
    known = len(probe.heard)
    for _ in range(20):
        probe.say(wire.H_GET_STATE)
        probe.go(100_000)
    told = [one.unpacked for one in probe.of(wire.B_HELLO, known)]
    _see(2 <= len(told) <= 5, f"{len(told)} HELLOs in 2 s")
    _see({one.number("session") for one in told} == {0}, "with a session")
    _see({one.number("boot_id") for one in told} != {before}, "boot_id is the old one")
    _see(not probe.of(wire.B_STATE, known), "it follows GET_STATE before HELLO")
    probe.greet()


@_claim("boot.count", "Event numbers start at 0 with every `boot_id`.", wire.CAN_INJECT)
def _from_zero(probe: Probe) -> None:
    first = _injecting(probe)
    known = len(probe.heard)
    probe.order(wire.H_INJECT, (0, 0, 0), [(REST + STRONG,)])
    _wait(probe, known, first, 1)
    _started_anew(probe)
    known = len(probe.heard)
    told = _hear(probe, wire.B_STATE, SETTLED_US, known).unpacked
    _see(told.number("event") == 0, f"the next event is {told.number('event')}")

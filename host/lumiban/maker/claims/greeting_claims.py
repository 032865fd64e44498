"""Claims of frames, greeting, reliable frames, time and silence: how a board speaks."""

from __future__ import annotations

import itertools
from random import SystemRandom

from lumiban_fw import wire

from lumiban.boards.messages import message
from lumiban.boards.probe import Probe
from lumiban.maker.claims.claim import (
    Chapter,
    await_ack,
    hear,
    hear_belief,
    hear_refusal,
    naks_of,
    require,
    settle,
)

GREETINGS = Chapter()

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
    require(session not in sessions, "it was answered")
    probe.greet()


@GREETINGS.claim("frame.zeros", "Consecutive zeros are not frames.")
def _zeros(probe: Probe) -> None:
    probe.greet()
    known = len(probe.heard)
    probe.line.write(bytes(5))
    probe.order(wire.H_CFG, (wire.CFG_BRIGHTNESS, wire.BRIGHTNESS))
    probe.line.write(bytes(5))
    await_ack(probe, 1)
    require(not probe.of(wire.B_HELLO, known), "the board lost its session")


@GREETINGS.claim("frame.stuffing", "A receiver that has lost its place waits for the next zero.")
def _noise(probe: Probe) -> None:
    probe.greet()
    probe.line.write(bytes(range(1, 200)) + b"\0")
    probe.order(wire.H_CFG, (wire.CFG_BRIGHTNESS, wire.BRIGHTNESS))
    await_ack(probe, 1)


@GREETINGS.claim("frame.crc", "has a wrong crc is dropped and counted")
def _wrong_crc(probe: Probe) -> None:
    session = _chance()
    raw = bytearray(_raw(wire.H_HELLO, _hello(session)))
    raw[-1] ^= 0x10
    _unheard(probe, wire.cobs(bytes(raw)) + b"\0", session)


@GREETINGS.claim("frame.short", "is shorter than 6 bytes")
def _short(probe: Probe) -> None:
    probe.greet()
    body = bytes((wire.H_GET_STATE, wire.MAJOR << wire.MAJOR_SHIFT))
    probe.line.write(wire.cobs(body + wire.crc16(body).to_bytes(2, "little")) + b"\0")
    probe.order(wire.H_CFG, (wire.CFG_BRIGHTNESS, wire.BRIGHTNESS))
    await_ack(probe, 1)


@GREETINGS.claim("frame.long", "A frame that is too long")
def _long(probe: Probe) -> None:
    session = _chance()
    raw = _raw(wire.H_HELLO, _hello(session) + bytes(60))
    _unheard(probe, wire.cobs(raw) + b"\0", session)


@GREETINGS.claim("frame.packet", "A frame is at most 61 bytes before stuffing and 63 on the line")
def _packet(probe: Probe) -> None:
    probe.greet()
    probe.go(1_200_000)
    for first in (wire.WHOLE_BOARD, 0):
        probe.say(wire.H_IDENTIFY, (first,))
    probe.say(wire.H_FILE_READ, (wire.FILE_BOARD, 0))
    probe.go(300_000)
    require(probe.longest <= wire.MAX_FRAME, f"a frame of {probe.longest} bytes came")


@GREETINGS.claim("header.seq", "sequence number of a reliable frame from the host; 0 in all others")
def _no_seq(probe: Probe) -> None:
    probe.greet()
    probe.order(wire.H_CFG, (wire.CFG_BRIGHTNESS, wire.BRIGHTNESS))
    await_ack(probe, 1)
    probe.go(1_200_000)
    seqs = {one.seq for one in probe.heard}
    require(seqs == {0}, f"frames of the board have seq {sorted(seqs)}")


# --- Greeting ---


@GREETINGS.claim("hello.session", "The board answers with a HELLO that echoes the session.")
def _echo(probe: Probe) -> None:
    for session in (1, 0xFFFFFFFF, _chance()):
        told = probe.greet(session).unpacked
        require(told.number("major") == wire.MAJOR, "another major version")
        require(1 <= told.number("cells") <= 239, f"{told.number('cells')} cells")
        require(told.number("boot_id"), "no boot_id")


@GREETINGS.claim("hello.again", "is a duplicate: it is answered, but nothing restarts")
def _duplicate(probe: Probe) -> None:
    session = _chance()
    probe.greet(session)
    probe.order(wire.H_CFG, (wire.CFG_BRIGHTNESS, wire.BRIGHTNESS))
    await_ack(probe, 1)
    known = len(probe.heard)
    probe.say(wire.H_HELLO, (wire.MAJOR, wire.MINOR, session))
    hear(probe, wire.B_HELLO, since=known)
    probe.order(wire.H_CFG, (wire.CFG_BRIGHTNESS, wire.BRIGHTNESS))
    await_ack(probe, 2)


@GREETINGS.claim("hello.anew", "both sides count reliable frames from 0 again")
def _anew(probe: Probe) -> None:
    probe.greet()
    for _ in range(3):
        probe.order(wire.H_CFG, (wire.CFG_BRIGHTNESS, wire.BRIGHTNESS))
    await_ack(probe, 3)
    probe.greet()
    probe.order(wire.H_CFG, (wire.CFG_BRIGHTNESS, wire.BRIGHTNESS))
    await_ack(probe, 1)


@GREETINGS.claim("hello.state", "The board then sends STATE")
def _state_first(probe: Probe) -> None:
    probe.greet()
    cells = probe.of(wire.B_HELLO)[-1].unpacked.number("cells")
    kinds = hear_belief(probe, cells)
    require(len(kinds) >= cells, f"{len(kinds)} kinds of {cells} cells")


@GREETINGS.claim(
    "hello.longer", "Unknown types and keys, and bytes beyond a known layout, are ignored."
)
def _longer(probe: Probe) -> None:
    probe.greet()
    session = _chance()
    probe.seq = 0
    later = bytes((wire.MAJOR, wire.MINOR + 40)) + session.to_bytes(4, "little") + b"more"
    probe.line.write(wire.frame(wire.H_HELLO, later))
    told = hear(probe, wire.B_HELLO).unpacked
    require(told.number("session") == session, "a longer HELLO is not followed")
    probe.line.write(wire.frame(0x6E, b"what is this"))
    seq = probe.put(wire.H_CFG, message(wire.H_CFG).pack((0xEE, 1)) + b"more")
    await_ack(probe, 1)
    probe.go(100_000)
    require(not naks_of(probe, seq), "an unknown key, or bytes beyond a layout, are refused")


@GREETINGS.claim("hello.major", "The board answers a HELLO of another major with FAULT 3")
def _other_major(probe: Probe) -> None:
    probe.greet()
    probe.go(100_000)
    probe.beats = False
    session, known = _chance(), len(probe.heard)
    greeting = bytes((wire.MAJOR + 1, 0)) + session.to_bytes(4, "little")
    raw = _raw(wire.H_HELLO, greeting, (wire.MAJOR + 1) << wire.MAJOR_SHIFT)
    probe.line.write(wire.cobs(raw) + b"\0")
    fault = hear(probe, wire.B_FAULT, since=known).unpacked
    said = (fault.number("what"), fault.number("where"))
    require(said == (wire.FAULT_VERSION, wire.MAJOR), f"FAULT {said}")
    told = hear(probe, wire.B_HELLO, since=known).unpacked
    require(told.number("session") == session, "its HELLO does not echo the session")


@GREETINGS.claim("major.others", "Other frames of another major are ignored.")
def _frames_of_other_majors(probe: Probe) -> None:
    probe.greet()
    known = len(probe.heard)
    raw = _raw(wire.H_CLOCK, b"\x07\0\0\0", (wire.MAJOR + 1) << wire.MAJOR_SHIFT)
    probe.line.write(wire.cobs(raw) + b"\0")
    probe.go(300_000)
    require(not probe.of(wire.B_CLOCK, known), "CLOCK of another major is answered")


# --- Reliable frames ---


@GREETINGS.claim("reliable.ack", "carries in `ack` the number it expects next")
def _in_order(probe: Probe) -> None:
    probe.greet()
    for number in range(1, 5):
        probe.order(wire.H_CFG, (wire.CFG_BRIGHTNESS, wire.BRIGHTNESS))
        await_ack(probe, number, 300_000)  # BEAT alone would take longer each time
    probe.go(1_100_000)
    require(probe.heard[-1].ack == 4, "the ack does not stay")


@GREETINGS.claim("reliable.wraps", "Numbers count from 0 after HELLO, modulo 256.")
def _wraps(probe: Probe) -> None:
    probe.greet()
    for number in range(1, 260):
        probe.order(wire.H_CFG, (wire.CFG_BRIGHTNESS, wire.BRIGHTNESS))
        await_ack(probe, number & 0xFF)


@GREETINGS.claim(
    "reliable.order", "The board accepts a reliable frame only if its seq is the one expected"
)
def _out_of_order(probe: Probe) -> None:
    probe.greet()
    probe.seq = 3
    probe.put(0x6D, b"")
    known = len(probe.heard)
    probe.go(300_000)
    require(
        any(one.ack == 0 for one in probe.heard[known:]), "it says nothing of the one it expects"
    )
    require({one.ack for one in probe.heard} == {0}, "a frame out of order is counted")
    require(not probe.of(wire.B_NAK), "a frame out of order is followed")


@GREETINGS.claim("reliable.twice", "it sends ACK (0x84), also for a frame that it dropped")
def _twice(probe: Probe) -> None:
    probe.greet()
    seq = probe.put(0x6D, b"")
    await_ack(probe, 1)
    probe.go(50_000)
    probe.seq = seq
    probe.put(0x6D, b"")
    await_ack(probe, 1, 300_000)
    probe.go(100_000)
    require(len(naks_of(probe, seq)) == 1, "a frame that came twice was followed twice")


@GREETINGS.claim("nak.counts", "counts as received; the board answers it with NAK")
def _counts(probe: Probe) -> None:
    probe.greet()
    seq = probe.put(0x6D, b"?")
    hear_refusal(probe, seq, wire.NAK_UNKNOWN)
    told = naks_of(probe, seq)[0].unpacked
    require(told.number("kind") == 0x6D, "NAK of another type")
    probe.order(wire.H_CFG, (wire.CFG_BRIGHTNESS, wire.BRIGHTNESS))
    await_ack(probe, 2)


@GREETINGS.claim("nak.short", "shorter than its layout")
def _nak_short(probe: Probe) -> None:
    probe.greet()
    for kind in (wire.H_CFG, wire.H_LAYER, wire.H_COMMIT):
        hear_refusal(probe, probe.put(kind, b"\x01"), wire.NAK_SHORT)


@GREETINGS.claim("nak.value", "a number out of range")
def _nak_value(probe: Probe) -> None:
    probe.greet()
    hear_refusal(probe, probe.order(wire.H_CFG, (wire.CFG_MASK, 255)), wire.NAK_VALUE)


@GREETINGS.claim("light.layers", "0; frames for others are ignored")
def _layers(probe: Probe) -> None:
    probe.greet()
    first = probe.order(wire.H_LAYER, (200, 0), [(1, 0)])
    second = probe.order(wire.H_LAYER, (0, 250), [(200, 99)] * 26)
    probe.order(wire.H_PALETTE, (60,), [(255, 0, 0)] * 18)
    probe.order(wire.H_COMMIT, (0,))
    await_ack(probe, 4)
    require(not naks_of(probe, first) + naks_of(probe, second), "a light out of range is refused")


# --- Time and liveness ---


@GREETINGS.claim("clock", "echoed by the board")
def _clock(probe: Probe) -> None:
    probe.greet()
    times = []
    for token in (0, 0xFFFFFFFF, 77):
        known, asked_us = len(probe.heard), probe.line.now_us
        probe.say(wire.H_CLOCK, (token,))
        answer = hear(probe, wire.B_CLOCK, since=known)
        told = answer.unpacked
        require(told.number("token") == token, "the token is another")
        times.append((asked_us, answer.at_us, told.number("rx_us")))
        probe.go(1_000_000)
    (_, heard, first), (asked, _, last) = times[0], times[-1]
    apart, most = last - first, asked - heard
    # A simulated board on a busy computer may lag.
    require(most / 2 < apart, f"{apart} µs passed on the board while {most} did here")


@GREETINGS.claim("beat", "Both sides send BEAT every 500 ms.")
def _beats(probe: Probe) -> None:
    probe.greet()
    settle(probe)
    known = len(probe.heard)
    probe.go(5_000_000)
    beats = probe.of(wire.B_BEAT, known)
    require(8 <= len(beats) <= 12, f"{len(beats)} BEATs in 5 s")
    for one, other in itertools.pairwise(beats):
        apart = (other.unpacked.number("now_us") - one.unpacked.number("now_us")) & 0xFFFFFFFF
        require(350_000 < apart < 750_000, f"two BEATs are {apart} µs apart by the board's time")


@GREETINGS.claim("watermark", "it lags the present by at most 400 ms")
def _watermark(probe: Probe) -> None:
    probe.greet()
    settle(probe)
    probe.go(2_000_000)
    for beat in probe.of(wire.B_BEAT)[2:]:
        told = beat.unpacked
        behind = (told.number("now_us") - told.number("watermark_us")) & 0xFFFFFFFF
        require(behind <= 450_000, f"a watermark is {behind} µs behind its BEAT")


@GREETINGS.claim("stats", "Sent every 5 s.")
def _stats(probe: Probe) -> None:
    probe.greet()
    probe.go(11_500_000)
    stats = probe.of(wire.B_STATS)
    require(len(stats) in (2, 3), f"{len(stats)} STATS in 11.5 s")
    for one in stats:
        told = one.unpacked
        require(0 <= told.number("limited") <= 100, f"limited to {told.number('limited')} %")


@GREETINGS.claim("state.period", "every 500 ms and when asked")
def _state(probe: Probe) -> None:
    probe.greet()
    cells = probe.of(wire.B_HELLO)[-1].unpacked.number("cells")
    settle(probe)
    known = len(probe.heard)
    probe.go(5_000_000)
    parts = -(-cells // wire.CELLS_A_STATE)
    states = probe.of(wire.B_STATE, known)
    require(8 * parts <= len(states) <= 12 * parts, f"{len(states)} STATEs in 5 s")
    require({one.unpacked.number("parts") for one in states} == {parts}, f"not {parts} parts")
    probe.go(100_000)
    known, asked_us = len(probe.heard), probe.line.now_us
    probe.say(wire.H_GET_STATE)
    answer = hear(probe, wire.B_STATE, since=known)
    require(answer.at_us - asked_us < 250_000, "GET_STATE is answered late")


@GREETINGS.claim("lost", "goes on sensing, keeps its events, and is silent")
def _silence(probe: Probe) -> None:
    probe.greet()
    settle(probe)
    probe.beats = False
    probe.go(2_200_000)
    known = len(probe.heard)
    probe.go(2_500_000)
    require(len(probe.heard) == known, "a board without its host goes on talking")


@GREETINGS.claim("lost.back", "When any frame of the session arrives, it resumes.")
def _resumes(probe: Probe) -> None:
    probe.greet()
    probe.order(wire.H_CFG, (wire.CFG_BRIGHTNESS, wire.BRIGHTNESS))
    await_ack(probe, 1)
    probe.beats = False
    probe.go(2_500_000)
    known = len(probe.heard)
    probe.beats = True
    hear(probe, wire.B_STATE, since=known)
    require(not probe.of(wire.B_HELLO, known), "it begins anew")
    probe.order(wire.H_CFG, (wire.CFG_BRIGHTNESS, wire.BRIGHTNESS))
    await_ack(probe, 2)

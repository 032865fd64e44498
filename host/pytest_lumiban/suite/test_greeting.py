"""Frames, greeting, reliable frames, time and silence: how a board speaks."""

from __future__ import annotations

from random import SystemRandom
from statistics import median

from lumiban.boards.client import Frame
from lumiban.boards.messages import message
from lumiban_fw import wire

from pytest_lumiban.claims import (
    SETTLED_US,
    Inconclusive,
    ask,
    await_ack,
    claim,
    hear,
    hear_refusal,
    naks_of,
    period_us,
    require,
    settle,
)
from pytest_lumiban.probe import Probe

DRIFT = 500e-6
GRAIN_US = 200
"""Clocks differ by so much in rate, and are read so coarsely."""


def order(probe: Probe, expected: int) -> None:
    """A reliable frame that changes nothing, after which the board expects this number."""
    probe.order(wire.H_CFG, (wire.CFG_BRIGHTNESS, wire.BRIGHTNESS))
    await_ack(probe, expected)


# --- Frames ---


def _framed(kind: int, payload: bytes, major: int = wire.MAJOR, spoilt: int = 0) -> bytes:
    """A frame of any length and major version, whose crc is wrong in the bits `spoilt`."""
    body = bytes((kind, major << wire.MAJOR_SHIFT, 0, 0)) + payload
    return wire.cobs(body + (wire.crc16(body) ^ spoilt).to_bytes(2, "little")) + b"\0"


def _hello(session: int, major: int = wire.MAJOR, minor: int = wire.MINOR) -> bytes:
    return message(wire.H_HELLO).pack((major, minor, session))


def _chance() -> int:
    return SystemRandom().getrandbits(31) + 1


def _unheard(probe: Probe, line: bytes, session: int) -> None:
    """These bytes are no HELLO of this session."""
    probe.line.write(line)
    probe.rest()
    sessions = [one["session"] for one in probe.of(wire.B_HELLO)]
    require(session not in sessions, "it was answered")


@claim("Consecutive zeros are not frames.")
def test_zeros_in_a_row_are_no_frames(probe: Probe) -> None:
    probe.line.write(bytes(5))
    probe.order(wire.H_CFG, (wire.CFG_BRIGHTNESS, wire.BRIGHTNESS))
    probe.line.write(bytes(5))
    await_ack(probe, 1)
    probe.rest()
    require(len(probe.of(wire.B_HELLO)) == 1, "the board lost its session")


@claim("A receiver that has lost its place waits for the next zero.")
def test_after_noise_a_board_finds_the_next_frame(probe: Probe) -> None:
    probe.line.write(bytes(range(1, 200)) + b"\0")
    order(probe, 1)


@claim("has a wrong crc is dropped and counted")
def test_a_frame_with_a_wrong_crc_is_dropped(probe: Probe) -> None:
    session = _chance()
    _unheard(probe, _framed(wire.H_HELLO, _hello(session), spoilt=0x1000), session)


@claim("is shorter than 6 bytes")
def test_a_frame_that_is_too_short_is_dropped(probe: Probe) -> None:
    body = bytes((wire.H_GET_STATE, wire.MAJOR << wire.MAJOR_SHIFT))
    probe.line.write(wire.cobs(body + wire.crc16(body).to_bytes(2, "little")) + b"\0")
    order(probe, 1)


@claim("A frame that is too long")
def test_a_frame_that_is_too_long_is_dropped(probe: Probe) -> None:
    session = _chance()
    _unheard(probe, _framed(wire.H_HELLO, _hello(session) + bytes(60)), session)


@claim("A frame is at most 61 bytes before stuffing and 63 on the line")
def test_no_frame_of_the_board_is_longer_than_a_packet(probe: Probe) -> None:
    probe.run(1_200_000)
    for first in (wire.WHOLE_BOARD, 0):
        probe.say(wire.H_IDENTIFY, (first,))
    probe.say(wire.H_FILE_READ, (wire.FILE_BOARD, 0))
    probe.rest()
    require(probe.longest <= wire.MAX_FRAME, f"a frame of {probe.longest} bytes came")


@claim("sequence number of a reliable frame from the host; 0 in all others")
def test_frames_of_the_board_have_no_number(probe: Probe) -> None:
    order(probe, 1)
    probe.run(1_200_000)
    seqs = {one.seq for one in probe.frames}
    require(seqs == {0}, f"frames of the board have seq {sorted(seqs)}")


# --- Greeting ---


@claim("The board answers with a HELLO that echoes the session.")
def test_hello_echoes_the_session(probe: Probe) -> None:
    for session in (1, 0xFFFFFFFF, _chance()):
        hello = probe.greet(session)
        require(hello["major"] == wire.MAJOR, "another major version")
        require(1 <= hello["cells"] <= 239, f"{hello['cells']} cells")
        require(hello["boot_id"], "no boot_id")


@claim("is a duplicate: it is answered, but nothing restarts")
def test_a_hello_that_comes_twice_restarts_nothing(probe: Probe) -> None:
    session = _chance()
    probe.greet(session)
    order(probe, 1)
    ask(probe, wire.B_HELLO, wire.H_HELLO, (wire.MAJOR, wire.MINOR, session))
    order(probe, 2)


@claim("both sides count reliable frames from 0 again")
def test_another_session_counts_reliable_frames_from_0(probe: Probe) -> None:
    for number in range(1, 4):
        order(probe, number)
    probe.greet()
    order(probe, 1)


@claim("The board then sends STATE")
def test_state_follows_hello(probe: Probe) -> None:
    def kinds() -> int:
        """Number of kinds in the parts that belong to the newest STATE."""
        states = [one.unpacked for one in probe.of(wire.B_STATE)]
        whole = [one for one in states if one.fields[:2] == states[-1].fields[:2]]
        return 2 * sum(len(one.tail) for one in whole)

    came = probe.until(lambda: kinds() >= probe.cells, SETTLED_US)
    require(came, f"no STATE of {probe.cells} cells came whole, with equal t_us and event")


@claim("Unknown types and keys, and bytes beyond a known layout, are ignored.")
def test_what_a_later_minor_version_adds_is_ignored(probe: Probe) -> None:
    session = _chance()
    probe.line.write(_framed(wire.H_HELLO, _hello(session, minor=wire.MINOR + 40) + b"more"))
    hello = hear(probe, wire.B_HELLO)
    require(hello["session"] == session, "a longer HELLO is not followed")
    probe.line.write(wire.frame(0x6E, b"what is this"))
    seq = probe.put(wire.H_CFG, message(wire.H_CFG).pack((0xEE, 1)) + b"more")
    await_ack(probe, 1)
    probe.rest()
    require(not naks_of(probe, seq), "an unknown key, or bytes beyond a layout, are refused")


@claim("The board answers a HELLO of another major with FAULT 3")
def test_another_major_version_is_refused_by_fault(probe: Probe) -> None:
    probe.beats = False
    session, major, known = _chance(), wire.MAJOR + 1, len(probe.frames)
    probe.line.write(_framed(wire.H_HELLO, _hello(session, major, 0), major))
    fault = hear(probe, wire.B_FAULT, since=known)
    codes = (fault["what"], fault["where"])
    require(codes == (wire.FAULT_VERSION, wire.MAJOR), f"FAULT {codes}")
    hello = hear(probe, wire.B_HELLO, since=known)
    require(hello["session"] == session, "its HELLO does not echo the session")


@claim("Other frames of another major are ignored.")
def test_frames_of_another_major_version_are_ignored(probe: Probe) -> None:
    probe.line.write(_framed(wire.H_CLOCK, b"\x07\0\0\0", wire.MAJOR + 1))
    probe.rest()
    tokens = [one["token"] for one in probe.of(wire.B_CLOCK)]
    require(7 not in tokens, "CLOCK of another major is answered")


# --- Reliable frames ---


@claim("carries in `ack` the number it expects next")
def test_reliable_frames_are_acknowledged_one_by_one(probe: Probe) -> None:
    for number in range(1, 5):
        order(probe, number)
    # Where nothing else is to be sent: BEAT and STATE come now and then and acknowledge as well.
    require(probe.of(wire.B_ACK), "no ACK came for four frames, one after the other")
    probe.rest(1_100_000)
    require(probe.frames[-1].ack == 4, "the ack does not stay")


@claim("Numbers count from 0 after HELLO, modulo 256.")
def test_numbers_of_reliable_frames_wrap_at_256(probe: Probe) -> None:
    for number in range(1, 260):
        order(probe, number & 0xFF)


@claim("The board accepts a reliable frame only if its seq is the one expected")
def test_a_reliable_frame_out_of_order_is_dropped(probe: Probe) -> None:
    probe.seq = 3
    probe.put(0x6D, b"")
    known = len(probe.frames)
    probe.rest(300_000)
    require(
        any(one.ack == 0 for one in probe.frames[known:]), "it says nothing of the one it expects"
    )
    require({one.ack for one in probe.frames} == {0}, "a frame out of order is counted")
    require(not probe.of(wire.B_NAK), "a frame out of order is followed")


@claim("it sends ACK (0x84), also for a frame that it dropped")
def test_a_reliable_frame_that_comes_twice_is_followed_once(probe: Probe) -> None:
    seq = probe.put(0x6D, b"")
    await_ack(probe, 1)
    probe.rest()
    probe.seq = seq
    probe.put(0x6D, b"")
    await_ack(probe, 1)
    probe.rest()
    naks = naks_of(probe, seq)
    require(naks, "no NAK came for a frame of an unknown type")
    require(len(naks) == 1, "a frame that came twice was followed twice")


@claim("counts as received; the board answers it with NAK")
def test_an_unknown_reliable_frame_is_refused_and_counts(probe: Probe) -> None:
    nak = hear_refusal(probe, probe.put(0x6D, b"?"), wire.NAK_UNKNOWN)
    require(nak["kind"] == 0x6D, "NAK of another type")
    order(probe, 2)


@claim("shorter than its layout")
def test_a_payload_that_is_too_short_is_refused(probe: Probe) -> None:
    for kind in (wire.H_CFG, wire.H_LAYER, wire.H_COMMIT):
        hear_refusal(probe, probe.put(kind, b"\x01"), wire.NAK_SHORT)


@claim("a number out of range")
def test_a_number_out_of_range_is_refused(probe: Probe) -> None:
    hear_refusal(probe, probe.order(wire.H_CFG, (wire.CFG_MASK, 255)), wire.NAK_VALUE)


@claim("0; frames for others are ignored")
def test_lights_that_do_not_exist_are_ignored(probe: Probe) -> None:
    first = probe.order(wire.H_LAYER, (200, 0), [(1, 0)])
    second = probe.order(wire.H_LAYER, (0, 250), [(200, 99)] * 26)
    probe.order(wire.H_PALETTE, (60,), [(255, 0, 0)] * 18)
    probe.order(wire.H_COMMIT, (0,))
    await_ack(probe, 4)
    require(not naks_of(probe, first) + naks_of(probe, second), "a light out of range is refused")


# --- Time and liveness ---


@claim("echoed by the board")
def test_clock_echoes_its_token_and_goes_on(probe: Probe) -> None:
    for token in (0, 0xFFFFFFFF, 77):
        clock = ask(probe, wire.B_CLOCK, wire.H_CLOCK, (token,))
        require(clock["token"] == token, "the token is another")


@claim("when the request was read")
def test_the_board_s_clock_agrees_with_the_host_s(probe: Probe) -> None:
    least, most = [], []
    for token in range(1, 25):
        asked_us = probe.line.now_us
        answer = ask(probe, wire.B_CLOCK, wire.H_CLOCK, (token,))
        rx_us = answer["rx_us"]
        # The board read it after it was sent and before its answer was here, however late that is.
        least.append(rx_us - answer.at_us)
        most.append(rx_us - asked_us)
        probe.run(50_000)
    off_us = max(least) - min(most)
    is_simulated = probe.hello["capabilities"] & wire.IS_SIMULATED
    if off_us > GRAIN_US and is_simulated and probe.bench.is_real:
        raise Inconclusive("a simulated board's clock is as late as the computer that runs it")
    drift_us = (answer.at_us - asked_us + 24 * 60_000) * DRIFT
    require(
        off_us <= drift_us + GRAIN_US,
        f"its times of reading CLOCK differ by {off_us / 1000:.1f} ms more than the way there and "
        "back explains: its clock is not steady",
    )


@claim("Both sides send BEAT every 500 ms.")
def test_beats_come_every_500_ms(probe: Probe) -> None:
    _check_twice_a_second(probe, wire.B_BEAT, "now_us")


def _check_twice_a_second(probe: Probe, kind: int, time: str) -> list[Frame]:
    """What came of a type in 5 s; Broken unless it came every 500 ms by the board's time."""
    settle(probe)
    known = len(probe.frames)
    probe.run(5_000_000)
    apart_us = period_us(probe, kind, time, known)
    name = message(kind).name
    require(350_000 < apart_us < 750_000, f"{name} comes every {apart_us} µs by the board's time")
    return probe.of(kind, known)


@claim("it lags the present by at most 400 ms")
def test_the_watermark_lags_by_at_most_400_ms(probe: Probe) -> None:
    # A board that was held up for a moment lags once.
    behind_us = median(_behind_us(probe, wire.B_BEAT, "now_us"))
    require(behind_us <= 450_000, f"the watermark is {behind_us} µs behind its BEAT")


@claim("it is never later than the time that the frame tells")
def test_no_beat_or_state_tells_a_watermark_later_than_itself(probe: Probe) -> None:
    for kind, time in ((wire.B_BEAT, "now_us"), (wire.B_STATE, "t_us")):
        least_us, name = min(_behind_us(probe, kind, time)), message(kind).name
        require(least_us >= 0, f"a watermark is {-least_us} µs later than the {name} that tells it")


def _behind_us(probe: Probe, kind: int, time: str) -> list[int]:
    """How far the watermarks of these frames lie behind their times, in µs; below 0 they lie
    ahead."""
    settle(probe)
    known = len(probe.frames)
    probe.run(2_000_000)
    frames = probe.of(kind, known)
    require(frames, f"no {message(kind).name} came")
    apart_us = ((one[time] - one["watermark_us"]) & 0xFFFFFFFF for one in frames)
    return [us - (us >> 31 << 32) for us in apart_us]


@claim("Sent every 5 s.")
def test_stats_come_every_5_s(probe: Probe) -> None:
    greeted_hz, began_us = probe.hello["scan_hz"], probe.now_on_board()
    probe.run(11_500_000)
    stats = probe.of(wire.B_STATS)
    passed_us = probe.now_on_board() - began_us
    require(
        abs(len(stats) - passed_us / 5_000_000) < 1.5,
        f"{len(stats)} STATS in {passed_us / 1e6:.1f} s of the board",
    )
    for one in stats:
        require(0 <= one["limited"] <= 100, f"limited to {one['limited']} %")
        hz = one["scan_hz"]
        require(
            not hz or abs(hz - greeted_hz) <= greeted_hz / 4,
            f"{hz} sensor frames a second by STATS, {greeted_hz} by HELLO",
        )


@claim("every 500 ms and when asked")
def test_state_comes_every_500_ms_and_when_asked(probe: Probe) -> None:
    states = _check_twice_a_second(probe, wire.B_STATE, "t_us")
    parts = -(-probe.cells // wire.CELLS_A_STATE)
    require({one["parts"] for one in states} == {parts}, f"not {parts} parts")
    known = len(probe.frames)
    for _ in range(10):
        ask(probe, wire.B_STATE, wire.H_GET_STATE)
        probe.run(20_000)
    apart_us = period_us(probe, wire.B_STATE, "t_us", known)
    require(
        apart_us < 400_000,
        f"asked again and again, it tells its STATE every {apart_us // 1000} ms and no sooner",
    )


@claim("goes on sensing, keeps its events, and is silent")
def test_a_board_without_its_host_is_silent(probe: Probe) -> None:
    settle(probe)
    probe.beats = False
    for _ in range(4):
        probe.run(2_200_000)
        known = len(probe.frames)
        probe.run(2_500_000)
        if len(probe.frames) == known:
            return
    require(False, "it goes on talking 15 s after its host fell silent")


@claim("When any frame of the session arrives, it resumes.")
def test_any_frame_of_the_session_takes_a_lost_host_back(probe: Probe) -> None:
    order(probe, 1)
    probe.beats = False
    probe.run(2_500_000)
    probe.beats = True
    hear(probe, wire.B_STATE)
    probe.rest()
    require(len(probe.of(wire.B_HELLO)) == 1, "it begins again")
    order(probe, 2)

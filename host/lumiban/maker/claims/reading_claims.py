"""Claims of what a host reads from a board: raw fields, files, what the board is."""

from __future__ import annotations

from lumiban_fw import wire

from lumiban.boards.probe import Probe
from lumiban.maker.claims.claim import (
    Chapter,
    Untried,
    hear,
    hear_refusal,
    naks_of,
    require,
    settle,
)

READINGS = Chapter()


@READINGS.claim("field", "the references of all rows come last", wire.CAN_FIELD)
def _field(probe: Probe) -> None:
    probe.greet()
    settle(probe)
    cells = probe.of(wire.B_HELLO)[-1].unpacked.number("cells")
    known = len(probe.heard)
    probe.say(wire.H_GET_FIELD, (0, cells, 0))
    probe.go(400_000)
    frames = [one.unpacked for one in probe.of(wire.B_FIELD, known)]
    require(frames, "no FIELD came")
    require(len({told.number("t_us") for told in frames}) == 1, "one scan has several times")
    require(frames[-1].number("first") == wire.FIRST_BUTTON, "the references do not come last")
    got = sum(len(told.tail) for told in frames if told.number("first") < wire.FIRST_BUTTON)
    require(got == cells, f"{got} readings of {cells} cells")
    most = max(int(count) for told in frames for (count,) in told.tail)
    require(most <= wire.FULL_SCALE, f"a reading of {most}")


@READINGS.claim("field.period", "between two frames sent, at least 5; 0: once", wire.CAN_FIELD)
def _field_period(probe: Probe) -> None:
    probe.greet()
    settle(probe)
    known = len(probe.heard)
    probe.say(wire.H_GET_FIELD, (0, 1, 50))
    probe.go(1_050_000)
    scans = {one.unpacked.number("t_us") for one in probe.of(wire.B_FIELD, known)}
    require(15 <= len(scans) <= 23, f"{len(scans)} scans in 1.05 s, 50 ms apart")
    probe.say(wire.H_GET_FIELD, (0, 0, 0))
    probe.go(200_000)
    known = len(probe.heard)
    probe.go(500_000)
    require(not probe.of(wire.B_FIELD, known), "a count of 0 does not stop it")


def _part(probe: Probe, what: int, offset: int) -> tuple[int, int, bytes]:
    """(offset, size, bytes) of FILE_PART."""
    known = len(probe.heard)
    probe.say(wire.H_FILE_READ, (what, offset))
    told = hear(probe, wire.B_FILE_PART, since=known).unpacked
    require(told.number("what") == what, "the part is of another file")
    data = bytes(int(byte) for (byte,) in told.tail)
    return told.number("offset"), told.number("size"), data


@READINGS.claim("file.board", "Asks for a part of `/board.bin` (every board has one)")
def _board_bin(probe: Probe) -> None:
    hello = probe.greet().unpacked
    data, size = b"", 1
    while len(data) < size:
        offset, size, some = _part(probe, wire.FILE_BOARD, len(data))
        require(size, "it is not there")
        require(offset == len(data) and some, f"offset {offset} with {len(some)} bytes")
        data += some
    require(data[:4] == b"LMBN", "it does not begin with LMBN")
    crc = int.from_bytes(data[-2:], "little")
    require(wire.crc16(data[:-2]) == crc, "its crc is wrong")
    told = (data[14], data[15])
    require(told == (hello.number("cells"), hello.number("lights")), f"of {told} cells and lights")


@READINGS.claim("file.beyond", "an offset at or beyond the end is answered with the size as offset")
def _beyond(probe: Probe) -> None:
    probe.greet()
    _, size, _ = _part(probe, wire.FILE_BOARD, 0)
    for offset in (size, 70_000, 0xFFFFFFFF):
        told = _part(probe, wire.FILE_BOARD, offset)
        require(told == (size, size, b""), f"offset {offset} is answered by {told[:2]}")


@READINGS.claim("file.busy", "FILE_DATA without FILE_BEGIN", wire.CAN_UPDATE)
def _no_begin(probe: Probe) -> None:
    probe.greet()
    begun = probe.order(wire.H_FILE_BEGIN, (wire.FILE_CALIBRATION, 3, bytes(32)))
    hear(probe, wire.B_FILE)
    wrong = probe.order(wire.H_FILE_DATA, (7,), [(1,)])
    hear_refusal(probe, wrong, wire.NAK_FILE)
    require(not naks_of(probe, begun), "FILE_BEGIN is refused")
    known = len(probe.heard)
    probe.order(wire.H_FILE_END)
    status = hear(probe, wire.B_FILE, since=known).unpacked.number("status")
    require(status == wire.FILE_WRONG_SUM, f"half a file has status {status}")
    late = probe.order(wire.H_FILE_DATA, (0,), [(1,)])
    hear_refusal(probe, late, wire.NAK_BUSY)


@READINGS.claim("identity", "Answers IDENTIFY 255.", wire.CAN_IDENTIFY)
def _identity(probe: Probe) -> None:
    hello = probe.greet().unpacked
    known = len(probe.heard)
    probe.say(wire.H_IDENTIFY, (wire.WHOLE_BOARD,))
    told = hear(probe, wire.B_IDENTITY, since=known).unpacked
    for name in ("cells", "lights", "capabilities"):
        own, other = told.number(name), hello.number(name)
        require(own == other, f"{name}: {own}, by HELLO {other}")
    model, short = told.values["model"], hello.values["model"]
    if isinstance(model, bytes) and isinstance(short, bytes):
        require(model[:8].rstrip(b"\0") == short.rstrip(b"\0"), f"the model is {model!r}")
    require(told.number("grid") in (0, wire.HEXAGONS, wire.SQUARES), "no kind of grid")


@READINGS.claim(
    "identity.cells", "this cell and those after it; fewer than 4 at the end", wire.CAN_IDENTIFY
)
def _identity_cells(probe: Probe) -> None:
    hello = probe.greet().unpacked
    cells, lights = hello.number("cells"), hello.number("lights")
    known = len(probe.heard)
    probe.say(wire.H_IDENTIFY, (wire.WHOLE_BOARD,))
    if not hear(probe, wire.B_IDENTITY, since=known).unpacked.number("grid"):
        raise Untried("the board was not told what it is")
    names, under = set(), set()
    for first in range(0, cells, wire.PLACES_A_FRAME):
        known = len(probe.heard)
        probe.say(wire.H_IDENTIFY, (first,))
        told = hear(probe, wire.B_CELLS, since=known).unpacked
        require(told.number("first") == first, "another cell is told")
        expected = min(wire.PLACES_A_FRAME, cells - first)
        require(len(told.tail) == expected, f"{len(told.tail)} cells from {first} on")
        for _, _, light, _, _, name in told.tail:
            names.add(name)
            under.add(int(light))
    require(len(names) == cells, f"{len(names)} names of {cells} cells")
    require(len(under) == cells and max(under) < lights, "lights are told twice or are none")
    known = len(probe.heard)
    probe.say(wire.H_IDENTIFY, (cells,))
    require(
        not hear(probe, wire.B_CELLS, since=known).unpacked.tail, "there are cells beyond the last"
    )

"""Claims of what a host reads from a board: raw fields, files, what the board is."""

from __future__ import annotations

import itertools
from statistics import median

import pytest
from lumiban_fw import wire

from pytest_lumiban.claims import (
    ask,
    claim,
    hear,
    hear_refusal,
    naks_of,
    require,
    settle,
)
from pytest_lumiban.probe import Probe


@claim("the references of all rows come last", "CAN_FIELD")
def test_field_has_all_cells_and_its_references_last(probe: Probe) -> None:
    settle(probe)
    cells = probe.cells
    known = len(probe.frames)
    probe.say(wire.H_GET_FIELD, (0, cells, 0))
    probe.rest(400_000)
    frames = [one.unpacked for one in probe.of(wire.B_FIELD, known)]
    require(frames, "no FIELD came")
    require(len({frame.number("t_us") for frame in frames}) == 1, "one scan has several times")
    require(frames[-1].number("first") == wire.FIRST_BUTTON, "the references do not come last")
    got = sum(len(frame.tail) for frame in frames if frame.number("first") < wire.FIRST_BUTTON)
    require(got == cells, f"{got} readings of {cells} cells")
    most = max(int(count) for frame in frames for (count,) in frame.tail)
    require(most <= wire.FULL_SCALE, f"a reading of {most}")


@claim("between two frames sent, at least 5; 0: once", "CAN_FIELD")
def test_field_comes_at_its_period(probe: Probe) -> None:
    settle(probe)
    known = len(probe.frames)
    probe.say(wire.H_GET_FIELD, (0, 1, 50))
    probe.run(2_000_000)
    scans = sorted({one["t_us"] for one in probe.of(wire.B_FIELD, known)})
    require(len(scans) > 2, f"{len(scans)} scans in 2 s, 50 ms apart")
    apart_us = median((b - a) & 0xFFFFFFFF for a, b in itertools.pairwise(scans))
    require(45_000 <= apart_us <= 70_000, f"scans are {apart_us} µs apart, not 50 ms")
    probe.say(wire.H_GET_FIELD, (0, 0, 0))
    probe.rest()
    known = len(probe.frames)
    probe.run(500_000)
    require(not probe.of(wire.B_FIELD, known), "a count of 0 does not stop it")


def _part(probe: Probe, what: int, offset: int) -> tuple[int, int, bytes]:
    """(offset, size, bytes) of FILE_PART."""
    part = ask(probe, wire.B_FILE_PART, wire.H_FILE_READ, (what, offset)).unpacked
    require(part.number("what") == what, "the part is of another file")
    data = bytes(int(byte) for (byte,) in part.tail)
    return part.number("offset"), part.number("size"), data


@claim("A board that answers IDENTIFY may have no `/board.bin`")
def test_the_board_s_file_is_read_whole(probe: Probe) -> None:
    hello = probe.greet().unpacked
    data, size = b"", 1
    while len(data) < size:
        offset, size, some = _part(probe, wire.FILE_BOARD, len(data))
        if not size and hello.number("capabilities") & wire.CAN_IDENTIFY:
            pytest.skip("untested: the board keeps no /board.bin")
        require(size, "it is not there")
        require(offset == len(data) and some, f"offset {offset} with {len(some)} bytes")
        data += some
    require(data[:4] == b"LMBN", "it does not begin with LMBN")
    crc = int.from_bytes(data[-2:], "little")
    require(wire.crc16(data[:-2]) == crc, "its crc is wrong")
    counts = (data[14], data[15])
    require(
        counts == (hello.number("cells"), hello.number("lights")), f"of {counts} cells and lights"
    )


@claim("an offset at or beyond the end is answered with the size as offset")
def test_a_file_ends_where_it_ends(probe: Probe) -> None:
    probe.greet()
    _, size, _ = _part(probe, wire.FILE_BOARD, 0)
    for offset in (size, 70_000, 0xFFFFFFFF):
        part = _part(probe, wire.FILE_BOARD, offset)
        require(part == (size, size, b""), f"offset {offset} is answered by {part[:2]}")


@claim("FILE_DATA without FILE_BEGIN", "CAN_UPDATE")
def test_data_of_no_file_is_refused(probe: Probe) -> None:
    probe.greet()
    begun = probe.order(wire.H_FILE_BEGIN, (wire.FILE_CALIBRATION, 3, bytes(32)))
    hear(probe, wire.B_FILE)
    wrong = probe.order(wire.H_FILE_DATA, (7,), [(1,)])
    hear_refusal(probe, wrong, wire.NAK_FILE)
    require(not naks_of(probe, begun), "FILE_BEGIN is refused")
    known = len(probe.frames)
    probe.order(wire.H_FILE_END)
    status = hear(probe, wire.B_FILE, since=known)["status"]
    require(status == wire.FILE_WRONG_SUM, f"half a file has status {status}")
    late = probe.order(wire.H_FILE_DATA, (0,), [(1,)])
    hear_refusal(probe, late, wire.NAK_BUSY)


@claim("Answers IDENTIFY 255.", "CAN_IDENTIFY")
def test_identity_agrees_with_hello(probe: Probe) -> None:
    hello = probe.greet().unpacked
    identity = ask(probe, wire.B_IDENTITY, wire.H_IDENTIFY, (wire.WHOLE_BOARD,)).unpacked
    for name in ("cells", "lights", "capabilities"):
        own, other = identity.number(name), hello.number(name)
        require(own == other, f"{name}: {own}, by HELLO {other}")
    model, short = identity.values["model"], hello.values["model"]
    if isinstance(model, bytes) and isinstance(short, bytes):
        require(model[:8].rstrip(b"\0") == short.rstrip(b"\0"), f"the model is {model!r}")
    require(identity.number("grid") in (0, wire.HEXAGONS, wire.SQUARES), "no kind of grid")


def told_cells(probe: Probe) -> list[tuple[str, int]]:
    """(name, light) of each cell, as CELLS tells them."""
    cells = probe.cells
    told: list[tuple[str, int]] = []
    for first in range(0, cells, wire.PLACES_A_FRAME):
        frame = ask(probe, wire.B_CELLS, wire.H_IDENTIFY, (first,)).unpacked
        require(frame.number("first") == first, "another cell is told")
        expected = min(wire.PLACES_A_FRAME, cells - first)
        require(len(frame.tail) == expected, f"{len(frame.tail)} cells from {first} on")
        for _, _, light, _, _, name in frame.tail:
            told.append((bytes(name).rstrip(b"\0").decode("ascii", "replace"), int(light)))
    return told


@claim("this cell and those after it; fewer than 4 at the end", "CAN_IDENTIFY")
def test_each_cell_is_told_by_name_and_light(probe: Probe) -> None:
    profile = probe.bench.profile
    hello = probe.greet().unpacked
    cells, lights = hello.number("cells"), hello.number("lights")
    known = len(probe.frames)
    probe.say(wire.H_IDENTIFY, (wire.WHOLE_BOARD,))
    if not hear(probe, wire.B_IDENTITY, since=known)["grid"]:
        pytest.skip("untested: the board was not told what it is")
    told = told_cells(probe)
    names, under = {name for name, _ in told}, {light for _, light in told}
    require(len(names) == cells, f"{len(names)} names of {cells} cells")
    require(len(under) == cells and max(under) < lights, "lights are told twice or are none")
    for (name, light), own, place in zip(told, profile.grid.names, profile.cells, strict=True):
        require(
            (name, light) == (own, place.light),
            f"CELLS tells {name} with light {light}; the profile has {own} with {place.light}",
        )
    known = len(probe.frames)
    probe.say(wire.H_IDENTIFY, (cells,))
    require(
        not hear(probe, wire.B_CELLS, since=known).unpacked.tail, "there are cells beyond the last"
    )

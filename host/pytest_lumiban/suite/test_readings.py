"""Claims of what a host reads from a board: raw fields, files, what the board is."""

from __future__ import annotations

import pytest
from lumiban_fw import wire

from pytest_lumiban.claims import (
    ask,
    claim,
    hear,
    hear_refusal,
    naks_of,
    period_us,
    require,
    settle,
)
from pytest_lumiban.probe import Probe


@claim("the references of all rows come last", "CAN_FIELD")
def test_field_has_all_cells_and_its_references_last(probe: Probe) -> None:
    settle(probe)
    cells = probe.cells
    probe.say(wire.H_GET_FIELD, (0, cells, 0))
    probe.rest(400_000)
    frames = probe.of(wire.B_FIELD)
    require(frames, "no FIELD came")
    require(len({frame["t_us"] for frame in frames}) == 1, "one scan has several times")
    require(frames[-1]["first"] == wire.FIRST_BUTTON, "the references do not come last")
    counts = [count for frame in frames for count in frame.unpacked.column]
    got = len(counts) - len(frames[-1].unpacked.column)
    require(got == cells, f"{got} readings of {cells} cells")
    require(max(counts) <= wire.FULL_SCALE, f"a reading of {max(counts)}")


@claim("between two frames sent, at least 5; 0: once", "CAN_FIELD")
def test_field_comes_at_its_period(probe: Probe) -> None:
    settle(probe)
    probe.say(wire.H_GET_FIELD, (0, 1, 50))
    probe.run(2_000_000)
    apart_us = period_us(probe, wire.B_FIELD, "t_us", 0)
    require(45_000 <= apart_us <= 70_000, f"scans are {apart_us} µs apart, not 50 ms")
    probe.say(wire.H_GET_FIELD, (0, 0, 0))
    probe.rest()
    known = len(probe.frames)
    probe.run(500_000)
    require(not probe.of(wire.B_FIELD, known), "a count of 0 does not stop it")


def _part(probe: Probe, what: int, offset: int) -> tuple[int, int, bytes]:
    """(offset, size, bytes) of FILE_PART."""
    part = ask(probe, wire.B_FILE_PART, wire.H_FILE_READ, (what, offset))
    require(part["what"] == what, "the part is of another file")
    return part["offset"], part["size"], bytes(part.unpacked.column)


@claim("A board that answers IDENTIFY may have no `/board.bin`")
def test_the_board_s_file_is_read_whole(probe: Probe) -> None:
    hello = probe.hello
    data, size = b"", 1
    while len(data) < size:
        offset, size, some = _part(probe, wire.FILE_BOARD, len(data))
        if not size and hello["capabilities"] & wire.CAN_IDENTIFY:
            pytest.skip("untested: the board keeps no /board.bin")
        require(size, "it is not there")
        require(offset == len(data) and some, f"offset {offset} with {len(some)} bytes")
        data += some
    require(data[:4] == b"LMBN", "it does not begin with LMBN")
    crc = int.from_bytes(data[-2:], "little")
    require(wire.crc16(data[:-2]) == crc, "its crc is wrong")
    counts = (data[14], data[15])
    require(counts == (hello["cells"], hello["lights"]), f"of {counts} cells and lights")


@claim("an offset at or beyond the end is answered with the size as offset")
def test_a_file_ends_where_it_ends(probe: Probe) -> None:
    _, size, _ = _part(probe, wire.FILE_BOARD, 0)
    for offset in (size, 70_000, 0xFFFFFFFF):
        part = _part(probe, wire.FILE_BOARD, offset)
        require(part == (size, size, b""), f"offset {offset} is answered by {part[:2]}")


@claim("FILE_DATA without FILE_BEGIN", "CAN_UPDATE")
def test_data_of_no_file_is_refused(probe: Probe) -> None:
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
    identity = ask(probe, wire.B_IDENTITY, wire.H_IDENTIFY, (wire.WHOLE_BOARD,))
    for name in ("cells", "lights", "capabilities"):
        own, other = identity[name], probe.hello[name]
        require(own == other, f"{name}: {own}, by HELLO {other}")
    model, short = (one.unpacked.values["model"] for one in (identity, probe.hello))
    if isinstance(model, bytes) and isinstance(short, bytes):
        require(model[:8].rstrip(b"\0") == short.rstrip(b"\0"), f"the model is {model!r}")
    require(identity["grid"] in (0, wire.HEXAGONS, wire.SQUARES), "no kind of grid")


def told_cells(probe: Probe) -> list[tuple[str, int]]:
    """(name, light) of each cell, as CELLS tells them."""
    cells = probe.cells
    told: list[tuple[str, int]] = []
    for first in range(0, cells, wire.PLACES_A_FRAME):
        frame = ask(probe, wire.B_CELLS, wire.H_IDENTIFY, (first,))
        require(frame["first"] == first, "another cell is told")
        places = frame.unpacked.tail
        expected = min(wire.PLACES_A_FRAME, cells - first)
        require(len(places) == expected, f"{len(places)} cells from {first} on")
        for _, _, light, _, _, name in places:
            told.append((bytes(name).rstrip(b"\0").decode("ascii", "replace"), int(light)))
    return told


@claim("this cell and those after it; fewer than 4 at the end", "CAN_IDENTIFY")
def test_each_cell_is_told_by_name_and_light(probe: Probe) -> None:
    profile, cells, lights = probe.bench.profile, probe.cells, probe.hello["lights"]
    if not ask(probe, wire.B_IDENTITY, wire.H_IDENTIFY, (wire.WHOLE_BOARD,))["grid"]:
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
    beyond = ask(probe, wire.B_CELLS, wire.H_IDENTIFY, (cells,))
    require(not beyond.unpacked.tail, "there are cells beyond the last")

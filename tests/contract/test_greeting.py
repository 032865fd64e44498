"""Greeting: what a board tells of itself, whom it follows, and whom it refuses."""

from __future__ import annotations

from contract.plain_host import PlainHost
from contract.tables import Table
from lumiban.boards.identity import read_identity
from lumiban_fw import layout_file, wire
from lumiban_fw.framing import cobs, crc16

NEW_MAJOR = 2


def _of_major(major: int, kind: int, payload: bytes) -> bytes:
    body = bytes((kind, major << 4, 0, 0)) + payload
    return cobs(body + crc16(body).to_bytes(2, "little")) + b"\0"


def test_a_board_tells_its_profile_and_echoes_the_session(table: Table) -> None:
    board = table.board()
    hello = PlainHost(board).greet(session=0xCAFE)
    assert hello.session == 0xCAFE
    assert hello.major == wire.MAJOR
    assert hello.model.rstrip(b"\0").decode() == board.profile.model
    assert (hello.cells, hello.lights) == (len(board.profile.cells), board.profile.lights)
    # Switches close on a piece's way down: whoever reads them promises no order.
    assert bool(hello.capabilities & wire.CAN_ORDER) != bool(
        hello.capabilities & wire.PRESENCE_ONLY
    )
    assert not hello.capabilities & wire.INJECTING


def test_another_major_version_is_refused_with_a_word_and_opens_no_session(table: Table) -> None:
    board = table.board()
    host = PlainHost(board)
    host.beating = False
    board.send(b"\0" + _of_major(NEW_MAJOR, wire.H_HELLO, bytes((NEW_MAJOR, 0, 9, 0, 0, 0))))
    host.go(1_200_000)
    assert wire.unpack_fault(host.of(wire.B_FAULT)[0]) == (wire.FAULT_VERSION, wire.MAJOR)
    assert [hello.session for hello in host.hellos] == [9]
    assert host.states == []
    assert host.greet(session=10).session == 10


def test_a_later_minor_version_with_a_longer_hello_is_welcome(table: Table) -> None:
    board = table.board()
    host = PlainHost(board)
    longer = bytes((wire.MAJOR, wire.MINOR + 7)) + (77).to_bytes(4, "little") + b"more"
    board.send(b"\0" + wire.frame(wire.H_HELLO, longer))
    host.until(lambda: bool(host.states), what="state")
    assert host.hellos[0].session == 77


def test_before_its_first_hello_a_board_follows_nothing_and_introduces_itself(table: Table) -> None:
    board = table.board()
    host = PlainHost(board)
    host.beating = False
    board.run(board.now_us + 600_000)
    host.say(wire.H_GET_STATE)
    host.go(300_000)
    assert {hello.session for hello in host.hellos} == {0}
    assert host.states == []


def test_a_hello_that_comes_twice_begins_nothing_anew(table: Table) -> None:
    _, host = table.hosted()
    host.order(wire.H_CFG, wire.pack_cfg(wire.CFG_BRIGHTNESS, 40))
    host.until(lambda: host.done, what="acknowledge")
    host.say(wire.H_HELLO, wire.pack_host_hello(4711))
    host.go(200_000)
    assert host.hellos[-1].session == 4711
    host.order(wire.H_CFG, wire.pack_cfg(wire.CFG_BRIGHTNESS, 50))
    host.until(lambda: host.done, what="acknowledge")


def test_another_session_counts_reliable_frames_from_the_beginning(table: Table) -> None:
    _, host = table.hosted()
    for level in (10, 20, 30):
        host.order(wire.H_CFG, wire.pack_cfg(wire.CFG_BRIGHTNESS, level))
    host.until(lambda: host.done, what="acknowledge")
    host.greet(session=4712)
    host.order(wire.H_CFG, wire.pack_cfg(wire.CFG_BRIGHTNESS, 40))
    host.until(lambda: host.done, what="acknowledge")


def test_what_a_board_does_not_know_is_refused_by_name_and_stops_nothing(table: Table) -> None:
    _, host = table.hosted()
    host.order(0x6B, b"later")
    host.order(wire.H_LAYER, b"\x00")
    host.until(lambda: host.done and len(host.of(wire.B_NAK)) == 2, what="nak")
    told = [wire.unpack_nak(payload) for payload in host.of(wire.B_NAK)]
    assert told == [(0x6B, 0, wire.NAK_UNKNOWN), (wire.H_LAYER, 1, wire.NAK_SHORT)]


def test_a_board_tells_what_it_is_and_keeps_its_description(table: Table) -> None:
    board = table.board()
    host = PlainHost(board)
    capabilities = host.greet().capabilities
    assert capabilities & wire.CAN_IDENTIFY

    def asked(kind: int, payload: bytes, answer: int) -> bytes:
        known = len(host.of(answer))
        host.say(kind, payload)
        host.until(lambda: len(host.of(answer)) > known)
        return host.of(answer)[-1]

    cells = len(board.profile.cells)
    told = asked(wire.H_IDENTIFY, bytes((wire.WHOLE_BOARD,)), wire.B_IDENTITY)
    parts = [
        asked(wire.H_IDENTIFY, bytes((first,)), wire.B_CELLS)
        for first in range(0, cells, wire.PLACES_A_FRAME)
    ]
    assert asked(wire.H_IDENTIFY, bytes((cells,)), wire.B_CELLS) == bytes((cells,))
    said = read_identity(told, parts)
    assert (said.model, said.capabilities) == (board.profile.name, capabilities)
    assert said.chip
    assert tuple(cell.name for cell in said.cells) == board.profile.grid.names
    data, size = b"", 1
    while len(data) < size:
        part = asked(
            wire.H_FILE_READ, wire.pack_file_read(wire.FILE_BOARD, len(data)), wire.B_FILE_PART
        )
        what, offset, size, some = wire.unpack_file_part(part)
        assert (what, offset) == (wire.FILE_BOARD, len(data))
        data += some
    described = layout_file.read(data)
    assert list(described.light) == [cell.light for cell in board.profile.cells]

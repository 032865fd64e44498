"""Updates: files arrive whole or not at all, and power may go at any moment."""

from __future__ import annotations

import hashlib

import pytest
from contract.benches import EARLY_US, UPDATE, SimulatedBench
from contract.tables import Table
from lumiban_fw import wire
from pytest_lumiban.plain_host import PlainHost

pytestmark = pytest.mark.hands_free
NEEDS = frozenset((UPDATE,))
PROGRAM = {
    "main.py": b"# begin\n" * 9,
    "board.py": b"print('a board')\n" * 30,
    "empty.py": b"",
}


def _begin(host: PlainHost, what: int, data: bytes, name: str = "", wrong: bool = False) -> None:
    goal = hashlib.sha256(data + (b"!" if wrong else b"")).digest()
    host.order(wire.H_FILE_BEGIN, (what, len(data), goal), name.encode())


def _data(host: PlainHost, data: bytes, upto: int | None = None) -> None:
    for at in range(0, len(data) if upto is None else upto, wire.FILE_BYTES):
        host.order(wire.H_FILE_DATA, (at,), data[at : at + wire.FILE_BYTES])


def _send(host: PlainHost, what: int, data: bytes, name: str = "", wrong: bool = False) -> int:
    """Send a file; the board's word on it."""
    known = len(host.of(wire.B_FILE))
    _begin(host, what, data, name, wrong)
    _data(host, data)
    host.order(wire.H_FILE_END)
    host.wait(
        lambda: host.done and len(host.of(wire.B_FILE)) >= known + 2, 20_000_000, what="acknowledge"
    )
    return host.of(wire.B_FILE)[-1].unpacked.fields[1]


def _manifest() -> bytes:
    lines = [f"{hashlib.sha256(PROGRAM[name]).hexdigest()} {name}" for name in sorted(PROGRAM)]
    return ("\n".join(["lumiban 1", *lines]) + "\n").encode()


def _naks(host: PlainHost) -> list[tuple[int, int]]:
    told = [one.unpacked.fields for one in host.of(wire.B_NAK)]
    return [(kind, why) for kind, _, why in told]


def _greeted(board: SimulatedBench, session: int) -> PlainHost:
    host = PlainHost(board)
    host.greet(session)
    return host


def test_a_program_that_arrived_whole_is_put_on_trial_by_starting_anew(table: Table) -> None:
    board, host = table.hosted()
    assert host.hellos[0].capabilities & wire.CAN_UPDATE
    for name, data in PROGRAM.items():
        assert _send(host, wire.FILE_PROGRAM, data, name) == wire.FILE_KEPT
    assert _send(host, wire.FILE_MANIFEST, _manifest()) == wire.FILE_KEPT
    before = host.hellos[-1].boot_id
    host.order(wire.H_BOOT, (wire.BOOT_MAGIC, wire.BOOT_OTHER))
    host.run(1_000_000)
    later = _greeted(board, 9)
    assert later.hellos[-1].boot_id != before
    assert later.hellos[-1].reset_cause == 2
    assert _naks(host) == []


def test_a_program_on_trial_lets_no_other_overwrite_the_one_before_it(table: Table) -> None:
    board, host = table.hosted()
    for session in (8, 9):
        for name, data in PROGRAM.items():
            assert _send(host, wire.FILE_PROGRAM, data, name) == wire.FILE_KEPT
        _send(host, wire.FILE_MANIFEST, _manifest())
        host.order(wire.H_BOOT, (wire.BOOT_MAGIC, wire.BOOT_OTHER))
        host.run(1_000_000)
        host = _greeted(board, session)
        if session == 8:  # the first of them becomes the good one
            host.run(11_000_000)
    _begin(host, wire.FILE_PROGRAM, b"#", "main.py")
    host.wait(lambda: bool(host.of(wire.B_NAK)), what="nak")
    assert _naks(host) == [(wire.H_FILE_BEGIN, wire.NAK_BUSY)]
    host.run(11_000_000)
    assert _send(host, wire.FILE_PROGRAM, b"#", "main.py") == wire.FILE_KEPT


def test_a_program_without_its_manifest_is_not_started(table: Table) -> None:
    _, host = table.hosted()
    _send(host, wire.FILE_PROGRAM, PROGRAM["main.py"], "main.py")
    before = host.hellos[-1].boot_id
    host.order(wire.H_BOOT, (wire.BOOT_MAGIC, wire.BOOT_OTHER))
    host.wait(lambda: bool(host.of(wire.B_NAK)), what="nak")
    assert _naks(host) == [(wire.H_BOOT, wire.NAK_FILE)]
    assert host.greet(session=5)["boot_id"] == before


def test_a_program_of_which_one_file_is_another_is_not_started(table: Table) -> None:
    _, host = table.hosted()
    for name, data in PROGRAM.items():
        _send(host, wire.FILE_PROGRAM, data if name != "board.py" else data + b"#", name)
    assert _send(host, wire.FILE_MANIFEST, _manifest()) == wire.FILE_KEPT
    host.order(wire.H_BOOT, (wire.BOOT_MAGIC, wire.BOOT_OTHER))
    host.wait(lambda: bool(host.of(wire.B_NAK)), what="nak")
    assert _naks(host) == [(wire.H_BOOT, wire.NAK_FILE)]


def test_a_file_with_a_wrong_sum_is_not_kept(table: Table) -> None:
    _, host = table.hosted()
    told = _send(host, wire.FILE_PROGRAM, PROGRAM["board.py"], "board.py", wrong=True)
    assert told == wire.FILE_WRONG_SUM


@pytest.mark.parametrize("share", [0.0, 0.4, 1.0])
def test_power_that_fails_in_the_midst_of_an_update_leaves_a_board_that_starts_again(
    table: Table, share: float
) -> None:
    board, host = table.hosted()
    data = PROGRAM["board.py"]
    _send(host, wire.FILE_PROGRAM, PROGRAM["main.py"], "main.py")
    _begin(host, wire.FILE_PROGRAM, data, "board.py")
    _data(host, data, upto=int(share * len(data)))
    host.wait(lambda: host.done, what="acknowledge")
    board.cut()
    again = _greeted(board, 21)
    assert not again.hellos[-1].capabilities & wire.IN_RESCUE
    again.order(wire.H_BOOT, (wire.BOOT_MAGIC, wire.BOOT_OTHER))
    again.wait(lambda: bool(again.of(wire.B_NAK)))
    assert _naks(again) == [(wire.H_BOOT, wire.NAK_FILE)]
    for name, whole in PROGRAM.items():
        assert _send(again, wire.FILE_PROGRAM, whole, name) == wire.FILE_KEPT
    assert _send(again, wire.FILE_MANIFEST, _manifest()) == wire.FILE_KEPT
    again.order(wire.H_BOOT, (wire.BOOT_MAGIC, wire.BOOT_OTHER))
    again.run(1_000_000)
    assert _greeted(board, 22).hellos[-1].reset_cause == 2


def test_data_that_does_not_follow_on_and_data_of_no_file_are_refused(table: Table) -> None:
    _, host = table.hosted()
    host.order(wire.H_FILE_DATA, (0,), b"lost")
    _begin(host, wire.FILE_PROGRAM, PROGRAM["board.py"], "board.py")
    host.order(wire.H_FILE_DATA, (48,), b"a gap")
    _begin(host, wire.FILE_PROGRAM, b"x", "../boot.py")
    host.wait(lambda: len(host.of(wire.B_NAK)) == 3, what="nak")
    assert _naks(host) == [
        (wire.H_FILE_DATA, wire.NAK_BUSY),
        (wire.H_FILE_DATA, wire.NAK_FILE),
        (wire.H_FILE_BEGIN, wire.NAK_VALUE),
    ]


def test_a_damaged_calibration_or_description_is_refused(table: Table) -> None:
    _, host = table.hosted()
    for what in (wire.FILE_CALIBRATION, wire.FILE_BOARD):
        assert _send(host, what, b"LMBN nonsense") == wire.FILE_REFUSED


def test_pieces_are_sensed_while_a_file_arrives(table: Table) -> None:
    board, host = table.hosted(seed=51)
    errand = board.hands.place(9, 1, touch_us=board.now_us + 600_000)
    _begin(host, wire.FILE_PROGRAM, PROGRAM["board.py"], "board.py")
    _data(host, PROGRAM["board.py"])
    host.wait(lambda: bool(host.events), what="event")
    event = host.events[0]
    assert event.cell == 9
    sure_us = event.uncertainty_us + 2_000
    early_us = sure_us if board.profile.switches is None else EARLY_US
    assert -early_us <= event.t_us - errand.touch_us <= sure_us

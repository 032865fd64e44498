"""The line to a board over a port: what a quiet port, a hang-up and a stranger are to it."""

from __future__ import annotations

import contextlib
import fcntl
import os
import select
import socket
import tty
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from lumiban.boards.port_line import PortLine, error_of
from lumiban.boards.ports import PortError, open_port
from lumiban.boards.types import Lost
from lumiban.errors import BoardError, LinkLost, NotABoard, WrongBoard, WrongMajor


@pytest.fixture(autouse=True)
def in_english(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LUMIBAN_LANG", "en")


@contextlib.contextmanager
def pty_pair() -> Iterator[tuple[int, str]]:
    """A pseudo-terminal as a board has it: the far end's descriptor, and the port's path."""
    far, near = os.openpty()
    tty.setraw(near)
    try:
        yield far, os.ttyname(near)
    finally:
        for fd in (far, near):
            with contextlib.suppress(OSError):  # hung up in the test
                os.close(fd)


def test_bytes_that_another_reader_took_first_are_no_hang_up(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    with pty_pair() as (_, path):
        line = PortLine(path, gone_us=0)
        monkeypatch.setattr("select.select", lambda read, write, *_: (read, write, []))
        assert line.read(line.now_us + 1_000) == b""
        line.close()


def test_a_hang_up_ends_the_line_at_once_and_is_not_read_again_and_again() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        line = PortLine(f"socket://127.0.0.1:{server.getsockname()[1]}", gone_us=0)
        server.accept()[0].close()
        with pytest.raises(LinkLost):
            line.read(line.now_us + 5_000_000)
        line.close()


# Which port is the board's.


@dataclass
class Plugged:
    """What the system tells of a device that is plugged in, as pyserial lists it."""

    device: str
    serial_number: str | None
    location: str
    vid: int = 0x2E8A
    pid: int = 0x0005
    description: str = "Board in FS mode"


class Machine:
    """The USB devices of a machine, on pseudo-terminals; `now_s` is its clock."""

    def __init__(self, dev: Path) -> None:
        self.now_s = 0.0
        self.plugged: list[Plugged] = []
        self.far: dict[str, int] = {}
        self._near: dict[str, int] = {}
        self._dev = dev

    def plug(self, number: int, serial: str | None, socket: str, vid: int = 0x2E8A) -> str:
        """A device is plugged in and gets this number; its path."""
        far, near = os.openpty()
        tty.setraw(near)
        os.set_blocking(far, False)
        path = self._dev / f"ttyACM{number}"
        path.symlink_to(os.ttyname(near))
        self.far[str(path)], self._near[str(path)] = far, near
        self.plugged.append(Plugged(str(path), serial, socket, vid))
        return str(path)

    def pull(self, path: str) -> None:
        """It is unplugged."""
        os.close(self.far.pop(path))
        os.close(self._near.pop(path))
        Path(path).unlink()
        self.plugged = [one for one in self.plugged if one.device != path]

    def heard(self, path: str) -> bytes:
        """What was written to a device."""
        with contextlib.suppress(BlockingIOError):
            return os.read(self.far[path], 4096)
        return b""

    def line(self, path: str) -> PortLine:
        """A line to a board here."""
        return PortLine(path, clock=lambda: self.now_s)

    def goes(self, line: PortLine) -> bool:
        """The cable is pulled, and the board is looked for until the line has had every chance;
        whether a port is open then."""
        line.lost("closed")
        return self.looks(line)

    def looks(self, line: PortLine, seconds: float = 5.0) -> bool:
        """Whether a port is found within so long."""
        end = self.now_s + seconds
        while self.now_s < end:
            self.now_s += 0.25
            if line.look():
                return True
        return False


@pytest.fixture
def machine(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[Machine]:
    """A machine without links by id."""
    one = Machine(tmp_path)
    monkeypatch.setenv("LUMIBAN_BY_ID", str(tmp_path / "none"))
    monkeypatch.setattr("serial.tools.list_ports.comports", lambda: one.plugged)
    yield one
    for path in list(one.far):
        one.pull(path)


OURS, THEIRS = "e6614c311b7e6f21", "e6614c311b0000ff"


@pytest.mark.parametrize("theirs", [THEIRS, None])
def test_a_stranger_that_inherited_the_port_s_number_is_not_opened_and_is_named(
    machine: Machine, theirs: str | None
) -> None:
    path = machine.plug(0, OURS, "1-1.1:1.0")
    line = machine.line(path)
    line.met(OURS)
    machine.pull(path)
    assert machine.plug(0, theirs, "1-1.2:1.0") == path
    assert not machine.goes(line)
    assert machine.heard(path) == b""
    assert line.hindrance == (theirs and ("other-board", theirs))
    line.close()


def test_a_step_by_step_reader_does_not_open_a_stranger_either(machine: Machine) -> None:
    path = machine.plug(0, OURS, "1-1.1:1.0")
    line = PortLine(path, gone_us=600_000)
    machine.pull(path)
    assert machine.plug(0, THEIRS, "1-1.2:1.0") == path

    def drive() -> None:
        while True:
            line.read(line.now_us + 1_000_000)
            line.write(b"frame")

    with pytest.raises(LinkLost, match=f"Another board is plugged in .number {THEIRS}"):
        drive()
    assert machine.heard(path) == b""


def test_the_board_is_found_under_another_number_without_a_link(machine: Machine) -> None:
    path = machine.plug(0, OURS, "1-1.1:1.0")
    line = machine.line(path)
    line.met(OURS)
    machine.pull(path)
    machine.plug(0, THEIRS, "1-1.1:1.0")
    elsewhere = machine.plug(4, OURS.upper(), "1-1.4:1.0")
    assert machine.goes(line)
    assert line.path == elsewhere
    line.close()


def lost_beside_another(machine: Machine) -> PortLine:
    """The line of the first of two boards without a number, which were both pulled."""
    one, two = (machine.plug(n, None, f"1-1.{n}:1.0", vid=0x1A86) for n in (1, 2))
    line = machine.line(one)
    line.met("01" * 8)
    line.lost("closed")
    machine.pull(one)
    machine.pull(two)
    return line


def test_what_comes_back_to_another_s_socket_under_a_new_number_is_not_ours(
    machine: Machine,
) -> None:
    line = lost_beside_another(machine)
    machine.plug(3, None, "1-1.2:1.0", vid=0x1A86)
    assert not machine.looks(line)


def test_boards_without_numbers_that_changed_sockets_are_found_once_each_proved_another(
    machine: Machine,
) -> None:
    line = lost_beside_another(machine)
    at_ours = machine.plug(3, None, "1-1.1:1.0", vid=0x1A86)
    at_theirs = machine.plug(4, None, "1-1.2:1.0", vid=0x1A86)
    assert machine.looks(line)
    assert line.path == at_ours
    line.lost("other-board")
    assert machine.looks(line, 1.0)
    assert line.path == at_theirs
    line.close()


def test_a_device_that_never_answers_is_tried_ever_less_often_until_it_is_plugged_in_anew(
    machine: Machine,
) -> None:
    path = machine.plug(0, None, "1-1.1:1.0")
    line = machine.line(path)
    line.met("01" * 8)
    opened: list[float] = []
    line.lost("silent")
    while machine.now_s < 10.0:
        if machine.looks(line, 0.25):
            opened.append(machine.now_s)
            machine.now_s += 0.75
            line.lost("silent")
    assert len(opened) == 4
    before = machine.now_s
    machine.pull(path)
    machine.plug(0, None, "1-1.1:1.0")
    assert machine.looks(line)
    assert machine.now_s == before + 0.25
    line.close()


def test_a_name_that_is_a_link_to_nothing_is_no_port_and_later_that_of_what_it_leads_to(
    machine: Machine, tmp_path: Path
) -> None:
    link = tmp_path / "board"
    link.symlink_to(tmp_path / "ttyACM7")
    with pytest.raises(PortError) as refused:
        PortLine(str(link))
    assert refused.value.reason == "absent"
    assert str(tmp_path / "ttyACM7") in str(refused.value)
    path = machine.plug(0, OURS, "1-1.1:1.0")
    link.unlink()
    link.symlink_to(path)
    line = machine.line(str(link))
    line.met(OURS)
    machine.pull(path)
    assert not machine.goes(line)
    link.unlink()
    link.symlink_to(machine.plug(2, OURS, "1-1.1:1.0"))
    assert machine.looks(line)
    line.close()


def test_what_is_lent_to_another_program_is_the_board_s_device_wherever_it_is_now(
    machine: Machine,
) -> None:
    path = machine.plug(0, OURS, "1-1.1:1.0")
    line = machine.line(path)
    machine.pull(path)
    assert machine.plug(0, THEIRS, "1-1.2:1.0") == path
    with pytest.raises(LinkLost):
        line.lend()
    elsewhere = machine.plug(1, OURS, "1-1.1:1.0")
    assert line.lend() == elsewhere


def test_who_reads_a_silent_board_s_port_too_is_named(
    machine: Machine, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = machine.plug(0, OURS, "1-1.1:1.0")
    line = machine.line(path)
    line.met(OURS)
    monkeypatch.setattr("lumiban.boards.port_line.holder", lambda port: "screen (417)")
    line.lost("silent")
    assert line.hindrance == ("busy", "screen (417)")
    said = str(error_of(Lost("not-a-board"), path))
    assert "screen (417)" in said
    assert path in said


def test_an_exchange_between_looking_and_opening_is_noticed(
    machine: Machine, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = machine.plug(0, OURS, "1-1.1:1.0")
    line = machine.line(path)
    line.met(OURS)
    line.lost("closed")
    machine.now_s += 1.0
    other = machine.plug(1, THEIRS, "1-1.2:1.0")
    monkeypatch.setattr("lumiban.boards.port_line.open_port", lambda _: open_port(other))
    assert not line.look()
    assert line.fd == -1


def test_what_a_socket_has_brought_by_now_is_thrown_away_and_what_comes_later_is_not() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = open_port(f"socket://127.0.0.1:{server.getsockname()[1]}")
        far, _ = server.accept()
        with far:
            for stale in (b"", bytes(3), bytes(9000)):
                far.sendall(stale + b"old")
                assert select.select([port], [], [], 5)[0]
                port.reset_input_buffer()
                far.sendall(b"new")
                assert select.select([port], [], [], 5)[0]
                assert os.read(port.fileno(), 100) == b"new"
        port.close()


REASONS = {
    "silent": (LinkLost, "stopped"),
    "closed": (LinkLost, "closed during"),
    "not-a-board": (NotABoard, "not a lumiban board"),
    "wrong-major": (WrongMajor, "speaks version 7"),
    "wrong-board": (WrongBoard, "does not fit: 7"),
    "other-board": (BoardError, "number 7"),
}


@pytest.mark.parametrize("reason", REASONS)
def test_a_board_that_could_not_be_greeted_has_an_error_of_its_kind(reason: str) -> None:
    kind, says = REASONS[reason]
    error = error_of(Lost(reason, "7"), "socket://there:1")
    assert type(error) is kind
    assert says in str(error)


@pytest.mark.parametrize("port", ["socket://127.0.0.1", "socket://:7000", "socket://a:b"])
def test_a_socket_without_a_host_or_a_number_is_refused_with_a_word(port: str) -> None:
    with pytest.raises(PortError) as refused:
        open_port(port)
    assert refused.value.reason == "broken"
    assert port in str(refused.value)


def test_what_was_plugged_in_while_the_board_was_here_is_not_asked_when_it_goes(
    machine: Machine,
) -> None:
    """A printer of the same make without a number, plugged in long after the board was met."""
    path = machine.plug(0, None, "1-1.1:1.0", vid=0x1A86)
    line = machine.line(path)
    line.met("01" * 8)
    printer = machine.plug(1, None, "1-1.3:1.0", vid=0x1A86)
    line.lost("closed")
    machine.pull(path)
    assert not machine.looks(line)
    assert machine.heard(printer) == b""
    elsewhere = machine.plug(2, None, "1-1.4:1.0", vid=0x1A86)
    assert machine.looks(line), "what is plugged in from now on may be the board"
    assert line.path == elsewhere
    line.close()


def test_a_name_with_another_number_is_another_s_where_the_board_s_own_tells_its_number(
    machine: Machine, tmp_path: Path
) -> None:
    """Simulators: no USB tells their numbers, only the links to their ports."""
    links = tmp_path / "links"
    links.mkdir()

    def link(number: str) -> str:
        far, near = os.openpty()
        one = links / f"usb-lumiban_simulated_{number}-if00"
        one.symlink_to(os.ttyname(near))
        opened.extend((far, near))
        return str(one)

    opened: list[int] = []
    ours = link(OURS)
    line = PortLine(ours, by_id=links, clock=lambda: machine.now_s)
    line.met(OURS)
    line.lost("closed")
    Path(ours).unlink()
    link(THEIRS)
    assert not machine.looks(line)
    assert line.path == ours
    link(OURS)
    assert machine.looks(line)
    line.close()
    for fd in opened:
        os.close(fd)


@pytest.mark.slow
def test_nothing_new_is_the_board_while_its_own_device_is_silent_and_still_plugged_in(
    machine: Machine,
) -> None:
    path = machine.plug(0, None, "1-1.1:1.0", vid=0x1A86)
    line = machine.line(path)
    line.met("01" * 8)
    line.lost("silent")
    printer = machine.plug(1, None, "1-1.3:1.0", vid=0x1A86)
    for _ in range(8):
        if machine.looks(line):
            assert line.path == path
            line.lost("silent")
    assert machine.heard(printer) == b""
    machine.pull(path)
    back = machine.plug(0, None, "1-1.1:1.0", vid=0x1A86)
    held = os.open(back, os.O_RDWR | os.O_NOCTTY)
    fcntl.flock(held, fcntl.LOCK_EX)
    assert not machine.looks(line, 10.0), "its device is there, and another program has it"
    assert machine.heard(printer) == b""
    os.close(held)
    machine.pull(back)
    assert machine.looks(line, 10.0), "the board is gone: what is new may be it"
    line.close()


@pytest.mark.parametrize("patience_us", [0, 9_000_000])
def test_a_line_that_takes_nothing_is_broken_and_is_waited_for_where_one_may_wait(
    patience_us: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pty_pair() as (far, path):
        line = PortLine(path, gone_us=patience_us)
        line.write(b"one")
        assert os.read(far, 64) == b"one"
        monkeypatch.setattr("select.select", lambda *_: ([], [], []))
        if patience_us:
            line.write(b"two")
        else:
            with pytest.raises(LinkLost, match="the line broke: the line takes nothing"):
                line.write(b"two")
        assert line.fd == -1
        line.write(b"three")


@pytest.mark.parametrize(
    ("name", "is_likely"),
    [
        ("usb-lumiban_hex5_01-if00", True),
        ("usb-MicroPython_Board_in_FS_mode-if00", True),
        ("usb-Raspberry_Pi_Debug-if02", True),
        ("usb-PICO-if00", True),
        ("usb-Prolific_USB-Serial-if00", False),
    ],
)
def test_what_is_plugged_in_anew_may_be_a_board_by_the_name_of_its_link(
    name: str, is_likely: bool, tmp_path: Path
) -> None:
    own = tmp_path / "usb-own"
    with pty_pair() as (_, first), pty_pair() as (_, second):
        own.symlink_to(first)
        line = PortLine(str(own), by_id=tmp_path)
        line.lost("closed")
        own.unlink()
        (tmp_path / name).symlink_to(second)
        assert line.look() == is_likely
        line.close()

"""The serial shell on real ptys: opening, refusing, losing and finding a board. Nobody sleeps."""

from __future__ import annotations

import asyncio
import contextlib
import errno
import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from lumiban.boards import ports
from lumiban.boards.reconnecting import SerialBoard
from lumiban.boards.types import (
    BoardTime,
    Changed,
    Connected,
    LightFrame,
    Lost,
    Snapshot,
)
from lumiban.errors import BoardError, WrongMajor
from pty_board import HEX3, Ear, PtyBoard, run, taken
from sentences import sentence


@pytest.fixture(autouse=True)
def in_english(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LUMIBAN_LANG", "en")


@pytest.fixture
def far() -> Iterator[PtyBoard]:
    board = PtyBoard()
    yield board
    for fd in (board.master, board.slave):
        with contextlib.suppress(OSError):  # unplugged in the test
            os.close(fd)


PICTURE = LightFrame(((1, 0),) * 19, ((0, 0, 0), (9, 9, 9)))


class Witness:
    """Hears all that a link is given."""

    def __getattr__(self, name: str) -> Callable[..., None]:
        return lambda *words: None


@pytest.mark.parametrize(("port", "witness"), [("", None), ("auto", Witness())])
def test_a_board_is_opened_heard_and_lit(
    far: PtyBoard, port: str, witness: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ports, "ports", lambda: (ports.Port(far.path, "", "Pico", True),))

    async def main() -> None:
        ear = Ear()
        lit = asyncio.Event()
        far.listen().on_commit = lit.set
        board = SerialBoard(port or far.path, HEX3, ear, session=1, witness=witness)
        began = far.now_us
        hello = await board.open()
        opening_us = far.now_us - began
        assert (hello.model, hello.uid, board.port) == ("hex3", "02" * 8, far.path)
        await ear.until(Snapshot)
        far.happen(4, 2)
        change = await ear.until(Changed)
        assert [(e.number, e.cell, e.kind) for e in change.events] == [(0, 4, 2)]
        board.acknowledge(1)
        shown_us = far.now_us
        board.show(PICTURE)
        await lit.wait()
        assert far.shown == dict(enumerate(PICTURE.lights))
        assert far.acked == 1
        assert far.now_us - shown_us < 5_000, "at once"
        # It goes by answers that were at most as long on their way as opening took.
        assert abs(board.board_now_us - far.now_us) <= opening_us
        assert board.statistics.broken == 0
        await board.close()

    run(main())


def test_events_may_be_iterated(far: PtyBoard) -> None:
    async def main() -> list[type]:
        far.listen()
        board = SerialBoard(far.path, HEX3)
        await board.open()
        kinds = []
        async for event in board.events():
            if isinstance(event, BoardTime):
                continue
            kinds.append(type(event))
            if isinstance(event, Snapshot):
                far.happen(1, 1)
            if isinstance(event, Changed):
                await board.close()
        return kinds

    assert run(main()) == [Connected, Snapshot, Changed]


def test_a_board_that_is_said_to_be_elsewhere_is_found_there(far: PtyBoard) -> None:
    async def main() -> None:
        far.listen()
        ear = Ear()
        board = SerialBoard(far.path, HEX3, ear)
        await board.open()
        await ear.until(Snapshot)
        before = far.path
        far.unplug()
        await ear.until(Lost)
        with taken(before):
            far.plug()
        board.move_to(far.path)
        far.listen()
        await ear.until(Connected, 2)
        assert board.port == far.path != before
        await board.close()

    run(main())


def test_the_next_terminal_with_the_number_of_a_gone_one_is_not_spoken_to(far: PtyBoard) -> None:
    async def main() -> None:
        far.listen()
        ear = Ear()
        board = SerialBoard(far.path, HEX3, ear)
        await board.open()
        await ear.until(Snapshot)
        gone, born = far.path, ports.device_at(far.path)
        far.unplug()
        assert (await ear.until(Lost)).reason == "closed"
        far.plug(gone)
        while ports.device_at(gone) == born:  # a pty's time of birth is told to a few ms only
            os.close(far.master)
            os.close(far.slave)
            far.plug(gone)
        await asyncio.sleep(5)  # of the eager loop: no time at all
        with pytest.raises(BlockingIOError):
            os.read(far.master, 1)
        await board.close()

    run(main())


def test_nothing_is_told_or_tried_after_closing(far: PtyBoard) -> None:
    async def main() -> None:
        far.listen()
        ear = Ear()
        board = SerialBoard(far.path, HEX3, ear)
        await board.open()
        await board.close()
        count, greeted = len(ear.log), far.greeted
        board.show(PICTURE)
        board.acknowledge(3)
        await asyncio.sleep(5)
        assert (len(ear.log), far.greeted) == (count, greeted)
        await board.close()

    run(main())


def test_a_board_that_hangs_blocks_nobody(far: PtyBoard) -> None:
    async def main() -> None:
        far.listen()
        ear = Ear()
        board = SerialBoard(far.path, HEX3, ear)
        await board.open()
        await ear.until(Snapshot)
        far.hang()
        for n in range(2_000):  # more than the line holds
            board.acknowledge(0)
            board.show(LightFrame(((n % 2, 0),) * 19, PICTURE.palette))
        assert (await ear.until(Lost)).reason == "silent"
        assert board.statistics.pictures < 10
        await board.close()

    run(main())


def test_what_a_full_line_did_not_take_follows_when_it_takes_more(far: PtyBoard) -> None:
    async def main() -> None:
        far.listen()
        board = SerialBoard(far.path, HEX3, ear := Ear())
        await board.open()
        await ear.until(Snapshot)
        far.loop.remove_reader(far.master)
        for n in range(2_000):  # more than the line holds
            board.acknowledge(0)
            board.show(LightFrame(((n % 2, 0),) * 19, PICTURE.palette))
        lit = asyncio.Event()
        far.listen().on_commit = lit.set
        while far.shown != dict(enumerate(((1, 0),) * 19)):
            lit.clear()
            await lit.wait()
        far.happen(4, 2)
        assert (await ear.until(Changed)).events[0].cell == 4
        await asyncio.sleep(20)  # of the eager loop: the line is at rest
        assert board.statistics.losses == 0
        await board.close()

    run(main())


async def refused(port: str) -> BoardError:
    with pytest.raises(BoardError) as caught:
        await SerialBoard(port, HEX3, lambda events: None).open()
    assert "\n" not in str(caught.value)
    return caught.value


def test_an_absent_port_lists_those_that_exist(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ports, "ports", lambda: (ports.Port("/dev/ttyX7", "", "Pico", True),))
    error = run(refused("/dev/ttyNowhere"))
    assert str(error) == (sentence("board.port.absent", port="/dev/ttyNowhere", ports="/dev/ttyX7"))
    monkeypatch.setattr(ports, "ports", tuple)
    assert sentence("board.port.no-other") in str(run(refused("/dev/ttyNowhere")))


def test_a_busy_port_says_so(far: PtyBoard) -> None:
    async def main() -> None:
        far.listen()
        first = SerialBoard(far.path, HEX3, lambda events: None)
        await first.open()
        error = await refused(far.path)
        assert str(error).startswith(f"Another program is using the port {far.path}.")
        await first.close()
        again = SerialBoard(far.path, HEX3, lambda events: None)
        await again.open()
        await again.close()

    run(main())


def test_a_forbidden_port_names_the_group(monkeypatch: pytest.MonkeyPatch) -> None:
    def forbidden(*args: object, **more: object) -> None:
        raise PermissionError(errno.EACCES, "Permission denied")

    monkeypatch.setattr("serial.Serial", forbidden)
    for port, group in (("/dev/null", Path("/dev/null").group()), ("/dev/absent", "dialout")):
        text = str(run(refused(port)))
        assert f"Join the group {group} (sudo usermod -aG {group} $USER)" in text


def test_a_port_that_the_system_withholds_is_no_matter_of_groups(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def withheld(*args: object, **more: object) -> None:
        raise PermissionError(errno.EPERM, "Operation not permitted")

    monkeypatch.setattr("serial.Serial", withheld)
    text = str(run(refused("/dev/null")))
    assert "systemctl restart lumiban" in text
    assert "usermod" not in text


def test_a_file_and_a_null_device_are_no_serial_ports(tmp_path: Path) -> None:
    file = tmp_path / "notes.txt"
    file.write_text("hello")
    for path in (file, Path("/dev/null"), tmp_path):
        assert str(run(refused(str(path)))) == (
            f"{path} is not a serial port. "
            "Name the port of a board, or play on the simulator: --board sim."
        )


def test_another_major_is_refused_with_its_number(far: PtyBoard) -> None:
    async def main() -> None:
        far.major = 2
        far.listen()
        error = await refused(far.path)
        assert isinstance(error, WrongMajor)
        assert "version 2" in str(error)

    run(main())


def test_auto_takes_the_only_likely_board(monkeypatch: pytest.MonkeyPatch) -> None:
    pico = ports.Port("/dev/ttyACM0", "/dev/serial/by-id/usb-pico", "Pico", True)
    modem = ports.Port("/dev/ttyS0", "", "", False)
    monkeypatch.setattr(ports, "ports", lambda: (pico, modem))
    assert ports.choose("auto") == "/dev/serial/by-id/usb-pico"
    assert ports.choose("/dev/ttyS0") == "/dev/ttyS0"
    monkeypatch.setattr(ports, "ports", lambda: (pico, pico))
    with pytest.raises(BoardError, match="several boards"):
        ports.choose("auto")
    monkeypatch.setattr(ports, "ports", lambda: (modem,))
    with pytest.raises(BoardError, match=r"No board was found.*ttyS0"):
        ports.choose("auto")


def test_a_board_whose_bytes_another_program_took_is_not_lost(far: PtyBoard) -> None:
    async def main() -> None:
        far.listen()
        ear = Ear()
        board = SerialBoard(far.path, HEX3, ear)
        await board.open()
        await ear.until(Snapshot)
        board._readable()  # woken for what is not there any more
        assert [e for e in ear.log if isinstance(e, Lost)] == []
        far.happen(4, 2)
        assert (await ear.until(Changed)).events[0].cell == 4
        await board.close()

    run(main())

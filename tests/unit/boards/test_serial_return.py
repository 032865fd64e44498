"""A lost board comes back under whatever name: through real ptys and a folder of by-id links."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Iterator
from pathlib import Path

import pytest
from lumiban.boards import ports
from lumiban.boards.profile import load
from lumiban.boards.reconnecting import SerialBoard
from lumiban.boards.types import Changed, Connected, Lost, Snapshot
from lumiban_sim.desk import Desk
from pty_board import HEX3, Ear, PtyBoard, run, taken

OURS, THEIRS = b"\2" * 8, b"\7" * 8
MAX_RETURN_US = 2_000_000


@pytest.fixture(autouse=True)
def by_id(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "by-id"
    folder.mkdir()
    monkeypatch.setenv("LUMIBAN_BY_ID", str(folder))
    monkeypatch.setenv("LUMIBAN_LANG", "en")
    return folder


@contextlib.contextmanager
def far_board(uid: bytes = OURS) -> Iterator[PtyBoard]:
    board = PtyBoard(uid=uid)
    try:
        yield board
    finally:
        if board.path:
            board.unplug()


def named(folder: Path, board: PtyBoard, name: str = "") -> Path:
    link = folder / (name or f"usb-lumiban_{board.uid.hex()}-if00")
    link.symlink_to(board.path)
    return link


@pytest.mark.slow
def test_unplugged_in_mid_move_and_back_under_another_name_nothing_is_lost(
    by_id: Path, tmp_path: Path
) -> None:
    """A simulated board with hands over it: one stone is on its way down as the cable is pulled,
    another is set while it is out."""

    async def main() -> None:
        desk = Desk(load("hex3"), seed=3, state=tmp_path, by_id=by_id)
        serving = asyncio.create_task(desk.run())
        await desk.ready.wait()
        (link,) = by_id.iterdir()
        ear = Ear()
        board = SerialBoard(str(link), HEX3, ear)
        await board.open()
        await ear.until(Snapshot)
        desk.rig.hands.place(0, 1)
        desk.pump()
        change = await ear.until(Changed)
        board.acknowledge(change.events[-1].number + 1)
        old_path = desk.line.path
        desk.rig.hands.place(5, 2)
        desk.rig.hands.place(7, 1)
        desk.pump()
        await asyncio.sleep(0.3)  # of the eager loop: the hand is on its way
        desk.plug(False)
        assert (await ear.until(Lost)).reason == "closed"
        while desk.rig.kinds[7] != 1:
            await asyncio.sleep(0.05)
        assert [c.events for c in ear.log if isinstance(c, Changed)] == [change.events]
        appeared = board.now_us
        with taken(old_path):
            desk.plug(True)
        (renamed,) = by_id.iterdir()
        assert (renamed.name, desk.line.path) != (link.name, old_path)
        await ear.until(Connected, 2)
        assert board.now_us - appeared < MAX_RETURN_US
        while sum(len(c.events) for c in ear.log if isinstance(c, Changed)) < 3:
            await ear.until(Changed, 1 + sum(isinstance(c, Changed) for c in ear.log))
        events = [e for c in ear.log if isinstance(c, Changed) for e in c.events]
        assert [(e.number, e.cell, e.kind) for e in events] == [(0, 0, 1), (1, 5, 2), (2, 7, 1)]
        assert not any(s.was_healed for s in ear.log if isinstance(s, Snapshot))
        assert board.statistics.losses == 1
        await board.close()
        desk.stop()
        await serving

    run(main())


def test_a_silent_device_with_a_likely_name_costs_less_than_two_seconds(by_id: Path) -> None:
    async def main() -> None:
        with far_board() as ours, far_board(THEIRS) as mute:
            ours.listen()
            link = named(by_id, ours)
            ear = Ear()
            board = SerialBoard(str(link), HEX3, ear)
            await board.open()
            ours.unplug()
            await ear.until(Lost)
            link.unlink()
            mute.listen().mute = True
            named(by_id, mute, "usb-MicroPython_Board_in_FS_mode_17-if00")
            await asyncio.sleep(0.3)
            ours.plug()
            ours.listen()
            appeared = board.now_us
            named(by_id, ours)
            await ear.until(Connected, 2)
            assert board.now_us - appeared < MAX_RETURN_US
            await board.close()

    run(main())


@pytest.mark.parametrize("reason", ["busy", "forbidden", "withheld"])
def test_a_port_that_stays_busy_or_is_not_ours_is_told_once_with_what_mends_it(
    by_id: Path, monkeypatch: pytest.MonkeyPatch, reason: str
) -> None:
    async def main() -> None:
        with far_board() as ours:
            ours.listen()
            ear = Ear()
            board = SerialBoard(str(named(by_id, ours)), HEX3, ear)
            await board.open()
            real = ports.open_port
            tries = 0

            def refuse(path: str) -> None:
                nonlocal tries
                tries += 1
                raise ports.PortError("no", reason, "dialout")

            monkeypatch.setattr("lumiban.boards.port_line.open_port", refuse)
            ours.send(0)  # the line still lives: it is the host's end that breaks
            board._turn(board.link.closed("pulled"))
            told = await ear.until(Lost, 2)
            assert (told.reason, told.detail, tries) == (reason, "dialout", 4)
            await asyncio.sleep(10)
            assert len([e for e in ear.log if isinstance(e, Lost)]) == 2
            monkeypatch.setattr("lumiban.boards.port_line.open_port", real)
            await ear.until(Connected, 2)
            await board.close()

    run(main())


def test_a_reset_in_between_is_another_boot_and_its_picture_replaces_the_old(by_id: Path) -> None:
    async def main() -> None:
        with far_board() as ours:
            ours.listen()
            link = named(by_id, ours)
            ear = Ear()
            board = SerialBoard(str(link), HEX3, ear)
            await board.open()
            await ear.until(Snapshot)
            ours.happen(4, 2)
            await ear.until(Changed)
            ours.unplug()
            await ear.until(Lost)
            link.unlink()
            ours.boot_id, ours.events, ours.acked = 6, [(9, 1, 0, 0)], 0
            ours.plug()
            ours.listen()
            named(by_id, ours)
            await ear.until(Connected, 2)
            seen = await ear.until(Snapshot, 2)
            assert (seen.kinds.index(1), seen.kinds.count(0), seen.next_event) == (9, 18, 1)
            await board.close()

    run(main())


def test_who_holds_a_port_is_named(tmp_path: Path) -> None:
    port = tmp_path / "ttyX"
    port.touch()
    process = tmp_path / "proc" / "417"
    (process / "fd").mkdir(parents=True)
    (process / "fd" / "3").symlink_to(port)
    (process / "comm").write_text("modem-manager\n")
    assert ports.holder(str(port), tmp_path / "proc") == "modem-manager (417)"
    assert ports.holder(str(tmp_path / "ttyY"), tmp_path / "proc") == ""


def test_who_reads_the_port_of_a_board_that_fell_silent_is_told_at_once(
    by_id: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("lumiban.boards.port_line.holder", lambda port: "screen (417)")

    async def main() -> None:
        with far_board() as ours:
            ours.listen()
            ear = Ear()
            board = SerialBoard(str(named(by_id, ours)), HEX3, ear)
            await board.open()
            ours.mute = True
            fell_us = board.now_us
            told = await ear.until(Lost, 2)
            assert [e.reason for e in ear.log if isinstance(e, Lost)] == ["silent", "busy"]
            assert told.detail == "screen (417)"
            assert board.now_us - fell_us < 2_000_000
            await board.close()

    run(main())

"""A board is given the program that a package has compiled, and keeps it."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from lumiban.errors import BoardError, DiskFull, NotABoard
from lumiban.service import firmware_update, table_process
from lumiban.service.settings import TableOrder
from lumiban.service.table_process import ServedBoard
from lumiban.system.lifetime import Lifetime
from lumiban.system.paths import open_log


@pytest.mark.process
def test_the_compiled_program_of_a_package_reaches_a_board_and_runs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    packed = tmp_path / "program.json"
    firmware_update.compile_program(packed)
    monkeypatch.setattr(firmware_update, "COMPILED", packed)
    # Whoever would compile it now finds nothing to compile with.
    monkeypatch.setattr("lumiban.maker.program.named_program", lambda: 1 / 0)
    words = [sys.executable, "-m", "lumiban_sim", "--profile", "hex3", "--seed", "8"]
    with subprocess.Popen([*words, "--state", str(tmp_path)], stdout=subprocess.PIPE) as process:
        port = json.loads(process.stdout.readline())["port"]
        told: list[int] = []
        try:
            assert firmware_update.update_board(port, told.append) == firmware_update.own_firmware()
        finally:  # else the block waits for it
            process.send_signal(signal.SIGTERM)
            process.communicate()
    assert told == sorted(told)
    assert (told[0], told[-1]) == (0, 100)


def served(state: Path, told: dict[str, Any], board: str = "/dev/b") -> ServedBoard:
    """A table's process that knows a board and never begins; what it tells comes together."""
    log = open_log(state)
    order = TableOrder(number=1, listening=-1, board=board)
    return ServedBoard(order, state, log, lambda **one: told.update(one), Lifetime())


async def test_an_update_that_is_cut_off_ends_in_a_sentence_and_asks_for_nothing_meanwhile(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    told: dict[str, Any] = {"percent": 100, "update": {"now": 1, "own": 2, "model": "hex3"}}
    meanwhile: dict[str, Any] = {}

    def power_goes(port: str, progress: Callable[[int], None]) -> int:
        meanwhile.update(told)
        raise BoardError("firmware 1 is not 2")

    monkeypatch.setattr(firmware_update, "update_board", power_goes)
    await served(tmp_path, told)._update_board()
    assert meanwhile["state"] == "updating"
    assert (meanwhile["percent"], meanwhile["update"]) == (0, None)
    assert told["update_failed"] == {"id": "serve.update.failed", "params": {}}
    assert "firmware 1 is not 2" in (tmp_path / "host.log").read_text("utf-8")


async def test_a_full_card_is_named_with_its_folder_once_however_often_it_is_tried(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    told: dict[str, Any] = {}
    table = served(tmp_path, told)
    waits: list[Any] = []

    def full(folder: Path) -> Path:
        raise DiskFull(folder)

    async def wait(why: Any, is_over: Callable[[], bool]) -> None:
        waits.append(why["id"])

    monkeypatch.setattr(table_process, "with_room", full)
    monkeypatch.setattr(table, "_wait", wait)
    for _ in range(3):
        await table._once()
    assert waits == ["serve.waits.full"] * 3
    lines = (tmp_path / "host.log").read_text("utf-8").splitlines()
    assert len(lines) == 1
    assert f"deleting {tmp_path / 'flight'} and old games in {tmp_path / 'journals'}" in lines[0]


async def test_a_device_that_was_plugged_in_while_the_one_before_was_greeted_is_tried(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is looked at how the port is, not whether it changes after the try."""
    port = tmp_path / "tty"
    port.symlink_to("/dev/null")
    table = served(tmp_path, {}, board=str(port))
    tries: list[bool] = []

    async def no_board() -> None:
        if not tries:
            port.unlink()
            port.symlink_to("/dev/zero")
        raise NotABoard("nothing answers")

    async def wait(why: Any, is_over: Callable[[], bool]) -> None:
        tries.append(is_over())

    monkeypatch.setattr(table, "_open", no_board)
    monkeypatch.setattr(table, "_wait", wait)
    await table._once()
    await table._once()
    assert tries == [True, False]

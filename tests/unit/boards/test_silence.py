"""Silence is judged by the process at the other end of the line, where there is one."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from flying_table import FlyingTable
from lumiban.boards.client import BoardClient
from lumiban.boards.link import WAIT_US
from lumiban.boards.port_line import PortLine
from lumiban.boards.ports import other_end
from lumiban.boards.profile import load
from lumiban.boards.reconnecting import SerialBoard
from lumiban.boards.types import LinkEvent, Lost
from lumiban.errors import NotABoard
from lumiban.flight.file import json_line
from lumiban.flight.replay import run
from scripted_board import Desk

HEX3 = load("hex3")
STOPPED_S = 4.0
"""Longer than any patience with a board by the clock."""


def test_a_board_that_had_no_chance_to_speak_is_not_lost_and_is_once_it_had() -> None:
    desk = Desk().begin().run(100_000)
    is_stopped = True
    desk.link.had_chance = lambda: not is_stopped
    desk.board.mute = True
    desk.run(desk.now + 10_000_000)
    assert desk.told(Lost) == []
    is_stopped = False
    desk.run(desk.now + WAIT_US + 10_000)
    assert desk.told(Lost) == [Lost("silent")]


@pytest.mark.slow
def test_a_recording_of_a_table_that_waited_runs_again_bit_for_bit() -> None:
    table = FlyingTable(seats=("bot:easy", "bot:easy"), seed=3)
    table.link.had_chance = lambda: False
    assert table.rig is not None
    table.rest(3_000_000)
    table.rig.pipe.unplugged = True
    table.rest(6_000_000)
    table.rig.pipe.unplugged = False
    table.rest(3_000_000)
    assert any(one[0] == "wait" for one in table.lines())
    assert table.link.statistics.losses == 0
    whole = json.loads(json_line([table.head, *table.lines()]))
    assert run(whole[0], whole[1:]).lines == len(table.lines()) + 1


def test_who_is_at_the_other_end_of_a_pseudo_terminal_is_found(tmp_path: Path) -> None:
    def process(pid: int, index: int) -> None:
        for folder in ("fd", "fdinfo"):
            (tmp_path / str(pid) / folder).mkdir(parents=True)
        (tmp_path / str(pid) / "fd" / "7").symlink_to("/dev/ptmx")
        about = f"pos:\t0\ntty-index:\t{index}\n"
        (tmp_path / str(pid) / "fdinfo" / "7").write_text(about)

    process(417, 3)
    process(418, 30)
    (tmp_path / "419" / "fd").mkdir(parents=True)
    assert other_end("/dev/pts/3", tmp_path) == 417
    assert other_end("/dev/pts/30", tmp_path) == 418
    assert other_end("/dev/pts/4", tmp_path) == 0
    assert other_end("/dev/ttyACM3", tmp_path) == 0
    assert other_end("socket://127.0.0.1:3", tmp_path) == 0
    process(os.getpid(), 3)
    assert other_end("/dev/pts/3", tmp_path) == 0, "what we are ourselves sleeps while we look"


@contextmanager
def board_process() -> Iterator[tuple[subprocess.Popen[bytes], str]]:
    """A simulated board in a process of its own, and its port."""
    about = ["hex3", "19", str(HEX3.lights), str(HEX3.revision)]
    with subprocess.Popen(
        [sys.executable, "-m", "lumiban_lab.bench_board", "board", *about],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    ) as process:
        assert process.stdout is not None
        try:
            yield process, process.stdout.readline().decode().strip()
        finally:
            process.kill()


@pytest.mark.process
async def test_a_simulator_that_is_stopped_for_a_while_is_not_lost() -> None:
    with board_process() as (process, port):
        lost: list[LinkEvent] = []
        board = SerialBoard(
            port, HEX3, lambda told: lost.extend(one for one in told if isinstance(one, Lost))
        )
        await board.open()
        os.kill(process.pid, signal.SIGSTOP)
        await asyncio.sleep(STOPPED_S)
        os.kill(process.pid, signal.SIGCONT)
        heard = board.statistics.frames_in
        while board.statistics.frames_in == heard:
            await asyncio.sleep(0.05)
        assert lost == []
        process.kill()
        while not lost:
            await asyncio.sleep(0.05)
        await board.close()


MUTE = """
import os
from time import sleep
far, near = os.openpty()
print(os.ttyname(near), flush=True)
"""


@pytest.mark.process
@pytest.mark.parametrize(
    "does",
    ["sleep(99)", "while True: os.write(far, b'$GPGGA,rubbish*7f\\r\\n'); sleep(0.001)"],
)
def test_a_process_that_never_answers_or_tells_rubbish_is_no_board(does: str) -> None:
    with subprocess.Popen(
        [sys.executable, "-c", MUTE + does], stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        port = process.stdout.readline().strip()
        line = PortLine(port)
        with pytest.raises(NotABoard):
            BoardClient(None, line, port=port).greet()
        line.close()
        process.kill()

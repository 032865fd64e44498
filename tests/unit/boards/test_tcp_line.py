"""A simulated board over a TCP socket: for where there is no pseudo-terminal."""

from __future__ import annotations

import asyncio
import contextlib
import json
import re
import signal
import socket
import subprocess
import sys
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from command_line import Run
from lumiban import Board
from lumiban.boards.profile import load
from lumiban.boards.reconnecting import SerialBoard
from lumiban.boards.types import Changed, Connected, LinkEvent, Lost
from lumiban.errors import BoardError
from lumiban_sim.desk import Desk
from websockets.asyncio.client import connect

HEX3 = load("hex3")


@contextlib.asynccontextmanager
async def running(tmp_path: Path) -> AsyncIterator[Desk]:
    desk = Desk(HEX3, seed=1, state=tmp_path, tcp=0)
    serving = asyncio.create_task(desk.run())
    await desk.ready.wait()
    try:
        yield desk
    finally:
        desk.stop()
        await serving


@pytest.mark.slow
async def test_a_host_plays_over_a_socket_and_finds_it_again_after_the_cable_was_out(
    tmp_path: Path,
) -> None:
    async with running(tmp_path) as desk:
        heard: asyncio.Queue[LinkEvent] = asyncio.Queue()
        assert re.fullmatch(r"socket://127\.0\.0\.1:\d+", desk.line.path)
        board = SerialBoard(
            desk.line.path, HEX3, lambda events: [heard.put_nowait(e) for e in events] and None
        )

        async def wait(kind: type[LinkEvent]) -> LinkEvent:
            while not isinstance(event := await heard.get(), kind):
                pass
            return event

        await board.open()
        try:
            await wait(Connected)
            assert desk.descriptor is not None
            async with connect(desk.descriptor.hands) as hands:
                await hands.send(json.dumps({"do": "place", "cell": 9, "kind": 1}))
                changed = await wait(Changed)
                assert isinstance(changed, Changed)
                assert [(e.cell, e.kind) for e in changed.events] == [(9, 1)]
            desk.plug(False)
            await wait(Lost)
            desk.plug(True)
            await wait(Connected)
        finally:
            await board.close()


async def test_a_second_host_is_hung_up_on_and_the_first_plays_on(tmp_path: Path) -> None:
    async with running(tmp_path) as desk:
        first, second = SerialBoard(desk.line.path, HEX3), SerialBoard(desk.line.path, HEX3)
        await first.open()
        with pytest.raises(BoardError):
            await second.open()
        assert first.link.is_connected
        await first.close()


@pytest.mark.process
def test_sim_offers_a_socket_and_scripts_play_on_it(tmp_path: Path) -> None:
    words = [sys.executable, "-m", "lumiban", "sim", "--profile", "hex3", "--tcp", "0", "--json"]
    process = subprocess.Popen(
        words, stdout=subprocess.PIPE, env={"LUMIBAN_HOME": str(tmp_path), "PATH": "/usr/bin"}
    )
    try:
        assert process.stdout is not None
        port = json.loads(process.stdout.readline())["port"]
        with Board(port) as board:
            assert len(board) == 19
            assert board.pieces == {}
    finally:
        process.send_signal(signal.SIGINT)
        process.wait()
        assert process.stdout is not None
        process.stdout.close()


def test_a_taken_port_and_a_silent_socket_are_one_sentence_each(run: Run) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        number = taken.getsockname()[1]
        code, _, err = run("sim", "--profile", "hex3", "--tcp", str(number))
        assert code == 3
        assert f"cannot listen on port {number}" in err
        assert err.count("\n") == 1
    with pytest.raises(BoardError, match=f"socket://127.0.0.1:{number}"):
        Board(f"socket://127.0.0.1:{number}")

"""A host in C and a board in C, written from docs/wire.md alone: the host passes its claims on our
boards, the board passes our suite."""

from __future__ import annotations

import asyncio
import os
import shutil
import struct
import subprocess
from pathlib import Path
from typing import IO

import patience
import pytest
from junit_file import read
from lumiban.boards.profile import load
from lumiban.runtime.simulator import start
from lumiban_fw.board import Board
from lumiban_fw.hal import Hal
from lumiban_sim.rig import Rig
from places import ROOT

SOURCES = Path(__file__).parent / "stranger"
CLAIMS = 15


def compiled(name: str, folder: Path) -> Path:
    """A program of the stranger's, compiled with every warning an error."""
    compiler = shutil.which("cc")
    if compiler is None:
        if os.environ.get("LUMIBAN_CI") == "1":
            pytest.fail("no C compiler: install gcc")
        pytest.skip("no C compiler: install gcc")
    strict = ["-std=c99", "-Wall", "-Wextra", "-Wpedantic", "-Werror", "-O1"]
    source = str(SOURCES / f"{name}.c")
    built = patience.run([compiler, *strict, "-o", str(folder / name), source, "-lm"])
    assert built.returncode == 0, built.stderr
    return folder / name


@pytest.fixture(scope="module")
def host(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return compiled("host", tmp_path_factory.mktemp("stranger"))


FEW = ("-k", "identity or whole or masked or foreign")
WHOLE = pytest.param((), marks=pytest.mark.long)


@pytest.mark.process
@pytest.mark.parametrize("only", [FEW, WHOLE])
def test_a_strangers_board_passes_the_suite_and_what_it_lacks_is_skipped(
    tmp_path: Path, only: tuple[str, ...]
) -> None:
    board = subprocess.Popen([compiled("board", tmp_path)], stdout=subprocess.PIPE, text=True)
    assert board.stdout is not None
    xml = tmp_path / "junit.xml"
    port = board.stdout.readline().strip()
    words = ["--board", f"tcp:127.0.0.1:{port}", "--junitxml", str(xml), "-rs", *only]
    env = {**os.environ, "LUMIBAN_HOME": str(tmp_path), "LUMIBAN_LANG": "en"}
    env.pop("LUMIBAN_CI", None)
    ran = patience.run(["./run", "test", *words], cwd=ROOT, env=env)
    board.terminate()
    board.wait()
    board.stdout.close()
    assert ran.returncode == 0, ran.stdout
    assert "no CAN_UPDATE" in ran.stdout or only
    told = read(xml)
    assert list(told.tests.values()).count("passed") >= (3 if only else 50)
    assert (told.properties["model"], told.properties["profile"]) == ("stranger", "stranger9")
    assert "sources" not in told.properties


def _exactly(stream: IO[bytes], size: int) -> bytes:
    data = stream.read(size)
    return data if len(data) == size else b""


def claimed(host: Path, rig: Rig, *names: str) -> tuple[int, list[str]]:
    """(how many broke, what was told) by the host about a board in virtual time, whose pieces and
    whose light are the rig's."""
    with subprocess.Popen(
        [host, "-", *names],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        assert process.stderr is not None
        while head := _exactly(process.stdout, 3):
            letter, size = chr(head[0]), int.from_bytes(head[1:], "little")
            body = _exactly(process.stdout, size) if size else b""
            answer = b""
            if letter == "W":
                rig.from_host(body)
            elif letter == "R":
                rig.run(max(int.from_bytes(body, "little"), rig.now_us))
                answer = rig.to_host()
            elif letter == "H" and body[1]:
                rig.hands.place(body[0], body[1])
            elif letter == "H":
                rig.hands.lift(body[0])
            elif letter == "L":
                answer = rig.light[3 * body[0] : 3 * body[0] + 3]
            process.stdin.write(struct.pack("<QH", rig.now_us, len(answer)) + answer)
            process.stdin.flush()
        told = process.stderr.read().decode().splitlines()
        return process.wait(), told


@pytest.mark.process
@pytest.mark.parametrize("name", ["hex3", "hex5", "grid13x14"])
def test_a_strangers_host_passes_its_claims(host: Path, name: str) -> None:
    broken, told = claimed(host, Rig(load(name), 1))
    assert broken == 0, told
    assert len(told) == CLAIMS
    assert all(line.startswith("ok ") for line in told)


@pytest.mark.process
def test_a_strangers_host_is_not_content_with_anything(host: Path) -> None:
    def swapped(hal: Hal) -> Board:
        board = Board(hal)
        send = board.link.send

        def other(kind: int, payload: bytes, flags: int = 0) -> bool:
            if kind == 0x90:  # EVENTS: a white stone is told as black, and a black one as white
                events = bytearray(payload)
                for at in range(13, len(events), 5):
                    events[at] = {1: 2, 2: 1}.get(events[at], events[at])
                payload = bytes(events)
            return send(kind, payload, flags)

        board.link.send = other  # type: ignore[method-assign]
        return board

    broken, told = claimed(host, Rig(load("hex3"), 2, body=swapped), "identity", "injected")
    assert broken == 1
    assert told == ["ok identity", "broken injected: cell 0 holds 2"]


@pytest.mark.process
def test_a_strangers_host_meets_a_board_at_its_port(host: Path, tmp_path: Path) -> None:
    async def met() -> tuple[int, str]:
        board = await start(tmp_path, "hex3", 5)
        try:
            ran = await asyncio.to_thread(
                patience.run, [str(host), board.port, "hello", "identity", "board-bin"]
            )
            return ran.returncode, ran.stderr
        finally:
            board.end()

    assert asyncio.run(met()) == (0, "ok hello\nok identity\nok board-bin\n")

"""A board is given the program that a package has compiled, and keeps it."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from contextlib import nullcontext
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from lumiban.boards.profile import load
from lumiban.errors import BoardError
from lumiban.maker import flash
from lumiban.maker.program import BadSource, NoCompiler
from lumiban.service import firmware_update
from lumiban_sim.rig import Rig
from rig_line import RigLine


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


class Line(RigLine):
    """A rig's line as a port is opened, closed once."""

    closed = 0

    def close(self) -> None:
        self.closed += 1


@pytest.mark.parametrize("fails", [False, True])
def test_the_board_at_a_port_is_given_its_program_in_percent_and_the_port_is_let_go_of(
    fails: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    line = Line(Rig(load("hex3"), 8))
    ports: list[str] = []
    verified: list[Any] = []

    def opened(port: str) -> Line:
        ports.append(port)
        return line

    def update(client: Any, profile: Any, program: Any, show: Any) -> Any:
        assert (client.hello.model, profile.name, program) == ("hex3", "hex3", {"main.py": b"1"})
        for done in (0, 100, 200):
            show("main.py", done, 200)
        if fails:
            raise BoardError("the power went")
        return SimpleNamespace(firmware=9)

    monkeypatch.setattr("lumiban.boards.port_line.PortLine", opened)
    monkeypatch.setattr(firmware_update, "program", lambda: {"main.py": b"1"})
    monkeypatch.setattr(flash, "update", update)
    monkeypatch.setattr(flash, "verify", lambda hello, profile: verified.append(profile.name))
    told: list[int] = []
    with pytest.raises(BoardError) if fails else nullcontext():
        assert firmware_update.update_board("/dev/b", told.append) == 9
    assert (ports, told, line.closed) == (["/dev/b"], [0, 50, 100], 1)
    assert verified == ([] if fails else ["hex3"])


def test_the_program_is_the_package_s_else_it_is_compiled_or_a_sentence_says_why_not(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    packed = tmp_path / "program.json"
    monkeypatch.setattr(firmware_update, "COMPILED", packed)
    files = {"main.py": b"\x00\xff", "a.mpy": b"M"}

    def compiled(error: Exception | None = None) -> None:
        def named_program() -> Any:
            if error is not None:
                raise error
            return files, "a name"

        monkeypatch.setattr("lumiban.maker.program.named_program", named_program)

    compiled()
    assert firmware_update.program() == files
    firmware_update.compile_program(packed)
    for error, says in ((NoCompiler(), "mpy-cross"), (BadSource("line 3"), "line 3")):
        compiled(error)
        assert firmware_update.program() == files, "it is not compiled again"
        packed.rename(tmp_path / "away")
        with pytest.raises(BoardError, match=says):
            firmware_update.program()
        (tmp_path / "away").rename(packed)

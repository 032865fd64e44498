"""A board is given the program that a package has compiled, and keeps it."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from pathlib import Path

import patience
import pytest
from lumiban.service import care


@pytest.mark.process
def test_the_compiled_program_of_a_package_reaches_a_board_and_runs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    packed = tmp_path / "program.json"
    care.compile_program(packed)
    monkeypatch.setattr(care, "COMPILED", packed)
    # Whoever would compile it now finds nothing to compile with.
    monkeypatch.setattr("lumiban.maker.program.named_program", lambda: 1 / 0)
    words = [sys.executable, "-m", "lumiban_sim", "--profile", "hex3", "--seed", "8"]
    with subprocess.Popen([*words, "--state", str(tmp_path)], stdout=subprocess.PIPE) as process:
        port = json.loads(patience.line(process))["port"]
        told: list[int] = []
        try:
            assert care.update_board(port, told.append) == care.own_firmware()
        finally:  # else the block waits for it
            process.send_signal(signal.SIGTERM)
            patience.finish(process)
    assert told == sorted(told)
    assert (told[0], told[-1]) == (0, 100)

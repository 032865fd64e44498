"""Processes by their number."""

from __future__ import annotations

import subprocess
import sys

import pytest
from lumiban.system import processes


@pytest.mark.process
def test_a_process_runs_until_it_has_ended() -> None:
    words = [sys.executable, "-c", "input()"]
    with subprocess.Popen(words, stdin=subprocess.PIPE) as process:
        assert processes.runs(process.pid)
    assert not processes.runs(process.pid)

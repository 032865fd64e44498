"""A test that hangs is ended with the stacks of all threads, and has failed; the others go on."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import patience
import pytest
from places import ROOT, SUPPORT, TESTS

HANGS = """
import subprocess, sys, threading

def a_lock_that_nobody_frees(): threading.Event().wait()

def test_before(): pass

def test_hangs():
    threading.Thread(target=a_lock_that_nobody_frees, daemon=True).start()
    with subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE) as program:
        program.wait()

def test_after(): pass
"""


@pytest.mark.process
def test_a_test_that_hangs_has_failed_with_all_stacks_and_what_it_began_is_ended(
    tmp_path: Path,
) -> None:
    (tmp_path / "test_hangs.py").write_text(HANGS)
    ours = ["-c", ROOT / "pyproject.toml", "-p", "conftest", "-p", "no:randomly"]
    done = patience.run(
        [sys.executable, "-m", "pytest", *ours, "--timeout", "1", tmp_path],
        env={**os.environ, "PYTHONPATH": f"{TESTS}:{SUPPORT}"},
    )
    assert done.returncode == 1
    assert "1 failed, 2 passed" in done.stdout
    assert "a_lock_that_nobody_frees" in done.stdout
    assert "Timeout (>1.0s)" in done.stdout
